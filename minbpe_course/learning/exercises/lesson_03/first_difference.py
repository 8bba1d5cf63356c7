"""Exercise 03.first_difference: the first text that two patterns split differently."""

import itertools

import regex

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.text.patterns import CL100K_PATTERN, GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN


def first_difference(one, other, alphabet, longest):
    """Return the first text that the two patterns split differently, or None.

    One program trains with numbers of up to three digits, and another encodes with up to two. A colleague makes a
    pattern faster and claims that it splits the same way. Reading two patterns rarely settles such a question, but a
    search does. Try *all* short texts made of a few characters, and report the first that the patterns split into
    different words.

    * **In:** two patterns, `one` and `other`; `alphabet`, a str of different characters; `longest`, an integer.
    * **Out:** the first text of 1 to `longest` characters from the alphabet for which `regex.findall` returns different
      words with `other` than with `one`, or None if there is no such text.
    * Shorter texts come first. Texts of the same length come in the order of the alphabet, with the first character
      changing slowest: over `"ba"` they are `b`, `a`, `bb`, `ba`, `ab`, `aa`, `bbb` ...

    For example, `first_difference(r"a|aa|b", r"aa|a|b", "ba", 2)` is `'aa'`, which is two words for the first pattern
    and one for the second.

    Tried: pairs of published patterns, patterns with one alternative changed or moved, and patterns that split every
    text the same way.
    """
    for length in range(1, longest + 1):
        for characters in itertools.product(alphabet, repeat=length):
            text = "".join(characters)
            if regex.findall(one, text) != regex.findall(other, text):
                return text
    return None


def depth_first(one, other, alphabet, longest, text=""):
    if text and regex.findall(one, text) != regex.findall(other, text):
        return text
    for character in alphabet * (len(text) < longest):
        if found := depth_first(one, other, alphabet, longest, text + character):
            return found
    return None


# Pairs of patterns that people take for the same, or that a later tokenizer changed, and three characters to try.
_PAIRS = {
    "contractions": (GPT2_SPLIT_PATTERN, GPT2_SPLIT_PATTERN.replace("'(?:", "'(?i:"), "Ss'"),
    "what may stand before letters": (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, "a( "),
    "whitespace": (GPT2_SPLIT_PATTERN, GPT2_SPLIT_PATTERN.replace(r"\s+(?!\S)|", ""), " \ta"),
    "the end of the text": (GPT4_SPLIT_PATTERN, CL100K_PATTERN, "\na "),
    "marks": (r"\p{L}+|[^\p{L}]+", r"[\p{L}\p{M}]+|[^\p{L}\p{M}]+", "नि "),
    "case": (GPT4_SPLIT_PATTERN, O200K_PATTERN, "bB'"),
    "groups from the left and from the right": (r"\p{N}{1,2}|\s", r"\p{N}{1,2}(?=(?:\p{N}{2})*(?!\p{N}))|\s", "01 "),
    "order of the alternatives": (r"a|aa|b|\s", r"aa|a|b|\s", "b a"),
    "no difference": (GPT4_SPLIT_PATTERN, GPT4_SPLIT_PATTERN.replace("++", "+").replace("?+", "?"), "a!\n"),
    "a difference that needs a long text": (r"\s+|\p{L}{1,3}", r"\s+|\p{L}{1,4}", "y x"),
    "a difference in one character": (r"\d|\p{L}", r"\p{N}|\p{L}", "x½"),
    "a pattern that can match nothing": (r"\p{L}*|\s", r"\p{L}+|\s", "x "),
}


def cases(random):
    for longest in (1, 2, 3, 4):
        for category, (one, other, alphabet) in _PAIRS.items():
            characters = "".join(random.sample(alphabet, len(alphabet)))
            yield category, *random.sample([one, other], 2), characters, longest


EXERCISE = Exercise(
    "03.first_difference",
    "Where do two patterns differ?",
    "write",
    answer=first_difference,
    difficulty=3,
    minutes=15,
    hints=(
        "Make every text, in the order asked for, and stop at the first one that the two patterns split differently.",
        "Lesson 03 compares its words with those of tiktoken: one line with itertools.product makes the grid of texts.",
        "for length from 1 to longest: for characters in itertools.product(alphabet, repeat=length): join them, call "
        "findall with both patterns, return the text if the lists differ; at the end return None",
    ),
    shown=(
        ("order of the alternatives", r"a|aa|b", r"aa|a|b", "ba", 2),
        ("order of the alternatives", r"a|b|ab", r"ab|a|b", "ba", 3),
        ("what may stand before letters", GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, "(a ", 3),
        ("the end of the text", GPT4_SPLIT_PATTERN, CL100K_PATTERN, "a \n", 3),
        ("no difference", r"\s|a+", r"a+|\s", "a ", 3),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "compares-counts",
            "You compare how many words there are. Two patterns can give the same number of different words.",
            like=(
                ("regex.findall(one, text)", "len(regex.findall(one, text))"),
                ("regex.findall(other, text)", "len(regex.findall(other, text))"),
            ),
        ),
        Mistake(
            "depth-first",
            "You try all texts that begin with the first character before the second one alone. All texts of one "
            "length come before any longer one.",
            like=depth_first,
        ),
        Mistake(
            "only-the-longest",
            "You return one of the longest texts. A shorter one may show the difference, and shorter ones come first.",
            like=("range(1", "range(longest"),
        ),
        Mistake(
            "stops-too-early",
            "The texts with exactly `longest` characters are missing. Where does a range end?",
            like=("longest + 1", "longest"),
        ),
        Mistake(
            "no-repeats",
            "A text may contain the same character twice: permutations and combinations leave such texts out.",
            like=("product(alphabet, repeat=", "permutations(alphabet, "),
        ),
        Mistake(
            "one-order-only",
            'Your texts have their characters in the order of the alphabet only: there is "ab", and never "ba".',
            like=("product(alphabet, repeat=", "combinations_with_replacement(alphabet, "),
        ),
        Mistake(
            "first-character-fastest",
            "Your texts come in the wrong order: check which of the characters changes fastest.",
            like=("join(characters)", "join(reversed(characters))"),
        ),
        Mistake(
            "sorted-alphabet",
            "Order texts of one length by the alphabet that you are given, not by code points.",
            like=("product(alphabet", "product(sorted(alphabet)"),
        ),
        Mistake(
            "finds-none",
            "There is a difference here, and your code finds none. Which texts does it not try, or not compare?",
            when=lambda case, outcome, wanted: outcome.state == "value" and outcome.value is None is not wanted,
        ),
    ),
    packages=("regex",),
)
