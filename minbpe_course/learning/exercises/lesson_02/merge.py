"""Exercise 02.merge: replace a pair by a new id."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.judge.equality import same
from minbpe_course.reference.pairs import merge as reference_merge


def merge(ids, pair, new_id):
    """Return ids with every occurrence of pair replaced by new_id, from left to right.

    Replace every occurrence of a pair with a new id, from left to right. Occurrences don't overlap: in `aaa`,
    `aa` is replaced once. Don't merge your own output again, even if the new id happens to be half of the pair.

    * **In:** `ids`, a list of ids or a `bytes` object; `pair`, two ids; `new_id`.
    * **Out:** a new list. Leave the one that you are given as it is: its owner may still need it.

    ```
    merge([1, 2, 3, 1, 2], (1, 2), 4)   ->  [4, 3, 4]
    merge([1, 2, 2], (1, 2), 1)         ->  [1, 2]
    ```

    Tried: overlapping pairs, the pair at the end, bytes, one id, no ids.
    """
    merged, at = [], 0
    while at < len(ids):
        if tuple(ids[at : at + 2]) == tuple(pair):
            merged.append(new_id)
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    return merged


def cases(random):
    yield "nothing to merge", [], (1, 2), 9
    yield "one id", [1], (1, 1), 256
    for length in range(2, 30):
        left, right, *ids = random.choices(range(3), k=2 + length)
        category = "overlapping pairs" if left == right else "several places"
        yield category, ids, (left, right), 256 + random.randrange(100)
        if length % 3 == 0:
            yield "the pair at the end", [*ids, left, right], (left, right), 300
            yield "bytes", bytes(97 + token for token in ids), (97 + left, 97 + right), 256
            pair = (left, right) if left != right else (left, (left + 1) % 3)
            yield "the new id is half of the pair", ids, pair, pair[0]
    yield "large ids", [100_000, 7, 199_999, 100_000, 7], (100_000, 7), 200_000


EXERCISE = Exercise(
    "02.merge",
    "Merge a pair",
    "write",
    answer=merge,
    difficulty=2,
    minutes=5,
    points=2,
    hints=(
        "Walk from left to right with an index of your own: after a merge it moves by two.",
        "Lesson 02, where you write `merge`: the case `aaa` shows that an id that was merged is used up.",
        "while ids are left: is the pair here? yes: write new_id and move by two; no: write this id and move by one",
    ),
    wanted=reference_merge,
    keeps_input=True,
    shown=(
        ("several places", [1, 2, 3, 1, 2], (1, 2), 4),
        ("the pair at the end", [3, 1, 2], (1, 2), 4),
        ("overlapping pairs", [1, 1, 1], (1, 1), 2),
        ("the new id is half of the pair", [1, 2, 2], (1, 2), 1),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "changes-its-input",
            "Your code changes the list that it is given, which the caller still needs. Begin with an empty list and "
            "append to that.",
            when=lambda case, outcome, wanted: outcome.changed,
        ),
        Mistake(
            "merges-overlaps",
            "In 1 1 1 there is one pair to merge, not two: an id that was merged cannot be merged again.",
            like=("at += 2", "at += 1 if tuple(ids[at + 1 : at + 3]) == tuple(pair) else 2"),
        ),
        Mistake(
            "merges-once",
            "The pair may be in several places. Merge all of them.",
            like=("if tuple", "if len(merged) == at and tuple"),
        ),
        Mistake(
            "keeps-the-right-half",
            "The new id replaces both halves. Where does your walk continue after a merge?",
            like=("at += 2", "at += 1"),
        ),
        Mistake(
            "walks-from-the-right",
            "Of three equal ids, merge the first two, not the last two: begin at the left.",
            like=lambda ids, pair, new_id: merge(ids[::-1], pair[::-1], new_id)[::-1],
        ),
        Mistake(
            "reads-its-own-writing",
            "Do not look again at an id that you have just written, even if it forms the pair with its neighbor.",
            like=("merged.append(new_id)\n            at += 2", "ids = [*ids[:at], new_id, *ids[at + 2 :]]"),
        ),
        Mistake(
            "one-id-for-each-pair",
            "n ids have n - 1 pairs of neighbors, so the last id is lost. And the right half of a merged pair appears "
            "again, as the left half of the next pair.",
            like=lambda ids, pair, new_id: [new_id if both == pair else both[0] for both in zip(ids, ids[1:])],
        ),
        Mistake(
            "loses-the-last",
            "The last id is missing, unless it was merged. At which id does your walk end?",
            like=("while at <", "while at + 1 <"),
        ),
        Mistake(
            "misses-the-end",
            "The pair may be at the very end. What is the last place at which your walk looks for it?",
            like=lambda ids, pair, new_id: [*merge(ids[:-1], pair, new_id), *ids[-1:]],
        ),
        Mistake(
            "beyond-the-end",
            "The last id has no right neighbor. Ask whether there is one before you look at it.",
            when=lambda case, outcome, wanted: outcome.error == "IndexError",
        ),
        Mistake(
            "returns-in-the-loop",
            "Your `return` is inside the loop, so it stops after the first id. Move it to the left.",
            like=("    return merged", "        return merged"),
        ),
        Mistake(
            "nothing-merged",
            "Your answer still has the pair in it. A list never equals a tuple: `[1, 1] == (1, 1)` is False.",
            when=lambda case, outcome, wanted: same(outcome.value, list(case.args[0])),
        ),
    ),
)
