"""Tell whose file it is by the names that learning platforms give to the files of a bulk download.

    Canvas       lastfirst_12345_67890_02_naive_bpe.ipynb      _LATE after the name, -1 for a resubmission
    Moodle       Full Name_123456_assignsubmission_file_/02_naive_bpe.ipynb, or the same without a folder
    Gradescope   assignment_9100_export/submission_123/02_naive_bpe.ipynb and submission_metadata.yml
    nbgrader     submitted/alice/02_naive_bpe/02_naive_bpe.ipynb
    otherwise    alice/…/02_naive_bpe.ipynb, or alice_02_naive_bpe.ipynb in one flat folder

A file of any kind makes its author a learner: a learner who hands in a PDF gets a row, too.

Only names are used, and the text of Gradescope's metadata.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from minbpe_course.errors import NoSubmissions

FLAT = "a flat folder"
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


@dataclass(frozen=True)
class Owner:
    """The learner whose work a file is. ``id`` is unique in a class; the other texts are for display, maybe empty."""

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
    carry no name. names : of the notebooks that were handed out; those of the course need not be among them.
    beside : the stems of all files of a flat folder. "team-2" is a second attempt of "team" only if there is a "team".

    >>> owner_of(("lovelaceada_LATE_340934_208490284_02_naive_bpe.ipynb",), {}, "me")
    [Owner(id='lovelaceada_340934', first_name='', last_name='lovelaceada', email='', late=True)]
    >>> owner_of(("Ada Lovelace_123456_assignsubmission_file_", "a.ipynb"), {}, "me")[0].first_name
    'Ada'
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
        given, _, family = moodle["name"].rpartition(" ")
        return [Owner(f"{moodle['name']}_{moodle['user']}", given, family)]
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


def attempt(path: str) -> tuple[int, int, str]:
    """Return the sort key for several notebooks of one learner; the one that counts comes last.

    A copy made by Jupyter or a file manager comes before its original; platforms number resubmissions.

    >>> sorted(["a-2.ipynb", "a.ipynb", "a-10.ipynb", "a-Copy1.ipynb"], key=attempt)
    ['a-Copy1.ipynb', 'a.ipynb', 'a-2.ipynb', 'a-10.ipynb']
    """
    name = path.rpartition("/")[2]
    canvas = _CANVAS.fullmatch(name)
    upload = int(canvas["upload"][:18]) if canvas else 0
    match = _AGAIN.search(name.rpartition(".")[0])
    if match is None or match["copy"]:
        return (-1 if match else 0, upload, path)
    return (int(match["dash"] or match["round"] or 0), upload, path)


def base_of(paths: Iterable[str], *, is_zip: bool) -> tuple[str, str]:
    """Return the folder that contains the learners, "" or with a "/" at its end, and the name of the layout.

    Raises NoSubmissions where a folder has the name of nbgrader's but may be a learner's.

    >>> base_of(["submitted/ada/02/02.ipynb"], is_zip=False)
    ('submitted/', 'nbgrader')
    >>> base_of(["class/ada/a.ipynb", "class/bob/b.ipynb"], is_zip=True)
    ('class/', 'a folder for each learner')
    >>> base_of(["ada/a.ipynb"], is_zip=True)
    ('', 'a folder for each learner')
    """
    # Learners choose the names inside their own folders. So only names on the level of the learners' folders may decide
    # the layout; otherwise one learner could choose who the others are.
    paths = list(paths)
    tops = {path.partition("/")[0] for path in paths if not path.startswith(".")}
    alone = next(iter(tops)) + "/" if len(tops) == 1 and not tops & set(paths) else ""
    for folder in {"", alone if _EXPORT.fullmatch(alone[:-1]) else ""}:
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
            raise NoSubmissions(
                f"there is a folder {where}{beside}. If nbgrader made it, name that folder itself, or a zip of it; "
                "if it is a learner's, give it another name."
            )
    inside = [path[len(alone) :] for path in paths if path.startswith(alone)]
    work = [path.split("/") for path in inside if is_work(path)]
    # A zip of a class's folder has one folder at the top. In a folder, a single folder is a learner.
    several = is_zip and len({parts[0] for parts in work}) > 1 and all(parts[1:] for parts in work)
    learner = _MOODLE.fullmatch(alone[:-1]) or _GRADESCOPE.fullmatch(alone[:-1])
    if learner or not (several or any(platform_of(parts[0]) for parts in work)):
        alone, inside = "", paths
    platform = next(filter(None, (platform_of(path.partition("/")[0]) for path in inside)), "")
    return alone, platform or ("a folder for each learner" if any("/" in path for path in inside) else FLAT)


def is_work(path: str) -> bool:
    """Tell whether a file may hold answers, by its name."""
    return path.lower().endswith((".ipynb", ".zip"))


def platform_of(name: str) -> str:
    """Return the platform that names the top file or folder of a learner like this, "" for none."""
    if _MOODLE.fullmatch(name):
        return "Moodle"
    return "Canvas" if _CANVAS.fullmatch(name) and _SUFFIXES.search(name) and not _ABOUT_CLASS.fullmatch(name) else ""


def gradescope_owners(text: str) -> dict[str, list[Owner]]:
    r"""Return the owners of each of Gradescope's folders, from its metadata file.

    The file is YAML. Only the lines about submitters are read, which always have the same shape.

    >>> gradescope_owners("submission_7:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '1815'\n  :score: 1.0\n")
    {'submission_7': [Owner(id='1815', first_name='Ada', last_name='Lovelace', email='', late=False)]}
    """
    people: dict[str, list[dict[str, str]]] = {}
    current: list[dict[str, str]] | None = None
    listed = False
    for line in text.splitlines():
        top = re.fullmatch(r"['\"]?([\w.\-]{1,200}?)['\"]?:[ \t]*", line)
        if top:
            current, listed = people.setdefault(top[1], []), False
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
    return {
        folder: [replace(one, id=one.email or f"{one.id} {folder}") if len(emails[one.id]) > 1 else one for one in ones]
        for folder, ones in made.items()
    }


def _person(person: Mapping[str, str], folder: str) -> Owner:
    given, _, family = person.get("name", "").rpartition(" ")
    email = person.get("email", "")
    return Owner(person.get("sid") or email or folder, given, family, email)


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
