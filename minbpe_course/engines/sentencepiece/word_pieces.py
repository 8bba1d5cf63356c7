"""The engine of WordPiece models: the tables for ``kernels.sentencepiece.word_pieces``, and the worker of a thread."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from minbpe_course.engines.sentencepiece.characters import characters_of
from minbpe_course.engines.sentencepiece.piece_layout import trie_of
from minbpe_course.engines.text_engine import TextEngine
from minbpe_course.engines.workers import OUT_SLACK, TextWorker
from minbpe_course.kernels.common.memory import ID, Block
from minbpe_course.kernels.lazy import layout, word_pieces
from minbpe_course.model import PieceModel
from minbpe_course.model.pieces import Step
from minbpe_course.text.normalizer_steps import normalizer
from minbpe_course.text.split_steps import word_cutter


class WordPieceEngine(TextEngine["WordPieceWorker"]):
    """Encodes text between added tokens.

    steps, cutting : the normalizer and the pre-tokenizer. Where both do one character after the other, the kernel reads
    the text itself; otherwise Python cuts it into words, and the kernel encodes these.
    """

    def __init__(self, model: PieceModel, steps: tuple[Step, ...], cutting: tuple[Step, ...]) -> None:
        pipeline = model.pipeline
        assert pipeline is not None
        mark = pipeline.continuing_prefix
        # The last of equal tokens has the id; an empty one is never found.
        known = {piece: at for at, piece in enumerate(model.pieces[: pipeline.known]) if piece}
        marked = {piece[len(mark) :]: at for piece, at in known.items() if piece.startswith(mark) and piece != mark}
        if any(kind == "LlamaWords" for kind, *_ in steps):
            # llama.cpp writes ▁ before the tokens that begin a word, and finds them after a ▁ in a word, too.
            marked |= {f"▁{piece}": at for piece, at in known.items() if not piece.startswith(mark)}
        self._block = block = Block(layout.BLOCK)
        block.nodes = _trie(known)
        block.leaves = _trie(marked)
        block.unknown, block.longest = model.unk_id, min(pipeline.longest_word, 1 << 40)
        characters = characters_of(steps, cutting)
        self.reads_text = characters is not None
        if characters is not None:
            block.kinds, block.row_starts, _ = characters
        self._rewrite, self._cut = normalizer(steps), word_cutter(cutting)
        super().__init__(len(model), repair=False, direct=self.reads_text)

    def encode(self, text: str) -> np.ndarray:
        """Return the ids of a text, uint32[n]."""
        if self.reads_text:
            return super().encode(text)
        words = [word.encode("utf-8") for word in self._cut(self._rewrite(text))]
        worker = self._borrow_worker()
        try:
            return worker.encode_given(words)
        finally:
            self._workers.append(worker)

    def count(self, text: str) -> int:
        """Return how many ids ``encode`` gives."""
        return super().count(text) if self.reads_text else self.encode(text).size

    def places(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of a text, uint32[n], and where each begins and ends in its UTF-8, int64[n, 2].

        The engine must read the text itself.
        """
        worker = self._borrow_worker()
        try:
            return worker.places(text.encode("utf-8"))
        finally:
            self._workers.append(worker)

    def _new_worker(self) -> WordPieceWorker:
        return WordPieceWorker(self._block.copy(), 0, word_pieces.encode_words.address, self._objects)


def _trie(tokens: dict[str, int]) -> np.ndarray:
    """Return the trie of tokens; one without any has a token that no text holds, a NUL of two bytes."""
    made = trie_of({token.encode("utf-8"): at for token, at in tokens.items()} or {b"\xc0\x80": 0})
    assert isinstance(made, np.ndarray)
    return made


class WordPieceWorker(TextWorker):
    """The state of one thread: memory for a word."""

    def clear(self) -> None:
        """Do nothing: no word is remembered."""

    def count(self, size: int) -> int:
        """Return how many ids the text that was placed has; size : its bytes."""
        return self.encode(self.room(size + OUT_SLACK)).size

    def encode_given(self, words: list[bytes]) -> np.ndarray:
        """Return the ids of words that are cut already."""
        block, text = self.block, b"".join(words)
        block.given_base = np.frombuffer(text + b"\0", dtype=np.uint8)
        block.given, block.given_left = np.array([*accumulate(map(len, words)), 0], dtype=np.int64), len(words)
        try:
            return self.encode(np.empty(len(text) + OUT_SLACK, dtype=ID))
        finally:
            block.given = 0

    def places(self, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of UTF-8, and where each begins and ends in it."""
        block = self.block
        data = np.frombuffer(text + b"\0", dtype=np.uint8)
        most = len(text) + OUT_SLACK
        found = np.empty((most, 2), dtype=np.int64)
        self.place(data.ctypes.data, len(text))
        block.positions, block.base = found, data.ctypes.data
        try:
            ids = self.encode(np.empty(most, dtype=ID))
        finally:
            block.positions = 0
        return ids, found[: ids.size].copy()
