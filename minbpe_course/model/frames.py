"""The ids that the post_processor of a tokenizer.json adds around a text, and around and between two.

frame        ((1,), (2,))                               1 text 2
pair_frame   ((1, 0), ("A", 0), (2, 0), ("B", 1))       1 first 2 second, and the type id of each part
"""

from __future__ import annotations

Frame = tuple[tuple[int, ...], tuple[int, ...]]
PairFrame = tuple[tuple[int | str, int], ...]

NO_FRAME: Frame = ((), ())


def each_framed(frame: Frame) -> PairFrame:
    """Return the pair frame with which each of two texts has ``frame``; their type ids are 0 and 1.

    >>> each_framed(((1,), ()))
    ((1, 0), ('A', 0), (1, 1), ('B', 1))
    """
    before, after = frame
    texts: tuple[list[int | str], ...] = [*before, "A", *after], [*before, "B", *after]
    return tuple((part, kind) for kind, parts in enumerate(texts) for part in parts)
