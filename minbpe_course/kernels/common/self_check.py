"""Use every private interface once, and find those that have changed: for ``minbpe-course doctor``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba import njit

from minbpe_course.kernels.common import compiled, interface, lists
from minbpe_course.kernels.common.store import KernelStore


class Health(NamedTuple):
    """How kernels run here.

    numba : its version · tested_with : the newest version that this package was tested with · compiled : whether
    kernels are compiled, not plain Python · kept : whether the next process finds compiled code · folder : where it is
    kept · objects : how lists of ids are made, one of ``lists.LEVELS`` · changes : name of a failed interface ->
    reason.
    """

    numba: str
    tested_with: str
    compiled: bool
    kept: bool
    folder: str
    objects: str
    changes: dict[str, str]


def health() -> Health:
    """Compile, keep and load a small function, and return what was found.

    >>> health().numba == numba.__version__
    True
    """
    kept = False
    if not compiled.PLAIN and interface.compiles():
        _note_unless("a helper", lambda: compiled.helper(_twice)(21) == 42)
        _note_unless("a callback", lambda: compiled.callback(_twice).address > 0)
        kept = _is_kept() and compiled.STORE.can_write()
    folder = str(compiled.STORE.folder or compiled.STORE.beside)
    level = lists.level()
    return Health(
        numba.__version__, interface.TESTED_WITH, not compiled.PLAIN, kept, folder, level, dict(interface.changes)
    )


def _twice(number: int) -> int:
    return 2 * number


def _is_kept() -> bool:
    """Whether a function compiled once is loaded from a file the second time."""
    with tempfile.TemporaryDirectory() as folder:
        store = KernelStore(Path(compiled.__file__).parents[1], ["self-check"], folder, folder)
        for _ in range(2):
            dispatcher: Any = njit(error_model="numpy")(_twice)
            cache = compiled.KernelCache(_twice, store)
            dispatcher._cache = cache
            _note_unless("a compiled function", lambda made=dispatcher: made(21) == 42)  # type: ignore[misc]
        if not cache.found or not any(Path(folder).rglob("*.kernel")):
            interface.note("keeping compiled code", "a function that was compiled is not found again")
            return False
    return True


def _note_unless(what: str, holds: Callable[[], bool]) -> None:
    try:
        if not holds():
            interface.note(what, "the result is wrong")
    except Exception as error:
        interface.note(what, error)
