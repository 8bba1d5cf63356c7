"""Exercise 10.resolve: a condition on the next character becomes an ordinary choice."""

from minbpe_course.learning import Exercise, Mistake

from .follow import END, is_in


def resolve(step, kind):
    """Return the step; turn an "if next" into the "try" that it means before this kind.

    `("if next", number, wanted, then)` continues with the step `then` if `is_in(kind, number)` equals `wanted`, and
    otherwise nowhere. `kind` is that of the next character, so you can decide now: it is a `try` with one option, or
    with none. Other steps stay as they are.

    * **In:** `step`, a tuple; `kind`, a tuple of `True` and `False`, or `END` at the end of the text.
    * **Out:** a step: `("try", [then])`, `("try", [])`, or the step that was given.

    For a character in set 0, `("if next", 0, False, 7)` becomes `("try", [])`; outside of it, `("try", [7])`.
    """
    if step[0] != "if next":
        return step
    _, number, wanted, then = step
    return "try", [then] if is_in(kind, number) == wanted else []


HOLDS, FAILS, OTHER, AT_END = "the condition holds", "it does not hold", "another step", "the end of the text"
KINDS = [(True, False), (False, True), (False, False), (True, True)]


def cases(random):
    yield AT_END, ("if next", END, True, 4), END
    yield AT_END, ("if next", 0, True, 4), END
    for then in random.sample(range(1, 90), 12):
        for kind in KINDS:
            number, wanted = random.randint(0, 1), random.choice([True, False])
            yield HOLDS if kind[number] == wanted else FAILS, ("if next", number, wanted, then), kind
        yield AT_END, ("if next", random.choice([0, 1, END]), wanted, then), END
        yield FAILS, ("if next", END, True, then), random.choice(KINDS)
        yield OTHER, random.choice([("read", 1, then), ("match",), ("try", [then, 3])]), kind


EXERCISE = Exercise(
    "10.resolve",
    "The condition that is known already",
    "write",
    answer=resolve,
    given=("END",),
    minutes=6,
    hints=(
        "Which option is left if the condition holds, and how many are left if it doesn't?",
        "Lesson 10, section 3: `follow` asks before a character, so the next one is known.",
        "another step: return it. Otherwise compare is_in(kind, number) with wanted: ('try', [then]) if they are "
        "equal, ('try', []) if not",
    ),
    shown=(
        (FAILS, ("if next", 0, False, 7), (True, False)),
        (HOLDS, ("if next", 0, False, 7), (False, True)),
        (AT_END, ("if next", 1, False, 4), END),
        (AT_END, ("if next", END, True, 4), END),
        (OTHER, ("read", 1, 5), (True, True)),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "ignores-wanted",
            "`wanted` may be `False`: then the next character must *not* be in the set.",
            like=("is_in(kind, number) == wanted", "is_in(kind, number)"),
        ),
        Mistake(
            "the-other-way-round",
            "You continue where the condition does not hold.",
            like=("== wanted", "!= wanted"),
        ),
        Mistake(
            "no-list",
            "A `try` has a list of options, even if there is only one.",
            like=("[then] if", "then if"),
        ),
        Mistake(
            "indexes-the-end",
            "At the end of the text, `kind` is `END`, and has no entry for a set: ask `is_in(kind, number)`.",
            like=("is_in(kind, number) == wanted", "kind[number] == wanted"),
        ),
    ),
)
