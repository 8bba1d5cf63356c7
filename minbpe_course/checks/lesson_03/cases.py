r"""The texts on which the exercises of lesson 03 are tried, drawn at random, shortest first.

Only characters whose class has not changed for many years are drawn, so that every Python and every ``regex`` agrees
about them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from minbpe_course.checks.exercise import Case
from minbpe_course.text.patterns import CL100K_PATTERN, GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN

DIGITS = "0123456789"
WORDS = ("We", " saw", " three", " dogs", "the", " cat", " né", " Ärger", "дом", " 中文", " x", "I")
SIGNS = (".", ",", "!", "?", " (", ")", " =", " -", "…", " €", "¡", "😀")
ENDINGS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


def _by_category(random: Random, kinds: Mapping[str, Sequence[str]], sizes: Sequence[int]) -> Iterator[Case]:
    """Yield a case of each category for each size: so many parts of its kind, one after the other."""
    # Each kind is dealt like a pack of cards: with more draws than parts, every part occurs.
    packs = {kind: itertools.cycle(random.sample(parts, len(parts))) for kind, parts in kinds.items()}
    for size in sizes:
        for category, pack in packs.items():
            yield Case(category, ("".join(itertools.islice(pack, size)),))


def _number(random: Random, length: int) -> str:
    return "".join(random.choice(DIGITS) for _ in range(length))


def digit_cases(random: Random) -> Iterator[Case]:
    """Numbers of every length, alone and among other signs, and digits of other scripts.

    >>> len(next(digit_cases(Random(0))).args[0])
    1
    """
    for length in range(1, 4):
        yield Case("a number of up to three digits", (_number(random, length),))
    for length in range(4, 14):
        yield Case("a long number", (_number(random, length),))
    other = ("½", "²", "Ⅷ", "٣", "٠", "७", "९", "೨", "１", "𝟗", "7")
    for length in range(1, 8):
        yield Case("numbers that are not 0 to 9", ("".join(random.choice(other) for _ in range(length)),))
    for parts in range(2, 9):
        joined = random.choice([".", ",", "-", " ", "\n", "e", " × "])
        yield Case("several numbers", (joined.join(_number(random, random.randint(1, 8)) for _ in range(parts)),))
    for parts in range(2, 9):
        text = "".join(random.choice([*WORDS, *SIGNS, *ENDINGS, "\n", "  ", _number(random, 5)]) for _ in range(parts))
        yield Case("numbers among words", (text,))


PATTERNS = {
    "a simple pattern": (r"\p{L}+", r"\s+", r"\p{N}{1,3}", r" ?\p{L}+", r"[^\s]+", r"."),
    "a pattern with groups": (r"(\p{L})\p{L}*", r"(\p{L})(\p{N})?", r"(a|b)+|\p{N}", r"(\s)\1", r"((\p{L}+) )|\p{N}+"),
    "a pattern that can match nothing": (r"\p{L}*", r"\p{N}*", r"\b", r"(?=a)", r"\s?|\p{L}", r"$"),
    "a published pattern": (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, O200K_PATTERN),
    "a pattern that matches little": (r"zz", r"€+", r"7", r"\r\n"),
}


def split_cases(random: Random) -> Iterator[Case]:
    """Texts with patterns that match them whole, in part, or not at all.

    >>> next(split_cases(Random(0))).args[0]
    ''
    """
    yield Case("the empty text", ("", r"\p{L}+"))
    parts = (*WORDS, *SIGNS, *ENDINGS, "a", "b", "1", "22", "7 ", "\n", "\r\n", "  ", "\t", "e\u0301", "हि")
    for size in (1, 2, 3, 4, 6, 8, 12, 16, 24):
        for category, patterns in PATTERNS.items():
            text = "".join(random.choice(parts) for _ in range(size))
            yield Case(category, (text, random.choice(patterns)))
    yield Case("half a surrogate pair", ("a\ud83d b" * random.randint(1, 3), r"\p{L}+"))


# Pairs that somebody took for the same, or that a later tokenizer changed, and three characters to try.
REST = r"| ?[^\s\p{L}\p{N}]+|\s+"
PAIRS = {
    "numbers": (rf"\p{{N}}{{1,3}}|\p{{L}}+{REST}", rf"\p{{N}}{{1,2}}|\p{{L}}+{REST}", "a01"),
    "contractions": (GPT2_SPLIT_PATTERN, GPT2_SPLIT_PATTERN.replace("'(?:", "'(?i:"), "Ss'"),
    "what may stand before letters": (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, "a( "),
    "line breaks": (GPT4_SPLIT_PATTERN, GPT4_SPLIT_PATTERN.replace(r"|\s*[\r\n]", ""), "a \n"),
    "white space": (GPT2_SPLIT_PATTERN, GPT2_SPLIT_PATTERN.replace(r"\s+(?!\S)|", ""), " \ta"),
    "the end of the text": (GPT4_SPLIT_PATTERN, CL100K_PATTERN, "\na "),
    "marks": (r"\p{L}+|[^\p{L}]+", r"[\p{L}\p{M}]+|[^\p{L}\p{M}]+", "नि "),
    "case": (GPT4_SPLIT_PATTERN, O200K_PATTERN, "bB'"),
    "groups from the left and from the right": (
        r"\p{N}{1,2}|\s",
        r"\p{N}{1,2}(?=(?:\p{N}{2})*(?!\p{N}))|\s",
        "01 ",
    ),
    "order of the alternatives": (r"a|aa|b|\s", r"aa|a|b|\s", "b a"),
    "no difference": (GPT4_SPLIT_PATTERN, GPT4_SPLIT_PATTERN.replace("++", "+").replace("?+", "?"), "a!\n"),
    "a difference that needs a long text": (r"\s+|\p{L}{1,3}", r"\s+|\p{L}{1,4}", "y x"),
    "a difference in one character": (r"\d|\p{L}", r"\p{N}|\p{L}", "x½"),
    "a pattern that can match nothing": (r"\p{L}*|\s", r"\p{L}+|\s", "x "),
}


def pair_cases(random: Random) -> Iterator[Case]:
    """Two patterns, some characters in any order, and how long a text may get.

    >>> next(pair_cases(Random(0))).args[3]
    1
    """
    for longest in (1, 2, 3, 4):
        for category, (one, other, alphabet) in PAIRS.items():
            characters = "".join(random.sample(alphabet, len(alphabet)))
            yield Case(category, (*random.sample([one, other], 2), characters, longest))


SCRIPTS = {
    "Hindi": ("हिन्दी", " सुबह", " बारिश", " हुई", "क़", " नमस्ते", " में", "१२३४", "।"),
    "Thai, Tamil and Burmese": ("ภาษาไทย", "วันนี้", " ๆ", "தமிழ்", " மொழி", "မြန်မာ", " ကျေးဇူး", "๑๒"),
    "Hebrew and Arabic with vowel points": ("שָׁלוֹם", " בֹּקֶר", "مَرْحَبًا", " كِتَابٌ", "٣", "،", " "),
    "letters that modify others": ("コーヒー", "々", "人々", "ʻokina", " Hawaiʻi", "tʰ", " ʰʷ", "スーパー", "ゝ"),
    "accents of their own": ("e\u0301", "te\u0301", " n\u0303o", "A\u030angstro\u0308m", "Vie\u0323\u0302t", "o\u0302"),
    "marks that enclose": ("a\u20dd", "1\ufe0f\u20e3", " \u0488", "б\u0489", "⚠\ufe0f", "❤\ufe0f", "x\u20e0"),
    "marks without a letter": (" \u0301", "!\u0301", "\n\u0301", "1\u0301", "\u0301", "  \u093f", "\u0e31"),
    "no marks at all": ("We", " saw", " 3", "1234", "!!", " ?\n", "\n\n", "  ", "\t", "don't", "'", "中文", "Ǆ"),
}


def mark_cases(random: Random) -> Iterator[Case]:
    """Words of several scripts, and marks in odd places.

    >>> next(mark_cases(Random(0))).category
    'no marks at all'
    """
    for text in ("3!!", " 3!", "a  ", "  a", " a ", " ", "   ", "\t ", "!  !"):
        yield Case("no marks at all", (text,))
    yield from _by_category(random, SCRIPTS, (1, 2, 3, 4, 6, 9, 14))


HOSTILE = {
    "contractions": (*ENDINGS, "don't", "We're", "it's", "'tis", "'", "I'llama", "'three'", " 'd", "’t", "s'", "''s"),
    "contractions in capitals": ("DON'T", "'S", "'Ll", "I'LL", "'RE", "'vE", "'M", "X'", "'D", "IT'S", "'T"),
    "the long s": ("'ſo", "it'ſ", "x'ſy", "'s", "daſs", " 'ſt", "’ſ", "ſ's"),
    "numbers": ("1", "12", "123", "1234", " 7", "½", "٣٤", "Ⅷ", "3.14", "x 1", "1x", " 99999", "²"),
    "a character before letters": ("(self", "_name", "\tx", " a", "  a", "$x", "€uro", "(_", ".a.b", "¡A", "\xa0b"),
    "signs": ("!!", " ==", "):", "...", " (", "->", "😀", "👩\u200d💻", "§", " --", "a", "!\n", "?\r\n\n", " ;\n "),
    "white space before a word": (" ", "  ", "\t", "   a", "a", " b", "\t\tc", "\xa0", "\u3000d", "1", "  !", " \t"),
    "a line break before letters": ("\na", "\r\nb", "x\n", "\ny", "(\nz", "\r", "c", "\r'll", "1\nm"),
    "line breaks in white space": ("\n", "\r", "\r\n", " \n", "\n ", "\n\n", "a", " ", "\t\n", "  b", "\n  c", "!"),
    "rare white space": ("\x0b", "\x0c", "\x85", "\u2028", "\u1680", "\u2003", "\u3000", " ", "a", "\n", "\x1c"),
    "letters of many scripts and marks": ("né", "e\u0301", "中文", "हिन्दी", "дом", " ไทย", "ʰ", "ǅ", "שָׁ", "한", "İ"),
    "what is no character": ("\ud83d", "\udbff", "\ufeff", "\u200b", "\x00", "\ufffd", "\U000f0000", "a", " ", "\x7f"),
}  # fmt: skip


def hostile_cases(random: Random) -> Iterator[Case]:
    """Texts that tell GPT-4's scanner from everything that is nearly like it.

    >>> next(hostile_cases(Random(0))).args
    ('',)
    """
    yield Case("the empty text", ("",))
    # Whatever the seed: every ending with a letter behind it, and the same letters without an apostrophe.
    for ending in ENDINGS:
        yield Case("contractions", (f"{ending}x",))
        yield Case("contractions in capitals", (f"{ending}x".upper(),))
        yield Case("contractions", (f"x {ending[1:]}x",))
    yield from _by_category(random, HOSTILE, (1, 2, 3, 5, 8))
    everything = tuple(part for parts in HOSTILE.values() for part in parts)
    yield from _by_category(random, {"everything at once": everything}, (4, 8, 12, 16, 20, 24, 28, 32))
