"""The exercises of lesson 06: a SentencePiece model read, written, mended and imitated.

    signed, write_varint, read_pieces, add_piece     the file
    retire_pieces                                    a file changed in place, safely
    test_normalize                                   what happens to spaces
    fall_back, encode_by_score                       from symbols to pieces
    choose_pieces                                    a vocabulary of your own

Cases and known wrong answers stand in ``files``, ``retiring`` and ``joining``.
"""

from __future__ import annotations

import struct

from minbpe_course.checks.exercise import Case, Exercise, Mistake, Mutant
from minbpe_course.checks.lesson_06 import files as file
from minbpe_course.checks.lesson_06 import joining as pieces
from minbpe_course.checks.lesson_06.retiring import RETIRE_PIECES
from minbpe_course.reference import wire

EOS = file.field(1, 2, file.field(1, 2, b"</s>") + file.field(2, 5, bytes(4)) + file.field(3, 0, 3))
HELLO = file.field(1, 2, file.field(1, 2, "▁hi".encode()) + file.field(2, 5, struct.pack("<f", -2.0)))

RIGHT_NORMALIZERS = (
    """
def normalize(text):
    return "▁" + text.replace(" ", "▁") if text else ""
""",
    """
def normalize(text):
    marked = ["▁" if character == " " else character for character in text]
    if marked:
        marked.insert(0, "▁")
    return "".join(marked)
""",
)


def _normalizer(body: str) -> str:
    return f"def normalize(text):\n    {body}\n"


NORMALIZER_MUTANTS = tuple(
    Mutant(name, _normalizer(body), category)
    for name, body, category in (
        ("no-prefix", 'return text.replace(" ", "▁")', "puts nothing in front"),
        ("prefix-of-nothing", 'return "▁" + text.replace(" ", "▁")', "puts a mark in front of an empty text"),
        ("one-space", 'return "▁" + text.replace(" ", "▁", 1) if text else ""', "marks only the first space"),
        ("strips", 'return "▁" + text.strip(" ").replace(" ", "▁") if text else ""', "loses spaces at the ends"),
        (
            "joins",
            'return "▁" + "▁".join(text.split(" ")).replace("▁▁", "▁") if text else ""',
            "loses one of two spaces",
        ),
        (
            "prefix-once",
            'return (text if text.startswith(" ") else " " + text).replace(" ", "▁") if text else ""',
            "adds no mark where the text begins with a space",
        ),
        ("tabs", 'return "▁" + text.replace(" ", "▁").replace("\\t", "▁") if text else ""', "takes a tab for a space"),
        (
            "lines",
            'return "▁" + text.replace(" ", "▁").replace("\\n", "▁") if text else ""',
            "takes a line feed for a space",
        ),
        (
            "typed-mark",
            'return "▁" + text.replace("▁", "").replace(" ", "▁") if text else ""',
            "drops a ▁ that was typed",
        ),
        ("behind", 'return text.replace(" ", "▁") + "▁" if text else ""', "puts the mark behind the text"),
    )
)

EXERCISES = (
    Exercise(
        key="06.signed",
        title="A negative number in a file",
        kind="fill",
        entry="signed",
        difficulty=1,
        minutes=5,
        points=1,
        hints=(
            "Two's complement: a number and its negative add up to 2 to the power of 64.",
            "If the highest of the 64 bits is set, take away 2 to the power of 64.",
            "Lesson 06, section 1, the last paragraph: how `pad_id` is stored.",
        ),
        wanted=wire.read_signed,
        shown=(
            Case("a number that is not negative", (3,)),
            Case("a negative number", (2**64 - 1,)),
            Case("a negative number", (2**63,)),
        ),
        drawn=file.signed_cases,
        mistakes=(
            Mistake(
                "border",
                "2**63 itself is already negative: which of < and <= is right?",
                like=lambda value: value - 2**64 if value > 2**63 else value,
            ),
            Mistake("unsigned", "A number of 2**63 or more stands for a negative one.", like=lambda value: value),
            Mistake(
                "32-bits",
                "Fields of 32 bits are stored as 64 too: the border is 2**63, and 2**64 is taken away.",
                like=lambda value: value - 2**32 if value >= 2**31 else value,
            ),
            Mistake(
                "flips-the-bits",
                "Turning every bit round gives the negative minus one.",
                like=lambda value: -(value ^ (2**64 - 1)) if value >= 2**63 else value,
            ),
        ),
    ),
    Exercise(
        key="06.write_varint",
        title="Write a varint",
        kind="write",
        entry="write_varint",
        difficulty=2,
        minutes=10,
        points=2,
        hints=(
            "Take seven bits off the low end until fewer than eight bits are left.",
            "value %= 2**64; while value >= 128: append (low seven bits | 128), value >>= 7; at last append value.",
            "Lesson 06, section 1: `read_varint`, backwards; the end of the section tells how negative numbers look.",
        ),
        wanted=file.write_varint,
        shown=(Case("one byte", (5,)), Case("several bytes", (300,)), Case("a negative number", (-1,))),
        drawn=file.varint_cases,
        mistakes=(
            Mistake("highest-first", "The lowest seven bits come first.", like=file.highest_first),
            Mistake("always-marked", "The eighth bit of the last byte is 0: nothing follows.", like=file.always_marked),
            Mistake(
                "128-in-one-byte", "How many values have seven bits? 128 needs two bytes.", like=file.stops_below_128
            ),
            Mistake(
                "negative",
                "A negative number is written as the 64 bits of its two's complement: ten bytes.",
                when=lambda case, outcome, wanted: case.args[0] < 0,
            ),
        ),
    ),
    Exercise(
        key="06.read_pieces",
        title="Read the pieces of a file you have never seen",
        kind="match",
        entry="read_pieces",
        difficulty=4,
        minutes=25,
        points=4,
        hints=(
            "Write one function that lists the fields of a message. Use it twice: for the file, and for each piece.",
            "Start every piece with '', 0.0 and 1; go through its fields in order; the last one of a number wins; "
            "whatever has another number is stepped over by its kind.",
            "Lesson 06, section 1: `read_fields`. What does it do at the end of a file that was cut off?",
        ),
        wanted=file.read_pieces,
        shown=(
            Case("pieces as usual", (HELLO,)),
            Case("pieces as usual", (HELLO + EOS,)),
            Case("no pieces", (b"",)),
            Case("fields that are absent, repeated, unknown or in another order", (file.field(2, 0, 7) + HELLO,)),
            Case(
                "fields that are absent, repeated, unknown or in another order",
                (file.field(1, 2, file.field(3, 0, 4)),),
            ),
            Case("a file that ends inside a piece", (HELLO[:-2],)),
        ),
        drawn=file.file_cases,
        mistakes=(
            Mistake(
                "every-message-a-piece",
                "Only field 1 of the file is a piece; the others are stepped over.",
                when=lambda case, outcome, wanted: len(outcome.value) > len(wanted),
            ),
            Mistake(
                "no-defaults",
                "A field may be absent: then the text is empty, the score 0.0, the type 1.",
                like=file.kind_always_there,
            ),
            Mistake(
                "cut-short-is-fine",
                "A file that ends too early is an error. A slice does not complain when it gets less.",
                when=lambda case, outcome, wanted: "ends inside" in case.category and outcome.state == "value",
            ),
            Mistake(
                "another-error",
                "For a damaged file, raise ValueError, whatever stopped you.",
                when=lambda case, outcome, wanted: "ends inside" in case.category and outcome.state == "raised",
            ),
        ),
    ),
    Exercise(
        key="06.add_piece",
        title="A new piece for an old model",
        kind="write",
        entry="add_piece",
        difficulty=3,
        minutes=15,
        points=2,
        hints=(
            "A message is its fields, one after another. What happens if you glue another field to the end of a file?",
            "inner = tag 10, length, text; tag 21, four bytes; tag 24, type. Return data + tag 10, length, inner.",
            "Lesson 06, section 1: the picture of the first 80 bytes. You wrote the lengths yourself, above.",
        ),
        wanted=file.add_piece,
        accept=file.added,
        shown=(
            Case("a short piece", (HELLO, "<b>", 4)),
            Case("a short piece", (HELLO, "é", 4)),
            Case("a piece of more than 127 bytes", (HELLO, "ха" * 50, 4)),
        ),
        drawn=file.add_cases,
        mistakes=(
            Mistake("characters", "A length counts bytes of UTF-8, not characters.", like=file.length_in_characters),
            Mistake(
                "rest-of-the-file-lost",
                "Your pieces are right, but a file holds more than pieces. Keep every byte of it; add behind the last.",
                when=file.only_pieces_kept,
            ),
            Mistake(
                "no-envelope",
                "You added the fields of a piece to the file itself. They belong inside one field 1 of it.",
                when=lambda case, outcome, wanted: file.is_bare(case, outcome.value),
            ),
            Mistake(
                "short-lengths",
                "A length is a varint: above 127 it needs two bytes.",
                when=lambda case, outcome, wanted: len(case.args[1].encode()) > 127,
            ),
        ),
    ),
    RETIRE_PIECES,
    Exercise(
        key="06.test_normalize",
        title="A test for the normaliser",
        kind="test",
        entry="test_normalize",
        difficulty=3,
        minutes=15,
        points=3,
        hints=(
            "Ask of each promise: which text would show that it is broken? Nothing, one space, two, one in front.",
            "assert normalize(text) == wanted, for a list of (text, wanted) that you have worked out by hand.",
            "Lesson 06, section 3: the texts that are compared with sentencepiece there.",
        ),
        subject="normalize",
        right=RIGHT_NORMALIZERS,
        mutants=NORMALIZER_MUTANTS,
    ),
    Exercise(
        key="06.fall_back",
        title="The byte that fell through",
        kind="repair",
        entry="fall_back",
        difficulty=2,
        minutes=10,
        points=2,
        hints=(
            "Look at the smallest case: which byte is a line feed, and what is its piece called?",
            "Piece names have two digits, always. And how many ids is a stretch of three unknown symbols worth?",
            "Lesson 06, section 5: the published rebuild, and the code after it.",
        ),
        wanted=pieces.fall_back,
        planted=pieces.fall_back_planted,
        shown=(
            Case("every symbol is a piece", (["a", "b"], {"a": 4, "b": 5}, 0)),
            Case("a model without byte pieces", (["a", "?"], {"a": 4}, 0)),
            Case("bytes below 16", (["\n"], pieces.BYTE_IDS, 0)),
            Case("bytes from 16 up", (["é"], pieces.BYTE_IDS, 0)),
        ),
        drawn=pieces.symbol_cases,
        mistakes=(
            Mistake("lower-case", "Piece names are written in capitals: <0xC3>.", like=pieces.fall_back_lower),
            Mistake(
                "code-points",
                "A symbol falls back to the bytes of its UTF-8. `ord` gives its code point.",
                like=pieces.fall_back_code_points,
            ),
        ),
    ),
    Exercise(
        key="06.encode_by_score",
        title="SentencePiece's merges",
        kind="match",
        entry="encode_by_score",
        difficulty=4,
        minutes=25,
        points=4,
        hints=(
            "First cut out what never joins, longest first at each place. What is left starts as characters.",
            "Look at all neighbours that spell a piece and may join; take the best score, the leftmost of equal ones; "
            "merge that one place; begin again.",
            "Lesson 06, section 4: why all at once is wrong. Section 6 has the pieces that are cut out first.",
        ),
        wanted=pieces.encode_by_score,
        shown=(
            Case("scores that differ", ("aab", {"ab": -1.0, "aa": -2.0}, [])),
            Case("empty text", ("", {}, [])),
            Case("tied scores", ("aaaa", {"aa": -1.0, "aaa": -1.0}, [])),
            Case("pieces that never join", ("a<s>a", {"a<": 0.0, "s>": 0.0, ">a": 0.0}, ["<s>"])),
        ),
        drawn=pieces.score_cases,
        mistakes=(
            Mistake("rightmost", "Of equal scores the leftmost wins: > or >= ?", like=pieces.rightmost),
            Mistake(
                "all-at-once",
                "One merge at a time: after it, a pair further left may have the same score.",
                like=pieces.all_at_once,
            ),
            Mistake(
                "lowest", "Scores are ranks with a minus sign: the greatest score is first.", like=pieces.lowest_score
            ),
            Mistake(
                "joins-whole",
                "The pieces of `whole` are cut out before anything merges, and nothing joins them.",
                like=pieces.ignores_whole,
            ),
            Mistake(
                "longest-match", "That is longest match: another tokenizer. Scores decide.", like=pieces.longest_match
            ),
            Mistake(
                "rightmost",
                "Of equal scores the leftmost wins: > or >= ? And `whole` is not looked at yet.",
                like=lambda text, scores, whole: pieces.rightmost(text, scores, []),
            ),
        ),
    ),
    Exercise(
        key="06.choose_pieces",
        title="Choose your own pieces",
        kind="design",
        entry="choose_pieces",
        difficulty=5,
        minutes=30,
        points=4,
        hints=(
            "Count what stands side by side most often, and let what you have chosen stand side by side again.",
            "Repeat: count the pairs of neighbours in every word, append the most frequent one, merge it everywhere.",
            "Lesson 02 trains in this way on bytes; lesson 10, section 6, on characters.",
        ),
        accept=pieces.chosen,
        shown=(Case("a text never seen", (pieces.shown_half(), pieces.BUDGET)),),
        drawn=pieces.design_cases,
        measure=pieces.saving,
        levels=((95.0, 4), (75.0, 2)),
        smaller_is_better=False,
        unit="percent of what plain byte pair encoding saves",
    ),
)
