"""Exercise 12.read_ranks: the tokens of a .tiktoken file."""

import base64

from minbpe_course.learning import Exercise, Mistake


def read_ranks(data):
    """Return a dict from token to id, from the bytes of a .tiktoken file.

    Each line has a token in base64, a space, and its id. A line ends with a line feed; the last one may lack it. Skip
    empty lines.

    * **In:** `data`, the whole file as bytes.
    * **Out:** a dict from the token (bytes) to its id (int), in the order of the file.

    `read_ranks(b"IQ== 0\\nIg== 1\\n")` is `{b"!": 0, b'"': 1}`.

    `base64.b64decode` returns the bytes that a text in base64 stands for.
    """
    rows = [line.split(b" ") for line in data.split(b"\n") if line]
    return {base64.b64decode(spelled): int(rank) for spelled, rank in rows}


PLAIN, GAPS, NO_END, EMPTY = "ids in order", "ids with gaps", "no line feed at the end", "empty lines"


def cases(random):
    yield PLAIN, b""
    for size in range(1, 9):
        tokens = [bytes([97 + number]) + random.randbytes(random.randint(0, 5)) for number in range(size)]
        ids = random.sample(range(1000), size)
        spelled = [base64.b64encode(token) for token in tokens]
        lines = [b"%s %d" % row for row in zip(spelled, range(size))]
        yield PLAIN, b"".join(line + b"\n" for line in lines)
        yield NO_END, b"\n".join(lines)
        yield GAPS, b"".join(b"%s %d\n" % row for row in zip(spelled, ids))
        yield EMPTY, b"\n" + b"\n\n".join(lines) + b"\n\n"


EXERCISE = Exercise(
    "12.read_ranks",
    "Base64 and a number",
    "write",
    answer=read_ranks,
    minutes=6,
    hints=(
        "What is in a line besides the token and the id, and what is in the last line?",
        "Lesson 12, section 6. Its traps say where to split.",
        "split the data at b'\\n'; for each line that isn't empty: split it at b' '; the token is base64.b64decode of "
        "the first part, the id is int of the second",
    ),
    shown=(
        (PLAIN, b"IQ== 0\nIg== 1\n"),
        (GAPS, b"IOCklOCksA== 458\n"),
        (NO_END, b"IQ== 7"),
        (EMPTY, b"IQ== 0\n\nIg== 1\n"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "still-base64",
            "The tokens are still in base64. Decode them.",
            like=("base64.b64decode(spelled)", "spelled"),
        ),
        Mistake(
            "counts-lines",
            "The id is the number in the line. It need not be the number *of* the line.",
            like=lambda data: {token: number for number, token in enumerate(read_ranks(data))},
        ),
        Mistake(
            "last-line",
            "The last line counts even if no line feed follows it.",
            like=('data.split(b"\\n")', 'data.split(b"\\n")[:-1]'),
        ),
        Mistake(
            "ids-as-text",
            "The ids are still text. Make numbers of them.",
            like=("int(rank)", "rank"),
        ),
        Mistake(
            "id-to-token",
            "The dict leads from the token to its id, not the other way round.",
            like=lambda data: {rank: token for token, rank in read_ranks(data).items()},
        ),
    ),
)
