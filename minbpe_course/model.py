"""The frozen records that everything else is derived from.

    BytePairModel   merges, byte order, split pattern, special tokens     -> vocabulary, ranks, tables
    PieceModel      pieces, scores, kinds and flags of a SentencePiece file

A record holds one truth. The vocabulary, the compiled pattern and the inverse tables are computed from it and so can never
disagree with it after a load. Records know nothing about files, kernels or tokenizer classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from minbpe_course.errors import InvalidModel, InvalidSpecialToken

IDENTITY_BYTE_ORDER = bytes(range(256))


class BytePairModel:
    """A byte-level BPE model: which pairs merge, in which order.

    Parameters
    ----------
    merges : pairs of ids in the order in which they were learned, shape (n, 2). The first merge makes the first id after the
        256 bytes.
    byte_order : the byte that each of the ids 0..255 stands for. Identity unless the vocabulary shuffles its bytes, as
        OpenAI's do.
    pattern : the regular expression that cuts text into words before any merge, or None for no cutting.
    special_tokens : text -> id, outside the merges.
    skipped_ids : ids above 255 that merges step over, ascending. p50k_base keeps 50256 for ``<|endoftext|>`` and goes on after
        it; every other vocabulary has none.

    >>> model = BytePairModel([(97, 97), (256, 98)])
    >>> model.token_bytes[257]
    b'aab'
    >>> model.merges[1], model.merge_ids
    ((256, 98), range(256, 258))
    """

    __slots__ = ("byte_order", "pairs", "pattern", "skipped_ids", "special_tokens", "__dict__")

    def __init__(
        self,
        merges: Iterable[tuple[int, int]] | np.ndarray = (),
        byte_order: bytes = IDENTITY_BYTE_ORDER,
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        skipped_ids: Iterable[int] = (),
    ) -> None:
        pairs = np.array(merges if isinstance(merges, np.ndarray) else list(merges), dtype=np.int32).reshape(-1, 2)
        pairs.setflags(write=False)
        put = object.__setattr__
        put(self, "pairs", pairs)
        put(self, "byte_order", bytes(byte_order))
        put(self, "pattern", pattern)
        put(self, "special_tokens", MappingProxyType(dict(special_tokens or {})))
        put(self, "skipped_ids", tuple(skipped_ids))
        self._check()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BytePairModel is frozen; make a new one: model.replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BytePairModel):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key()[:3])

    def __repr__(self) -> str:
        return f"BytePairModel({len(self.pairs):,} merges, {len(self.special_tokens)} special tokens, pattern={self.pattern!r})"

    def __reduce__(self) -> tuple:
        return BytePairModel, (self.pairs, self.byte_order, self.pattern, dict(self.special_tokens), self.skipped_ids)

    def replace(self, **changes: object) -> BytePairModel:
        """Return a copy with some fields changed.

        >>> BytePairModel([(97, 97)]).replace(special_tokens={"<|end|>": 257}).special_tokens["<|end|>"]
        257
        """
        fields: dict = dict(
            merges=self.pairs,
            byte_order=self.byte_order,
            pattern=self.pattern,
            special_tokens=self.special_tokens,
            skipped_ids=self.skipped_ids,
        )
        return BytePairModel(**(fields | changes))

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
        for skipped in self.skipped_ids:
            wrong |= (self.pairs == skipped).any(axis=1)
        if wrong.any():
            at = int(wrong.argmax())
            raise InvalidModel(
                f"merge {at} joins {tuple(self.pairs[at].tolist())} into {int(ids[at])}, but a merge may only join ids that "
                "exist before it."
            )

        # The largest merge id first: almost every special token lies above it, so the exact test is rarely needed.
        top = int(ids[-1]) if len(ids) else 255
        taken: dict[int, str] = {}
        for text, token_id in self.special_tokens.items():
            if not isinstance(text, str) or not text:
                raise InvalidSpecialToken(f"a special token must be a non-empty str, got {text!r}.")
            if isinstance(token_id, bool) or not isinstance(token_id, (int, np.integer)) or token_id < 0:
                raise InvalidSpecialToken(f"the id of {text!r} must be a whole number from 0 up, got {token_id!r}.")
            if token_id <= top and token_id not in self.skipped_ids:
                raise InvalidSpecialToken(
                    f"{text!r} cannot have id {token_id}: an ordinary token has it. The first free id is {top + 1}."
                )
            if token_id in taken:
                raise InvalidSpecialToken(f"{text!r} and {taken[token_id]!r} cannot share id {token_id}.")
            taken[int(token_id)] = text


def _merge_ids(count: int, skipped: tuple[int, ...]) -> range | tuple[int, ...]:
    if not any(i < 256 + count for i in skipped):
        return range(256, 256 + count)
    holes = set(skipped)
    ids = (i for i in range(256, 256 + count + len(holes)) if i not in holes)
    return tuple(i for _, i in zip(range(count), ids))


# The kinds of a SentencePiece piece, numbered as in its files.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


@dataclass(frozen=True)
class PieceModel:
    """What a SentencePiece ``.model`` file says, as far as encoding and decoding depend on it.

    ``pieces[i]``, ``scores[i]`` and ``kinds[i]`` describe id i. Scores are float32 values: -0.0 is the first BPE merge.
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    kinds: tuple[int, ...]
    model_type: str = "bpe"
    byte_fallback: bool = False
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False
    charsmap: bytes = field(default=b"", repr=False)
    denormalizer_charsmap: bytes = field(default=b"", repr=False)
    unk_surface: str = " \u2047 "
    unk_piece: str = "<unk>"
    bos_piece: str = "<s>"
    eos_piece: str = "</s>"
    pad_piece: str = "<pad>"
