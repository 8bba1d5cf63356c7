"""The frozen records that everything else is derived from.

    BytePairModel   merges, byte order, split pattern, special tokens     -> vocabulary, ranks, tables
    PieceModel      pieces, scores, kinds and flags of a SentencePiece file

A record holds one truth. The vocabulary, the compiled pattern and the inverse tables are computed from it and so can
never disagree with it after a load. Records know nothing about files, kernels or tokenizer classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType

import numpy as np

from minbpe_course.errors import InvalidModel, InvalidSpecialToken

IDENTITY_BYTE_ORDER = bytes(range(256))


class BytePairModel:
    """A byte-level BPE model: which pairs merge, in which order.

    Parameters
    ----------
    merges : pairs of ids in the order in which they were learned, shape (n, 2). The first merge makes the first id
        after the 256 bytes.
    byte_order : the byte that each of the ids 0..255 stands for. Identity unless the vocabulary shuffles its bytes, as
        OpenAI's do.
    pattern : the regular expression that cuts text into words before any merge, or None for no cutting.
    special_tokens : text -> id, outside the merges. Two texts may share an id, as two do in o200k_harmony; the last
        one given is what the id decodes to.
    skipped_ids : ids above 255 that merges step over, ascending. p50k_base keeps 50256 for ``<|endoftext|>`` and goes
        on after it; every other vocabulary has none.

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
        counts = f"{len(self.pairs):,} merges, {len(self.special_tokens)} special tokens"
        return f"BytePairModel({counts}, pattern={self.pattern!r})"

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
                f"merge {at} joins {tuple(self.pairs[at].tolist())} into {int(ids[at])}, "
                "but a merge may only join ids that exist before it."
            )

        # The largest merge id first: almost every special token lies above it, so the exact test is rarely needed.
        top = int(ids[-1]) if len(ids) else 255
        for text, token_id in self.special_tokens.items():
            if not isinstance(text, str) or not text:
                raise InvalidSpecialToken(f"a special token must be a non-empty str, got {text!r}.")
            if isinstance(token_id, bool) or not isinstance(token_id, (int, np.integer)) or token_id < 0:
                raise InvalidSpecialToken(f"the id of {text!r} must be a whole number from 0 up, got {token_id!r}.")
            if token_id <= top and token_id not in self.skipped_ids:
                raise InvalidSpecialToken(
                    f"{text!r} cannot have id {token_id}: an ordinary token has it. The first free id is {top + 1}."
                )


def _merge_ids(count: int, skipped: tuple[int, ...]) -> range | tuple[int, ...]:
    if not any(i < 256 + count for i in skipped):
        return range(256, 256 + count)
    holes = set(skipped)
    ids = (i for i in range(256, 256 + count + len(holes)) if i not in holes)
    return tuple(i for _, i in zip(range(count), ids))


# The kinds of a SentencePiece piece, numbered as in its files.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
KIND_NAMES = {1: "NORMAL", 2: "UNKNOWN", 3: "CONTROL", 4: "USER_DEFINED", 5: "UNUSED", 6: "BYTE"}
MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
MOST_PIECE_BYTES = 7999  # sentencepiece 0.2.3 refuses longer ones


@dataclass(frozen=True)
class NormalizerRules:
    """How text is rewritten before (or, in a denormaliser, after) the pieces: a table of replacements and three
    switches.

    charsmap : the compiled table as the file holds it (``text.normalize.Charsmap`` opens it), empty for no
    replacements.
    """

    charsmap: bytes = field(default=b"", repr=False)
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


@dataclass(frozen=True)
class PieceModel:
    """What a SentencePiece ``.model`` file says, as far as encoding and decoding depend on it.

    ``pieces[i]``, ``scores[i]`` and ``kinds[i]`` describe id i. Scores are float32 values: -0.0 is the first BPE merge.
    ``source`` is the file it was read from: what no field here mentions (how it was trained, unknown fields) lives on
    in it, so a model that is read and written again is the same file. It takes no part in comparisons.

    Raises InvalidModel for what sentencepiece 0.2.3 refuses to load: pieces that are empty, twice there, too long or
    hold NUL, two unknown pieces or none, byte pieces without byte fallback or fewer than 256 with it.

    >>> model = PieceModel(pieces=("<unk>", "a", "aa"), scores=(0.0, -1.0, -0.0), kinds=(UNKNOWN, NORMAL, NORMAL))
    >>> model.piece_ids["aa"], model.unk_id, model.bos_id, len(model)
    (2, 0, -1, 3)
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...] = field(repr=False)
    kinds: tuple[int, ...] = field(repr=False)
    model_type: str = "bpe"
    byte_fallback: bool = False
    treat_whitespace_as_suffix: bool = False
    normalizer: NormalizerRules = NormalizerRules()
    denormalizer: NormalizerRules = NormalizerRules()
    unk_surface: str = " \u2047 "
    unk_piece: str = "<unk>"
    bos_piece: str = "<s>"
    eos_piece: str = "</s>"
    pad_piece: str = "<pad>"
    source: bytes = field(default=b"", repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check()

    def __len__(self) -> int:
        return len(self.pieces)

    def __repr__(self) -> str:
        count = len(self.pieces)
        return f"PieceModel({self.model_type}, {count:,} pieces, byte_fallback={self.byte_fallback}, {self.normalizer})"

    def __hash__(self) -> int:
        return hash((self.model_type, self.pieces[:64], len(self.pieces)))

    def __reduce__(self) -> tuple:
        # The fields only: what was computed from them is computed again.
        return PieceModel, tuple(getattr(self, each.name) for each in fields(self))

    @cached_property
    def piece_ids(self) -> Mapping[str, int]:
        """piece -> id."""
        return MappingProxyType({piece: i for i, piece in enumerate(self.pieces)})

    @cached_property
    def mergeable(self) -> Mapping[str, int]:
        """The pieces that text can become: control, unknown and byte pieces never come out of text that spells them."""
        kinds = self.kinds
        return MappingProxyType({p: i for i, p in enumerate(self.pieces) if kinds[i] in (NORMAL, USER_DEFINED, UNUSED)})

    @cached_property
    def user_defined(self) -> tuple[str, ...]:
        """The pieces that are cut out of the text before anything merges."""
        return tuple(p for p, kind in zip(self.pieces, self.kinds) if kind == USER_DEFINED)

    @cached_property
    def byte_ids(self) -> tuple[int, ...]:
        """The id of each byte's piece, or ``()`` without byte fallback."""
        if not self.byte_fallback:
            return ()
        return tuple(self.piece_ids[f"<0x{byte:02X}>"] for byte in range(256))

    @cached_property
    def unk_id(self) -> int:
        """The id of the one unknown piece, or -1."""
        return self.kinds.index(UNKNOWN) if UNKNOWN in self.kinds else -1

    @property
    def bos_id(self) -> int:
        """The id of the control piece that begins a text, or -1 when there is none."""
        return self._control(self.bos_piece)

    @property
    def eos_id(self) -> int:
        """The id of the control piece that ends a text, or -1 when there is none."""
        return self._control(self.eos_piece)

    @property
    def pad_id(self) -> int:
        """The id of the control piece that fills up a batch, or -1 when there is none."""
        return self._control(self.pad_piece)

    def _control(self, piece: str) -> int:
        at = self.piece_ids.get(piece, -1)
        return at if at >= 0 and self.kinds[at] == CONTROL else -1

    def _check(self) -> None:
        if not len(self.pieces) == len(self.scores) == len(self.kinds):
            raise InvalidModel(f"{len(self.pieces)} pieces, {len(self.scores)} scores and {len(self.kinds)} kinds.")
        if self.model_type not in MODEL_TYPES.values():
            raise InvalidModel(f"unknown model type {self.model_type!r}; known: {', '.join(MODEL_TYPES.values())}.")
        seen: dict[str, int] = {}
        for at, piece in enumerate(self.pieces):
            kind = self.kinds[at]
            if kind not in KIND_NAMES:
                raise InvalidModel(f"piece {at} ({piece!r}) is of kind {kind}; the kinds are 1 to 6.")
            if not piece:
                raise InvalidModel(f"piece {at} is empty.")
            if "\0" in piece and not (piece == "\0" and kind == UNUSED):
                raise InvalidModel(f"piece {at} ({piece[:40]!r}) contains NUL.")
            if seen.setdefault(piece, at) != at:
                raise InvalidModel(
                    f"pieces {seen[piece]} and {at} are both {piece[:40]!r}; every piece must be there once."
                )
            if len(piece) * 4 > MOST_PIECE_BYTES and len(piece.encode("utf-8")) > MOST_PIECE_BYTES:
                raise InvalidModel(f"piece {at} ({piece[:40]!r}...) is longer than {MOST_PIECE_BYTES:,} bytes.")
        if self.kinds.count(UNKNOWN) > 1 or (UNKNOWN not in self.kinds and not self.byte_fallback):
            raise InvalidModel(f"{self.kinds.count(UNKNOWN)} pieces are of kind UNKNOWN; exactly one must be.")
        self._check_bytes()

    def _check_bytes(self) -> None:
        names = {piece for piece, kind in zip(self.pieces, self.kinds) if kind == BYTE}
        if names and not self.byte_fallback:
            raise InvalidModel(f"{len(names)} byte pieces such as {min(names)}, but byte_fallback is off.")
        if self.byte_fallback:
            missing = [f"<0x{byte:02X}>" for byte in range(256) if f"<0x{byte:02X}>" not in names]
            if missing:
                raise InvalidModel(
                    f"byte_fallback needs 256 byte pieces; {len(missing)} are missing, the first is {missing[0]}."
                )
            if len(names) > 256:
                strange = min(name for name in names if name not in {f"<0x{byte:02X}>" for byte in range(256)})
                raise InvalidModel(
                    f"the piece {strange!r} is of kind BYTE but names no byte; byte pieces are <0x00> to <0xFF>."
                )
