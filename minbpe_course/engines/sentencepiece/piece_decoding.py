"""Decoding SentencePiece models: from pieces to text, and the part of the text that each piece became.

    pieces     ▁Hel  lo  <0xE6> <0xB8> <0xA9>  <s>
    surfaces   "Hel" "lo"   ""     ""    "温"   ""

The byte pieces of one character share it: the last has the character, the others have nothing. A byte that belongs to
no character becomes one U+FFFD. Joined, the surfaces are the text. A denormaliser, if the model has one, comes later.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from minbpe_course.model import BYTE, CONTROL, UNKNOWN, PieceModel


def decode_pieces(pieces: Sequence[tuple[str, int]], model: PieceModel) -> str:
    """Return the text of (piece, id) pairs. The id of a piece that is not in the model is ``unk_id``.

    >>> model = PieceModel(("<unk>", "▁a", "b"), (0.0, -1.0, -2.0), (2, 1, 1))
    >>> decode_pieces([("▁a", 1), ("b", 2), ("▁a", 1)], model)
    'ab a'
    """
    rules = model.normalizer
    out: list[str] = []
    waiting = bytearray()
    at_start, started, stripped = rules.add_dummy_prefix or rules.remove_extra_whitespaces, False, False
    for piece, token_id in pieces:
        kind = model.kinds[token_id] if token_id >= 0 else UNKNOWN
        if kind == BYTE:
            waiting.append(int(piece[3:5], 16))
            continue
        if waiting:
            out.append(decode_bytes(bytes(waiting)))
            started = True
            waiting.clear()
        if started or stripped:
            at_start = False
        stripped = False
        if kind == CONTROL:
            continue
        if kind == UNKNOWN:
            text = model.unk_surface if token_id >= 0 and piece == model.pieces[token_id] else piece
            # Nothing is stripped from it, but an unknown piece that begins with ▁ counts as stripped.
            stripped = at_start and piece.startswith("▁") and not rules.remove_extra_whitespaces
        else:
            text = piece
            if at_start and text.startswith("▁"):
                text = text[1:]
                stripped = not rules.remove_extra_whitespaces
            text = text.replace("▁", " ")
        started = started or bool(text)
        out.append(text)
    if waiting:
        out.append(decode_bytes(bytes(waiting)))
    return "".join(out)


def decode_surfaces(pieces: Sequence[tuple[str, int]], model: PieceModel) -> Iterator[str]:
    """Yield the part of the text that each (piece, id) pair became. See ``decode_pieces``.

    >>> model = PieceModel(("<unk>", "▁a", "b"), (0.0, -1.0, -2.0), (2, 1, 1))
    >>> list(decode_surfaces([("▁a", 1), ("b", 2), ("▁a", 1), ("x", 0)], model))
    ['a', 'b', ' a', 'x']
    """
    rules = model.normalizer
    strips = rules.add_dummy_prefix or rules.remove_extra_whitespaces
    waiting = bytearray()
    begun = False
    for piece, token_id in pieces:
        kind = model.kinds[token_id] if token_id >= 0 else UNKNOWN
        if kind == BYTE:
            waiting.append(int(piece[3:5], 16))
            continue
        for surface in _surfaces_of_bytes(bytes(waiting)):
            begun = True
            yield surface
        waiting.clear()
        if kind == CONTROL:
            yield ""
        elif kind == UNKNOWN:
            own = token_id >= 0 and piece == model.pieces[token_id]
            surface = model.unk_surface if own else piece
            begun = begun or bool(surface)
            yield surface
        else:
            surface = piece
            if strips and not begun and piece.startswith("▁"):
                surface = piece[1:]
                # Encoding added one space; with remove_extra_whitespaces, all leading ones go.
                begun = not rules.remove_extra_whitespaces
            begun = begun or bool(surface)
            yield surface.replace("▁", " ")
    yield from _surfaces_of_bytes(bytes(waiting))


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
