"""Exercise 03.split_words: split into the matches of a pattern and the text between them."""

import regex

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_03.samples import ENDINGS, SIGNS, WORDS
from minbpe_course.learning.exercises.lesson_03.splitters import by_pattern
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN


def split_words(text, pattern):
    r"""Split text into the matches of pattern and the text between them.

    `regex.findall` keeps the matches and silently drops everything else. A tokenizer built on it loses text as soon as
    its pattern has a gap. Write a splitter that cannot lose any: **the text between two matches is a separate word**,
    and so is the text before the first match or after the last one.

    * **In:** `text`, a str, and `pattern`, any pattern for the `regex` module.
    * **Out:** a list of str. No word is empty, and joined, the words are the text.
    * Ignore empty matches: they are not words, and they don't split anything.

    | call | words |
    |---|---|
    | `split_words("Hello  world!\n", r"\p{L}+")` | `['Hello', '  ', 'world', '!\n']` |
    | `split_words("ab, c", r"\p{L}*")` | `['ab', ', ', 'c']` |
    | `split_words("ab 12", r"(\p{L})\p{L}*")` | `['ab', ' 12']` |

    Tried: patterns that match everything, a little, or nothing; patterns with groups in parentheses; patterns that can
    match the empty string; the published patterns; and the empty text.
    """
    words, at = [], 0
    for match in regex.finditer(pattern, text):
        start, end = match.span()
        if start < end:
            words += [text[at:start], text[start:end]]
            at = end
    return [word for word in [*words, text[at:]] if word]


PATTERNS = {
    "a simple pattern": (r"\p{L}+", r"\s+", r"\p{N}{1,3}", r" ?\p{L}+", r"[^\s]+", r"."),
    "a pattern with groups": (r"(\p{L})\p{L}*", r"(\p{L})(\p{N})?", r"(a|b)+|\p{N}", r"(\s)\1", r"((\p{L}+) )|\p{N}+"),
    "a pattern that can match nothing": (r"\p{L}*", r"\p{N}*", r"\b", r"(?=a)", r"\s?|\p{L}", r"$"),
    "a published pattern": (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN),
    "a pattern that matches little": (r"zz", r"€+", r"7", r",\s"),
}


def cases(random):
    yield "the empty text", "", r"\p{L}+"
    plain = ("a", "b", "1", "22", "7 ", "  ", ", ")  # for the smallest cases, which learners see
    parts = (*plain, *WORDS, *SIGNS, *ENDINGS, "\n", "\r\n", "\t", "e\u0301", "हि")
    for size in (1, 2, 3, 4, 6, 8, 12, 16, 24):
        for category, patterns in PATTERNS.items():
            yield category, "".join(random.choices(parts if size > 3 else plain, k=size)), random.choice(patterns)
    yield "half a surrogate pair", "a\ud83d b" * random.randint(1, 3), r"\p{L}+"


EXERCISE = Exercise(
    "03.split_words",
    "Split, and lose nothing",
    "write",
    answer=split_words,
    minutes=15,
    hints=(
        "`regex.finditer` returns where each match begins and ends. What is between the end of one match and the "
        "beginning of the next?",
        "Lesson 03, on splitting without losing anything: keep the text that the pattern left out.",
        "at = 0; for each match that is not empty: keep text[at:start] unless it is empty, keep the match, at = end; "
        "then keep text[at:] unless it is empty",
    ),
    shown=(
        ("a simple pattern", "Hello  world!\n", r"\p{L}+"),
        ("a pattern with groups", "ab 12", r"(\p{L})\p{L}*|(\p{N})"),
        ("a pattern that can match nothing", "ab, c", r"\p{L}*"),
        ("the empty text", "", r"\p{L}+"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "returns-groups",
            "findall drops the text between two matches; and for a pattern with a group in parentheses it returns the "
            "text of the group, not the match.",
            like=lambda text, pattern: regex.findall(pattern, text),
        ),
        Mistake(
            "leaves-out-the-rest",
            "You return only the matches. The text between two matches has to be a word, too.",
            like=lambda text, pattern: [*filter(None, by_pattern(pattern)(text))],
        ),
        Mistake(
            "forgets-the-end",
            "The text after the last match is missing; and where nothing matches, that is the whole text.",
            like=("[*words, text[at:]]", "words"),
        ),
        Mistake(
            "cuts-at-empty-matches",
            "An empty match is not a word and must not cut: the text between two real matches stays whole.",
            like=("start < end", "True"),
        ),
        Mistake(
            "repeats-groups",
            "With parentheses around the pattern, regex.split returns the matches, but also the text of every other "
            "group.",
            like=lambda text, pattern: [word for word in regex.split(f"({pattern})", text) if word],
        ),
        Mistake(
            "keeps-empty-words",
            "Some of your words are empty. Between two adjacent matches there is nothing.",
            like=(("start < end", "True"), (" if word]", "]")),
        ),
        Mistake(
            "gaps-in-characters",
            "You split the text between two matches into single characters. It is one word, however long.",
            like=lambda text, pattern: [*filter(None, by_pattern(rf"{pattern}|[\s\S]")(text))],
        ),
    ),
    packages=("regex",),
)
