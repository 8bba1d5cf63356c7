"""LZW over the ids of a tokenizer: runs of ids that have occurred before become one id, a hypertoken.

    ids       7 8 7 8 7 8 7            first = 100: the ids of hypertokens begin there
    written   7 8 100    102           100 = 7 8, 101 = 8 7, 102 = 7 8 7

``pack`` writes the longest known run, and learns that run with the id that follows it. ``unpack`` learns the same runs
from what it reads, one step later, so no table has to be sent. A run has at most ``most`` ids; one that is full is
written at once, and nothing is learned from it.

Limits: the table grows without end (the paper's program stops at a size). Source: Welch, "A Technique for
High-Performance Data Compression" (1984); over tokens Geng et al., "zip2zip" (2025), https://arxiv.org/abs/2506.01084,
and https://github.com/epfl-dlab/zip2zip-compression.
"""

from __future__ import annotations

from collections.abc import Iterable

Run = tuple[int, ...]


def pack(ids: Iterable[int], first: int, most: int) -> list[int]:
    """Return the ids with hypertokens.

    >>> pack([7, 8, 7, 8, 7, 8, 7], 100, 4)
    [7, 8, 100, 102]
    >>> pack([7, 7, 7, 7, 7], 100, 2)
    [7, 100, 100]
    """
    known: dict[Run, int] = {}
    written: list[int] = []
    run: Run = ()
    for token_id in ids:
        longer = (*run, token_id)
        if run and longer not in known:
            written.append(known.get(run, run[0]))
            known[longer] = first + len(known)
            longer = (token_id,)
        run = longer
        if len(run) == most:
            written.append(known.get(run, run[0]))
            run = ()
    return [*written, known.get(run, run[0])] if run else written


def unpack(ids: Iterable[int], first: int, most: int) -> list[int]:
    """Return the ids without hypertokens.

    An id may be of the very run that it completes: it is the run before, and that run's first id once more.

    >>> unpack([7, 8, 100, 102], 100, 4)
    [7, 8, 7, 8, 7, 8, 7]
    """
    runs: list[Run] = []
    found: list[int] = []
    before: Run = ()
    for token_id in ids:
        at = token_id - first
        run = (token_id,) if at < 0 else runs[at] if at < len(runs) else (*before, before[0])
        if before:
            runs.append((*before, run[0]))
        found += run
        before = run if len(run) < most else ()
    return found
