"""Exercise 06.retire_pieces: turn pieces of a model file into UNUSED ones.

Removing a piece changes the ids of all pieces after it. An UNUSED piece keeps its id, and text never becomes it again.
"""

from minbpe_course.formats.protobuf_fields import FOUR_BYTES, field_bytes
from minbpe_course.learning.exercises.lesson_06.model_files import (
    ALPHABET,
    MOST_ADDED,
    complaint_about,
    fields_except,
    model_file,
    read_pieces,
)
from minbpe_course.learning.exercises.lesson_06.write_varint import write_varint
from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Exercise, Mistake, breaks
from minbpe_course.model import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from minbpe_course.reference import wire


def retire_pieces(data, texts):
    """Return the model file (bytes) with these pieces UNUSED; raise ValueError if one of them can't be.

    The other half of the question is: "How do I get rid of a token?" If you take a piece out of the file, the ids of
    all later pieces change, and a network trained with the old ids produces nonsense. So leave the piece where it is,
    and make it UNUSED (kind 5): then no text is ever encoded with it again.

    * **In:** `data`, the `bytes` of a file; `texts`, a list of different str, the pieces to retire.
    * **Out:** the `bytes` of the file in which each of these pieces has kind 5 and keeps its text and its score.
      Everything else stays the same, byte for byte: other pieces, fields you do not know (in the file and inside a
      retired piece), and the order of everything.
    * You may retire only NORMAL (1) and USER_DEFINED (4) pieces. If one of `texts` is a piece of another kind, or is
      not a piece at all, raise `ValueError`. Don't return a half-changed file.

    A file may or may not contain the field for the kind; if it is absent, the kind is NORMAL. `read_fields` of the
    lesson shows the way. This time, you also have to know where each field begins and ends.

    The check tries kinds that are present and kinds that are absent, a piece whose length grows past a limit, fields in
    odd places, texts that are not pieces, and pieces that no model can do without.
    """

    def number_at(message, at):
        stop = next(place for place in range(at, len(message)) if message[place] < 128) + 1
        return sum((byte & 127) << 7 * place for place, byte in enumerate(message[at:stop])), stop

    def spans(message):
        """Yield (number, start of the field, start of its value, end)."""
        end = 0
        while end < len(message):
            begin = end
            tag, value = number_at(message, begin)
            if tag % 8 == 0:
                _, end = number_at(message, value)
            elif tag % 8 == 2:
                length, value = number_at(message, value)
                end = value + length
            else:
                end = value + {1: 8, 5: 4}[tag % 8]
            yield tag // 8, begin, value, end

    written, waiting = [], set(texts)
    for number, begin, value, end in spans(data):
        message = data[value:end]
        inside = {inner: message[at:stop] for inner, _, at, stop in spans(message)} if number == 1 else {}
        name = inside.get(1, b"").decode("utf-8", "replace")
        if number != 1 or name not in texts:
            written.append(data[begin:end])
            continue
        if inside.get(3, b"\x01") not in (b"\x01", b"\x04"):
            raise ValueError(f"{name} is needed")
        waiting.discard(name)
        message += b"\x18\x05"
        written.append(b"\n" + write_varint(len(message)) + message)
    if waiting:
        raise ValueError(f"no pieces: {waiting}")
    return b"".join(written)


WRITTEN, ABSENT, STRANGE, GROWS, TYPO, NEEDED = (
    "a piece whose kind is written",
    "a piece whose kind is not written",
    "fields that are repeated, unknown or in another order",
    "a piece at the border of one byte for its length",
    "a text that is not a piece",
    "a piece that no model can do without",
)


def complaint(case, yours):
    """Return what is wrong with a file in which some pieces should be retired, or None."""
    data, texts = case.args

    def pieces():
        before, after = messages(data), messages(yours)
        if len(before) != len(after):
            return f"a file of {len(before):,} pieces: their ids must not move; yours has {len(after):,}"
        for place, (old, new) in enumerate(zip(before, after)):
            wanted, found = wire.read_piece(old)._replace(kind=UNUSED), wire.read_piece(new)
            if wanted.text not in texts:
                if old != new:
                    return f"piece {place}, {shown(wanted.text)}, as it was, byte for byte"
            elif found != wanted:
                return f"{shown(tuple(wanted))} in place {place}; yours is {shown(tuple(found))}"
            elif fields_except(old, 1, 2, 3) != fields_except(new, 1, 2, 3):
                return f"the unknown fields of piece {place} as they were"
        return None

    return complaint_about(data, yours, MOST_ADDED * (1 + len(texts)), pieces)


def messages(data):
    return [one.value for one in wire.read_fields(data) if one.number == 1 and isinstance(one.value, bytes)]


def piece_field(random, text, kind):
    score = field_bytes(2, random.randbytes(2) + b"\x80\xc0", FOUR_BYTES)
    return field_bytes(1, field_bytes(1, text.encode()) + score + (b"" if kind is None else field_bytes(3, kind)))


def cases(random):
    def pieces(texts, *kinds):
        return b"".join(piece_field(random, text, random.choice(kinds)) for text in texts)

    specs = field_bytes(2, field_bytes(3, 2)) + field_bytes(3, field_bytes(1, b"identity"))
    start = pieces(["<unk>"], UNKNOWN) + pieces(["<s>"], CONTROL)
    for size in range(1, 8):
        texts = [f"{random.choice(ALPHABET)}{at}" for at in range(size)]
        gone = random.sample(texts, random.randint(1, size))
        written, absent = pieces(texts, NORMAL, USER_DEFINED), pieces(texts, None)
        yield WRITTEN, start + written + specs, gone
        yield ABSENT, start + absent + specs, gone
        long = "é" * (58 + size // 2) + "a" * (size % 2)  # with its kind the message takes 127 to 133 bytes
        yield GROWS, start + absent + pieces([long], None) + specs, [long]
        yield TYPO, start + absent + specs, [*gone, f"{gone[0]}?"]
        yield NEEDED, start + written + specs, [*gone[1:], random.choice(("<unk>", "<s>"))]
        strange = model_file(random, size + 2, plain=False)
        usable = [piece.text for piece in wire.read_pieces(strange) if piece.kind in (NORMAL, USER_DEFINED)]
        if usable:
            yield STRANGE, strange, random.sample(usable, random.randint(1, len(usable)))
        yield STRANGE, start + field_bytes(17, b"new") + absent + specs, gone


HI = field_bytes(1, field_bytes(1, "▁hi".encode()) + field_bytes(3, NORMAL))
OH = field_bytes(1, field_bytes(1, b"oh"))
UNK = field_bytes(1, field_bytes(1, b"<unk>") + field_bytes(3, UNKNOWN))

EXERCISE = Exercise(
    "06.retire_pieces",
    "Retire a piece",
    "write",
    answer=retire_pieces,
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Which bytes of the file have to change if the piece has a field for its kind, and which if it has none? What "
        "does a field that appears twice mean?",
        "Lesson 06, where you read the file field by field with `read_fields`. You need the beginning and the end of "
        "each field, too.",
        "for each field of the file, with its bytes: if it is not a piece, or not one of these: out += its bytes. "
        "Otherwise message += tag 24, 5 (the last kind counts), and out += tag 10, the new length, message. Raise "
        "ValueError for a kind that is neither 1 nor 4, and for texts that were not found",
    ),
    wanted=retire_pieces,
    accept=complaint,
    shown=(
        (WRITTEN, UNK + HI + OH, ["▁hi"]),
        (ABSENT, UNK + HI + OH, ["oh"]),
        (TYPO, UNK + HI, ["hi"]),
        (NEEDED, UNK + HI, ["<unk>"]),
        (STRANGE, UNK + field_bytes(9, 7) + HI + OH + field_bytes(2, field_bytes(3, 2)), ["oh"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "taken-out",
            "The piece is gone, and every piece after it has another id now. It must stay where it is, as UNUSED.",
            when=lambda case, outcome, wanted: len(messages(outcome.value)) < len(messages(wanted)),
        ),
        Mistake(
            "old-length",
            "With one more field the piece is two bytes longer, so the length before it has to change, too.",
            like=('b"\\n" + write_varint(len(message)) + message', 'data[begin:end] + b"\\x18\\x05"'),
        ),
        Mistake(
            "kind-not-written",
            "A piece without a field for its kind is NORMAL. With the field it is longer, so the length before it is "
            "larger, too.",
            when=lambda case, outcome, wanted: (
                case.category in (ABSENT, GROWS, STRANGE) and read_pieces(outcome.value) == read_pieces(case.args[0])
            ),
        ),
        Mistake(
            "no-questions",
            "This file should not be written: a text that is not a piece is probably a typo, and a model needs its "
            "unknown and control pieces. Raise ValueError.",
            when=lambda case, outcome, wanted: case.category in (TYPO, NEEDED) and outcome.state == "value",
        ),
        Mistake(
            "length-of-one-byte",
            "A length is written as a varint, and one byte of it holds only seven bits.",
            like=("write_varint(len(message))", "bytes([len(message)])"),
        ),
        Mistake(
            "unknown-fields-lost",
            "A retired piece has lost a field that you do not know. Change its kind, and keep all its other fields.",
            when=breaks(complaint, "the unknown fields of piece"),
        ),
        Mistake(
            "rest-of-the-file-lost",
            "Your pieces are right, but something else in the file has changed or moved.",
            when=lambda case, outcome, wanted: read_pieces(outcome.value) == read_pieces(wanted),
        ),
    ),
)
