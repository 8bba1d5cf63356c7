"""Decoding SentencePiece models: from pieces to text, and the part of the text that each piece became.

    pieces     ▁Hel  lo  <0xE6> <0xB8> <0xA9>  <s>
    surfaces   "Hel" "lo"   ""     ""    "温"   ""

The byte pieces of one character share it: the last has the character, the others have nothing. A byte that belongs to
no character becomes one U+FFFD. Joined, the surfaces are the text. A denormaliser, if the model has one, comes later.

``PieceDecoder`` gives the text of ids quickly; ``decode_surfaces`` handles every case, and pieces.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from minbpe_course.engines.decoding import Decoder
from minbpe_course.errors import InvalidTokenId
from minbpe_course.kernels.common.memory import lay_tokens
from minbpe_course.model import BYTE, CONTROL, UNKNOWN, PieceModel, piece_utf8
from minbpe_course.model.piece_rules import is_text


class PieceDecoder:
    """Decodes the ids of one model, before any denormaliser.

    >>> model = PieceModel(("<unk>", "▁a", "b"), (0.0, -1.0, -2.0), (2, 1, 1))
    >>> PieceDecoder(model).text_in_one_call([1, 2, 1])
    'ab a'
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model

    def text_in_one_call(self, ids: list[Any]) -> str | None:
        """Return the text of ids with one call of a kernel, or None for anything that this cannot decode."""
        model, control = self.model, self._control_ids
        try:
            if not control.isdisjoint(ids):
                # Only ints: anything equal to a control id would be dropped.
                if set(map(type, ids)) != {int} or self._control_splits_bytes(ids):
                    return None
                ids = [each for each in ids if each not in control]
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
            if not self._all_pieces_are_text:
                return None
            text = decode_bytes(self._decoder.bytes_of(ids))
        return text[1:] if strip else text

    @cached_property
    def _control_ids(self) -> frozenset[int]:
        """The ids of control pieces, which add nothing to a text."""
        return frozenset(at for at, kind in enumerate(self.model.kinds) if kind == CONTROL)

    @cached_property
    def _byte_ids(self) -> frozenset[int]:
        return frozenset(self.model.byte_ids)

    @cached_property
    def _all_pieces_are_text(self) -> bool:
        """Whether every piece is UTF-8, so that only byte pieces can give a broken byte."""
        return is_text("".join(self.model.pieces))

    @cached_property
    def _decoder(self) -> Decoder:
        """The bytes of each id that always adds the same: all but control pieces, and nearly always the unknown one."""
        model = self.model
        tokens = {
            at: piece_utf8(piece.replace("▁", " "))
            for at, (piece, kind) in enumerate(zip(model.pieces, model.kinds))
            if kind not in (BYTE, CONTROL, UNKNOWN)
        }
        tokens |= {token_id: bytes([byte]) for byte, token_id in enumerate(model.byte_ids)}
        if model.unk_id >= 0 and not model.pieces[model.unk_id].startswith("▁"):
            tokens[model.unk_id] = piece_utf8(model.unk_surface)
        text, start = lay_tokens(tokens, len(model))
        return Decoder(text, start, np.arange(len(model)), {})

    def _control_splits_bytes(self, ids: list[int]) -> bool:
        """Return whether a control piece comes between two bytes, which then do not form one character."""
        after_byte = split = False
        for each in ids:
            if each in self._control_ids:
                split = after_byte
            elif each in self._byte_ids:
                if split:
                    return True
                after_byte = True
            else:
                after_byte = split = False
        return False


class SurfaceDecoder:
    """Turns the pieces of one text into parts of the text, one by one; ``decode_surfaces`` says which.

    >>> decoder = SurfaceDecoder(PieceModel(("<unk>", "▁a", "b"), (0.0, -1.0, -2.0), (2, 1, 1)))
    >>> decoder.push("▁a", 1), decoder.push("▁a", 1)
    (['a'], [' a'])
    """

    def __init__(self, model: PieceModel, *, joined: bool = True) -> None:
        rules = model.normalizer
        self._model, self._joined = model, joined
        self._strips = rules.add_dummy_prefix or rules.remove_extra_whitespaces
        self._keeps_spaces = not rules.remove_extra_whitespaces
        self._surfaces_of = decode_bytes if joined else _surfaces_of_bytes
        self._waiting = bytearray()
        self._begun = False

    def push(self, piece: str, token_id: int) -> list[str]:
        """Return the surfaces that are certain with this piece; the id of a piece without one is ``unk_id``."""
        model, waiting = self._model, self._waiting
        kind = model.kinds[token_id] if token_id >= 0 else UNKNOWN
        if kind == BYTE:
            waiting.append(int(piece[3:5], 16))
            return self.finish() if self._joined and _is_text(waiting) else []
        surfaces = self.finish()
        if kind == CONTROL:
            surface = ""
        elif kind == UNKNOWN:
            own = token_id >= 0 and piece == model.pieces[token_id]
            surface = model.unk_surface if own else piece
            self._begun |= bool(surface) or (self._joined and self._keeps_spaces and piece.startswith("▁"))
        else:
            surface = piece
            if self._strips and not self._begun and piece.startswith("▁"):
                surface = piece[1:]
                # Encoding added one space; with remove_extra_whitespaces, all leading ones go.
                self._begun = self._keeps_spaces
            self._begun |= bool(surface)
            surface = surface.replace("▁", " ")
        return [*surfaces, surface]

    def finish(self) -> list[str]:
        """Return the surfaces of the bytes that wait."""
        data = bytes(self._waiting)
        self._waiting.clear()
        self._begun |= bool(data)
        return [*self._surfaces_of(data)]


def decode_surfaces(pieces: Iterable[tuple[str, int]], model: PieceModel, *, joined: bool = False) -> Iterator[str]:
    """Yield the part of the text that each (piece, id) pair became; the id of a piece without one is ``unk_id``.

    joined : yield texts that joined are the text, each as soon as its last byte is there. Bytes that follow each other
    are then one text, and sentencepiece has a special rule for an unknown piece that begins with ▁ and has no text.

    >>> model = PieceModel(("<unk>", "▁a", "b"), (0.0, -1.0, -2.0), (2, 1, 1))
    >>> list(decode_surfaces([("▁a", 1), ("b", 2), ("▁a", 1), ("x", 0)], model))
    ['a', 'b', ' a', 'x']
    """
    decoder = SurfaceDecoder(model, joined=joined)
    for piece, token_id in pieces:
        yield from decoder.push(piece, token_id)
    yield from decoder.finish()


def _is_text(data: bytearray) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _surfaces_of_bytes(data: bytes) -> Iterator[str]:
    """Yield for each byte the character that it ends, an empty text inside a character, or U+FFFD."""
    at = 0
    for character in decode_bytes(data):
        size = len(character.encode("utf-8"))
        if data[at : at + size] == character.encode("utf-8"):
            yield from [""] * (size - 1)
            at += size
        else:
            at += 1
        yield character


def decode_bytes(data: bytes) -> str:
    r"""Decode UTF-8, with one U+FFFD for each broken byte (Python's own decoder gives fewer).

    >>> decode_bytes(b"a\xe2\x82") == "a\ufffd\ufffd"
    True
    """
    return data.decode("utf-8", _EACH_BYTE)


def _replace_one_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd", error.start + 1


_EACH_BYTE = "minbpe_course.each_byte"
codecs.register_error(_EACH_BYTE, _replace_one_byte)
