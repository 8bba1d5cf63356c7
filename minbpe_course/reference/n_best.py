"""The n best ways to cut a text, best first (SentencePiece's N-best): a search from the end of the lattice back to its
beginning.

    Viterbi, from the left     for every edge the best sum of scores of a path that ends with it       ``scores_to``
    the search, from the right   beginnings unknown, ends chosen:    ... ? ? ? | ld | !    sum so far: ``behind``

The sum of both is exactly the score of the best path with this end. So if the end with the best promise is always
extended first, paths come out best first (A*). A heap holds the ends. It also decides between equal promises, so it
moves its items exactly as GNU's C++ library does; with another library, sentencepiece gives another order.

A search may grow without bound. So sentencepiece drops all but the best ends when there are too many, and at last gives
up and returns one path alone. It also gives up after 30 seconds, which is not imitated: here the limits on numbers end
every search.

Limits: slow on purpose; the text must be normalised. ``kernels.sentencepiece.lattice`` is the compiled version.
"""

from __future__ import annotations

from typing import NamedTuple

from minbpe_course.model import PieceModel
from minbpe_course.reference.lattice import Edge, Lattice, float32, lattice
from minbpe_course.reference.pieces import Token
from minbpe_course.reference.unigram import encode_unigram, tokens_of

MOST_WAITING = 10_000  # ends in the heap; with more, all but the best are forgotten
KEPT_WAITING = 512  # so many are kept, or ten for each path that is wanted
MOST_ENDS = 500_000  # ends that were ever made; with more, the search gives up
ENDS_BETWEEN = 100_000  # ends that are made before the heap is pruned again
MOST_FORGETTINGS = 10


class End(NamedTuple):
    """The last edges of a path: ``edge``, then those of ``after``. ``promise`` is the score of the best whole path with
    this end, ``behind`` the sum of the end alone. The edge of a whole path is None: the beginning of the text."""

    promise: float
    behind: float
    edge: Edge | None
    after: End | None


class Heap:
    """A queue that gives the greatest ``promise`` first, and equal ones in the order of GNU's ``std::priority_queue``.

    >>> heap = Heap()
    >>> for number, promise in enumerate([1.0, 2.0, 2.0, 2.0]):
    ...     heap.push(End(promise, float(number), None, None))
    >>> [heap.pop().behind for _ in range(4)]
    [1.0, 2.0, 3.0, 0.0]
    """

    def __init__(self) -> None:
        self.items: list[End] = []

    def __len__(self) -> int:
        return len(self.items)

    def push(self, item: End) -> None:
        """Put an item in: it rises from the last place while the item above it is less."""
        self.items.append(item)
        self._rise(len(self.items) - 1, item)

    def pop(self) -> End:
        """Take the first item. The gap sinks to the bottom, always to the greater child, of equal ones to the right;
        the last item fills it, and rises."""
        top, last = self.items[0], self.items.pop()
        if self.items:
            gap, size = 0, len(self.items)
            while (child := 2 * gap + 2) <= size:
                if child == size or self.items[child].promise < self.items[child - 1].promise:
                    child -= 1
                self.items[gap] = self.items[child]
                gap = child
            self._rise(gap, last)
        return top

    def _rise(self, at: int, item: End) -> None:
        while at > 0 and self.items[(at - 1) // 2].promise < item.promise:
            self.items[at] = self.items[(at - 1) // 2]
            at = (at - 1) // 2
        self.items[at] = item


def scores_to(made: Lattice) -> tuple[dict[Edge, float], list[Edge], float]:
    """Run Viterbi over a lattice; return for every edge its best score, the best path, and the score of that path.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -2.5), (2, 1, 1, 1), "unigram")
    >>> sums, path, score = scores_to(lattice("ab", model))
    >>> [(edge.piece, sums[edge]) for edge in sums], [edge.piece for edge in path], score
    ([('a', -1.0), ('ab', -2.5), ('b', -3.0)], ['ab'], -2.5)
    """
    sums: dict[Edge, float] = {}
    before: list[Edge | None] = [None] * (len(made.text) + 1)
    best = [0.0] * (len(made.text) + 1)
    for begin, edges in enumerate(made.beginning):
        for number, edge in enumerate(made.ending[begin]):
            if number == 0 or sums[edge] > best[begin]:
                before[begin], best[begin] = edge, sums[edge]
        for edge in edges:
            sums[edge] = float32(best[begin] + edge.score)
    path, last = [], before[-1]
    while last is not None:
        path.append(last)
        last = before[last.begin]
    return sums, path[::-1], best[-1]


def best_paths(made: Lattice, number: int) -> list[tuple[list[Edge], float]]:
    """Return the ``number`` best paths of a lattice, each with its score.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -2.5), (2, 1, 1, 1), "unigram")
    >>> [([edge.piece for edge in path], score) for path, score in best_paths(lattice("aab", model), 2)]
    [(['a', 'ab'], -3.5), (['a', 'a', 'b'], -4.0)]
    """
    sums, best, best_score = scores_to(made)
    heap = Heap()
    # The end of the text is an edge like others, only empty.
    size = len(made.text)
    heap.push(End(best_score, 0.0, Edge(size, size, "", -1, 0.0), None))
    found: list[tuple[list[Edge], float]] = []
    keep = min(KEPT_WAITING, 10 * number)
    ever = made_since = 1
    look_again = ENDS_BETWEEN
    forgettings = 0
    while len(heap):
        top = heap.pop()
        if top.edge is None:
            found.append((_edges_of(top), top.promise))
            if len(found) == number:
                break
            continue
        ways: list[Edge | None] = [*made.ending[top.edge.begin]] if top.edge.begin else [None]
        for edge in ways:
            score, promise = (edge.score, sums[edge]) if edge else (0.0, 0.0)
            heap.push(End(float32(promise + top.behind), float32(score + top.behind), edge, top))
        ever += len(ways)
        made_since += len(ways)
        if ever >= MOST_ENDS:
            return [(best, best_score)]
        if len(heap) >= MOST_WAITING or (len(heap) > keep and made_since >= look_again):
            if forgettings >= MOST_FORGETTINGS:
                return [(best, best_score)]
            forgettings += 1
            heap, made_since = _forget(heap, keep)
            look_again = made_since + ENDS_BETWEEN
    return found


def _edges_of(end: End) -> list[Edge]:
    """Return the edges of a whole path, without the empty one at the end of the text."""
    path, after = [], end.after
    while after is not None and after.after is not None:
        assert after.edge is not None
        path.append(after.edge)
        after = after.after
    return path


def _forget(heap: Heap, keep: int) -> tuple[Heap, int]:
    """Return a heap of the ``keep`` best ends, and how many ends they contain, shared ones counted once."""
    kept = Heap()
    alive: set[int] = set()
    for _ in range(min(keep, len(heap))):
        end: End | None = heap.pop()
        assert end is not None
        kept.push(end)
        while end is not None and id(end) not in alive:
            alive.add(id(end))
            end = end.after
    return kept, len(alive)


def n_best(text: str, model: PieceModel, number: int) -> list[tuple[list[Token], float]]:
    """Return the tokens of the ``number`` best ways to cut a normalised text, best first, with their scores.

    As in sentencepiece, one alone is that of ``encode_unigram`` with the score 0, and so is that of the empty text.
    The program asks for no more than 512.

    >>> model = PieceModel(("<unk>", "a", "b", "ab"), (0.0, -1.0, -2.0, -2.5), (2, 1, 1, 1), "unigram")
    >>> [([token.piece for token in tokens], score) for tokens, score in n_best("ab", model, 9)]
    [(['ab'], -2.5), (['a', 'b'], -3.0)]
    """
    if number <= 1 or not text:
        return [(encode_unigram(text, model), 0.0)]
    paths = best_paths(lattice(text, model), number)
    return [(tokens_of(path, model), score) for path, score in paths]
