"""BPE whose tokens say where in a word they are: GPT-1's ``</w>`` at the end, or a prefix for what continues a word.

    low    l o w</w>     each character with its marks is one symbol
           A B C         here each symbol is another character, so the engine of other BPE models merges them

An unknown character that does not fuse with its neighbours is a symbol, too: one that never merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from minbpe_course.engines.sentencepiece.bpe import PieceEngine
from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import NORMAL, PieceModel

# Characters of Unicode's private planes, and one that is none.
_FIRST, _UNKNOWN = 0xF0000, "\U0010ffff"


class MarkedEngine:
    """Encodes words, one at a time, with the methods of ``PieceEngine`` that a ``PipelineEngine`` uses."""

    def __init__(self, model: PieceModel) -> None:
        pipeline = model.pipeline
        assert pipeline is not None
        self._prefix, self._ending = pipeline.continuing_prefix, pipeline.word_end
        split = [self._symbols_in(piece) for piece in model.pieces[: pipeline.known]]
        numbers = {symbol: at for at, symbol in enumerate(dict.fromkeys(one for symbols in split for one in symbols))}
        if len(numbers) >= ord(_UNKNOWN) - _FIRST:
            raise UnsupportedModel(
                f"its tokens have {len(numbers):,} symbols; at most {ord(_UNKNOWN) - _FIRST:,} are supported."
            )
        characters = {symbol: chr(_FIRST + at) for symbol, at in numbers.items()}
        pieces = ["".join(map(characters.__getitem__, symbols)) for symbols in split]
        # A symbol that is only in longer tokens is unknown by itself.
        self._characters = {one: characters[one] for one, *others in split if not others}
        # Added tokens are cut out before, so their text does not matter.
        pieces += [f"{_UNKNOWN} {at}" for at in range(pipeline.known, len(model.pieces))]
        kinds = list(model.kinds)
        # Without an unknown token, unknown characters are left out.
        self._unknown = _UNKNOWN if model.unk_id >= 0 else ""
        if self._unknown and not pipeline.fuse_unknown:
            pieces[model.unk_id], kinds[model.unk_id] = _UNKNOWN, NORMAL
        given = {each.name: getattr(model, each.name) for each in fields(model)}
        given |= dict(pieces=pieces, kinds=kinds, source=b"")
        given["pipeline"] = replace(pipeline, continuing_prefix="", word_end="", fuse_unknown=True)
        self._engine = PieceEngine(PieceModel(**given))

    def encode_list(self, word: str) -> list[int]:
        """Return the ids of a word."""
        return self._engine.encode_list(self._rewritten(word))

    def count(self, word: str) -> int:
        """Return how many ids a word has."""
        return self._engine.count(self._rewritten(word))

    def encode_many(self, words: Sequence[str], num_threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many words, uint32, and where those of each begin, int64[n + 1]."""
        return self._engine.encode_many(list(map(self._rewritten, words)), num_threads)

    def _symbols_in(self, token: str) -> list[str]:
        text = token.removeprefix(self._prefix)
        first = self._prefix if text != token else ""
        ending = self._ending if self._ending and text.endswith(self._ending) else ""
        text = text.removesuffix(ending)
        symbols = [(self._prefix if at else first) + one for at, one in enumerate(text)]
        return [*symbols[:-1], *(one + ending for one in symbols[-1:])]

    def _rewritten(self, word: str) -> str:
        known, prefix = self._characters, self._prefix
        symbols = [(prefix if at else "") + one for at, one in enumerate(word)]
        symbols[-1:] = [one + self._ending for one in symbols[-1:]]
        return "".join([known.get(symbol, self._unknown) for symbol in symbols])
