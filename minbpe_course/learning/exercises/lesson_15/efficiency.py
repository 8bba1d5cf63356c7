"""Exercise 15.efficiency: Rényi efficiency, with alpha 1, alpha infinity and underflow."""

import math

from minbpe_course.learning import Exercise, Mistake


def efficiency(counts, alpha):
    """Return how evenly the tokens in use are used: 1 if all counts are equal.

    Match the course's `renyi_efficiency`, even where the formula has no value.

    * **In:** `counts`, a list of int, how often each token occurs; `alpha`, a number, 0 or greater, `math.inf`
      included.
    * **Out:** the Rényi entropy of the counts, divided by the logarithm of the number of tokens **in use** (with a
      count above 0). At 1 and at infinity, the entropy is the limit of the formula: Shannon's entropy, and minus the
      logarithm of the largest share.
    * With fewer than two tokens in use, raise `ValueError`.

    | counts | alpha | efficiency |
    |---|---|---|
    | 2, 1, 1 | 1 | 1.5 / log2(3) |
    | 2, 1, 1 | infinity | 1 / log2(3) |
    | 2, 0, 1, 1 | 2.5 | as for 2, 1, 1 |

    Alpha may be as large as 20,000. What does a computer get for 0.1 to that power?
    """
    used = [count for count in counts if count]
    if len(used) < 2:
        raise ValueError("two tokens must be in use")
    shares = [count / sum(used) for count in used]
    top = max(shares)
    if alpha == math.inf:
        entropy = -math.log2(top)
    elif alpha == 1:
        entropy = -sum(share * math.log2(share) for share in shares)
    else:
        relative = sum((share / top) ** alpha for share in shares)
        entropy = (alpha * math.log2(top) + math.log2(relative)) / (1 - alpha)
    return entropy / math.log2(len(used))


SOME, UNUSED, SHANNON, ENDLESS, TOO_FEW = (
    "other values of alpha",
    "tokens that never occur",
    "alpha 1",
    "alpha infinity",
    "fewer than two tokens in use",
)


def _fails(category):
    """Return whether a case of this category divided by 0, took the logarithm of 0, or gave 0, an infinity or nan."""
    return lambda case, outcome, wanted: (
        case.category == category
        and (
            {"ZeroDivisionError", "ValueError"} & {*outcome.bases}
            or outcome.value == 0
            or not math.isfinite(outcome.value)
        )
    )


def _efficiency_cases(random):
    for number in range(3, 9):
        counts = [random.randint(1, 30 * number) for _ in range(number)] + [400]
        yield SOME, counts, random.choice([0, 0.5, 2, 2.5, 3])
        yield SOME, counts, round(random.uniform(1.1, 4), 2)
        yield UNUSED, [0, *counts[: number // 2], 0, 0, *counts[number // 2 :]], random.choice([0, 0.5, 2.5])
        yield SHANNON, counts, 1
        # Two commonest tokens, so that every share is at most a half, and its power underflows to 0.
        yield "a large alpha", [*counts, 400], random.choice([1_500, 4_000, 20_000])
        yield ENDLESS, counts, math.inf
    yield UNUSED, [0, 3, 1], 0
    for counts in ([9], [0, 7, 0], [0, 0]):
        yield TOO_FEW, counts, random.choice([0.5, 2.5])


EXERCISE = Exercise(
    "15.efficiency",
    "Efficiency, down to the last corner case",
    "match",
    answer=efficiency,
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Which alphas make the formula divide by zero or take the logarithm of 0? What does the entropy become there?",
        "Lesson 15 uses this number where it cheats. The hardest corner case is a share of 0.1 to the power of 4,000.",
        "shares of the counts above 0; alpha 1: Shannon; infinity: -log2 of the largest; otherwise factor the largest "
        "share out of the sum: log2(sum of (p / top)**alpha) + alpha * log2(top), divided by 1 - alpha",
    ),
    shown=(
        (SOME, [2, 1, 1], 2),
        (SHANNON, [2, 1, 1], 1),
        (ENDLESS, [2, 1, 1], math.inf),
        (UNUSED, [2, 0, 1, 1], 2.5),
        (TOO_FEW, [0, 7], 2.5),
    ),
    drawn=_efficiency_cases,
    mistakes=(
        Mistake(
            "unused-ones",
            "A token that never occurs is not in use: it changes neither the entropy nor its maximum.",
            like=("math.log2(len(used))", "math.log2(len(counts))"),
        ),
        Mistake(
            "zero-to-the-zero",
            "`0 ** 0` is 1, so with alpha 0 a token that never occurs counts as well.",
            like=("(share / top) ** alpha for share in shares", "(count / max(used)) ** alpha for count in counts"),
        ),
        Mistake(
            "as-if-infinite",
            "A large alpha is not infinite: your answer is close, but the other tokens still have a small share in it.",
            like=("alpha == math.inf", "alpha > 1_000"),
        ),
        Mistake(
            "entropy",
            "That is the entropy, in bits. The efficiency is the entropy divided by the most that so many tokens could "
            "have.",
            like=(" / math.log2(len(used))", ""),
        ),
        Mistake(
            "always-shannon",
            "That is Shannon's entropy for every alpha.",
            like=lambda counts, alpha: efficiency(counts, 1),
        ),
        Mistake(
            "alpha-one",
            "At alpha 1 the formula divides by zero. What it tends to there is Shannon's entropy.",
            when=_fails(SHANNON),
        ),
        Mistake(
            "alpha-infinity",
            "At infinity only the largest share is left: minus its logarithm.",
            when=_fails(ENDLESS),
        ),
        Mistake(
            "underflow",
            "A share to a large power is 0 for a computer, and log(0) fails. Take the largest share out first.",
            when=_fails("a large alpha"),
        ),
        Mistake(
            "too-few",
            "With fewer than two tokens in use there is nothing to be even or uneven: raise ValueError.",
            when=lambda case, outcome, wanted: (
                case.category == TOO_FEW and (outcome.state == "value" or outcome.error == "ZeroDivisionError")
            ),
        ),
    ),
)
