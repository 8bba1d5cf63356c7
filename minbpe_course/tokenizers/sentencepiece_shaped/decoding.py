"""Decoding: what may be given, and what comes back.

    decode([1, 2])  decode(1)  decode("▁a")  decode(["▁a", "b"])  decode([[1], [2]])  decode(array)  decode(b"...")

As in sentencepiece the first item says what the others are: ids, or pieces. Pieces that are bytes give bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from minbpe_course.engines.decoding import Decoder
from minbpe_course.errors import InvalidOption, InvalidTokenId, NotAvailable, NotText, WrongOptionType
from minbpe_course.formats.sentencepiece_text import PieceInText, parsed, text_message
from minbpe_course.kernels.common.memory import lay_tokens
from minbpe_course.model import BYTE, CONTROL, UNKNOWN
from minbpe_course.model.piece_rules import is_text
from minbpe_course.reference.piece_surfaces import decode_surfaces
from minbpe_course.reference.pieces import decode_bytes, decode_pieces
from minbpe_course.tokenizers.sentencepiece_shaped.loading import Loading
from minbpe_course.tokenizers.sentencepiece_shaped.lookups import text_of_piece
from minbpe_course.tokenizers.sentencepiece_shaped.options import return_type_of
from minbpe_course.tokenizers.sentencepiece_shaped.results import offset_mapping


class Decoding(Loading):
    """The part of a SentencePiece tokenizer that makes text."""

    def decode(
        self,
        input: Any,
        return_type: Any = None,
        out_type: Any = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """Return the text of ids or of pieces; of a list of lists, a list of texts.

        return_type (or out_type) : str, bytes, "proto" or "serialized_proto" (a SentencePieceText, with the part of the
        text that each piece became), "offset_mapping" (the same as a dictionary; ``return_bytes`` for bytes in place of
        characters). num_threads and thread_pool are there for programs that give them, and change nothing.

        Raises InvalidPieceId for an id that the model does not have, NotText for what is neither ids nor pieces.
        """
        if type(input) is list and return_type is out_type is num_threads is thread_pool is return_bytes is None:
            text = self._fast_text(input)
            if text is not None:
                return text
        elif (
            type(input) is np.ndarray
            and input.ndim == 1
            and input.dtype.kind in "iu"
            and return_type is out_type is None
        ):
            return self.decode(input.tolist(), None, None, num_threads, thread_pool, return_bytes)
        wanted = return_type_of(return_type, out_type, str)
        if return_bytes is not None and wanted != "offset_mapping":
            raise InvalidOption("return_bytes goes with return_type='offset_mapping' only.")
        if num_threads is not None and not isinstance(num_threads, int):
            raise WrongOptionType(f"num_threads is a whole number, got {num_threads!r}.")

        items = _sequence(input)
        if wanted in (int, "numpy"):
            raise InvalidOption(f"return_type={wanted!r} is for encoding; decode gives str, bytes or a message.")
        if not _is_batch(items):
            pieces = _holds_pieces(items)
            return self._decoded(items, pieces, pieces and _are_bytes(items), wanted, bool(return_bytes))
        filled: Any = next((row for row in items if _is_sequence(row) and len(row) > 0), [])
        pieces = _holds_pieces(filled)
        as_bytes = pieces and _are_bytes(filled)
        for row in items:
            if not _is_sequence(row):
                raise NotText(f"decode takes a list of lists or a list of ids, not both: it holds {row!r}.")
        return [self._decoded(row, pieces, as_bytes, wanted, bool(return_bytes)) for row in items]

    detokenize = decode

    def _decoded(self, items: Any, pieces: bool, as_bytes: bool, wanted: Any, return_bytes: bool) -> Any:
        if self.model.pipeline is not None:
            return self._decoded_by_pipeline(items, pieces, as_bytes, wanted)
        pairs = self._pairs_of_pieces(items) if pieces else None
        ids = self._ids_of(items) if pairs is None else []
        if wanted in (str, bytes):
            text = self._text_of_ids(ids) if pairs is None else self._denormalized(decode_pieces(pairs, self.model))
            if wanted is str and not as_bytes:
                return text if pairs is None else _bytes(text).decode("utf-8")
            return _bytes(text)
        placed, text = self._placed(pairs if pairs is not None else [(self.model.pieces[at], at) for at in ids])
        if wanted == "offset_mapping":
            return offset_mapping(placed, _bytes(text), return_bytes or as_bytes, include_text=True)
        message = text_message(_bytes(text), placed)
        return parsed(message) if wanted == "proto" else message

    def _decoded_by_pipeline(self, items: Any, pieces: bool, as_bytes: bool, wanted: Any) -> Any:
        """The text that the decoder of a tokenizer.json makes of the pieces."""
        if wanted not in (str, bytes):
            raise NotAvailable(
                "for a tokenizer.json it is not known here which part of the text each id becomes. Ask for the text: "
                "return_type=str."
            )
        known = self._engine.shown
        tokens = (
            [piece for piece, _ in self._pairs_of_pieces(items)]
            if pieces
            else [known[at] for at in self._ids_of(items)]
        )
        text: str = self._engine.decode(tokens)
        return _bytes(text) if wanted is bytes or as_bytes else text

    def _fast_text(self, ids: list[Any]) -> str | None:
        """The text of ids, made by one call of the decoder; None for what is not an ordinary list of ids."""
        model = self._model
        if model is None or model.denormalizer.charsmap or model.pipeline is not None:
            return None
        silent, of_bytes = self._silent, self._of_bytes
        try:
            heard = silent.isdisjoint(ids)
            if not heard:
                # Anything equal to a whole number would be taken for one.
                if set(map(type, ids)) != {int}:
                    return None
                if _parts_bytes(ids, silent, of_bytes):
                    return None
                ids = [each for each in ids if each not in silent]
        except TypeError:
            return None
        if not ids or type(ids[0]) is not int or not 0 <= ids[0] < len(model):
            return None
        rules = model.normalizer
        first = model.pieces[ids[0]]
        strip = first.startswith("▁") and (rules.add_dummy_prefix or rules.remove_extra_whitespaces)
        if strip and first == "▁" and rules.remove_extra_whitespaces:
            return None  # the next piece is stripped as well
        try:
            text = self._decoder.text_of(ids, "strict")
        except InvalidTokenId:
            return None
        except UnicodeDecodeError:
            if not self._all_text:
                return None
            text = decode_bytes(self._decoder.bytes_of(ids))
        return text[1:] if strip else text

    @cached_property
    def _silent(self) -> frozenset[int]:
        """The ids of control pieces, which add nothing to a text."""
        return frozenset(at for at, kind in enumerate(self.model.kinds) if kind == CONTROL)

    @cached_property
    def _of_bytes(self) -> frozenset[int]:
        return frozenset(self.model.byte_ids)

    @cached_property
    def _all_text(self) -> bool:
        """Whether every piece is UTF-8, so that a broken byte can only come from byte pieces."""
        return is_text("".join(self.model.pieces))

    @cached_property
    def _decoder(self) -> Decoder:
        """What each id adds to a text, where that is always the same: all but control pieces, and nearly always the
        unknown piece."""
        model = self.model
        tokens = {token_id: _bytes(text) for token_id, text in enumerate(self._texts) if text is not None}
        tokens |= {token_id: bytes([byte]) for byte, token_id in enumerate(model.byte_ids)}
        if model.unk_id >= 0 and not model.pieces[model.unk_id].startswith("▁"):
            tokens[model.unk_id] = _bytes(model.unk_surface)
        text, start = lay_tokens(tokens, len(self))
        return Decoder(text, start, np.arange(len(self)), {})

    def _text_of_ids(self, ids: list[int]) -> str:
        texts = self._texts
        parts = [texts[token_id] for token_id in ids]
        if None in parts:
            pieces = self.model.pieces
            return self._denormalized(decode_pieces([(pieces[at], at) for at in ids], self.model))
        rules = self.model.normalizer
        if rules.add_dummy_prefix or rules.remove_extra_whitespaces:
            for at, token_id in enumerate(ids):
                if self.model.pieces[token_id].startswith("▁"):
                    parts[at] = parts[at][1:]  # type: ignore[index]
                if parts[at] or not rules.remove_extra_whitespaces:
                    break
        return self._denormalized("".join(parts))  # type: ignore[arg-type]

    @cached_property
    def _texts(self) -> list[str | None]:
        """What each id adds to a text, None for those that need a closer look."""
        special = (BYTE, CONTROL, UNKNOWN)
        model = self.model
        return [None if kind in special else piece.replace("▁", " ") for piece, kind in zip(model.pieces, model.kinds)]

    def _denormalized(self, text: str) -> str:
        if not self.model.denormalizer.charsmap:
            return text
        # The denormaliser replaces each broken byte by U+FFFD.
        result: str = self._engine.denormalize(decode_bytes(_bytes(text)))
        return result

    def _placed(self, pairs: Sequence[tuple[str, int]]) -> tuple[list[PieceInText], str]:
        """Return the pieces with the bytes of the text that they became, and the text."""
        placed: list[PieceInText] = []
        out = bytearray()
        for (piece, token_id), surface in zip(pairs, decode_surfaces(pairs, self.model)):
            data = _bytes(surface)
            # An id of -1, of a piece that a model without unknown piece does not know, is written as uint32.
            placed.append(PieceInText(_bytes(piece), token_id & 0xFFFFFFFF, data, len(out), len(out) + len(data)))
            out += data
        return placed, self._denormalized(out.decode("utf-8", "surrogateescape"))

    def _pairs_of_pieces(self, items: Any) -> list[tuple[str, int]]:
        pairs = []
        for item in items:
            if not isinstance(item, (str, bytes, bytearray)):
                raise NotText(f"decode takes ids or pieces, not both in one list: it holds {item!r}.")
            pairs.append((text_of_piece(item), self.piece_to_id(item)))
        return pairs

    def _ids_of(self, items: Any) -> list[int]:
        if isinstance(items, np.ndarray):
            if items.ndim != 1 or items.dtype.kind not in "iu":
                raise NotText(f"decode takes whole numbers in one row, got an array of {items.dtype}, {items.ndim}-D.")
            items = items.tolist()
        size = len(self)
        if isinstance(items, (set, frozenset, dict)):
            raise NotText(f"decode takes ids in order, got a {type(items).__name__}: decode([1, 2, 3]).")
        try:
            good = not items or (min(items) >= 0 and max(items) < size and set(map(type, items)) <= {int})
        except TypeError:
            good = False
        if good:
            return items if isinstance(items, list) else list(items)
        return [self._checked(item) for item in items]


def _parts_bytes(ids: list[int], silent: frozenset[int], of_bytes: frozenset[int]) -> bool:
    """Tell whether a control piece stands between two bytes, which then do not form one character."""
    after_byte = parted = False
    for each in ids:
        if each in silent:
            parted = after_byte
        elif each in of_bytes:
            if parted:
                return True
            after_byte = True
        else:
            after_byte = parted = False
    return False


def _sequence(given: Any) -> Any:
    if given is None or (isinstance(given, (str, bytes)) and not given):
        return []
    if not _is_sequence(given):
        return [given]
    if isinstance(given, np.ndarray) and given.ndim == 0:
        raise NotText("decode takes a list of ids, got an array without a dimension: decode([int(array)]).")
    if isinstance(given, (set, frozenset, dict)) and given:
        raise NotText(f"decode takes ids in order, got a {type(given).__name__}: decode([1, 2, 3]).")
    return given


def _is_sequence(given: Any) -> bool:
    return hasattr(given, "__len__") and not isinstance(given, (str, bytes))


def _is_batch(items: Any) -> bool:
    if isinstance(items, np.ndarray):
        return items.ndim > 1
    return len(items) > 0 and _is_sequence(items[0])


def _holds_pieces(items: Any) -> bool:
    return len(items) > 0 and not isinstance(items, np.ndarray) and isinstance(items[0], (str, bytes))


def _are_bytes(items: Any) -> bool:
    return isinstance(items[0], bytes)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
