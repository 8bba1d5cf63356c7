"""What the exercises of lesson 01 are measured with: references against witnesses, and wrong answers against them."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from minbpe_course.checks.callers import implementation_of, run_case
from minbpe_course.checks.catalogue import exercises, find
from minbpe_course.checks.equality import agree
from minbpe_course.checks.judge import cases_of
from minbpe_course.checks.lesson_01 import encode_pages as pages
from tests.shared.lesson_code import notebook_of, parts_of

SEEDS = ("first", "second", "third")
# Leads, second bytes at the edges of the narrowed ranges, a byte that is never right, and ASCII.
AWKWARD = (0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xFF)
FOLLOWING = [bytes(more) for length in range(4) for more in product((0x80, 0x90, 0xBF, 0x41), repeat=length)]


def drawn(key: str):
    return [tried.case for seed in SEEDS for tried in cases_of(find(key), seed)]


def common_beginning(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((at for at, (one, other) in enumerate(zip(first, last)) if one != other), min(len(first), len(last)))
    return first[:length]


def test_a_stream_gives_out_exactly_what_no_further_byte_can_change() -> None:
    make = find("01.stream_decoder").wanted
    for length in (1, 2, 3):
        for data in map(bytes, product(AWKWARD, repeat=length)):
            stream = make()
            certain = stream.feed(data)
            # Whatever may follow, decoded whole by Python: what all of these have in common is certain.
            endings = [(data + more).decode("utf-8", "replace") for more in FOLLOWING]
            assert certain == common_beginning(endings), data.hex(" ")
            assert certain + stream.finish() == data.decode("utf-8", "replace"), data.hex(" ")
            assert stream.pending() == b""


def test_a_cut_is_what_decoding_and_ignoring_leaves() -> None:
    for case in drawn("01.cut_before"):
        data, limit = case.args
        assert find("01.cut_before").wanted(data, limit) == data[:limit].decode("utf-8", "ignore").encode("utf-8")


def test_right_knives_agree_and_each_wrong_one_differs_somewhere() -> None:
    exercise, cases = find("01.test_cut_before"), drawn("01.cut_before")
    wanted = [run_case(find("01.cut_before").wanted, case) for case in cases]
    for source in exercise.right:
        answers = [run_case(implementation_of(source, "cut_before"), case) for case in cases]
        assert all(map(agree, answers, wanted)), source
    for mutant in exercise.mutants:
        answers = [run_case(implementation_of(mutant.source, "cut_before"), case) for case in cases]
        assert not all(map(agree, answers, wanted)), mutant.name


LIKE = [(exercise.key, mistake) for exercise in exercises("01") for mistake in exercise.mistakes if mistake.like]


@pytest.mark.parametrize(("key", "mistake"), LIKE, ids=lambda value: value if isinstance(value, str) else value.name)
def test_a_known_mistake_shows_for_every_seed_and_is_no_other(key, mistake) -> None:
    for seed in SEEDS:
        tried = cases_of(find(key), seed)
        failing = [one.case for one in tried if not agree(run_case(mistake.like, one.case), one.wanted)]
        assert failing, f"seed {seed!r} cannot tell it from a right answer"
        others = [other for exercise_key, other in LIKE if exercise_key == key and other is not mistake]
        for other in others:
            alike = all(agree(run_case(mistake.like, case), run_case(other.like, case)) for case in failing)
            assert not alike or LIKE.index((key, mistake)) < LIKE.index((key, other)), other.name


def test_learners_have_the_reader_that_judges_their_pages() -> None:
    (given,) = (source for _, role, source in parts_of(notebook_of("01")) if role == "given")
    names: dict = {}
    exec(compile(given, "<given>", "exec"), names)
    random = Random(5)
    commands = (pages.OPEN, pages.SWAP, pages.ONE, pages.RUN, 0, 1, 8, 0x20, 0x41, 0x85, 0xFF)
    read = 0
    for length in range(400):
        data = bytes(random.choices(commands, k=length % 23))
        theirs, ours = (_or_error(reader, data) for reader in (names["decode_pages"], pages.decode_pages))
        assert theirs == ours, data.hex(" ")
        read += isinstance(ours, str)
    assert 50 < read < 350, "both kinds of bytes were tried"


def _or_error(reader, data: bytes):
    try:
        return reader(data)
    except (ValueError, IndexError) as error:
        return type(error), str(error)
