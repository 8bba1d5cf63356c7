"""``kernels.raw_bytes`` says what ``bytes.decode``, ``reference.utf8`` and ``bytes.find`` say, at every border."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minbpe_course.errors import InvalidText
from minbpe_course.kernels.splitting.raw_bytes import has_pair, is_utf8
from minbpe_course.reference import utf8 as reference

EDGES = "\0\x7f\x80\xff\u0100\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"
WRONG = [
    b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xc2a", b"\xe0\x9f\x80", b"\xe0\xa0", b"\xed\xa0\x80",
    b"\xef\xbf", b"\xf0\x8f\x80\x80", b"\xf0\x90\x80", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff",
    b"\xc2\xc2\x80",
]  # fmt: skip


def said(data: bytes) -> bool:
    """Ask the kernel about bytes that end where their array ends."""
    array = np.frombuffer(data, dtype=np.uint8)
    return bool(is_utf8(array.ctypes.data, array.size))


def decodes(data: bytes) -> bool:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        with pytest.raises(InvalidText):
            reference.decode(data)
        return False
    assert reference.decode(data) == text
    return True


@pytest.mark.parametrize("before", [*range(5), *range(58, 68), 127, 128])
def test_small_every_place_in_a_window(before):
    for after in (0, 1, 3, 70):
        for text in EDGES:
            assert said(b"a" * before + text.encode() + b"b" * after)
        for wrong in WRONG:
            data = b"a" * before + wrong + b"b" * after
            assert not said(data)
            assert not decodes(data)
            assert not said("é".encode() * before + wrong + "日".encode() * after)


@pytest.mark.medium
@given(
    pieces=st.lists(st.one_of(st.text().map(str.encode), st.binary(max_size=4), st.sampled_from(WRONG)), max_size=12),
    repeated=st.integers(1, 9),
)
@example(pieces=[], repeated=1)
def test_reference_agrees_on_any_bytes(pieces, repeated):
    data = b"".join(pieces) * repeated
    assert said(data) == decodes(data)


@given(text=st.text(alphabet="<|a", max_size=200), spaces=st.integers(0, 140))
def test_pairs_of_bytes(text, spaces):
    data = b" " * spaces + text.encode()
    array = np.frombuffer(data, dtype=np.uint8)
    for pair in (b"<|", b"||", b"a<", b" <"):
        assert bool(has_pair(array.ctypes.data, array.size, *pair)) == (pair in data)
