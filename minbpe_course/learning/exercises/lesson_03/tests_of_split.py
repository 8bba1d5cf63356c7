"""Exercise 03.test_split: write a test that accepts two right splitters and rejects eleven wrong ones.

All of them should split as GPT-2 does:

    split("We'll pay  $3")      ['We', "'ll", ' pay', ' ', ' $', '3']

They use the standard library only, since each runs in a separate process.
"""

from functools import partial

from minbpe_course.learning import Exercise, mutant


def test_split(split):
    """Raise an error unless split splits texts as GPT-2 does.

    Now switch sides: someone else writes the splitter, and you write its test. `test_split(split)` receives a function
    that should split a text as GPT-2 does. The test runs to the end if the function is correct, and raises an error (an
    `assert` will do) if it is wrong.

    GPT-2's rules are tried in this order, and the first that matches takes its word:

    1. a contraction, in lower case: `'s 't 'd 'm 'll 've 're`
    2. an optional space, then letters of any script
    3. an optional space, then numbers, as many as there are
    4. an optional space, then other characters: anything but letters, numbers and whitespace (marks are others)
    5. whitespace; before a word it gives back its last character
    6. whitespace of a single character, if no other rule takes it

    * **In:** `split`, a function from str to a list of str.
    * **Out:** nothing; the return value is ignored.
    * Your test runs several times on each of two correct splitters, written differently, and eleven wrong ones. Each
      wrong one has one bug. You earn full points for catching all eleven, and half (rounded down) for at least six.

    For example, `split("We'll pay  $3")` should be `['We', "'ll", ' pay', ' ', ' $', '3']`. The test below catches a
    splitter that loses text, but accepts many that are wrong in other ways:

    ```python
    def test_split(split):
        assert "".join(split("a  b")) == "a  b"
    ```

    You can import only the standard library, so work out the correct words by hand.
    """
    right = {
        "": [],
        "We'll pay  $3": ["We", "'ll", " pay", " ", " $", "3"],
        "DON'T, don't": ["DON", "'", "T", ",", " don", "'t"],
        "it's I've you're I'd I'm": ["it", "'s", " I", "'ve", " you", "'re", " I", "'d", " I", "'m"],
        "1234567 89": ["1234567", " 89"],
        "né дом 中文 e\u0301": ["né", " дом", " 中文", " e", "\u0301"],
        "f(x):\r\n    return\n": ["f", "(", "x", "):", "\r\n   ", " return", "\n"],
        "a\tb\n\n c  ": ["a", "\t", "b", "\n\n", " c", "  "],
    }
    for _ in range(2):
        for text, words in right.items():
            assert list(split(text)) == words, text


BY_HAND = r"""
import unicodedata

ENDINGS = ("'s", "'t", "'d", "'m", "'ll", "'ve", "'re")


def kind_of(character):
    if character.isspace():
        return "space"
    return {"L": "letter", "N": "number"}.get(unicodedata.category(character)[0], "other")


def end_of_word(text):
    for ending in ENDINGS:
        if text.startswith(ending):
            return len(ending)
    begin = int(text[0] == " " and len(text) > 1 and kind_of(text[1]) != "space")
    end, kind = begin, kind_of(text[begin])
    while end < len(text) and kind_of(text[end]) == kind:
        end += 1
    if kind == "space" and 1 < end < len(text):
        end -= 1
    return end


def split(text):
    words = []
    while text:
        end = end_of_word(text)
        words.append(text[:end])
        text = text[end:]
    return words
"""

# Replaces each character by a sign for its class, and finds the words in the signs with `re`.
BY_CLASSES = r"""
import re
import unicodedata

WORD = re.compile(r"_?L+|_?N+|_?O+|[_s]+(?![LNO])|[_s]+")
CONTRACTION = re.compile("'(?:[sdmt]|ll|ve|re)")


def sign(character):
    if character == " ":
        return "_"
    if character.isspace():
        return "s"
    category = unicodedata.category(character)[0]
    return category if category in "LN" else "O"


def words_of(text):
    signs = "".join(map(sign, text))
    at = 0
    while at < len(text):
        match = CONTRACTION.match(text, at) or WORD.match(signs, at)
        yield text[at:match.end()]
        at = match.end()


def split(text):
    return list(words_of(text))
"""


# Places in BY_HAND that the wrong ones change.
BEGIN = "    words = []\n"
RETURN = "    return words\n"
END = "    return end\n"


wrong = partial(mutant, BY_HAND)

EXERCISE = Exercise(
    "03.test_split",
    "A test for splitters",
    "test",
    answer=test_split,
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Two laws catch some of them: joined, the words are the text; called twice, the splitter gives the same "
        "answer. For the others, work out some words by hand.",
        "Lesson 03 goes through GPT-2's pattern alternative by alternative; each has a text that shows its rule.",
        "for text, words in (pairs of a text and its words): assert split(text) == words. One pair for each of the "
        "six rules, and one for a text that just misses it",
    ),
    subject="split",
    right=(BY_HAND, BY_CLASSES),
    mutants=(
        wrong(
            "loses-the-end",
            "loses part of the text",
            (RETURN, "    return words[:-1] if words and words[-1].isspace() else words\n"),
        ),
        wrong(
            "changes-line-breaks",
            "changes line breaks",
            (BEGIN, '    words, text = [], text.replace("\\r\\n", "\\n")\n'),
        ),
        wrong(
            "sorts-the-words",
            "returns the words in another order than in the text",
            (RETURN, "    return sorted(words, key=lambda word: word.isspace())\n"),
        ),
        wrong(
            "space-after",
            "puts a space on the wrong side",
            ('int(text[0] == " " and len(text) > 1 and kind_of(text[1]) != "space")', "0"),
            (END, '    return end + (kind != "space" and text[end : end + 1] == " ")\n'),
        ),
        wrong("no-contractions", "takes contractions apart", ("in ENDINGS", "in ()")),
        wrong(
            "contractions-in-capitals",
            "takes text for a contraction that GPT-2 does not",
            ("text.startswith(ending)", "text[: len(ending)].lower() == ending"),
        ),
        wrong("keeps-spaces-whole", "goes wrong at whitespace before a word", ("        end -= 1\n", "        pass\n")),
        wrong(
            "three-digits",
            "goes wrong with numbers",
            (END, '    return min(end, begin + 3) if kind == "number" else end\n'),
        ),
        wrong(
            "ascii-letters",
            "goes wrong with letters beyond a to z",
            ("    return {", '    if not character.isascii():\n        return "other"\n    return {'),
        ),
        wrong(
            "line-breaks-to-signs",
            "goes wrong at the end of a line",
            (
                END,
                '    while kind == "other" and text[end : end + 1] in ("\\r", "\\n"):\n        end += 1\n' + END,
            ),
        ),
        wrong(
            "remembers",
            "is right only the first time",
            ("def split(text):\n", "def split(text, words=[]):\n"),
            (BEGIN, ""),
        ),
    ),
)
