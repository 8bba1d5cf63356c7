"""SentencePiece BPE models (Llama 2, Mistral, Gemma, ...): a ``.model`` file in, the ids of sentencepiece 0.2.3 out.

    tokenizer = SentencePieceTokenizer(model_file="tokenizer.model")
    tokenizer.encode("Hello world")     tokenizer.encode("Hello world", out_type=str)     tokenizer.decode(ids)

The surface is that of ``sentencepiece.SentencePieceProcessor``: the same arguments, ids, pieces and decoded text.

Limits: BPE models only; sampling and N-best are not there. ``decode`` is not the inverse of ``encode``: SentencePiece
adds and drops spaces, and a normaliser rewrites text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minbpe_course.corpus.words import utf8
from minbpe_course.errors import InvalidPieceId, InvalidSpecialToken, NotText, NotTrained, UnsupportedModel
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import BYTE, CONTROL, UNKNOWN, UNUSED, PieceModel
from minbpe_course.reference.pieces import decode_pieces
from minbpe_course.tokenizers.sentencepiece_engine import Encoded, PieceEngine


class SentencePieceTokenizer:
    """A SentencePiece BPE model that encodes and decodes like sentencepiece 0.2.3.

    Parameters
    ----------
    model_file : path of a ``.model`` file, or ``model_proto`` : its bytes, or ``model`` : a PieceModel.
    out_type, add_bos, add_eos, reverse, emit_unk_piece : what ``encode`` does when it is not told.

    Raises UnusablePath, UnreadableModel, and UnsupportedModel for a model that is not BPE.

    >>> from minbpe_course.model import PieceModel
    >>> model = PieceModel(("<unk>", "▁", "a", "▁a", "aa"), (0.0, -2.0, -3.0, -1.0, -0.0), (2, 1, 1, 1, 1))
    >>> tokenizer = SentencePieceTokenizer(model=model)
    >>> tokenizer.encode("aaa a"), tokenizer.encode("aaa a", out_type=str)
    ([1, 4, 2, 3], ['▁', 'aa', 'a', '▁a'])
    >>> tokenizer.decode([1, 4, 2, 3])
    'aaa a'
    """

    def __init__(
        self,
        model_file: str | os.PathLike[str] | None = None,
        model_proto: bytes | None = None,
        out_type: type = int,
        add_bos: bool = False,
        add_eos: bool = False,
        reverse: bool = False,
        emit_unk_piece: bool = False,
        *,
        model: PieceModel | None = None,
    ) -> None:
        given = [source for source in (model_file, model_proto, model) if source is not None]
        if len(given) != 1:
            raise NotTrained(
                "give exactly one model: SentencePieceTokenizer(model_file='tokenizer.model'), or model_proto=bytes, "
                "or model=a PieceModel."
            )
        if model_file is not None:
            model = sentencepiece_proto.read(model_file)
        elif model_proto is not None:
            model = sentencepiece_proto.from_bytes(model_proto, "model_proto")
        assert model is not None
        if model.model_type != "bpe":
            raise UnsupportedModel(
                f"this is a {model.model_type} model; SentencePieceTokenizer handles bpe. For now use sentencepiece "
                "itself: sentencepiece.SentencePieceProcessor(model_file=...)."
            )
        self.model = model
        self._defaults = (out_type, add_bos, add_eos, reverse, emit_unk_piece)
        self._engine = PieceEngine(model)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "defaults": self._defaults}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.model, self._defaults = state["model"], state["defaults"]
        self._engine = PieceEngine(self.model)

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, piece: str) -> int:
        return self.piece_to_id(piece)

    def __repr__(self) -> str:
        return f"SentencePieceTokenizer({self.model!r})"

    # ---- Encoding

    def encode(
        self,
        text: str | bytes | list[str] | list[bytes],
        out_type: type | None = None,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
    ) -> list[Any]:
        """Return the ids of a text (``out_type=int``) or its pieces (``out_type=str``); of a list of texts, a list of
        those.

        The ids are turned round first (``reverse``), then ``bos`` goes in front and ``eos`` behind. bytes may be
        given, broken UTF-8 included: a bad byte counts as U+FFFD. Raises NotText, InvalidText for a lone surrogate,
        InvalidSpecialToken when the model has no such piece.
        """
        if isinstance(text, list):
            return self.encode_batch(text, out_type, add_bos, add_eos, reverse, emit_unk_piece)
        kind, begin, end, turn, emit = self._options(out_type, add_bos, add_eos, reverse, emit_unk_piece)

        if kind is int:
            return self._finished(self._engine.encode_list(text), kind, begin, end, turn)
        found = self._engine.spell([_utf8(text)])
        return self._finished(self._shown(found.ids.tolist(), found, 0, emit), kind, begin, end, turn)

    def encode_batch(
        self,
        texts: Sequence[str | bytes],
        out_type: type | None = None,
        add_bos: bool | None = None,
        add_eos: bool | None = None,
        reverse: bool | None = None,
        emit_unk_piece: bool | None = None,
        *,
        num_threads: int | None = None,
    ) -> list[list[Any]]:
        """Encode many texts in one go, on ``num_threads`` threads (default: as many as there are processors)."""
        kind, begin, end, turn, emit = self._options(out_type, add_bos, add_eos, reverse, emit_unk_piece)
        if kind is int:
            lists = self._engine.encode_lists(texts, num_threads)
            return [self._finished(ids, kind, begin, end, turn) for ids in lists] if begin or end or turn else lists
        found = self._engine.spell([_utf8(text) for text in texts])
        ids = found.ids.tolist()
        results: list[list[Any]] = []
        start = 0
        for number, stop in enumerate(found.ends.tolist()):
            shown = self._shown(ids[start:stop], found, number, emit)
            results.append(self._finished(shown, kind, begin, end, turn))
            start = stop
        return results

    def encode_to_array(self, text: str | bytes, add_bos: bool = False, add_eos: bool = False) -> np.ndarray:
        """Return the ids as ``numpy.uint32``. (An id is never negative: a model without unknown piece writes bytes.)"""
        ids = self._engine.encode(text)
        if add_bos or add_eos:
            front = [self._special("bos")] if add_bos else []
            back = [self._special("eos")] if add_eos else []
            ids = np.concatenate([np.array(front, np.uint32), ids, np.array(back, np.uint32)])
        return ids

    def encode_batch_to_array(
        self, texts: Sequence[str | bytes], *, num_threads: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all texts in one ``numpy.uint32`` array, and where each text ends, ``numpy.int64``."""
        ids, offsets = self._engine.encode_many(texts, num_threads)
        return ids, offsets[1:]

    def encode_with_offsets(self, text: str | bytes) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids and, for each, the bytes ``(begin, end)`` of the text that it stands for.

        Of the byte pieces of one character only the last has the character's bytes; the others are empty. The added
        space takes none. Unknown pieces that fused have all of theirs.
        """
        found = self._engine.spell([_utf8(text)], positions=True)
        ids = found.ids.tolist()
        stops = np.cumsum(found.spans)
        positions = found.positions
        offsets: list[tuple[int, int]] = []
        for token_id, stop, span in zip(ids, stops.tolist(), found.spans.tolist()):
            begin, end = int(positions[stop - span]), int(positions[stop])
            if (
                token_id in self.model.byte_ids
                and stop < found.normalized.size
                and found.normalized[stop] & 0xC0 == 0x80
            ):
                end = begin
            offsets.append((begin, end))
        return ids, offsets

    def normalize(self, text: Any) -> Any:
        """Return the text as the pieces see it: rules applied, spaces as ▁. bytes give bytes, a list gives a list."""
        if isinstance(text, list):
            return [self.normalize(one) for one in text]
        normalized = self._engine.normalize(_utf8(text))
        return normalized if isinstance(text, bytes) else normalized.decode("utf-8")

    # ---- Decoding

    def decode(self, ids: Any) -> Any:
        """Return the text of ids or of pieces; of a list of lists, a list of texts.

        Raises InvalidPieceId for an id that the model does not have, NotText for what is neither ids nor pieces.
        """
        if ids is None:
            return ""
        if isinstance(ids, (str, int, np.integer)):
            ids = [ids]
        if isinstance(ids, np.ndarray):
            ids = ids.tolist()
        try:
            items = list(ids)
        except TypeError:
            raise NotText(f"decode takes ids or pieces, got {type(ids).__name__}: decode([1, 2, 3]).") from None
        if any(isinstance(item, (list, tuple, np.ndarray)) for item in items):
            return [self.decode(item) for item in items]
        if len({isinstance(item, str) for item in items}) > 1:
            raise NotText("decode takes ids or pieces, not both in one list.")
        text = decode_pieces([self._piece_of(item) for item in items], self.model)
        return self._engine.denormalize(text)

    def _piece_of(self, item: Any) -> tuple[str, int]:
        if isinstance(item, str):
            return item, self.piece_to_id(item)
        token_id = self._checked(item)
        return self.model.pieces[token_id], token_id

    # ---- Pieces

    def id_to_piece(self, token_id: Any) -> Any:
        """Return the piece of an id, or a list of pieces. Raises InvalidPieceId."""
        return self._each(token_id, lambda at: self.model.pieces[at])

    def piece_to_id(self, piece: Any) -> Any:
        """Return the id of a piece (the unknown one's, or -1, for a piece that is not there), or a list of ids."""
        if isinstance(piece, (list, tuple)):
            return [self.piece_to_id(one) for one in piece]
        if not isinstance(piece, str):
            raise NotText(f"a piece is a str, got {type(piece).__name__}.")
        return self.model.piece_ids.get(piece, self.model.unk_id)

    def get_score(self, token_id: Any) -> Any:
        """Return the score of an id: in a BPE model minus the position of its merge."""
        return self._each(token_id, lambda at: self.model.scores[at])

    def is_unknown(self, token_id: Any) -> Any:
        """Tell whether the id is that of the unknown piece."""
        return self._each(token_id, lambda at: self.model.kinds[at] == UNKNOWN)

    def is_control(self, token_id: Any) -> Any:
        """Tell whether the id is that of a control piece, such as ``<s>``, which no text encodes to."""
        return self._each(token_id, lambda at: self.model.kinds[at] == CONTROL)

    def is_unused(self, token_id: Any) -> Any:
        """Tell whether the id is that of an unused piece, which merges but is taken apart again."""
        return self._each(token_id, lambda at: self.model.kinds[at] == UNUSED)

    def is_byte(self, token_id: Any) -> Any:
        """Tell whether the id is that of a byte, such as ``<0x0A>``."""
        return self._each(token_id, lambda at: self.model.kinds[at] == BYTE)

    def vocab_size(self) -> int:
        """Return the number of pieces."""
        return len(self.model)

    def unk_id(self) -> int:
        """Return the id of the unknown piece, -1 if there is none."""
        return self.model.unk_id

    def bos_id(self) -> int:
        """Return the id that begins a text, -1 if there is none."""
        return self.model.bos_id

    def eos_id(self) -> int:
        """Return the id that ends a text, -1 if there is none."""
        return self.model.eos_id

    def pad_id(self) -> int:
        """Return the id that fills up a batch, -1 if there is none."""
        return self.model.pad_id

    # The names of the older surface of sentencepiece.
    Encode = encode
    Decode = decode
    Normalize = normalize
    IdToPiece = id_to_piece
    PieceToId = piece_to_id
    GetScore = get_score
    IsUnknown = is_unknown
    IsControl = is_control
    IsUnused = is_unused
    IsByte = is_byte
    GetPieceSize = get_piece_size = piece_size = vocab_size
    DecodeIds = decode_ids = decode
    DecodePieces = decode_pieces = decode

    def encode_as_ids(self, text: Any) -> list[Any]:
        """Return the ids, whatever the ``out_type`` of the tokenizer."""
        return self.encode(text, out_type=int)

    def encode_as_pieces(self, text: Any) -> list[Any]:
        """Return the pieces, whatever the ``out_type`` of the tokenizer."""
        return self.encode(text, out_type=str)

    EncodeAsIds = encode_as_ids
    EncodeAsPieces = encode_as_pieces

    # ---- Private

    def _options(self, *asked: Any) -> tuple[Any, ...]:
        """Fill up what was not asked for, and check it before anything is encoded."""
        options = tuple(default if own is None else own for own, default in zip(asked, self._defaults))
        if options[0] not in (int, str):
            raise UnsupportedModel(f"out_type={options[0]!r}: it is int (ids) or str (pieces).")
        for wanted, name in ((options[1], "bos"), (options[2], "eos")):
            if wanted:
                self._special(name)
        return options

    def _special(self, name: str) -> int:
        token_id: int = getattr(self.model, f"{name}_id")
        if token_id < 0:
            raise InvalidSpecialToken(
                f"add_{name}=True, but this model has no control piece {getattr(self.model, f'{name}_piece')!r}. "
                f"Leave add_{name} out."
            )
        return token_id

    def _shown(self, ids: list[int], found: Encoded, number: int, emit_unk_piece: bool) -> list[str]:
        """The pieces of one text: those of the vocabulary, and for unknown ones the text itself."""
        pieces, unk_id = self.model.pieces, self.model.unk_id
        if emit_unk_piece or unk_id not in ids:
            return [pieces[token_id] for token_id in ids]
        first = int(found.ends[number - 1]) if number else 0
        at = int(found.normalized_ends[number - 1]) if number else 0
        shown = []
        for token_id, span in zip(ids, found.spans[first : first + len(ids)].tolist()):
            text = (
                found.normalized[at : at + span].tobytes().decode("utf-8") if token_id == unk_id else pieces[token_id]
            )
            shown.append(text)
            at += span
        return shown

    def _finished(self, result: list[Any], kind: type, begin: bool, end: bool, turn: bool) -> list[Any]:
        if turn:
            result.reverse()
        if begin:
            bos = self._special("bos")
            result.insert(0, bos if kind is int else self.model.pieces[bos])
        if end:
            eos = self._special("eos")
            result.append(eos if kind is int else self.model.pieces[eos])
        return result

    def _checked(self, token_id: Any) -> int:
        if isinstance(token_id, bool) or not isinstance(token_id, (int, np.integer)):
            raise NotText(f"an id is a whole number, got {token_id!r}.")
        if not 0 <= token_id < len(self.model):
            raise InvalidPieceId(f"id {token_id} is not in this model; its ids are 0 to {len(self.model) - 1}.")
        return int(token_id)

    def _each(self, token_id: Any, look: Callable[[int], Any]) -> Any:
        if isinstance(token_id, (list, tuple, np.ndarray)):
            return [look(self._checked(one)) for one in token_id]
        return look(self._checked(token_id))


def _utf8(text: Any) -> bytes:
    # SentencePiece takes bytes as they are, broken or not.
    return text if isinstance(text, bytes) else utf8(text)
