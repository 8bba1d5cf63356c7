"""Exercise 07.first_place: the first place of a pair, which decides ties."""

from minbpe_course.learning import Exercise, Mistake


def first_place(pair, places, words, sizes):
    """Return (word, bytes before the pair) for the first of these words that has the pair.

    Of tied pairs, lesson 03 takes the one that comes first in the words as they are now. So a pair needs a place that
    can be compared: the number of the first word that contains it, and how many *bytes* of that word come before it.

    * **In:** `pair`; `places`, the numbers of the words that had this pair once, ascending; `words`, the list of all
      words, each a list of ids; `sizes`, a list with the number of bytes of each id.
    * **Out:** a tuple of two numbers, for the first of these words that *still* has the pair; `None` if none has it.

    ```
    sizes = [1, 1, 1, 2]             # 3 is made of 0 and 1
    words = [[3, 2, 0], [2, 0, 1]]
    first_place((2, 0), [0, 1], words, sizes)    ->  (0, 2)
    first_place((0, 1), [0, 1], words, sizes)    ->  (1, 1)
    ```

    The check tries words that have lost the pair, ids of several bytes, a pair that occurs twice in a word, overlapping
    pairs, and a pair that is gone everywhere.
    """
    for number in places:
        before = 0
        for both in zip(words[number], words[number][1:]):
            if both == pair:
                return number, before
            before += sizes[both[0]]
    return None


def position(pair, places, words, sizes):
    """Return the position in the list of ids in place of the bytes."""
    for number in places:
        for at, both in enumerate(zip(words[number], words[number][1:])):
            if both == pair:
                return number, at
    return None


ONE = "one word"
LOST = "words that have lost the pair"
LONGER = "ids of several bytes"
TWICE = "a pair that occurs twice"
GONE = "a pair that is gone"
SMALL = [1, 1, 1, 2]  # three bytes, and the merge of 0 and 1
SIZES = [1] * 256 + [2, 3, 5]


def cases(random):
    for size in range(2, 10):
        words = [random.choices([97, 98, 99, 256, 257, 258], k=size) for _ in range(5)]
        pair = tuple(random.choices([97, 98, 256, 257], k=2))
        without = [[100, *word[::2]] for word in words]
        longer = [[256, 258, 257, *word] for word in words]
        yield LOST, pair, [0, 2, 3, 4], [*without[:3], [*words[3], *pair], words[4]], SIZES
        yield LONGER, pair, [1, 4], [*without, [*pair], longer[0] + [*pair]], SIZES
        yield LONGER, (longer[1][-2], longer[1][-1]), [0, 1], [[101], longer[1]], SIZES
        yield TWICE, pair, [1, 2], [[], [99, *pair, 99, *pair], [*pair]], SIZES
        yield TWICE, (97, 97), [0], [[98] * size + [97] * 3], SIZES
        yield GONE, pair, [0, 1], [[100, 101], [pair[0], 100, pair[1]]], SIZES


EXERCISE = Exercise(
    "07.first_place",
    "Where a pair occurs first",
    "write",
    answer=first_place,
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "Read the words in the order of `places`. What do you add up on the way to the pair?",
        "Lesson 07 says why the place is counted in bytes, in the section on ties.",
        "for each number in places: bytes = 0; for each two neighbors of that word: if they are the pair, return "
        "number and bytes; otherwise add the size of the left one",
    ),
    shown=(
        (ONE, (1, 2), [0], [[0, 1, 2]], SMALL),
        (LOST, (0, 1), [0, 1], [[3, 2], [2, 0, 1]], SMALL),
        (LONGER, (2, 0), [0], [[3, 2, 0]], SMALL),
        (GONE, (0, 1), [0], [[3, 2]], SMALL),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "counts-ids",
            "You count the ids before the pair. Their number changes when two of them are merged; their bytes stay.",
            like=position,
        ),
        Mistake(
            "trusts-the-index",
            "The first word in `places` may have lost the pair since it was noted: continue with the next one.",
            like=lambda pair, places, words, sizes: first_place(pair, places[:1], words, sizes),
        ),
        Mistake(
            "reads-all-words",
            "Read only the words whose numbers are in `places`, and return the number of the word in `words`.",
            like=lambda pair, places, words, sizes: first_place(pair, range(len(words)), words, sizes),
        ),
        Mistake(
            "numbers-the-places",
            "The first number is that of the word in `words`, not its position in `places`.",
            like=("return number, before", "return places.index(number), before"),
        ),
        Mistake(
            "the-last-place",
            "The pair occurs more than once, and you return the last place: return as soon as you find it.",
            like=lambda pair, places, words, sizes: max(
                (found for number in places for found in all_of(pair, number, words, sizes)), default=None
            ),
        ),
        Mistake(
            "bytes-of-the-right",
            "Add the size of the left id of the two: the right one is the left one of the next two.",
            like=("sizes[both[0]]", "sizes[both[1]]"),
        ),
        Mistake(
            "counts-on",
            "The bytes are counted from the beginning of each word: set them back to 0.",
            like=("    for number in places:\n        before = 0", "    before = 0\n    for number in places:"),
        ),
    ),
)


def all_of(pair, number, words, sizes):
    ids = words[number]
    return [(number, sum(sizes[one] for one in ids[:at])) for at, both in enumerate(zip(ids, ids[1:])) if both == pair]
