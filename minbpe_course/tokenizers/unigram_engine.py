"""One Unigram model, packed, and the calls that encode with it.

    text --kernels.normalize-->  normalised  --kernels.unigram-->  ids

Each thread has its own cache and its own room for text; the tables are shared and never change. Ids alone come from
``encode_list``, ``encode`` and ``encode_many`` (see ``text_engine``); ``spell`` also tells what each id stands for.
"""

from __future__ import annotations

from minbpe_course.model import PieceModel
from minbpe_course.tokenizers.sentencepiece_shaped.normalizing import PieceNormalizer
from minbpe_course.tokenizers.sentencepiece_shaped.piece_engine import PieceEngine
from minbpe_course.tokenizers.text_engine import TextEngine
from minbpe_course.tokenizers.unigram_tables import UnigramTables
from minbpe_course.tokenizers.unigram_worker import UnigramWorker


class UnigramEngine(PieceEngine):
    """One Unigram model, packed; ``old`` for one that encodes as sentencepiece did up to 0.2.1.

    >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
    >>> engine = UnigramEngine(model)
    >>> engine.encode_list("aaa a"), engine.spell([b"aaa a"]).spans.tolist()
    ([1, 3, 1], [4, 2, 4])
    """

    def __init__(self, model: PieceModel, old: bool = False) -> None:
        # Not calling the parent on purpose: its tables are those of BPE.
        self.model = model
        self.old = old
        self.unigram = UnigramTables(model, old)
        PieceNormalizer.__init__(self, model)
        TextEngine.__init__(self, len(model), repair=False, direct=True)

    def _new_worker(self) -> UnigramWorker:
        return UnigramWorker(self.unigram, self._objects)
