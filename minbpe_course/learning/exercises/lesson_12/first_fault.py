"""Exercise 12.first_fault: the number of the first faulty line of a .tiktoken file, 0 for a good file."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def first_fault(data):
    r"""Return the number of the first faulty line, or 0.

    A good loader does not guess. It names the line. Yours takes the bytes of a `.tiktoken` file and returns the number
    of the first faulty line. The check damages files in many ways.

    * **In:** `data`, bytes.
    * **Out:** an int: the number of the first faulty line, where the first line is 1; 0 if the file is good. An empty
      file is good.

    A good file is exactly what a program writing this format produces:

    * Every line is a token in base64, one space, its id, and `"\n"`. This includes the last line.
    * The base64 is exactly what `base64.b64encode` gives for these bytes. A token has at least one byte.
    * The id is a number in ASCII digits without a sign, from 0 to 4294967295, and begins with 0 only if it is 0.
    * No token and no id appears twice. (The second line is the faulty one.)

    | `data` | answer |
    |---|---|
    | `b"IQ== 0\nIg== 1\n"` | 0 |
    | `b"IQ== 0\nIg== +1\n"` | 2: a number has no sign |
    | `b"IR== 0\nIg== 1\n"` | 1: `IR==` is decoded to `!` as well, but `!` is written `IQ==` |
    | `b"IQ== 0\nIg== 1"` | 2: cut off |
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


LARGEST = 2**32 - 1
_NUMBER = re.compile(rb"0|[1-9][0-9]{0,9}")


def reference_first_fault(data: bytes) -> int:
    r"""Return the number of the first faulty line of a .tiktoken file, or 0.

    >>> first_fault(b"IQ== 0\nIg== 1\n"), first_fault(b"IQ== 0\nIg== +1\n")
    (0, 2)
    """
    rows = data.split(b"\n")
    cut_off = rows.pop()
    tokens: set[bytes] = set()
    numbers: set[int] = set()
    for at, row in enumerate(rows, start=1):
        left, _, right = row.partition(b" ")
        try:
            token = base64.b64decode(left, validate=True)
        except binascii.Error:
            return at
        number = _number(right)
        if not token or base64.b64encode(token) != left or number is None or token in tokens or number in numbers:
            return at
        tokens.add(token)
        numbers.add(number)
    return len(rows) + 1 if cut_off else 0


def _number(text: bytes) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) and int(text) <= LARGEST else None


def _lax_number(text: bytes) -> int | None:
    try:
        found = int(text)
    except ValueError:
        return None
    return found if 0 <= found <= LARGEST else None


_SPARE_BITS = (" or base64.b64encode(token) != left", "")

GOOD, CUT, SIGNS, BITS, NUMBERS, DOUBLES, BLANKS, RETURNS, CHANCE = (
    "a good file",
    "a file that is cut off",
    "signs that are no base64",
    "bits that are left over in base64",
    "numbers that are none",
    "a token or an id that is there twice",
    "blanks and empty lines",
    "carriage returns",
    "a byte that was changed by chance",
)


def _file(random: Random, size: int) -> list[list[bytes]]:
    tokens: dict[bytes, None] = {}
    while len(tokens) < size:
        tokens[random.randbytes(random.randint(1, 5))] = None
    ranks = sorted(random.sample(range(300), size))
    return [[base64.b64encode(token), b"%d" % rank] for token, rank in zip(tokens, ranks)]


def _joined(rows: list[list[bytes]]) -> bytes:
    return b"".join(b" ".join(row) + b"\n" for row in rows)


_BAD_NUMBERS = (b"+7", b"-1", b"007", b"1_0", b" 7", b"7 ", b"0x7", b"", b"4294967296", "٣".encode(), b"1.0", b"1e3")
_BAD_TOKENS = (b"I Q==", b"IQ=!=", b"IQ-_", b"IQ=", b"", b"==", b"IQ==IQ==", b"\xc3\xa9", b"IQ")


def file_cases(random: Random) -> Iterator[Case]:
    """Yield good files, and files with one fault; now and then a second fault follows the first."""
    yield Case(GOOD, (b"",))
    yield Case(CUT, (b"IQ==",))
    yield Case(BLANKS, (b"\n",))
    yield Case(NUMBERS, (b"IQ== 0\nIg== 4294967296\n",))
    yield Case(NUMBERS, (b"IQ== 7 \n",))
    yield Case(SIGNS, (b"IQ== 0\n 1\n",))
    for turn in range(6):
        size = 3 + turn
        yield Case(GOOD, (_joined(_file(random, size)),))
        whole = _joined(_file(random, size))
        yield Case(CUT, (whole[:-1] if turn % 2 else whole[: random.randrange(len(whole) // 2, len(whole) - 1)],))
        rows = _file(random, size)
        rows[random.randrange(size - 1)][1] = b"x"
        yield Case(CUT, (_joined(rows)[:-1],))
        rows = _file(random, size)
        rows[random.randrange(1, size)][0] = _BAD_TOKENS[turn]
        yield Case(SIGNS, (_joined(rows),))
        rows = _file(random, size)
        rows[random.randrange(1, size)][0] = random.choice([b"IR==", b"ISI=", b"//8=", b"IQF="])
        rows[-1][0] = b"IR=="
        yield Case(BITS, (_joined(rows),))
        rows = _file(random, size)
        rows[random.randrange(1, size - 1)][1] = _BAD_NUMBERS[turn]
        rows[-1][1] = _BAD_NUMBERS[-1 - turn]
        yield Case(NUMBERS, (_joined(rows),))
        rows = _file(random, size)
        rows[-1][turn % 2] = rows[random.randrange(size - 1)][turn % 2]
        yield Case(DOUBLES, (_joined(rows),))
        rows = _file(random, size)
        at = random.randrange(1, size)
        rows.insert(at, [b""]) if turn % 2 else rows[at].insert(1, b"")
        yield Case(BLANKS, (_joined(rows),))
        whole = _joined(_file(random, size))
        yield Case(RETURNS, (whole.replace(b"\n", b"\r\n") if turn % 2 else whole.replace(b"\n", b"\r", 1),))
    for _ in range(24):
        spoiled = bytearray(_joined(_file(random, 6)))
        spoiled[random.randrange(len(spoiled))] = random.choice(b" \n\r=0A\x00\xff7+")
        yield Case(CHANCE, (bytes(spoiled),))


EXERCISE = Exercise(
    key="12.first_fault",
    answer=first_fault,
    title="Find the faulty line",
    kind="match",
    difficulty=4,
    minutes=30,
    points=4,
    hints=(
        "Which of Python's functions accept more than this format does? Try `int(' +1_0 ')` and "
        "`base64.b64decode(b'I!Q==')`.",
        "lines = data.split(b'\\n'); the last must be empty; for each other line: partition at b' '; decode the "
        "left part, encode it again and compare; match the right part with a pattern for numbers; look both up "
        "among those already seen",
        "Lesson 12 has the `.tiktoken` format, and among its traps what `splitlines` does to bytes.",
    ),
    wanted=reference_first_fault,
    shown=(
        Case(GOOD, (b"IQ== 0\nIg== 1\n",)),
        Case(NUMBERS, (b"IQ== 0\nIg== +1\n",)),
        Case(NUMBERS, (b"IQ== 0\nIg== 01\n",)),
        Case(SIGNS, (b"IQ== 0\nI!g== 1\n",)),
        Case(BITS, (b"IR== 0\nIg== 1\n",)),
        Case(DOUBLES, (b"IQ== 0\nIg== 1\nIQ== 2\n",)),
        Case(CUT, (b"IQ== 0\nIg== 1",)),
        Case(RETURNS, (b"IQ== 0\r\nIg== 1\r\n",)),
    ),
    drawn=file_cases,
    mistakes=(
        Mistake(
            "returns",
            "A carriage return at the end of a line is a fault here. What in your code accepts it?",
            like=edited(
                reference_first_fault,
                (r'data.split(b"\n")', "data.splitlines()"),
                ("= rows.pop()", r'= rows.pop() if rows and not data.endswith(b"\n") else b""'),
            ),
        ),
        Mistake(
            "from-zero",
            "Lines are counted from 1: 0 means that all is well.",
            like=lambda data: max(0, reference_first_fault(data) - 1),
        ),
        Mistake(
            "spare-bits",
            "`IQ==` and `IR==` are decoded to the same byte. Only one of them is what `b64encode` writes.",
            like=edited(reference_first_fault, _SPARE_BITS),
        ),
        Mistake(
            "skips-signs",
            "`b64decode` skips characters that are not base64 unless you pass validate=True.",
            like=edited(reference_first_fault, ("validate=True", "validate=False"), _SPARE_BITS),
        ),
        Mistake(
            "strips",
            "White space at either end of a line is a fault here. What in your code takes it away?",
            like=edited(reference_first_fault, ("row.partition", "row.strip().partition")),
        ),
        Mistake(
            "any-space",
            "`split()` splits at any white space, however much. A line has one space, and no other white space.",
            like=edited(
                reference_first_fault,
                (
                    'left, _, right = row.partition(b" ")',
                    'left, right = (row.split() + [b"", b""])[:2]',
                ),
            ),
        ),
        Mistake(
            "int",
            "`+1`, `007` and `1_0` are faults, though `int` takes them: a reader that takes them writes another file "
            "back.",
            like=edited(reference_first_fault, ("_number(right)", "_lax_number(right)")),
        ),
        Mistake(
            "doubles",
            "When a token or an id occurs twice, the second line is at fault.",
            like=edited(reference_first_fault, (" or token in tokens or number in numbers", "")),
        ),
        Mistake(
            "too-large",
            "A rank has 32 bits, so 4294967296 is too large.",
            like=edited(reference_first_fault, ("_number(right)", "_number(right[:9])")),
        ),
        Mistake(
            "no-token",
            "A line without a token is a fault, even if its number is right.",
            like=edited(reference_first_fault, ("not token or ", "")),
        ),
        Mistake(
            "empty-lines",
            "An empty line is a fault, too: it has no token and no number.",
            like=edited(
                reference_first_fault,
                ("        left, _,", "        if not row:\n            continue\n        left, _,"),
            ),
        ),
        Mistake(
            "no-end",
            "A last line without a line break was cut off: its number may be incomplete.",
            like=edited(reference_first_fault, ("= rows.pop()", '= b"" if rows[-1] else rows.pop()')),
        ),
        Mistake(
            "end-first",
            "The file is cut off, but a line further up is faulty, too: the first faulty line counts.",
            like=edited(
                reference_first_fault, ("    tokens:", "    if cut_off:\n        return len(rows) + 1\n    tokens:")
            ),
        ),
    ),
)
