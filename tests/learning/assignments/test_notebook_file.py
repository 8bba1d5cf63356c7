"""Cells are inserted, replaced and removed; every other byte of the file stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minbpe_course.errors import ExercisesProblem
from minbpe_course.learning.assignments.notebook_file import NotebookFile

CELL = {"cell_type": "code", "id": "new", "metadata": {}, "source": ["x = 'é'\n", "x"], "outputs": []}
# As editors write them: other indents, escapes, floats, keys in any order, on one line, with Windows line ends.
FILES = {
    "indented": '{\n "cells": [\n  {"id": "a", "x": 1e-7},\n  {"id": "b"}\n ],\n "nbformat": 4\n}\n',
    "one line": '{"nbformat":4,"cells":[{"id":"a","x":"\\ud83d\\u00e9"},{"id":"b"}],"metadata":{"cells":[1]}}',
    "windows": '{\r\n"metadata": {"]": "[{"},\r\n"cells": [{"id": "a"},\r\n{"id": "b"}],\r\n"nbformat": 4}\r\n',
    "one cell": '{"cells": [ {"id": "a"} ], "nbformat": 4}',
    "no cells": '{"nbformat": 4, "cells": [ ]}',
}


@pytest.fixture(params=FILES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "a.ipynb"
    path.write_bytes(FILES[request.param].encode("utf-8"))
    return path


def test_a_notebook_that_is_not_edited_keeps_its_bytes(path: Path) -> None:
    before = path.read_bytes()
    NotebookFile(path).write()
    assert json.loads(path.read_bytes()) == json.loads(before)
    if b"[ ]" not in before:
        assert path.read_bytes() == before


def test_an_inserted_cell_goes_again_without_a_trace(path: Path) -> None:
    before = path.read_bytes()
    for at in range(len(json.loads(before)["cells"]) + 1):
        notebook = NotebookFile(path)
        notebook.cells.insert(at, CELL)
        notebook.write()
        wanted = json.loads(before)
        wanted["cells"].insert(at, CELL)
        assert json.loads(path.read_bytes()) == wanted
        notebook = NotebookFile(path)
        del notebook.cells[at]
        notebook.write()
        if len(wanted["cells"]) > 2:
            assert path.read_bytes() == before
        assert json.loads(path.read_bytes()) == json.loads(before)


def test_a_file_that_is_not_a_notebook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    for data in (b"", b"[]", b'{"cells": 1}', b"\xff\xfe"):
        path.write_bytes(data)
        with pytest.raises(ExercisesProblem, match="not a notebook"):
            NotebookFile(path)
        assert path.read_bytes() == data
