"""A str made from UTF-8 by compiled code equals what Python's decoder makes, in value and in form."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.kernels.common import lists, objects
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.decoding import texts
from tests.kernels.test_raw_bytes import WRONG
from tests.shared.long_run import examples

pytestmark = [
    pytest.mark.medium,
    pytest.mark.skipif(not lists.objects_work(), reason="compiled code may not touch objects here"),
]

WIDE = "é", "ÿ", "Ā", "߿", "ࠀ", "–", "퟿", "\ue000", "\uffff", "\U00010000", "🙂", "\U0010ffff"


@compiled(gil=True)
def _text(data, size, errors, block):
    return objects.owned(texts.text_from(data.ctypes.data, size, errors, block))


@compiled(gil=True)
def _survey(data, size):
    return texts.survey(data.ctypes.data, size)


@compiled(gil=True)
def _transcode(data, size, out, width):
    return texts.transcode(data.ctypes.data, size, out.ctypes.data, width)


def text_of(data: bytes, errors: str = "replace", behind: bytes = b"\x80") -> str:
    # Bytes after the text must not matter, least of all bytes that could continue its last character.
    room = np.frombuffer(data + behind * 80, dtype=np.uint8)
    return _text(room, len(data), id(errors), lists.block(0))


def outcome(call: Callable[[], str]) -> tuple[str, int] | str:
    try:
        made = call()
    except UnicodeDecodeError as error:
        return str(error)
    return made, sys.getsizeof(made)


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from(["a", "bcdefgh ", "x" * 63, "y" * 64, *WIDE]), min_size=5, max_size=60), st.randoms())
def test_whole_texts(parts: list[str], chance: random.Random) -> None:
    for text in ("".join(parts), "".join(parts) + "z" * chance.randrange(300), "z" * chance.randrange(200) + parts[-1]):
        data = text.encode()
        for behind in (b"\x80", b"a", b"\xff"):
            made = text_of(data, behind=behind)
            assert made == text
            assert hash(made) == hash(text)
            assert sys.getsizeof(made) == sys.getsizeof(data.decode()), "not the narrowest form"


@settings(max_examples=examples(300))
@given(
    st.binary(max_size=6) | st.sampled_from(WRONG),
    st.integers(0, 200),
    st.integers(0, 200),
    st.sampled_from(["", *WIDE]),
)
def test_any_bytes_among_ascii(middle: bytes, before: int, after: int, other: str) -> None:
    data = b"a" * before + middle + other.encode() + b"b" * after
    for errors in ("strict", "replace", "ignore"):
        made = outcome(lambda: text_of(data, errors))  # noqa: B023
        assert made == outcome(lambda: data.decode("utf-8", errors))  # noqa: B023


@settings(max_examples=examples(200))
@given(st.text(max_size=200))
def test_the_survey_counts_characters_and_finds_the_widest(text: str) -> None:
    text = "".join(c for c in text if not "\ud800" <= c <= "\udfff")
    data = text.encode()
    widest = max(map(ord, text), default=0)
    width = 0 if widest < 0x80 else 1 if widest < 0x100 else 2 if widest < 0x10000 else 4
    room = np.frombuffer(data + b"\xff" * 80, dtype=np.uint8)
    assert _survey(room, len(data)) == (len(text), width)
    if width:
        # Not one byte more than the characters take is written.
        out = np.full(width * len(text) + 40, 0xEE, dtype=np.uint8)
        assert _transcode(room, len(data), out, width) == len(text)
        assert out[: width * len(text)].view(f"<u{width}").tolist() == list(map(ord, text))
        assert set(out[width * len(text) :].tolist()) == {0xEE}


def test_every_character_once() -> None:
    for start in range(0x80, 0x110000, 997):
        text = "".join(chr(code) for code in range(start, min(start + 997, 0x110000)) if not 0xD800 <= code < 0xE000)
        spaced = "".join(f"{character}abcdefghi" for character in text)
        assert text_of(spaced.encode()) == spaced
