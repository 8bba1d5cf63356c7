"""BPE for models with UNUSED pieces: the parts that replace them, and merging with dropout.

    "ab" is UNUSED      a b  -->  ab  -->  a b        it merges like any piece and is taken apart again at the end

How an UNUSED piece was joined does not depend on the text around it, so ``unused_parts`` finds its parts once for each
model and the kernels look them up. With dropout the same piece can be joined in several ways; ``encode_with_dropout``
therefore merges in Python.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping

from minbpe_course.engines.sentencepiece.char_and_word import SymbolSplitter
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
                _, cuts = _merge(list(piece), frozenset(), model, ranks)
                found[piece_id] = list(_take_apart(piece, model, cuts))
    return found


def encode_with_dropout(
    text: str, model: PieceModel, splitter: SymbolSplitter, skip: Callable[[], bool] | None
) -> tuple[list[int], list[int]]:
    """Return the ids of a normalised text, and how many bytes each stands for.

    skip : asked before every merge whether to leave it out for good (Provilkov and others, 2020).

    >>> model = PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 1))
    >>> encode_with_dropout("aaaxyz", model, SymbolSplitter(()), None)
    ([2, 1, 0], [2, 1, 3])
    """
    merged, cuts = _merge(splitter.split(text), splitter.known, model, score_ranks(model.scores).tolist(), skip)
    ids: list[int] = []
    spans: list[int] = []
    for symbol in merged:
        for piece_id, part in _take_apart(symbol, model, cuts):
            data = part.encode("utf-8")
            if piece_id < 0 and model.byte_fallback:
                ids += [model.byte_ids[byte] for byte in data]
                spans += [1] * len(data)
            elif piece_id < 0 and ids and ids[-1] == model.unk_id:
                spans[-1] += len(data)
            else:
                ids.append(piece_id if piece_id >= 0 else model.unk_id)
                spans.append(len(data))
    return ids, spans


def _merge(
    symbols: list[str],
    frozen: frozenset[str],
    model: PieceModel,
    ranks: list[int],
    skip: Callable[[], bool] | None = None,
) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """Merge neighbours, best score first and of equal scores the leftmost; frozen symbols never merge.

    Return the symbols that are left, and the two parts of each pair that was ever possible, by its text.
    """
    texts = list(symbols)
    before = list(range(-1, len(texts) - 1))
    after = [*range(1, len(texts)), -1][: len(texts)]
    cuts: dict[str, tuple[str, str]] = {}
    queue: list[tuple[int, int, int, str]] = []

    def offer(left: int, right: int) -> None:
        if left < 0 or right < 0 or symbols[left] in frozen or symbols[right] in frozen:
            return
        joined = texts[left] + texts[right]
        if joined in model.mergeable:
            cuts[joined] = texts[left], texts[right]
            heapq.heappush(queue, (ranks[model.mergeable[joined]], left, right, joined))

    for left in range(len(texts) - 1):
        offer(left, left + 1)
    while queue:
        _, left, right, joined = heapq.heappop(queue)
        # An entry is stale when one of its symbols has changed since.
        if not texts[left] or not texts[right] or texts[left] + texts[right] != joined or (skip and skip()):
            continue
        texts[left], texts[right] = joined, ""
        after[left] = after[right]
        if after[right] >= 0:
            before[after[right]] = left
        offer(before[left], left)
        offer(left, after[left])
    return [text for text in texts if text], cuts


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
