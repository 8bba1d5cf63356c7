"""Exercise 08.safe_blocks: cut a text into blocks only where two words meet."""

import regex

from minbpe_course.learning import Exercise, Mistake

SPACE = regex.compile(r"(?<=\p{L}) (?=\p{L})")  # a space with a letter before it and one after it


def safe_blocks(text, size):
    """Return blocks of at least size characters that are cut only where two words meet.

    If a space has a letter on each side, the split pattern starts a new word at that space, so you may cut there.

    * **In:** `text`, a str; `size`, at least 1.
    * **Out:** a list of str. Joined, they are the text. Each block takes `size` characters and continues to the next
      such space, which begins the next block. If there is no such space, the block continues to the end of the text.

    `safe_blocks("one two three four", 4)` is `["one two", " three", " four"]`, and an empty text has no blocks.

    `SPACE.search(text, place)` returns a match for the first such space at or after `place`, or `None` if there isn't
    one. The match's `.start()` is its position.
    """
    blocks, begin = [], 0
    while begin < len(text):
        border = SPACE.search(text, begin + size)
        end = border.start() if border else len(text)
        blocks.append(text[begin:end])
        begin = end
    return blocks


def from_the_beginning(text, size):
    """Look for a border after each multiple of size."""
    borders = [SPACE.search(text, place) for place in range(size, len(text), size)]
    places = sorted({0, len(text), *(border.start() for border in borders if border)})
    return [text[begin:end] for begin, end in zip(places, places[1:])]


WORDS, ODD, LONG = "words and spaces", "spaces that are not safe", "blocks longer than the text"


def cases(random):
    yield LONG, "", 3
    for size in range(1, 9):
        words = ["".join(random.choices("abcé", k=random.randint(1, 5))) for _ in range(3 * size)]
        yield WORDS, " ".join(words), size
        marks = [random.choice([" ", "  ", ", ", " 7 ", "\n", "."]) for _ in words]
        yield ODD, "".join(part for pair in zip(words, marks) for part in pair), size
        yield LONG, " ".join(words[:3]), 10 * size + 10


EXERCISE = Exercise(
    "08.safe_blocks",
    "Blocks that lose no word",
    "write",
    answer=safe_blocks,
    packages=("regex",),
    minutes=8,
    hints=(
        "Where does the second block begin? And how do you notice that you have reached the end?",
        "Lesson 08, on cuts in the wrong place: a space with a letter on each side is safe.",
        "begin = 0; as long as begin is inside the text: search from begin + size; the block ends at the match, or at "
        "the end of the text if there is none; the next block begins where this one ends",
    ),
    shown=(
        (WORDS, "one two three four", 4),
        (WORDS, "one two three", 3),
        (ODD, "1 2 a b", 2),
        (ODD, "so, as I said", 3),
        (LONG, "short", 10),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "size-from-the-beginning",
            "Count `size` from where the block begins, not from the beginning of the text.",
            like=from_the_beginning,
        ),
        Mistake(
            "without-the-rest",
            "The last block is missing: without another border, it continues to the end of the text.",
            like=(
                ("border.start() if border else len(text)", "border.start() if border else 0"),
                ("        blocks.append", "        if not border:\n            break\n        blocks.append"),
            ),
        ),
        Mistake(
            "space-at-the-end",
            "The space belongs to the word after it, so it begins the next block.",
            like=("border.start()", "border.end()"),
        ),
        Mistake(
            "anywhere",
            "This cuts inside a word. Continue to the next space that is safe.",
            like=lambda text, size: [text[at : at + size] for at in range(0, len(text), size)],
        ),
    ),
)
