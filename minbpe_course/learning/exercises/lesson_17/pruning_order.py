"""Exercise 17.pruning_order: the order in which merges can go, the rarest first."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_13.lattices import cases_against
from minbpe_course.learning.exercises.lesson_17.merge_lists import AB_XX_ABC, random_merges


def pruning_order(merges, counts):
    """Return the ids of all merges as they go: always the rarest that no other merge needs.

    In which order do merges go if you always remove the rarest one that *can* go? A merge can go if none of the
    remaining merges is made from it.

    * **In:** `merges`, a list of pairs of ids, where the n-th pair (counted from 0) makes the id 256 + n; `counts`, a
      dict from the id of every merge to how often it occurs in some text.
    * **Out:** the ids of all merges, in the order in which they go.
    * Of those that can go, remove the one with the smallest count; if counts are equal, the one with the **larger id**.
    * When a token goes, its two halves take its place. If its left half is a merge, add the token's count to the count
      of that half, and do the same for its right half (so twice if both are the same).

    With the merges `ab`, `xx` and `abc` (256, 257, 258) and the counts 2, 3 and 2, the first to go is `abc`, since no
    other merge needs it. Its 2 is added to `ab`, which now has 4. So `xx` is next. The order is `[258, 257, 256]`.
    """
    there, often, order = {256 + number: pair for number, pair in enumerate(merges)}, dict(counts), []
    while there:
        halves = {half for pair in there.values() for half in pair}
        _, goes = min((often[one], -one) for one in there if one not in halves)
        order.append(-goes)
        for half in there.pop(-goes):
            if half > 255:
                often[half] += often[-goes]
    return order


HANDED_DOWN, NEEDED = "counts that are handed down", "merges that others need"


def order_cases(random):
    """Yield merges with counts; each known mistake fails on the deep ones."""
    for number in range(2, 7):
        flat = [(97 + place, 120) for place in range(number)]
        yield "no merge needs another", flat, _counts(random, number, 20)
        yield "equal counts", flat[:4], dict.fromkeys(range(256, 256 + min(4, number)), 3)
    tempting = {
        NEEDED: ("needed", "ties", "newest-first"),
        HANDED_DOWN: ("same-half-once", "nothing-handed-down", "left-inherits", "right-inherits"),
    }
    yield from cases_against(EXERCISE, tempting, lambda category: _drawn(random, random.randint(4, 12)))


def _drawn(random, number):
    return random_merges(random, number), _counts(random, number, 9)


def _counts(random, number, most):
    return {256 + place: random.randint(0, most) for place in range(number)}


def _goes_while_needed(case, outcome, wanted):
    """Tell whether a merge goes before one that is made with it."""
    place = list(outcome.value).index
    merges = enumerate(case.args[0], start=256)
    return any(place(half) < place(made) for made, pair in merges for half in pair if half > 255)


EXERCISE = Exercise(
    "17.pruning_order",
    "From the outside in",
    "match",
    answer=pruning_order,
    difficulty=4,
    minutes=30,
    points=4,
    hints=(
        "Which merges can go at all right now? Choose only among those, and check again after each.",
        "Lesson 17, on pruning: why `·ab` has to wait for `·about`.",
        "while merges are left: needed = all halves of those that are left; of the ids that are not needed, take the "
        "one with the smallest count, or the largest id if counts are equal; it goes, and its count is added to the "
        "counts of its left half and its right half, if those are merges",
    ),
    shown=(
        (NEEDED, AB_XX_ABC, {256: 0, 257: 5, 258: 7}),
        (HANDED_DOWN, AB_XX_ABC, {256: 2, 257: 3, 258: 2}),
        (HANDED_DOWN, [(97, 98), (99, 99), (256, 257), (120, 120)], {256: 5, 257: 1, 258: 2, 259: 6}),
        ("equal counts", [(97, 98), (99, 99)], {256: 4, 257: 4}),
    ),
    drawn=order_cases,
    mistakes=(
        Mistake(
            "needed",
            "The rarest goes first, but here one goes while another still needs it: that other merge can never be made "
            "again.",
            like=(" if one not in halves", ""),
            when=_goes_while_needed,
        ),
        Mistake(
            "same-half-once",
            "A token may be made of the same half twice: then its count is handed down twice.",
            like=("there.pop(-goes)", "set(there.pop(-goes))"),
        ),
        Mistake(
            "nothing-handed-down",
            "When a token goes, its two halves take its place, so they become more frequent.",
            like=("there.pop(-goes)", "there.pop(-goes)[:0]"),
        ),
        Mistake(
            "left-inherits",
            "Both halves take the place of a token that goes, the right one, too.",
            like=("there.pop(-goes)", "there.pop(-goes)[:1]"),
        ),
        Mistake(
            "right-inherits",
            "Both halves take the place of a token that goes, the left one, too.",
            like=("there.pop(-goes)", "there.pop(-goes)[1:]"),
        ),
        Mistake(
            "ties",
            "Of equal counts the larger id goes first.",
            like=(("-one)", "one)"), ("-goes", "goes")),
        ),
        Mistake(
            "newest-first",
            "That order is always possible, but it ignores the counts.",
            like=lambda merges, counts: sorted(counts, reverse=True),
        ),
    ),
)
