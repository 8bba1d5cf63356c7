"""Exercise 10.never_matched: the alternatives of a pattern that an earlier one always beats."""

from minbpe_course.learning import Exercise, Mistake


def never_matched(alternatives):
    """Return the alternatives that an earlier one always beats.

    In `a|ab`, the second alternative never matches, because wherever it could, `a` has already matched. Which
    alternatives of a pattern can you delete without changing anything?

    * **In:** `alternatives`, a list of str from the first to the last. They are plain letters, and none is empty. One
      may occur twice.
    * **Out:** a list of the alternatives that never get their turn, in the same order.

    `never_matched(["a", "ab", "b"])` is `["ab"]`. `never_matched(["ab", "a"])` is `[]`, because `a` gets its
    turn where no `b` follows. One line is missing.
    """
    ### BEGIN SOLUTION
    return [one for at, one in enumerate(alternatives) if any(map(one.startswith, alternatives[:at]))]
    ### INSTEAD
    # return ...
    ### END SOLUTION


NOTHING = "nothing is beaten"
EARLIER = "the beginning of it comes just before"
LATER = "the beginning of it comes later"
TWICE = "the same alternative twice"
INSIDE = "an earlier one occurs in it, but not at its beginning"


def cases(random):
    yield NOTHING, []
    for size in range(1, 5):
        word, other = ("".join(random.choices("ab", k=size)) for _ in range(2))
        longer = word + random.choice("ab")
        yield NOTHING, ["c" + other, word]
        yield EARLIER, [word, longer]
        yield "the beginning of it comes earlier, but not just before", [word, "c", longer]
        yield LATER, [longer, word]
        yield TWICE, [word, "c", word]
        yield INSIDE, [word, "c" + longer]
    for size in range(4, 10):
        words = ["".join(random.choices("ab", k=random.randint(1, 4))) for _ in range(size)]
        yield EARLIER if never_matched(words) else NOTHING, words


EXERCISE = Exercise(
    "10.never_matched",
    "Alternatives that never get their turn",
    "fill",
    answer=never_matched,
    minutes=5,
    points=1,
    hints=(
        "Take a text in which the alternative could match. Which earlier alternatives would match there, too?",
        "Lesson 10, section 2: `a|ab` and its automaton.",
        "an alternative never gets its turn if it begins with one of `alternatives[:at]`",
    ),
    shown=(
        (EARLIER, ["a", "ab"]),
        (LATER, ["ab", "a"]),
        (INSIDE, ["b", "ab"]),
        (TWICE, ["a", "b", "a"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "order",
            "An alternative that comes later cannot take the turn of an earlier one.",
            like=("alternatives[:at]", "alternatives[:at] + alternatives[at + 1 :]"),
        ),
        Mistake(
            "other-way-round",
            "You compare the wrong way round: `ab|a` loses nothing, because `a` has its turn where no `b` follows.",
            like=("map(one.startswith, alternatives[:at])", "each.startswith(one) for each in alternatives[:at]"),
        ),
        Mistake(
            "anywhere",
            "Both begin at the same place in the text. An earlier alternative *inside* this one does not matter.",
            like=("one.startswith", "one.__contains__"),
        ),
        Mistake(
            "one-before",
            "Every earlier alternative comes first, not only the one just before.",
            like=("alternatives[:at]", "alternatives[max(0, at - 1) : at]"),
        ),
        Mistake(
            "first-only",
            "Every earlier alternative comes first, not only the first of them.",
            like=("alternatives[:at]", "alternatives[: min(at, 1)]"),
        ),
        Mistake(
            "equal",
            "If an alternative is there twice, the second one never gets its turn.",
            like=("alternatives[:at]", "{*alternatives[:at]} - {one}"),
        ),
        Mistake(
            "itself",
            "Every text begins with itself. Compare an alternative with the ones *before* it.",
            like=("alternatives[:at]", "alternatives[: at + 1]"),
        ),
        Mistake(
            "another-order",
            "These are the right alternatives. List them in the order in which the pattern has them.",
            like=lambda alternatives: never_matched(alternatives)[::-1],
            when=lambda case, outcome, wanted: sorted(outcome.value) == sorted(wanted),
        ),
    ),
)
