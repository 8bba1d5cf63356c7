"""A SentencePiece Unigram model laid out as flat arrays, for ``kernels.unigram`` and ``kernels.lattice``.

    text, starts      uint8[t + 16], int64[n + 1]   the pieces that text can become, in the order of their bytes
    piece_ids         uint32[n]                     their ids
    scores            float32[v]                    of every id; of a user-defined piece the one that Viterbi uses
    lattice_scores    float32[v]                    the same for N-best and sampling
    lengths           uint32[v]                     bytes of every id, and the highest bit for a user-defined piece

The dtypes are chosen here. Limits: plain data in and out; making the trie is the kernels' work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

TOKEN_SLACK = 16  # zeros behind the pieces
USER_DEFINED_BIT = 1 << 31


class UnigramArrays(NamedTuple):
    """See above; ``longest`` is how many bytes the longest piece has."""

    text: np.ndarray
    starts: np.ndarray
    piece_ids: np.ndarray
    scores: np.ndarray
    lattice_scores: np.ndarray
    lengths: np.ndarray
    longest: int


def pack_unigram(
    pieces: Mapping[bytes, int], scores: Sequence[float], user_defined: Mapping[int, tuple[float, float]]
) -> UnigramArrays:
    """Lay out a model.

    pieces : bytes -> id, of those that text can become · scores : of every id · user_defined : id -> its score in
    Viterbi and in the lattice.

    >>> arrays = pack_unigram({b" a": 1, b"b": 2}, [0.0, -1.0, -2.0], {})
    >>> arrays.text[:3].tobytes(), arrays.starts.tolist(), arrays.piece_ids.tolist(), arrays.longest
    (b' ab', [0, 2, 3], [1, 2], 2)
    """
    ordered = sorted(pieces.items())
    starts = np.zeros(len(ordered) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece, _ in ordered], out=starts[1:])
    text = np.frombuffer(b"".join(piece for piece, _ in ordered) + bytes(TOKEN_SLACK), dtype=np.uint8)
    ids = np.array([piece_id for _, piece_id in ordered], dtype=np.uint32)
    lengths = np.zeros(len(scores), dtype=np.uint32)
    lengths[ids] = np.diff(starts)
    with np.errstate(over="ignore"):
        in_viterbi = np.array(scores, dtype=np.float64).astype(np.float32)
        in_lattice = in_viterbi.copy()
        for piece_id, (score, lattice_score) in user_defined.items():
            in_viterbi[piece_id], in_lattice[piece_id] = score, lattice_score
            lengths[piece_id] |= np.uint32(USER_DEFINED_BIT)
    return UnigramArrays(text, starts, ids, in_viterbi, in_lattice, lengths, int(np.diff(starts).max(initial=1)))
