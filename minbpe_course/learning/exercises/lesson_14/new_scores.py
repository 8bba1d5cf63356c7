"""Exercise 14.new_scores: the M-step, scores from expected counts."""

import math

from minbpe_course.learning import Exercise, Mistake


def new_scores(counts):
    """Return {piece: logarithm of its share}, without pieces that are almost never used.

    This is the **M-step**: expected counts in, scores out.

    * **In:** `counts`, a dict from piece to its expected count, a float.
    * **Out:** a dict from piece to score. Drop every piece of several characters with a count below 0.001. Single
      characters always stay, so that every word keeps a segmentation: raise a count below 0.001 to 0.001. The score of
      a piece is the logarithm of its share of **what is kept**, so the probabilities add up to 1.

    `new_scores({"a": 2.0, "b": 1.0, "ab": 1.0})` is the logarithm of 1/2, 1/4 and 1/4:
    `{"a": -0.693…, "b": -1.386…, "ab": -1.386…}`. Nine correct digits are enough.

    The check tries counts that are all kept, pieces that are dropped, and characters that are never used.
    """
    kept = {}
    for piece, count in counts.items():
        if len(piece) == 1:
            kept[piece] = max(count, 0.001)
        elif count >= 0.001:
            kept[piece] = count
    whole = sum(kept.values())
    return {piece: math.log(count / whole) for piece, count in kept.items()}


KEPT, DROPPED, STARVED = "counts that are all kept", "a piece that is almost never used", "a character without a count"


def cases(random):
    yield DROPPED, {"a": 1.0, "ab": 0.001, "abc": 0.0009}
    for size in range(2, 9):
        counts = {
            piece: random.uniform(0.5, 20) for piece in random.sample(["a", "b", "c", "é", "ab", "▁ab", "ba"], size - 1)
        }
        counts |= {"x": random.uniform(1, 5)}
        yield KEPT, counts
        yield DROPPED, counts | {"abba": random.uniform(0, 0.0009), "bb": random.uniform(0.0001, 0.0009), "y": 0.9}
        yield STARVED, counts | {"中": 0.0, "z": random.uniform(0.0001, 0.0009)}


EXERCISE = Exercise(
    "14.new_scores",
    "Scores from counts",
    "write",
    answer=new_scores,
    difficulty=1,
    minutes=6,
    points=2,
    hints=(
        "First decide which pieces stay, and with which count. Only then is it known what the counts add up to.",
        "Lesson 14, on estimating again and again: what a score is, and why single characters stay.",
        "kept: single characters with max(count, 0.001), others if their count is 0.001 or more; whole = sum of the "
        "kept counts; a score is math.log(count / whole)",
    ),
    shown=(
        (KEPT, {"a": 2.0, "b": 1.0, "ab": 1.0}),
        (DROPPED, {"a": 3.0, "b": 1.0, "ab": 0.0002}),
        (STARVED, {"a": 0.0, "bc": 5.0, "c": 2.0}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "drops-characters",
            "Single characters stay, however rarely they are used: without them a word may lose its last segmentation.",
            like=("if len(piece) == 1:", "if len(piece) == 1 and count >= 0.001:"),
        ),
        Mistake(
            "shares-of-all",
            "The shares add up to less than 1: divide by the sum of what is kept.",
            like=("sum(kept.values())", "sum(counts.values())"),
        ),
        Mistake(
            "keeps-all",
            "Drop the pieces of several characters that are almost never used.",
            like=("elif count >= 0.001:", "elif count > 0:"),
        ),
        Mistake(
            "logarithm-of-zero",
            "A character may have a count of 0, which has no logarithm. Raise it to 0.001.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError",
        ),
    ),
)
