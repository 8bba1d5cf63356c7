"""The exercise of lesson 06 about taking pieces out of service: files, what must not change, and known wrong answers.

A piece that is taken out of a file moves every id behind it. One that becomes UNUSED keeps its place, and text never
becomes it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.checks.equality import shown
from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.checks.lesson_06 import files as file
from minbpe_course.reference import wire

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 1, 2, 3, 4, 5

WRITTEN, SILENT, STRANGE, GROWS, TYPO, NEEDED = (
    "a piece whose type is written",
    "a piece whose type is not written",
    "fields that are repeated, unknown or in another order",
    "a piece at the border of one byte for its length",
    "a text that is no piece",
    "a piece that no model can do without",
)


def retire_pieces(data: bytes, texts: Sequence[str]) -> bytes:
    """Return the file with the type of these pieces changed to UNUSED, and nothing else.

    >>> model = file.field(1, 2, file.field(1, 2, b"hi"))
    >>> [piece.kind for piece in wire.read_pieces(retire_pieces(model, ["hi"]))]
    [5]
    """
    out, left = b"", set(texts)
    for outer in wire.read_fields(data):
        text = ""
        if outer.number == 1 and isinstance(outer.value, bytes):
            text, _, kind = wire.read_piece(outer.value)
        if text not in texts or not isinstance(outer.value, bytes):
            out += data[outer.begin : outer.end]
            continue
        if kind not in (NORMAL, USER_DEFINED):
            raise ValueError(f"{text!r} is of type {kind}")
        left.discard(text)
        out += file.field(1, 2, outer.value + file.field(3, 0, UNUSED))
    if left:
        raise ValueError(f"no piece is {min(left)!r}")
    return out


def complaint(case: Case, yours: object) -> str | None:
    """Say what is wrong with a file in which some pieces should be retired, or None."""
    data, texts = case.args
    if not isinstance(yours, bytes):
        return "bytes: the whole file"
    if len(yours) > len(data) + file.MOST_AROUND * (1 + len(texts)):
        return f"a file that is hardly longer; yours grows from {len(data):,} to {len(yours):,} bytes"
    try:
        before, after = _messages(data), _messages(yours)
        if len(before) != len(after):
            return f"a file of {len(before):,} pieces: their ids must not move; yours has {len(after):,}"
        for place, (old, new) in enumerate(zip(before, after)):
            wanted = wire.read_piece(old)
            if wanted.text not in texts:
                if old != new:
                    return f"piece {place}, {shown(wanted.text)}, as it was, byte for byte"
                continue
            found = wire.read_piece(new)
            if found != wanted._replace(kind=UNUSED):
                return f"{shown((wanted.text, wanted.score, UNUSED))} in place {place}; yours is {shown(tuple(found))}"
            if _fields(old, known=(1, 2, 3)) != _fields(new, known=(1, 2, 3)):
                return f"the fields of piece {place} that nobody knows as they were"
        others = _fields(yours, known=(1,))
    except (ValueError, TypeError) as problem:
        return f"a file that can be read; yours cannot: {problem}"
    return None if others == _fields(data, known=(1,)) else "every other field of the file as it was"


def _messages(data: bytes) -> list[bytes]:
    return [one.value for one in wire.read_fields(data) if one.number == 1 and isinstance(one.value, bytes)]


def _fields(data: bytes, known: tuple[int, ...]) -> list[tuple[int, int, int | bytes]]:
    return [(one.number, one.kind, one.value) for one in wire.read_fields(data) if one.number not in known]


def is_shorter(case: Case, outcome: Outcome, wanted: bytes) -> bool:
    """Tell whether there are fewer pieces than before."""
    return len(_messages(outcome.value)) < len(_messages(wanted))


def is_still_in_use(case: Case, outcome: Outcome, wanted: bytes) -> bool:
    """Tell whether a piece whose type was not written has kept it."""
    return case.category == SILENT and file.read_pieces(outcome.value) == file.read_pieces(case.args[0])


def is_all_but_the_pieces(case: Case, outcome: Outcome, wanted: bytes) -> bool:
    """Tell whether the pieces are right, and something else is lost."""
    return file.read_pieces(outcome.value) == file.read_pieces(wanted)


def _piece(random: Random, text: str, kind: int | None) -> bytes:
    score = file.field(2, 5, random.randbytes(2) + b"\x80\xc0")
    return file.field(1, 2, file.field(1, 2, text.encode()) + score + (b"" if kind is None else file.field(3, 0, kind)))


def retire_cases(random: Random) -> Iterator[Case]:
    """Yield toy models and pieces of theirs to retire, small models first."""
    specs = file.field(2, 2, file.field(3, 0, 2)) + file.field(3, 2, file.field(1, 2, b"identity"))
    start = _piece(random, "<unk>", UNKNOWN) + _piece(random, "<s>", CONTROL)
    for size in range(1, 8):
        texts = [f"{random.choice(file.ALPHABET)}{at}" for at in range(size)]
        gone = random.sample(texts, random.randint(1, size))
        written = b"".join(_piece(random, text, random.choice((NORMAL, USER_DEFINED))) for text in texts)
        silent = b"".join(_piece(random, text, None) for text in texts)
        yield Case(WRITTEN, (start + written + specs, gone))
        yield Case(SILENT, (start + silent + specs, gone))
        long = "é" * random.choice((57, 58, 59)) + "a" * random.randint(0, 1)
        yield Case(GROWS, (start + silent + _piece(random, long, None) + specs, [long]))
        yield Case(TYPO, (start + silent + specs, [*gone, f"{gone[0]}?"]))
        yield Case(NEEDED, (start + written + specs, [*gone[1:], random.choice(("<unk>", "<s>"))]))
        strange = file.model_file(random, size + 2, plain=False)
        usable = [piece.text for piece in wire.read_pieces(strange) if piece.kind in (NORMAL, USER_DEFINED)]
        if usable:
            yield Case(STRANGE, (strange, random.sample(usable, random.randint(1, len(usable)))))
        yield Case(STRANGE, (start + file.field(17, 2, b"new") + silent + specs, gone))


_HI = file.field(1, 2, file.field(1, 2, "▁hi".encode()) + file.field(3, 0, NORMAL))
_OH = file.field(1, 2, file.field(1, 2, b"oh"))
_UNK = file.field(1, 2, file.field(1, 2, b"<unk>") + file.field(3, 0, UNKNOWN))

RETIRE_PIECES = Exercise(
    key="06.retire_pieces",
    title="Pieces out of service",
    kind="write",
    entry="retire_pieces",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Copy the file field by field, as it is. Only where a field is a piece whose text is wanted, write another "
        "one. What if that piece has no field for its type, and what does a field that comes twice mean?",
        "for each field of the file, with the bytes that it takes: if it is no piece, or not one of these: out += its "
        "bytes. Otherwise message += tag 24, 5 (the last type counts), and out += tag 10, the new length, message. "
        "ValueError for a type that is neither 1 nor 4, and for texts that were never met",
        "Lesson 06, section 1: `read_fields`; section 9: what the package changes in a file.",
    ),
    wanted=retire_pieces,
    accept=complaint,
    shown=(
        Case(WRITTEN, (_UNK + _HI + _OH, ["▁hi"])),
        Case(SILENT, (_UNK + _HI + _OH, ["oh"])),
        Case(TYPO, (_UNK + _HI, ["hi"])),
        Case(NEEDED, (_UNK + _HI, ["<unk>"])),
        Case(STRANGE, (_UNK + file.field(9, 0, 7) + _HI + _OH + file.field(2, 2, file.field(3, 0, 2)), ["oh"])),
    ),
    drawn=retire_cases,
    mistakes=(
        Mistake(
            "taken-out",
            "The piece is gone, and every piece behind it has another id now. It must stay where it is, as UNUSED.",
            when=is_shorter,
        ),
        Mistake(
            "type-not-written",
            "A piece without a field for its type is NORMAL. Add the field; the piece grows, and so does its length.",
            when=is_still_in_use,
        ),
        Mistake(
            "no-questions",
            "A text that no piece has is a slip of the pen, and a model without its unknown or control pieces is "
            "broken: raise ValueError instead of writing a file.",
            when=lambda case, outcome, wanted: case.category in (TYPO, NEEDED) and outcome.state == "value",
        ),
        Mistake(
            "rest-of-the-file-lost",
            "Your pieces are right, but something else in the file is not what it was, or not where it was.",
            when=is_all_but_the_pieces,
        ),
    ),
)
