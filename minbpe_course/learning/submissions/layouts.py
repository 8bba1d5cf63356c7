"""Tell whose file it is by the names that learning platforms give to the files of a bulk download.

    Canvas       lastfirst_12345_67890_02_naive_bpe.ipynb      _LATE after the name, -1 for a resubmission
    Moodle       Full Name_123456_assignsubmission_file_/02_naive_bpe.ipynb, or the same without a folder
    Gradescope   assignment_9100_export/submission_123/02_naive_bpe.ipynb and submission_metadata.yml
    nbgrader     submitted/alice/02_naive_bpe/02_naive_bpe.ipynb
    Git clones   hw1-alice/.git and hw1-alice/02_naive_bpe.ipynb; a common beginning of all names is taken off
    otherwise    alice/…/02_naive_bpe.ipynb, or alice_02_naive_bpe.ipynb in one flat folder

A file of any kind makes its author a learner: a learner who hands in a PDF gets a row, too.

Only names are used, and the text of Gradescope's metadata.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile

from minbpe_course.errors import GradingProblem

FLAT, FOLDERS, CLONES = "a flat folder", "a folder for each learner", "Git clones"
METADATA = "submission_metadata.yml"
_EXPORT = re.compile(r"assignment_\w+_export")
_NBGRADER = {"submitted", "source", "release", "autograded", "feedback"}
_CANVAS = re.compile(
    r"(?P<name>[^_/]+)(?P<late>_LATE)?"
    r"_(?P<user>\d+|(?:(?<=anonymous_)|(?<=anonymous_LATE_))[A-Za-z0-9]{5})_(?P<upload>\d{3,})_(?P<file>.+)"
)
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?")
_GRADESCOPE = re.compile(r"submission_\w+")
# Endings of a learner's file, several of which may follow one another: "02_naive_bpe.ipynb.txt".
_SUFFIXES = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]{0,5})+$")
# Files of a flat folder that are about the class, not by a learner.
_ABOUT_CLASS = re.compile(r"readme.*|.*\.(?:csv|tsv|xlsx?|ods|json|ya?ml|sqlite|db|log|ini)|[^.]*", re.IGNORECASE)
_BETWEEN = "_-. "  # around the parts of a name
_AGAIN = re.compile(
    r"(?P<copy>-Copy\d+|_copy| copy)?(?:[-_](?P<dash>\d{1,3})| ?\((?P<round>\d{1,3})\))?$", re.IGNORECASE
)
# A copy or an old state, in the name of a file or a folder.
_SPARE = re.compile(r"(?:^|[_\-. (])(?:old|backups?|bak|copy|copies)[ _-]?\d*(?:$|[_\-. )])", re.IGNORECASE)
_TOP = re.compile(r"['\"]?([\w.\-]{1,200}?)['\"]?:[ \t]*")


@dataclass(frozen=True)
class Owner:
    """The learner whose work a file is. ``id`` is unique in a class; the other texts are for display, maybe empty.

    If a platform gives one name, ``first_name`` has all of it, because a name of many words cannot be divided safely.
    """

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    late: bool = False


def owner_of(
    parts: tuple[str, ...],
    known: Mapping[str, list[Owner]],
    alone: str,
    names: tuple[str, ...] = (),
    beside: Collection[str] = (),
) -> list[Owner]:
    """Return the owners of a file: several for a group's work, none for other files.

    parts : its path. known : the owners of Gradescope's folders. alone : the learner of a flat folder whose notebooks
    carry no name. names : of the notebooks that were handed out; those of the course may be missing.
    beside : the stems of all files of a flat folder. "team-2" is a second attempt of "team" only if there is a "team".

    >>> owner_of(("lovelaceada_LATE_340934_208490284_02_naive_bpe.ipynb",), {}, "me")
    [Owner(id='lovelaceada_340934', first_name='', last_name='lovelaceada', email='', late=True)]
    >>> owner_of(("Ada Lovelace_123456_assignsubmission_file_", "a.ipynb"), {}, "me")[0].first_name
    'Ada Lovelace'
    >>> [owner_of((name,), {}, "me")[0].id for name in ("ada_02_naive_bpe.ipynb", "02_naive_bpe-1.ipynb", "ada.zip")]
    ['ada', 'me', 'ada']
    >>> [owner_of((name,), {}, "me") for name in ("ada_02_naive_bpe.ipynb.txt", "marks.csv")]
    [[Owner(id='ada', first_name='', last_name='', email='', late=False)], []]
    >>> [owner_of((f"{name}.ipynb",), {}, "me", ("week1",))[0].id for name in ("ada_week1", "week1_ada", "week1-2")]
    ['ada', 'ada', 'me']
    >>> [owner_of((f"{name}.ipynb",), {}, "me", (), ("ada", "ada-1", "team-1"))[0].id for name in ("ada-1", "team-1")]
    ['ada', 'team-1']
    """
    first = unicodedata.normalize("NFC", parts[0])
    if first.startswith("."):
        return []
    if first in known:
        return known[first]
    moodle = _MOODLE.fullmatch(first)
    if moodle:
        return [Owner(f"{moodle['name']}_{moodle['user']}", moodle["name"])]
    if len(parts) > 1:
        return [Owner(first)]
    if _ABOUT_CLASS.fullmatch(first):
        return []
    canvas = _CANVAS.fullmatch(first)
    if canvas:
        return [Owner(f"{canvas['name']}_{canvas['user']}", "", canvas["name"], late=bool(canvas["late"]))]
    stem = stem_of(first)
    ending, beginning = _released(names)
    prefix = ending.sub("", stem).strip(_BETWEEN)
    if beginning is not None and prefix in ("", stem):
        prefix = beginning.sub("", stem).strip(_BETWEEN)
    again = _AGAIN.search(stem)
    if prefix == stem and again is not None and not first.lower().endswith(".zip"):
        shorter = stem[: again.start()].strip(_BETWEEN)
        prefix = shorter if shorter and (again["copy"] or shorter in beside) else stem
    return [Owner(prefix or alone)]


def stem_of(name: str) -> str:
    """Return the name of a file without its suffixes, as ``owner_of`` compares it."""
    name = unicodedata.normalize("NFC", name)
    return (name.rpartition(".")[0] if is_work(name) else _SUFFIXES.sub("", name)).strip(_BETWEEN)


@cache
def _released(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Return what matches the name of a notebook at the end of a learner's file, and a known one at its beginning.

    All of "02_naive_bpe_ada" could be the name of a notebook, so at the beginning only known names are searched for.
    """
    known = list(map(re.escape, sorted(names, key=len, reverse=True)))
    ours = "|".join([r"\d\d[_\-][a-z0-9_]+?", *known])
    attempts = r"(?:[_-]\d{1,3}|-Copy\d+| ?\(\d{1,3}\))*"
    beginning = re.compile(rf"^(?:{'|'.join(known)}){attempts}(?:[_\-. ]|$)") if known else None
    return re.compile(rf"(?:^|[_\-. ])(?:{ours}){attempts}$"), beginning


def attempt(path: str, names: Collection[str] = (), top: int = 0) -> tuple[bool, bool, list[object], list[object]]:
    """Return the sort key for several notebooks of one learner; the one that counts comes last.

    Copies and old states come first. Then names are in their natural order, and that of a notebook that was handed out
    is the last, if no other notebook of the learner is in fewer folders.

    names : of the notebooks that were handed out. top : how many folders the learner's outermost notebook is in.

    >>> sorted(["a.ipynb", "a_v10.ipynb", "a_v2.ipynb", "a-Copy1.ipynb", "old/a.ipynb"], key=attempt)
    ['old/a.ipynb', 'a-Copy1.ipynb', 'a.ipynb', 'a_v2.ipynb', 'a_v10.ipynb']
    >>> max(["a.ipynb", "a_v10.ipynb", "x/a.ipynb"], key=lambda path: attempt(path, ["a"]))
    'a.ipynb'
    >>> max(["ada_12_346_a.ipynb", "ada_12_345_a_v2.ipynb"], key=lambda path: attempt(path, ["a"]))
    'ada_12_346_a.ipynb'
    """
    stem = _CANVAS.sub(r"\g<file>", path.rpartition("/")[2]).rpartition(".")[0]
    spare = any(map(_SPARE.search, (*path.split("/")[:-1], stem)))
    return not spare, stem in names and path.count("/") == top, _natural(stem), _natural(path)


def _natural(name: str) -> list[object]:
    return [int(part) if at % 2 else part for at, part in enumerate(re.split(r"(\d{1,18})", name.casefold()))]


def base_of(
    paths: Iterable[str], released: Collection[str] = (), clones: Collection[str] = (), name: str = ""
) -> tuple[str, str]:
    """Return the folder that contains the learners, "" or with a "/" at its end, and the name of the layout.

    released : the names of the notebooks handed out. clones : the folders with .git. name : that of the whole.

    Raises GradingProblem where a folder has the name of nbgrader's but may be a learner's, and for sections of a class.

    >>> base_of(["submitted/ada/02/02.ipynb"])
    ('submitted/', 'nbgrader')
    >>> base_of(["class/ada/a.ipynb", "class/bob/b.ipynb"])
    ('class/', 'a folder for each learner')
    >>> base_of(["ada/a.ipynb", "ada/b.ipynb"])
    ('', 'a folder for each learner')
    """
    # Learners choose the names inside their own folders. So only names on the level of the learners' folders may decide
    # the layout; otherwise one learner could choose who the others are.
    paths = [path for path in paths if not path.startswith(".")]
    folders = [path.split("/")[:-1] for path in paths if "/" in path or is_work(path)]
    around = list(takewhile(_may_be_around, _common(folders)))
    alone = "".join(f"{part}/" for part in around)
    for folder in {"", alone if around and _EXPORT.fullmatch(around[-1]) else ""}:
        if folder + METADATA in paths:
            return folder, "Gradescope"
    for folder in ("", alone):
        inside = [path[len(folder) :] for path in paths if path.startswith(folder)]
        if not any(path.startswith("submitted/") and path.count("/") > 1 for path in inside):
            continue
        others = {path.partition("/")[0] for path in inside if "/" in path and is_work(path)} - _NBGRADER
        if not folder and not others:
            return "submitted/", "nbgrader"
        if not folder or not others:
            where = f"{folder}submitted"
            beside = f" next to {', '.join(sorted(others)[:5])}" if others else ""
            raise GradingProblem(
                f"there is a folder {where}{beside}. If nbgrader made it, name that folder itself, or a zip of it; "
                "if it is a learner's, give it another name."
            )
    if name == "submitted":
        return "", "nbgrader"
    # A single folder is one learner's, unless everything in it looks like the work of several.
    work = [path[len(alone) :].split("/") for path in paths if is_work(path)]
    learners = {_learner_in(parts[1:] if parts[1:] and parts[0] in released else parts, released) for parts in work}
    cloned = sum(clone.startswith(alone) and clone.count("/") == len(around) + 1 for clone in clones)
    several = len(learners) > 1 and "" not in learners
    if not (several or cloned > 1 or any(platform_of(parts[0]) for parts in work)):
        alone = ""
    inside = [path[len(alone) :] for path in paths if path.startswith(alone)]
    platform = next(filter(None, (platform_of(path.partition("/")[0]) for path in inside)), "")
    tops = {path.partition("/")[0] for path in inside if "/" in path}
    if not platform and tops and all(f"{alone}{top}/" in clones for top in tops):
        return alone, CLONES
    if not platform:
        _refuse_sections(inside, released)
    return alone, platform or (FOLDERS if tops else FLAT)


def _common(rows: Iterable[Sequence[str]]) -> list[str]:
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*rows))]


def _may_be_around(folder: str) -> bool:
    """Tell whether this may be a folder around the learners, by its name."""
    return not (folder == "submitted" or _MOODLE.fullmatch(folder) or _GRADESCOPE.fullmatch(folder))


def _learner_in(parts: Sequence[str], released: Collection[str]) -> str:
    """Return the learner that a path in a folder of learners would name, "" for a notebook that names none."""
    if parts[1:] or platform_of(parts[0]) or parts[0].lower().endswith(".zip"):
        return parts[0]
    ids = [owner.id for owner in owner_of((parts[0],), {}, "", tuple(released))]
    return "" if ids == [stem_of(parts[0])] else "".join(ids)


def _refuse_sections(inside: Iterable[str], released: Collection[str]) -> None:
    """Raise GradingProblem if folders look like sections: half of them hold several learners, and none is in two."""
    sections: dict[str, set[str]] = defaultdict(set)
    for parts in (path.split("/") for path in inside if "/" in path):
        if parts[0] not in released:
            sections[parts[0]].update([_learner_in(parts[1:], released)] if is_work(parts[-1]) else [])
    names = [name for learners in sections.values() for name in learners]
    several = sum(len(learners) > 1 for learners in sections.values())
    if len(sections) > 1 and 2 * several >= len(sections) and len(names) == len({*names} - {"", *released}):
        raise GradingProblem(
            f"{_some(sections)} seem to be sections of a class: the learners ({_some(names)}) are one folder deeper. "
            "Name one section at a time, with the same --out. If these are learners, make a zip of each one's folder."
        )


def _some(names: Collection[str]) -> str:
    return ", ".join(sorted(names)[:4]) + (" …" if len(names) > 4 else "")


def shared_beginning(folders: Iterable[str]) -> str:
    """Return what the names of several clones begin with, up to a hyphen: the name of the assignment.

    >>> shared_beginning(["hw1-ada", "hw1-alan"]), shared_beginning(["hw1-ada"])
    ('hw1-', '')
    """
    names = set(folders)
    shared = "".join(f"{part}-" for part in _common(name.split("-")[:-1] for name in names))
    return shared if len(names) > 1 and shared not in names else ""


def is_work(path: str) -> bool:
    """Tell whether a file may hold answers, by its name."""
    return path.lower().endswith((".ipynb", ".zip"))


def platform_of(name: str) -> str:
    """Return the platform that names the top file or folder of a learner like this, "" for none."""
    if _MOODLE.fullmatch(name):
        return "Moodle"
    return "Canvas" if _CANVAS.fullmatch(name) and _SUFFIXES.search(name) and not _ABOUT_CLASS.fullmatch(name) else ""


def delivered_name(id: str, paths: Iterable[str]) -> str:
    """Return the name that Canvas or Moodle gave to a learner's latest file or folder, "" for another layout.

    A file that a learner has named like those of a platform does not count.

    >>> delivered_name("ada_12", ["class/ada_12_345_a.pdf", "class/ada_12_346_a.ipynb", "class/bob/ada_12_347_b.py"])
    'ada_12_346_a.ipynb'
    >>> delivered_name("bob", ["class/bob/ada_12_347_b.py"])
    ''
    """
    latest = sorted(paths, key=lambda path: (is_work(path), attempt(path)), reverse=True)
    parts = (part for path in latest for part in path.split("/") if platform_of(part))
    return next((part for part in parts if id in [owner.id for owner in owner_of((part,), {}, "")]), "")


def read_gradescope(text: str) -> tuple[dict[str, list[Owner]], dict[str, str]]:
    r"""Return the owners of each of Gradescope's folders, and when it was handed in, from its metadata file.

    The file is YAML. Only the lines about submitters and times are read, which always have the same shape.

    >>> read_gradescope("submission_7:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '1815'\n  :score: 1.0\n")[0]
    {'submission_7': [Owner(id='1815', first_name='Ada Lovelace', last_name='', email='', late=False)]}
    """
    people: dict[str, list[dict[str, str]]] = {}
    times: dict[str, str] = {}
    current: list[dict[str, str]] | None = None
    listed, folder = False, ""
    for line in text.splitlines():
        top = _TOP.fullmatch(line)
        if top:
            folder = top[1]
            current, listed = people.setdefault(folder, []), False
        elif created := re.fullmatch(r"  :created_at:[ \t]*(.+)", line):
            times[folder], listed = _unquoted(created[1]), False
        elif re.fullmatch(r"  :submitters:[ \t]*", line):
            listed = True
        elif listed and current is not None:
            entry = re.fullmatch(r"  (- |  ):(\w{1,20}): ?(.*)", line)
            if entry is None:
                listed = False
                continue
            if entry[1] == "- ":
                current.append({})
            if current:
                current[-1][entry[2]] = _unquoted(entry[3])
    made = {folder: [_person(one, folder) for one in ones] for folder, ones in people.items() if ones}
    # Learners type their own student id, so an id must not turn one into another.
    emails: dict[str, set[str]] = {}
    for owner in (owner for owners in made.values() for owner in owners):
        emails.setdefault(owner.id, set()).add(owner.email.casefold())
    owners = {
        folder: [replace(one, id=one.email or f"{one.id} {folder}") if len(emails[one.id]) > 1 else one for one in ones]
        for folder, ones in made.items()
    }
    return owners, times


def _person(person: Mapping[str, str], folder: str) -> Owner:
    email = person.get("email", "")
    return Owner(person.get("sid") or email or folder, person.get("name", ""), "", email)


def _unquoted(value: str) -> str:
    value = value.strip()[:300]
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return "" if value in ("~", "null") else value
