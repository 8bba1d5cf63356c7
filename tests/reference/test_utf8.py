"""The readable UTF-8 against the one inside Python: scalars of every size, short strings, borders, random bytes."""

from __future__ import annotations

import itertools
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.errors import InvalidText
from minbpe_course.reference import utf8
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

SCALARS = [
    *range(0x900),
    *range(0x900, 0xD800, 7),
    *range(0xE000, 0x110000, 61),
    0xD7FF,
    0xFFFF,
    0x10000,
    0x10FFFF,
]

# One byte on each side of every border in the rules.
BORDERS = bytes.fromhex("00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 f7 f8 fc fe ff")


def test_scalars_have_pythons_bytes_and_comes_back():
    encoded = [utf8.encode_code_point(code) for code in SCALARS]
    assert b"".join(encoded) == "".join(map(chr, SCALARS)).encode("utf-8")
    assert [step.code for step in utf8.decode_steps(b"".join(encoded))] == SCALARS


@pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
def test_surrogates_have_no_bytes_in_either_program(code):
    with pytest.raises(UnicodeEncodeError):
        chr(code).encode("utf-8")
    with pytest.raises(InvalidText, match=f"position 2: {code:#x} is a surrogate"):
        utf8.encode("ab" + chr(code))


def test_every_border_is_where_python_has_it():
    for values in itertools.product(BORDERS, repeat=3):
        data = bytes(values)
        assert utf8.decode(data, errors="replace") == data.decode("utf-8", errors="replace"), data.hex(" ")


@settings(max_examples=examples(300))
@given(st.lists(st.one_of(st.binary(max_size=4), st.text(max_size=3).map(lambda t: t.encode("utf-8")))).map(b"".join))
def test_steps_and_faults_lie_where_python_has_them(data):
    steps = list(utf8.decode_steps(data))
    assert [*(step.start for step in steps), len(data)] == [*accumulate((step.size for step in steps), initial=0)]
    characters = ["\ufffd" if step.code is None else chr(step.code) for step in steps]
    assert "".join(characters) == data.decode("utf-8", "replace")


@settings(max_examples=examples(300))
@given(st.binary(max_size=12))
def test_strict_refuses_exactly_what_python_refuses_and_names_the_byte(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        with pytest.raises(InvalidText, match=rf"^byte {error.start}: {data[error.start : error.end].hex(' ')} is no"):
            utf8.decode(data)
    else:
        assert utf8.decode(data) == text


def test_the_role_of_a_byte_is_the_place_in_which_python_uses_it():
    seen: dict[int, set[str]] = {byte: set() for byte in range(256)}
    for code in SCALARS:
        data = chr(code).encode("utf-8")
        seen[data[0]].add("ASCII" if len(data) == 1 else f"lead of {len(data)}")
        for byte in data[1:]:
            seen[byte].add("continuation")
    assert {byte: utf8.byte_role(byte) for byte in seen} == {b: "/".join(r) or "never" for b, r in seen.items()}
