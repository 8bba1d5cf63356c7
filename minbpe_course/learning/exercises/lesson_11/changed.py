"""Exercise 11.changed: how many tokens of a prompt its continuation takes back."""

from minbpe_course.learning import Exercise, Mistake


def changed(before, after):
    """Return how many tokens to drop from before so that after begins with the rest.

    You have the ids of a text, and the ids of a longer text that begins with it. How many of the ids at the end of the
    first can't you trust?

    * **In:** `before` and `after`, two lists of ids.
    * **Out:** how many ids you have to drop from the end of `before` until what is left is the beginning of `after`.

    Going from `[5, 7]` to `[5, 8, 9]` changes one token, and going to `[5, 7, 2]` changes none.
    """
    kept = 0
    while kept < min(len(before), len(after)) and before[kept] == after[kept]:
        kept += 1
    return len(before) - kept


def by_slices(before, after):
    """Try all lengths, as an independent witness."""
    return min(drop for drop in range(len(before) + 1) if after[: len(before) - drop] == before[: len(before) - drop])


NOTHING, SOME, AGAIN, SHORTER = "nothing changes", "the end changes", "equal ids after the change", "a shorter list"


def cases(random):
    yield NOTHING, [], [4]
    for size in range(1, 10):
        ids = random.choices(range(1, 6), k=size)
        place = random.randrange(size)
        yield NOTHING, ids, [*ids, *ids[:place]]
        yield SOME, ids, [*ids[:place], 9, 8]
        yield AGAIN, [*ids, 3], [*ids[:place], 9, *ids[place + 1 :], 3]
        yield SHORTER, [*ids, 2, 2], ids


EXERCISE = Exercise(
    "11.changed",
    "How many tokens can't you trust?",
    "write",
    answer=changed,
    wanted=by_slices,
    minutes=6,
    hints=(
        "How many ids at the beginning are equal, one after the other?",
        "Lesson 11, section 3: what is left of `before` must be the *beginning* of `after`.",
        "count equal ids from the front, and stop at the first difference or at the end of the shorter list; return "
        "len(before) minus that",
    ),
    shown=(
        (SOME, [5, 7], [5, 8, 9]),
        (NOTHING, [5, 7], [5, 7, 2]),
        (AGAIN, [1, 2, 3], [1, 9, 3]),
        (SHORTER, [4, 4], [4]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "every-difference",
            "After the first difference nothing counts any more, even if later ids are equal again.",
            like=lambda before, after: len(before) - sum(map(int.__eq__, before, after)),
        ),
        Mistake(
            "differences",
            "After the first difference, every id has to go, not only those that differ.",
            like=lambda before, after: sum(map(int.__ne__, before, after)),
        ),
        Mistake(
            "kept",
            "That is how many stay. How many do you have to drop?",
            like=("return len(before) - kept", "return kept"),
        ),
        Mistake(
            "dropped-of-after",
            "Drop from `before`, not from `after`.",
            like=("return len(before) - kept", "return len(after) - kept"),
        ),
        Mistake(
            "as-sets",
            "The same ids may be at other places. Compare place by place.",
            like=lambda before, after: len([one for one in before if one not in after]),
        ),
    ),
)
