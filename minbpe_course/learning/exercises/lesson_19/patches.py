"""Exercise 19.patches: cut bytes where the next byte is hard to guess."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference import byte_patches


def patches(text, entropies, threshold, rise):
    """Return the patches of a text: a patch begins where the next byte is hard to guess.

    * **In:** `text`, bytes; `entropies`, a list with a number for each byte, in bits: how hard it was to guess before
      it was seen; `threshold`, a number; `rise`, True or False.
    * **Out:** a list of bytes, which joined are the text. The first byte begins a patch. If `rise` is False, a byte
      begins a patch if its entropy is above the threshold; if `rise` is True, if its entropy is higher than that of the
      byte before by more than the threshold. An empty text has no patches.

    ```
    patches(b"the cat", [5, 2, 1, 1, 4, 3, 2], 2.5, False)   ->  [b"the ", b"c", b"at"]
    patches(b"the cat", [5, 2, 1, 1, 4, 3, 2], 2.5, True)    ->  [b"the ", b"cat"]
    ```
    """
    begins = [0]
    for at in range(1, len(text)):
        height = entropies[at] - entropies[at - 1] if rise else entropies[at]
        if height > threshold:
            begins.append(at)
    return [text[begin:end] for begin, end in zip(begins, begins[1:] + [len(text)]) if text]


LEVEL, RISE = "above the threshold", "a rise above the threshold"
EQUAL, SHORT = "exactly the threshold", "at most one byte"


def cases(random):
    yield SHORT, b"", [], 1.0, True
    yield SHORT, b"\xff", [8.0], 1.0, True
    for size in range(3, 12):
        text = bytes(random.choices(b"abc ", k=size))
        heights = [random.randrange(32) / 4 for _ in text]
        yield LEVEL, text, heights, random.choice([1.125, 3.125]), False
        yield RISE, text, heights, random.choice([0.625, 1.125]), True
        yield EQUAL, text, heights, random.choice(heights[1:]), False
        yield EQUAL, text, [*range(size)], 1, True


EXERCISE = Exercise(
    "19.patches",
    "Where a patch begins",
    "write",
    answer=patches,
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Find the places where patches begin first, and cut afterwards. Where does the last patch end?",
        "Lesson 19, on patches, names both rules; the picture there shows the first one.",
        "begins = [0]; for every other place: take its entropy, or with rise its entropy minus that of the place "
        "before; if it is above the threshold, append the place. Then slice from each beginning to the next one",
    ),
    shown=(
        (LEVEL, b"the cat", [5, 2, 1, 1, 4, 3, 2], 2.5, False),
        (RISE, b"the cat", [5, 2, 1, 1, 4, 3, 2], 2.5, True),
        (EQUAL, b"abc", [5, 2, 3], 2, False),
        (SHORT, b"", [], 2, False),
    ),
    wanted=lambda text, entropies, threshold, rise: byte_patches.patches(text, entropies, threshold, rise=rise),
    drawn=cases,
    mistakes=(
        Mistake(
            "cuts-behind",
            "You cut after the byte that is hard to guess. It is the first byte of the next patch.",
            like=("begins.append(at)", "begins.append(at + 1)"),
        ),
        Mistake(
            "at-the-threshold",
            "An entropy that equals the threshold is not above it.",
            like=("height > threshold", "height >= threshold"),
        ),
        Mistake(
            "falls-too",
            "Only a rise begins a patch. Where the entropy falls, the next byte is easier to guess.",
            like=("entropies[at] - entropies[at - 1]", "abs(entropies[at] - entropies[at - 1])"),
        ),
        Mistake(
            "rise-over-the-patch",
            "The rise is over the byte before, not over the first byte of the patch.",
            like=("entropies[at] - entropies[at - 1]", "entropies[at] - entropies[begins[-1]]"),
        ),
        Mistake(
            "last-patch",
            "The last patch is missing: it ends with the text.",
            like=("begins[1:] + [len(text)]", "begins[1:]"),
        ),
        Mistake(
            "empty-patch",
            "No patch is empty. Does the first byte begin two patches, or does an empty text have one?",
            like=(" if text]", "]"),
        ),
    ),
)
