"""The tables that one SentencePiece Unigram model is encoded with, made once and shared by all threads.

PieceModel  -->  rules, a trie of pieces, scores, cuts  -->  a block of addresses for kernels.unigram
"""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.layouts.pieces import NO_ID, inside, is_text, segment_cuts
from minbpe_course.engines.layouts.unigram import UnigramArrays, pack_unigram
from minbpe_course.engines.sentencepiece.bpe_tables import Rules, raw_users
from minbpe_course.errors import InvalidModel
from minbpe_course.kernels.common.memory import Block
from minbpe_course.model import UNUSED, PieceModel
from minbpe_course.reference.lattice import LATEST, OLD_RELEASES, Scores, float32


class UnigramTables:
    """One model as arrays.

    block : the addresses, with the places of ``kernels.layout`` · old : whether to encode as releases up to 0.2.1 did ·
    lattice_scores : float32 of each id, for ``kernels.lattice``.

    >>> model = PieceModel(("<unk>", "▁a", "a"), (0.0, -1.0, -1.5), (2, 1, 1), "unigram")
    >>> UnigramTables(model).lattice_scores.tolist()
    [0.0, -1.0, -1.5]
    """

    def __init__(self, model: PieceModel, old: bool = False) -> None:
        from minbpe_course.kernels.common import layout

        scores = Scores(model, OLD_RELEASES[-1] if old else LATEST)
        escape = model.normalizer.escape_whitespaces
        pieces = {}
        for piece, piece_id in model.mergeable.items():
            data = inside(piece, escape)
            if data is not None and model.kinds[piece_id] != UNUSED and is_text(piece):
                pieces[data] = piece_id
        special = {}
        for piece in filter(is_text, model.user_defined):
            size = len(piece.encode("utf-8", "surrogateescape"))
            # What is 0.1 less in the old releases is made so by the kernel, which has double precision for it.
            score = float32(size * scores.best) if old else scores.of_user_defined(size)
            special[model.mergeable[piece]] = score, float32(scores.of_user_defined(len(piece)))
        arrays = pack_unigram(pieces, model.scores, special)
        self.lattice_scores = arrays.lattice_scores
        self.block = block = Block(layout.BLOCK)
        block.nodes = trie_of(arrays)
        block.scores, block.lengths = arrays.scores, arrays.lengths
        block.unknown_score = int(np.float32(scores.unknown).view(np.uint32))
        block.longest, block.old = arrays.longest, int(old)
        block.segment_cuts = segment_cuts(arrays.text, arrays.starts)
        if model.byte_ids:
            block.byte_ids = np.array(model.byte_ids, dtype=np.uint32)
        block.unknown = model.unk_id if model.unk_id >= 0 else NO_ID
        block.escapes = int(escape)
        # A ▁ that is no piece becomes three bytes.
        block.ids_a_byte = 3 if model.byte_ids and escape and b" " not in pieces else 1
        Rules(model.normalizer, raw_users(model), model.treat_whitespace_as_suffix, exact=False).place(block)
        block.settle()


def trie_of(arrays: UnigramArrays) -> np.ndarray:
    """The nodes of ``kernels.unigram_trie``, uint64."""
    from minbpe_course.kernels.sentencepiece import unigram_trie

    count = arrays.piece_ids.size
    work = np.empty(256 + 32 * (count + 2), dtype=np.uint8)
    room = (arrays.text.size // 256 + 4) * 256
    while room <= unigram_trie.MOST_NODES:
        nodes, nexts = np.empty(room, dtype=np.uint64), np.empty(room + 1, dtype=np.uint32)
        bases = np.zeros(room, dtype=np.uint8)
        given = [array.ctypes.data for array in (arrays.text, arrays.starts, arrays.piece_ids)]
        made = [array.ctypes.data for array in (nodes, nexts, bases)]
        used = unigram_trie.build_trie(*given, count, *made, room, work.ctypes.data)
        if used >= 0:
            return nodes[:used].copy()
        room *= 2
    raise InvalidModel(f"a model of {count:,} pieces, {arrays.text.size:,} bytes together; the trie can hold no more.")
