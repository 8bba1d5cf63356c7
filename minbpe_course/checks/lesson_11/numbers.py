"""Lesson 11, single numbers: bytes per token, bits per byte, Gini, and Rényi efficiency to its last corner."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.errors import InvalidMeasurement
from minbpe_course.reference import measures

Row = tuple[str, list[int]]

ALPHABETS = ("etaoin", "etaoiné", "Ελλάς", "गमनर", "中文字", "a🦜")

# ----------------------------------------------------------------------------------------------------
# 11.bytes_per_token


def _bytes_per_token(rows: Sequence[Row]) -> float:
    ids = iter([row[1] for row in rows])
    return measures.bytes_per_token([text for text, _ in rows], lambda text: next(ids))


def _sizes(rows: Sequence[Row]) -> list[int]:
    return [len(text.encode("utf-8")) for text, _ in rows]


def _mean_of_ratios(rows: Sequence[Row]) -> float:
    return sum(size / len(ids) for size, (_, ids) in zip(_sizes(rows), rows)) / len(rows)


def _row(random: Random, alphabet: str, most: int) -> Row:
    text = "".join(random.choice(alphabet) for _ in range(random.randint(1, most)))
    return text, [random.randrange(999) for _ in range(random.randint(1, len(text.encode("utf-8"))))]


def _row_cases(random: Random) -> Iterator[Case]:
    for number in range(2, 9):
        yield Case("one text", ([_row(random, random.choice(ALPHABETS), 4 * number)],))
        yield Case("several texts", ([_row(random, ALPHABETS[0], 6 * number) for _ in range(number)],))
        yield Case("several scripts", ([_row(random, random.choice(ALPHABETS[1:]), 9) for _ in range(number)],))


BYTES_PER_TOKEN = Exercise(
    key="11.bytes_per_token",
    title="Sum first, divide last",
    kind="fill",
    entry="bytes_per_token",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Every byte of every text counts once, and so does every token. How many of each are there?",
        "add up the sizes; add up the lengths of all lists of ids; divide the first by the second, once",
        "Lesson 11, section 1: the last trap.",
    ),
    wanted=_bytes_per_token,
    shown=(
        Case("one text", ([("abcd", [7, 9])],)),
        Case("several texts", ([("abcd", [7]), ("b", [9])],)),
        Case("several texts", ([("ab", [7]), ("abcabc", [9, 3, 1])],)),
    ),
    drawn=_row_cases,
    mistakes=(
        Mistake(
            "mean-of-ratios",
            "That is the mean of what each text has. A short text must not count as much as a long one.",
            like=_mean_of_ratios,
        ),
        Mistake(
            "upside-down",
            "Those are tokens for each byte.",
            like=lambda rows: sum(len(ids) for _, ids in rows) / sum(_sizes(rows)),
        ),
        Mistake(
            "for-each-text",
            "Those are bytes for each text. How many tokens do the texts have?",
            like=lambda rows: sum(_sizes(rows)) / len(rows),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 11.bits_per_byte


def _bits_per_byte(losses: Sequence[float], text: str) -> float:
    return measures.bits_per_byte(math.fsum(losses), len(text.encode("utf-8")))


def _loss_cases(random: Random) -> Iterator[Case]:
    for number in range(2, 9):
        for category, alphabet in (("ASCII", ALPHABETS[0]), ("other letters", random.choice(ALPHABETS[1:]))):
            text = alphabet[-1] + "".join(random.choice(alphabet) for _ in range(3 * number))
            losses = [round(random.expovariate(0.4), 3) for _ in range(random.randint(1, len(text) - 1))]
            yield Case(category, (losses, text))


BITS_PER_BYTE = Exercise(
    key="11.bits_per_byte",
    title="A loss in the wrong unit",
    kind="repair",
    entry="bits_per_byte",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "For which of the two shown texts is the function right? What of the other has it counted?",
        "the losses added up, divided by the logarithm of 2, divided by the number of bytes of UTF-8",
        "Lesson 11, section 6: the unit that no tokenizer can change. Lesson 01: bytes and characters.",
    ),
    wanted=_bits_per_byte,
    planted=lambda losses, text: sum(losses) / math.log(2) / len(text),
    shown=(
        Case("ASCII", ([2.0, 1.5], "rain")),
        Case("other letters", ([2.0, 1.5], "дождь")),
    ),
    drawn=_loss_cases,
    mistakes=(
        Mistake(
            "per-token",
            "That is a loss for each token, in bits. Another tokenizer would have another number of tokens.",
            like=lambda losses, text: sum(losses) / math.log(2) / len(losses),
        ),
        Mistake(
            "nats",
            "Those are nats: natural logarithms. A bit is a factor of 2.",
            like=lambda losses, text: sum(losses) / len(text.encode("utf-8")),
        ),
        Mistake(
            "log-of-the-sum",
            "The losses are logarithms already. Another unit needs a factor, not another logarithm.",
            like=lambda losses, text: math.log2(sum(losses)) / len(text.encode("utf-8")),
        ),
        Mistake(
            "mean-loss",
            "The loss of the whole text is wanted: the sum of the losses, not their mean.",
            like=lambda losses, text: sum(losses) / len(losses) / math.log(2) / len(text.encode("utf-8")),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 11.gini


def _area(costs: Sequence[float]) -> float:
    """What lies under a Lorenz curve whose costs were not sorted."""
    total, below, carried = sum(costs), 0.0, 0.0
    for cost in costs:
        below += (2 * carried + cost) / total / 2 / len(costs)
        carried += cost
    return below


def _gini_cases(random: Random) -> Iterator[Case]:
    yield Case("all alike", ([random.randint(2, 90)] * random.randint(3, 7),))
    yield Case("one pays", ([0, random.randint(2, 90), 0, 0],))
    yield Case("one pays", ([0, 0, random.randint(2, 90), 0, 0, 0],))
    for number in range(3, 13):
        costs = [random.randint(1, 20 * number) for _ in range(number)]
        yield Case("some pay more", ([max(costs) + 5, *costs, min(costs), 1],))
        yield Case("some pay more", ([round(cost / 7, 2) for cost in [*costs, 2 * max(costs), 3]],))


GINI = Exercise(
    key="11.gini",
    title="How uneven?",
    kind="write",
    entry="gini",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Draw the Lorenz curve of `[1, 3]` on paper: three points, and under it a triangle and a trapezoid.",
        "sort; walk through the costs with the sum so far; each adds a strip of width 1/n whose height is the mean of "
        "the share before and after it; the index is 1 minus twice the area",
        "Lesson 11, section 8, and its picture. Or: the mean difference of all pairs, through twice the mean.",
    ),
    wanted=measures.gini,
    shown=(
        Case("some pay more", ([1, 3],)),
        Case("some pay more", ([60, 283, 85],)),
        Case("one pays", ([0, 0, 0, 5],)),
        Case("all alike", ([4, 4, 4],)),
    ),
    drawn=_gini_cases,
    mistakes=(
        Mistake("unsorted", "A Lorenz curve begins with the cheapest. Sort first.", like=lambda c: 1 - 2 * _area(c)),
        Mistake(
            "half",
            "That is the area between the diagonal and the curve. The index is twice as much.",
            like=lambda costs: measures.gini(costs) / 2,
        ),
        Mistake(
            "other-side",
            "0 is for equality, and near 1 is for one who pays all.",
            like=lambda costs: 1 - measures.gini(costs),
        ),
        Mistake(
            "of-a-sample",
            "That has a factor of n / (n - 1), with which statisticians guess at a larger crowd. Here all are counted.",
            like=lambda costs: measures.gini(costs) * len(costs) / (len(costs) - 1),
        ),
        Mistake(
            "steps",
            "The curve goes straight from point to point. Yours climbs in steps.",
            like=lambda costs: 1 - 2 * (_area(sorted(costs)) + 1 / 2 / len(costs)),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 11.efficiency

SOME, UNUSED, SHANNON, LARGE, ENDLESS, TOO_FEW = (
    "an alpha between",
    "tokens that never occur",
    "alpha 1",
    "a large alpha",
    "alpha infinity",
    "fewer than two tokens in use",
)


def _efficiency(counts: Sequence[int], alpha: float) -> float:
    try:
        return measures.renyi_efficiency(counts, alpha)
    except InvalidMeasurement as error:
        raise ValueError(*error.args) from None


def _size_of_the_list(counts: Sequence[int], alpha: float) -> float:
    return measures.renyi_efficiency(counts, alpha, size=len(counts))


def _failed_at(alphas: Sequence[float]) -> Any:
    def seen(case: Case, outcome: Outcome, wanted: Any) -> bool:
        nothing = outcome.state == "value" and isinstance(outcome.value, float) and not math.isfinite(outcome.value)
        return case.args[1] in alphas and (outcome.state == "raised" or nothing)

    return seen


def _underflows(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return case.category == LARGE and (outcome.state == "raised" or outcome.value in (0, math.inf))


def _answers_too_few(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return case.category == TOO_FEW and (outcome.state == "value" or outcome.error == "ZeroDivisionError")


def _efficiency_cases(random: Random) -> Iterator[Case]:
    for number in range(3, 9):
        counts = [random.randint(1, 30 * number) for _ in range(number)] + [400]
        yield Case(SOME, (counts, random.choice([0, 0.5, 2, 2.5, 3])))
        yield Case(SOME, (counts, round(random.uniform(1.1, 4), 2)))
        yield Case(UNUSED, ([0, *counts[: number // 2], 0, 0, *counts[number // 2 :]], random.choice([0, 0.5, 2.5])))
        yield Case(SHANNON, (counts, 1))
        # Two that are commonest, so that no share is above a half, and every one to that power is 0 for a float.
        yield Case(LARGE, ([*counts, 400], random.choice([1_500, 4_000, 20_000])))
        yield Case(ENDLESS, (counts, math.inf))
    for counts in ([9], [0, 7, 0], [0, 0]):
        yield Case(TOO_FEW, (counts, random.choice([0.5, 2.5])))


EFFICIENCY = Exercise(
    key="11.efficiency",
    title="Efficiency, to the last corner",
    kind="match",
    entry="efficiency",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Which alphas make the formula divide by zero, or take the logarithm of 0? What does the entropy become there?",
        "shares of the counts above 0; alpha 1: Shannon; infinity: -log2 of the largest; otherwise take the largest "
        "share out of the sum: log2(sum of (p / top)**alpha) + alpha * log2(top), through 1 - alpha",
        "Lesson 11, section 7: `renyi_entropy` knows three of the corners. The fourth is a share of 0.1 to the power "
        "of 4,000.",
    ),
    wanted=_efficiency,
    shown=(
        Case(SOME, ([2, 1, 1], 2)),
        Case(SHANNON, ([2, 1, 1], 1)),
        Case(ENDLESS, ([2, 1, 1], math.inf)),
        Case(UNUSED, ([2, 0, 1, 1], 2.5)),
        Case(TOO_FEW, ([0, 7], 2.5)),
    ),
    drawn=_efficiency_cases,
    mistakes=(
        Mistake(
            "unused-ones",
            "A token that never occurs is not in use: it changes neither the entropy nor its maximum.",
            like=_size_of_the_list,
        ),
        Mistake(
            "entropy",
            "That is the entropy, in bits. The efficiency is its share of what so many tokens could have.",
            like=lambda counts, alpha: measures.renyi_entropy(counts, alpha),
        ),
        Mistake(
            "always-shannon",
            "That is Shannon's entropy for every alpha.",
            like=lambda counts, alpha: measures.renyi_efficiency(counts, 1),
        ),
        Mistake(
            "alpha-one",
            "At alpha 1 the formula divides by zero. What it tends to there is Shannon's entropy.",
            when=_failed_at([1]),
        ),
        Mistake(
            "alpha-infinity",
            "At infinity only the largest share is left: minus its logarithm.",
            when=_failed_at([math.inf]),
        ),
        Mistake(
            "underflow",
            "A share to a large power is 0 for a computer, and 0 has no logarithm. Take the largest share out first.",
            when=_underflows,
        ),
        Mistake(
            "too-few",
            "With fewer than two tokens in use there is nothing to be even or uneven: raise ValueError.",
            when=_answers_too_few,
        ),
    ),
)
