"""Rules about texts that are encoded and decoded: nothing is lost, nothing is changed, and the types are right."""

from __future__ import annotations

from random import Random

from minbpe_course.learning.judge.conformance import samples
from minbpe_course.learning.judge.conformance.recipes import oracle
from minbpe_course.learning.judge.conformance.rule import FROM_RANKS, Exam, broken, for_each, rule, short


def _comes_back(exam: Exam, text: str) -> None:
    back = exam.decode(exam.usual, exam.encode(exam.usual, text))
    if back != text:
        broken(f"decode(encode({short(text)}))", short(back), short(text))


@rule(
    "ids-are-numbers",
    "encode returns a list of whole numbers, none below 0",
    "A model looks each id up as a row of a table. There is no row 2.0 and no row True.",
)
def ids_are_numbers(exam: Exam, dice: Random) -> None:
    for text in ("a", "low lower", *samples.prose(dice, 3)):
        exam.encode(exam.usual, text)


@rule(
    "text-is-text",
    "decode returns a str",
    "Bytes, or a list of pieces, look right when they are printed and fail in the next program.",
)
def text_is_text(exam: Exam, dice: Random) -> None:
    for text in ("a", "low lower", *samples.prose(dice, 3)):
        exam.decode(exam.usual, exam.encode(exam.usual, text))


@rule(
    "empty",
    "The empty text has no ids, and an empty list of ids is the empty text",
    "Most files contain empty lines, and max() of nothing raises.",
)
def empty(exam: Exam, dice: Random) -> None:
    ids = exam.encode(exam.usual, "")
    if ids:
        broken("encode('')", short(ids), "[]")
    back = exam.decode(exam.usual, [])
    if back:
        broken("decode([])", short(back), "''")


@rule(
    "spaces-survive",
    "Spaces, tabs and line ends of every kind come back as they were",
    "A program that loses its indentation is another program, and CRLF is two characters.",
)
def spaces_survive(exam: Exam, dice: Random) -> None:
    texts = [*samples.blanks(dice, 60), " a", "a ", "\na\n", "a  b", "a\r\nb", "a\rb"]
    for_each(texts, lambda text: _comes_back(exam, text))


@rule(
    "letters-survive",
    "Characters that look alike, are invisible or lie beyond U+FFFF come back as they were",
    "A tokenizer that normalizes, lowercases or drops characters changes the text without being asked.",
)
def letters_survive(exam: Exam, dice: Random) -> None:
    for_each([*samples.letters(dice, 60), "AbC"], lambda text: _comes_back(exam, text))


@rule(
    "long-texts-survive",
    "A long text comes back, and so does a single word of 1,300 letters",
    "A function that calls itself for each merge stops at Python's 1,000 levels. A gene needs more.",
)
def long_texts_survive(exam: Exam, dice: Random) -> None:
    texts = ["".join(dice.choices("acgt", k=1_300)), *samples.prose(dice, 1, 20_000), "\n" * 1_300]
    for_each(texts, lambda text: _comes_back(exam, text))


@rule(
    "surrogates",
    "Half a character counts as U+FFFD, and two halves side by side as the character",
    "They come from broken file names and broken JSON, and one of them must not stop a service.",
)
def surrogates(exam: Exam, dice: Random) -> None:
    def check(text: str) -> None:
        repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        mine, wanted = exam.encode(exam.usual, text), exam.encode(exam.usual, repaired)
        if mine != wanted:
            broken(f"encode({text!a})", short(mine), f"{wanted}, as for {repaired!a}")

    for_each(samples.surrogates(dice, 30), check)


@rule(
    "no-borders-of-its-own",
    "A long text gets the same ids no matter where an encoder cuts it internally",
    "Chunks of a fixed size keep memory small and change the ids at every border.",
    FROM_RANKS,
)
def no_borders_of_its_own(exam: Exam, dice: Random) -> None:
    # Words so long that a border falls into one, wherever it may be, and short enough for a slow encoder.
    whole = " ".join("".join(dice.choices("etaoinshr", k=20)) for _ in range(410))
    wanted = oracle(exam.usual)
    for size in (300, 1_100, 2_100, 8_300):
        text = whole[: size + dice.randrange(200)]
        ids, right = exam.encode(exam.usual, text), wanted.encode_ordinary(text)
        if ids != right:
            at = next((at for at, (a, b) in enumerate(zip(ids, right)) if a != b), min(len(ids), len(right)))
            before = len(wanted.decode_bytes(right[:at]).decode("utf-8", "ignore"))
            around = repr(text[max(0, before - 12) : before + 12])
            given = f"a text of {len(text):,} characters, at character {before:,}, round {around}"
            broken(given, f"… {ids[at : at + 5]} …", f"… {right[at : at + 5]} …")
