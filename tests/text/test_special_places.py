"""The search for special tokens, against the search of str."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.text.special_places import find_mark


@given(st.text("<|a", max_size=60) | st.text("<|a", max_size=9).map(lambda text: text * 300), st.integers(0, 70))
def test_a_mark_is_found_where_str_finds_it(text: str, start: int) -> None:
    for mark in ("<|", "|", "<<|", "a<|", "｜"):
        assert find_mark(text, mark, start) == text.find(mark, start)
        assert find_mark(text + mark, mark, start) == (text + mark).find(mark, start)
