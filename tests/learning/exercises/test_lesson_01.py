"""Compare the reference of a stream of lesson 01 with Python's own decoder."""

from __future__ import annotations

from itertools import product

from minbpe_course.learning.judge.catalogue import find

# First bytes, second bytes at the edges of the narrower ranges, a byte that is never valid, and ASCII.
AWKWARD = (0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xFF)
FOLLOWING = [bytes(more) for length in range(4) for more in product((0x80, 0x90, 0xBF, 0x41), repeat=length)]


def common_beginning(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((at for at, (one, other) in enumerate(zip(first, last)) if one != other), min(len(first), len(last)))
    return first[:length]


def test_a_stream_returns_exactly_the_text_that_no_further_byte_can_change() -> None:
    make = find("01.stream_decoder").wanted
    for length in (1, 2, 3):
        for data in map(bytes, product(AWKWARD, repeat=length)):
            stream = make()
            certain = stream.feed(data)
            # Whichever bytes follow: the common beginning of all decoded texts is certain.
            endings = [(data + more).decode("utf-8", "replace") for more in FOLLOWING]
            assert certain == common_beginning(endings), data.hex(" ")
            assert certain + stream.finish() == data.decode("utf-8", "replace"), data.hex(" ")
            assert stream.pending() == b""
