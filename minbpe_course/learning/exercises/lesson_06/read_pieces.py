"""Exercise 06.read_pieces: read the pieces of a model file."""

from minbpe_course.formats.protobuf_fields import field_bytes
from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_06.model_files import HELLO, model_file, score_field
from minbpe_course.learning.exercises.lesson_06.model_files import read_pieces as reference_read_pieces
from minbpe_course.learning.exercises.lesson_06.read_fields import read_fields


def read_pieces(data):
    """Return [(piece, score, kind), ...] of a model file; ValueError if it ends too early.

    * **In:** `data`, the `bytes` of a `.model`. Each field 1 of the file is a piece. Within it, field 1 is the text of
      the piece in UTF-8, field 2 its score (a float32), and field 3 its type (a varint; 1 is NORMAL), which is called
      `kind` here. It is not the kind in a tag.
    * **Out:** a list of `(piece, score, kind)`, in order.
    * A file that breaks off in the middle of a field or a number is damaged: raise `ValueError`. `read_fields` does
      that for you.

    Files from other programs contain surprises, all of them legal. A field may be **absent** (then the piece is `""`,
    the score `0.0`, the kind `1`). Fields may come in **any order** or be **repeated** (the last one counts). And there
    may be fields with **numbers you do not know**, in the file and inside a piece.

    You may use `struct.unpack("<f", four_bytes)[0]` for the float.

    The check tries files as sentencepiece writes them, all of these surprises, a piece longer than 127 bytes, files
    that end too early, and no bytes.
    """
    import struct

    found = []
    for number, message in read_fields(data):
        if number == 1:
            piece = {1: b"", 2: bytes(4), 3: 1}
            piece.update(read_fields(message))
            found.append((piece[1].decode("utf-8"), struct.unpack("<f", piece[2])[0], piece[3]))
    return found


ODD_FIELDS = "fields that are absent, repeated, unknown or in another order"
END_OF_SENTENCE = field_bytes(1, field_bytes(1, b"</s>") + score_field(0.0) + field_bytes(3, 3))


def cases(random):
    for size in range(1, 12):
        yield "pieces as usual", model_file(random, size, plain=True)
    for size in range(1, 24):
        yield ODD_FIELDS, model_file(random, size, plain=False)
    whole = model_file(random, 6, plain=True)
    long = field_bytes(1, field_bytes(1, ("é" * 300).encode()))
    yield "a file that ends inside a number", long[:1]
    yield "a file that ends inside a number", long[:2]
    yield "a file that ends inside a field", whole[:-1]
    yield "a file that ends inside a piece", whole[: random.randrange(5, 12)]
    for length in (125, 126):  # the whole piece has 127 bytes, then 128
        yield "a piece at the border of one byte for its length", field_bytes(1, field_bytes(1, b"a" * length))
    yield "a long piece", long


EXERCISE = Exercise(
    "06.read_pieces",
    "Read the pieces of a model file",
    "write",
    answer=read_pieces,
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "Use `read_fields` twice: for the file, and for the message of each piece.",
        "Lesson 06, section 3: which fields a piece has. What is its type if field 3 is absent?",
        "start every piece with '', 0.0 and 1; go through its fields in order; the last one of a number wins; skip "
        "every other number",
    ),
    wanted=reference_read_pieces,
    shown=(
        ("pieces as usual", HELLO),
        ("pieces as usual", HELLO + END_OF_SENTENCE),
        ("no pieces", b""),
        (ODD_FIELDS, field_bytes(2, 7) + HELLO),
        (ODD_FIELDS, field_bytes(1, field_bytes(3, 4))),
        (ODD_FIELDS, field_bytes(1, score_field(1.0) + score_field(2.0))),
        (ODD_FIELDS, field_bytes(200, 7) + HELLO),
        ("a file that ends inside a piece", HELLO[:-2]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "every-message-a-piece",
            "Only field 1 of the file is a piece. Skip the others.",
            when=lambda case, outcome, wanted: len(outcome.value) > len(wanted),
        ),
        Mistake(
            "no-defaults",
            "A field may be absent: then the text is empty, the score 0.0, the kind 1.",
            like=('{1: b"", 2: bytes(4), 3: 1}', "{}"),
        ),
        Mistake(
            "kind-0",
            "A field that is absent still has a value, and for the kind it is not 0.",
            like=("3: 1}", "3: 0}"),
        ),
        Mistake(
            "the-first-counts",
            "A field may occur twice in a piece. Then the last one counts.",
            like=("read_fields(message))", "[*read_fields(message)][::-1])"),
        ),
        Mistake(
            "cut-short-is-fine",
            "A file that ends too early is an error. A slice does not complain when it gets less.",
            when=lambda case, outcome, wanted: "ends inside" in case.category and outcome.state == "value",
        ),
        Mistake(
            "another-error",
            "For a damaged file, raise ValueError instead of any other error.",
            when=lambda case, outcome, wanted: "ends inside" in case.category and outcome.state == "raised",
        ),
    ),
)
