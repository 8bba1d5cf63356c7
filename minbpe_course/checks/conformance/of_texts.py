"""Rules about texts on their way there and back: nothing is lost, nothing is changed, and nothing odd comes out."""

from __future__ import annotations

from random import Random

from minbpe_course.checks.conformance import samples
from minbpe_course.checks.conformance.recipes import oracle
from minbpe_course.checks.conformance.rule import LONGEST_SHOWN, Exam, Finding, Rule, first_wrong
from minbpe_course.checks.equality import shown


def there_and_back(exam: Exam, text: str) -> Finding | None:
    """Return what is wrong with the text that comes back."""
    ids = exam.encode(exam.usual, text)
    if isinstance(ids, Finding):
        return ids
    back = exam.decode(exam.usual, ids)
    if isinstance(back, Finding):
        return back
    if back == text:
        return None
    given = f"decode(encode({shown(text, LONGEST_SHOWN)}))"
    return Finding(given, shown(back, LONGEST_SHOWN), shown(text, LONGEST_SHOWN))


def _ids_are_numbers(exam: Exam, dice: Random) -> Finding | None:
    found = (exam.encode(exam.usual, text) for text in ("a", "low lower", *samples.prose(dice, 3)))
    return next((each for each in found if isinstance(each, Finding)), None)


def _text_is_text(exam: Exam, dice: Random) -> Finding | None:
    for text in ("a", "low lower", *samples.prose(dice, 3)):
        ids = exam.encode(exam.usual, text)
        back = ids if isinstance(ids, Finding) else exam.decode(exam.usual, ids)
        if isinstance(back, Finding):
            return back
    return None


def _empty(exam: Exam, dice: Random) -> Finding | None:
    ids = exam.encode(exam.usual, "")
    if isinstance(ids, Finding):
        return ids
    if ids:
        return Finding("encode('')", shown(ids, LONGEST_SHOWN), "[]")
    back = exam.decode(exam.usual, [])
    if isinstance(back, Finding):
        return back
    return Finding("decode([])", shown(back, LONGEST_SHOWN), "''") if back else None


def _blanks(exam: Exam, dice: Random) -> Finding | None:
    texts = [*samples.blanks(dice, 60), " a", "a ", "\na\n", "a  b", "a\r\nb", "a\rb"]
    return first_wrong(texts, lambda text: there_and_back(exam, text))


def _letters(exam: Exam, dice: Random) -> Finding | None:
    return first_wrong([*samples.letters(dice, 60), "AbC"], lambda text: there_and_back(exam, text))


def _long_texts(exam: Exam, dice: Random) -> Finding | None:
    texts = ["".join(dice.choices("acgt", k=1_300)), *samples.prose(dice, 1, 20_000), "\n" * 1_300]
    return first_wrong(texts, lambda text: there_and_back(exam, text))


def _surrogates(exam: Exam, dice: Random) -> Finding | None:
    def complaint(text: str) -> Finding | None:
        repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        mine, wanted = exam.encode(exam.usual, text), exam.encode(exam.usual, repaired)
        if isinstance(mine, Finding) or isinstance(wanted, Finding):
            return next(each for each in (mine, wanted) if isinstance(each, Finding))
        if mine == wanted:
            return None
        return Finding(f"encode({text!a})", shown(mine, LONGEST_SHOWN), f"{wanted}, as for {repaired!a}", "differs")

    return first_wrong(samples.surrogates(dice, 30), complaint)


def _no_borders(exam: Exam, dice: Random) -> Finding | None:
    # Words long enough for a border to fall into one, wherever it may be, and short enough for a slow encoder.
    whole = " ".join("".join(dice.choices("etaoinshr", k=20)) for _ in range(410))
    wanted = oracle(exam.usual)
    for size in (300, 1_100, 2_100, 8_300):
        text = whole[: size + dice.randrange(200)]
        ids = exam.encode(exam.usual, text)
        if isinstance(ids, Finding):
            return ids
        right = wanted.encode_ordinary(text)
        if ids != right:
            at = next((at for at, (a, b) in enumerate(zip(ids, right)) if a != b), min(len(ids), len(right)))
            before = len(wanted.decode_bytes(right[:at]).decode("utf-8", "ignore"))
            around = repr(text[max(0, before - 12) : before + 12])
            return Finding(
                f"a text of {len(text):,} characters, at character {before:,}, round {around}",
                f"… {ids[at : at + 5]} …",
                f"… {right[at : at + 5]} …",
            )
    return None


RULES = (
    Rule(
        "ids-are-numbers",
        "encode returns a list of whole numbers, none below 0",
        "A model looks each id up as a row of a table. There is no row 2.0 and no row True.",
        _ids_are_numbers,
    ),
    Rule(
        "text-is-text",
        "decode returns a str",
        "Bytes, or a list of pieces, look right when they are printed and fail in the next program.",
        _text_is_text,
    ),
    Rule(
        "empty",
        "The empty text has no ids, and no ids are the empty text",
        "Empty lines are the commonest lines there are, and max() of nothing raises.",
        _empty,
    ),
    Rule(
        "blanks-survive",
        "Blanks, tabs and line ends of every kind come back as they were",
        "A program whose indentation is lost is another program, and CRLF is two characters.",
        _blanks,
    ),
    Rule(
        "letters-survive",
        "Characters that look alike, cannot be seen or lie beyond U+FFFF come back as they were",
        "Whoever normalises, lowers or drops has changed the text without being asked.",
        _letters,
    ),
    Rule(
        "long-texts-survive",
        "A long text comes back, and so does a single word of 1,300 letters",
        "Whoever calls itself once for each merge ends at Python's 1,000 levels; a gene has more.",
        _long_texts,
    ),
    Rule(
        "surrogates",
        "Half a character counts as U+FFFD, and two halves side by side as the character",
        "Files with broken names and broken JSON bring them, and a service must not fall over one.",
        _surrogates,
    ),
    Rule(
        "no-borders-of-its-own",
        "A long text has the ids that it has as a whole, wherever an encoder may cut it",
        "Chunks of a fixed size keep memory small and change the ids at every border.",
        _no_borders,
        ("from_ranks",),
    ),
)
