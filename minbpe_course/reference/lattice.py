"""All the ways to cut a text into the pieces of a Unigram model, as a lattice: places joined by edges.

    places      0     1     2     3            text "abc", pieces a, b, c, ab, bc
    edges       |--a--|--b--|--c--|            one edge for every piece that stands anywhere in the text
                |----ab-----|                  a path from the first place to the last is one way to cut the text;
                      |----bc-----|            its score is the sum of the scores of its edges

A character that is not a piece gets an edge for the unknown piece, ten below the lowest score. The score of a
user-defined piece beats all others. Scores are float32, as in the model file, and so are the sums.

Limits: slow on purpose. ``kernels.sentencepiece.lattice`` is the compiled version.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_float
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from minbpe_course.model import NORMAL, UNUSED, USER_DEFINED, PieceModel

UNKNOWN_PENALTY = 10.0
LARGEST_FLOAT32 = 3.4028234663852886e38

_HERE = ""  # the key under which a node of the trie keeps the id of the piece that ends there; no character is empty


def float32(number: float) -> float:
    """Round to the nearest float32. Two of them added as Python floats and rounded once are their float32 sum.

    >>> float32(0.1), float32(16777216.0 + 1.0)
    (0.10000000149011612, 16777216.0)
    """
    return c_float(number).value


class Edge(NamedTuple):
    """``text[begin:end]`` as one piece: its id and its score. An unknown character has the id of the unknown piece,
    which is -1 in a model without one."""

    begin: int
    end: int
    piece: str
    id: int
    score: float


@dataclass(frozen=True)
class Lattice:
    """A text and its edges, from left to right; of edges that begin together, shorter ones first.

    >>> model = PieceModel(("<unk>", "a", "ab"), (0.0, -1.0, -1.5), (2, 1, 1), "unigram")
    >>> made = lattice("ab", model)
    >>> [(edge.begin, edge.end, edge.piece, edge.score) for edge in made.edges]
    [(0, 1, 'a', -1.0), (0, 2, 'ab', -1.5), (1, 2, 'b', -11.5)]
    >>> [edge.piece for edge in made.ending[2]]
    ['ab', 'b']
    """

    text: str
    edges: tuple[Edge, ...]

    @cached_property
    def beginning(self) -> tuple[list[Edge], ...]:
        """For every place, the edges that begin there, shorter first."""
        return self._by_place("begin")

    @cached_property
    def ending(self) -> tuple[list[Edge], ...]:
        """For every place, the edges that end there, longer first."""
        return self._by_place("end")

    def _by_place(self, side: str) -> tuple[list[Edge], ...]:
        places: tuple[list[Edge], ...] = tuple([] for _ in range(len(self.text) + 1))
        for edge in self.edges:
            places[getattr(edge, side)].append(edge)
        return places


class Scores:
    """The edges of a model: which pieces begin at a place, and their scores.

    >>> model = PieceModel(("<unk>", "a", "ab", "<x>"), (0.0, -1.0, -2.5, 0.0), (2, 1, 1, 4), "unigram")
    >>> scores = Scores(model)
    >>> list(scores.pieces_at("abc", 0)), scores.unknown, scores.of_user_defined(3)
    ([('a', 1), ('ab', 2)], -12.5, 0.20000000298023224)
    """

    def __init__(self, model: PieceModel) -> None:
        self.model = model
        self.numbers = [float32(score) for score in model.scores]
        normal = [score for score, kind in zip(self.numbers, model.kinds) if kind == NORMAL]
        self.unknown = float32(min(normal, default=LARGEST_FLOAT32) - UNKNOWN_PENALTY)
        # A trie of dictionaries: a piece is found character by character, together with all that it begins with.
        self.trie: dict[str, Any] = {}
        for piece, piece_id in model.mergeable.items():
            if model.kinds[piece_id] != UNUSED:
                node = self.trie
                for character in piece:
                    node = node.setdefault(character, {})
                node[_HERE] = piece_id

    def pieces_at(self, text: str, begin: int) -> Iterator[tuple[str, int]]:
        """Yield (piece, id) for every piece that the text has at ``begin``, shorter first; UNUSED ones are not used."""
        node = self.trie
        for end in range(begin, len(text)):
            if text[end] not in node:
                return
            node = node[text[end]]
            if _HERE in node:
                yield text[begin : end + 1], node[_HERE]

    def of_user_defined(self, length: int) -> float:
        """Return the score of a user-defined piece. The lattice counts its characters, ``encode_unigram`` its bytes."""
        return float32(0.1 * (length - 1))

    def edges_at(self, text: str, begin: int, count_bytes: bool = False) -> Iterator[Edge]:
        """Yield the edges that begin at a place, shorter ones first; the unknown one comes last."""
        alone = False
        for piece, piece_id in self.pieces_at(text, begin):
            score = self.numbers[piece_id]
            if self.model.kinds[piece_id] == USER_DEFINED:
                score = self.of_user_defined(len(piece.encode("utf-8")) if count_bytes else len(piece))
            alone = alone or len(piece) == 1
            yield Edge(begin, begin + len(piece), piece, piece_id, score)
        if not alone:
            yield Edge(begin, begin + 1, text[begin], self.model.unk_id, self.unknown)


@lru_cache(maxsize=8)
def scores_of(model: PieceModel) -> Scores:
    """Return the ``Scores`` of a model, made once."""
    return Scores(model)


def lattice(text: str, model: PieceModel) -> Lattice:
    """Return every edge over a normalised text.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -2.5), (2, 1, 1, 1), "unigram")
    >>> for edge in lattice("abx", model).edges:
    ...     print(edge.begin, edge.end, edge.piece, edge.score)
    0 1 a -1.0
    0 2 ab -2.5
    1 2 b -2.0
    2 3 x -12.5
    """
    scores = scores_of(model)
    edges = [edge for begin in range(len(text)) for edge in scores.edges_at(text, begin)]
    return Lattice(text, tuple(edges))
