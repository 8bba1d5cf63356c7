"""Answers found in notebooks that are odd, edited, damaged, or made to bring the grader down."""

from __future__ import annotations

import sys
import tracemalloc
from dataclasses import replace

import pytest

from minbpe_course.errors import TooLargeToRead, UnreadableSubmission
from minbpe_course.learning.submissions import notebook_cells as cells
from minbpe_course.learning.submissions.notebook_cells import (
    Answer,
    comparable,
    find_answer,
    foreign_imports,
    questions_in,
    read_notebook,
)
from tests.shared.submission_cases import answer_cell, check_cell, code_cell, notebook, question

ANSWER = "def double(n):\n    return n + n"
OTHER = "def double(n):\n    return n * 2"
BLANK = question().blank


def answer_in(*given: object) -> Answer:
    """Return the answer that is found in a notebook of these cells."""
    return find_answer([read_notebook(notebook(*given))], question())


def deep(opening: str, closing: str, depth: int = 100_000) -> bytes:
    return b'{"cells": ' + opening.encode() * depth + closing.encode() * depth + b"}"


UNREADABLE = [
    ("nothing", b"", "is empty"),
    ("not JSON", b"def double(n): return 2 * n", "is not JSON"),
    ("cut in the middle", notebook(answer_cell(ANSWER))[:150], "It ends in the middle"),
    ("no cells", b'{"nbformat": 4}', "no list of cells"),
    ("lists nested deeply", deep("[", "]"), "nested too deeply"),
    ("a million lists", b'{"cells": [' + b"[]," * 1_000_000 + b"[]]}", "lists and objects"),
    ("Latin-1", notebook(code_cell("name = 'é'")).replace(b"\\u00e9", b"\xe9"), "is not UTF-8 text in line 1"),
    ("cut in a list of an output", b'{"cells": [{"outputs": [[1, [2]', "It ends in the middle"),
    ("not JSON after an output", b'{"cells": [{\n"outputs": [\n\n1],\nx}]}', "in line 5"),
    ("deep outputs", b'{"cells": [{"outputs": ' + b"[" * 50_000 + b"]" * 50_000 + b"}]}", "10,000 lists and objects"),
]


@pytest.mark.parametrize(("label", "data", "why"), UNREADABLE, ids=[label for label, *_ in UNREADABLE])
def test_a_file_that_is_not_a_notebook_is_reported(label, data, why, monkeypatch) -> None:
    monkeypatch.setattr(cells, "MOST_NESTED", 10_000)
    with pytest.raises(UnreadableSubmission, match=why):
        read_notebook(data, "a.ipynb")


plain = notebook(answer_cell(ANSWER))
ODD = [
    ("as released", plain),
    ("with a byte order mark", b"\xef\xbb\xbf" + plain),
    ("UTF-16 without a mark", plain.decode().encode("utf-16-le")),
    ("source as a list", notebook(answer_cell(ANSWER.splitlines(keepends=True)))),
    ("a number of a million digits", plain[:-1] + b', "n": ' + b"9" * 1_000_000 + b"}"),
    ("lone surrogates elsewhere", notebook(answer_cell(ANSWER), code_cell("x = '\ud800'"))),
    ("wrong types all over", notebook(
        7, None, [], "cell", {"cell_type": "code"}, {"cell_type": 3, "source": 4},
        {"cell_type": "code", "source": {"a": 1}, "metadata": [], "id": 9},
        {"cell_type": "code", "source": [1, None, "x = 1"], "metadata": {"tags": 5, "nbgrader": 6}, "id": {}},
        {"cell_type": "code", "source": "y = 1", "metadata": {"tags": [1, {}], "nbgrader": {"grade_id": []}}},
        answer_cell(ANSWER))),
]  # fmt: skip


@pytest.mark.parametrize(("label", "data"), ODD, ids=[label for label, _ in ODD])
def test_an_odd_notebook_still_gives_its_answer(label, data) -> None:
    read = read_notebook(data, "a.ipynb")
    assert find_answer([read], question()).source == ANSWER, label
    assert read.notes == ()


def test_a_flood_of_cells_is_cut_with_a_note() -> None:
    read = read_notebook(notebook(answer_cell(ANSWER), *[code_cell("")] * (cells.MOST_CELLS + 5)))
    assert len(read.cells) == cells.MOST_CELLS
    assert "only the first" in read.notes[0]
    assert read.left_out == read.notes


def test_100_mb_of_pictures_are_dropped_in_bounded_memory_and_change_nothing_else() -> None:
    picture = b'"' + b"iVBORw0K" * (4 << 20) + b'"'
    data = notebook(
        {"cell_type": "markdown", "source": 'a \\" b', "attachments": {"a.png": {"image/png": "PICTURE"}}},
        answer_cell(ANSWER + '\nx = \'"outputs": [[\' + "{\\\\"')
        | {"outputs": [{"data": {"image/png": "PICTURE", "text": [']"[', "\\"], "x": [[[]], {"y": 1.5}]}}]},
        code_cell("y = 1"),
        metadata={"widgets": {"state": {"a": {"b": "PICTURE"}}}},
    )
    bare = read_notebook(data)
    data = data.replace(b'"PICTURE"', picture)
    tracemalloc.start()
    read = read_notebook(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read == bare
    assert [cell.source for cell in read.cells] == [ANSWER + '\nx = \'"outputs": [[\' + "{\\\\"', "y = 1"]
    assert len(data) > 96 << 20
    assert peak < 3 * len(data)


def test_what_is_too_large_without_its_outputs_is_refused_with_the_limit(monkeypatch) -> None:
    data = notebook(answer_cell("#" * (1 << 21)) | {"outputs": [" " * (1 << 21)]})
    for name, why in (("LARGEST_REST", "2 MB without its outputs"), ("LARGEST_NOTEBOOK", "has 4 MB; more than 1 MB")):
        monkeypatch.setattr(cells, name, 1 << 20)
        with pytest.raises(TooLargeToRead, match=why):
            read_notebook(data)


# label, the cells, the answer that counts (None: not started), a part of the notes
EDITED = [
    ("untouched", [answer_cell(BLANK)], None, ""),
    ("untouched but for white space", [answer_cell("\n\n" + BLANK.replace("\n", "  \r\n") + "\n\n")], None, ""),
    ("emptied", [answer_cell("")], None, ""),
    ("answered", [answer_cell(ANSWER)], ANSWER, ""),
    ("id lost, grade_id kept", [code_cell(ANSWER, "fresh", nbgrader={"grade_id": "02-double"})], ANSWER, ""),
    ("id lost, tag kept", [code_cell(ANSWER, "fresh", tags=["answer"])], ANSWER, "by its tag"),
    ("all lost", [code_cell(ANSWER, "fresh")], ANSWER, "by its name"),
    ("all lost, annotated", [code_cell("double: object = abs")], "double: object = abs", "by its name"),
    ("a method defines nothing", [code_cell("class A:\n    def double(self): pass")], None, ""),
    ("blank kept, answered below", [answer_cell(BLANK), code_cell(ANSWER)], ANSWER, "taken from another cell"),
    ("twice, the last counts", [answer_cell(ANSWER), answer_cell(OTHER)], OTHER, "2 different answers"),
    ("the check cell defines it", [answer_cell(BLANK), check_cell(ANSWER)], None, ""),
    ("imports tiktoken", [answer_cell("import tiktoken\n" + ANSWER)], "import tiktoken\n" + ANSWER, "imports tiktoken"),
]


@pytest.mark.parametrize(("label", "given", "answer", "note"), EDITED, ids=[label for label, *_ in EDITED])
def test_cells_that_were_edited_deleted_moved_or_doubled(label, given, answer, note) -> None:
    found = answer_in(*given)
    assert found.source == answer, label
    assert found.started == (answer is not None)
    assert note in " ".join(found.notes)
    assert bool(found.notes) == bool(note), found.notes


GRADE_ID = {"nbgrader": {"grade_id": "02-double", "solution": True, "locked": False}}


@pytest.mark.parametrize("kind", ["markdown", "raw", "heading"])
@pytest.mark.parametrize(
    "answer",
    [
        answer_cell(ANSWER), code_cell(ANSWER, "02-double"), code_cell(ANSWER, **GRADE_ID),
        code_cell(ANSWER, tags=["answer"]), answer_cell("# " + ANSWER), answer_cell("### import math\n" + ANSWER),
    ],
    ids=["released", "id", "grade_id", "tag", "heading", "heading on an import"],
)  # fmt: skip
def test_an_answer_cell_that_is_not_code_is_graded_as_code_in_its_place(kind, answer) -> None:
    check = check_cell("check('02.double', double)")
    read = read_notebook(notebook(code_cell("a = 1"), answer | {"cell_type": kind}, check, code_cell("b = 2")))
    found = find_answer([read], question())
    assert found.source is not None
    assert found.source.endswith(ANSWER)
    assert found.source[0] != "#"
    assert [cell.source for cell in read.cells] == ["a = 1", found.source, check["source"], "b = 2"]
    assert f"is a {kind} cell, and was read as code" in read.notes[0]
    assert found.source in [cell.source for cell in find_answer([read], question("02.b")).cells]
    assert [one.exercise.key for one in questions_in([read], [question(), question("03.triple")])] == ["02.double"]


QUOTED = f"It adds:\n```python\n{ANSWER}\n```"


@pytest.mark.parametrize(
    ("other", "source"),
    [
        (code_cell(QUOTED, "3f2a91bc"), None),
        (check_cell(ANSWER, "02-double-text"), None),
        (answer_cell("# Only words"), None),
        (answer_cell(BLANK), None),
        (code_cell("# import math, the module\n" + ANSWER, "02-double"), "# import math, the module\n" + ANSWER),
    ],
    ids=["quoted", "the task", "words", "blank", "comment"],
)
def test_text_is_not_an_answer_and_a_comment_stays_one(other, source) -> None:
    assert answer_in(other | {"cell_type": "markdown"}).source == source


def test_a_copy_kept_as_raw_text_does_not_count_where_code_defines_the_same() -> None:
    copy = answer_cell(OTHER, "") | {"cell_type": "raw"}
    read = read_notebook(notebook(answer_cell(ANSWER), copy))
    assert find_answer([read], question()).source == ANSWER
    assert [cell.source for cell in read.cells] == [ANSWER]
    assert not read.notes
    # The course's own code does not count.
    read = read_notebook(notebook(check_cell(ANSWER), copy))
    assert find_answer([read], question()).source == OTHER


def test_a_look_outside_is_noted_in_the_answer_and_in_cells_that_it_uses() -> None:
    peek = "def peek():\n    return sys._getframe(2)"
    cell = answer_cell("def double(n):\n    peek()\n    return n + n")
    book = read_notebook(notebook(code_cell(peek), code_cell("other = sys._getframe()"), cell))
    assert find_answer([book], question()).notes == (
        "looks at other frames (sys._getframe in line 2), in another cell",
    )


def test_of_several_notebooks_the_last_one_with_an_answer_counts() -> None:
    first, second, blank = (
        read_notebook(notebook(answer_cell(source)), name)
        for source, name in ((ANSWER, "a.ipynb"), (OTHER, "a-1.ipynb"), (BLANK, "a-2.ipynb"))
    )
    found = find_answer([first, second, blank], question())
    assert found.source == OTHER
    assert found.notes == ("2 different answers were handed in; this one counts, from a-1.ipynb",)


SETUP, CHECK = code_cell("from minbpe_course import check", "02-setup"), check_cell("check('02.double', double)")
OTHERS = [code_cell("TWO = 2"), code_cell("SUM = TWO + 1"), answer_cell("def triple(n): return 3 * n", "02-triple")]
UPTO = {
    # label -> cells, how many run, the one that begins the answer, whether the last one checks it
    "the check": ([SETUP, OTHERS[0], answer_cell(ANSWER), CHECK, *OTHERS[1:]], 4, 2, True),
    "the last check": (
        [answer_cell(ANSWER), CHECK, SETUP, code_cell('print(check("02.double", two).points)'), OTHERS[0]],
        4,
        0,
        True,
    ),
    "an answer in the cell of the check": (
        [SETUP, code_cell(ANSWER + "\ncheck('02.double', double)", "02-double-check")],
        2,
        1,
        True,
    ),
    "no check: the last definition": (
        [SETUP, answer_cell(ANSWER), OTHERS[0], answer_cell(OTHER), OTHERS[1]],
        4,
        1,
        False,
    ),
    "an answer below the check": ([answer_cell(BLANK), CHECK, OTHERS[0], code_cell(ANSWER), OTHERS[1]], 4, 3, False),
    "a comment that names the check": (
        [answer_cell(ANSWER), CHECK, code_cell("# check('02.double', double)")],
        2,
        0,
        True,
    ),
    "another name, beside the blank": (
        [answer_cell(BLANK), code_cell("check('02.double', f)", "02-double-check")],
        2,
        1,
        True,
    ),
    "a check of another": ([answer_cell(ANSWER), code_cell("check('02.double_more', 1)"), OTHERS[0]], 1, 0, False),
}


@pytest.mark.parametrize("label", UPTO)
def test_the_cells_up_to_the_check_are_run(label: str) -> None:
    here, upto, begins, checked = UPTO[label]
    elsewhere = read_notebook(notebook(code_cell("THREE = 3")))
    found = find_answer([elsewhere, read_notebook(notebook(*here))], question())
    assert [cell.source for cell in found.cells] == [cell["source"] for cell in here[:upto]]
    assert (found.begins, found.checked) == (begins, checked)


def test_the_notebook_that_checks_the_answer_counts() -> None:
    checks = read_notebook(notebook(answer_cell(ANSWER), CHECK), "02.ipynb")
    copied = read_notebook(notebook(answer_cell(OTHER)), "03.ipynb")
    assert find_answer([checks, copied], question()).source == ANSWER
    assert answer_in(answer_cell(BLANK), CHECK) == Answer(handed_in=True)


def test_given_code_runs_first_where_it_is_missing() -> None:
    cells = [code_cell("ONE = 1  "), answer_cell(ANSWER)]
    found = find_answer([read_notebook(notebook(*cells))], question(given=("ONE = 1", "TWO = 2")))
    assert found.given == ("TWO = 2",)


def test_an_answer_as_long_as_the_code_of_a_notebook_may_be_is_found_and_a_longer_one_is_left_out() -> None:
    longest = (ANSWER + "\n#").ljust(cells.MOST_CODE, "x")
    assert answer_in(answer_cell(longest)).source == longest
    read = read_notebook(notebook(answer_cell(longest + "x")))
    assert not find_answer([read], question()).handed_in
    assert read.left_out == ("cells left out: 1, because more than 2,000,000 characters of code are not read",)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import tiktoken", ["tiktoken"]),
        ("    from tokenizers.models import BPE", ["tokenizers"]),
        ("import minbpe_course.reference.pairs", ["minbpe_course"]),
        ("__import__('tiktoken')", ["tiktoken"]),
        ('importlib.import_module( "transformers")', ["transformers"]),
        ("from minbpe_course import check, hint, progress\nx = 1", []),
        ("from minbpe_course.learning import check, hint\n", []),
        ("from minbpe_course import check, train", ["minbpe_course"]),
        ("# like tiktoken\nx = 'import'", []),
    ],
)
def test_foreign_imports_are_found(source: str, names: list[str]) -> None:
    assert foreign_imports(source) == names


@pytest.mark.parametrize(
    "source",
    [
        *("import " + " " * 200_000, "import " + "a, " * 60_000, " " * 200_000 + "x", "from" + "\t" * 200_000),
        *("double" + " " * 200_000 + "x", "double:" + "x" * 200_000, "def" + " " * 200_000, "\n" * 200_000),
    ],
    ids=["blanks", "names", "indent", "tabs", "name", "annotation", "def", "lines"],
)
def test_no_text_makes_the_search_quadratic(source: str) -> None:
    # Quadratic time would be hours: this comes to an end.
    foreign_imports(source)
    answer_in(code_cell(source))
    comparable(source)


def test_a_flood_of_code_takes_no_time_for_each_question_and_hides_no_answer() -> None:
    data = notebook(code_cell("\n" * 5_000_000), answer_cell(ANSWER), code_cell("text = '" + "x" * 3_000_000 + "'"))
    read = read_notebook(data)
    assert [cell.source for cell in read.cells] == [ANSWER]
    assert "cells left out: 2" in read.notes[0]


def test_nothing_is_compiled_or_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(sys.modules)
    for name in ("compile", "exec", "eval"):
        monkeypatch.setattr(f"builtins.{name}", lambda *_, **__: pytest.fail("the grader compiled an answer"))
    source = "(" * 50_000 + "\nimport antigravity\ndef double(n): pass"
    assert answer_in(answer_cell(source)).source == source
    monkeypatch.undo()
    assert "antigravity" not in set(sys.modules) - before


def test_the_notebook_of_a_question_is_known_by_id_or_by_name() -> None:
    asked = [question("02.double"), question("03.triple"), replace(question("03.double"), notebook="homework/03.ipynb")]

    def keys(data: bytes) -> list[str]:
        return [one.exercise.key for one in questions_in([read_notebook(data)], asked)]

    assert keys(notebook(answer_cell(BLANK))) == ["02.double"]
    assert keys(notebook(code_cell("def triple(n): pass"))) == ["03.triple"]
    assert keys(notebook(code_cell("def double(n): pass"))) == ["02.double", "03.double"]
    assert keys(notebook(code_cell("x = 1"))) == []
