"""The record of a byte-level BPE model: merges, byte order, split pattern, special tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from minbpe_course.errors import InvalidModel, InvalidSpecialToken
from minbpe_course.model.copies import CopiedRecord

IDENTITY_BYTE_ORDER = bytes(range(256))


class BytePairModel(CopiedRecord):
    """A byte-level BPE model: which pairs merge, in which order.

    Parameters
    ----------
    merges : pairs of ids in the order in which they were learned, shape (n, 2). The first merge makes the first id
        after the 256 bytes.
    byte_order : the byte that each of the ids 0..255 stands for. Identity unless the vocabulary shuffles its bytes, as
        OpenAI's do.
    pattern : the regular expression that cuts text into words before any merge, or None for no cutting.
    special_tokens : text -> id, outside the merges. Two texts may share an id, as in o200k_harmony; the id
        decodes to the last one.
    skipped_ids : ids above 255 that merges skip, ascending. p50k_base keeps 50256 for ``<|endoftext|>`` and continues
        after it; no other vocabulary skips ids. Ids above the last merge are dropped.
    source : the tokenizer.json that the model was read from, without vocabulary and merges. Its writer keeps what no
        field describes. Comparisons ignore it.

    >>> model = BytePairModel([(97, 97), (256, 98)])
    >>> model.token_bytes[257]
    b'aab'
    >>> model.merges[1], model.merge_ids
    ((256, 98), range(256, 258))
    """

    pairs: np.ndarray
    byte_order: bytes
    pattern: str | None
    special_tokens: Mapping[str, int]
    skipped_ids: tuple[int, ...]
    source: str

    def __init__(
        self,
        merges: Iterable[tuple[int, int]] | np.ndarray = (),
        byte_order: bytes = IDENTITY_BYTE_ORDER,
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        skipped_ids: Iterable[int] = (),
        source: str = "",
    ) -> None:
        pairs = np.array(merges if isinstance(merges, np.ndarray) else list(merges), dtype=np.int32).reshape(-1, 2)
        pairs.setflags(write=False)
        put = object.__setattr__
        put(self, "pairs", pairs)
        put(self, "byte_order", bytes(byte_order))
        put(self, "pattern", pattern)
        put(self, "special_tokens", MappingProxyType(dict(special_tokens or {})))
        put(self, "skipped_ids", tuple(skipped_ids))
        put(self, "source", source)
        self._check()
        last = [255, *self.merge_ids[-1:]][-1]
        put(self, "skipped_ids", tuple(token_id for token_id in self.skipped_ids if token_id < last))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BytePairModel is frozen; make a new one: model.replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BytePairModel):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key()[:3])

    def __repr__(self) -> str:
        counts = f"{len(self.pairs):,} merges, {len(self.special_tokens)} special tokens"
        return f"BytePairModel({counts}, pattern={self.pattern!r})"

    def replace(self, **changes: object) -> BytePairModel:
        """Return a copy with some fields changed.

        >>> BytePairModel([(97, 97)]).replace(special_tokens={"<|end|>": 257}).special_tokens["<|end|>"]
        257
        """
        return BytePairModel(**(self._fields() | changes))

    def _fields(self) -> dict[str, Any]:
        return dict(
            merges=self.pairs,
            byte_order=self.byte_order,
            pattern=self.pattern,
            special_tokens=dict(self.special_tokens),
            skipped_ids=self.skipped_ids,
            source=self.source,
        )

    @cached_property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """The pairs in the order learned, as plain tuples."""
        return tuple(map(tuple, self.pairs.tolist()))

    @property
    def merge_ids(self) -> range | tuple[int, ...]:
        """The id that each merge makes, in the order of ``merges``."""
        return _merge_ids(len(self.pairs), self.skipped_ids)

    @cached_property
    def ranks(self) -> Mapping[tuple[int, int], int]:
        """pair -> the id it becomes. Smaller ids merge first."""
        return MappingProxyType(dict(zip(self.merges, self.merge_ids)))

    @cached_property
    def token_bytes(self) -> Mapping[int, bytes]:
        """id -> bytes, for the 256 bytes and every merge; special tokens are not in it."""
        table = {i: self.byte_order[i : i + 1] for i in range(256)}
        for new_id, (left, right) in zip(self.merge_ids, self.merges):
            table[new_id] = table[left] + table[right]
        return MappingProxyType(table)

    @cached_property
    def byte_ids(self) -> bytes:
        """The inverse of ``byte_order``: the id of each byte value."""
        inverse = bytearray(256)
        for token_id, byte in enumerate(self.byte_order):
            inverse[byte] = token_id
        return bytes(inverse)

    @property
    def vocab_size(self) -> int:
        """One more than the largest id in use, special tokens included."""
        last = [255, *self.merge_ids[-1:], *self.special_tokens.values()]
        return max(last) + 1

    def _key(self) -> tuple:
        return (
            self.pairs.tobytes(),
            self.byte_order,
            self.pattern,
            tuple(sorted(self.special_tokens.items())),
            self.skipped_ids,
        )

    def _check(self) -> None:
        if sorted(self.byte_order) != list(range(256)):
            raise InvalidModel("byte_order must hold each of the 256 byte values exactly once.")
        if any(i < 256 for i in self.skipped_ids) or list(self.skipped_ids) != sorted(set(self.skipped_ids)):
            raise InvalidModel(f"skipped_ids must be ascending ids above 255, got {self.skipped_ids!r}.")

        ids = np.asarray(self.merge_ids, dtype=np.int64)
        wrong = (self.pairs.max(axis=1, initial=0) >= ids) | (self.pairs.min(axis=1, initial=0) < 0)
        if self.skipped_ids:
            wrong |= np.isin(self.pairs, self.skipped_ids).any(axis=1)
        if wrong.any():
            at = int(wrong.argmax())
            raise InvalidModel(
                f"merge {at} joins {tuple(self.pairs[at].tolist())} into {int(ids[at])}, "
                "but a merge may only join ids that exist before it."
            )

        # The largest merge id first: almost every special token lies above it, so the exact test is rarely needed.
        top = int(ids[-1]) if len(ids) else 255
        skipped = frozenset(self.skipped_ids)
        for text, token_id in self.special_tokens.items():
            check_special_text(text)
            if isinstance(token_id, bool) or not isinstance(token_id, (int, np.integer)) or token_id < 0:
                raise InvalidSpecialToken(f"the id of {text!r} must be a whole number from 0 up, got {token_id!r}.")
            if token_id <= top and token_id not in skipped:
                raise InvalidSpecialToken(
                    f"{text!r} cannot have id {token_id}: an ordinary token has it. The first free id is {top + 1}."
                )


def check_special_text(text: str) -> str:
    """Return ``text`` if it can be a special token: a str that is not empty. Raises InvalidSpecialToken."""
    if not isinstance(text, str) or not text:
        raise InvalidSpecialToken(f"a special token must be a non-empty str, got {text!r}.")
    return text


def _merge_ids(count: int, skipped: tuple[int, ...]) -> range | tuple[int, ...]:
    if not any(i < 256 + count for i in skipped):
        return range(256, 256 + count)
    holes = set(skipped)
    ids = (i for i in range(256, 256 + count + len(holes)) if i not in holes)
    return tuple(i for _, i in zip(range(count), ids))
