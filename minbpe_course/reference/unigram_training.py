"""How Unigram learns its pieces, one step at a time: begin with far too many, compute their scores, drop the useless.

    seed      all characters, and stretches of text that come back often
    E step    how often is each piece expected, over all ways to cut all words, with the scores as they are?
    M step    scores from these counts: the log of each share, a little less for rare pieces
    prune     drop the pieces whose loss costs the text the least, a quarter at a time

A piece is worth more if dropping it makes the text less likely: count it in the best cuts, replace it by its second
best cut, and compare. Words are {word: count} and scores {piece: log probability}. A character that has been dropped is
unknown from then on; in the end sentencepiece puts those back that its coverage requires.

Limits: sums are float64 where sentencepiece takes float32, so scores agree to about six digits and no further; how
seeds are found (a suffix array) is not shown, ``seed_scores`` simply counts. For use, sentencepiece's own trainer is
the one to take.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from minbpe_course.model import NORMAL, UNKNOWN, PieceModel
from minbpe_course.reference.lattice import Lattice, lattice
from minbpe_course.reference.n_best import best_paths, scores_to
from minbpe_course.reference.sampling import expected_counts, forward

FEWEST = 0.5  # a piece that is expected less often than this is dropped
SHRINKING = 0.75  # how many pieces are kept when it is pruned


def model_of(scores: Mapping[str, float]) -> PieceModel:
    """Return a model of these pieces; id 0 is the unknown piece, the others follow in order.

    >>> model_of({"a": -1.0, "ab": -2.0}).pieces
    ('<unk>', 'a', 'ab')
    """
    kinds = (UNKNOWN, *[NORMAL] * len(scores))
    return PieceModel(("<unk>", *scores), (0.0, *scores.values()), kinds, "unigram")


def seed_scores(words: Mapping[str, int], number: int, longest: int = 16) -> dict[str, float]:
    """Return all characters of the words, and the ``number`` stretches that cover the most text: their count times
    their length. A score is the log of a share.

    >>> list(seed_scores({"▁abab": 2, "▁ab": 1}, 2))
    ['a', 'b', '▁', 'ab', '▁abab']
    """
    characters: Counter[str] = Counter()
    stretches: Counter[str] = Counter()
    for word, count in words.items():
        for begin in range(len(word)):
            characters[word[begin]] += count
            for end in range(begin + 2, min(begin + longest, len(word)) + 1):
                stretches[word[begin:end]] += count
    covered = {text: count * len(text) for text, count in stretches.items() if count > 1}
    best = sorted(covered, key=lambda text: (-covered[text], text))[:number]
    alone = sorted(characters, key=lambda text: (-characters[text], text))
    weights = {text: characters[text] for text in alone} | {text: covered[text] for text in best}
    log_total = math.log(sum(weights.values()))
    return {text: math.log(weight) - log_total for text, weight in weights.items()}


def expectation_step(words: Mapping[str, int], scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Return how often each piece is expected in all the words, and the mean log likelihood of a word.

    >>> counts, likelihood = expectation_step({"ab": 3}, {"a": -1.0, "b": -2.0, "ab": -3.0})
    >>> {piece: round(count, 3) for piece, count in counts.items()}, round(likelihood, 3)
    ({'a': 1.5, 'b': 1.5, 'ab': 1.5}, -2.307)
    """
    model = model_of(scores)
    counts = dict.fromkeys(scores, 0.0)
    likelihood = 0.0
    for word, times in words.items():
        made = lattice(word, model)
        for piece, count in expected_counts(made).items():
            if piece in counts:
                counts[piece] += times * count
        likelihood += times * forward(made)[-1]
    return counts, likelihood / sum(words.values())


def maximization_step(counts: Mapping[str, float]) -> dict[str, float]:
    """Return new scores. Not the log of each share but its digamma, which punishes rare pieces: few data, few pieces.

    >>> {piece: round(score, 3) for piece, score in maximization_step({"a": 6.0, "b": 2.0, "c": 0.1}).items()}
    {'a': -0.31, 'b': -1.593}
    """
    kept = {piece: count for piece, count in counts.items() if count >= FEWEST}
    log_total = digamma(sum(kept.values()))
    return {piece: digamma(count) - log_total for piece, count in kept.items()}


def em_step(words: Mapping[str, int], scores: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Return the scores after one round of both steps, and the mean log likelihood of a word before it.

    >>> words, scores = {"ab": 3, "a": 1}, {"a": -1.0, "b": -2.0, "ab": -3.0}
    >>> scores, before = em_step(words, scores)
    >>> em_step(words, scores)[1] > before
    True
    """
    counts, likelihood = expectation_step(words, scores)
    return maximization_step(counts), likelihood


def prune_losses(words: Mapping[str, int], scores: Mapping[str, float]) -> dict[str, float]:
    """Return what the loss of each piece would cost, per token of the text: infinite for a piece that nothing can
    replace, -infinite for one that no best cut uses.

    >>> words, scores = {"ab": 3, "ba": 1}, {"a": -2.0, "b": -2.0, "ab": -1.5, "ba": -9.0}
    >>> {piece: round(loss, 3) for piece, loss in prune_losses(words, scores).items()}
    {'a': inf, 'b': inf, 'ab': 0.525, 'ba': -inf}
    """
    model = model_of(scores)
    counts: Counter[str] = Counter()
    for word, times in words.items():
        for edge in scores_to(lattice(word, model))[1]:
            if edge.id != model.unk_id:
                counts[edge.piece] += times
    tokens = sum(counts.values())
    losses = {}
    for piece in scores:
        instead = _second_best(lattice(piece, model))
        if instead == [] and counts[piece]:
            losses[piece] = math.inf
        elif instead is None or not counts[piece]:
            losses[piece] = -math.inf
        else:
            # Without the piece there are more tokens, and its replacements are more frequent.
            log_tokens = math.log(tokens + counts[piece] * (len(instead) - 1))
            with_it = math.log(counts[piece]) - math.log(tokens)
            without = sum(math.log(counts[part] + counts[piece]) - log_tokens for part in instead)
            losses[piece] = counts[piece] / tokens * (with_it - without)
    return losses


def prune_step(words: Mapping[str, int], scores: Mapping[str, float], smallest: int) -> dict[str, float]:
    """Return the scores without the pieces that are missed least: three quarters stay, or ``smallest`` if that is more.

    Pieces that nothing can replace stay, even if they are more than that.

    >>> words, scores = {"ab": 3, "ba": 1}, {"a": -2.0, "b": -2.0, "ab": -1.5, "ba": -9.0}
    >>> list(prune_step(words, scores, 2))
    ['a', 'b', 'ab']
    """
    losses = prune_losses(words, scores)
    size = max(smallest, int(SHRINKING * len(scores)))
    ranked = sorted((piece for piece in scores if losses[piece] > -math.inf), key=lambda piece: -losses[piece])
    needed = sum(loss == math.inf for loss in losses.values())
    kept = set(ranked[: max(size, needed)])
    return {piece: score for piece, score in scores.items() if piece in kept}


def _second_best(made: Lattice) -> list[str] | None:
    """Return the pieces that replace a dropped piece; [] if none can, None if the piece is not its own best cut."""
    paths = best_paths(made, 2)
    if len(paths) == 1:
        return []
    if len(paths[0][0]) > 1:
        return None
    return [edge.piece for edge in paths[1][0]]


def digamma(x: float) -> float:
    """Return the derivative of the log of the gamma function, for x above 0: about log(x - 1/2).

    >>> round(digamma(1.0), 6), round(digamma(100.0) - math.log(99.5), 6)  # the first is minus Euler's constant
    (-0.577216, 4e-06)
    """
    below = 0.0
    while x < 8:  # digamma(x) = digamma(x + 1) - 1 / x, and the series below is good for large x
        below += 1 / x
        x += 1
    square = 1 / (x * x)
    return math.log(x) - 1 / (2 * x) - square * (1 / 12 - square * (1 / 120 - square / 252)) - below
