"""Exercise 14.join_pieces: the text of WordPiece tokens."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.text.decoder_steps import decoder_of


def join_pieces(tokens, special):
    """Return the text of tokens: a space before each word, none before what continues one.

    * **In:** `tokens`, a list of str; `special`, a set of tokens that belong to no text, such as `[CLS]`.
    * **Out:** a str. Leave out the special tokens first. A token that begins with `##` continues the word before it:
      without the mark, and without a space. All others have a space in front, except the first.
    * If the first token begins with `##`, there is no word to continue, so its mark stays.

    `join_pieces(["[CLS]", "un", "##able", "to", "go", "."], {"[CLS]"})` is `"unable to go ."`.

    The check tries words of one token, words of several, special tokens, a first token with a mark, and the token
    `###`, which is a number sign inside a word.
    """
    text = ""
    for token in tokens:
        if token not in special:
            if text and token.startswith("##"):
                text += token[2:]
            else:
                text += " " + token if text else token
    return text


WHOLE, SEVERAL, SPECIAL = "words of one token", "words of several tokens", "special tokens"
FIRST, SIGNS = "a first token with a mark", "number signs"


def of_the_package(tokens, special):
    return decoder_of([("WordPiece", "##", False)])([token for token in tokens if token not in special])


def cases(random):
    yield WHOLE, [], {"[CLS]"}
    yield SPECIAL, ["[CLS]", "[SEP]"], {"[CLS]", "[SEP]"}
    for size in range(2, 9):
        words = random.choices(["the", "un", "中", ".", "'", "a"], k=size)
        parts = [token for word in words for token in (word, *random.choices(["##s", "##ing", "##é"], k=size % 3))]
        special = {"[CLS]", "[SEP]", "[UNK]"}
        yield WHOLE, words, special
        yield SEVERAL, ["un", *parts, "##able"], special
        yield SPECIAL, ["[CLS]", *parts, "[SEP]", *words, "[UNK]", "##s"], special
        yield FIRST, ["[CLS]", "##ing", *parts], special
        yield SIGNS, ["c", "###", *parts, "#", "###"], special


EXERCISE = Exercise(
    "14.join_pieces",
    "From tokens to text",
    "write",
    answer=join_pieces,
    wanted=of_the_package,
    difficulty=1,
    minutes=5,
    points=2,
    hints=(
        "Three kinds of tokens are left after the special ones are gone: the first, one that continues a word, and one "
        "that begins a word.",
        "Lesson 14, the notebook on WordPiece, section 3: what `##` means.",
        "for each token that is not special: the first as it is; one that begins with ## without these two characters; "
        "any other with a space in front",
    ),
    shown=(
        (WHOLE, ["to", "be"], {"[CLS]"}),
        (SEVERAL, ["un", "##able"], {"[CLS]"}),
        (SPECIAL, ["[CLS]", "go", "[SEP]"], {"[CLS]", "[SEP]"}),
        (FIRST, ["##ing", "a"], {"[CLS]"}),
        (SIGNS, ["c", "###"], {"[CLS]"}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "keeps-special-tokens",
            "Leave out the special tokens: they belong to no text.",
            like=("if token not in special:", "if True:"),
        ),
        Mistake(
            "every-mark-goes",
            "A first token with a mark has no word to continue: it keeps the mark.",
            like=("if text and token", "if token"),
        ),
        Mistake(
            "strips-all-signs",
            "The mark is two characters. `###` is a number sign that continues a word, so one `#` stays.",
            like=("token[2:]", 'token.lstrip("#")'),
        ),
        Mistake(
            "a-space-everywhere",
            "A token with a mark continues the word before it, without a space.",
            like=("text += token[2:]", 'text += " " + token[2:]'),
        ),
    ),
)
