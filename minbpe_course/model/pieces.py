"""The record of a SentencePiece model, and how to change one.

    model.with_pieces(["<|user|>", "<|end|>"])          two more pieces at the end
    model.with_kinds({"cat": "UNUSED"})                 other kinds         model.with_scores({"cat": -3.0})
    model.renamed({"[control_8]": "<|user|>"})          another text, the same id
    model.without_last(2)                               without the last two

Every change gives a new record, which is checked as a file is, so sentencepiece loads it. No change moves an id, since
trained networks depend on ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from minbpe_course.errors import InvalidModel, InvalidPieceId, UnknownToken
from minbpe_course.model.copies import CopiedRecord, types_checked
from minbpe_course.model.frames import NO_FRAME, Frame, PairFrame
from minbpe_course.model.piece_rules import (
    BYTE,
    BYTE_PIECES,
    CONTROL,
    KIND_NAMES,
    NUL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    WRITTEN_KINDS,
    check_pieces,
    is_text,
    piece_utf8,
)

_NAMED = ("unk_piece", "bos_piece", "eos_piece", "pad_piece")
_USUAL_NAMES = {"unk_piece": "<unk>", "bos_piece": "<s>", "eos_piece": "</s>", "pad_piece": "<pad>"}


Step: TypeAlias = tuple[str | bytes | bool | int, ...]
"""One step of a normalizer, pre-tokenizer or decoder: its type as in the file, then its options in a fixed order."""


@dataclass(frozen=True)
class AddedToken:
    """A string that is cut out of a text before anything else, and its id.

    normalized : whether it is found in the normalized text, after all tokens for which this is False · lstrip, rstrip :
    whether it includes the white space on that side · ascii_space : whether only white space of ASCII counts.
    """

    content: str
    id: int
    normalized: bool = False
    lstrip: bool = False
    rstrip: bool = False
    # Manifests of token files have a hash of the other fields.
    ascii_space: bool = field(default=False, repr=False)


# Fields of a PiecePipeline: some that few models have, and those that change no id that ``encode`` gives a text.
_OF_WORDS = ("continuing_prefix", "word_end", "longest_word", "fuse_unknown")
_LATER = ("pair_frame", "unknown_is_special", "unapplied", *_OF_WORDS)


@dataclass(frozen=True, eq=False)
class PiecePipeline:
    """Everything in a tokenizer.json that a SentencePiece ``.model`` file cannot contain.

    text --added tokens--> segments --normalizer--> --cutting--> words --merges or scores--> ids --decoder--> text

    A ``PieceModel`` with a pipeline gives the ids of the `tokenizers` library for that file. They can differ from those
    of sentencepiece: tokens are cut out of the text before it is normalized, each merge has its own rank, and scores
    are added in double precision.

    known : how many pieces, from id 0 on, text can become; the others are added tokens only · merges : uint32[n, 3],
    left, right and made, the preferred merge first; None for a Unigram model, and where any two neighbours merge whose
    joined text is a piece, the best score first · scores : float64 of each known id, -inf if no text becomes it, or
    None for BPE · cut_at_marks : whether a word ends before every ▁ · frame, pair_frame : as in VocabularyModel ·
    unknown_is_special : whether the unknown piece is a special token of the file · unapplied : settings of the file
    that change the ids of `tokenizers` and that encoding ignores, such as "padding" · continuing_prefix : what a
    token begins with that continues a word, such as "##" · word_end : what the last token of a word ends with, such as
    "</w>" · longest_word : a WordPiece word of more characters is unknown · fuse_unknown : whether adjacent unknown
    characters become one id.
    """

    known: int
    merges: np.ndarray | None = None
    scores: np.ndarray | None = None
    added: tuple[AddedToken, ...] = ()
    normalizer: tuple[Step, ...] = ()
    cutting: tuple[Step, ...] = ()
    cut_at_marks: bool = False
    decoder: tuple[Step, ...] | None = None
    frame: Frame = NO_FRAME
    pair_frame: PairFrame | None = None
    unknown_is_special: bool = False
    unapplied: tuple[str, ...] = ()
    continuing_prefix: str = ""
    word_end: str = ""
    longest_word: int = 100
    fuse_unknown: bool = True

    def __eq__(self, other: object) -> bool:
        return self.key() == other.key() if isinstance(other, PiecePipeline) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.known, self.added, self.normalizer, self.cutting))

    @property
    def by_scores(self) -> bool:
        """Whether neighbours in a BPE model merge by the score of the piece that they make."""
        return self.merges is None and self.scores is None

    def key(self) -> tuple[object, ...]:
        """Return everything that makes two pipelines the same, as one tuple of plain values."""
        values = [getattr(self, each.name) for each in fields(self) if each.name not in _LATER]
        # Manifests of token files have a hash of this, so what most files lack is left out.
        values += [] if self.pair_frame is None else [self.pair_frame]
        values += [
            (name, getattr(self, name)) for name in _OF_WORDS if getattr(self, name) != getattr(PiecePipeline, name)
        ]
        return tuple(value.tobytes() if isinstance(value, np.ndarray) else value for value in values)


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


class FlatPieces(NamedTuple):
    """The pieces of a model as arrays.

    text : uint8, the bytes of all pieces, a NUL after each, and 16 bytes more · starts : int64[n + 1], where each
    begins · scores : float32[n] · kinds : uint8[n].
    """

    text: np.ndarray
    starts: np.ndarray
    scores: np.ndarray
    kinds: np.ndarray

    def piece(self, at: int) -> str:
        """Return one piece."""
        return self.text[self.starts[at] : self.starts[at + 1] - 1].tobytes().decode("utf-8", "surrogateescape")

    def pieces(self) -> tuple[str, ...]:
        """Return all pieces, of which none contains NUL."""
        text = self.text[: self.starts[-1] - 1].tobytes().decode("utf-8", "surrogateescape")
        return tuple(text.split("\0"))


@dataclass(frozen=True, eq=False)
class PieceModel(CopiedRecord):
    """The content of a SentencePiece ``.model`` file, as far as encoding and decoding depend on it.

    ``pieces[i]``, ``scores[i]`` and ``kinds[i]`` describe id i. Scores are float32 values: -0.0 is the first BPE merge.
    A byte of a piece that is not UTF-8 is a lone surrogate of the str (``piece_utf8`` gives the bytes); text never
    becomes such a piece. ``pipeline`` is the rest of a tokenizer.json, None for a ``.model`` file. ``source`` is the
    file the model was read from. It keeps everything that no field here mentions (how the model was trained, unknown
    fields), so a model that is read and written again is the same file. Comparisons ignore it.

    Raises InvalidModel where sentencepiece 0.2.3 refuses to load a model: pieces that are empty, duplicate, too long or
    contain NUL, two unknown pieces or none, byte pieces without byte fallback or fewer than 256 with it, a Unigram
    score that is not finite. With byte fallback a piece NUL becomes UNUSED, as in sentencepiece.

    >>> model = PieceModel(pieces=("<unk>", "a", "aa"), scores=(0.0, -1.0, -0.0), kinds=(UNKNOWN, 1, 1))
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
    pipeline: PiecePipeline | None = None
    source: bytes = field(default=b"", repr=False, compare=False)

    def __post_init__(self) -> None:
        with types_checked(self):
            self._settle()

    def _settle(self) -> None:
        put = object.__setattr__
        put(self, "pieces", tuple(self.pieces))
        with np.errstate(over="ignore"):
            scores = np.array(self.scores, dtype=np.float32)
            if scores.ndim != 1:
                raise InvalidModel(f"scores must be a list of numbers, got {scores.ndim} dimensions.")
            put(self, "scores", tuple(scores.tolist()))
        kinds = tuple(self.kinds)
        if self.byte_fallback and NUL in self.pieces and self.pipeline is None:
            # Such models exist (they were converted from others), and NUL can be written as a byte.
            kinds = tuple(UNUSED if piece == NUL else kind for piece, kind in zip(self.pieces, kinds))
        put(self, "kinds", kinds)
        if self.pipeline is None:
            check_pieces(self.pieces, self.scores, self.kinds, self.model_type, self.byte_fallback)

    @classmethod
    def of_checked(cls, flat: FlatPieces, **others: Any) -> PieceModel:
        """Return the model of valid pieces, without checking them; the tuples are made on first access."""
        model = cls.__new__(cls)
        defaults = {each.name: each.default for each in fields(cls)[3:]}
        for name, value in (defaults | others | {"flat": flat}).items():
            object.__setattr__(model, name, value)
        return model

    def __getattr__(self, name: str) -> Any:
        if name not in ("pieces", "scores", "kinds") or "flat" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        flat = self.flat
        value = flat.pieces() if name == "pieces" else tuple(getattr(flat, name).tolist())
        object.__setattr__(self, name, value)
        return value

    def __len__(self) -> int:
        return len(self.flat.kinds)

    def __repr__(self) -> str:
        count = len(self)
        return f"PieceModel({self.model_type}, {count:,} pieces, byte_fallback={self.byte_fallback}, {self.normalizer})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PieceModel):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.model_type, self.pieces[:64], len(self)))

    def _fields(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(PieceModel)}

    # ---- Computed from the fields

    @cached_property
    def flat(self) -> FlatPieces:
        """The pieces, their scores and kinds as arrays."""
        listed = [piece_utf8(piece) for piece in self.pieces]
        starts = np.zeros(len(listed) + 1, dtype=np.int64)
        np.cumsum([len(piece) + 1 for piece in listed], out=starts[1:])
        text = np.frombuffer(b"\0".join([*listed, bytes(16)]), dtype=np.uint8)
        return FlatPieces(text, starts, np.array(self.scores, np.float32), np.array(self.kinds, np.uint8))

    def ids_of_kind(self, kind: int) -> list[int]:
        """Return the ids of all pieces of a kind.

        >>> PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (UNKNOWN, 1, 1)).ids_of_kind(1)
        [1, 2]
        """
        found: list[int] = np.flatnonzero(self.flat.kinds == kind).tolist()
        return found

    @cached_property
    def piece_ids(self) -> Mapping[str, int]:
        """The id of each piece. If a special piece (control, unknown, byte) has the text of another piece, which no BPE
        model allows, the id is that of the special one.
        """
        ids = {piece: i for i, piece in enumerate(self.pieces)}
        if self.pipeline is None and (len(ids) < len(self.pieces) or NUL in ids):
            both = [(piece, i) for i, piece in enumerate(self.pieces) if piece != NUL]
            ids = dict(sorted(both, key=lambda entry: self.kinds[entry[1]] not in WRITTEN_KINDS))
        return MappingProxyType(ids)

    @cached_property
    def mergeable(self) -> Mapping[str, int]:
        """The pieces that text can become: control, unknown and byte pieces never come out of text that spells them."""
        kinds = self.kinds
        ids = {piece: i for i, piece in enumerate(self.pieces) if kinds[i] in WRITTEN_KINDS}
        ids.pop(NUL, None)
        if not is_text("".join(ids)):
            ids = {piece: i for piece, i in ids.items() if is_text(piece)}
        return MappingProxyType(ids)

    @cached_property
    def user_defined(self) -> tuple[str, ...]:
        """The pieces that are cut out of the text before anything merges."""
        pieces = map(self.flat.piece, self.ids_of_kind(USER_DEFINED))
        return tuple(piece for piece in pieces if piece != NUL and is_text(piece))

    @cached_property
    def byte_ids(self) -> tuple[int, ...]:
        """The id of each byte's piece, or ``()`` without byte fallback."""
        if not self.byte_fallback:
            return ()
        ids: Mapping[str, int] = (
            self.piece_ids if self.pipeline else {self.flat.piece(at): at for at in self.ids_of_kind(BYTE)}
        )
        # A tokenizer.json may lack those that are never needed.
        return tuple(ids.get(name, 0) for name in BYTE_PIECES)

    @cached_property
    def unk_id(self) -> int:
        """The id of the one unknown piece, or -1."""
        return next(iter(self.ids_of_kind(UNKNOWN)), -1)

    @property
    def declared_unk_id(self) -> int:
        """The result of ``SentencePieceProcessor.unk_id()``: -1 if ``unk_piece`` names a piece of another kind."""
        return self._named("unk_piece", UNKNOWN)

    @property
    def bos_id(self) -> int:
        """The id of the control piece that begins a text, or -1."""
        return self._named("bos_piece", CONTROL)

    @property
    def eos_id(self) -> int:
        """The id of the control piece that ends a text, or -1."""
        return self._named("eos_piece", CONTROL)

    @property
    def pad_id(self) -> int:
        """The id of the control piece that fills up a batch, or -1."""
        return self._named("pad_piece", CONTROL)

    # ---- Changes

    def replace(self, **changes: Any) -> PieceModel:
        """Return a copy with some fields changed.

        >>> PieceModel(("<unk>", "a"), (0.0, 0.0), (2, 1)).replace(unk_surface="?").unk_surface
        '?'
        """
        unknown = changes.keys() - {each.name for each in fields(self)}
        if unknown:
            raise InvalidModel(f"a PieceModel has no field {min(unknown)!r}; it has {', '.join(_FIELDS)}.")
        if self.pipeline is not None and changes:
            raise InvalidModel(
                "this model was read from a tokenizer.json, and its pieces belong to the rest of that file. Change the "
                "file, and read it again: load_tokenizer('tokenizer.json')."
            )
        return PieceModel(**({each.name: getattr(self, each.name) for each in fields(self)} | changes))

    def with_pieces(
        self, pieces: Iterable[str] | Mapping[str, float], *, kind: int | str = USER_DEFINED, score: float = 0.0
    ) -> PieceModel:
        """Return a copy with more pieces at the end: their ids begin at ``len(model)``.

        pieces : the texts, or text -> score. kind : the kind of all of them. USER_DEFINED pieces are found in
        every text and never split (write ▁ for a space that must come first); CONTROL pieces are never found in a text;
        NORMAL ones are used by score. score : the score of all, if none is given.

        A NORMAL piece of a BPE model can only be made by joining two others, so the steps in between must be pieces.

        Raises InvalidModel for a piece that the model has, or that no model may have.

        >>> model = PieceModel(("<unk>", "a"), (0.0, 0.0), (2, 1)).with_pieces(["<|user|>", "<|end|>"])
        >>> model.piece_ids["<|end|>"], model.kinds[3] == USER_DEFINED
        (3, True)
        """
        if isinstance(pieces, str):
            raise InvalidModel(f"with_pieces takes several pieces: with_pieces([{pieces!r}]).")
        added = dict(pieces) if isinstance(pieces, Mapping) else dict.fromkeys((pieces := list(pieces)), score)
        for piece in added:
            if piece in self.piece_ids:
                at = self.piece_ids[piece]
                raise InvalidModel(
                    f"{piece!r} is in the model: id {at}, {KIND_NAMES[self.kinds[at]]}, score {self.scores[at]:g}. "
                    f"To change what it is: model.with_kinds({{{piece!r}: {KIND_NAMES[_kind_number(kind)]!r}}})."
                )
        if len(added) < len(pieces):  # type: ignore[arg-type]
            twice = next(piece for piece in added if list(pieces).count(piece) > 1)
            raise InvalidModel(f"{twice!r} is given twice.")
        return self.replace(
            pieces=(*self.pieces, *added),
            scores=(*self.scores, *added.values()),
            kinds=(*self.kinds, *[_kind_number(kind)] * len(added)),
        )

    def with_kinds(self, kinds: Mapping[str | int, int | str]) -> PieceModel:
        """Return a copy in which some pieces, given by text or by id, are of another kind.

        >>> model = PieceModel(("<unk>", "a", "b"), (0.0, 0.0, 0.0), (2, 1, 1))
        >>> model.with_kinds({"a": "UNUSED", 2: USER_DEFINED}).kinds
        (2, 5, 4)
        """
        changed = list(self.kinds)
        for piece, kind in kinds.items():
            changed[self._at(piece)] = _kind_number(kind)
        return self.replace(kinds=changed)

    def with_scores(self, scores: Mapping[str | int, float]) -> PieceModel:
        """Return a copy in which some pieces, given by text or by id, have another score.

        >>> PieceModel(("<unk>", "a"), (0.0, 0.0), (2, 1)).with_scores({"a": -1.5}).scores
        (0.0, -1.5)
        """
        changed = list(self.scores)
        for piece, score in scores.items():
            changed[self._at(piece)] = score
        return self.replace(scores=changed)

    def renamed(self, names: Mapping[str | int, str]) -> PieceModel:
        """Return a copy in which some pieces have another text and keep id, kind and score.

        This puts reserved pieces to use. ``bos_piece`` and the like follow.

        >>> model = PieceModel(("<unk>", "<s>", "<extra_0>"), (0.0, 0.0, 0.0), (2, 3, 4))
        >>> model.renamed({"<extra_0>": "<|user|>", "<s>": "<|begin|>"}).bos_id
        1
        """
        changed = list(self.pieces)
        followed: dict[str, Any] = {}
        for piece, name in names.items():
            at = self._at(piece)
            changed[at] = name
            followed |= {each: name for each in _NAMED if getattr(self, each) == self.pieces[at]}
        return self.replace(pieces=changed, **followed)

    def without_last(self, count: int) -> PieceModel:
        """Return a copy without the last ``count`` pieces. Only the end can go: other ids would move.

        >>> PieceModel(("<unk>", "a", "b"), (0.0, 0.0, 0.0), (2, 1, 1)).without_last(1).pieces
        ('<unk>', 'a')
        """
        if not 0 <= count <= len(self):
            raise InvalidModel(f"without_last({count}): the model has {len(self):,} pieces.")
        keep = len(self) - count
        return self.replace(pieces=self.pieces[:keep], scores=self.scores[:keep], kinds=self.kinds[:keep])

    def with_byte_fallback(self) -> PieceModel:
        """Return a copy that writes what it does not know as bytes: 256 byte pieces more, ``<0x00>`` to ``<0xFF>``.

        >>> model = PieceModel(("<unk>", "a"), (0.0, 0.0), (2, 1)).with_byte_fallback()
        >>> len(model), model.byte_ids[0xFF]
        (258, 257)
        """
        return self.replace(
            pieces=(*self.pieces, *BYTE_PIECES),
            scores=(*self.scores, *[0.0] * 256),
            kinds=(*self.kinds, *[BYTE] * 256),
            byte_fallback=True,
        )

    # ---- Private

    def _named(self, field_name: str, kind: int) -> int:
        name = getattr(self, field_name) or _USUAL_NAMES[field_name]  # an empty name means the usual one
        at = self.piece_ids.get(name, self.unk_id)
        return at if at >= 0 and self.kinds[at] == kind else -1

    def _at(self, piece: str | int) -> int:
        if isinstance(piece, str):
            if piece not in self.piece_ids:
                raise UnknownToken(f"{piece!r} is no piece of this model. To add it: model.with_pieces([{piece!r}]).")
            return self.piece_ids[piece]
        if not 0 <= piece < len(self):
            raise InvalidPieceId(f"id {piece} is not in this model; its ids are 0 to {len(self) - 1}.")
        return piece

    def _key(self) -> tuple:
        # The bits of the scores: -0.0 is not 0.0 (it comes later), and a NaN is itself.
        others = (getattr(self, each.name) for each in fields(self) if each.name not in ("scores", "source"))
        return (np.array(self.scores, dtype=np.float32).tobytes(), *others)


_FIELDS = tuple(each.name for each in fields(PieceModel))


def _kind_number(kind: int | str) -> int:
    number = {name: number for number, name in KIND_NAMES.items()}.get(kind, kind) if isinstance(kind, str) else kind
    if number not in KIND_NAMES:
        raise InvalidModel(f"{kind!r} is no kind of piece; the kinds are {', '.join(KIND_NAMES.values())}.")
    assert isinstance(number, int)
    return number
