"""Exercise 06.read_fields: read the fields of a protocol buffer."""

from minbpe_course.errors import MinbpeCourseError
from minbpe_course.formats.protobuf_fields import EIGHT_BYTES, FOUR_BYTES, field_bytes, varint
from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_06.model_files import HELLO, model_file, random_text, score_field
from minbpe_course.learning.exercises.lesson_06.read_varint import read_varint
from minbpe_course.reference import wire


def read_fields(data):
    r"""Return [(number, value), ...] of the fields of a message; ValueError if it ends too early.

    * **In:** `data`, the `bytes` of a message: fields, one after another.
    * **Out:** a list of `(number, value)`, in order.
    * A field begins with its tag, a varint: `field number * 8 + kind`. After kind 0 comes a varint, and the value is
      that number. After kind 1 come eight bytes, and after kind 5 four: the value is these `bytes`. After kind 2 comes
      a length, which is a varint, and then as many bytes, which are the value. (The other kinds are not in use.)
    * If the data ends in the middle of a field, raise `ValueError`. A slice doesn't do that: `b"abc"[1:9]` is `b"bc"`.

    ```
    read_fields(b"\x18\x06")                  ->  [(3, 6)]
    read_fields(b"\x0a\x02hi\x18\xac\x02")    ->  [(1, b"hi"), (3, 300)]
    ```

    The check tries every kind, numbers and lengths of more than one byte, fields that occur twice, a message in a
    message (which stays `bytes`), whole model files, files that are cut off, and no bytes.
    """
    fields, at = [], 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, kind = tag // 8, tag % 8
        if kind == 0:
            value, at = read_varint(data, at)
        else:
            length = 8 if kind == 1 else 4
            if kind == 2:
                length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        if at > len(data):
            raise ValueError("the file ends inside a field")
        fields.append((number, value))
    return fields


def witness(data):
    """Read with the package's reference."""
    try:
        return [(field.number, field.value) for field in wire.read_fields(data)]
    except MinbpeCourseError as error:
        raise ValueError(str(error)) from None


NUMBER, TEXT, FIXED, LARGE, LONG, TWICE, FILE, CUT, NOTHING = (
    "a number",
    "a length and bytes",
    "four or eight bytes",
    "a field number of more than one byte",
    "a length of more than one byte",
    "a field that occurs twice",
    "a whole file",
    "a file that is cut off",
    "no fields",
)


def eight_bytes(number, value):
    return varint(number << 3 | EIGHT_BYTES) + value


def cases(random):
    yield NOTHING, b""
    for size in range(1, 9):
        text, value = random_text(random).encode(), random.getrandbits(7 * size)
        yield NUMBER, field_bytes(size, value)
        yield TEXT, field_bytes(size, text) + field_bytes(3, size)
        four, eight = (
            field_bytes(2, random.randbytes(4), FOUR_BYTES),
            eight_bytes(size, random.randbytes(8)),
        )
        yield FIXED, four + field_bytes(1, text)
        yield FIXED, eight + four
        yield LARGE, field_bytes(random.randint(16, 5_000), text) + four
        yield LONG, field_bytes(1, random_text(random).encode() * 128) + four
        yield TWICE, field_bytes(size, text) + field_bytes(4, 9) + field_bytes(size, b"again")
        yield FILE, model_file(random, size, plain=size % 2 == 0)
        whole = field_bytes(3, 2**14) + random.choice((field_bytes(1, text + b"ab"), four, eight))
        yield CUT, whole[:-1]
        yield CUT, whole[:5]
        yield CUT, whole[:3]
        yield CUT, field_bytes(99, value)[:1]


EXERCISE = Exercise(
    "06.read_fields",
    "Read the fields of a message",
    "write",
    answer=read_fields,
    difficulty=3,
    minutes=9,
    points=3,
    hints=(
        "`read_varint` reads the tag, the number of kind 0, and the length of kind 2. It also says where to continue.",
        "Lesson 06, section 1: decode `0A 05 61 74 69 6F 6E 15 00 00 BA C2` by hand again, and write down `at` after "
        "each step.",
        "while at < len(data): read the tag, number = tag // 8, kind = tag % 8. If kind is 0, read the value. "
        "Otherwise the length is 8 (kind 1), 4 (kind 5) or a varint (kind 2); value = data[at : at + length], and at "
        "grows by length. If at > len(data), raise ValueError. Append (number, value)",
    ),
    wanted=witness,
    shown=(
        (NUMBER, b"\x18\x06"),
        (TEXT, b"\x0a\x02hi"),
        (NUMBER, b"\x18\xac\x02"),
        (TEXT, b"\x0a\x02hi\x18\x06"),
        (FIXED, score_field(-2.0) + b"\x18\x06"),
        (FIXED, eight_bytes(12, bytes(8)) + b"\x18\x06"),
        (NOTHING, b""),
        (LARGE, field_bytes(200, 7)),
        (TWICE, b"\x18\x06\x18\x01"),
        (FILE, HELLO),
        (CUT, b"\x0a\x02h"),
        (CUT, b"\x18"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "tag-for-number",
            "The tag is `field number * 8 + kind`. Return only the field number.",
            like=("fields.append((number,", "fields.append((tag,"),
        ),
        Mistake(
            "kind-for-number",
            "The field number is `tag // 8`. What is left, `tag % 8`, is the kind.",
            like=("fields.append((number,", "fields.append((kind,"),
        ),
        Mistake(
            "a-dict",
            "A field may occur twice, as the pieces of a model do, and a dict keeps only one of them. Return a list.",
            like=("return fields", "return dict(fields)"),
        ),
        Mistake(
            "only-the-first",
            "Your answer ends after the first field. Continue until `at` has reached the end of the data.",
            like=("    return fields", "        return fields\n    return fields"),
        ),
        Mistake(
            "kind-1-has-four",
            "After kind 1 come eight bytes, after kind 5 four.",
            like=("8 if kind == 1 else 4", "4"),
        ),
        Mistake(
            "kind-5-has-eight",
            "After kind 1 come eight bytes, after kind 5 four.",
            like=("8 if kind == 1 else 4", "8"),
        ),
        Mistake(
            "tag-of-one-byte",
            "A tag is a varint: from field number 16 on, it has more than one byte.",
            like=("tag, at = read_varint(data, at)", "tag, at = data[at], at + 1"),
        ),
        Mistake(
            "length-of-one-byte",
            "A length is a varint: from 128 on, it has more than one byte.",
            like=("length, at = read_varint(data, at)", "length, at = data[at], at + 1"),
        ),
        Mistake(
            "cut-short-is-fine",
            "A message that ends too early is an error. A slice does not complain when it gets less.",
            like=('raise ValueError("the file ends inside a field")', "pass"),
        ),
        Mistake(
            "another-error",
            "For a message that ends too early, raise ValueError instead of any other error.",
            when=lambda case, outcome, wanted: case.category == CUT and outcome.state == "raised",
        ),
    ),
)
