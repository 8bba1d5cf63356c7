"""``kernels.utf8`` writes what ``str.encode`` and ``reference.utf8`` write, for every kind of str that CPython has."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.kernels.common.utf8 import SLACK, room_for, size_of_utf8, write_utf8
from minbpe_course.reference import utf8 as reference

# One character of each width makes CPython keep the whole text in 1, 1, 2 or 4 bytes a character.
WIDEST = ["a", "é", "я", "😀"]
EDGES = "\0\x7f\x80\xff\u0100\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"


def written(text: str, *stretches: tuple[int, int]) -> list[bytes]:
    """Write stretches of a text into a buffer that is just large enough, and check that nothing after it changed."""
    places = np.array(stretches, dtype=np.int64).ravel()
    room = SLACK + sum(room_for(text, stop - start) - SLACK for start, stop in stretches)
    out = np.full(room + 64, 0xEE, dtype=np.uint8)
    end = write_utf8(text, places.ctypes.data, len(stretches), out.ctypes.data)
    assert set(out[room:]) == {0xEE}
    base = out.ctypes.data
    assert end == (places[-1] if len(stretches) else base)
    return [out[begin - base : end - base].tobytes() for begin, end in places.reshape(-1, 2).tolist()]


@pytest.mark.parametrize("widest", WIDEST)
def test_small_no_reference_to_a_text_is_kept(widest):
    text = widest * 50
    place, out = np.array([0, 50], dtype=np.int64), np.zeros(room_for(text, 50), dtype=np.uint8)
    before = sys.getrefcount(text)
    for _ in range(20):
        place[:] = 0, 50
        size_of_utf8(text, place.ctypes.data, 1)
        write_utf8(text, place.ctypes.data, 1, out.ctypes.data)
    assert sys.getrefcount(text) == before


@pytest.mark.parametrize("widest", WIDEST)
@pytest.mark.parametrize("length", [*range(0, 36), 63, 64, 65])
def test_small_all_lengths_and_places(widest, length):
    for at in {0, length // 2, length - 1} & {*range(length)}:
        text = "x" * at + widest + "y" * (length - at - 1)
        assert written(text, (0, length)) == [text.encode()]
        assert written(text, (at, length), (0, at)) == [text[at:].encode(), text[:at].encode()]


def test_small_edges_of_every_width():
    for text in (EDGES, EDGES[:3], EDGES[:4], EDGES[:-2], EDGES * 5, EDGES + "a" * 40 + EDGES):
        assert written(text, (0, len(text))) == [text.encode()]
        assert written(text, (0, len(text))) == [reference.encode(text)]


@pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC00, 0xDFFF], ids=hex)
def test_small_lone_surrogates_are_refused(code):
    surrogate = chr(code)
    for text in (surrogate, "a" * 20 + surrogate, surrogate + "b" * 20 + "😀"):
        out = np.empty(room_for(text, len(text)), dtype=np.uint8)
        places = np.array([0, len(text)], dtype=np.int64)
        assert write_utf8(text, places.ctypes.data, 1, out.ctypes.data) == -1


@given(text=st.text(), widest=st.sampled_from(WIDEST), data=st.data())
def test_reference_agrees_on_any_stretches(text, widest, data):
    text += widest
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    stretches = list(pairwise(cuts))
    assert written(text, *stretches) == [text[start:stop].encode() for start, stop in stretches]


def test_every_code_point():
    text = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    assert written(text, (0, len(text))) == [text.encode()]
