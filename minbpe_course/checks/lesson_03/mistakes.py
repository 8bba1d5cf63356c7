"""The known ways to be wrong in the exercises of lesson 03, each with a hint that names the misunderstanding."""

from __future__ import annotations

import unicodedata

from minbpe_course.checks.exercise import Case, Mistake, Outcome
from minbpe_course.checks.lesson_03 import ways as ways
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

LETTERS = ("Lu", "Ll", "Lt", "Lm", "Lo")
CASED = ("Lu", "Ll", "Lt", "Lo")
MARKS = ("Mn", "Mc", "Me")
ONE_KIND = "Some marks are there now, and not all: Unicode has three categories of marks, Mn, Mc and Me."


def _gpt4_but(name: str, old: str, new: str, hint: str) -> Mistake:
    """A way to cut that differs from GPT-4's in one place of the pattern."""
    if old not in GPT4_SPLIT_PATTERN:
        raise ValueError(f"{old!r} is not in GPT-4's pattern")
    return Mistake(name, hint, like=ways.by_pattern(GPT4_SPLIT_PATTERN.replace(old, new)))


def _lost(case: Case, outcome: Outcome) -> bool:
    """Whether an answer is a list of words that are shorter, together, than the text."""
    text, words = case.args[0], outcome.value
    is_words = isinstance(words, (list, tuple)) and all(isinstance(word, str) for word in words)
    return is_words and len("".join(words)) < len(text)


def _loses_white_space(case: Case, outcome: Outcome, wanted: object) -> bool:
    return _lost(case, outcome) and "".join("".join(outcome.value).split()) == "".join(case.args[0].split())


def _loses_something(case: Case, outcome: Outcome, wanted: object) -> bool:
    return _lost(case, outcome)


def _finds_none(case: Case, outcome: Outcome, wanted: object) -> bool:
    return outcome.state == "value" and outcome.value is None and wanted is not None


def _returns_text(case: Case, outcome: Outcome, wanted: object) -> bool:
    return isinstance(outcome.value, str)


GROUP_DIGITS = (
    Mistake(
        "from-the-left",
        "These are GPT-4's own groups, from the left. When may the first group be shorter than three?",
        like=ways.with_numbers(r"\p{N}{1,3}"),
    ),
    Mistake(
        "up-to-the-end-of-the-text",
        "`$` is the end of the text. A number ends earlier, where no further number follows.",
        like=ways.with_numbers(r"\p{N}{1,3}(?=(?:\p{N}{3})*$)"),
    ),
    Mistake(
        "loses-the-last-group",
        "Behind the last group there is no group of three left. Does your look-ahead allow for none at all?",
        like=ways.with_numbers(r"\p{N}{1,3}(?=(?:\p{N}{3})+(?!\p{N}))"),
    ),
    Mistake(
        "looks-one-group-ahead",
        "Your look-ahead sees one group and no further. It has to count threes up to the end of the number.",
        like=ways.with_numbers(r"\p{N}{1,3}(?=\p{N}{3}|(?!\p{N}))"),
    ),
    Mistake(
        "decimal-digits-only",
        r"`\d` and `[0-9]` are not all numbers: ½ and Ⅷ are some, too, and now nothing in the pattern takes them.",
        like=ways.with_numbers(r"\d{1,3}(?=(?:\d{3})*(?!\d))"),
    ),
    Mistake(
        "decimal-digits-only",
        r"`[0-9]` is not all numbers: ½, Ⅷ and ٣ are some, too, and now nothing in the pattern takes them.",
        like=ways.with_numbers(r"[0-9]{1,3}(?=(?:[0-9]{3})*(?![0-9]))"),
    ),
    Mistake(
        "whole-numbers",
        "A number may be of any length here. How does the pattern say one, two or three?",
        like=ways.with_numbers(r"\p{N}+"),
    ),
    Mistake(
        "loses-text", "Joined, your words are not the text: some number is taken by nothing.", when=_loses_something
    ),
)

SPLIT_WORDS = (
    Mistake(
        "returns-groups",
        "findall gives nothing of what stands between two matches; and of a pattern with round brackets it gives what "
        "stands in the brackets, not the match.",
        like=ways.pieces_by_findall,
    ),
    Mistake(
        "leaves-out-the-rest",
        "Only what matches is there. The text between two matches has to be a word, too.",
        like=ways.pieces_without_the_rest,
    ),
    Mistake(
        "forgets-the-end",
        "What stands behind the last match is missing; and where nothing matches, that is the whole text.",
        like=ways.pieces_without_the_end,
    ),
    Mistake(
        "cuts-at-empty-matches",
        "A match of no characters is no word, and no reason to cut: between two real matches all stays whole.",
        like=ways.pieces_cut_at_nothing,
    ),
    Mistake(
        "repeats-groups",
        "With brackets round it, regex.split gives the matches, but also what stands in every other bracket again.",
        like=ways.pieces_by_split,
    ),
    Mistake(
        "keeps-empty-words",
        "There are words without a character among yours. Two matches side by side have nothing between them.",
        like=ways.pieces_with_empty_words,
    ),
    Mistake(
        "gaps-in-characters",
        "What does not match falls into single characters. A gap is one word, however long.",
        like=ways.pieces_in_characters,
    ),
)

FIRST_DIFFERENCE = (
    Mistake(
        "compares-counts",
        "You compare how many words there are. Two cuts can have as many words, and other ones.",
        like=ways.difference_of_counts,
    ),
    Mistake(
        "only-the-longest",
        "Only the texts of full length are tried; a shorter one may show the difference, and is asked for first.",
        like=ways.difference_of_the_longest,
    ),
    Mistake(
        "stops-too-early",
        "The texts with exactly `longest` characters are missing. Where does a range end?",
        like=ways.difference_too_early,
    ),
    Mistake(
        "no-repeats",
        "A text may have the same character twice: neither permutations nor combinations are all texts.",
        like=ways.difference_without_repeats,
    ),
    Mistake(
        "one-order-only",
        'Your texts have their characters in the order of the alphabet only: there is "ab", and never "ba".',
        like=ways.difference_with_repeats_sorted,
    ),
    Mistake(
        "sorted-alphabet",
        "Among texts of one length the order is that of the alphabet you are given, and not that of code points.",
        like=ways.difference_in_code_order,
    ),
    Mistake(
        "finds-none",
        "There is a difference here, and your code ends without it: are the texts of every length tried, up to "
        "`longest` itself, and is the first one returned?",
        when=_finds_none,
    ),
)

# Those that are nearly right come first: whoever is further off fails in cases where they do not.
MARKED_WORDS = (
    Mistake(
        "no-modifier-letters",
        "The marks are right. One category of letters is missing: look at ー in コーヒー, or at 々.",
        like=ways.marked((*CASED, *MARKS)),
    ),
    Mistake(
        "no-enclosing-marks",
        "One category of marks is missing: those that enclose a letter, like the circle in a⃝.",
        like=ways.marked((*LETTERS, "Mn", "Mc")),
    ),
    Mistake(
        "no-enclosing-marks",
        "The marks of Hindi are letters now. There is one more category of marks, and one more of letters.",
        like=ways.marked((*CASED, "Mn", "Mc")),
    ),
    Mistake("one-kind-of-mark", ONE_KIND, like=ways.marked((*LETTERS, "Mn"))),
    Mistake("one-kind-of-mark", ONE_KIND, like=ways.marked((*CASED, "Mn"))),
    Mistake(
        "isalpha",
        "`isalpha` asks for letters, category L. A vowel sign is a mark, category M.",
        like=ways.marked(LETTERS),
    ),
    Mistake(
        "composes",
        "You change the text: joined, the words must be the text that came in, signs of accents and all.",
        like=lambda text: ways.marked((*LETTERS, *MARKS))(unicodedata.normalize("NFC", text)),
    ),
    Mistake(
        "composes",
        "You change the text. And most scripts have no composed form: Hindi is still torn.",
        like=lambda text: ways.marked(CASED)(unicodedata.normalize("NFC", text)),
    ),
)

GPT4_WORDS = (
    _gpt4_but(
        "long-s",
        "'(?i:[sdmt]|ll|ve|re)",
        "'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])",
        "Nearly. In any case has a surprise: the long s, ſ, is an s to Unicode. Lower case does not know it.",
    ),
    _gpt4_but(
        "small-contractions", "'(?i:", "'(?:", "DON'T is a contraction, too: GPT-4 takes its seven endings in any case."
    ),
    _gpt4_but(
        "no-contractions",
        "'(?i:[sdmt]|ll|ve|re)|",
        "",
        "An apostrophe may stand before letters, but first of all it may begin a contraction.",
    ),
    _gpt4_but("whole-numbers", r"\p{N}{1,3}", r"\p{N}+", "No word has more than three numbers."),
    _gpt4_but("blank-before-numbers", r"\p{N}{1,3}", r" ?\p{N}{1,3}", "GPT-4 takes no blank in front of a number."),
    _gpt4_but(
        "only-a-blank-before-letters",
        r"[^\r\n\p{L}\p{N}]?+",
        " ?",
        "Not only a blank: any one character that is no letter, number or line break may stand before letters.",
    ),
    _gpt4_but(
        "line-break-before-letters",
        r"[^\r\n\p{L}\p{N}]?+",
        r"[^\p{L}\p{N}]?+",
        "A line break never stands before letters in one word.",
    ),
    _gpt4_but("signs-without-line-breaks", r"++[\r\n]*", "++", "Signs take the line breaks that follow them at once."),
    _gpt4_but(
        "first-line-break", r"\s*[\r\n]", r"\s*?[\r\n]", "White space goes up to its last line break, not its first."
    ),
    _gpt4_but(
        "no-line-break-rule",
        r"|\s*[\r\n]",
        "",
        "White space with a line break in it ends behind its last line break, before any other rule.",
    ),
    _gpt4_but(
        "keeps-the-last-blank", r"|\s+(?!\S)", "", "In front of a word white space gives its last character back."
    ),
    _gpt4_but(
        "gives-back-at-the-end",
        r"\s+(?!\S)",
        r"\s+(?=\s)",
        "At the end of the text no word follows, and white space has nothing to give back.",
    ),
    Mistake(
        "loses-text",
        "Joined, your words are not the text: does every path move on, and only over what it keeps?",
        when=_loses_something,
    ),
)

CODE_WORDS = (
    Mistake("returns-text", "Return the words themselves, in a list, not a pattern or a text.", when=_returns_text),
    Mistake(
        "loses-white-space",
        "White space is missing. In a program it carries meaning: keep every blank, tab and line break.",
        when=_loses_white_space,
    ),
    Mistake(
        "loses-text",
        "Some characters match nothing and vanish. Give whatever is left an alternative at the end.",
        when=_loses_something,
    ),
)
