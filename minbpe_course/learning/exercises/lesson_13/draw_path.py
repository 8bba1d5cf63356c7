"""Exercise 13.draw_path: a random cut, with random numbers that are given, so that there is one right answer.

No number is so near to the border between two pieces that rounding could decide.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from random import Random

from minbpe_course.learning.exercises.lesson_13.lattices import Scores, drawn_word, edges_of, likeliest
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def draw_path(text, scores, alpha, numbers):
    """Return the pieces of the path that these numbers draw, a list of str.

    While a language model is trained, the same word may be split differently each time, with the likelier ways more
    often. Draw one of them. The random numbers have already been drawn, so there is one right answer.

    * **In:** `text`, a str that the pieces can spell; `scores`; `alpha`, a number above 0; `numbers`, a list of numbers
      from 0 up to but not including 1, one for each character, which is more than you need.
    * **Out:** the list of pieces, from left to right.

    The weight of a piece is `exp(alpha * score)`, and the weight of a path is the product of its pieces' weights. With
    a small `alpha`, all paths become almost equally likely. With a large one, the best path wins nearly always.

    1. From left to right, compute the **total** of each position: the weight of all paths to it. The total of position
       0 is 1.
    2. Then go from the end to the beginning. Look at the pieces that **end** at the current position, the longest
       first. The share of each is the total of the position where it begins, times its own weight. Together, the shares
       add up to the total of the current position.
    3. Take the next number of the list, times the total of this position, and go through the shares until it is used
       up. The piece you have reached is drawn. Continue at the position where it begins, with the next number.

    With the scores -1 for `a`, -1 for `b` and -1.5 for `ab`, the text `ab` ends in `ab` with a share of 0.62, and in
    `b` with 0.38. So 0.6 draws `ab`, and 0.7 draws `a`, `b`.

    The check tries values of `alpha` that leave the scores as they are, that flatten them or sharpen them, and an empty
    text.
    """
    import math

    totals = [1.0]
    shares = [[]]
    for end in range(1, len(text) + 1):
        ending = [begin for begin in range(end) if text[begin:end] in scores]
        shares.append([(begin, totals[begin] * math.exp(alpha * scores[text[begin:end]])) for begin in ending])
        totals.append(sum(share for _, share in shares[end]))
    drawn, place = [], len(text)
    for number in numbers:
        if place == 0:
            break
        rest = number * totals[place]
        for begin, share in shares[place]:  # noqa: B007
            rest -= share
            if rest < 0:
                break
        drawn.append(text[begin:place])
        place = begin
    drawn.reverse()
    return drawn


SHORT, SMOOTH, SHARP = "scores as they are", "scores that are made smoother", "scores that are made sharper"
MARGIN = 1e-6  # no number lies as near as this to a border between two pieces: rounding decides nothing


def reference_draw_path(text: str, scores: Scores, alpha: float, numbers: Sequence[float]) -> list[str]:
    """Return the cut that these numbers draw, where the weight of a cut is the product of exp(alpha * score).

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5}
    >>> draw_path("ab", scores, 1.0, [0.7, 0.0]), draw_path("ab", scores, 1.0, [0.6, 0.0])
    (['a', 'b'], ['ab'])
    """
    return _drawn(text, scores, alpha, numbers)[0]


def _drawn(text: str, scores: Scores, alpha: float, numbers: Sequence[float]) -> tuple[list[str], float]:
    """Return the path, and the smallest distance of a number to a border between two pieces."""
    edges = edges_of(text, scores)
    weights = {piece: math.exp(alpha * score) for piece, score in scores.items()}
    total = [1.0] + [0.0] * len(text)
    for begin, end in edges:
        total[end] += total[begin] * weights[text[begin:end]]
    path: list[str] = []
    place, nearest = len(text), 1.0
    while place:
        ending = sorted(begin for begin, end in edges if end == place)
        shares = [total[begin] * weights[text[begin:place]] for begin in ending]
        number, whole = numbers[len(path)], math.fsum(shares)
        borders = [one / whole for one in accumulate(shares)]
        nearest = min(nearest, *(abs(number - border) for border in borders))
        chosen = ending[min(bisect_right(borders, number), len(ending) - 1)]
        path.append(text[chosen:place])
        place = chosen
    return path[::-1], nearest


def _wrong(old: str, new: str) -> Callable[..., list[str]]:
    drawn = edited(_drawn, (old, new))
    return lambda *args: drawn(*args)[0]


_only_its_own_share = _wrong("total[begin] * weights[text[begin:place]]", "weights[text[begin:place]]")
_only_what_leads_there = _wrong("total[begin] * weights[text[begin:place]]", "total[begin]")
_forgets_alpha = _wrong("alpha * score", "score")
_alpha_as_factor = _wrong("math.exp(alpha * score)", "alpha * math.exp(score)")
_shortest_first = _wrong("ending = sorted(", "ending = list(")
_out_of_one = _wrong("one / whole", "one")
_one_number_for_all = _wrong("numbers[len(path)]", "numbers[0]")
_number_from_the_end = _wrong("numbers[len(path)]", "numbers[len(text) - place]")
_number_of_the_last_letter = _wrong("numbers[len(path)]", "numbers[place - 1]")
_FOR_EACH_PIECE = "A number is used for each piece that is drawn, not for each character."


def _always_the_likeliest(text: str, scores: Scores, alpha: float, numbers: Sequence[float]) -> list[str]:
    return likeliest(text, scores)


_TEMPTING: tuple[Callable[..., list[str]], ...] = (
    _only_its_own_share,
    _only_what_leads_there,
    _forgets_alpha,
    _alpha_as_factor,
    _shortest_first,
    _one_number_for_all,
    _number_from_the_end,
    _number_of_the_last_letter,
    _always_the_likeliest,
)


def draw_cases(random: Random) -> Iterator[Case]:
    """Yield texts with numbers, short ones first, until each mistake has failed several times."""
    yield Case(SHORT, ("", {"a": -1.0}, 1.0, []))
    found = []
    for category, alphas in ((SHORT, (1.0,)), (SMOOTH, (0.05, 0.2, 0.5)), (SHARP, (1.5, 2.0))):
        missing = dict.fromkeys(_TEMPTING, 3)
        if category == SHORT:
            missing.update({_forgets_alpha: 0, _alpha_as_factor: 0})
        while any(missing.values()):
            text, scores = drawn_word(random, random.randint(2, 9))
            case = Case(category, (text, scores, random.choice(alphas), [random.random() for _ in text]))
            path, nearest = _drawn(*case.args)
            if likeliest(text, scores, later=True) != likeliest(text, scores):
                continue  # an answer that always takes the best path may take either
            failing = [one for one in missing if missing[one] and one(*case.args) != path]
            if failing and nearest > MARGIN:
                missing.update({one: missing[one] - 1 for one in failing})
                found.append(case)
    yield from sorted(found, key=lambda case: len(case.args[0]))


EXERCISE = Exercise(
    key="13.draw_path",
    answer=draw_path,
    title="A random cut",
    kind="write",
    difficulty=3,
    minutes=25,
    points=3,
    hints=(
        "First walk from left to right: for each position, compute the sum over all paths to it. Then "
        "draw, from the end to the beginning: which piece was the last one?",
        "total[0] = 1; total[end] += total[begin] * exp(alpha * score). At position `end`, for each piece"
        " that ends here, longest first: its share is total[begin] * exp(alpha * score); subtract share "
        "after share from number * total[end]; the piece at which it becomes negative is the one. Go to "
        "the position where it begins, and take the next number",
        "Lesson 13, on drawing a segmentation: the forward pass, and many draws compared with the exact shares.",
    ),
    wanted=reference_draw_path,
    shown=(
        Case(SHORT, ("ab", {"a": -1.0, "b": -1.0, "ab": -1.5}, 1.0, [0.7, 0.5])),
        Case(SHORT, ("ab", {"a": -1.0, "b": -1.0, "ab": -1.5}, 1.0, [0.6, 0.5])),
        Case(SMOOTH, ("abab", {"a": -1.0, "b": -1.0, "ab": -5.0, "bab": -4.0}, 0.1, [0.55, 0.7, 0.7, 0.1])),
    ),
    drawn=draw_cases,
    mistakes=(
        Mistake(
            "its-own-share-only",
            "The share of a piece is its own weight *times* the weight of all paths to its beginning.",
            like=_only_its_own_share,
        ),
        Mistake(
            "what-leads-there-only",
            "This counts the paths to its beginning but forgets the weight of the piece itself.",
            like=_only_what_leads_there,
        ),
        Mistake(
            "out-of-one",
            "The shares at a place add up to its total, not to 1. Out of what is the number a part?",
            like=_out_of_one,
        ),
        Mistake("forgets-alpha", "Every score is multiplied by alpha before exp.", like=_forgets_alpha),
        Mistake("alpha-as-factor", "It is exp(alpha * score), not alpha * exp(score).", like=_alpha_as_factor),
        Mistake(
            "shortest-first",
            "Of the pieces that end at a place, the longest takes the first share.",
            like=_shortest_first,
        ),
        Mistake("one-number", "Every piece uses the next number.", like=_one_number_for_all),
        Mistake("number-of-the-place", _FOR_EACH_PIECE, like=_number_from_the_end),
        Mistake("number-of-the-character", _FOR_EACH_PIECE, like=_number_of_the_last_letter),
        Mistake(
            "not-turned-round",
            "The last piece is drawn first: reverse the list.",
            like=lambda text, scores, alpha, numbers: reference_draw_path(text, scores, alpha, numbers)[::-1],
        ),
        Mistake(
            "always-the-likeliest",
            "That is the best path and ignores the numbers. In a draw, each cut occurs as often as it is likely.",
            like=_always_the_likeliest,
        ),
    ),
)
