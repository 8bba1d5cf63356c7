r"""Find the answers in the bytes of a submitted notebook.

    bytes  --read_notebook-->  cells  --find_answer-->  the source of one answer, and what else the learner wrote

A submission may be damaged, or made to do damage. Outputs, attachments and the states of widgets, which may be 100 MB,
are cut out first. Sizes are checked before anything is parsed, nothing is compiled or executed here (deep nesting can
crash ``ast``), and anything odd in a cell is harmless or gets a note. The cell that answers a question is found by its
id, nbgrader's grade_id, its tag, or the name that it defines, in this order: file names, the order of cells and deleted
cells do not matter.

Limits: a definition is found by a line that begins with it. Reading takes at most 0.8 GB, for a hostile notebook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import regex

from minbpe_course.errors import TooLargeToRead, UnreadableSubmission
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.judge.exercise_files import LESSON, NAME
from minbpe_course.learning.submissions.answer_text import looks_outside

LARGEST_NOTEBOOK = 128 * 2**20
LARGEST_REST = 32 * 2**20  # without outputs, attachments and widgets
MOST_BRACKETS = 300_000  # lists and objects; each takes much more memory than its two characters
MOST_NESTED = 3_000_000  # brackets in what is cut out, but for lists and objects that contain no others
MOST_CELLS = 5_000
MOST_CODE = 2_000_000  # characters in the code cells of one notebook
FOREIGN = ("tiktoken", "sentencepiece", "tokenizers", "transformers", "minbpe_course")
_IMPORTS = re.compile(
    # Bounded repetitions: no learner's text may make the search take quadratic time.
    r"^[ \t]{0,99}(?:import[ \t]{1,9}(?:[\w., \t]{0,300},[ \t]{0,9})?|from[ \t]{1,9})(" + "|".join(FOREIGN) + r")\b"
    r"|(?:__import__|import_module)\(\s{0,9}['\"](" + "|".join(FOREIGN) + r")\b",
    re.MULTILINE,
)
# The imports of the first cell of every exercise notebook; they do nothing where answers are graded.
_TOOLS = re.compile(
    r"(?:\.learning)?\s{1,9}import(?:[\s,]{1,9}(?:check|hint|keep|mine|progress|use_exercises|working)){1,9}\s{0,9}"
)
# A line that begins with a definition, and the name that it defines.
_DEFINITIONS = re.compile(
    r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=|[ \t]*(?:working|mine)\()",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_CHECKED = re.compile(r"\bcheck\(\s{0,9}(?:key\s{0,9}=\s{0,9})?[\"'](\w{1,99}(?:\.\w{1,99}){1,2})[\"']")
_CLEAR = "Clear its outputs (Edit > Clear Outputs of All Cells) and hand it in again."
_ANSWER_ID = re.compile(rf"{LESSON.pattern}-(?:{NAME.pattern}|[A-Z]\w*)")
# The heading that JupyterLab writes before the first line of a cell when a digit is typed.
_HEADING = re.compile(
    r"\A#{1,6} (?=(?:async )?def \w+\(|class \w+[(:]|@\w|import [\w.]+(?: as \w+)?(?:, [\w.]+)*\n|from [\w.]+ import )"
)
# For notebooks whose strings hold no quotes. Repetitions are bounded: each takes memory until the match is complete.
_CUT_OUT = re.compile(rb'"(?:outputs|attachments|widgets)"\s*:\s*[\[{]')
_TEXT = rb'[^"\[\]{}]++|"[^"]*+"'
_UP_TO_BRACKET = regex.compile(rb"(?:%b|[\[{](?:%b){0,999}+[\]}]){0,999}+([\[\]{}]?)" % (_TEXT, _TEXT))


@dataclass(frozen=True)
class Cell:
    """One cell: its source, and the marks by which it is found."""

    id: str
    source: str
    grade_id: str = ""
    tags: tuple[str, ...] = ()
    given_away: bool = False
    """Locked by nbgrader: the course wrote it, not the learner."""
    kind: str = "code"

    @property
    def is_answer(self) -> bool:
        """Whether its marks are those of an answer cell."""
        marked = "answer" in self.tags or any(map(_ANSWER_ID.fullmatch, (self.id, self.grade_id)))
        return marked and not self.given_away

    @cached_property
    def defines(self) -> frozenset[str]:
        """The names that its lines define, computed once for all questions."""
        return frozenset(match[1] or match[2] for match in _DEFINITIONS.finditer(self.source))

    @cached_property
    def content(self) -> str:
        """Its source without differences that an editor makes."""
        return comparable(self.source)


@dataclass(frozen=True)
class Notebook:
    """The code cells of a notebook in order, and notes on what was odd about the file.

    left_out : which cells were not read because of a limit; an answer that is missing may be in them.
    texts : the sources of the cells that may answer a written question, by their ids.
    """

    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    name: str = ""
    left_out: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def checks(self) -> frozenset[str]:
        """The keys of the exercises that its cells check."""
        return frozenset(key for cell in self.cells for key in _CHECKED.findall(cell.source))


@dataclass(frozen=True)
class Question:
    """An exercise as it was handed out: the untouched answer cell, the given code, and the notebook with them."""

    exercise: Exercise
    blank: str
    given: tuple[str, ...] = ()
    notebook: str = ""
    around: frozenset[str] = frozenset()
    """What the cells that belong to no exercise hold, such as demonstrations."""


@dataclass(frozen=True)
class Answer:
    """The learner's answer to one question.

    source : the cell with the answer, None if it is missing or untouched; see ``started``.
    given : code that was handed out and is missing from the notebook. cells : those of the notebook up to the check.
    begins : the first of ``cells`` that defines the entry. checked : whether the last one checks it.
    notes : remarks for the reports.
    """

    source: str | None = None
    given: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    begins: int = 0
    checked: bool = False
    notes: tuple[str, ...] = ()
    handed_in: bool = False
    """Whether there was a cell for this question at all."""

    @property
    def started(self) -> bool:
        """Whether there is something to run."""
        return self.source is not None


def read_notebook(data: bytes, name: str = "") -> Notebook:
    """Return the code cells of a notebook of format 4.

    One wrong key in JupyterLab makes an answer cell Markdown. It is read as code, unless code cells define the same
    names.

    Raises UnreadableSubmission, which says why, and TooLargeToRead.
    """
    shown = name or "the notebook"
    if len(data) > LARGEST_NOTEBOOK:
        raise TooLargeToRead(
            f"{shown} has {len(data) / 2**20:.0f} MB; more than {LARGEST_NOTEBOOK // 2**20} MB are not read. {_CLEAR}"
        )
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise UnreadableSubmission(f"{shown} is empty. Was it saved before it was handed in?")
    text = _text(data, shown)
    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise TooLargeToRead(f"{shown} holds more than {MOST_BRACKETS:,} lists and objects, too many to be parsed.")
    document = _parsed(text, shown)
    cells = document.get("cells")
    if not isinstance(cells, list):
        raise UnreadableSubmission(
            f"{shown} has no list of cells, so it is not a notebook. Open it in JupyterLab and save it."
        )
    left_out = []
    if len(cells) > MOST_CELLS:
        left_out.append(f"only the first {MOST_CELLS:,} of {len(cells):,} cells were read")
    read, code, too_much = [], 0, 0
    for made in map(_cell, (cell for cell in cells[:MOST_CELLS] if isinstance(cell, dict))):
        if made.kind != "code" and not made.is_answer:
            continue
        if code + len(made.source) > MOST_CODE:
            too_much += 1
            continue
        code += len(made.source)
        read.append(made)
    if too_much:
        left_out.append(f"cells left out: {too_much}, because more than {MOST_CODE:,} characters of code are not read")
    coded: set[str] = set().union(*(cell.defines for cell in read if cell.kind == "code" and not cell.given_away))
    texts = {id: cell.source for cell in read if cell.kind != "code" for id in (cell.id, cell.grade_id) if id}
    read = [cell for cell in read if cell.kind == "code" or cell.defines - coded]
    changed = [cell for cell in read if cell.kind != "code"]
    notes = [
        f"the answer cell {cell.id or cell.grade_id} is a {cell.kind} cell, and was read as code. "
        "Select it in JupyterLab and press y"
        for cell in changed[:9]
    ]
    return Notebook(tuple(read), (*notes, *left_out), name, tuple(left_out), texts)


def find_answer(notebooks: Sequence[Notebook], question: Question) -> Answer:
    """Return the answer to one question from the notebooks that a learner handed in, newest last."""
    exercise = question.exercise
    untouched = comparable(question.blank)
    if exercise.kind == "written":
        texts = [notebook.texts[exercise.cell_id] for notebook in notebooks if exercise.cell_id in notebook.texts]
        begun = [text for text in texts if comparable(text) not in (untouched, "")]
        count = len({comparable(text) for text in begun})
        notes = (f"{count} different answers were handed in; this one counts",) if count > 1 else ()
        return Answer(begun[-1] if begun else None, notes=notes, handed_in=bool(texts))
    named: list[tuple[int, Cell]] = []
    tagged: list[tuple[int, Cell]] = []
    unnamed: list[tuple[int, Cell]] = []
    blanks = 0
    for number, notebook in enumerate(notebooks):
        for cell in notebook.cells:
            by_id = exercise.cell_id in (cell.id, cell.grade_id)
            if not by_id and (cell.given_away or exercise.entry not in cell.defines):
                continue
            if cell.content in (untouched, ""):
                blanks += 1
            elif by_id:
                named.append((number, cell))
            else:
                (tagged if "answer" in cell.tags else unnamed).append((number, cell))
    # An answer cell that was emptied, or holds only a comment, does not hide the function written elsewhere.
    whole = [one for one in named if exercise.entry in one[1].defines]
    for found, note in (
        (whole, ""),
        (tagged, "found by its tag and its name: the answer cell has lost its id"),
        (unnamed, "found by its name: the answer cell has lost its id" if not blanks + len(named) else
         "taken from another cell, since the answer cell does not define it"),
        (named, ""),
    ):  # fmt: skip
        if found:
            return _answer(question, notebooks, found, note)
    # The blank may still be there while the check is given something else.
    usual = re.compile(
        rf"[\"']{re.escape(exercise.class_key)}[\w.]{{0,99}}[\"']\s{{0,9}}(?:,\s{{0,9}}{re.escape(exercise.entry)}\s{{0,9}})?"
        rf"(?:,\s{{0,9}}points\s{{0,9}}=[^,)]{{1,30}})?\)"
    )
    for number, notebook in enumerate(notebooks):
        at = _check_of(exercise, notebook.cells)
        if at >= 0 and not usual.search(notebook.cells[at].source):
            return _answer(question, notebooks, [(number, notebook.cells[at])], "found by its check")
    return Answer(handed_in=blanks > 0)


def _answer(question: Question, notebooks: Sequence[Notebook], found: Sequence[tuple[int, Cell]], note: str) -> Answer:
    # The check did not see a copy in the notebook of another lesson.
    checking = [one for one in found if _check_of(question.exercise, notebooks[one[0]].cells) >= 0]
    number, cell = (checking or found)[-1]
    notes = [note] if note else []
    different = {one.content for _, one in found}
    if len(different) > 1:
        where = f", from {notebooks[number].name}" if len({one for one, _ in found}) > 1 else ""
        notes.append(f"{len(different)} different answers were handed in; this one counts{where}")
    notes += [f"imports {name}" for name in foreign_imports(cell.source)] + looks_outside(cell.source)
    cells = notebooks[number].cells
    exercise, blank = question.exercise, comparable(question.blank)
    defining = [at for at, one in enumerate(cells) if exercise.entry in one.defines and one.content != blank]
    upto = _check_of(exercise, cells)
    checked = upto >= 0 and (not defining or defining[0] <= upto)
    if not checked:
        upto = (defining or [cells.index(cell)])[-1]
    words = set(_WORD.findall(cell.source))
    for other in cells[: upto + 1]:
        if other is not cell and not other.given_away and other.defines & words:
            notes += [f"{note}, in another cell" for note in looks_outside(other.source)]
    there = {one.content for one in cells}
    given = tuple(source for source in question.given if comparable(source) not in there)
    begins = (defining or [upto])[0]
    return Answer(cell.source, given, cells[: upto + 1], begins, checked, tuple(notes), handed_in=True)


def place_of(exercise: Exercise, cells: Sequence[Cell]) -> int:
    """Return the number of the last cell that checks an answer to an exercise, else of the last that defines it, or -1.

    >>> from minbpe_course.learning.judge.catalogue import find
    >>> place_of(find("02.merge"), [Cell("", "def merge(): ..."), Cell("", "check('02.merge', merge)"), Cell("", "")])
    1
    """
    checking = _check_of(exercise, cells)
    defining = (at for at, one in enumerate(cells) if exercise.entry in one.defines)
    return checking if checking >= 0 else max(defining, default=-1)


def _check_of(exercise: Exercise, cells: Sequence[Cell]) -> int:
    key = "|".join(map(re.escape, sorted(exercise.keys)))
    call = rf"\bcheck\s{{0,9}}\(\s{{0,99}}(?:key\s{{0,9}}=\s{{0,9}})?[\"'](?:{key})[\"']"
    checks = re.compile(rf"^[^#\n]{{0,300}}{call}", re.MULTILINE)
    found = [at for at, one in enumerate(cells) if "check" in one.source and checks.search(one.source)]
    return max(found, default=-1)


def questions_in(notebooks: Iterable[Notebook], questions: Iterable[Question]) -> tuple[Question, ...]:
    """Return all questions of each handed-out notebook of which these notebooks have an answer cell.

    The cell is recognised by its id, or by a name that it defines if its id is not that of another question. A
    notebook that checks other exercises, and none of these, has no answer to these, even if its cells define them.
    """
    asked = [(question, (question.notebook, question.exercise.lesson)) for question in questions]
    keys = {key for question, _ in asked for key in question.exercise.keys}
    theirs = [one for one in notebooks if not one.checks or one.checks & keys]
    checked = set().union(*(one.checks for one in theirs))
    cells = [cell for notebook in theirs for cell in notebook.cells]
    known = {question.exercise.cell_id for question, _ in asked}
    ids = {cell.id for cell in cells} | {cell.grade_id for cell in cells} | {id for one in theirs for id in one.texts}
    defined: set[str] = set().union(*(cell.defines for cell in cells if not known & {cell.id, cell.grade_id}))
    here = {
        group
        for question, group in asked
        if question.exercise.cell_id in ids
        or checked & question.exercise.keys
        or (question.exercise.entry in defined and not checked)
    }
    return tuple(question for question, group in asked if group in here)


def comparable(source: str) -> str:
    r"""Return a source without differences that an editor makes: line ends, trailing and empty lines, tabs.

    >>> comparable("a \r\n\n\tb\n")
    'a\n    b'
    """
    lines = source.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")
    return "\n".join(line.rstrip() for line in lines if line.strip())


def foreign_imports(source: str) -> list[str]:
    """Return the packages that a source imports although the exercise is to write what they do.

    >>> foreign_imports("import numpy\\nimport json, tiktoken\\n    from minbpe_course import train")
    ['tiktoken', 'minbpe_course']
    """
    found: dict[str, None] = {}
    for match in _IMPORTS.finditer(source):
        rest = source[match.end() : match.end() + 100].partition("\n")[0]
        if not (match[1] == "minbpe_course" and _TOOLS.fullmatch(rest)):
            found[match[1] or match[2]] = None
    return list(found)


def _text(data: bytes, shown: str) -> str:
    encoding = json.detect_encoding(data)
    try:
        if not encoding.startswith("utf-8"):
            data = data.decode(encoding).encode("utf-8")
        data = _without_outputs(data, shown)
        if len(data) > LARGEST_REST:
            raise TooLargeToRead(
                f"{shown} has {len(data) / 2**20:.0f} MB without its outputs; more than {LARGEST_REST // 2**20} MB are "
                "not read. Remove long texts and pictures from its cells and hand it in again."
            )
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableSubmission(
            f"{shown} is not {error.encoding.upper()} text in line {error.object.count(10, 0, error.start) + 1}. "
            "Open it in JupyterLab, save it, and hand it in again."
        ) from None


def _without_outputs(data: bytes, shown: str) -> bytes:
    """Return a notebook with null and as many line breaks in the place of outputs, attachments and widgets."""
    # Without escaped backslashes and quotes, each quote begins or ends a string. The length stays the same.
    plain = data.replace(rb"\\", b"__").replace(rb"\"", b"__")
    kept, at, nested = [], 0, 0
    while found := _CUT_OUT.search(plain, at):
        begin = found.end() - 1
        kept.append(data[at:begin])
        at, depth = found.end(), 1
        while depth:
            step = _UP_TO_BRACKET.match(plain, at)
            if step is None or step.end() == at:  # the file ends in the middle, as the parser will report
                return b"".join(kept)
            at = step.end()
            if step[1]:
                depth += 1 if step[1] in b"[{" else -1
            nested += 1
            if nested > MOST_NESTED:
                raise TooLargeToRead(
                    f"{shown} holds more than {MOST_NESTED:,} lists and objects in its outputs. {_CLEAR}"
                )
        kept.append(b"null" + b"\n" * data.count(b"\n", begin, at))
    return b"".join([*kept, data[at:]])


def _parsed(text: str, shown: str) -> dict[str, Any]:
    try:
        # Numbers are not needed, and converting a long one takes Python quadratic time.
        document = json.loads(text, parse_int=_ignore, parse_float=_ignore, parse_constant=_ignore)
    except json.JSONDecodeError as error:
        cut = " It ends in the middle." if error.pos >= len(text.rstrip()) - 1 else ""
        raise UnreadableSubmission(
            f"{shown} is not JSON: {error.msg} in line {error.lineno}.{cut} "
            "Open it in JupyterLab, save it, and hand it in again."
        ) from None
    except RecursionError:
        raise UnreadableSubmission(f"{shown} is nested too deeply to be a notebook.") from None
    if not isinstance(document, dict):
        raise UnreadableSubmission(f"{shown} is JSON, but not a notebook: it is not an object.")
    return document


def _ignore(text: str) -> None:
    del text


def _cell(cell: dict[str, Any]) -> Cell:
    metadata = _object(cell.get("metadata"))
    nbgrader = _object(metadata.get("nbgrader"))
    tags = metadata.get("tags")
    kind = _short(cell.get("cell_type"))
    source = _source(cell.get("source"))
    return Cell(
        _short(cell.get("id")),
        source if kind == "code" else _HEADING.sub("", source),
        _short(nbgrader.get("grade_id")),
        tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        nbgrader.get("solution") is not True and True in (nbgrader.get("grade"), nbgrader.get("locked")),
        kind,
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _short(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= 200 else ""


def _source(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))
