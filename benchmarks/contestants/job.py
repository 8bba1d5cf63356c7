"""Define the job that the contestants of a row get, and helpers that they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.published_patterns import PUBLISHED
from benchmarks.speed import NotAvailable


@dataclass(frozen=True)
class Job:
    """The text, whole and cut into documents; the vocabulary, or the size of the one to train; the number of threads.

    ``folder`` is for temporary files of this run.
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
    """Return a method of ours, or raise NotAvailable if this version of the course does not have it."""
    method = getattr(thing, name, None)
    if method is None:
        raise NotAvailable(f"this version of the course has no {name}()")
    return method


def flat(lists: Sequence[Sequence[int] | np.ndarray]) -> np.ndarray:
    """Return the ids of many documents as one array, followed by the number of ids in each, for comparison."""
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    if lists and isinstance(lists[0], np.ndarray):
        ids = np.concatenate(lists).astype(np.int64)
    else:
        ids = np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(lengths.sum()))
    return np.concatenate([ids, lengths])


def flat_with_offsets(result: tuple[np.ndarray, np.ndarray], number: int) -> np.ndarray:
    """Return the array of ``flat`` from the flat ids and offsets of ``number`` documents; the first 0 is optional."""
    ids, offsets = (np.asarray(part, dtype=np.int64) for part in result)
    lengths = np.diff(offsets) if len(offsets) == number + 1 else np.diff(offsets, prepend=0)
    return np.concatenate([ids, lengths])


def ids_of(result: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return the ids of one text as an array."""
    return np.asarray(result, dtype=np.int64)


@cache
def tiktoken_encoding(name: str) -> Any:
    """Return tiktoken's encoding, from the files that the course rebuilds, without the network."""
    from minbpe_course import use_bundled_vocabularies

    use_bundled_vocabularies()
    import tiktoken

    if name in PUBLISHED:
        return with_pattern(name, tiktoken.Encoding, tiktoken.get_encoding)
    return tiktoken.get_encoding(name)


def with_pattern(name: str, encoding: Callable[..., Any], get_encoding: Callable[[str], Any]) -> Any:
    """Return the tokens of cl100k_base with a published pattern."""
    ranks = get_encoding("cl100k_base")._mergeable_ranks
    return encoding(name, pat_str=PUBLISHED[name], mergeable_ranks=ranks, special_tokens={})
