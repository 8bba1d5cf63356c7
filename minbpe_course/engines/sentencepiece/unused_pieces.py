"""The parts that replace the UNUSED pieces of a BPE model.

    "ab" is UNUSED      a b  -->  ab  -->  a b        it merges like any piece and is taken apart again at the end

How an UNUSED piece was joined does not depend on the text around it, so ``unused_parts`` finds its parts once for each
model and the kernels look them up.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping

from minbpe_course.engines.sentencepiece.piece_layout import inside, score_ranks
from minbpe_course.model import UNUSED, PieceModel
from minbpe_course.model.piece_rules import is_text

DEEPEST_UNUSED = 100  # sentencepiece 0.2.3 takes an UNUSED piece apart to this depth and no further


def unused_parts(model: PieceModel) -> dict[int, list[tuple[int, str]]]:
    """Return for every UNUSED piece the (id, text) pairs that come out instead; the id is -1 for text without a piece.

    >>> unused_parts(PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 5)))
    {2: [(1, 'a'), (1, 'a')]}
    """
    found: dict[int, list[tuple[int, str]]] = {}
    if not model.ids_of_kind(UNUSED):
        return found
    ranks = score_ranks(model.scores).tolist()
    for piece, piece_id in model.mergeable.items():
        if model.kinds[piece_id] == UNUSED:
            found[piece_id] = []
            if inside(piece, model.normalizer.escape_whitespaces) is not None and is_text(piece):
                found[piece_id] = list(_take_apart(piece, model, _cuts(piece, model, ranks)))
    return found


def _cuts(piece: str, model: PieceModel, ranks: list[int]) -> dict[str, tuple[str, str]]:
    """Merge the characters of a piece, best first; return the parts of each pair that was possible, by its text."""
    texts = list(piece)
    before = list(range(-1, len(texts) - 1))
    after = [*range(1, len(texts)), -1][: len(texts)]
    cuts: dict[str, tuple[str, str]] = {}
    queue: list[tuple[int, int, int, str]] = []

    def offer(left: int, right: int) -> None:
        joined = texts[left] + texts[right]
        if left >= 0 and right >= 0 and joined in model.mergeable:
            cuts[joined] = texts[left], texts[right]
            heapq.heappush(queue, (ranks[model.mergeable[joined]], left, right, joined))

    for left in range(len(texts) - 1):
        offer(left, left + 1)
    while queue:
        _, left, right, joined = heapq.heappop(queue)
        # An entry is stale when one of its symbols has changed since.
        if not texts[left] or not texts[right] or texts[left] + texts[right] != joined:
            continue
        texts[left], texts[right] = joined, ""
        after[left] = after[right]
        if after[right] >= 0:
            before[after[right]] = left
        offer(before[left], left)
        offer(left, after[left])
    return cuts


def _take_apart(
    piece: str, model: PieceModel, cuts: Mapping[str, tuple[str, str]], depth: int = 0
) -> Iterator[tuple[int, str]]:
    """Yield the id and the text of a piece, or of the parts of an UNUSED one; the id is -1 for text without a piece."""
    piece_id = model.mergeable.get(piece, -1)
    usable = piece_id >= 0 and model.kinds[piece_id] != UNUSED
    if depth > DEEPEST_UNUSED or usable:
        yield piece_id, piece
    elif piece not in cuts or piece_id < 0:
        yield -1, piece
    else:
        for part in cuts[piece]:
            yield from _take_apart(part, model, cuts, depth + 1)
