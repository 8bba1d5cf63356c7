"""Turn a folder or a zip of any known layout into one submission per learner.

A submission holds names and sizes; its bytes are read when it is graded, and those of one learner at a time, so a class
of any size needs the memory of one. Nothing that a learner hands in raises here: a file that cannot be read becomes a
sentence in that learner's report.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from minbpe_course.errors import NoSubmissions, RefusedArchive, TooLargeToRead, UnreadableNotebook, UnusablePath
from minbpe_course.learning.submissions.archives import (
    DEEPEST_ZIP,
    MOST_ENTRIES,
    Member,
    Refusal,
    in_folder,
    in_zip,
    limit,
    printable,
)
from minbpe_course.learning.submissions.layouts import (
    FLAT,
    METADATA,
    Owner,
    attempt,
    base_of,
    gradescope_owners,
    is_work,
    owner_of,
    platform_of,
    stem_of,
)
from minbpe_course.learning.submissions.notebook_cells import Notebook, read_notebook

MOST_NOTEBOOKS = 100
MOST_BYTES = 512 * 2**20
MOST_CODE = 4 * 2**20  # characters in all code cells of one learner
MOST_PROBLEMS = 30
NAMED = 5  # of the files that are not notebooks
# Files in which a learner may have written answers. The learner's own package of the course stays beside notebooks.
_LIKE_WORK = re.compile(r".*(?:\.ipynb\..*|\.(?:py|html?|pdf|docx?|odt|rtf))", re.IGNORECASE)
_NOT_WORK = {"my_tokenizer.py", "onlinetext.html"}
_ARCHIVE_SUFFIX = re.compile(r"(?:\.ipynb|\.zip|\.tar|\.tgz|\.gz|\.bz2|\.xz|\.7z|\.rar|\.zst)+$", re.IGNORECASE)
_ONE_AT_A_TIME = threading.Lock()  # the notebooks of several learners might not fit into memory
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[A-Z]{3,5}|[+-]\d\d:?\d\d)?")


@dataclass(frozen=True)
class Submission:
    """The files of one learner, not read yet, and a sentence for each refused one."""

    owner: Owner
    members: tuple[Member, ...] = ()
    problems: tuple[str, ...] = ()

    def read(self) -> Reading:
        """Read every notebook, also in zip files."""
        reading = Reading(list(self.problems))
        with _ONE_AT_A_TIME:
            reading.read(self.members, 1)
        reading.notebooks.sort(key=lambda notebook: attempt(notebook.name))
        for notebook in reading.notebooks:
            reading.problems += [f"{notebook.name}: {note}" for note in notebook.notes]
            reading.unread += [f"{notebook.name}: {why}" for why in notebook.left_out]
        if not reading.notebooks and not reading.problems:
            others = f", only {_named(reading.others)}" if reading.others else ""
            reading.problems.append(f"no notebook was handed in{others}")
        elif left := [name for name in reading.others if _LIKE_WORK.fullmatch(name) and name not in _NOT_WORK]:
            reading.problems.append(f"not graded, because only notebooks are: {_named(left)}")
        if self.owner.late:
            reading.problems.append("handed in late, according to the name of the file")
        more = len(reading.problems) - MOST_PROBLEMS
        problems = [printable(problem, 1_000) for problem in reading.problems[:MOST_PROBLEMS]]
        reading.problems = problems + ([f"and {more} more of this kind"] if more > 0 else [])
        return reading

    def timestamp(self) -> str:
        """Return when it was handed in if nbgrader left a note of it, else ""."""
        for member in self.members:
            if member.path.endswith("/timestamp.txt") and member.size < 200:
                try:
                    text = member.read().decode("ascii", "replace").strip()
                except (RefusedArchive, UnusablePath):
                    continue
                if _TIMESTAMP.fullmatch(text):
                    return text
        return ""


@dataclass
class Intake:
    """The name of the layout, the submissions in the order of the learners' ids, and refused files without an owner.

    base : the folder that contains the learners, with a "/" at its end, or "".
    """

    layout: str
    submissions: list[Submission] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    base: str = ""


def read_submissions(path: Path, released: Collection[str] = ()) -> Intake:
    """Return the submissions in a folder or a zip; ``released`` are the names of the notebooks handed out.

    Raises NoSubmissions when there is nothing to grade, RefusedArchive when the whole archive cannot be read.
    """
    if path.is_dir():
        contents, alone = in_folder(path), path.resolve().name
    elif path.is_file():
        try:
            contents, alone = in_zip(path, path.name), path.stem
        except RefusedArchive as problem:
            raise RefusedArchive(f"{problem}\nName the folder, or the zip, in which the submissions are.") from None
    else:
        what = "is neither a folder nor a file" if path.exists() else "does not exist"
        raise NoSubmissions(f"{path} {what}. Name the folder, or the zip, in which the submissions are.")
    paths = [member.path for member in contents.members]
    base, layout = base_of(paths, is_zip=path.is_file())
    known: dict[str, list[Owner]] = {}
    if layout == "Gradescope":
        metadata = next(member for member in contents.members if member.path == base + METADATA)
        with suppress(RefusedArchive):
            known = gradescope_owners(metadata.read().decode("utf-8", "replace"))
    found = Intake(layout, base=base)
    # The output of an earlier run, which holds no notebooks, is not a submission. A learner who hands in a gradebook
    # next to a notebook is graded like all others.
    work = [name for name in paths if is_work(name)]
    books = [name.removesuffix("gradebook.sqlite") for name in paths if name.endswith("/gradebook.sqlite")]
    ours = tuple(folder for folder in books if not any(name.startswith(folder) for name in work))
    found.refusals += [Refusal(folder, "holds the marks of an earlier run, and no notebook") for folder in ours]
    owners: dict[str, Owner] = {}
    members: dict[str, list[Member]] = defaultdict(list)
    problems: dict[str, list[str]] = defaultdict(list)

    def place_of(path: str) -> str:
        """Return the path below the folder of the class, and below a folder for each notebook with learners inside."""
        inside = path[len(base) :]
        top, _, rest = inside.partition("/")
        return rest if rest and top in released else inside

    places = [place_of(member.path) for member in contents.members if member.path.startswith(base)]
    beside = {stem_of(place) for place in places if "/" not in place}

    def belongs_to(inside: str) -> list[str]:
        ids = []
        for owner in owner_of(tuple(inside.split("/")), known, alone, tuple(released), beside):
            if "/" not in inside and not is_work(inside):
                owner = _author_of(owner, owners, alone)
            if owner.late or owner.id not in owners:
                owners[owner.id] = owner
            ids.append(owner.id)
        return ids

    # Notebooks first: "ada_notes.pdf" belongs to the learner of "ada_02_naive_bpe.ipynb".
    for member in sorted(contents.members, key=lambda member: not is_work(member.path)):
        if member.path.startswith(base) and not member.path.startswith(ours):
            inside = place_of(member.path)
            if "/" not in inside and not is_work(inside) and not (work and layout == FLAT) and not platform_of(inside):
                if inside != METADATA and owner_of((inside,), {}, alone):
                    found.refusals.append(Refusal(member.path, "is not in the folder of a learner"))
                continue
            for name in belongs_to(inside):
                members[name].append(member)
    for group in known.values():
        for owner in group:
            owners.setdefault(owner.id, owner)
    for name in _renamed(members, base):
        file = members[name][0].path
        problems[name].append(f"{file}: not named like a notebook that was handed out, so {name} may not be a learner")
    for folder in contents.empty:
        if folder.startswith(base) and len(folder) > len(base):
            belongs_to(place_of(folder))
    for refusal in contents.refusals:
        inside = place_of(refusal.path) if refusal.path.startswith(base) else ""
        if "/" not in inside and inside:
            # A link, or an archive of another kind, in the place of a learner's folder or zip.
            inside = _ARCHIVE_SUFFIX.sub("", inside) + ".zip"
        # A name that leads out of the folder has no owner.
        outside = inside.startswith(("/", "../")) or not inside or inside[1:2] == ":"
        names = [] if outside else belongs_to(inside)
        for name in names:
            problems[name].append(f"{refusal.path} {refusal.why}")
        if not names:
            found.refusals.append(refusal)
    found.submissions = [
        Submission(owners[name], tuple(members[name]), tuple(problems[name])) for name in sorted(owners)
    ]
    if not found.submissions:
        refused = f" {len(found.refusals)} files were refused: {found.refusals[0].why}." if found.refusals else ""
        raise NoSubmissions(
            f"{path} holds no notebooks.{refused} Expected: a folder for each learner with notebooks in it, one folder "
            "of notebooks named alice_02_naive_bpe.ipynb, or the download of Canvas, Moodle, Gradescope or nbgrader."
        )
    return found


def _author_of(owner: Owner, owners: Mapping[str, Owner], alone: str) -> Owner:
    """Return the learner of a file that is not a notebook: one known by a notebook, if its name begins like theirs."""
    begins = [name for name in owners if re.match(rf"{re.escape(name)}(?:$|[_\-. ])", owner.id)]
    return owners[max(begins, key=len)] if begins else owners.get(alone, owner)


def _named(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _renamed(members: Mapping[str, list[Member]], base: str) -> list[str]:
    """Return the owners named like their only file, in several words, where other files name learner and notebook."""
    alone = {name: files[0].path[len(base) :] for name, files in members.items() if len(files) == 1}
    whole = [name for name, path in alone.items() if path.lower() == f"{name}.ipynb".lower()]
    flat = {name for name, files in members.items() for file in files if "/" not in file.path[len(base) :]}
    return [name for name in whole if re.search(r"[_\-. ]", name)] if len(whole) < len(flat) else []


@dataclass
class Reading:
    """The notebooks of a learner, and a sentence for each problem.

    others : the names of the files that are not notebooks. unread : a sentence for each file that could not be read
    here, or is over a limit: an answer that is missing may be in it, and is not graded.
    """

    problems: list[str]
    notebooks: list[Notebook] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    read_bytes: int = 0
    code: int = 0
    zipped: int = 0
    """How many files all zip files list, read or refused."""

    def read(self, members: Iterable[Member], depth: int) -> None:
        for member in members:
            name = member.path.rpartition("/")[2]
            if name.startswith("._"):
                continue
            if not is_work(name):
                self.others.append(name)
                continue
            full = [
                f"more than {most}; the others were not read"
                for most, reached in (
                    (f"{MOST_NOTEBOOKS} notebooks", len(self.notebooks) >= MOST_NOTEBOOKS),
                    (f"{MOST_BYTES // 2**20} MB", self.read_bytes >= MOST_BYTES),
                    (f"{MOST_CODE:,} characters of code", self.code > MOST_CODE),
                    (f"{MOST_ENTRIES:,} files in zip files", self.zipped > MOST_ENTRIES),
                )
                if reached
            ]
            if full:
                self.unread += full
                self.problems += full
                return
            try:
                # Counted before reading: a damaged file takes its time as well.
                self.read_bytes += member.size if member.size <= limit(member.path) else 0
                data = member.read()
                if name.lower().endswith(".ipynb"):
                    self.notebooks.append(read_notebook(data, member.path))
                    self.code += sum(len(cell.source) for cell in self.notebooks[-1].cells)
                elif depth > DEEPEST_ZIP:
                    self.problems.append(f"{member.path} is a zip in a zip in a zip in a zip, too deep to be read")
                else:
                    inside = in_zip(data, member.path)
                    self.zipped += len(inside.members) + len(inside.refusals)
                    self.problems += [f"{member.path}: {one.path} {one.why}" for one in inside.refusals]
                    self.read(inside.members, depth + 1)
            except (RefusedArchive, UnreadableNotebook) as problem:
                self.problems.append(str(problem))
                if isinstance(problem, TooLargeToRead):
                    self.unread.append(str(problem))
            except Exception as problem:  # one learner's file must not stop the class
                odd = f"{member.path} could not be read ({type(problem).__name__})"
                self.unread.append(str(problem) if isinstance(problem, UnusablePath) else odd)
                self.problems.append(self.unread[-1])
