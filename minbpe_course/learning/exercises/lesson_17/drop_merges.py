"""Exercise 17.drop_merges: the merges that stay when some go, with new ids."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_17.merge_lists import (
    AB_XX_ABC,
    XX_AB_ABC_YY_ABCAB,
    random_merges,
    ranks_of,
)
from minbpe_course.reference import pruning


def drop_merges(merges, dropped):
    """Return the merges that stay, with their new ids.

    A vocabulary is a list of merges: pairs of ids, where the n-th pair (counted from 0) makes the id 256 + n. The
    function below removes some of them, but forgets that every later merge then has another id.

    Repair it.

    * **In:** `merges`, a list of pairs; `dropped`, a list of ids of merges, in any order. No merge that stays is made
      from one that goes.
    * **Out:** the merges that stay, in their order, as pairs of the *new* ids.

    `drop_merges([(97, 98), (120, 120), (256, 99)], [257])` is `[(97, 98), (256, 99)]`, and
    `drop_merges([(120, 120), (97, 98), (257, 99)], [256])` is `[(97, 98), (256, 99)]`, too: `xx` goes, so `ab` is now
    256. The function below gets only the first one right.
    """
    ### BEGIN SOLUTION
    renamed, stay = {}, []
    for old_id, pair in enumerate(merges, start=256):
        if old_id not in dropped:
            renamed[old_id] = 256 + len(stay)
            stay.append(tuple(renamed.get(half, half) for half in pair))
    return stay
    ### INSTEAD
    # kept = []
    # for place, pair in enumerate(merges):
    #     if 256 + place not in dropped:
    #         kept.append(pair)
    # return kept
    ### END SOLUTION


MIXED = "several merges go"
RENAMED = "renamed.get(half, half)"
PAIR = f"tuple({RENAMED} for half in pair)"


def drop_cases(random):
    """Yield merges, and ids that no remaining merge needs, in four categories."""
    yield MIXED, [(120, 120), (97, 98), (121, 121), (257, 99), (259, 97)], [258, 256]
    for number in range(3, 13):
        merges = random_merges(random, number)
        order = list(pruning.rarest_first(ranks_of(merges), {}))
        if number % 4 == 3:
            yield "nothing goes", merges, []
        yield "the last merges go", merges, [255 + number]
        # A merge of new letters, which no other needs and many others follow.
        alone = [(120, 121), *((left + (left >= 256), right + (right >= 256)) for left, right in merges)]
        yield "an early merge goes", alone, [256]
        gone = {token + 1 for token in order[: random.randint(1, max(1, number // 2))]} | {256}
        yield MIXED, alone, random.sample(sorted(gone), len(gone))


EXERCISE = Exercise(
    "17.drop_merges",
    "Removed, but not renumbered",
    "repair",
    answer=drop_merges,
    minutes=15,
    points=3,
    hints=(
        "Merge 257 goes. The old 258 is now the second merge. Which pairs still say 258?",
        "Lesson 17, on pruning: it numbers the remaining merges without gaps.",
        "keep a dict from old to new ids; a merge that stays gets 256 + the number of merges kept before it; look up "
        "both halves of its pair in the dict; bytes are not in it and stay as they are",
    ),
    shown=(
        (MIXED, AB_XX_ABC, [257]),
        ("an early merge goes", XX_AB_ABC_YY_ABCAB[:3], [256]),
        (MIXED, XX_AB_ABC_YY_ABCAB, [259, 256]),
    ),
    drawn=drop_cases,
    mistakes=(
        Mistake(
            "all-alike",
            "Not every id moves by the same number of places: only the merges that go *before* it count.",
            like=(RENAMED, "half - len(dropped) * (half > 255)"),
        ),
        Mistake(
            "gone-before-the-merge",
            "Your ids fall by what went before this merge. What went before the *half* counts.",
            like=(RENAMED, "half - (old_id - 256 - len(stay)) * (half > 255)"),
        ),
        Mistake(
            "one-for-all",
            "Several merges may go. An id falls by as many as go before it, not by one.",
            like=(RENAMED, "half - any(255 < gone < half for gone in dropped)"),
        ),
        Mistake(
            "one-too-large",
            "A merge that stays gets 256 plus the number of merges kept *before* it. Yours counts itself.",
            like=("256 + len(stay)", "257 + len(stay)"),
        ),
        Mistake(
            "bytes-moved",
            "Ids below 256 are bytes, and those never move.",
            like=(RENAMED, "renamed.get(half, half - len(dropped))"),
        ),
        Mistake(
            "left-only",
            "Both halves of a pair can be merges.",
            like=(PAIR, "(renamed.get(pair[0], pair[0]), pair[1])"),
        ),
        Mistake(
            "right-only",
            "Both halves of a pair can be merges, the left one, too.",
            like=(PAIR, "(pair[0], renamed.get(pair[1], pair[1]))"),
        ),
    ),
)
