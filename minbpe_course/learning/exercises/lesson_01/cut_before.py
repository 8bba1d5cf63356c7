"""Exercise 01.cut_before: repair a function that shortens UTF-8 without cutting a character."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import draw_text


def cut_before(data, limit):
    """Return the longest beginning of valid UTF-8 with at most ``limit`` bytes and only whole characters.

    A log line may be limited to 200 bytes, and a database column to 255. This function shortens a text to such a limit
    without cutting a character. It has been in use for months: its result can always be decoded and is never too long.
    But now a user has complained. Find the bug and repair it. Published programs have had the same one.

    * **In:** `data` (bytes), valid UTF-8; `limit`, an integer of 0 or more, which may be greater than the length of
      `data`.
    * **Out:** the *longest* beginning of `data` that has at most `limit` bytes and does not cut a character.

    The euro sign is `e2 82 ac`, so `5 €` is five bytes long:

    | data | limit | answer |
    |---|---|---|
    | `35 20 e2 82 ac` | 4 | `35 20` |
    | `35 20 e2 82 ac` | 5 | `35 20 e2 82 ac` |

    Tried: limits inside characters of two, three and four bytes, between two characters, at the end and beyond it, a
    limit of 0, and empty data.
    """
    end = min(limit, len(data))
    ### BEGIN SOLUTION
    while end < len(data) and data[end] & 0b11000000 == 0b10000000:  # the cut is inside a character
        end -= 1
    ### INSTEAD
    # while end > 0 and data[end - 1] & 0b11000000 == 0b10000000:
    #     end = end - 1
    # if end > 0 and data[end - 1] & 0b11000000 == 0b11000000:
    #     end = end - 1
    ### END SOLUTION
    return data[:end]


def cases(random):
    yield "empty input", b"", 0
    yield "empty input", b"", random.randrange(1, 5)
    for length in range(1, 9):
        text = draw_text(random, length)
        data = text.encode("utf-8")
        yield "a limit between two characters", data, len(text[: random.randrange(length)].encode("utf-8"))
        yield "a limit beyond the end", data, len(data) + random.randrange(1, 4)
        yield "a limit at the very end", data, len(data)
        yield "a limit of 0", data, 0
        for size in (2, 3, 4):
            before, behind = (draw_text(random, random.randrange(length)).encode("utf-8") for _ in range(2))
            inside = len(before) + random.randrange(1, size)
            data = before + draw_text(random, 1, str(size)).encode("utf-8") + behind
            yield f"a limit inside a character of {size} bytes", data, inside


KEEPS_THE_LEAD = ("end < len(data) and data[end] ", "end > 0 and data[end - 1] ")

EXERCISE = Exercise(
    "01.cut_before",
    "Never cut a character",
    "repair",
    answer=cut_before,
    hints=(
        "The result is always valid UTF-8. So ask the other question: is it as long as it could be?",
        "Lesson 01, section 4, where you look for the byte with which the last character begins. Here you know which "
        "byte comes next.",
        "A cut is clean when a character begins right after it. Look at the first byte that is left out; as long as "
        "it is in the middle of a character, cut one byte earlier.",
    ),
    shown=(
        ("a limit inside a character of 3 bytes", b"5 \xe2\x82\xac", 4),
        ("a limit at the very end", b"5 \xe2\x82\xac", 5),
        ("a limit between two characters", "né".encode() + b"e", 3),
        ("a limit inside a character of 4 bytes", "👋".encode(), 3),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "cuts-through",
            "You keep every byte below the limit, and with them a part of a character.",
            like=lambda data, limit: data[:limit],
        ),
        Mistake(
            "one-step-back",
            "You go back by at most one byte. In a character of three bytes that may not be enough.",
            like=("while", "if"),
        ),
        Mistake(
            "two-steps-back",
            "You go back by at most two bytes. The longest characters have three bytes after the first.",
            like=("while ", "while end > limit - 2 and "),
        ),
        Mistake(
            "goes-forward",
            "Your answer is longer than the limit, so it no longer fits its column.",
            like=("end -= 1", "end += 1"),
        ),
        Mistake(
            "repaired-at-the-end-only",
            "A lead byte just before the limit is not always cut: how many bytes does it announce, and how many are "
            "there?",
            like=(
                KEEPS_THE_LEAD,
                ("data[:end]", "data if limit >= len(data) else data[: end - (end > 0 and data[end - 1] >= 0xC0)]"),
            ),
        ),
        Mistake(
            "leaves-the-lead",
            "Your answer ends with the first byte of a character whose other bytes are gone.",
            like=KEEPS_THE_LEAD,
        ),
        Mistake(
            "counts-characters",
            "The limit is a number of bytes. You use it as a number of characters.",
            like=lambda data, limit: data.decode("utf-8")[:limit].encode("utf-8"),
        ),
        Mistake(
            "puts-diamonds",
            "Your answer has a replacement character that was not in the data. Leave the broken character out.",
            like=lambda data, limit: data[:limit].decode("utf-8", "replace").encode("utf-8"),
        ),
        Mistake(
            "looks-past-the-end",
            "There is no byte after the last one: test for the end before you look.",
            when=lambda case, outcome, wanted: outcome.error == "IndexError" and case.args[1] >= len(case.args[0]) > 0,
        ),
    ),
)
