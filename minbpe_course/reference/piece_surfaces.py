"""Decoding, piece by piece: which part of the decoded text each piece stands for.

    ids        ▁Hel  lo  <0xE6> <0xB8> <0xA9>  <s>
    surfaces   "Hel" "lo"   ""     ""    "温"   ""

The pieces of one character's bytes share it: the last has the character, the others nothing; a byte that belongs to no
character is one U+FFFD. Joined, the surfaces are the text that ``reference.pieces.decode_pieces`` gives.

Limits: slow on purpose; no denormaliser.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minbpe_course.model import BYTE, CONTROL, UNKNOWN, PieceModel
from minbpe_course.reference.pieces import decode_bytes


def decode_surfaces(pieces: Sequence[tuple[str, int]], model: PieceModel) -> Iterator[str]:
    """Yield the surface of each of the (piece, id) pairs. An id is ``unk_id`` for a piece that is not in the model.

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
        for surface in surfaces_of_bytes(bytes(waiting)):
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
                # Only one space was added; where spaces are removed, all that lead are taken away.
                begun = not rules.remove_extra_whitespaces
            begun = begun or bool(surface)
            yield surface.replace("▁", " ")
    yield from surfaces_of_bytes(bytes(waiting))


def surfaces_of_bytes(data: bytes) -> Iterator[str]:
    r"""Yield for each byte what it stands for: the character that it ends, nothing inside of one, or U+FFFD.

    >>> list(surfaces_of_bytes("é".encode() + b"\xff")) == ["", "é", "\ufffd"]
    True
    """
    at = 0
    for character in decode_bytes(data):
        size = len(character.encode("utf-8"))
        if data[at : at + size] == character.encode("utf-8"):
            yield from [""] * (size - 1)
            at += size
        else:
            at += 1
        yield character
