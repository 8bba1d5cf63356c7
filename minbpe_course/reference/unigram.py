"""SentencePiece Unigram, readable: of all the ways to cut a text into pieces, the one with the best sum of scores.

    best so far    0    -3.1   -5.0   -7.2          "ab" ends at 2: the best sum at 0 plus its score
    place          0      1      2      3           if that beats the best sum at 2, it replaces it
    text              a      b      c

One pass from left to right is enough (Viterbi): the beginning of the best path is itself the best path to each place
that it passes. Of equal sums the first one found stays, which is the one with the longer last piece.

The sums are float32, and each is rounded, so the beginning of a text affects how it is cut much later: a text is not
cut into words first. Sums beyond 100,000 are moved back to 0, so that long texts do not lose all their digits.

Limits: slow on purpose; the text must be normalised. ``kernels.sentencepiece.unigram`` is the compiled version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from minbpe_course.model import PieceModel
from minbpe_course.reference import pieces
from minbpe_course.reference.lattice import Edge, float32, scores_of
from minbpe_course.reference.pieces import Token

FARTHEST_SUM = 100_000.0  # a place whose best sum is farther from 0 than this becomes the new 0


class ViterbiStep(NamedTuple):
    """One edge was tried. candidate : the best sum at its beginning plus its score · before : the best sum at its end
    so far, or None · better : whether the edge is now the best way to its end."""

    edge: Edge
    candidate: float
    before: float | None
    better: bool


def viterbi_steps(text: str, model: PieceModel) -> Iterator[ViterbiStep]:
    """Yield every edge over a normalised text in the order in which it is tried.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -2.5), (2, 1, 1, 1), "unigram")
    >>> for step in viterbi_steps("ab", model):
    ...     print(step.edge.piece, step.candidate, step.before, step.better)
    a -1.0 None True
    ab -2.5 None True
    b -3.0 -2.5 False
    """
    scores = scores_of(model)
    best: list[float | None] = [0.0] + [None] * len(text)
    farthest = 0
    for begin in range(len(text)):
        here = best[begin]
        assert here is not None  # every character has an edge, so every place is reached
        if abs(here) > FARTHEST_SUM:
            for place in range(begin, farthest + 1):
                reached = best[place]
                if reached is not None:
                    best[place] = float32(reached - here)
            here = 0.0
        for edge in scores.edges_at(text, begin, count_bytes=True):
            candidate = float32(edge.score + here)
            before = best[edge.end]
            better = before is None or candidate > before
            if better:
                best[edge.end] = candidate
                farthest = max(farthest, edge.end)
            yield ViterbiStep(edge, candidate, before, better)


def best_path(text: str, model: PieceModel) -> list[Edge]:
    """Return the edges of the best path over a normalised text.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -2.5), (2, 1, 1, 1), "unigram")
    >>> [edge.piece for edge in best_path("aab", model)]
    ['a', 'ab']
    """
    way = {step.edge.end: step.edge for step in viterbi_steps(text, model) if step.better}
    path = []
    end = len(text)
    while end > 0:
        path.append(way[end])
        end = way[end].begin
    return path[::-1]


def encode_unigram(text: str, model: PieceModel) -> list[Token]:
    """Return the tokens of a normalised text.

    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -1.5), (2, 1, 1), "unigram")
    >>> [(token.id, token.text) for token in encode_unigram("aaxyz", model)]
    [(2, 'aa'), (0, 'xyz')]
    """
    return tokens_of(best_path(text, model), model)


def tokens_of(path: Iterable[Edge], model: PieceModel) -> list[Token]:
    """Return the tokens of a path: unknown characters become their bytes, or one token where they stand together.

    >>> model = PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1), "unigram")
    >>> tokens_of(best_path("axx", model), model)
    [Token(id=1, piece='a', text='a'), Token(id=0, piece='xx', text='xx')]
    """
    return pieces.tokens_of(((edge.piece, -1 if edge.id == model.unk_id else edge.id) for edge in path), model)
