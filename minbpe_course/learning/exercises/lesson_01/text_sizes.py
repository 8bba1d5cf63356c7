"""Exercise 01.text_sizes: count the characters and the bytes of texts."""

import unicodedata

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import draw_text


def text_sizes(texts):
    """Return a dict: for each name, the number of characters and of bytes in its text.

    * **In:** `texts`, a dict from name to text.
    * **Out:** a dict from name to a pair: the number of characters (code points), and the number of bytes in UTF-8.

    For example, `text_sizes({"French": "thé", "Greek": "τσάι"})` is `{"French": (3, 4), "Greek": (4, 8)}`.

    Tried: characters of one to four bytes, accents that are characters of their own, empty texts, and no texts.
    """
    sizes = {}
    for name, text in texts.items():
        sizes[name] = (len(text), len(text.encode("utf-8")))
    return sizes


def cases(random):
    yield "no texts", {}
    yield "an empty text", {"nothing": ""}
    names = ["English", "Tamil", "Greek", "Hindi", "emoji"]
    for length in range(1, 9):
        for size in "1234":
            category = f"characters of {size} byte{'s' if size > '1' else ''}"
            yield category, {random.choice(names): draw_text(random, length, size)}
        yield "accents that are characters of their own", {"French": draw_text(random, length) + "e\u0301"}
        texts = {name: draw_text(random, random.randrange(1, 2 + length)) for name in random.sample(names, 3)}
        yield "several texts", texts


EXERCISE = Exercise(
    "01.text_sizes",
    "Characters and bytes",
    "write",
    answer=text_sizes,
    difficulty=1,
    minutes=3,
    points=1,
    hints=(
        "Which number does `len` give for a str, and which for a bytes object?",
        "Lesson 01, section 1: `.encode` turns a text into bytes, also in the cell that prints code points.",
        "for each name and text of the dict: the length of the text, and the length of the text encoded in UTF-8; put "
        "both into a new dict under the same name",
    ),
    shown=(
        ("several texts", {"French": "thé", "Greek": "τσάι"}),
        ("characters of 4 bytes", {"emoji": "👋"}),
        ("no texts", {}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "the-other-way-round",
            "Both numbers are right, but the characters come first and the bytes second.",
            like=('(len(text), len(text.encode("utf-8")))', '(len(text.encode("utf-8")), len(text))'),
        ),
        Mistake(
            "characters-twice",
            "Your second number counts characters again. Encode the text first, then take its length.",
            like=('len(text.encode("utf-8"))', "len(text)"),
        ),
        Mistake(
            "bytes-only",
            "Only one number came back for each text. A pair is wanted: characters, bytes.",
            like=('(len(text), len(text.encode("utf-8")))', 'len(text.encode("utf-8"))'),
        ),
        Mistake(
            "without-names",
            "The pairs are right, but your answer is a list. Put each pair into a dict, under the name of its text.",
            like=lambda texts: [*text_sizes(texts).values()],
        ),
        Mistake(
            "another-encoding",
            'Those are the bytes of UTF-16. Name the encoding: `text.encode("utf-8")`.',
            like=('"utf-8"', '"utf-16"'),
        ),
        Mistake(
            "the-last-text-only",
            "Only one text is in your answer. Does your loop start a new dict each time?",
            like=("sizes[name] = ", "sizes = {}; sizes[name] = "),
        ),
        Mistake(
            "joins-accents",
            "An accent that follows its letter is a character of its own. Count the text as it is.",
            like=lambda texts: text_sizes({name: unicodedata.normalize("NFC", text) for name, text in texts.items()}),
        ),
    ),
)
