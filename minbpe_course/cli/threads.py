"""The number of threads that ``--jobs`` asks for."""

from __future__ import annotations

from minbpe_course.errors import InvalidOption
from minbpe_course.resources.threads import cores

# One thread reads and writes for all of them and cannot keep more busy; each has its own tables.
MOST_THREADS = 8


def threads(asked: int) -> int:
    """Return the number of threads: ``asked``, or one for each core, at most MOST_THREADS. Raises InvalidOption."""
    if asked < 0:
        raise InvalidOption(f"--jobs {asked}: a number of threads is 1 or more.")
    return asked or min(cores(), MOST_THREADS)
