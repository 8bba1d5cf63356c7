"""Exercise 06.add_piece: append a piece to a model file."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_06.model_files import (
    HELLO,
    MOST_ADDED,
    complaint_about,
    model_file,
    random_text,
    read_pieces,
)
from minbpe_course.learning.exercises.lesson_06.write_varint import write_varint
from minbpe_course.learning.judge.equality import shown


def add_piece(data, text, kind):
    """Return the model file with one more piece, bytes.

    "How do I add a token to a SentencePiece model?" is a question that comes up again and again. You know enough to do
    it with nothing but bytes.

    * **In:** `data`, the `bytes` of a file; `text`, a str; `kind`, the type of the new piece (4 is USER_DEFINED, 3 is
      CONTROL).
    * **Out:** the `bytes` of the file with one more piece at the end of the vocabulary, with this text, the score
      `0.0`, and this kind. Everything that was in the file stays as it was.

    Your `write_varint` will be useful. sentencepiece itself can load the result: try it in the cell below the check
    once your answer is done.

    The check tries short pieces, pieces of more than 127 bytes, other scripts, and files with fields you do not know.
    """
    spelling = text.encode("utf-8")
    named = b"\n" + write_varint(len(spelling)) + spelling
    message = named + b"\x15" + bytes(4) + b"\x18" + write_varint(kind)
    return data + b"\n" + write_varint(len(message)) + message


def complaint(case, yours):
    """Return what is wrong with a file that should have one more piece, or None."""
    data, text, kind = case.args

    def pieces():
        before, after = read_pieces(data), read_pieces(yours)
        if after[: len(before)] != before:
            return "the old pieces, unchanged and in their places: their ids must stay what they were"
        if after[len(before) :] != [(text, 0.0, kind)]:
            return f"one new piece at the end, {shown((text, 0.0, kind))}; yours adds {shown(after[len(before) :])}"
        return None

    return complaint_about(data, yours, len(text.encode()) + MOST_ADDED, pieces)


def cases(random):
    for size in range(1, 10):
        plain = model_file(random, size, plain=True)
        yield "a short piece", plain, random_text(random, 4), 4
        yield "a piece of more than 127 bytes", plain, random_text(random) * 60, 4
        yield "a file with unknown fields", model_file(random, size, plain=False), random_text(random), 3


EXERCISE = Exercise(
    "06.add_piece",
    "A new piece for an old model",
    "write",
    answer=add_piece,
    difficulty=3,
    minutes=15,
    points=2,
    hints=(
        "A message is its fields, one after another. What happens if you append another field to a file?",
        "Lesson 06, section 1: the piece that you decoded by hand. You wrote the lengths yourself, above.",
        "inner = tag 10, length, text; tag 21, four bytes; tag 24, kind. Return data + tag 10, length, inner.",
    ),
    wanted=add_piece,
    accept=complaint,
    shown=(
        ("a short piece", HELLO, "<b>", 4),
        ("a short piece", HELLO, "é", 4),
        ("a piece of more than 127 bytes", HELLO, "ха" * 50, 4),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "characters",
            "A length counts bytes of UTF-8, not characters.",
            like=("len(spelling)", "len(text)"),
        ),
        Mistake(
            "rest-of-the-file-lost",
            "Your pieces are right, but a file contains more than pieces. Keep every byte of it, and append the new "
            "piece.",
            when=lambda case, outcome, wanted: read_pieces(outcome.value) == read_pieces(wanted),
        ),
        Mistake(
            "no-envelope",
            "You added the fields of a piece to the file itself. They belong inside one field 1 of it.",
            like=('return data + b"\\n" + write_varint(len(message)) + message', "return data + message"),
        ),
        Mistake(
            "short-lengths",
            "A length is a varint: above 127 it needs two bytes.",
            when=lambda case, outcome, wanted: len(case.args[1].encode()) > 115,
        ),
    ),
)
