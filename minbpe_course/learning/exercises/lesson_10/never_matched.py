"""Exercise 10.never_matched: the alternatives of a pattern that an earlier one always beats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def never_matched(alternatives):
    """Return the alternatives that an earlier one always beats.

    In `a|ab`, the second alternative never matches, because wherever it could, `a` has already matched. Which
    alternatives of a
    pattern can you delete without changing anything?

    * **In:** `alternatives`, a list of str from the first to the last. They are plain letters, and none is empty.
    * **Out:** a list of the alternatives that never get their turn, in the same order.

    `never_matched(["a", "ab", "b"])` is `["ab"]`. `never_matched(["ab", "a"])` is `[]`, because `a` gets its
    turn where no `b` follows. One line is missing.
    """
    ### BEGIN SOLUTION
    return [one for at, one in enumerate(alternatives) if any(map(one.startswith, alternatives[:at]))]
    ### INSTEAD
    # return ...
    ### END SOLUTION


def reference_never_matched(alternatives: Sequence[str]) -> list[str]:
    """Return the alternatives that never match: those that begin with an earlier one.

    >>> never_matched(["a", "ab", "b"]), never_matched(["ab", "a"])
    (['ab'], [])
    """
    return [one for at, one in enumerate(alternatives) if any(one.startswith(each) for each in alternatives[:at])]


NOTHING, EARLIER, FAR, LATER, TWICE, INSIDE = (
    "nothing is beaten",
    "the beginning of it comes just before",
    "the beginning of it comes earlier, but not just before",
    "the beginning of it comes later",
    "the same alternative twice",
    "an earlier one occurs in it, but not at its beginning",
)


def alternative_cases(random: Random) -> Iterator[Case]:
    """Yield a few alternatives of every category, and longer lists of all."""
    yield Case(NOTHING, ([],))
    for size in range(1, 5):
        word, other = ("".join(random.choices("ab", k=size)) for _ in range(2))
        longer = word + random.choice("ab")
        yield Case(NOTHING, (["c" + other, word],))
        yield Case(EARLIER, ([word, longer],))
        yield Case(FAR, ([word, "c", longer],))
        yield Case(LATER, ([longer, word],))
        yield Case(TWICE, ([word, "c", word],))
        yield Case(INSIDE, ([word, "c" + longer],))
    for size in range(4, 10):
        words = ["".join(random.choices("ab", k=random.randint(1, 4))) for _ in range(size)]
        yield Case(EARLIER if reference_never_matched(words) else NOTHING, (words,))


EXERCISE = Exercise(
    key="10.never_matched",
    answer=never_matched,
    title="Alternatives that never get their turn",
    kind="fill",
    difficulty=2,
    minutes=8,
    points=1,
    hints=(
        "Take a text in which the alternative could match. Which earlier alternatives match there, too?",
        "an alternative never gets its turn if it begins with one of `alternatives[:at]`",
        "Lesson 10, section 2: `a|ab` and its automaton.",
    ),
    wanted=reference_never_matched,
    shown=(
        Case(EARLIER, (["a", "ab"],)),
        Case(LATER, (["ab", "a"],)),
        Case(INSIDE, (["b", "ab"],)),
        Case(TWICE, (["a", "b", "a"],)),
    ),
    drawn=alternative_cases,
    mistakes=(
        Mistake(
            "order",
            "An alternative that comes later cannot take the turn of an earlier one.",
            like=lambda alternatives: [
                one
                for at, one in enumerate(alternatives)
                if any(one.startswith(each) for place, each in enumerate(alternatives) if place != at)
            ],
        ),
        Mistake(
            "other-way-round",
            "You compare the wrong way round: `ab|a` loses nothing, because `a` has its turn where no `b` follows.",
            like=edited(reference_never_matched, ("one.startswith(each)", "each.startswith(one)")),
        ),
        Mistake(
            "anywhere",
            "Both begin at the same place in the text. An earlier alternative *inside* this one does not matter.",
            like=edited(reference_never_matched, ("one.startswith(each)", "each in one")),
        ),
        Mistake(
            "one-before",
            "Every earlier alternative comes first, not only the one just before.",
            like=edited(reference_never_matched, ("alternatives[:at]", "alternatives[max(0, at - 1) : at]")),
        ),
        Mistake(
            "first-only",
            "Every earlier alternative comes first, not only the first of them.",
            like=edited(reference_never_matched, ("alternatives[:at]", "alternatives[: min(at, 1)]")),
        ),
        Mistake(
            "equal",
            "If an alternative is there twice, the second one never gets its turn.",
            like=edited(reference_never_matched, ("if any(one", "if any(one != each and one")),
        ),
        Mistake(
            "itself",
            "Every text begins with itself. Compare an alternative with the ones *before* it.",
            like=edited(reference_never_matched, ("alternatives[:at]", "alternatives[: at + 1]")),
        ),
    ),
)
