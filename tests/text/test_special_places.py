"""The search for special tokens, against the search of str and against the plainest search."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.text.special_places import Finder, crossed_from, find_mark


@given(st.text("<|a", max_size=60) | st.text("<|a", max_size=9).map(lambda text: text * 300), st.integers(0, 70))
def test_a_mark_is_found_where_str_finds_it(text: str, start: int) -> None:
    for mark in ("<|", "|", "<<|", "a<|", "｜"):
        assert find_mark(text, mark, start) == text.find(mark, start)
        assert find_mark(text + mark, mark, start) == (text + mark).find(mark, start)


# Few letters, so that names overlap and contain each other; long ones, so that a region is cut in the middle of a name.
NAMES = st.lists(st.text("ab<", min_size=1, max_size=5), max_size=8) | st.lists(
    st.tuples(st.text("ab", max_size=3), st.sampled_from([1, 40, 130, 300]), st.text("ab<", max_size=2)).map(
        lambda parts: parts[0] + "a" * parts[1] + parts[2]
    ),
    max_size=4,
)
TEXTS = st.lists(st.sampled_from(["a", "b", "<", "ab", "a" * 130, "a" * 700, "é", "\ud800"]), max_size=12).map("".join)


@given(TEXTS, NAMES, st.data())
def test_every_search_is_the_plainest_search(text: str, names: list[str], data: st.DataObject) -> None:
    finder = Finder(names)
    longest = [max((len(name) for name in names if text.startswith(name, at)), default=0) for at in range(len(text))]
    everywhere = [(at, at + length) for at, length in enumerate(longest) if length]
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    assert list(finder.occurrences(text)) == everywhere
    assert list(finder.occurrences(text, start, stop)) == [place for place in everywhere if start <= place[0] < stop]
    places, done = [], 0
    for begin, end in everywhere:
        if begin >= done:
            places.append((begin, end))
            done = end
    assert list(finder.places(text)) == places
    assert finder.may_find(text) or not places
    borders = [0, *(at for place in places for at in place), len(text)]
    assert list(finder.between(text)) == [(a, b) for a, b in zip(borders[::2], borders[1::2]) if a < b]
    assert crossed_from(text, start, names) == next((a for a, b in everywhere if a < start < b), None)
    beginnings = {text[:size] for size in range(1, len(text) + 1)}
    ends_there = any(name[at:] in beginnings for name in names for at in range(len(name)))
    assert finder.overlaps(text) == (bool(everywhere) or ends_there)


# Names and texts for which a search that tries every name, or every length, at every place takes minutes; and a name
# that needs gigabytes if all that it begins with is stored.
HOSTILE = """
import sys
if sys.platform != "win32":
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from minbpe_course.text.special_places import Finder
for names, text in [
    (["a" * size + "b" for size in range(1_500)], "a" * 50_000),
    (["b" + "a" * size for size in range(1_500)], "a" * 50_000 + "b" * 50_000),
    (["a" * size for size in range(1, 1_500)] + ["a" * 1_500 + "b"], "a" * 50_000),
    (["a", "a" * 50_000 + "b"], "a" * 100_000),
    (["a" * (1 << 18) + "b"], "a" * (1 << 18) + "c"),
    ([f"<{number}>" for number in range(16_000)], "<1234<12345><123" * 5_000),
]:
    finder = Finder(names)
    print(sum(1 for _ in finder.places(text)), sum(1 for _ in finder.occurrences(text)), finder.overlaps(text))
"""


@pytest.mark.medium
def test_hostile_names_take_linear_time_and_memory() -> None:
    found = subprocess.run([sys.executable, "-c", HOSTILE], capture_output=True, text=True, timeout=100, check=True)
    assert found.stdout.splitlines() == [
        "0 0 False",
        "50000 50000 True",
        "34 50000 True",
        "100000 100000 True",
        "0 0 False",
        "5000 5000 True",
    ]
