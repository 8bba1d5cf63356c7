"""Edit the cells of a notebook file and keep every other byte of it: outputs, counts, metadata, ids.

A notebook is read as text. Untouched cells are written back as they were, so a diff shows only what was changed.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.assignments.normalise import notebook_of
from minbpe_course.learning.assignments.release import load_notebook, notebook_bytes

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class NotebookFile:
    """The cells of a notebook, each as data and as the text in the file.

    cells : a list to edit: insert and remove cells, or put new dicts in the place of old ones. A cell that is still the
        same object is written as it was.

    Raises ExercisesProblem when the file is not a notebook of format 4, UnusablePath when it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        data = read_whole(path) if path.exists() else notebook_bytes(notebook_of([]))
        self.cells: list[dict[str, Any]] = load_notebook(path)["cells"] if path.exists() else []
        text = data.decode("utf-8")
        spans = _cell_spans(text)
        self._texts = {id(cell): text[begin:end] for cell, (begin, end) in zip(self.cells, spans)}
        self._kept = list(self.cells)  # so that no other object gets one of these ids
        first, last = (spans[0][0], spans[-1][1]) if spans else _inside(text)
        self._before, self._after = text[:first], text[last:]
        self._between = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else ",\n  "
        if not spans:
            self._before, self._after = f"{self._before.rstrip()}\n  ", f"\n {self._after.lstrip()}"

    def write(self) -> None:
        """Write the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        cells = [self._texts.get(id(cell)) or _text_of(cell) for cell in self.cells]
        write_whole(self.path, (self._before + self._between.join(cells) + self._after).encode("utf-8"))


def _text_of(cell: Mapping[str, Any]) -> str:
    return textwrap.indent(json.dumps(cell, ensure_ascii=False, indent=1, sort_keys=True), "  ").lstrip()


def _past(text: str, at: int) -> int:
    """Return where the space at a place ends."""
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _inside(text: str) -> tuple[int, int]:
    """Return the places after and before the brackets of the list of cells; ``text`` is a notebook."""
    at = _past(text, 0) + 1
    while True:
        key, at = _DECODER.raw_decode(text, _past(text, at))
        at = _past(text, _past(text, at) + 1)  # the colon
        _, end = _DECODER.raw_decode(text, at)
        if key == "cells":
            return at + 1, end - 1
        at = _past(text, end) + 1  # the comma


def _cell_spans(text: str) -> list[tuple[int, int]]:
    at, last = _inside(text)
    spans = []
    while (at := _past(text, at)) < last:
        _, end = _DECODER.raw_decode(text, at)
        spans.append((at, end))
        at = _past(text, end) + 1
    return spans
