"""A SentencePiece model laid out as flat arrays for the kernels; this file chooses the dtypes.

Inside the engine, text has one byte for ▁, a space, where the model escapes spaces: no other space is left then. The
same holds for pieces. ``outside`` turns text back.

    "▁the"  -> b" the"  (inside)        b" the"  -> "▁the".encode()  (outside)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from minbpe_course.errors import InvalidModel
from minbpe_course.kernels.common.memory import TOKEN_SLACK, lay_in_order
from minbpe_course.kernels.lazy import piece_symbols, piece_trie
from minbpe_course.model import PieceModel

CODE_POINTS = 0x110000
SPACE_MARK = "▁".encode()
NO_ID = 0xFFFFFFFF


def inside(piece: str, escape: bool) -> bytes | None:
    """Return a piece as the engine stores it, or None for a piece that is in no normalised text.

    >>> inside("▁the", True), inside("a b", True), inside("▁", False) == "▁".encode()
    (b' the', None, True)
    """
    data = piece.encode("utf-8", "surrogateescape")
    if not escape:
        return data
    return None if b" " in data else data.replace(SPACE_MARK, b" ")


def outside(text: bytes, escape: bool) -> bytes:
    """Return text of the engine with ▁ for its spaces."""
    return text.replace(b" ", SPACE_MARK) if escape else text


def outside_positions(text: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return ``positions``, one for each byte of ``text`` and one for its end, for the bytes of ``outside(text)``."""
    return np.repeat(positions, np.append(np.where(text == 0x20, 3, 1), 1))


def score_ranks(scores: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return int32[n]: 0 for the best score, equal numbers for equal scores, in the order of the float32 bits.

    >>> score_ranks([-2.0, -0.0, 0.0, -2.0]).tolist()
    [2, 1, 0, 2]
    """
    bits = np.asarray(scores, dtype=np.float32).view(np.int32).astype(np.int64)
    order = np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF) - 1)
    # Scores of a trained model are nearly sorted, which a stable sort makes use of.
    places = np.argsort(-order, kind="stable")
    ranks = np.zeros(len(order), dtype=np.int32)
    ranks[places[1:]] = np.cumsum(np.diff(order[places]) != 0)
    return ranks


def lay_trie(text: np.ndarray, starts: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return the nodes of ``kernels.piece_trie``, uint64.

    text, starts : the pieces, which are UTF-8, in the order of their bytes · ids : uint32.
    """
    count = len(ids)
    work = np.empty(256 + 32 * (count + 2), dtype=np.uint8)
    room = (text.size // 256 + 4) * 256
    while room <= piece_trie.MOST_NODES:
        nodes, nexts = np.empty(room, dtype=np.uint64), np.empty(room + 1, dtype=np.uint32)
        bases = np.zeros(room, dtype=np.uint8)
        given, made = ([each.ctypes.data for each in arrays] for arrays in ((text, starts, ids), (nodes, nexts, bases)))
        used = piece_trie.build_trie(*given, count, *made, room, work.ctypes.data)
        if used >= 0:
            return nodes[:used].copy()
        room *= 2
    raise InvalidModel(f"a model of {count:,} pieces, {text.size:,} bytes together, is too large for the trie.")


def trie_of(pieces: Mapping[bytes, int]) -> np.ndarray | int:
    """Return the trie of a few pieces and their ids; 0, the address of no trie, for none."""
    ordered = sorted(pieces)
    return lay_trie(*lay_in_order(ordered), np.array([pieces[piece] for piece in ordered], np.uint32)) if pieces else 0


def first_bytes(pieces: Iterable[bytes]) -> np.ndarray:
    """Return uint8[256], 1 for each byte with which a piece begins."""
    found = np.zeros(256, dtype=np.uint8)
    found[[piece[0] for piece in pieces]] = 1
    return found


def segment_cuts(token_text: np.ndarray, token_start: np.ndarray) -> np.ndarray:
    """Return uint64[6, 6] for ``kernels.segments``: where no token has two bytes of these classes side by side."""
    classes = np.full(256, 5, dtype=np.uint8)
    classes[:128] = 4
    classes[:0x20] = 3
    classes[0x20] = 2
    classes[0x30:0x3A] = 1
    classes[0x41:0x5B] = classes[0x61:0x7B] = 0
    cuts = np.full((6, 6), 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
    # Bytes of one character are never cut.
    cuts[5, 5] = 0
    given = [array.ctypes.data for array in (token_text, token_start)]
    piece_symbols.note_neighbours(*given, len(token_start) - 1, classes.ctypes.data, cuts.ctypes.data)
    return cuts


class LaidPieces(NamedTuple):
    """Pieces as text inside the engine: the tokens of a model, each with a number.

    text, starts : uint8, int64[n + 1] · ids : uint32[n], NO_ID for UNUSED pieces and for characters without a piece ·
    places : int64[n], the piece of each token, -1 for none · symbols : uint32[CODE_POINTS], the number of each
    character + 1, or None.
    """

    text: np.ndarray
    starts: np.ndarray
    ids: np.ndarray
    places: np.ndarray
    symbols: np.ndarray | None


def lay_pieces(model: PieceModel, kinds: Iterable[int], characters: bool = False) -> LaidPieces:
    """Lay out the pieces of some kinds that texts can become; then ``characters`` that only occur inside them."""
    flat = model.flat
    # Each byte may be a separate character, which follows the pieces.
    room = (2 if characters else 1) * int(flat.starts[-1])
    most = len(flat.kinds) + (room if characters else 0)
    text, starts = np.empty(room + TOKEN_SLACK, dtype=np.uint8), np.empty(most + 1, dtype=np.int64)
    ids, places = np.empty(most, dtype=np.uint32), np.empty(most, dtype=np.int64)
    symbols = np.zeros(CODE_POINTS, dtype=np.uint32) if characters else None
    given = [array.ctypes.data for array in (flat.text, flat.starts, flat.kinds)]
    made = [array.ctypes.data for array in (text, starts, ids, places)]
    wanted = sum(1 << kind for kind in kinds)
    count = piece_symbols.lay_pieces(
        *given,
        len(flat.kinds),
        wanted,
        int(model.normalizer.escape_whitespaces),
        *made,
        0 if symbols is None else symbols.ctypes.data,
    )
    starts = starts[: count + 1]
    text = text[: int(starts[-1]) + TOKEN_SLACK]
    text[int(starts[-1]) :] = 0
    return LaidPieces(text, starts, ids[:count], places[:count], symbols)
