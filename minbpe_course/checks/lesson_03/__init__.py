"""The exercises of lesson 03: a text cut into words, by a pattern and by hand.

    group_digits, split_words, first_difference     patterns: their look-aheads, their gaps, their differences
    marked_words, gpt4_words                        scanners without a regular expression
    test_split                                      a test that wrong splitters do not survive
    code_words                                      a cut of your own, for programs

The texts that are tried stand in ``cases``, right and wrong ways to cut them in ``ways``, what is said to the
wrong ones in ``mistakes``, the splitters to be tested in ``mutants``, the programs to be cut in ``programs``.
"""

from __future__ import annotations

from minbpe_course.checks.exercise import Case, Exercise
from minbpe_course.checks.lesson_03 import cases, mistakes, mutants, programs, ways
from minbpe_course.text.patterns import CL100K_PATTERN, GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN

GROUP_DIGITS = Exercise(
    key="03.group_digits",
    title="Thousands from the right",
    kind="fill",
    entry="group_digits",
    difficulty=2,
    minutes=10,
    points=2,
    hints=(
        "Up to three digits are a word only if what is left of the number behind them is a whole count of threes.",
        "one to three numbers, then (?= ... ): any number of groups of three, then (?! ... ): no number",
        "Lesson 03, the table of signs in `GPT-2's pattern, alternative by alternative` has look-aheads; "
        "`Numbers: at most three digits` has what to change.",
    ),
    wanted=ways.grouped_digits,
    shown=(
        Case("a long number", ("1234567",)),
        Case("a number of up to three digits", ("12",)),
        Case("several numbers", ("31.12.1999",)),
    ),
    drawn=cases.digit_cases,
    mistakes=mistakes.GROUP_DIGITS,
    packages=("regex",),
)

SPLIT_WORDS = Exercise(
    key="03.split_words",
    title="Cut, and lose nothing",
    kind="write",
    entry="split_words",
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "`regex.finditer` tells where each match begins and ends. What lies between the end of one and the next begin?",
        "at = 0; for each match that is not empty: keep text[at:start] unless it is empty, keep the match, at = end; "
        "then keep text[at:] unless it is empty",
        "Lesson 03, `Cutting without losing`: what the forgetful pattern left out is what you have to keep.",
    ),
    wanted=ways.pieces,
    shown=(
        Case("a simple pattern", ("Hello  world!\n", r"\p{L}+")),
        Case("a pattern with groups", ("ab 12", r"(\p{L})\p{L}*|(\p{N})")),
        Case("a pattern that can match nothing", ("ab, c", r"\p{L}*")),
        Case("the empty text", ("", r"\p{L}+")),
    ),
    drawn=cases.split_cases,
    mistakes=mistakes.SPLIT_WORDS,
    packages=("regex",),
)

FIRST_DIFFERENCE = Exercise(
    key="03.first_difference",
    title="Where do two patterns part?",
    kind="write",
    entry="first_difference",
    difficulty=3,
    minutes=15,
    points=2,
    hints=(
        "Make every text, in the wanted order, and stop at the first that the two patterns cut into other words.",
        "for length from 1 to longest: for characters in itertools.product(alphabet, repeat=length): join them, "
        "findall with both patterns, return the text if the lists differ; at the end return None",
        "Lesson 03, `The same cuts as tiktoken, proved`: the grid of texts is made by one line with itertools.product.",
    ),
    wanted=ways.first_difference,
    shown=(
        Case("order of the alternatives", (r"a|aa|b", r"aa|a|b", "ba", 2)),
        Case("order of the alternatives", (r"a|b|ab", r"ab|a|b", "ba", 3)),
        Case("what may stand before letters", (GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, "(a ", 3)),
        Case("the end of the text", (GPT4_SPLIT_PATTERN, CL100K_PATTERN, "a \n", 3)),
        Case("no difference", (r"\s|a+", r"a+|\s", "a ", 3)),
    ),
    drawn=cases.pair_cases,
    mistakes=mistakes.FIRST_DIFFERENCE,
    packages=("regex",),
)

MARKED_WORDS = Exercise(
    key="03.marked_words",
    title="The port that works at home",
    kind="repair",
    entry="marked_words",
    difficulty=3,
    minutes=15,
    points=2,
    hints=(
        "Write down the category of each character of the torn word, with unicodedata.category, and follow the loop.",
        "which categories does \\p{L} stand for, which does \\p{M} add? All that begin with L, or with M",
        "Lesson 03, `GPT-4o's pattern: case, and marks`: what is torn before merging can never be joined by merging.",
    ),
    wanted=ways.by_pattern(ways.MARKS_PATTERN),
    planted=ways.marked(mistakes.CASED),
    shown=(
        Case("Hindi", ("हिन्दी",)),
        Case("no marks at all", ("We saw 1234 dogs!\n\n  They  ran",)),
        Case("accents of their own", ("cafe\u0301 (ne\u0301e)",)),
    ),
    drawn=cases.mark_cases,
    mistakes=mistakes.MARKED_WORDS,
)

GPT4_WORDS = Exercise(
    key="03.gpt4_words",
    title="GPT-4's scanner, by hand",
    kind="match",
    entry="gpt4_words",
    difficulty=4,
    minutes=35,
    points=3,
    hints=(
        "Write one small piece of code per alternative, in the order of the railroad. Each gives an end, or nothing.",
        "at each position: contraction? one character that may stand before, and letters? up to three numbers? "
        "perhaps a blank, others, and their line breaks? white space: up to its last line break, else all but its "
        "last if something follows",
        "Lesson 03, `Build it without a regular expression`: `gpt2_end` has the shape; "
        "`GPT-4's pattern` lists five things that are new.",
    ),
    wanted=ways.gpt4,
    avoid=("re.", "regex.", "from re import", "from regex import"),
    shown=(
        Case("contractions", ("I'll pay",)),
        Case("numbers", ("1234 m²",)),
        Case("a character before letters", ("def area(self, _x):\n    return $x\n",)),
        Case("white space before a word", ("a   b \n  c  ",)),
    ),
    drawn=cases.hostile_cases,
    mistakes=mistakes.GPT4_WORDS,
)

TEST_SPLIT = Exercise(
    key="03.test_split",
    title="A test for splitters",
    kind="test",
    entry="test_split",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Two laws catch some: joined, the words are the text; asked twice, the answer is the same. The rest need words "
        "that you worked out by hand.",
        "for text, words in (pairs of a text and its words): assert split(text) == words. One pair for each of the six "
        "rules, and one for what lies just outside it",
        "Lesson 03, `GPT-2's pattern, alternative by alternative` and the two sections behind it: each has a text that "
        "shows a rule.",
    ),
    subject="split",
    right=mutants.RIGHT,
    mutants=mutants.MUTANTS,
)

CODE_WORDS = Exercise(
    key="03.code_words",
    title="Cut programs better than GPT-4o",
    kind="design",
    entry="code_words",
    difficulty=5,
    minutes=40,
    points=3,
    hints=(
        "Words can be too long: then few of them come again. And too short: nothing is merged across a cut. "
        "Look at your rarest words, over several programs: what in them would come again if cut apart?",
        "a pattern with an alternative each for: a line break with the indentation behind it; a hump of a name; "
        "an underscore; digits; other signs; whatever is left",
        "Lesson 03, `Write your own` is a start, `GPT-4o's pattern: case, and marks` cuts names at their humps.",
    ),
    shown=(
        Case("an odd line", ("    return user_name\n",)),
        Case("an odd line", ("",)),
    ),
    drawn=programs.program_cases,
    accept=programs.nothing_lost,
    measure=programs.percent_of_gpt4o,
    levels=((92, 3), (96, 2), (130, 1)),
    unit="% of GPT-4o's tokens",
    mistakes=mistakes.CODE_WORDS,
    packages=("regex",),
)

EXERCISES = (GROUP_DIGITS, SPLIT_WORDS, FIRST_DIFFERENCE, MARKED_WORDS, GPT4_WORDS, TEST_SPLIT, CODE_WORDS)
