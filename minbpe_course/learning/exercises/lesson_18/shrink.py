"""Exercise 18.shrink: a failing text made small. Large parts go first, then smaller ones, then single letters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited

MERGES = ["ac", "aa", "acb", "aaa", "acc", "ba", "caa"]  # the oldest first


def merged(text):
    """Split the text as byte pair encoding does."""
    parts = list(text)
    for token in MERGES:
        at = 0
        while at + 1 < len(parts):
            if parts[at] + parts[at + 1] == token:
                parts[at : at + 2] = [token]
            at += 1
    return parts


def longest(text):
    """Split the text by cutting off the longest token, again and again."""
    parts = []
    while text:
        size = max(size for size in range(1, 4) if size == 1 or text[:size] in MERGES)
        parts.append(text[:size])
        text = text[size:]
    return parts


def is_wrong(text):
    """Return whether taking the longest token first makes more parts."""
    return len(longest(text)) > len(merged(text))


def shrink(text):
    """Return a small text that is still wrong.

    Below are two ways to split a text with the same seven tokens. `is_wrong` tells you whether the second way makes
    more parts than the first. You get a text for which it does, and return a small one.

    Follow exactly these steps, so that everyone reaches the same result:

    1. Begin with chunks of half the length of the text (rounded down).
    2. Go through the text from its beginning. Remove the chunk at the current position. If the rest is still wrong,
       keep the rest and stay at this position; otherwise put the chunk back and advance by one chunk. The last chunk
       may be shorter.
    3. At the end of the text, halve the size of the chunks (rounded down) and begin again with step 2.
    4. When the size is 1, repeat step 2 until a whole round removes nothing.

    * **In:** `text`, a str of the letters a, b and c.
    * **Out:** a str; the text itself if nothing is wrong with it.

    `shrink("ccbacbb")` is `"bac"`.
    """
    if not is_wrong(text):
        return text
    stretch = len(text) // 2
    while stretch > 0:
        start, before = 0, text
        while start < len(text):
            rest = text[:start] + text[start + stretch :]
            if is_wrong(rest):
                text = rest
            else:
                start += stretch
        if stretch > 1 or text == before:
            stretch //= 2
    return text


RIGHT, SHORT, LONG = "texts on which nothing is wrong", "short texts", "long texts"
OUR_MERGES = ("ac", "aa", "acb", "aaa", "acc", "ba", "caa")  # the oldest first


def reference_merged(text: str) -> list[str]:
    """Cut as byte pair encoding does: one merge after the other, the oldest first.

    >>> merged("bac")
    ['b', 'ac']
    """
    parts = list(text)
    for token in OUR_MERGES:
        at = 0
        while at + 1 < len(parts):
            if parts[at] + parts[at + 1] == token:
                parts[at : at + 2] = [token]
            at += 1
    return parts


def reference_longest(text: str) -> list[str]:
    """Cut off the longest token until nothing is left.

    >>> longest("bac")
    ['ba', 'c']
    """
    parts = []
    while text:
        size = max(size for size in range(1, 4) if size == 1 or text[:size] in OUR_MERGES)
        parts.append(text[:size])
        text = text[size:]
    return parts


@lru_cache(maxsize=4096)
def reference_is_wrong(text: str) -> bool:
    """Tell whether taking the longest token first gives more parts than byte pair encoding."""
    return len(reference_longest(text)) > len(reference_merged(text))


def reference_shrink(text: str) -> str:
    """Return the part of a failing text from which nothing more can be removed.

    >>> shrink("ccbacbb")
    'bacb'
    """
    size = len(text) // 2 if reference_is_wrong(text) else 0
    while size:
        at, gone = 0, False
        while at < len(text):
            shorter = text[:at] + text[at + size :]
            if reference_is_wrong(shorter):
                text, gone = shorter, True
            else:
                at += size
        size = size // 2 if size > 1 else int(gone)
    return text


moves_on = edited(reference_shrink, ("            else:\n                at += size", "            at += size"))
once = edited(reference_shrink, (" if size > 1 else int(gone)", ""))
letters_only = edited(
    reference_shrink, ("len(text) // 2 if reference_is_wrong(text) else 0", "int(reference_is_wrong(text))")
)
starts_again = edited(reference_shrink, ("text, gone = shorter, True", "text, gone, at = shorter, True, 0"))
whole_parts_only = edited(reference_shrink, ("while at < len(text)", "while at + size <= len(text)"))
rounded_up = edited(reference_shrink, ("len(text) // 2", "(len(text) + 1) // 2"), ("size // 2", "(size + 1) // 2"))
without_looking = edited(reference_shrink, (" if reference_is_wrong(text) else 0", ""))


def shrink_cases(dice: Random) -> Iterator[Case]:
    """Yield texts on which different orders of cutting give different results."""
    for text in ("", "cc", "abc", "acac"):
        if not reference_is_wrong(text):
            yield Case(RIGHT, (text,))
    for length in range(6, 14):
        text = ""
        while reference_is_wrong(text) or without_looking(text) == text:
            text = "".join(dice.choices("abc", k=length))
        yield Case(RIGHT, (text,))
    for text in _TELLING:
        yield Case(SHORT, (text,))
    yield Case(LONG, (_AGAIN,))
    ways = (moves_on, once, letters_only, letters_only)
    for number in range(16):
        length, way = 7 + number if number < 8 else 12 + 3 * number, ways[number % 4]
        text = ""
        for _ in range(400):
            text = "".join(dice.choices("abc", k=length))
            if reference_is_wrong(text) and way(text) != reference_shrink(text):
                break
        yield Case(SHORT if number < 8 else LONG, (text,))


# On each of these one known mistake has an answer that no other has; on the last, only who repeats all sizes fails.
_TELLING = ("baccab", "aacbca", "aabacb", "aacbba", "aaaaacb", "aaaaaccab", "aacbacaccc")
_AGAIN = "ababaacacbbbaacaaaccaacc"


EXERCISE = Exercise(
    key="18.shrink",
    answer=shrink,
    given=("MERGES", "longest", "merged"),
    title="The smallest counterexample",
    kind="match",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "After you remove a part, which text is at its position? And after you have removed the last "
        "letter you can, can anything else go?",
        "size = half the length; at = 0; while `at` is inside the text: if the text without `size` "
        "characters from there is still wrong, keep that text and stay, else advance by `size`; then "
        "halve the size; with size 1, repeat as long as a round removes something",
        "Lesson 18, on its rules: it cuts a failing text down, part by part.",
    ),
    wanted=reference_shrink,
    shown=(Case(SHORT, ("bac",)), Case(SHORT, ("ccbacbb",)), Case(RIGHT, ("cc",))),
    drawn=shrink_cases,
    mistakes=(
        Mistake("moves-on", "After you remove a part, the next one has moved to its place. Stay there.", like=moves_on),
        Mistake(
            "starts-again",
            "After you remove a part, stay where you are. From the front again, other letters go.",
            like=starts_again,
        ),
        Mistake(
            "rounded-up",
            "Half of an odd number is rounded down here. Rounded up, you try other parts.",
            like=rounded_up,
        ),
        Mistake(
            "whole-parts-only",
            "The last part of the text may be shorter than the others. It is tried as well.",
            like=whole_parts_only,
        ),
        Mistake(
            "once",
            "A letter that had to stay may be removable once a later one has gone. With single letters, repeat "
            "until a whole round removes nothing.",
            like=once,
        ),
        Mistake(
            "letters-only",
            "Begin with large chunks: single letters take forever on a million characters, and you may "
            "end up with another text.",
            like=letters_only,
        ),
        Mistake(
            "without-looking",
            "Nothing is wrong with this text, only with a part of it: check the whole text first.",
            like=without_looking,
        ),
        Mistake(
            "shrinks-the-right",
            "Nothing is wrong with this text, so there is nothing to make smaller: return it unchanged.",
            like=edited(
                reference_shrink,
                ("len(text) // 2 if is_wrong(text) else 0", "len(text) // 2\n    wrong = is_wrong(text)"),
                ("if is_wrong(shorter)", "if is_wrong(shorter) == wrong"),
            ),
        ),
    ),
)
