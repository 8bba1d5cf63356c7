"""Exercise 12.first_fault: the number of the first faulty line of a .tiktoken file, 0 for a good file."""

import base64
import binascii
import re

from minbpe_course.learning import Exercise, Mistake


def first_fault(data):
    r"""Return the number of the first faulty line, or 0.

    A good loader does not guess. It names the line. Yours takes the bytes of a `.tiktoken` file and returns the number
    of the first faulty line.

    * **In:** `data`, bytes.
    * **Out:** an int: the number of the first faulty line, where the first line is 1; 0 if the file is good. An empty
      file is good.

    A good file is exactly what a program writing this format produces:

    * Every line is a token in base64, one space, its id, and `"\n"`. This includes the last line.
    * The base64 is exactly what `base64.b64encode` gives for these bytes. A token has at least one byte.
    * The id is a number in ASCII digits without a sign, from 0 to 4294967295, and begins with 0 only if it is 0.
    * No token and no id appears twice. (The second line is the faulty one.) The ids may come in any order, with gaps.

    | `data` | answer |
    |---|---|
    | `b"IQ== 0\nIg== 1\n"` | 0 |
    | `b"IQ== 0\nIg== +1\n"` | 2: a number has no sign |
    | `b"IR== 0\nIg== 1\n"` | 1: `IR==` is decoded to `!` as well, but `!` is written `IQ==` |
    | `b"IQ== 0\nIg== 1"` | 2: cut off |
    | `b"IQ== 0\n\n"` | 2: an empty line |
    """
    *rows, rest = data.split(b"\n")
    known_tokens, known_ids = set(), set()
    for place, row in enumerate(rows, start=1):
        parts = row.split(b" ")
        if len(parts) != 2 or not re.fullmatch(rb"0|[1-9][0-9]{0,9}", parts[1]) or int(parts[1]) >= 2**32:
            return place
        try:
            raw = base64.b64decode(parts[0], validate=True)
        except binascii.Error:
            return place
        if not raw or base64.b64encode(raw) != parts[0] or raw in known_tokens or int(parts[1]) in known_ids:
            return place
        known_tokens.add(raw)
        known_ids.add(int(parts[1]))
    return len(rows) + 1 if rest else 0


GOOD = "a good file"
CUT = "a file that is cut off"
SIGNS = "characters that are not base64"
BITS = "base64 that b64encode would not write"
NUMBERS = "ids that are not written as the format demands"
DOUBLES = "a token or an id that occurs twice"
BLANKS = "spaces and empty lines"
RETURNS = "carriage returns"
FORMS = {  # of a line; the last one is good
    SIGNS: "I Q== {rank}|IQ=!= {rank}|IQ-_ {rank}|IQ= {rank}| {rank}|== {rank}",
    BITS: "IR== {rank}|ISI= {rank}|//8= {rank}|IQF= {rank}",
    NUMBERS: "{token} +7|{token} -1|{token} 007|{token} 1_0|{token} 7 |{token} 0x7|{token} |{token} 4294967296|"
    "{token} ٣|{token} 1.0|{token} 1e3",
    DOUBLES: "{token} {taken}|{other} {rank}",
    BLANKS: "{token} {rank}\n|{token}  {rank}",
    RETURNS: "{token} {rank}\r|{token} {rank}\rIQ== 300",
    CUT: "{token} x",
    GOOD: "{token} {rank}",
}


def cases(random):
    def file(size):
        ranks = sorted(random.sample(range(300), size))
        tokens = [random.randbytes(random.randrange(4)) + rank.to_bytes(2, "big") for rank in ranks]
        return [f"{base64.b64encode(token).decode()} {rank}" for token, rank in zip(tokens, ranks)]

    yield GOOD, b""
    yield CUT, b"IQ== 0"
    yield BLANKS, b"\n"
    for size in (3, 5, 8):
        lines = file(size)
        at = random.randrange(1, size - 1)
        (other, taken), (token, rank) = lines[0].split(), lines[at].split()
        for category, forms in FORMS.items():
            for form in forms.split("|"):
                lines[at] = form.format(token=token, rank=rank, other=other, taken=taken)
                data = "\n".join([*lines, ""]).encode()
                # Now and then a second fault follows the first.
                yield category, data[:-1] if category == CUT or (size > 3 and category == BITS) else data
        yield CUT, data[:-1]
        yield CUT, data[: random.randrange(len(data) // 2, len(data) - 1)]
        yield RETURNS, data.replace(b"\n", b"\r\n")
    for _ in range(24):
        spoiled = bytearray("\n".join([*file(6), ""]).encode())
        spoiled[random.randrange(len(spoiled))] = random.choice(b" \n\r=0A\x00\xff7+")
        yield "a file with one changed byte", bytes(spoiled)


SPARE_BITS = " or base64.b64encode(raw) != parts[0]", ""

EXERCISE = Exercise(
    "12.first_fault",
    "Find the faulty line",
    "match",
    answer=first_fault,
    difficulty=4,
    minutes=30,
    points=4,
    hints=(
        "Which of Python's functions accept more than this format does? Try `int(' +1_0 ')` and "
        "`base64.b64decode(b'I!Q==')`.",
        "Lesson 12 has the `.tiktoken` format, and among its traps what `splitlines` does to bytes.",
        "lines = data.split(b'\\n'); the last must be empty; for each other line: partition at b' '; decode the "
        "left part, encode it again and compare; match the right part with a pattern for numbers; look both up "
        "among those already seen",
    ),
    shown=(
        (GOOD, b"IQ== 0\nIg== 1\n"),
        (NUMBERS, b"IQ== 0\nIg== +1\n"),
        (NUMBERS, b"IQ== 0\nIg== 01\n"),
        (SIGNS, b"IQ== 0\nI!g== 1\n"),
        (BITS, b"IR== 0\nIg== 1\n"),
        (DOUBLES, b"IQ== 0\nIg== 1\nIQ== 2\n"),
        (CUT, b"IQ== 0\nIg== 1"),
        (RETURNS, b"IQ== 0\r\nIg== 1\r\n"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "from-zero",
            "Lines are counted from 1: 0 means that all is well.",
            like=lambda data: max(0, first_fault(data) - 1),
        ),
        Mistake(
            "spare-bits",
            "`IQ==` and `IR==` are decoded to the same byte. Only one of them is what `b64encode` writes.",
            like=SPARE_BITS,
        ),
        Mistake(
            "skips-signs",
            "`b64decode` skips characters that are not base64 unless you pass validate=True.",
            like=(("validate=True", "validate=False"), SPARE_BITS),
        ),
        Mistake(
            "strips",
            "White space at either end of a line is a fault here. What in your code takes it away?",
            like=("row.split", "row.strip().split"),
        ),
        Mistake(
            "any-space",
            "`split()` splits at any white space, however much. A line has one space, and no other white space.",
            like=('row.split(b" ")', "row.split()"),
        ),
        Mistake(
            "returns",
            "A carriage return is a fault here. `splitlines` takes it for part of a line end, and `strip` removes it.",
            like=(
                r'*rows, rest = data.split(b"\n")',
                r'rows = data.splitlines(); rest = rows.pop() if data[-1:] not in (b"", b"\n") else b""',
            ),
            when=lambda case, outcome, wanted: case.category == RETURNS and outcome.value == 0,
        ),
        Mistake(
            "int",
            "`+1`, `007` and `1_0` are faults, though `int` takes them: a reader that takes them writes another file "
            "back.",
            like=("0|[1-9][0-9]{0,9}", r"\+?\d+(_\d+)*"),
        ),
        Mistake(
            "doubles",
            "When a token or an id occurs twice, the second line is at fault.",
            like=(" or raw in known_tokens or int(parts[1]) in known_ids", ""),
        ),
        Mistake(
            "too-large",
            "An id has 32 bits, so 4294967296 is too large.",
            like=(" or int(parts[1]) >= 2**32", ""),
        ),
        Mistake(
            "no-token",
            "A line without a token is a fault, even if its number is right.",
            like=("not raw or ", ""),
        ),
        Mistake(
            "empty-lines",
            "An empty line is a fault, too: it has no token and no number.",
            like=("parts = row.split", "if not row:\n            continue\n        parts = row.split"),
        ),
        Mistake(
            "no-end",
            "A last line without a line break was cut off: its number may be incomplete.",
            like=("*rows,", "if data and data[-1] != 10:\n        data += bytes([10])\n    *rows,"),
            when=lambda case, outcome, wanted: case.category == CUT and outcome.value == 0,
        ),
        Mistake(
            "end-first",
            "The file is cut off, but a line further up is faulty, too: the first faulty line counts.",
            like=("*rows,", "if data and data[-1] != 10:\n        return data.count(10) + 1\n    *rows,"),
        ),
    ),
)
