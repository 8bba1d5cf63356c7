"""The job of a row for its contestants, and their common parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course.inspecting.speed import NotAvailable


@dataclass(frozen=True)
class Job:
    """The text, whole and cut into documents; the vocabulary, or the size of the one to train; how many threads.

    ``folder`` is where files may be kept that only this run needs.
    """

    text: str
    documents: Sequence[str] = ()
    vocabulary: str = "cl100k_base"
    vocab_size: int = 0
    threads: int = 1
    folder: Path = field(default=Path())

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode("utf-8")


def offered(thing: object, name: str) -> Callable[..., Any]:
    """Return a method of ours, or raise NotAvailable where this version of the course does not have it yet."""
    method = getattr(thing, name, None)
    if method is None:
        raise NotAvailable(f"this version of the course has no {name}()")
    return method


def flat(lists: Sequence[Sequence[int] | np.ndarray]) -> np.ndarray:
    """The ids of many documents as one array, followed by the number of ids of each document, for comparison."""
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    if lists and isinstance(lists[0], np.ndarray):
        ids = np.concatenate(lists).astype(np.int64)
    else:
        ids = np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(lengths.sum()))
    return np.concatenate([ids, lengths])


def flat_with_offsets(result: tuple[np.ndarray, np.ndarray], number: int) -> np.ndarray:
    """The same form, made from the flat ids of ``number`` documents and their offsets, with a 0 in front or not."""
    ids, offsets = (np.asarray(part, dtype=np.int64) for part in result)
    lengths = np.diff(offsets) if len(offsets) == number + 1 else np.diff(offsets, prepend=0)
    return np.concatenate([ids, lengths])


def ids_of(result: Sequence[int] | np.ndarray) -> np.ndarray:
    """The ids of one text as an array."""
    return np.asarray(result, dtype=np.int64)


@cache
def tiktoken_encoding(name: str) -> Any:
    """tiktoken's encoding, from the files that the course rebuilds: no network."""
    from minbpe_course import use_bundled_vocabularies

    use_bundled_vocabularies()
    import tiktoken

    return tiktoken.get_encoding(name)
