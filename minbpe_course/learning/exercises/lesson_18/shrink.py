"""Exercise 18.shrink: a failing text made small. Large parts go first, then smaller ones, then single letters."""

from minbpe_course.learning import Exercise, Mistake, edited

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

    Below are two ways to split a text with the same seven tokens, and `is_wrong` tells you whether `longest` makes more
    parts than `merged`. You get a text. If it is wrong, return a small text that is still wrong; if not, return it as
    it is.

    Follow exactly these steps, so that everyone reaches the same result:

    1. Begin with chunks of half the length of the text (rounded down).
    2. Go through the text from its beginning. Remove the chunk at the current position. If the rest is still wrong,
       keep the rest and stay at this position; otherwise put the chunk back and advance by one chunk. The last chunk
       may be shorter.
    3. At the end of the text, halve the size of the chunks (rounded down) and begin again with step 2.
    4. When the size is 1, repeat step 2 until going through the whole text removes nothing.

    * **In:** `text`, a str of the letters a, b and c.
    * **Out:** a str.

    `shrink("ccbacbb")` is `"bacb"`: of the chunks of three, only the last `b` can go, and then two single letters.
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


RIGHT, SHORT = "texts on which nothing is wrong", "short texts"
moves_on = edited(shrink, ("            else:\n                start", "            start"))
once = edited(shrink, ("if stretch > 1 or text == before", "if True"))
letters_only = edited(shrink, ("len(text) // 2", "1"))
without_looking = edited(shrink, ("if not is_wrong(text):\n        return text", ""))


def shrink_cases(dice):
    """Yield texts on which different orders of cutting give different results."""
    for text in ("", "cc", "abc", "acac"):
        yield RIGHT, text
    for length in range(6, 14):
        text = ""
        while is_wrong(text) or without_looking(text) == text:
            text = "".join(dice.choices("abc", k=length))
        yield RIGHT, text
    # On each of these one known mistake has an answer that no other has; on the last, only who repeats all sizes fails.
    for text in ["baccab", "aacbca", "aabacb", "aacbba", "aaaaacb", "aaaaaccab", "aacbacaccc"]:
        yield SHORT, text
    yield "long texts", "ababaacacbbbaacaaaccaacc"
    ways = (moves_on, once, letters_only, letters_only)
    for number in range(16):
        length, way = 7 + number if number < 8 else 12 + 3 * number, ways[number % 4]
        text = ""
        for _ in range(400):
            text = "".join(dice.choices("abc", k=length))
            if is_wrong(text) and way(text) != shrink(text):
                break
        yield SHORT if number < 8 else "long texts", text


EXERCISE = Exercise(
    "18.shrink",
    "A small counterexample",
    "match",
    answer=shrink,
    given=("MERGES", "longest", "merged"),
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "After you remove a part, which text is at its position? And after you have removed the last letter you can, "
        "can anything else go?",
        "Lesson 18, on its rules: it cuts a failing text down, part by part.",
        "nothing is wrong: return the text; size = half the length; at = 0; while `at` is inside the text: if the text "
        "without `size` characters from there is still wrong, keep that text and stay, else advance by `size`; then "
        "halve the size; with size 1, repeat as long as a round removes something",
    ),
    shown=((SHORT, "ccbacbb"), (RIGHT, "bac")),
    drawn=shrink_cases,
    mistakes=(
        Mistake(
            "moves-on",
            "After you remove a part, the next one has moved to its place. Stay there.",
            like=moves_on,
        ),
        Mistake(
            "advances-by-one",
            "A chunk that has to stay is skipped as a whole: advance by its size, not by one letter.",
            like=("start += stretch", "start += 1"),
        ),
        Mistake(
            "starts-again",
            "After you remove a part, stay where you are. From the front again, other letters go.",
            like=("text = rest", "text, start = rest, 0"),
        ),
        Mistake(
            "rounded-up",
            "Half of an odd number is rounded down here. Rounded up, you try other parts.",
            like=(
                ("len(text) // 2", "(len(text) + 1) // 2"),
                ("stretch //= 2", "stretch = (stretch + 1) // 2 if stretch > 1 else 0"),
            ),
        ),
        Mistake(
            "whole-parts-only",
            "The last part of the text may be shorter than the others. It is tried as well.",
            like=("while start < len(text)", "while start + stretch <= len(text)"),
        ),
        Mistake(
            "once",
            "A letter that had to stay may be removable once a later one has gone. With single letters, repeat until a "
            "whole round removes nothing.",
            like=once,
        ),
        Mistake(
            "letters-only",
            "Begin with large chunks: single letters take forever on a million characters, and you may end up with "
            "another text.",
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
            like=(
                ("if not is_wrong(text):\n        return text", "wrong = is_wrong(text)"),
                ("if is_wrong(rest)", "if is_wrong(rest) == wrong"),
            ),
        ),
        Mistake(
            "another-small-text",
            "That is small and wrong, too, but the steps lead to another text. Follow them exactly.",
            when=lambda case, outcome, wanted: len(outcome.value) <= len(wanted) and is_wrong(outcome.value),
        ),
    ),
)
