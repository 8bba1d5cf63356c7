"""Encodings other than the best: N-best lists and samples.

sentencepiece draws from a generator that it cannot be made to share, so a sample here is never *the same* one: it is
drawn with the same probabilities, from a seed of our own (``seed=``, or ``set_random_generator_seed``).
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any

from minbpe_course.errors import NotAvailable
from minbpe_course.model import UNUSED
from minbpe_course.reference.pieces import encode_pieces
from minbpe_course.text.normalize import LongestMatch
from minbpe_course.tokenizers.sentencepiece_shaped.decoding import Decoding
from minbpe_course.tokenizers.sentencepiece_shaped.options import Options, check_nbest
from minbpe_course.tokenizers.sentencepiece_shaped.results import OneText


class Sampling(Decoding):
    """The part of a SentencePiece tokenizer that gives other encodings than the best."""

    # Generator of a tokenizer with a seed; a copy continues where the original was.
    _seeded: random.Random | None = None

    @cached_property
    def _random(self) -> random.Random:
        return self._seeded or random.Random()

    def set_random_generator_seed(self, seed: int) -> None:
        """Start the random numbers of this tokenizer again from a seed.

        >>> from minbpe_course import SentencePieceTokenizer
        >>> from minbpe_course.model import PieceModel
        >>> model = PieceModel(("<unk>", "▁", "a", "aa"), (0.0, -2.0, -3.0, -1.0), (2, 1, 1, 1))
        >>> tokenizer = SentencePieceTokenizer(model=model, seed=1)
        >>> first = [tokenizer.encode("aaaa", enable_sampling=True, alpha=0.5) for _ in range(9)]
        >>> tokenizer.set_random_generator_seed(1)
        >>> first == [tokenizer.encode("aaaa", enable_sampling=True, alpha=0.5) for _ in range(9)]
        True
        """
        self._seeded = self._random = random.Random(seed)

    def _n_best(self, data: bytes, size: int, positions: bool) -> list[tuple[OneText, float]]:
        """The best encodings with their scores, best first."""
        check_nbest(size)
        if self.model.model_type != "unigram":
            raise NotAvailable(
                f"a {self.model.model_type} model has one encoding and no others to rank; nbest_encode is for unigram "
                "models."
            )
        return [(_one(found, data, positions), score) for found, score in self._engine.n_best(data, size)]

    def _sampled(self, data: bytes, options: Options, positions: bool) -> OneText:
        """One encoding, drawn at random."""
        kind = self.model.model_type
        if kind in ("char", "word"):
            raise NotAvailable(f"a {kind} model has one encoding and nothing to sample from.")
        if kind == "bpe" and self.model.pipeline is None and self._unused_merge:
            return self._with_dropout(data, options.alpha)
        return _one(self._engine.sample(data, options.alpha, self._random, options.nbest_size), data, positions)

    @cached_property
    def _unused_merge(self) -> bool:
        """Whether there are UNUSED pieces to be taken apart, which with merges left out can happen in several ways."""
        return any(kind == UNUSED and len(piece) > 1 for piece, kind in zip(self.model.pieces, self.model.kinds))

    def _with_dropout(self, data: bytes, alpha: float) -> OneText:
        """BPE that leaves each merge out with a probability (Provilkov and others, 2020), the readable way."""
        normalized, positions = self._engine.normalize_with_positions(data)
        draw = self._random.random
        tokens = encode_pieces(
            normalized.decode("utf-8"),
            self._engine.model,
            self._user_defined,
            (lambda: draw() < alpha) if alpha else None,
        )
        of_bytes = set(self.model.byte_ids)
        spans = [1 if token.id in of_bytes else len(token.text.encode("utf-8")) for token in tokens]
        return OneText([token.id for token in tokens], spans, normalized, positions, data)

    @cached_property
    def _user_defined(self) -> LongestMatch:
        return LongestMatch(piece.encode("utf-8") for piece in self.model.user_defined)


def _one(found: Any, data: bytes, positions: bool) -> OneText:
    places = found.positions.tolist() if positions else []
    return OneText(found.ids.tolist(), found.spans.tolist(), found.normalized.tobytes(), places, data)
