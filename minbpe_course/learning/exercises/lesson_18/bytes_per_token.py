"""Exercise 18.bytes_per_token: the score of the capstone."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.measures import bytes_per_token as measured


def bytes_per_token(texts, rows):
    """Return how many bytes a token covers on average, over all texts together.

    * **In:** `texts`, a list of str; `rows`, the list of their ids, one list for each text. There is at least one id.
    * **Out:** a float: the bytes of all texts in UTF-8, divided by the number of all ids.

    `bytes_per_token(["é", "abcd"], [[256], [97, 257]])` is `2.0`: six bytes in three tokens.
    """
    size = sum(len(text.encode("utf-8")) for text in texts)
    return size / sum(len(ids) for ids in rows)


def cases(random):
    for letters, category in ("abc ", "plain letters"), ("aéδक中", "letters of several bytes"):
        for size in range(1, 6):
            texts = ["".join(random.choices(letters, k=random.randint(2, 4 * size))) for _ in range(size)]
            rows = [[random.randrange(2_048) for _ in range(random.randint(1, len(text)))] for text in texts]
            yield category, texts, rows
    for size in range(2, 6):
        texts = ["ab" * random.randint(1, 9) for _ in range(size)]
        yield "texts without ids", [*texts, ""], [*([number] for number in range(size)), []]


EXERCISE = Exercise(
    "18.bytes_per_token",
    "The score",
    "write",
    answer=bytes_per_token,
    difficulty=1,
    minutes=3,
    hints=(
        "Two sums and a division. What does each sum count?",
        "Lesson 18, on held-out text: the score, with its unit.",
        "add up len(text.encode('utf-8')) over the texts, add up len(ids) over the rows, and divide the first by the "
        "second",
    ),
    wanted=lambda texts, rows: measured("".join(texts), lambda text: [each for ids in rows for each in ids]),
    shown=(
        ("one text", ["abcd"], [[256, 257]]),
        ("letters of several bytes", ["é", "abcd"], [[256], [97, 257]]),
        ("plain letters", ["a", "abcdef"], [[97], [256, 257]]),
        ("texts without ids", ["ab", ""], [[256], []]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "characters",
            "A letter may have several bytes. Count the bytes of the UTF-8.",
            like=('len(text.encode("utf-8"))', "len(text)"),
        ),
        Mistake(
            "mean-of-ratios",
            "That is the average of one ratio for each text, in which a short text counts as much as a long one. "
            "Divide the sums.",
            like=(
                "size / sum(len(ids) for ids in rows)",
                'sum(len(text.encode("utf-8")) / max(1, len(ids)) for text, ids in zip(texts, rows)) / len(texts)',
            ),
        ),
        Mistake(
            "upside-down",
            "Those are tokens per byte. Divide the bytes by the tokens.",
            like=("size / sum(len(ids) for ids in rows)", "sum(len(ids) for ids in rows) / size"),
        ),
        Mistake(
            "counts-texts",
            "`len(rows)` is the number of texts. Count the ids in all the rows.",
            like=("sum(len(ids) for ids in rows)", "len(rows)"),
        ),
    ),
)
