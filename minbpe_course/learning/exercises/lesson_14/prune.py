"""Exercise 14.prune: drop the pieces that the text would miss least."""

import math

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.arcs import arcs
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against, drawn_word


def prune(scores, counts, size):
    """Return the scores without the pieces of the smallest loss, so that size of them are left.

    What would the text lose without a piece? Every time the piece is used, the best *other* segmentation of its
    characters would have to replace it. So

    > loss = expected count × (its score - the sum of scores of the best other segmentation of its characters)

    * **In:** `scores`, a dict from piece to score, which has every single character of every piece; `counts`, a dict
      from each of these pieces to its expected count; `size`, how many pieces may be left.
    * **Out:** a dict from each piece that is left to its score, which doesn't change.
    * Compute all losses first, with all pieces in place. Then drop the pieces with the smallest losses until `size` are
      left. Of equal losses (`round(loss, 6)`), the piece that comes first in the alphabet goes first.
    * Never drop a single character, even if more than `size` pieces are left.

    With the scores `a` -1, `b` -2 and `ab` -2, the best segmentation of `ab` without the piece `ab` is `a`, `b`, with
    -3. If `ab` is expected 5 times, its loss is 5 × (-2 - -3) = 5.

    The check tries losses that differ, equal losses, pieces that replace others, pieces that are worse than their
    parts, sizes that leave all pieces, and sizes below the number of characters.
    """
    losses = {}
    for piece in scores:
        if len(piece) > 1:
            best = [0.0] + [-math.inf] * len(piece)
            for begin, end, score in arcs(piece, scores):
                if end - begin < len(piece):
                    best[end] = max(best[end], best[begin] + score)
            losses[piece] = counts[piece] * (scores[piece] - best[-1])
    ranked = sorted(losses, key=lambda piece: (round(losses[piece], 6), piece))
    dropped = ranked[: max(0, len(scores) - size)]
    return {piece: score for piece, score in scores.items() if piece not in dropped}


DIFFERENT, TIED, PARTS, WORSE = (
    "losses that differ",
    "equal losses",
    "pieces that replace others",
    "pieces worse than their parts",
)
ALL, FEW = "a size that leaves all", "a size below the number of characters"


def cases(random):
    tempting = {
        DIFFERENT: ("rarest-first", "score-only", "largest-first"),
        PARTS: ("characters-only", "one-after-another"),
        TIED: ("last-of-equals",),
        WORSE: ("absolute",),
    }
    yield from cases_against(EXERCISE, tempting, lambda category: _drawn(random, category))
    for _ in range(4):
        scores, counts, _ = _drawn(random, DIFFERENT)
        yield ALL, scores, counts, len(scores) + random.randint(0, 2)
        yield FEW, scores, counts, random.randint(0, 1)


def _drawn(random, category):
    scores = drawn_word(random, random.randint(5, 9))[1]
    characters = sum(len(piece) == 1 for piece in scores)
    if category != WORSE:  # a piece is likelier than its parts
        scores = {piece: score if len(piece) == 1 else score / 4 - 1 for piece, score in scores.items()}
    counts = {piece: random.randint(1, 99) / 4 for piece in scores}
    if category == TIED:
        counts |= {piece: 0.0 for piece in scores if len(piece) > 1 and random.random() < 0.7}
    return scores, counts, random.randint(characters, max(characters, len(scores) - 1))


def one_after_another(scores, counts, size):
    """Compute the losses again after each piece that is dropped."""
    while len(scores) > size:
        fewer = prune(scores, counts, len(scores) - 1)
        if len(fewer) == len(scores):
            break
        scores = fewer
    return scores


EXERCISE = Exercise(
    "14.prune",
    "Drop what is missed least",
    "write",
    answer=prune,
    difficulty=3,
    minutes=15,
    points=4,
    hints=(
        "The best other segmentation is a task for the Viterbi algorithm: which arc of the piece must it not use?",
        "Lesson 14, section 3, and `viterbi` of lesson 13: here you need only the best sum at the right edge.",
        "for each piece of several characters: best = [0.0, -inf, ...]; for each arc of arcs(piece, scores) that isn't "
        "the whole piece: best[end] = max(best[end], best[begin] + score); loss = counts[piece] * (scores[piece] - "
        "best[-1]). Sort by (round(loss, 6), piece), drop the first len(scores) - size of them",
    ),
    shown=(
        (DIFFERENT, {"a": -1.0, "b": -2.0, "ab": -2.0, "ba": -2.5}, {"a": 9.0, "b": 9.0, "ab": 5.0, "ba": 3.0}, 3),
        (TIED, {"a": -1.0, "b": -2.0, "ba": -2.0, "ab": -2.0}, {"a": 9.0, "b": 9.0, "ab": 0.0, "ba": 0.0}, 3),
        (
            PARTS,
            {"a": -3.0, "b": -3.0, "ab": -3.5, "abb": -4.0, "bb": -5.0},
            {"a": 1.0, "b": 1.0, "ab": 2.0, "abb": 3.0, "bb": 8.0},
            4,
        ),
        (WORSE, {"a": -1.0, "ab": -9.0, "aa": -1.5, "b": -1.0}, {"a": 5.0, "ab": 7.0, "aa": 1.0, "b": 5.0}, 3),
        (FEW, {"a": -1.0, "aa": -1.5, "b": -1.0}, {"a": 5.0, "aa": 7.0, "b": 1.0}, 1),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "rarest-first",
            "Your code drops what is used least. A rare piece may have no good replacement: that's the second factor.",
            like=("counts[piece] * (scores[piece] - best[-1])", "counts[piece]"),
        ),
        Mistake(
            "score-only",
            "The loss happens each time the piece is used: multiply by its expected count.",
            like=("counts[piece] * (", "("),
        ),
        Mistake(
            "largest-first",
            "Drop the pieces with the *smallest* losses.",
            like=("key=lambda piece: (round", "key=lambda piece: (-round"),
        ),
        Mistake(
            "characters-only",
            "The other segmentation may use any pieces but this one, not only single characters.",
            like=("if end - begin < len(piece):", "if end - begin == 1:"),
        ),
        Mistake(
            "one-after-another",
            "Compute all losses first, with all pieces in place, and then drop.",
            like=one_after_another,
        ),
        Mistake(
            "last-of-equals",
            "Equal losses: the piece that comes first in the alphabet goes first.",
            like=(
                "piece: (round(losses[piece], 6), piece)",
                "piece: (round(losses[piece], 6), [-ord(c) for c in piece])",
            ),
        ),
        Mistake(
            "absolute",
            "A loss below 0 means that the text is better off without the piece. It goes first.",
            like=("= counts[piece] * (scores[piece] - best[-1])", "= abs(counts[piece] * (scores[piece] - best[-1]))"),
        ),
        Mistake(
            "drops-characters",
            "Single characters always stay.",
            when=lambda case, outcome, wanted: case.category == FEW and len(outcome.value) < len(wanted),
        ),
    ),
)
