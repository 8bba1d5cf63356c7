"""Exercise 14.bert_words: BERT's pre-tokenizer, which cuts at spaces and around punctuation."""

import unicodedata

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.text.split_steps import word_cutter


def bert_words(text):
    """Return the words of a text as BERT's pre-tokenizer cuts them.

    No regular expression is needed: each character is whitespace, punctuation, or part of a word.

    * **In:** `text`, a str.
    * **Out:** a list of str, from left to right. Whitespace separates words and is in none of them. A punctuation
      character is a word of its own, wherever it is.
    * A character is punctuation if its Unicode category begins with P (`unicodedata.category(character)` is `"Po"` for
      a comma), or if it is one of ``$+<=>^`|~``, the symbols of ASCII.

    `bert_words("Don't go...")` is `["Don", "'", "t", "go", ".", ".", "."]`.

    The check tries spaces, tabs and line breaks, runs of punctuation, punctuation outside ASCII, ASCII's symbols, other
    symbols, and an empty text.
    """
    words, inside = [], False
    for character in text:
        space = character.isspace()
        alone = unicodedata.category(character)[0] == "P" or character in "$+<=>^`|~"
        if inside and not space and not alone:
            words[-1] += character
        elif not space:
            words.append(character)
        inside = not space and not alone
    return words


SPACES, RUNS, OUTSIDE = "spaces, tabs and line breaks", "runs of punctuation", "punctuation outside ASCII"
ASCII, OTHERS, EMPTY = "symbols of ASCII", "other symbols", "an empty text"
MIXED = {
    SPACES: [" ", "\t", "\n", "\u00a0", "\u3000", "  "],
    RUNS: ["...", "?!", "--", "('", "#", "_", "*"],
    OUTSIDE: ["。", "—", "¿", "“", "’", "«"],
    ASCII: [*"$+<=>^`|~"],
    OTHERS: [*"€©☂²🙂°"],
}


def cases(random):
    for size in range(2, 10):
        for category, between in MIXED.items():
            parts = random.choices(["Ab", "c", "12", "né", "中", "ing"], k=size)
            yield category, "".join(part + random.choice([*between, " "]) for part in parts)


EXERCISE = Exercise(
    "14.bert_words",
    "Words by BERT's rules",
    "write",
    answer=bert_words,
    wanted=word_cutter((("Bert",),)),
    difficulty=2,
    minutes=7,
    points=2,
    hints=(
        "Read one character after the other. What do you have to remember to know whether it begins a word?",
        "Lesson 14, the notebook on WordPiece, section 2: the three kinds of characters.",
        "keep whether you are inside a word; whitespace: no longer inside; punctuation: a word of its own, and no "
        "longer inside; otherwise: append to the last word if you are inside it, or begin a new one",
    ),
    shown=(
        (SPACES, "to  be\n"),
        (RUNS, "go..."),
        (OUTSIDE, "né—”"),
        (ASCII, "a+b"),
        (OTHERS, "5€ a☂"),
        (EMPTY, ""),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "keeps-runs",
            "Three full stops are three words: each punctuation character is one.",
            like=lambda text: grouped(text),
        ),
        Mistake(
            "drops-punctuation",
            "Punctuation separates words, and is a word itself.",
            like=("elif not space:", "elif not space and not alone:"),
        ),
        Mistake(
            "only-category-p",
            "Unicode calls nine ASCII characters symbols, such as `+` and `$`. BERT treats them as punctuation.",
            like=(' or character in "$+<=>^`|~"', ""),
        ),
        Mistake(
            "all-symbols",
            "Symbols outside ASCII, such as `€` and `☂`, stay in their words.",
            like=('unicodedata.category(character)[0] == "P"', 'unicodedata.category(character)[0] in "PS"'),
        ),
    ),
)


def grouped(text):
    """Return the words, with equal punctuation characters side by side in one."""
    words, before = [], " "
    for character in text:
        punctuation = bert_words(character) and len(bert_words("a" + character)) == 2
        alike = character == before if punctuation else len(bert_words(before + character)) == 1 and before.strip()
        if alike and words:
            words[-1] += character
        elif character.strip():
            words.append(character)
        before = character
    return words
