"""Exercise 01.test_cut_before: write a test that accepts three right ways to cut UTF-8 and rejects ten wrong ones."""

from __future__ import annotations

from minbpe_course.checks.exercise import Exercise, Mutant

_BACK = """
def cut_before(data, limit):
    end = min(limit, len(data))
    while end < len(data) and 0x80 <= data[end] < 0xC0:
        end -= 1
    return data[:end]
"""


_IGNORING = """
def cut_before(data, limit):
    return data[:limit].decode("utf-8", errors="ignore").encode("utf-8")
"""


_FORWARD = """
def cut_before(data, limit):
    kept = b""
    for character in data.decode("utf-8"):
        longer = kept + character.encode("utf-8")
        if len(longer) > limit:
            break
        kept = longer
    return kept
"""


def _mutant(name: str, category: str, body: str) -> Mutant:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return Mutant(name, f"def cut_before(data, limit):\n{lines}", category)


EXERCISE = Exercise(
    key="01.test_cut_before",
    title="Ten wrong knives",
    kind="test",
    entry="test_cut_before",
    subject="cut_before",
    difficulty=3,
    minutes=15,
    points=2,
    hints=(
        "First put the promise into words: a beginning of the data, whole characters, within the limit, and as long "
        "as possible.",
        "Take a text with characters of all four lengths. For every limit from 0 to beyond the end, compare with the "
        "answer that you build from the text itself, by joining its first k characters.",
        'Lesson 01, "The bug that English hides": which characters must a text contain to expose such a bug?',
    ),
    right=(_BACK, _IGNORING, _FORWARD),
    mutants=(
        _mutant("no-care", "cuts through characters", "return data[:limit]"),
        _mutant(
            "drops-what-fits",
            "drops a last character that would just fit",
            "end = min(limit, len(data))\n"
            "while end > 0 and 0x80 <= data[end - 1] < 0xC0:\n    end -= 1\n"
            "return data[: end - 1] if end > 0 and data[end - 1] >= 0xC0 else data[:end]",
        ),
        _mutant(
            "one-step",
            "cuts through some characters of three bytes",
            "if limit < len(data) and 0x80 <= data[limit] < 0xC0:\n    limit -= 1\nreturn data[:limit]",
        ),
        _mutant(
            "two-steps",
            "cuts through some characters of four bytes",
            "for _ in range(2):\n"
            "    if limit < len(data) and 0x80 <= data[limit] < 0xC0:\n        limit -= 1\n"
            "return data[:limit]",
        ),
        _mutant("counts-characters", "counts characters instead of bytes", "return data.decode()[:limit].encode()"),
        _mutant(
            "one-short",
            "never uses the last byte that the limit allows",
            "end = limit - 1 if 0 < limit <= len(data) else limit\n"
            "while 0 < end < len(data) and 0x80 <= data[end] < 0xC0:\n    end -= 1\n"
            "return data[:end]",
        ),
        _mutant(
            "puts-diamonds",
            "puts a replacement character where it cuts",
            "return data[:limit].decode('utf-8', 'replace').encode()",
        ),
        _mutant(
            "zero-is-no-limit",
            "takes a limit of 0 for no limit",
            "return data[: limit or len(data)].decode('utf-8', 'ignore').encode()",
        ),
        _mutant(
            "past-the-end",
            "fails when the limit is not inside the data",
            "while data[limit] & 0xC0 == 0x80:\n    limit -= 1\nreturn data[:limit]",
        ),
        _mutant(
            "gives-up",
            "returns nothing at all when the limit is inside a character",
            "try:\n    data[:limit].decode()\nexcept UnicodeDecodeError:\n    return b''\nreturn data[:limit]",
        ),
    ),
)
