"""A SentencePiece Unigram model laid out as flat arrays, for ``kernels.unigram`` and ``kernels.lattice``; the dtypes are
chosen here.

    pieces        uint8[t + 16], int64[n + 1]   the pieces that text can become, in the order of their bytes, end to end
    piece_ids     uint32[n]
    scores        float32[v]     of every id; a user-defined piece has the one that its bytes give it
    lengths       uint32[v]      bytes of every id, and the highest bit for a user-defined piece

Limits: plain data in and out; making the trie is the kernels' work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np


TOKEN_SLACK = 16  # zeros behind the pieces
USER_DEFINED_BIT = 1 << 31
MARK = "▁"

# Where no piece goes across; the numbers are those of kernels.unigram.
CUT_NOWHERE, CUT_BEFORE, CUT_BEHIND = range(3)

# What the normaliser does with a byte; the numbers are those of kernels.normalizing.
PLAIN, SPACE_CLASS, OTHER = range(3)
LETTER = 8


class UnigramTables(NamedTuple):
    """See above; ``cuts`` is one of the three CUT, ``longest`` how many bytes the longest piece has."""

    text: np.ndarray
    starts: np.ndarray
    piece_ids: np.ndarray
    scores: np.ndarray
    lattice_scores: np.ndarray
    lengths: np.ndarray
    cuts: int
    longest: int


def pack_unigram(
    pieces: Mapping[str, int], scores: Sequence[float], user_defined: Mapping[str, tuple[float, float]]
) -> UnigramTables:
    """Lay out a model.

    pieces : piece -> id, of those that text can become · scores : of every id · user_defined : piece -> its score in
    Viterbi and in the lattice.

    >>> tables = pack_unigram({"▁a": 1, "b": 2}, [0.0, -1.0, -2.0], {})
    >>> tables.text[:4].tobytes().decode(), tables.starts.tolist(), tables.piece_ids.tolist()
    ('b▁', [0, 1, 5], [2, 1])
    >>> tables.cuts == CUT_BEFORE
    True
    """
    encoded = sorted((piece.encode("utf-8"), piece_id) for piece, piece_id in pieces.items())
    starts = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece, _ in encoded], out=starts[1:])
    text = b"".join(piece for piece, _ in encoded) + bytes(TOKEN_SLACK)
    with np.errstate(over="ignore"):
        table = np.array(scores, dtype=np.float64).astype(np.float32)
        in_lattice = table.copy()
        lengths = np.zeros(len(scores), dtype=np.uint32)
        for piece, piece_id in encoded:
            lengths[piece_id] = len(piece)
        for piece, (score, lattice_score) in user_defined.items():
            table[pieces[piece]] = score
            in_lattice[pieces[piece]] = lattice_score
            lengths[pieces[piece]] |= USER_DEFINED_BIT
    longest = int(np.diff(starts).max(initial=1))
    ids = np.array([piece_id for _, piece_id in encoded], dtype=np.uint32)
    return UnigramTables(
        np.frombuffer(text, dtype=np.uint8), starts, ids, table, in_lattice, lengths, _cuts(pieces), longest
    )


def _cuts(pieces: Mapping[str, int]) -> int:
    """Where no piece goes across: before a ▁ behind anything else, or behind one before anything else."""
    joined = [piece for piece in pieces if MARK in piece[1:]]
    if not any(piece[at] == MARK != piece[at - 1] for piece in joined for at in range(1, len(piece))):
        return CUT_BEFORE
    if not any(MARK in piece.rstrip(MARK) for piece in pieces):
        return CUT_BEHIND
    return CUT_NOWHERE


def pack_classes(starts: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return uint8[256], what ``kernels.normalizing`` does with each byte.

    starts : uint8[256], 1 where a user-defined piece begins with the byte, 2 for a rule, 3 for both · units : uint32,
    the trie of the rules.

    >>> starts = np.zeros(256, np.uint8)
    >>> starts[ord("<")] = 1
    >>> classes = pack_classes(starts, np.zeros(0, np.uint32))
    >>> classes[[ord("a"), ord(" "), ord("<"), 0xE2]].tolist()
    [0, 1, 6, 2]
    """
    starts = starts.astype(np.int64)
    classes = OTHER + 4 * (starts & 3)
    for byte in range(128):
        if starts[byte] == 0:
            classes[byte] = SPACE_CLASS if byte == ord(" ") else PLAIN
        elif starts[byte] == 2 and byte != ord(" ") and not _ends_in_ascii(units, byte):
            classes[byte] = LETTER
    return classes.astype(np.uint8)


def _ends_in_ascii(units: np.ndarray, byte: int) -> bool:
    """Whether a rule is this byte alone, or this byte and one below 0x80 (but NUL), or goes on after these."""
    root = int(units[0])
    node = ((root >> 10) << ((root & 0x200) >> 6)) ^ byte
    unit = int(units[node])
    node ^= (unit >> 10) << ((unit & 0x200) >> 6)
    if unit >> 8 & 1:  # a rule ends here
        return True
    return any(node ^ second < units.size and units[node ^ second] & 0x800000FF == second for second in range(1, 128))
