"""Write one table of a class for another program: a row for a learner, a column for a question, and the total.

    csv         a table of our own
    gradescope  the columns of Gradescope's "Download Grades"; Gradescope exports this table, but imports none
    canvas      the gradebook that Canvas exported, with the total in the column of the assignment
    moodle      the grading worksheet or the grades that Moodle exported, with the total in the column Grade
    written     the texts that a teacher still has to mark, with an empty column for points

Canvas finds a learner by ID, then by SIS User ID, SIS Login ID and name, an assignment by the "Name (id)" of its column
(https://community.instructure.com/en/kb/articles/660862-how-do-i-import-grades-in-the-gradebook). Moodle wants the
columns Identifier, Grade and Last modified (grade) of its worksheet unchanged, and takes "Feedback comments"
(https://docs.moodle.org/en/Using_Assignment, and mod/assign/feedback/offline/importgradeslib.php). So all that a
platform wrote is written again as it was: it has to find it, and has shown it to the teacher before.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from minbpe_course.errors import UnreadableInput
from minbpe_course.files import read_whole
from minbpe_course.learning.grading.asked import Asked
from minbpe_course.learning.grading.gradebook import Learner
from minbpe_course.learning.grading.marking import NO_CELL
from minbpe_course.learning.grading.present import CHANGED, NOT_HANDED_IN, Row
from minbpe_course.learning.grading.reports.exports import csv_bytes, harmless, identifier, why_empty, without_total
from minbpe_course.learning.grading.reports.pages import lateness, number
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.layouts import platform_of

_POINTS = "Points Possible"  # in the first column of Canvas's row of them
_COMMENTS, _MOST = "feedback comments", "maximum grade"
_KEYS = ("sis login id", "sis user id", "id number", "username", "email address", "email")
# Moodle leaves these out of the name of a learner's folder, and writes a space for _.
_NOT_IN_FILES = re.compile(r"[&<>\"`|':\\/]")


def table(kind: str, rows: Sequence[Row], asked: Asked, roster: Path | None = None) -> tuple[bytes, list[str]]:
    """Return the bytes of a table, and a sentence for each problem.

    kind : one of those above. roster : the file that Canvas or Moodle exported.

    Raises UnreadableInput, which says what to export, and UnusablePath.
    """
    problems = without_total(rows)
    if kind == "written":
        return written(rows, asked.exercises), []
    if roster is None:
        return plain(rows, asked.exercises, gradescope=kind == "gradescope"), problems
    data, more = fill(roster, kind, rows, asked.titles)
    return data, problems + more


def written(rows: Sequence[Row], exercises: Mapping[str, Exercise]) -> bytes:
    """Return the texts that a teacher still has to mark, also again because they have changed, for ``set_from``."""
    made = [["learner", "name", "key", "answer", "points", "comment"]]
    for learner, one in ((row.learner, one) for row in rows for one in row.marks):
        again = CHANGED in one.mark.notes
        if exercises[one.mark.key].kind == "written" and one.begun and (one.mark.state == "not graded" or again):
            made.append([learner.id, harmless(learner.name), one.mark.key, harmless(one.text or ""), "", ""])
    return csv_bytes(made)


def plain(rows: Sequence[Row], exercises: Mapping[str, Exercise], *, gradescope: bool = False) -> bytes:
    """Return our own table, or one with the columns of Gradescope. A missing score is an empty cell.

    Gradescope's column for lateness is left out, because the total already has the penalty taken off.

    >>> from minbpe_course.learning.grading.gradebook import Learner
    >>> row = Row(Learner("@ada", "ada", "Ada Lovelace"), ())
    >>> print(plain([row], {"02.merge": None}).decode("utf-8-sig").splitlines()[1])
    Ada Lovelace,@ada,,,,0,,0,not handed in
    """
    made = [["name", "learner", "email", "handed_in", *exercises, "penalty", "total", "out_of", "reason"]]
    if gradescope:
        titles = [f"{at}: {one.title} ({one.points:.1f} pts)" for at, one in enumerate(exercises.values(), 1)]
        head = ["Name", "SID", "Email", "Total Score", "Max Points", "Status", "Submission ID", "Submission Time"]
        made = [[*head, *map(harmless, titles)]]
    for row in rows:
        learner, why = row.learner, row.missing()
        marks = [one.mark for one in row.marks if one.mark.state != "not graded" and NO_CELL not in one.mark.notes]
        given = {mark.key: number(mark.points) for mark in marks}
        scores = [given.get(key, "") for key in exercises]
        who = [harmless(learner.name), identifier(learner.id), harmless(learner.email)]
        total, when = ["" if why else number(row.points), number(row.out_of)], harmless(row.handed_in)
        if gradescope:
            status = {"": "Graded", NOT_HANDED_IN: "Missing"}.get(why, "Ungraded")
            made.append([*who, *total, status, "", when, *scores])
        else:
            made.append([*who, when, *scores, number(row.penalty), *total, harmless(why_empty(row))])
    return csv_bytes(made)


def fill(path: Path, platform: str, rows: Sequence[Row], names: Sequence[str]) -> tuple[bytes, list[str]]:
    """Fill the table that a platform exported, and return it with a sentence for each problem.

    platform : "canvas" or "moodle". names : of the assignment; the first is the title of a column that is added to
    Canvas's table. A learner who has no score, or is not found, leaves the table as it is.

    Raises UnreadableInput, which says what to export, and UnusablePath.
    """
    table, separator, encoding = read_table(path)
    header = table[0]
    heads = [head.strip().casefold() for head in header]
    most = number(max((row.out_of for row in rows), default=0))
    at = _column(header, platform, names, path)
    limits = set()
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, line in enumerate(table[1:], start=1):
        cell = dict(zip(heads, map(str.strip, line)))
        for way in _ways(cell):
            found[way].append(place)
        line += [""] * (len(header) - len(line)) if line else []
        if line and _POINTS in line[0]:
            line[at] = line[at] if at < len(heads) else most
            cell[_MOST] = line[at]
        with suppress(ValueError):  # empty, or a word of the platform
            limits.add(number(float(cell.get(_MOST, "").replace(",", "."))))
    problems = [
        f"{path.name} says that there are {limit} points, and here there are {most}"
        for limit in sorted(limits - {most})
    ]
    ways = [[found[way] for way in _ways_of(row.learner, platform)] for row in rows]
    # If two learners fit one line, it belongs to the one with the platform's own number.
    numbered = {place for places in ways for place in places[0]}
    places = [of[0] or [at for at in next(filter(None, of), []) if at not in numbered] for of in ways]
    taken = Counter(where[0] for where in places if len(where) == 1)
    for row, where in zip(rows, places):
        if not where:
            problems.append(f"{row.learner.id} is not in {path.name}")
        elif len(where) > 1 or taken[where[0]] > 1:
            problems.append(f"{row.learner.id} is not the only one in {path.name} who fits {table[where[0]][:4]}")
        elif row.missing():
            if table[where[0]][at].strip("- "):
                problems.append(f"{row.learner.id}: {row.missing()}, so {path.name} keeps {table[where[0]][at]}")
        else:
            table[where[0]][at] = number(row.points)
            if _COMMENTS in heads:
                table[where[0]][heads.index(_COMMENTS)] = harmless(
                    f"{number(row.points)} of {most} points. {lateness(row)}".strip()
                )
    return csv_bytes(table, separator, encoding), problems


def read_table(path: Path) -> tuple[list[list[str]], str, str]:
    """Return the rows of an exported table, what separates its cells, and its encoding."""
    data = read_whole(path)
    try:
        text = data.decode("utf-8-sig") or "\n"
        tables = {one: list(csv.reader(io.StringIO(text, newline=""), delimiter=one)) for one in ",;\t"}
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnreadableInput(
            f"{path} is not a table in UTF-8 ({error}). Give the file "
            "as the platform exported it, or save it as CSV in UTF-8."
        ) from None
    separator = max(tables, key=lambda one: len(tables[one][0]))
    return tables[separator], separator, "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"


def _column(header: list[str], platform: str, names: Sequence[str], path: Path) -> int:
    """Return the place of the column to fill, which is added to Canvas's table if it is missing."""
    for name in ("Grade", *names) if platform == "moodle" else names:
        # "Homework 1 (4711)" for Canvas, "Assignment: Homework 1 (Real)" for Moodle
        fits = re.compile(rf"(?:[^:]+: )?{re.escape(_plain(name))}(?: \([^()]*\))?")
        places = [at for at, head in enumerate(header) if fits.fullmatch(_plain(head))]
        if len(places) > 1:
            raise UnreadableInput(f"{path} has several columns named {name}. Leave one of them in it.")
        if places:
            return places[0]
    wanted = {"canvas": "ID", "moodle": f"Grade, or for {names[0]}"}[platform]
    if wanted not in header:
        raise UnreadableInput(
            f"{path} has no column {wanted}, but: {', '.join(header)[:300]}. Export it again, with the platform's "
            "language set to English."
        )
    header.append(names[0])
    return len(header) - 1


def _ways(cell: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return the ways to find a row of a platform's table: its number, ids and e-mail addresses, and name."""
    whole = f"{cell.get('first name', '')} {cell.get('last name', cell.get('surname', ''))}"
    student = " ".join(reversed(cell.get("student", "").split(", ", 1)))  # Canvas writes "Lovelace, Ada"
    ways = {("number", re.split(r"\D", cell.get("identifier", cell.get("id", "")))[-1])}
    ways |= {("key", _plain(cell.get(head, ""))) for head in _KEYS}
    ways |= {("name", _name(name)) for name in (student, cell.get("full name", ""), whole)}
    return {way for way in ways if way[1]}


def _ways_of(learner: Learner, platform: str) -> list[tuple[str, str]]:
    """Return the ways to find a learner, the surest first. A number counts only if this platform gave it."""
    number = learner.id.rpartition("_")[2] if platform_of(learner.delivered).casefold() == platform else ""
    return [
        ("number", number),
        ("key", _plain(learner.id)),
        ("key", _plain(learner.email)),
        ("name", _name(learner.name)),
    ]


def _plain(text: str) -> str:
    """Return a text as it is compared."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _name(text: str) -> str:
    """Return a name as it is compared: as it is in the name of a folder."""
    return _plain(_NOT_IN_FILES.sub("", text).replace("_", " "))
