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
from datetime import datetime, timedelta
from pathlib import Path

from minbpe_course.errors import GradingProblem, TooLargeToRead, UnreadableSubmission, UnusablePath
from minbpe_course.learning.submissions.archives import (
    DEEPEST_ZIP,
    MOST_ENTRIES,
    Contents,
    Member,
    Refusal,
    in_folder,
    in_zip,
    limit,
    printable,
)
from minbpe_course.learning.submissions.clones import commit_time
from minbpe_course.learning.submissions.layouts import (
    CLONES,
    FLAT,
    FOLDERS,
    METADATA,
    Owner,
    attempt,
    base_of,
    is_work,
    owner_of,
    platform_of,
    read_gradescope,
    shared_beginning,
    stem_of,
)
from minbpe_course.learning.submissions.notebook_cells import Notebook, read_notebook

MOST_NOTEBOOKS = 100
MOST_BYTES = 512 * 2**20
MOST_CODE = 4 * 2**20  # characters in all code cells of one learner
MOST_PROBLEMS = 30
NAMED = 5  # of the files that are not notebooks
ONE_DOWNLOAD = timedelta(minutes=10)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)? ?(UTC|Z|[+-]\d\d:?\d\d)?")
_TIMESTAMP = re.compile(r"[^/]+/[^/]+/timestamp\.txt")  # of nbgrader
# Files in which a learner may have written answers. ``my_tokenizer.py``, which lessons write, is not one of them.
_LIKE_WORK = re.compile(r".*(?:\.ipynb\..*|\.(?:py|html?|pdf|docx?|odt|rtf))", re.IGNORECASE)
_ARCHIVE_SUFFIX = re.compile(r"(?:\.ipynb|\.zip|\.tar|\.tgz|\.gz|\.bz2|\.xz|\.7z|\.rar|\.zst)+$", re.IGNORECASE)
_ONE_AT_A_TIME = threading.Lock()  # the notebooks of several learners might not fit into memory


def moment(text: str) -> str:
    """Return a time that a platform has written, in ISO 8601; without an offset it is taken for UTC.

    Raises ValueError.

    >>> moment("2026-01-02 03:04:05.123 UTC"), moment("2026-01-02T03:04:05-08:00")
    ('2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05-08:00')
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text[:50]!r} is not a time")
    day, hour, offset = found.groups()
    zone = f"{offset[:3]}:{offset[-2:]}" if offset and offset[0] in "+-" else "+00:00"
    return datetime.fromisoformat(f"{day}T{hour}{zone}").isoformat()


@dataclass(frozen=True)
class Submission:
    """The files of one learner, not read yet, and a sentence for each refused one.

    handed_in : when, in ISO 8601, or "". released : the names of the notebooks that were handed out.
    """

    owner: Owner
    members: tuple[Member, ...] = ()
    problems: tuple[str, ...] = ()
    handed_in: str = ""
    released: frozenset[str] = frozenset()

    def read(self) -> Reading:
        """Read every notebook, also in zip files."""
        reading = Reading(list(self.problems))
        with _ONE_AT_A_TIME:
            reading.read(self.members, 1)
        top = min((notebook.name.count("/") for notebook in reading.notebooks), default=0)
        reading.notebooks.sort(key=lambda notebook: attempt(notebook.name, self.released, top))
        for notebook in reading.notebooks:
            reading.problems += [f"{notebook.name}: {note}" for note in notebook.notes]
            reading.unread += [f"{notebook.name}: {why}" for why in notebook.left_out]
        if not reading.notebooks and not reading.problems:
            others = f", only {_named(reading.others)}" if reading.others else ""
            reading.problems.append(f"no notebook was handed in{others}")
        elif left := [name for name in reading.others if _LIKE_WORK.fullmatch(name) and name != "my_tokenizer.py"]:
            reading.problems.append(f"not graded, because only notebooks are: {_named(left)}")
        if self.owner.late:
            reading.problems.append("handed in late, according to the name of the file")
        more = len(reading.problems) - MOST_PROBLEMS
        problems = [printable(problem, 1_000) for problem in reading.problems[:MOST_PROBLEMS]]
        reading.problems = problems + ([f"and {more} more of this kind"] if more > 0 else [])
        return reading


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

    Raises GradingProblem when there is nothing to grade, UnreadableSubmission when the whole archive cannot be read.
    """
    contents, alone = _listed(path)
    refusals = _leave_out_marks(contents)
    paths = [member.path for member in contents.members]
    base, layout = base_of([*paths, *contents.empty], released, contents.clones, alone)
    roll = _Roll(base, layout, alone, tuple(released), paths)
    for member in contents.members:
        if layout == "Gradescope" and member.path == base + METADATA:
            with suppress(UnreadableSubmission):
                roll.read_metadata(member.read().decode("utf-8", "replace"))
    # Notebooks first: "ada_notes.pdf" belongs to the learner of "ada_02_naive_bpe.ipynb".
    for member in sorted(contents.members, key=lambda member: not is_work(member.path)):
        roll.add(member, refusals)
    for owner in (owner for group in roll.known.values() for owner in group):
        roll.owners.setdefault(owner.id, owner)
    for name in _renamed(roll.members, base):
        file = roll.members[name][0].path
        why = f"{file}: not named like a notebook that was handed out, so {name} may not be a learner"
        roll.problems[name].append(why)
    for folder in contents.empty:
        if folder.startswith(base) and len(folder) > len(base):
            roll.owners_of(roll.place_of(folder))
    for refusal in contents.refusals:
        roll.refuse(refusal, refusals)
    if path.is_dir() and layout in (CLONES, FOLDERS):
        roll.ask_git(path, contents.clones)
    when = _changed(roll.members, layout) | roll.times
    found = [
        Submission(owner, tuple(roll.members[id]), tuple(roll.problems[id]), when.get(id, ""), frozenset(released))
        for id, owner in sorted(roll.owners.items())
    ]
    if not found:
        refused = f" {len(refusals)} files were refused: {refusals[0].why}." if refusals else ""
        raise GradingProblem(
            f"{path} holds no notebooks.{refused} Expected: a folder for each learner with notebooks in it, one folder "
            "of notebooks named alice_02_naive_bpe.ipynb, or the download of Canvas, Moodle, Gradescope or nbgrader."
        )
    return Intake(layout, found, refusals, base)


def _listed(path: Path) -> tuple[Contents, str]:
    """Return what is in a folder or a zip, and its name."""
    if path.is_dir():
        return in_folder(path), path.resolve().name
    advice = "Name the folder, or the zip, in which the submissions are."
    if not path.is_file():
        what = "is neither a folder nor a file" if path.exists() else "does not exist"
        raise GradingProblem(f"{path} {what}. {advice}")
    try:
        return in_zip(path, path.name), path.stem
    except UnreadableSubmission as problem:
        raise UnreadableSubmission(f"{problem}\n{advice}") from None


def _leave_out_marks(contents: Contents) -> list[Refusal]:
    """Take the output of earlier runs out, and return a refusal for each.

    It holds no notebooks. A learner who hands in a gradebook next to a notebook is graded like all others.
    """
    work = [member.path for member in contents.members if is_work(member.path)]
    books = [one.path.removesuffix("gradebook.sqlite") for one in contents.members]
    ours = tuple(book for book in books if book.endswith("/") and not any(name.startswith(book) for name in work))
    contents.members = [member for member in contents.members if not member.path.startswith(ours)]
    return [Refusal(folder, "holds the marks of an earlier run, and no notebook") for folder in ours]


class _Roll:
    """The learners of one delivery, as far as they are known, and their files.

    known : the learners of Gradescope's folders. times : when they handed in, where another
    source than their files says so.
    """

    def __init__(self, base: str, layout: str, alone: str, released: tuple[str, ...], paths: Sequence[str]) -> None:
        self.base, self.layout, self.alone, self.released, self.beginning = base, layout, alone, released, ""
        self.known: dict[str, list[Owner]] = {}
        self.owners: dict[str, Owner] = {}
        self.members: dict[str, list[Member]] = defaultdict(list)
        self.problems: dict[str, list[str]] = defaultdict(list)
        self.times: dict[str, str] = {}
        self.flat = layout == FLAT and any(map(is_work, paths))
        inside = [path[len(base) :] for path in paths if path.startswith(base)]
        if layout == CLONES:
            self.beginning = shared_beginning(path.partition("/")[0] for path in inside if "/" in path)
        self.beside = {stem_of(place) for place in map(self.place_of, paths) if "/" not in place}

    def place_of(self, path: str) -> str:
        """Return the path below the folder of the class, and below a folder for each notebook with learners inside."""
        inside = path.removeprefix(self.base)
        top, _, rest = inside.partition("/")
        return rest if rest and top in self.released else inside.removeprefix(self.beginning)

    def owners_of(self, inside: str) -> list[str]:
        """Return the ids of the learners who own this file, and add them to the learners."""
        ids = []
        for owner in owner_of(tuple(inside.split("/")), self.known, self.alone, self.released, self.beside):
            if "/" not in inside and not is_work(inside):
                owner = _author_of(owner, self.owners, self.alone)
            if owner.late or owner.id not in self.owners:
                self.owners[owner.id] = owner
            ids.append(owner.id)
        return ids

    def add(self, member: Member, refusals: list[Refusal]) -> None:
        """Give a file to its learners, or refuse a file that is in the place of a learner's folder."""
        inside = self.place_of(member.path)
        if self.layout == "Canvas" and not is_work(inside) and platform_of(f"{inside}.txt"):
            inside += ".txt"  # a table, or a file without a suffix, is a learner's, too
        if "/" not in inside and not is_work(inside) and not self.flat and not platform_of(inside):
            if inside != METADATA and owner_of((inside,), {}, self.alone):
                refusals.append(Refusal(member.path, "is not in the folder of a learner"))
        elif member.path.startswith(self.base):
            for id in self.owners_of(inside):
                self.members[id].append(member)
                if self.layout == "nbgrader" and _TIMESTAMP.fullmatch(inside) and member.size < 200:
                    with suppress(UnreadableSubmission, UnusablePath):
                        self._later(id, member.read().decode("ascii", "replace"))

    def refuse(self, refusal: Refusal, refusals: list[Refusal]) -> None:
        """Note a refused file for the learners who own it, or add it to the refusals without an owner."""
        inside = self.place_of(refusal.path) if refusal.path.startswith(self.base) else ""
        if "/" not in inside and inside:
            # A link, or an archive of another kind, in the place of a learner's folder or zip.
            inside = _ARCHIVE_SUFFIX.sub("", inside) + ".zip"
        # A name that leads out of the folder has no owner.
        outside = inside.startswith(("/", "../")) or not inside or inside[1:2] == ":"
        ids = [] if outside else self.owners_of(inside)
        for id in ids:
            self.problems[id].append(f"{refusal.path} {refusal.why}")
        if not ids:
            refusals.append(refusal)

    def read_metadata(self, text: str) -> None:
        """Take the learners and the times from Gradescope's file."""
        self.known, times = read_gradescope(text)
        for folder, owner in ((folder, owner) for folder, group in self.known.items() for owner in group):
            self._later(owner.id, times.get(folder, ""))

    def ask_git(self, path: Path, clones: Collection[str]) -> None:
        """Take the times of commits for the learners whose folders are clones."""
        for id, members in self.members.items():
            folder = self.base + members[0].path[len(self.base) :].partition("/")[0] + "/"
            theirs = [one.path[len(folder) :] for one in members if is_work(one.path)]
            if folder in clones and theirs:
                self._later(id, commit_time(path / folder, theirs))
                if id not in self.times:
                    self.problems[id].append("git names no commit of its notebooks, so the time of the files counts")

    def _later(self, id: str, text: str) -> None:
        with suppress(ValueError):
            when = moment(text)
            self.times[id] = max(when, self.times.get(id, when), key=datetime.fromisoformat)


def _changed(members: Mapping[str, Iterable[Member]], layout: str) -> dict[str, str]:
    """Return when the newest notebook of each learner was last changed.

    Canvas and newer versions of Moodle write the time of the download: then all files are from the same minutes.
    """
    times = {name: [one.when for one in files if one.when and is_work(one.path)] for name, files in members.items()}
    every = [datetime.fromisoformat(when) for each in times.values() for when in each]
    if layout in ("Canvas", "Moodle") and every and max(every) - min(every) < ONE_DOWNLOAD:
        return {}
    return {name: max(each) for name, each in times.items() if each}


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
    damaged: bool = False
    """Whether a notebook or a zip could not be read."""

    def read(self, members: Iterable[Member], depth: int, around: str = "") -> None:
        """Read these members, which are in the learner's zip ``around`` or not in a zip."""
        for member in members:
            path = around + member.path
            name = path.rpartition("/")[2]
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
                    self.notebooks.append(read_notebook(data, path))
                    self.code += sum(len(cell.source) for cell in self.notebooks[-1].cells)
                elif depth > DEEPEST_ZIP:
                    self.problems.append(f"{path} is a zip in a zip in a zip in a zip, too deep to be read")
                else:
                    inside = in_zip(data, path)
                    self.zipped += len(inside.members) + len(inside.refusals)
                    self.problems += [f"{path}: {one.path} {one.why}" for one in inside.refusals]
                    self.read(inside.members, depth + 1, f"{path}/")
            except UnreadableSubmission as problem:
                self.damaged = True
                self.problems.append(str(problem))
                if isinstance(problem, TooLargeToRead):
                    self.unread.append(str(problem))
            except Exception as problem:  # one learner's file must not stop the class
                odd = f"{path} could not be read ({type(problem).__name__})"
                self.unread.append(str(problem) if isinstance(problem, UnusablePath) else odd)
                self.problems.append(self.unread[-1])
