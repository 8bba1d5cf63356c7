"""Exercise 02.test_merge: write a test that accepts two right merges and rejects ten wrong ones."""

from functools import partial

from minbpe_course.learning import Exercise, mutant


def test_merge(merge):
    """Raise AssertionError unless merge does what lesson 02 asks of it.

    Now it's your turn to find the bugs. Your test is given someone else's `merge`. It must raise an exception (an
    `assert` will do) if that function is wrong.

    * **In:** `merge`, a function as you wrote it in the lesson.
    * **Out:** nothing. Correct implementations must pass, however they are written.

    It will be run on two correct implementations and on ten wrong ones. Catching half of the wrong ones earns one
    point, catching all of them earns three. This test, for example, accepts correct implementations but lets most wrong
    ones through:

    ```python
    def test_merge(merge):
        assert merge([1, 2, 3], (1, 2), 4) == [4, 3]
    ```

    Try your test on your own `merge`, then on versions of it that you have broken on purpose.
    """
    table = [
        ([], (1, 2), 9, []),
        ([1], (1, 1), 9, [1]),
        ([5, 1, 2], (1, 2), 9, [5, 9]),
        ([1, 2, 5, 1, 2, 6], (1, 2), 9, [9, 5, 9, 6]),
        ([2, 1, 1, 3, 1], (1, 2), 9, [2, 1, 1, 3, 1]),
        ([1, 1, 1], (1, 1), 9, [9, 1]),
        ([1, 1, 1, 1], (1, 1), 9, [9, 9]),
        ([300, 7, 300], (300, 7), 1000, [1000, 300]),
    ]
    for ids, pair, new_id, wanted in table:
        answer = list(merge(ids, pair, new_id))
        assert answer == wanted, f"merge({ids}, {pair}, {new_id}) gave {answer}, not {wanted}"


RIGHT = (
    """
def merge(ids, pair, new_id):
    merged, at = [], 0
    while at < len(ids):
        found = list(ids[at : at + 2]) == list(pair)
        merged.append(new_id if found else ids[at])
        at += 2 if found else 1
    return merged
""",
    """
def merge(ids, pair, new_id):
    merged, waiting = [], False
    for token in ids:
        if waiting and token == pair[1]:
            merged[-1], waiting = new_id, False
        else:
            merged.append(token)
            waiting = token == pair[0]
    return merged
""",
)


wrong = partial(mutant, RIGHT[0])
FOUND, STEP = "list(ids[at : at + 2]) == list(pair)", "at += 2 if found else 1"

EXERCISE = Exercise(
    "02.test_merge",
    "Write the test",
    "test",
    answer=test_merge,
    difficulty=2,
    minutes=15,
    points=3,
    hints=(
        "One example proves little. Which inputs are special: the shortest, the pair in special places, equal halves?",
        "Lesson 02, where you write `merge`: which pairs may overlap, and which may not?",
        "a table of (ids, pair, new_id, wanted); for each row: assert list(merge(ids, pair, new_id)) == wanted, ids",
    ),
    subject="merge",
    right=RIGHT,
    mutants=(
        wrong("first-only", "merges the first place only", (FOUND, f"{FOUND} and new_id not in merged")),
        wrong("either-order", "takes the pair in either order", (FOUND, "sorted(ids[at : at + 2]) == sorted(pair)")),
        wrong("left-half", "looks at the left half of the pair only", (FOUND, "ids[at : at + 1] == [pair[0]]")),
        wrong("end", "misses a pair at the very end", (FOUND, f"{FOUND} and at + 2 < len(ids)")),
        wrong("tail", "loses an id that is left over at the end", ("at < len(ids)", "at < len(ids) - 1")),
        wrong("empty", "fails when there are no ids", ("at = [], 0", "at = [], 0 * ids[0]")),
        wrong("always-256", "writes 256 whatever the new id is", ("new_id if found", "256 if found")),
        wrong(
            "overlaps",
            "merges places that overlap",
            (STEP, "at += 2 if found and list(ids[at + 1 : at + 3]) != list(pair) else 1"),
        ),
        wrong(
            "from-the-right",
            "walks from right to left",
            ("merged, at = [], 0", "ids, pair, merged, at = ids[::-1], pair[::-1], [], 0"),
            ("return merged", "return merged[::-1]"),
        ),
        wrong(
            "remembers",
            "remembers the ids of the call before",
            ("new_id):", "new_id, merged=[]):"),
            ("merged, at = [], 0", "at = 0"),
        ),
    ),
)
