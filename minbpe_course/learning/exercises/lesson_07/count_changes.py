"""Exercise 07.count_changes: the changes that a merge makes to the counts of pairs."""

from collections import Counter
from itertools import pairwise

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_07.merging import merge


def count_changes(ids, pair, new_id):
    """Return by how much the count of each pair changes if pair becomes new_id in this word.

    A trainer that corrects its counts has to know what a merge changes in a word. The merge itself is done for you.

    * **In:** `ids`, the ids of a word; `pair`, the pair to be merged; `new_id`, which is not yet in the word.
    * **Out:** a dict from pair to change: negative for pairs that became fewer, positive for those that are new. Leave
      out pairs whose count stays the same.

    ```
    count_changes(list(b"aaa"), (97, 97), 256)       ->  {(97, 97): -2, (256, 97): 1}
    count_changes(list(b"newest"), (101, 115), 256)  ->  {(119, 101): -1, (101, 115): -1, (115, 116): -1,
                                                          (119, 256): 1, (256, 116): 1}
    ```

    The check tries occurrences side by side, overlapping pairs, the whole word, ids from earlier merges, and a pair
    that is not in the word. The picture shows the second example before and after.
    """
    changes = {}
    for sequence, change in ((ids, -1), (merge(ids, tuple(pair), new_id), 1)):
        for found in zip(sequence, sequence[1:]):
            changes[found] = changes.get(found, 0) + change
    return {found: change for found, change in changes.items() if change != 0}


def by_old_neighbours(ids, pair, new_id):
    """Correct around each place as if it were the only one: a common first attempt."""
    changes = Counter()
    for at, found in enumerate(pairwise(ids)):
        if found == pair:
            left, right = ids[max(at - 1, 0) : at], ids[at + 2 : at + 3]
            changes.subtract(pairwise([*left, *pair, *right]))
            changes.update(pairwise([*left, new_id, *right]))
    return {found: change for found, change in changes.items() if change}


def cases(random):
    yield "the pair is not there", [], (97, 98), 256
    yield "the pair is not there", list(b"ba"), (97, 98), 256
    yield "the whole word", list(b"ab"), (97, 98), 256
    for size in range(3, 11):
        for category, known, new_id in (
            ("a place among others", range(97, 102), 256),
            ("ids of earlier merges", (97, 98, 256), 257),
        ):
            ids = random.choices(known, k=size)
            at = random.randrange(size - 1)
            yield category, ids, (ids[at], ids[at + 1]), new_id
        yield "places side by side", [120, *[97, 98] * (size // 2), 121], (97, 98), 300
        yield "overlapping pairs", [97] * size + [98], (97, 97), 256


EXERCISE = Exercise(
    "07.count_changes",
    "What a merge changes",
    "write",
    answer=count_changes,
    picture="""
from minbpe_course.learning.charts.merges import draw_merge_steps

rows = [("before", [b"n", b"e", b"w", b"e", b"s", b"t"]), ("e + s becomes 256", [b"n", b"e", b"w", b"es", b"t"])]
draw_merge_steps(rows, "Which neighbors are gone, and which are new?")
""",
    minutes=15,
    hints=(
        "Which pairs does the word contain before the merge, and which after it? You only need the difference.",
        "Lesson 07, where the trainer corrects its counts instead of counting again. Here the table is empty at first.",
        "merge; count the pairs of both; for each pair of either: after minus before, unless that is 0",
    ),
    shown=(
        ("a place among others", list(b"newest"), (101, 115), 256),
        ("the whole word", list(b"ab"), (97, 98), 256),
        ("places side by side", list(b"xabab"), (97, 98), 256),
        ("overlapping pairs", list(b"aaa"), (97, 97), 256),
        ("the pair is not there", list(b"xyz"), (97, 98), 256),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "keeps-what-does-not-change",
            "Leave out a pair whose count stays the same.",
            like=(" if change != 0", ""),
        ),
        Mistake(
            "only-what-falls",
            "A merge does not only take pairs away: the new id has neighbors, too.",
            like=("change != 0", "change < 0"),
        ),
        Mistake(
            "only-what-is-born",
            "Your answer has only pairs that become more frequent. Which of them become rarer, or disappear?",
            like=("change != 0", "change > 0"),
        ),
        Mistake(
            "forgets-the-neighbours",
            "The merged pair is gone, and so are the pairs that it made with its neighbors on both sides.",
            like=("change != 0", "change and found == pair"),
        ),
        Mistake(
            "neighbours-as-they-were",
            "Where two merged places are adjacent, or overlap, the neighbor of one of them has changed.",
            like=by_old_neighbours,
        ),
    ),
)
