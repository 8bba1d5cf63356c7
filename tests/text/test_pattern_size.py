"""The size of a pattern, by its parts and by its text, against the ``regex`` library's own count."""

from __future__ import annotations

import pytest
import regex

from minbpe_course.errors import UnsupportedPattern
from minbpe_course.splitting.splitter import compile_pattern
from minbpe_course.text.pattern_reading import REGEX, read_pattern
from minbpe_course.text.pattern_size import largest_size, size_of


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [("x{7}", 7), ("(?:xy{2,3}){4}", 16), ("(?:x|y){3}z", 4), ("(?x)x{1#\n0}", 10), ("(?x)x{1 1}", 11), ("x{,9}", 9)],
)
def test_a_size_is_no_less_than_the_longest_match(pattern: str, longest: int) -> None:
    text = "xyyyxyyyxyyyxyyy" if "y{2,3}" in pattern else "xxxz" if "z" in pattern else "x" * longest
    assert regex.fullmatch(pattern, text[:longest])
    assert largest_size(pattern) >= longest
    if "(?x)" not in pattern and "{," not in pattern:
        assert size_of(read_pattern(pattern, REGEX)) >= longest


@pytest.mark.parametrize(
    "pattern",
    [
        "[(?R)]+|[^(?R)]",
        r"\(?R\)|[\s\S]",
        "x{65535}|[^x]",
        "(?:a{1,30}b{1,30}c{1,30}d{1,30}e{1,30})|.",
        r"\w{1,900}|\W",
    ],
)
def test_what_only_looks_large_is_compiled(pattern: str) -> None:
    assert compile_pattern(pattern).pattern == pattern


@pytest.mark.parametrize(
    "pattern", ["(?R)", "(a)(?1)", "(?P<n>a)(?&n)", "(?x)a{9#\n9}", "(?:a{999}){999}", "(?:\\X{999}){999}"]
)
def test_what_is_too_large_is_named(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern, match=r"parts once its counts|a call of a group|a comment inside"):
        compile_pattern(pattern)
