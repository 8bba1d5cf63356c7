"""A source with one fault is refused with the cell and the fault; a sound one becomes the same bytes every time."""

# A fault a line, however long: a table is read down its columns.
# ruff: noqa: E501

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from minbpe_course.cli.main import main
from minbpe_course.errors import ExercisesProblem, MarkerProblem
from minbpe_course.learning.assignments import release as releasing
from minbpe_course.learning.assignments.markers import answer_lines, without_answers
from minbpe_course.learning.assignments.normalise import FOLDER_SETUP, normalised
from minbpe_course.learning.assignments.parts import PROGRESS, SETUP, check_source, source_of, text_head
from minbpe_course.learning.assignments.release import load_notebook, notebook_bytes, release_files
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.catalogue import COURSE
from minbpe_course.learning.judge.exercise import Exercise

NAME = "02_naive_bpe.ipynb"
DOUBLE = Exercise("02.double", "Double it", "write", "double", 1, 5, 1, ("a", "b", "c"))
HALVE = Exercise("02.halve", "Halve it", "repair", "halve", 2, 10, 3, ("a", "b", "c"), packages=("regex",))
ANSWER = "def double(n):\n    ### BEGIN SOLUTION\n    twice = n + n\n    return twice\n    ### END SOLUTION"
BROKEN = "def halve(n):\n    ### BEGIN SOLUTION\n    return n // 2\n    ### END SOLUTION"


BOTH = (DOUBLE, HALVE)


def release(notebook: dict[str, Any], name: str = NAME) -> dict[str, Any]:
    return releasing.release(notebook, name, BOTH)


def code(cell_id: str, source: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "id": cell_id, "source": source, "metadata": metadata, "outputs": []}


def text(cell_id: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": cell_id, "source": source, "metadata": {}}


def sound() -> dict[str, Any]:
    """A source without a fault."""
    return normalised({
        "cells": [
            text("02-title", "# Two questions"),
            code("02-setup", SETUP),
            text("02-double-text", f"{text_head(DOUBLE)}\n\nWhat it says."),
            code("02-double", ANSWER),
            code("02-double-check", check_source(DOUBLE)),
            code("02-halve-show", "1 + 1"),
            text("02-halve-text", f"{text_head(HALVE)}\n\nIt is wrong."),
            code("02-halve-given", "import math\nimport regex"),
            code("02-halve", BROKEN, minbpe_course={"stub": ["return n / 2"]}),
            code("02-halve-check", check_source(HALVE)),
            code("02-progress", PROGRESS),
        ]
    }, BOTH)  # fmt: skip


def cell_of(notebook: dict[str, Any], cell_id: str) -> dict[str, Any]:
    return next(cell for cell in notebook["cells"] if cell["id"] == cell_id)


# ----------------------------------------------------------------------------------------------------
# Released notebooks


def test_a_sound_source_is_released_without_its_answers() -> None:
    released = release(sound(), NAME)
    assert source_of(cell_of(released, "02-double")) == (
        'def double(n):\n    # YOUR CODE HERE\n    raise NotImplementedError("double is still blank")'
    )
    assert source_of(cell_of(released, "02-halve")) == "def halve(n):\n    return n / 2"
    assert [cell["id"] for cell in released["cells"]] == [cell["id"] for cell in sound()["cells"]]
    assert "minbpe_course" not in cell_of(released, "02-halve")["metadata"]
    assert b"SOLUTION" not in notebook_bytes(released)


def test_released_twice_is_released_once() -> None:
    once = notebook_bytes(release(sound(), NAME))
    assert notebook_bytes(json.loads(once)) == once
    assert once.endswith(b"}\n")
    assert b"\r" not in once
    assert notebook_bytes(normalised(sound(), BOTH)) == notebook_bytes(sound())


def test_learners_may_change_the_answer_and_nothing_else() -> None:
    locks = {cell["id"]: cell["metadata"].get("editable", True) for cell in release(sound(), NAME)["cells"]}
    parts = {cell_id: free for cell_id, free in locks.items() if "double" in cell_id or cell_id == "02-halve-given"}
    assert parts == {"02-double-text": False, "02-double": True, "02-double-check": False, "02-halve-given": False}
    # Whoever writes exercises is not locked out.
    assert all("editable" not in cell["metadata"] for cell in sound()["cells"])


# ----------------------------------------------------------------------------------------------------
# Faults: the change, the cell that is named, the message


def _set(cell_id: str, path: str, value: Any):
    def change(notebook: dict[str, Any]) -> None:
        *above, last = path.split(".")
        inside = cell_of(notebook, cell_id)
        for key in above:
            inside = inside[key]
        inside[last] = value

    return change


def _without(*cell_ids: str):
    def change(notebook: dict[str, Any]) -> None:
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in cell_ids]

    return change


def _marked(before: str, answer: str, after: str = "", indent: str = ""):
    """Put an answer to 02.double between markers with this indentation."""
    begin, end = f"{indent}### BEGIN SOLUTION\n", f"{indent}### END SOLUTION\n"
    return _set("02-double", "source", f"{before}{begin}{answer}{end}{after}")


def _swapped(one: str, other: str):
    def change(notebook: dict[str, Any]) -> None:
        cells = notebook["cells"]
        a, b = (next(i for i, cell in enumerate(cells) if cell["id"] == name) for name in (one, other))
        cells[a], cells[b] = cells[b], cells[a]

    return change


FAULTS = [
    ("no end", _set("02-double", "source", "def double(n):\n    ### BEGIN SOLUTION\n    return n"), "02-double", "line 2: .*without an"),
    ("no begin", _set("02-double", "source", "def double(n):\n    return n\n    ### END SOLUTION"), "02-double", "line 3: .*without a "),
    ("no markers", _set("02-double", "source", "def double(n):\n    return n + n"), "02-double", "no answer between markers"),
    ("stub of several", _set("02-double", "metadata.minbpe_course", {"stub": ["pass"]}), "02-double", "a stub replaces one region"),
    ("more in a check", _set("02-double-check", "source", f"{check_source(DOUBLE)}\nprint(1)"), "02-double-check", "a check is one line"),
    ("code as text", _set("02-double-text", "cell_type", "code"), "02-double-text", "is markdown"),
    ("another name", _set("02-double", "source", ANSWER.replace("def double", "def twofold")), "02-double", "does not define double"),
    ("given imports us", _set("02-halve-given", "source", "from minbpe_course import check"), "02-halve-given", "imports minbpe_course"),
    ("no cells", _without("02-halve", "02-halve-text", "02-halve-given", "02-halve-check"), NAME, "02.halve has no answer"),
    ("check first", _swapped("02-double", "02-double-check"), NAME, "02.double has the cells text, check, answer"),
    ("leak in prose", _set("02-title", "source", "Hint: twice = n + n"), "02-double", "'twice = n \\+ n' of the answer .*cell 02-title"),
    ("leak in a stub", _set("02-halve", "metadata.minbpe_course.stub", ["if n: return n // 2"]), "02-halve", "can still be read in cell 02-halve"),
    ("leak in a text file", _set("02-title", "attachments", {"a.md": {"text/markdown": ["Hint:\n", "twice = n ", "+ n\n"]}}), "02-double", "'twice = n \\+ n' of the answer .*cell 02-title"),
    ("leak in base64", _set("02-double-text", "attachments", {"a": {"text/plain": b64encode(b"Hint: twice = n + n").decode()}}), "02-double", "'twice = n \\+ n' of the answer .*cell 02-double-text"),
    ("leak in JSON", _set("02-double", "attachments", {"a": {"application/json": {"lines": [{"return twice": 1}]}}}), "02-double", "'return twice' of the answer .*cell 02-double"),
    ("leak in metadata", _set("02-title", "metadata", {"tags": ["return twice"]}), "02-double", "'return twice' of the answer .*cell 02-title"),
    ("markers left", _marked('def double(n):\n    """Return twice n."""\n', "    # Add.\n    return n + n\n"), "02-double", "line 5: .* indented more than its markers in lines 3 and 6"),
    ("markers left in a block", _marked("def double(n):\n\tif n:\n\t\tn *= 2\n", "\t\treturn n\n", "\treturn 0", "\t"), "02-double", "line 5: .* indented more"),
    ("markers right", _marked("def double(n):\n", "    return n + n\n", "", " " * 8), "02-double", "line 3: .* indented less than its markers in lines 2 and 4"),
    ("only a decorator", _marked("import functools\n", "@functools.cache\n", "def double(n):\n    return n + n"), "02-double", "line 2: .* outside of a function"),
    ("in a class, not a method", _marked("class double:\n", "    factor = 2\n", "", "    "), "02-double", "line 2: .* outside of a function"),
    ("in a string", _marked('def double(n):\n    """\n', "    n + n\n", '    """\n    return n + n', "    "), "02-double", "line 3: .* inside a string"),
    ("part of a statement", _marked("def double(n):\n    return sum([\n", "        n,\n        n,\n", "    ])", " " * 8), "02-double", "what is released: line 4: not Python .*whole statements"),
    ("stub without a loop", _set("02-halve", "metadata.minbpe_course.stub", ["break"]), "02-halve", "what is released: line 2: not Python .*outside loop"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "where", "words"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_a_fault_is_named_with_its_cell(change: Any, where: str, words: str) -> None:
    notebook = sound()
    if "stub replaces" in words:  # a stub is fine for one region, so this fault needs a second one
        cell_of(notebook, where)["source"] = f"{ANSWER}\n    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION"
    change(notebook)
    with pytest.raises(ExercisesProblem, match=f"(?m)^{NAME}.*{where}.*{words}" if where != NAME else words) as raised:
        release(notebook, NAME)
    assert all(line.startswith(NAME) for line in str(raised.value).splitlines())


# What release writes itself, and authors need not type.
TYPED_BY_RELEASE = {
    "ids of JupyterLab": lambda n: [cell.update(id=f"{at:08x}-6f1c") for at, cell in enumerate(n["cells"])],
    "an id twice": _set("02-title", "id", "02-setup"),
    "metadata of nbgrader": lambda n: [cell["metadata"].pop("nbgrader", None) for cell in n["cells"]],
    "title and card": _set("02-double-text", "source", "What it says."),
    "the check": _without("02-double-check", "02-halve-check"),
    "the setup": _without("02-setup"),
    "the progress": _without("02-progress"),
}


@pytest.mark.parametrize("change", TYPED_BY_RELEASE.values(), ids=list(TYPED_BY_RELEASE))
def test_what_follows_from_the_rest_is_not_typed(change: Any) -> None:
    notebook = sound()
    change(notebook)
    made, wanted = release(notebook, NAME)["cells"], release(sound(), NAME)["cells"]
    assert [(cell["source"], cell["metadata"].get("tags")) for cell in made] == [
        (cell["source"], cell["metadata"].get("tags")) for cell in wanted
    ]
    for cell, other in zip(made, wanted):
        if "nbgrader" in other["metadata"]:
            assert cell == other
    assert len({cell["id"] for cell in made}) == len(made)


def test_all_faults_are_reported_at_once() -> None:
    notebook = sound()
    cell_of(notebook, "02-double")["source"] = "def double(n):\n    ### BEGIN SOLUTION"
    cell_of(notebook, "02-halve-check")["cell_type"] = "markdown"
    cell_of(notebook, "02-title")["source"] = "### END SOLUTION"
    with pytest.raises(ExercisesProblem) as raised:
        release(notebook, NAME)
    assert [line.split(": ")[0].split()[-1] for line in str(raised.value).splitlines()] == [
        "02-title", "02-double", "02-halve-check",
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------
# Markers


def test_several_regions_are_each_replaced_where_they_stand() -> None:
    source = (
        "class C:\n    def a(self):\n        ### BEGIN SOLUTION\n        one = 1\n\n        return one\n"
        "        ### END SOLUTION\n    def b(self):\n        if self:\n            ### BEGIN SOLUTION\n"
        "            two = 2\n            ### END SOLUTION\n        return 3"
    )
    blank = '# YOUR CODE HERE\n{0}raise NotImplementedError("C is still blank")\n'
    assert without_answers(source, "C") == (
        f"class C:\n    def a(self):\n        {blank.format(' ' * 8)}"
        f"    def b(self):\n        if self:\n            {blank.format(' ' * 12)}        return 3"
    )
    assert answer_lines(source) == ["one = 1", "return one", "two = 2"]


def test_a_stub_keeps_its_own_indentation() -> None:
    source = "for n in ids:\n    ### BEGIN SOLUTION\n    pass_on(n)\n    ### END SOLUTION"
    assert without_answers(source, "f", ["if n:", "    ...", ""]) == "for n in ids:\n    if n:\n        ...\n"


def test_what_learners_get_instead_is_written_as_comments() -> None:
    source = (
        "def f(n):\n    ### BEGIN SOLUTION\n    return n // 2\n    ### INSTEAD\n    # if n:\n    #     return n / 2\n\n"
        "    #\n    # # why?\n    ### END SOLUTION\n\n### BEGIN SOLUTION\ng = 1\n### END SOLUTION"
    )
    assert without_answers(source, "f") == (
        "def f(n):\n    if n:\n        return n / 2\n\n\n    # why?\n\n"
        '# YOUR CODE HERE\nraise NotImplementedError("f is still blank")'
    )
    assert answer_lines(source) == ["return n // 2", "g = 1"]
    for wrong, words in (
        (source.replace("# if n:", "if n:"), "line 5: after ### INSTEAD every line is a comment"),
        (source.replace("    return n // 2\n", ""), "line 2: there is no code"),
        (f"### INSTEAD\n{source}", "line 1: ### INSTEAD without"),
    ):
        with pytest.raises(MarkerProblem, match=words):
            without_answers(wrong, "f")


# ----------------------------------------------------------------------------------------------------
# Files and the command


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder of an author, as the current folder."""
    monkeypatch.setattr(catalogue, "_USED", {})
    monkeypatch.chdir(tmp_path)
    for exercise in BOTH:
        write_exercise(tmp_path, exercise)
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / NAME).write_bytes(notebook_bytes(sound()))
    return tmp_path


def write_exercise(folder: Path, exercise: Exercise) -> None:
    file = folder / "checks" / exercise.lesson / f"{exercise.entry}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    made = f"EXERCISE = {exercise!r}\n"
    file.write_text(f"from minbpe_course.learning.judge.exercise import Exercise\n\n{made}", encoding="utf-8")


def test_release_writes_and_then_agrees(checkout: Path, capsys) -> None:
    assert main(["release", "--check"]) == 1
    assert "missing; run: minbpe-course release" in capsys.readouterr().err
    assert not (checkout / "exercises").exists()
    assert main(["release"]) == 0
    assert main(["release", "--check"]) == 0
    wanted = releasing.release(sound(), NAME, BOTH, FOLDER_SETUP)
    assert load_notebook(checkout / "exercises" / NAME) == wanted
    assert main(["release", "solutions/02*.ipynb", "--check"]) == 0


def test_tidy_rewrites_the_source_as_the_course_keeps_it(checkout: Path, capsys) -> None:
    path = checkout / "solutions" / NAME
    used = sound()
    for cell in used["cells"]:
        cell["metadata"] = {"execution": {"started": "now"}}
    cell_of(used, "02-halve")["metadata"] = {"minbpe_course": {"stub": ["return n / 2"]}}
    cell_of(used, "02-halve-given")["metadata"] = {"tags": ["given"]}
    path.write_bytes(notebook_bytes(used))
    assert main(["release"]) == 0
    assert path.read_bytes() == notebook_bytes(used), "only when asked"
    assert main(["release", "--tidy"]) == 0
    assert load_notebook(path) == normalised(sound(), BOTH, FOLDER_SETUP)
    assert "tidied" in capsys.readouterr().out
    assert main(["release", "--tidy", "--check"]) == 2


def test_check_names_what_differs_and_what_is_too_many(checkout: Path, capsys) -> None:
    main(["release"])
    path = checkout / "exercises" / NAME
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"YOUR CODE", b"MY CODE"))
    (checkout / "exercises" / "09_gone.ipynb").write_text("{}", encoding="utf-8")
    capsys.readouterr()
    assert main(["release", "--check"]) == 1
    said = capsys.readouterr().err
    assert "02_naive_bpe.ipynb: differs" in said
    assert "09_gone.ipynb: has no source" in said
    assert b"MY CODE" in path.read_bytes(), "it only looks"
    assert main(["release"]) == 1, "what is too many stays until somebody deletes it"
    assert path.read_bytes() == whole


def test_nothing_is_written_when_one_of_several_is_at_fault(checkout: Path, capsys) -> None:
    broken = sound()
    cell_of(broken, "02-double")["source"] = "def double(n): ..."
    (checkout / "solutions" / "02_other.ipynb").write_bytes(notebook_bytes(broken))
    (checkout / "solutions" / "02_third.ipynb").write_text("no notebook", encoding="utf-8")
    assert main(["release"]) == 2
    said = capsys.readouterr().err
    assert "02_other.ipynb, cell 02-double: no answer" in said
    assert "02_third.ipynb: not a notebook" in said
    assert not (checkout / "exercises").exists()


@pytest.mark.parametrize("data", [b"[]", b'{"cells": [1], "nbformat": 4}', b'{"cells": [], "nbformat": 3}', b"\xff", b"[" * 100_000, b'{"cells": [{"source": [1]}], "nbformat": 4}', b'{"cells": [{"metadata": null}], "nbformat": 4}'], ids=repr)  # fmt: skip
def test_a_file_that_is_not_a_notebook_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "02_a.ipynb"
    path.write_bytes(data)
    with pytest.raises(ExercisesProblem, match="not a notebook of format 4"):
        release_files([path], tmp_path / "out", COURSE)
    with pytest.raises(ExercisesProblem, match="there are no exercises for it"):
        release_files([tmp_path / "a.ipynb"], tmp_path / "out", COURSE)
