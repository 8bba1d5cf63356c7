"""Compare the references of lesson 01, and the right ways to cut, with Python's own decoder."""

from __future__ import annotations

from itertools import product
from random import Random

from minbpe_course.checks.callers import implementation_of, run_case
from minbpe_course.checks.catalogue import find
from minbpe_course.checks.equality import agree
from minbpe_course.checks.lesson_01.encode_pages import ONE, OPEN, RUN, SWAP, decode_pages
from tests.shared.lesson_code import cases_under, notebook_of, parts_of

# First bytes, second bytes at the edges of the narrower ranges, a byte that is never valid, and ASCII.
AWKWARD = (0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xFF)
FOLLOWING = [bytes(more) for length in range(4) for more in product((0x80, 0x90, 0xBF, 0x41), repeat=length)]
CUT_CASES = cases_under(3, "01.cut_before")


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


def test_a_cut_keeps_what_decoding_with_errors_ignored_keeps() -> None:
    for case in CUT_CASES:
        data, limit = case.args
        assert find("01.cut_before").wanted(data, limit) == data[:limit].decode("utf-8", "ignore").encode("utf-8")


def test_right_cuts_agree() -> None:
    exercise = find("01.test_cut_before")
    wanted = [run_case(find("01.cut_before").wanted, case) for case in CUT_CASES]
    for source in exercise.right:
        answers = [run_case(implementation_of(source, "cut_before"), case) for case in CUT_CASES]
        assert all(map(agree, answers, wanted)), source


def test_the_decoder_of_the_notebook_is_the_one_that_judges() -> None:
    (given,) = (source for _, role, source in parts_of(notebook_of("01")) if role == "given")
    names: dict = {}
    exec(compile(given, "<given>", "exec"), names)
    random = Random(5)
    commands = (OPEN, SWAP, ONE, RUN, 0, 1, 8, 0x20, 0x41, 0x85, 0xFF)
    decoded = 0
    for length in range(400):
        data = bytes(random.choices(commands, k=length % 23))
        theirs, ours = (_text_or_error(decode, data) for decode in (names["decode_pages"], decode_pages))
        assert theirs == ours, data.hex(" ")
        decoded += isinstance(ours, str)
    assert 50 < decoded < 350, "both valid and invalid bytes were tried"


def _text_or_error(decode, data: bytes):
    try:
        return decode(data)
    except (ValueError, IndexError) as error:
        return type(error), str(error)
