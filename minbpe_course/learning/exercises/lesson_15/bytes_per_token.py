"""Exercise 15.bytes_per_token: all bytes divided by all tokens."""

from minbpe_course.learning import Exercise, Mistake


def bytes_per_token(rows):
    """Return how many bytes a token stands for, over all rows together.

    How many bytes of UTF-8 does a token stand for, over all of these texts together?

    * **In:** `rows`, a list of pairs: a text (str) and the list of its ids. There is at least one pair, and none of the
      texts and lists is empty.
    * **Out:** a number.

    `bytes_per_token([("abcd", [7]), ("b", [9])])` is `2.5`: five bytes, two tokens.
    """
    sizes = [len(text.encode("utf-8")) for text, _ in rows]
    return sum(sizes) / sum(len(ids) for _, ids in rows)


ALPHABETS = "etaoin", "etaoiné", "Ελλάς", "गमनर", "中文字", "a🦜"


def _row(random, alphabet, most):
    text = "".join(random.choices(alphabet, k=random.randint(1, most)))
    return text, [random.randrange(999) for _ in range(random.randint(1, len(text.encode("utf-8"))))]


def _row_cases(random):
    for number in range(2, 9):
        yield "one text", [_row(random, random.choice(ALPHABETS), 4 * number)]
        yield "several texts", [_row(random, ALPHABETS[0], 6 * number) for _ in range(number)]
        yield "several scripts", [_row(random, random.choice(ALPHABETS[1:]), 9) for _ in range(number)]


EXERCISE = Exercise(
    "15.bytes_per_token",
    "Sum first, divide last",
    "write",
    answer=bytes_per_token,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Every byte of every text counts once, and so does every token. How many of each are there?",
        "Lesson 15, on the length of a token: add up first, divide last.",
        "add up the sizes; add up the lengths of all lists of ids; divide the first by the second, once",
    ),
    shown=(
        ("one text", [("abcd", [7, 9])]),
        ("several texts", [("abcd", [7]), ("b", [9])]),
        ("several texts", [("ab", [7]), ("abcabc", [9, 3, 1])]),
    ),
    drawn=_row_cases,
    mistakes=(
        Mistake(
            "mean-of-ratios",
            "That is the mean over texts. A short text must not count as much as a long one.",
            like=(
                "sum(sizes) / sum(len(ids) for _, ids in rows)",
                "sum(size / len(ids) for size, (_, ids) in zip(sizes, rows)) / len(rows)",
            ),
        ),
        Mistake(
            "characters",
            "Those are characters per token. Outside ASCII a character is more than one byte.",
            like=('.encode("utf-8")', ""),
        ),
        Mistake(
            "rounded-down",
            "Your quotient is cut off at the decimal point. Which division keeps the rest?",
            like=("sum(sizes) /", "sum(sizes) //"),
        ),
        Mistake("upside-down", "Those are tokens per byte.", like=("sum(sizes) /", "1 / sum(sizes) *")),
        Mistake(
            "for-each-text",
            "Those are bytes per text. How many tokens do the texts have?",
            like=("sum(len(ids) for _, ids in rows)", "len(rows)"),
        ),
    ),
)
