"""Exercise 07.heap_keys: one number for a heap entry, smaller for the better pair."""

from itertools import pairwise

from minbpe_course.learning import Exercise, Mistake


def heap_keys(entries):
    """Return an integer for each (count, left, right): the better the entry, the smaller its number.

    A heap keeps its smallest entry at the front. Python's heap takes tuples, but compiled code prefers numbers: one
    number per entry, smaller for the better pair. The pair with the higher count is better. If counts are equal, the
    smaller left id decides, and after that the smaller right id.

    * **In:** `entries`, a list of `(count, left, right)`. Ids are at least 0 and below 2³¹, counts at least 1 and below
      2⁶².
    * **Out:** a list with one integer for each entry. Python's integers may be as long as you like, and negative.

    One line is missing. For the two entries `[(3, 97, 98), (5, 97, 98)]`, the second number has to be the smaller one;
    which numbers you choose is up to you.

    The check tries ties, bytes from 0 to 255, large ids, large counts, and no entries.
    """
    keys = []
    for count, left, right in entries:
        ### BEGIN SOLUTION
        keys.append(-count << 64 | left << 32 | right)
        ### END SOLUTION
    return keys


def keyed(case, answer):
    """Return each entry with its key, the best first, or None unless the answer has one whole number for each."""
    (entries,) = case.args
    fits = isinstance(answer, (list, tuple)) and len(answer) == len(entries) and {*map(type, answer)} <= {int}
    return sorted(zip(entries, answer), key=lambda one: (-one[0][0], one[0][1:])) if fits else None


def complaint(case, answer):
    """Accept any whole numbers that sort the entries."""
    pairs = keyed(case, answer)
    if pairs is None:
        return f"a list of {len(case.args[0])} whole numbers, one for each entry"
    for (better, key), (worse, worse_key) in pairwise(pairs):
        if better == worse and key != worse_key:
            return f"the same number for {better}, wherever it stands"
        if better != worse and key >= worse_key:
            return f"a smaller number for {better} than for {worse}"
    return None


def is_worst_first(case, outcome, wanted):
    neighbours = pairwise(keyed(case, outcome.value))
    falling = [key > other_key for (entry, key), (other, other_key) in neighbours if entry[0] > other[0]]
    return bool(falling) and all(falling)


def has_equal_keys(case, outcome, wanted):
    entries = {}
    return any(entries.setdefault(key, entry) != entry for entry, key in keyed(case, outcome.value))


def is_right_half_first(case, outcome, wanted):
    by_right = sorted(keyed(case, outcome.value), key=lambda one: (-one[0][0], one[0][2], one[0][1]))
    return all(one[1] <= other[1] for one, other in pairwise(by_right))


def cases(random):
    yield "no entries", []
    for number in range(2, 8):
        yield "different counts", [(count, 97, 98) for count in random.sample(range(1, 99), number)]
        large = random.sample(range(256, 200_000), 4)
        for category, most, ids, more in (
            ("ties", 2, range(97, 100), [(2, 97, 99), (2, 98, 97), (2, 98, 98)]),
            ("bytes from 0 to 255", 3, range(256), [(2, 0, 255), (2, 1, 0)]),
            ("large ids", 2, large, [(2, 5, 199_999), (2, 6, 3), (2, 7, 0)]),
            ("large counts", 10**12, large, [(10**12, 199_999, 199_999), (10**12 + 1, 199_999, 199_999)]),
        ):
            entries = [(random.randint(1, most), *random.choices(ids, k=2)) for _ in range(number)]
            yield category, entries + more


EXERCISE = Exercise(
    "07.heap_keys",
    "One number per entry",
    "fill",
    answer=heap_keys,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Give each of the three parts its own bits of the number, enough of them that it cannot reach "
        "into the next part.",
        "Lesson 07 mentions that a pair can be packed into one number. Here the count goes in front of it.",
        "the count matters most, and a higher count must give a smaller number; then the left id; then the right id",
    ),
    wanted=heap_keys,
    accept=complaint,
    shown=(
        ("different counts", [(3, 97, 98), (5, 97, 98)]),
        ("ties", [(5, 98, 97), (5, 97, 98), (5, 97, 99)]),
        ("large ids", [(5, 97, 100_000), (5, 98, 97), (5, 100_000, 97)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "worst-first",
            "A heap has its smallest number first, and the pair with the highest count has to come first.",
            when=is_worst_first,
        ),
        Mistake(
            "two-entries-one-number",
            "Two different entries have the same number, so the heap cannot tell which is better.",
            when=has_equal_keys,
        ),
        Mistake(
            "right-half-first",
            "Of two pairs with the same count, the one with the smaller left id is better; the right id decides last.",
            when=is_right_half_first,
        ),
    ),
)
