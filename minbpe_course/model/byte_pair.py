"""The record of a byte-level BPE model: merges, byte order, split pattern, special tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from minbpe_course.errors import InvalidModel, InvalidSpecialToken, quoted
from minbpe_course.model.copies import CopiedRecord, types_checked

IDENTITY_BYTE_ORDER = bytes(range(256))
SMALL_VOCABULARY, LONG_TOKEN = 1 << 23, 64


def most_token_bytes(merges: int) -> int:
    """Return how many bytes the tokens of so many merges may have together.

    Each merge may double the length, so 30 of them could make a gigabyte.
    """
    return max(SMALL_VOCABULARY, LONG_TOKEN * merges)


class CheckedMerges(np.ndarray):
    """Merges [n, 2] that need no check, such as those of another model."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
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

    # Properties that only a VocabularyModel can have, for code that takes both.
    whole_words = False
    pattern_engine = None
    normalization = None
    plain_tokens = frozenset[str]()
    frame = ((), ())
    pair_frame = None
    decode_only = MappingProxyType[int, str]({})
    only_in_huggingface = None

    def __init__(
        self,
        merges: Iterable[tuple[int, int]] | np.ndarray = (),
        byte_order: bytes = IDENTITY_BYTE_ORDER,
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        skipped_ids: Iterable[int] = (),
        source: str = "",
    ) -> None:
        put = partial(object.__setattr__, self)
        with types_checked(self):
            put("pairs", merge_rows(merges, 2, np.int32))
            put("byte_order", _byte_order(byte_order))
            put("pattern", check_pattern(pattern))
            put("special_tokens", MappingProxyType(checked_specials(special_tokens)))
            put("skipped_ids", _ascending(skipped_ids))
            put("source", source)
            if not isinstance(merges, CheckedMerges):
                self._check_merges()
            self._check_specials()
        last = [255, *self.merge_ids[-1:]][-1]
        put("skipped_ids", tuple(token_id for token_id in self.skipped_ids if token_id < last))

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
        fields = self._fields() | changes
        if changes.keys().isdisjoint(("merges", "skipped_ids")):
            # Checking the merges takes the longest.
            fields["merges"] = self.pairs.view(CheckedMerges)
        return BytePairModel(**fields)

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

    def _check_merges(self) -> None:
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
        _check_sizes(self.pairs, ids)

    def _check_specials(self) -> None:
        # The largest merge id first: almost every special token lies above it, so the exact test is rarely needed.
        top = [255, *self.merge_ids[-1:]][-1]
        skipped = frozenset(self.skipped_ids)
        for text, token_id in self.special_tokens.items():
            check_special_text(text)
            if isinstance(token_id, bool) or not isinstance(token_id, (int, np.integer)) or token_id < 0:
                raise InvalidSpecialToken(
                    f"the id of {text!r:.60} must be a whole number from 0 up, got {token_id!r:.60}."
                )
            if token_id <= top and token_id not in skipped:
                raise InvalidSpecialToken(
                    f"{text!r} cannot have id {token_id}: an ordinary token has it. The first free id is {top + 1}."
                )


def check_pattern(pattern: object, name: str = "pattern") -> str | None:
    """Return the field ``name`` as a plain str, or None. Raises InvalidModel for anything else."""
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise InvalidModel(f"{name} must be a str or None, got {quoted(pattern)}.")
    return str.__str__(pattern)


def checked_specials(said: Any) -> dict[str, int]:
    """Return special tokens as a dict. Raises InvalidSpecialToken if they are not a mapping."""
    try:
        found = dict(said or {})
    except (TypeError, ValueError):
        raise InvalidSpecialToken(f"special tokens are a mapping from texts to ids, got {quoted(said)}.") from None
    return {str.__str__(text) if isinstance(text, str) else text: token_id for text, token_id in found.items()}


def merge_rows(said: Any, columns: int, dtype: type[np.integer]) -> np.ndarray:
    """Return merges as an array of ``dtype`` with one row for each merge, read-only. Raises InvalidModel."""
    form = "(left id, right id)" if columns == 2 else "(left id, right id, made id)"
    try:
        wide = np.asarray(said if isinstance(said, np.ndarray) else list(said))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidModel(f"each merge must be {form}: {error!s:.200}.") from None
    if wide.size == 0:
        wide = np.empty((0, columns), dtype=dtype)
    if wide.ndim != 2 or wide.shape[1] != columns or wide.dtype.kind not in "iu":
        raise InvalidModel(f"each merge must be {form}, all whole numbers.")
    largest = np.iinfo(dtype).max
    outside = (wide < 0) | (wide > largest)
    if outside.any():
        at = int(outside.any(axis=1).argmax())
        raise InvalidModel(f"merge {at}, {tuple(wide[at].tolist())}, names an id outside of 0 to {largest:,}.")
    rows = np.array(wide, dtype=dtype)
    rows.setflags(write=False)
    return rows


def _byte_order(said: Any) -> bytes:
    try:
        order = b"" if isinstance(said, int) else bytes(said)
    except (TypeError, ValueError):
        order = b""
    if sorted(order) != list(range(256)):
        raise InvalidModel("byte_order must hold each of the 256 byte values exactly once.")
    return order


def _ascending(said: Any) -> tuple[int, ...]:
    listed = tuple(said)
    whole = all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) and each > 255 for each in listed)
    if not whole or list(listed) != sorted(set(listed)):
        raise InvalidModel(f"skipped_ids must be ascending ids above 255, got {quoted(said)}.")
    return tuple(map(int, listed))


def _check_sizes(pairs: np.ndarray, ids: np.ndarray) -> None:
    """Refuse merges whose tokens have too many bytes, before any is made."""
    most = most_token_bytes(len(pairs))
    sizes = [1] * (int(ids[-1]) + 1 if len(ids) else 0)
    total = 0
    for made, left, right in zip(ids.tolist(), pairs[:, 0].tolist(), pairs[:, 1].tolist()):
        sizes[made] = size = sizes[left] + sizes[right]
        total += size
        if total > most:
            raise InvalidModel(
                f"these {len(pairs):,} merges make tokens of more than {most:,} bytes together. Train fewer, or with a "
                "pattern that cuts text into words."
            )


def check_special_text(text: str) -> str:
    """Return ``text`` if it can be a special token: a str that is not empty. Raises InvalidSpecialToken."""
    if not isinstance(text, str) or not text:
        raise InvalidSpecialToken(f"a special token must be a non-empty str, got {quoted(text)}.")
    return text


def _merge_ids(count: int, skipped: tuple[int, ...]) -> range | tuple[int, ...]:
    if not any(i < 256 + count for i in skipped):
        return range(256, 256 + count)
    holes = set(skipped)
    ids = (i for i in range(256, 256 + count + len(holes)) if i not in holes)
    return tuple(i for _, i in zip(range(count), ids))
