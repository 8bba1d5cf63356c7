"""Every kind of difference is found, cut down and named."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from minbpe_course.errors import NotText
from minbpe_course.learning.judge import Difference, assert_same, assert_same_ids


def utf8(text: str) -> list[int]:
    return list(text.encode("utf-8"))


def utf8_but_wrong_on(needle: str):
    def encode(text: str) -> list[int]:
        return list(text.replace(needle, "?").encode("utf-8"))

    return encode


def message(*args, **kwargs) -> str:
    with pytest.raises(Difference) as caught:
        assert_same_ids(*args, **kwargs)
    return str(caught.value)


def test_equal_sides_are_summarised():
    assert assert_same_ids(["ab", "", "é"], utf8, utf8) == "3 texts, 4 ids: identical"
    assert assert_same_ids("ab", utf8, utf8) == "1 text, 2 ids: identical"


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_arrays_lists_and_tuples_compare_by_content(dtype):
    def as_array(text):
        return np.array(utf8(text), dtype=dtype)

    assert "identical" in assert_same_ids(["abc", "é"], as_array, lambda text: tuple(utf8(text)))


@pytest.mark.parametrize("nothing", [[], (), iter([]), (t for t in ())], ids=["list", "tuple", "iterator", "generator"])
def test_no_text_at_all_is_a_failure(nothing):
    assert "nothing was compared" in message(nothing, utf8, utf8)


@pytest.mark.parametrize("texts", [[b"bytes"], ["fine", None], [["nested"]]])
def test_only_str_is_a_text(texts):
    with pytest.raises(NotText, match=r"texts\["):
        assert_same_ids(texts, utf8, utf8)


@pytest.mark.parametrize("filler", [0, 1, 10_000])
def test_a_long_text_is_cut_down_to_what_fails(filler):
    text = "padding " * filler + "naïve" + " padding" * filler
    report = message(["fine", text], utf8_but_wrong_on("ï"), utf8)
    assert "texts[1]" in report
    assert "'ï' (1 character" in report
    assert "c3 af" in report
    assert "[63] (1 id)" in report
    assert "[195, 175] (2 ids)" in report


@pytest.mark.medium
def test_the_search_for_a_smaller_text_is_bounded():
    calls = 0

    def always_wrong_when_long(text: str) -> list[int]:
        nonlocal calls
        calls += len(text)
        return [0] if len(text) > 150_000 else utf8(text)

    message("a" * 200_000, always_wrong_when_long, utf8)
    assert calls < 12 * 200_000


def test_decode_names_tokens_and_the_byte():
    names = {1: b"lo", 2: b"w", 3: b"ow", 4: b"l"}
    report = message("low", lambda t: [1, 2], lambda t: [4, 3], decode=names.__getitem__)
    assert "|lo|w|" in report
    assert "|l|ow|" in report
    assert "which is byte 0" in report


def test_a_failing_side_is_a_difference_and_says_why():
    def fails(text: str) -> list[int]:
        if "\ud800" in text:
            raise ValueError("lone surrogate")
        return utf8(text)

    def utf8_of_anything(text: str) -> list[int]:
        return list(text.encode("utf-8", "surrogatepass"))

    report = message("abc\ud800", fails, utf8_of_anything)
    assert "raised ValueError: lone surrogate" in report
    assert r"'\ud800'" in report
    report.encode("utf-8")  # a report must be printable for every text
    with pytest.raises(Difference) as caught:
        assert_same_ids("abc\ud800", fails, utf8_of_anything)
    assert isinstance(caught.value.__cause__, ValueError)


def test_when_both_fail_the_error_is_ours():
    def fails(text: str) -> list[int]:
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        assert_same_ids("a", fails, fails)


def test_a_blank_exercise_is_not_a_difference():
    def blank(text: str) -> list[int]:
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        assert_same_ids("a", blank, utf8)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([1, 2], (1, 2)),
        (np.arange(6).reshape(3, 2), [(0, 1), (2, 3), (4, 5)]),
        (iter("ab"), ["a", "b"]),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ([{"a": np.arange(2)}], (MappingProxyType({"a": iter([0, 1])}),)),
        ({1, 2}, frozenset({2, 1})),
        (3, 3),
    ],
)
def test_values_with_the_same_content_are_the_same(ours, theirs):
    assert "identical" in assert_same(ours, theirs, "values")


@pytest.mark.parametrize(
    ("ours", "theirs", "says"),
    [
        ([1, 2, 3], [1, 9, 3], "at index 1: 2, wanted 9\n  yours   [1, 2, 3]\n  wanted  [1, 9, 3]"),
        ([1, 2, 3], [1, 2], "1 item too many"),
        ("low", "lot", "at character 2"),
        ("low", b"low", "yours is text (str), wanted is bytes"),
        ([1, 2], np.float32(3), "yours is a list, wanted is a number"),
        (object, [1, 2], "yours is type, wanted is a list"),
        ({"a": 1}, {"b": 1}, "the key 'b' is missing"),
        ({"a": 1, "b": 1}, {"a": 1}, "the key 'b' is not wanted"),
        ([1], [1, 2, 3], "equal up to the end of yours: 2 items are missing"),
        ({"a": 1}, {"a": 2}, "key 'a'"),
        ({1}, {1, 2}, "the values differ\n  yours   {1}\n  wanted  {1, 2}"),
        (0.1 + 0.2, 0.3, "the values differ"),
        (iter(()), iter(()), "nothing was compared"),
    ],
)
def test_values_that_differ_are_named(ours, theirs, says):
    with pytest.raises(Difference) as caught:
        assert_same(ours, theirs, "things")
    assert says in str(caught.value)
    assert str(caught.value).startswith("things")


def test_a_text_that_is_shown_whole_has_no_dots() -> None:
    with pytest.raises(Difference) as raised:
        assert_same_ids("abcdefghijkl", lambda text: [len(text) // 12], lambda text: [0])
    assert "  bytes   61 62 63 64 65 66 67 68 69 6a 6b 6c\n" in str(raised.value)
