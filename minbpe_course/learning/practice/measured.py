"""``measured("15")``: results of experiments that take minutes, computed beforehand by ``benchmarks/research``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from minbpe_course.errors import InvalidOption
from minbpe_course.files import read_whole

FOLDER = Path(__file__).parent / "data"


def results_file(lesson: str) -> Path:
    """Return where the results of a lesson are stored.

    >>> results_file("15").name
    'research_15.json'
    """
    return FOLDER / f"research_{lesson}.json"


def measured(lesson: str) -> dict[str, Any]:
    """Return the stored results of a lesson's long experiments, as ``python -m benchmarks.research`` computed them.

    lesson : its number, such as "15".

    Raises InvalidOption for a lesson without any.

    >>> measured("99")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    minbpe_course.errors.InvalidOption: lesson '99' has no stored results; these lessons have: ...
    """
    if not results_file(str(lesson)).is_file():
        names = ", ".join(sorted(path.stem[-2:] for path in FOLDER.glob("research_*.json")))
        raise InvalidOption(f"lesson {lesson!r} has no stored results; these lessons have: {names}.")
    found: dict[str, Any] = json.loads(read_whole(results_file(str(lesson))))["results"]
    return found
