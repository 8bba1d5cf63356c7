"""Exercise 13.viterbi: the best segmentation of a lattice, and the best sum at every position."""

import math

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.arcs import arcs as arcs_of
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against, drawn_word


def viterbi(size, arcs):
    """Return the best sum at each position, and the arcs (begin, end) of the best segmentation.

    A segmentation is a row of arcs from position 0 to position `size`, each beginning where the one before it ends. The
    best one has the greatest sum of scores.

    * **In:** `size`, the number of characters; `arcs`, a list of `(begin, end, score)`, sorted by `begin`, then `end`.
    * **Out:** a tuple of two lists. The first has `size + 1` numbers: for each position, the greatest sum of scores on
      any way there; 0.0 for position 0, and `-math.inf` where no arc arrives. The second is the best segmentation, a
      list of `(begin, end)` from left to right; `[]` if none reaches position `size`.
    * Go through the arcs in their order. Each one **offers** a sum to the position where it ends: the best sum where it
      begins, plus its score. Take an offer only if it is **greater** than the sum there, and note where the arc begins.
    * Then follow these notes back from the right edge, and turn the result around.

    ```
    viterbi(2, [(0, 1, -1.0), (0, 2, -2.5), (1, 2, -2.0)])    ->  ([0.0, -1.0, -2.5], [(0, 2)])
    viterbi(2, [(0, 1, -1.0), (0, 2, -3.0), (1, 2, -1.0)])    ->  ([0.0, -1.0, -2.0], [(0, 1), (1, 2)])
    ```

    The check tries scores that differ, equal sums, positions that no arc reaches, lattices without a segmentation, and
    no text at all.
    """
    best, came_from = [0.0] + [-math.inf] * size, [0] * (size + 1)
    for begin, end, score in arcs:
        offer = best[begin] + score
        if offer > best[end]:
            best[end], came_from[end] = offer, begin
    segmentation, end = [], size if best[size] > -math.inf else 0
    while end > 0:
        segmentation.append((came_from[end], end))
        end = came_from[end]
    segmentation.reverse()
    return best, segmentation


DIFFERENT, TIED, GAPS, NONE, EMPTY = (
    "scores that differ",
    "equal sums",
    "positions that no arc reaches",
    "no segmentation",
    "no text",
)


def cases(random):
    yield EMPTY, 0, []
    yield NONE, 3, [(0, 1, -1.0), (2, 3, -1.0)]
    yield NONE, 2, []
    tempting = {
        DIFFERENT: ("overwrites", "greedy", "least", "not-turned-around"),
        TIED: ("later-of-equals",),
        GAPS: ("starts-anywhere",),
    }
    yield from cases_against(EXERCISE, tempting, lambda category: _drawn(random, category))


def _drawn(random, category):
    word, scores = drawn_word(random, random.randint(3, 9))
    if category == TIED:
        scores = {piece: -float(random.randint(1, 2) * len(piece)) for piece in scores}
    if category == GAPS:
        for letter in random.sample(sorted(set(word)), 1):
            scores.pop(letter)
    return len(word), arcs_of(word, scores or {"?": -1.0})


def greedy(size, arcs):
    """At each position take the arc with the best score."""
    at, found = 0, []
    while at < size:
        here = [arc for arc in arcs if arc[0] == at]
        if not here:
            return viterbi(size, arcs)[0], []
        best = max(here, key=lambda arc: arc[2])
        found.append(best[:2])
        at = best[1]
    return viterbi(size, arcs)[0], found


EXERCISE = Exercise(
    "13.viterbi",
    "The Viterbi algorithm",
    "write",
    answer=viterbi,
    difficulty=3,
    minutes=15,
    points=4,
    hints=(
        "Remember two things for each position: the best sum so far, and where the arc that made it begins. Nothing "
        "else about the past matters.",
        "Lesson 13, on the best segmentation: the example with `a`, `b` and `ab`, position by position.",
        "best = [0.0] and -math.inf size times, came_from = zeros; for each arc: offer = best[begin] + score; if offer "
        "> best[end], replace both at end; then, if best[size] is not -math.inf: end = size; while end > 0: note "
        "(came_from[end], end), end = came_from[end]; reverse",
    ),
    shown=(
        (DIFFERENT, 2, [(0, 1, -1.0), (0, 2, -2.5), (1, 2, -2.0)]),
        (DIFFERENT, 2, [(0, 1, -1.0), (0, 2, -3.0), (1, 2, -1.0)]),
        (TIED, 2, [(0, 1, -1.0), (0, 2, -2.0), (1, 2, -1.0)]),
        (GAPS, 3, [(0, 2, -1.0), (1, 2, -0.5), (2, 3, -1.0)]),
        (NONE, 2, [(0, 1, -1.0)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "later-of-equals",
            "Equal sums: the offer that came first stays. Do you replace on > or on >=?",
            like=("offer > best[end]", "offer >= best[end]"),
        ),
        Mistake(
            "overwrites",
            "Every arc replaces the sum where it ends. Take an offer only if it is greater.",
            like=("if offer > best[end]:", "if True:"),
        ),
        Mistake(
            "least",
            "Scores are logarithms of probabilities, so they are negative: the greatest sum is the best.",
            like=(("[-math.inf]", "[math.inf]"), ("offer > best[end]", "offer < best[end]"), ("> -math", "< math")),
        ),
        Mistake(
            "starts-anywhere",
            "A segmentation begins at position 0. Where no arc arrives, the sum is -math.inf, not 0.",
            like=(
                ("offer = best[begin] + score", "offer = (best[begin] if best[begin] > -math.inf else 0.0) + score"),
                ("while end > 0:", "while end > 0 and best[end] > -math.inf:"),
            ),
        ),
        Mistake(
            "not-turned-around",
            "You find the segmentation from its end to its beginning: reverse the list.",
            like=("segmentation.reverse()", "pass"),
        ),
        Mistake(
            "greedy",
            "The best arc at each position doesn't give the best sum: an arc that costs more now may save later.",
            like=greedy,
        ),
        Mistake(
            "no-way-to-the-end",
            "No segmentation reaches the end here. The second list is empty then.",
            when=lambda case, outcome, wanted: case.category in (NONE, GAPS) and not wanted[1],
        ),
    ),
)
