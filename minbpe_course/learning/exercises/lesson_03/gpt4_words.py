"""Exercise 03.gpt4_words: split as GPT-4 does, without a regular expression."""

import unicodedata

from minbpe_course.learning.exercises.lesson_03.samples import ENDINGS, cases_by_category
from minbpe_course.learning.exercises.lesson_03.splitters import by_pattern, gpt4, loses_text
from minbpe_course.learning.judge.exercise import Exercise, Mistake, changed
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN

BLANKS = (
    "\t\x0b\x0c \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def kind_of(character):
    """Return the class of a character: "letter", "number", "space", "newline" or "other"."""
    if character in "\r\n":
        return "newline"
    if character in BLANKS:
        return "space"
    return {"L": "letter", "N": "number"}.get(unicodedata.category(character)[0], "other")


def gpt4_words(text):
    r"""Split text as GPT-4's pattern does.

    The lesson's `cut` tries GPT-2's alternatives in order. Build GPT-4's scanner without regular expressions, neither
    `re` nor `regex`: use a loop, slices and `kind_of`. It must split **every** text exactly as the pattern does.

    `kind_of(character)` below returns `"letter"`, `"number"`, `"space"`, `"newline"` (only `\r` and `\n`) or `"other"`.
    Whitespace means `"space"` and `"newline"` together.

    * **In:** `text`, a str. **Out:** the list of its words; joined, they are the text.
    * The pattern is `GPT4_SPLIT_PATTERN`, written here with one alternative per line:

    ```
    '(?i:[sdmt]|ll|ve|re)
    |[^\r\n\p{L}\p{N}]?+\p{L}+
    |\p{N}{1,3}
    | ?[^\s\p{L}\p{N}]++[\r\n]*
    |\s*[\r\n]
    |\s+(?!\S)
    |\s+
    ```

    For example:

    ```
    gpt4_words("def area(self, _x):\n    return $x\n")
        ->  ['def', ' area', '(self', ',', ' _', 'x', '):\n', '   ', ' return', ' $', 'x', '\n']
    ```

    Why does `' _'` not take the `x`, when `'(self'` stays in one piece?

    Tried: contractions in upper and lower case, numbers, symbols, line breaks, whitespace of all kinds, many scripts,
    unassigned code points, and everything at once.
    """
    kinds = [kind_of(character) for character in text]

    def run(at, *wanted):
        while at < len(kinds) and kinds[at] in wanted:
            at += 1
        return at

    def word_end(at):
        for size in (2, 3):
            if text[at : at + size].casefold() in ("'s", "'t", "'d", "'m", "'ll", "'ve", "'re"):
                return at + size
        begin = at + (kinds[at] in ("other", "space"))
        end = run(begin, "letter")
        if end > begin:
            return end
        if kinds[at] == "number":
            return min(at + 3, run(at, "number"))
        begin = at + (text[at] == " ")
        end = run(begin, "other")
        if end > begin:
            return run(end, "newline")
        end = run(at, "space", "newline")
        if "newline" in kinds[at:end]:
            while kinds[end - 1] != "newline":
                end -= 1
        elif at + 1 < end < len(text):
            end -= 1
        return end

    words, at = [], 0
    while at < len(text):
        words.append(text[at : word_end(at)])
        at += len(words[-1])
    return words


HOSTILE = {
    "contractions": "'s|'t|'re|'ve|'m|'ll|'d|don't|We're|it's|'tis|'|I'llama|'three'| 'd|’t|s'|''s",
    "contractions in capitals": "DON'T|'S|'Ll|I'LL|'RE|'vE|'M|X'|'D|IT'S|'T",
    "the long s": "'ſo|it'ſ|x'ſy|'s|daſs| 'ſt|’ſ|ſ's",
    "numbers": "1|12|123|1234| 7|½|٣٤|Ⅷ|3.14|x 1|1x| 99999|²",
    "a character before letters": "(self|_name|\tx| a|  a|$x|€uro|(_|.a.b|¡A|\xa0b",
    "signs": "!!| ==|):|...| (|->|😀|👩\u200d💻|§| --|a|!\n|?\r\n\n| ;\n ",
    "whitespace before a word": " |  |\t|   a|a| b|\t\tc|\xa0|\u3000d|1|  !| \t",
    "a line break before letters": "\na|\r\nb|x\n|\ny|(\nz|\r|c|\r'll|1\nm",
    "line breaks in whitespace": "\n|\r|\r\n| \n|\n |\n\n|a| |\t\n|  b|\n  c|!",
    "rare whitespace": "\x0b|\x0c|\x85|\u2028|\u1680|\u2003|\u3000| |a|\n|\x1c",
    "letters of many scripts and marks": "né|e\u0301|中文|हिन्दी|дом| ไทย|ʰ|ǅ|שָׁ|한|İ",
    "what is no character": "\ud83d|\udbff|\ufeff|\u200b|\x00|\ufffd|\U000f0000|a| |\x7f",
}


def cases(random):
    yield "the empty text", ""
    # For every seed: each ending with a letter after it, and the same letters without an apostrophe.
    for ending in ENDINGS:
        yield "contractions", f"{ending}x"
        yield "contractions in capitals", f"{ending}x".upper()
        yield "contractions", f"x {ending[1:]}x"
    yield from cases_by_category(random, HOSTILE, (1, 2, 3, 5, 8))
    yield from cases_by_category(random, {"everything at once": "|".join(HOSTILE.values())}, range(4, 33, 4))


def change(name, old, new, hint):
    """Return the mistake of splitting with GPT-4's pattern after one change."""
    return Mistake(name, hint, like=by_pattern(changed(GPT4_SPLIT_PATTERN, (old, new))))


EXERCISE = Exercise(
    "03.gpt4_words",
    "GPT-4's scanner, by hand",
    "match",
    answer=gpt4_words,
    picture="""
from minbpe_course.learning.charts.splitting import TRACKS, railroad

railroad(TRACKS["cl100k"], "How GPT-4 splits text")
""",
    difficulty=4,
    minutes=35,
    points=3,
    hints=(
        "Write one small piece of code per alternative, in the order of the railroad. Each returns an end, or nothing.",
        "Lesson 03 goes through GPT-2's pattern alternative by alternative, and lists what is new in GPT-4's.",
        "at each position: contraction? one optional character before letters, and letters? up to three numbers? an "
        "optional space, other characters, and their line breaks? whitespace: up to its last line break, else all "
        "but its last character if something follows",
    ),
    wanted=gpt4,
    avoid=("re.", "regex.", "from re import", "from regex import"),
    shown=(
        ("contractions", "I'll pay"),
        ("numbers", "1234 m²"),
        ("a character before letters", "def area(self, _x):\n    return $x\n"),
        ("whitespace before a word", "a   b \n  c  "),
    ),
    drawn=cases,
    mistakes=(
        change(
            "long-s",
            "'(?i:[sdmt]|ll|ve|re)",
            "'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])",
            "Nearly. Ignoring case has a surprise: the long s, ſ, is an s to Unicode, but not to `lower()`.",
        ),
        change(
            "small-contractions",
            "'(?i:",
            "'(?:",
            "DON'T contains a contraction too: GPT-4 recognizes its seven endings in upper and lower case.",
        ),
        change(
            "no-contractions",
            "'(?i:[sdmt]|ll|ve|re)|",
            "",
            "An apostrophe may come before letters, but first check whether it begins a contraction.",
        ),
        change("whole-numbers", r"\p{N}{1,3}", r"\p{N}+", "No word has more than three numbers."),
        change(
            "space-before-numbers",
            r"\p{N}{1,3}",
            r" ?\p{N}{1,3}",
            "GPT-4 does not join a space to the number after it.",
        ),
        change(
            "only-a-space-before-letters",
            r"[^\r\n\p{L}\p{N}]?+",
            " ?",
            "Not only a space: any one character except a letter, a number or a line break may come before letters.",
        ),
        change(
            "line-break-before-letters",
            r"[^\r\n\p{L}\p{N}]?+",
            r"[^\p{L}\p{N}]?+",
            "A line break is never in one word with the letters after it.",
        ),
        change("signs-without-line-breaks", r"++[\r\n]*", "++", "Signs take the line breaks that follow immediately."),
        change(
            "first-line-break",
            r"\s*[\r\n]",
            r"\s*?[\r\n]",
            "Whitespace goes up to its last line break, not its first.",
        ),
        change(
            "no-line-break-rule",
            r"|\s*[\r\n]",
            "",
            "Whitespace with a line break in it ends after its last line break, before any other rule applies.",
        ),
        change("keeps-the-last-space", r"|\s+(?!\S)", "", "Before a word, whitespace gives its last character back."),
        change(
            "gives-back-at-the-end",
            r"\s+(?!\S)",
            r"\s+(?=\s)",
            "At the end of the text no word follows, so whitespace keeps its last character.",
        ),
        Mistake(
            "loses-text",
            "Joined, your words are not the text: does every branch move on, and only over characters that it keeps?",
            when=loses_text,
        ),
    ),
)
