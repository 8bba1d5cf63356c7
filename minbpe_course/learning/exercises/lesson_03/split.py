"""Exercise 03.split: pre-tokenize a text with a pattern."""

import regex

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_03.samples import ENDINGS, SIGNS, WORDS
from minbpe_course.learning.exercises.lesson_03.splitters import by_pattern
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN


def split(text, pattern):
    r"""Return the words that a pattern finds in a text. Raise ValueError if text is lost.

    Pre-tokenization must not lose anything: the words, concatenated, must equal the text. Return the matches from left
    to right. If they don't add up to the text, raise a `ValueError`, so that a pattern with a gap is noticed at once.

    * **In:** `text`, a str; `pattern`, a pattern for the `regex` module, which never matches the empty string.
    * **Out:** a list of str.

    | call | result |
    |---|---|
    | `split("I saw", r"\p{L}+\|[^\p{L}]")` | `['I', ' ', 'saw']` |
    | `split("I saw", r"\p{L}+")` | `ValueError`: the space is lost |
    | `split("no no", r"(n)o\|\s")` | `['no', ' ', 'no']` |

    Tried: patterns that match everything, patterns that lose text at the beginning, in the middle or at the end,
    patterns with groups in parentheses, the published patterns, and the empty text.
    """
    words = [found.group() for found in regex.finditer(pattern, text)]
    if "".join(words) != text:
        raise ValueError(f"the pattern {pattern} loses some of the text")
    return words


def step_by_step(text, pattern):
    """Match at one position after the other, and stop at the first where nothing matches."""
    words, at = [], 0
    while at < len(text):
        found = regex.compile(pattern).match(text, at)
        if not found:
            raise ValueError(f"nothing matches at {at}")
        words.append(found.group())
        at = found.end()
    return words


def silently(text, pattern):
    return by_pattern(pattern)(text)


def keeps_the_rest(text, pattern):
    words, at = [], 0
    for found in regex.finditer(pattern, text):
        words += [text[at : found.start()], found.group()]
        at = found.end()
    return [word for word in [*words, text[at:]] if word]


def by_findall(text, pattern):
    words = regex.findall(pattern, text)
    if "".join(words) != text:
        raise ValueError(f"the pattern {pattern} loses some of the text")
    return words


def without_whitespace(text, pattern):
    words = by_pattern(pattern)(text)
    if "".join(words).split() != text.split():
        raise ValueError(f"the pattern {pattern} loses some of the text")
    return words


def as_whole_words(text, pattern):
    words = by_pattern(pattern)(text)
    if sum(map(len, words)) != len(text):
        return []
    return words


def stops_at_the_last_match(text, pattern):
    found = list(regex.finditer(pattern, text))
    end = found[-1].end() if found else 0
    words = [one.group() for one in found]
    if "".join(words) != text[:end]:
        raise ValueError(f"the pattern {pattern} loses some of the text")
    return words


WHOLE = (r"\p{L}+|[^\p{L}]", r" ?\w+|\W", r"\s+|\S+", r"\p{N}{1,3}|\P{N}+", r"[\s\S]")
GROUPS = (r"(\p{L})+|([^\p{L}])", r"(\s|\S)", r"(?P<word> ?\w+)|\W", r"(\w)\w*|(\W)")
ONE_GROUP = (r"( )?\p{L}+|[^\p{L}]", r"(\w)\w*|\W", r"(n)o|[\s\S]")
GAPS = (r"\p{L}+", r"\w+| ", r"\S+|.", r" ?\p{L}+|\p{N}+", r"[^\s]+")
PUBLISHED = (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN)


def cases(random):
    yield "the empty text", "", r"\p{L}+"
    yield "a pattern that loses the end", "no!", r"\p{L}+"
    yield "a pattern that loses the beginning", "\nno", r"\p{L}+"
    yield "a pattern that loses everything", "...", r"\p{L}+"
    parts = (*WORDS, *SIGNS, *ENDINGS, " no", "7", "1234", " ", "  ", "\n", "\t")
    for size in (1, 2, 3, 4, 6, 8, 12, 16):
        text = "".join(random.choices(parts, k=size))
        yield "a pattern that matches everything", text, random.choice(WHOLE)
        yield "a pattern with one group", text, random.choice(ONE_GROUP)
        yield "a pattern with groups", text, random.choice(GROUPS)
        yield "a published pattern", text, random.choice(PUBLISHED)
        yield "a pattern that loses some text", f"a{text}\nb", random.choice(GAPS)
        yield "a pattern that loses whitespace", f"a{text} b", r"\S+"
        yield "a pattern that loses the end", "no" * size + random.choice("!?. \n"), random.choice((r"\p{L}+", r"\w\w"))


EXERCISE = Exercise(
    "03.split",
    "Split a text",
    "write",
    answer=split,
    difficulty=2,
    minutes=6,
    hints=(
        "Two things: collect the matches, then compare them, joined, with the text. Which function of `regex` gives "
        "whole matches, even if the pattern has groups?",
        "Lesson 03, section 2: what `findall` drops there is what your function has to notice.",
        "collect found.group() for each found in regex.finditer(pattern, text); if the words joined are not the text, "
        "raise ValueError; return the words",
    ),
    wanted=step_by_step,
    shown=(
        ("a pattern that matches everything", "I saw", r"\p{L}+|[^\p{L}]"),
        ("a pattern that loses some text", "I saw", r"\p{L}+"),
        ("a pattern with one group", "no no", r"(n)o|\s"),
        ("the empty text", "", r"\p{L}+"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "loses-silently",
            "The words are right, but where the pattern loses text you say nothing. Join the words, compare them with "
            "the text, and raise a `ValueError` if they differ.",
            like=silently,
        ),
        Mistake(
            "returns-groups",
            "If a pattern has a group in parentheses, `findall` returns the text of the group, not the match. "
            "`regex.finditer` yields match objects, and `found.group()` is always the whole match.",
            like=by_findall,
        ),
        Mistake(
            "returns-groups-silently",
            "Two things are missing. `findall` silently drops what the pattern doesn't match. And if the pattern has a "
            "group in parentheses, it returns the text of the group: use `regex.finditer` and `found.group()`.",
            like=lambda text, pattern: regex.findall(pattern, text),
        ),
        Mistake(
            "keeps-the-rest",
            "You made words of what the pattern doesn't match. That saves the text, but hides a pattern with a gap. "
            "Here such a pattern is an error: raise a `ValueError`.",
            like=keeps_the_rest,
        ),
        Mistake(
            "forgives-whitespace",
            "Lost whitespace is lost text, too. Compare the words, joined, with the text itself.",
            like=without_whitespace,
        ),
        Mistake(
            "forgives-the-end",
            "You don't notice what is lost after the last match. Compare the words, joined, with the whole text.",
            like=stops_at_the_last_match,
        ),
        Mistake(
            "returns-nothing-for-a-gap",
            "An empty list for a pattern that loses text looks like an empty text. Raise a `ValueError` instead.",
            like=as_whole_words,
        ),
        Mistake(
            "raises-another-error",
            "You notice the lost text, but raise another error. Write `raise ValueError(...)`: an `assert` raises an "
            "AssertionError, and Python drops it with -O.",
            when=lambda case, outcome, wanted: outcome.error in ("AssertionError", "Exception", "RuntimeError"),
            like=("raise ValueError", "raise AssertionError"),
        ),
        Mistake(
            "ignores-the-pattern",
            "`str.split` knows nothing of your pattern, and throws the whitespace away. Use `regex`.",
            like=lambda text, pattern: text.split(),
        ),
    ),
    packages=("regex",),
)
