"""The ids around encoded texts, and around and between two; ``model.frames`` describes both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import BytePairModel, PiecePipeline, VocabularyModel
from minbpe_course.model.frames import NO_FRAME, Frame, each_framed


class EncodedPair(NamedTuple):
    """The ids of two texts with everything around and between them, and the type id of each: 0 or 1 in most files."""

    ids: list[int]
    type_ids: list[int]


# Whatever of a tokenizer's file says what is around texts; None for a tokenizer without a file.
Framed = BytePairModel | VocabularyModel | PiecePipeline | None


def frame_of(framed: Framed) -> Frame:
    """Return the ids before and after every text."""
    return NO_FRAME if framed is None else framed.frame


def framed_list(ids: list[int], frame: Frame) -> list[int]:
    """Return the ids of one text in its frame."""
    return [*frame[0], *ids, *frame[1]]


def framed_array(ids: np.ndarray, frame: Frame) -> np.ndarray:
    """Return the ids of one text in its frame, of the same dtype."""
    return np.concatenate([np.array(frame[0], ids.dtype), ids, np.array(frame[1], ids.dtype)])


def framed_batch(
    ids: np.ndarray,
    offsets: np.ndarray,
    frame: Frame,
    begins: np.ndarray | None = None,
    finishes: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of many texts in their frames, and where those of each begin, int64[n + 1].

    begins, finishes : bool[n], whether a document begins and ends with the text; None if every text is a document.
    """
    number = len(offsets) - 1
    begins = np.ones(number, dtype=bool) if begins is None else begins
    finishes = np.ones(number, dtype=bool) if finishes is None else finishes
    first, last = (np.array(part, dtype=ids.dtype) for part in frame)
    starts, stops = offsets[:-1][begins], offsets[1:][finishes]
    # Sorted by piece: where both are inserted at one place, the end of a document precedes the next beginning.
    places = np.concatenate([np.repeat(starts, first.size), np.repeat(stops, last.size)])
    pieces = np.concatenate(
        [np.repeat(2 * np.flatnonzero(begins), first.size), np.repeat(2 * np.flatnonzero(finishes) + 1, last.size)]
    )
    added = np.concatenate([np.tile(first, starts.size), np.tile(last, stops.size)])
    order = np.argsort(pieces, kind="stable")
    grown = np.cumsum(begins * first.size + finishes * last.size)
    return np.insert(ids, places[order], added[order]), offsets + np.concatenate([[0], grown])


def framed_pair(framed: Framed, name: str, encode: Callable[[Any], list[int]], *texts: Any) -> EncodedPair:
    """Return what `tokenizers` makes of two texts. Raises UnsupportedModel if its file has no rule for pairs."""
    rule = None if framed is None else framed.pair_frame
    rule = each_framed(frame_of(framed)) if rule is None else rule
    ids = dict(zip("AB", map(encode, texts)))
    if not rule:
        raise UnsupportedModel(f"{name}: the post_processor of its file has no rule for two texts. Join their ids.")
    parts = [([part] if not isinstance(part, str) else ids[part], kind) for part, kind in rule]
    return EncodedPair([each for found, _ in parts for each in found], [kind for found, kind in parts for _ in found])
