"""Counts files: their content, merging in any order, pruning, and errors."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import count_words, merge_counts, open_counts, prune_counts, write_counts
from minbpe_course.corpus.texts import course_text
from minbpe_course.counting.counts_file import Header, merge_runs, run_bytes, write_run
from minbpe_course.counting.counts_file import merging as counts_merging
from minbpe_course.counting.word_counts import Dropped, Rows
from minbpe_course.errors import (
    InvalidOption,
    InvalidSource,
    MissingFile,
    UnreadableInput,
    UnusablePath,
)
from minbpe_course.reference.runs import WordRow
from tests.counting.counts_cases import HEADER, arrays, hostile_text, hostile_texts, run_of
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

TEXT = hostile_text(3, 8000)


@pytest.fixture
def counts(tmp_path):
    return merge_runs([run_of(TEXT)], tmp_path / "all.counts")


def test_a_file_is_a_mapping(counts):
    expected = Counter(TEXT)
    assert dict(counts.items()) == expected
    assert list(counts) == sorted(expected)
    assert (len(counts), counts.occurrences, counts.bytes) == (len(expected), len(TEXT), len(b"".join(TEXT)))
    assert counts.longest == max(map(len, TEXT))
    for word in [*random.Random(1).sample(sorted(expected), 200), min(expected), max(expected)]:
        assert counts[word] == expected[word]
        assert word in counts
    for word in (b"", b"no such word", max(expected) + b"\0", min(expected)[:-1], b"\xff" * 500):
        assert word not in counts
        assert counts.get(word) is None
    assert "text" not in counts
    assert counts.most_common(25) == expected.most_common(25)
    assert counts.most_common(0) == []
    assert (counts.pattern, counts.special_tokens, counts.min_frequency) == (HEADER.pattern, ("<|end|>",), 1)
    counts.check()


def test_a_file_is_pickled_by_its_path(counts):
    again = pickle.loads(pickle.dumps(counts))
    assert (again.path, dict(again)) == (counts.path, dict(counts))


# ----------------------------------------------------------------------------------------------------
# Merging


@settings(max_examples=examples(25))
@given(st.lists(hostile_texts, min_size=3, max_size=6), st.data())
def test_merging_in_any_groups_gives_the_same_bytes(tmp_path_factory, texts, data):
    folder = tmp_path_factory.mktemp("merged")
    whole = run_of([word for text in texts for word in text])
    runs = [merge_runs([run_of(text)], folder / f"{number}.counts") for number, text in enumerate(texts)]
    paths = [run.path for run in runs]
    assert merge_counts(paths, folder / "all.counts").path.read_bytes() == whole
    # Merge adjacent files until one is left.
    while len(paths) > 1:
        at = data.draw(st.integers(0, len(paths) - 2))
        both = folder / f"{paths[at].name}+"
        merge_counts(paths[at : at + 2], both)
        paths[at : at + 2] = [both]
    assert paths[0].read_bytes() == whole


def test_shifts_in_any_order(tmp_path):
    texts = [TEXT[at : at + 1000] for at in range(0, len(TEXT), 1000)]
    shifts = [len(b"".join(TEXT[:at])) for at in range(0, len(TEXT), 1000)]
    order = random.Random(2).sample(range(len(texts)), len(texts))
    runs = [run_of(texts[number]) for number in order]
    for memory in (1, 1 << 30):
        made = merge_runs(runs, tmp_path / "all.counts", shifts=[shifts[number] for number in order], memory=memory)
        assert made.path.read_bytes() == run_of(TEXT)
    assert [path.name for path in tmp_path.iterdir()] == ["all.counts"], "nothing is left beside it"


def test_pruning_records_what_it_dropped(counts, tmp_path):
    expected = Counter(TEXT)
    pruned = prune_counts(counts.path, tmp_path / "2.counts", 2)
    once = [word for word, count in expected.items() if count == 1]
    assert pruned.dropped == Dropped(len(once), len(once), sum(map(len, once)))
    assert dict(pruned) == {word: count for word, count in expected.items() if count > 1}
    assert (pruned.bytes, pruned.min_frequency) == (counts.bytes, 2)
    later = prune_counts(pruned.path, tmp_path / "5.counts", 5)
    at_once = prune_counts(counts.path, tmp_path / "at once.counts", 5)
    assert later.path.read_bytes() == at_once.path.read_bytes()
    assert merge_runs([counts.path], tmp_path / "merged.counts", min_frequency=5).path.read_bytes() == (
        at_once.path.read_bytes()
    )
    both = merge_counts([later.path, counts.path], tmp_path / "both.counts")
    assert (both.dropped, both.min_frequency, both.bytes) == (later.dropped, 5, 2 * counts.bytes)
    assert both.occurrences + both.dropped.occurrences == 2 * len(TEXT)


def test_a_file_may_be_pruned_in_place(counts):
    before = len(counts)
    prune_counts(counts.path, counts.path, 3)
    assert len(open_counts(counts.path)) < before
    with pytest.raises(UnreadableInput, match="replaced"):
        list(counts)


def test_few_files_are_open_at_once(tmp_path, monkeypatch):
    opened, most = set(), 0
    real = counts_merging.BlockReader

    class Watched(real):
        def __init__(self, source):
            nonlocal most
            super().__init__(source)
            opened.add(self)
            most = max(most, len(opened))

        def close(self):
            super().close()
            opened.discard(self)

    monkeypatch.setattr(counts_merging, "BlockReader", Watched)
    runs = [run_of(TEXT[at : at + 10]) for at in range(0, 3000, 10)]
    made = merge_runs(runs, tmp_path / "all.counts", memory=1 << 40)
    assert made.path.read_bytes() == run_of(TEXT[:3000])
    assert most <= 128


# ----------------------------------------------------------------------------------------------------
# Mappings


def test_word_counts_keep_their_order(tmp_path):
    known = count_words(course_text())
    kept = write_counts(known, tmp_path / "text.counts", pattern="cl100k_base")
    assert list(kept.load().items()) == list(known.items())
    assert kept.pattern == Header("cl100k_base").pattern != "cl100k_base"
    twice = merge_counts([kept.path, kept.path], tmp_path / "twice.counts")
    assert list(twice.load().items()) == [(word, 2 * count) for word, count in known.items()]
    kept.check()


def test_mappings_of_text(tmp_path):
    kept = write_counts({"naïve": 2, "a": 1}, tmp_path / "two.counts", special_tokens=["<|a|>", "\ud800"])
    assert list(kept.rows()) == [(b"a", 1, 12), ("naïve".encode(), 2, 0)]
    assert open_counts(kept.path).special_tokens == ("<|a|>", "\ud800")
    assert kept.header.places == "order"


@pytest.mark.parametrize("wrong", [{b"low": 0}, {b"low": 1.5}, {7: 1}, {b"a": 1 << 62, b"b": 1 << 62}], ids=repr)
def test_mappings_with_invalid_counts(tmp_path, wrong):
    with pytest.raises(InvalidSource):
        write_counts(wrong, tmp_path / "no.counts")
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------------------------------
# Errors


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (dict(text=b"lowlow"), "distinct"),
        (dict(counts=[1, 0]), "above 0"),
        (dict(firsts=[0, -1]), "places"),
        (dict(ends=[3, 3]), "empty"),
        (dict(ends=[3, 2]), "ascend"),
        (dict(ends=[3, 9]), "hold all"),
        (dict(counts=[1]), "one length"),
    ],
    ids=repr,
)
def test_runs_that_contradict_themselves(change, match):
    given = dict(text=b"newlow"[:6], ends=[3, 6], counts=[1, 1], firsts=[0, 3]) | change
    text = np.frombuffer(given["text"], dtype=np.uint8)
    columns = [np.array(given[name], dtype=np.int64) for name in ("ends", "counts", "firsts")]
    with pytest.raises(InvalidSource, match=match):
        run_bytes(Rows(text, *columns), header=HEADER)


def test_a_count_beyond_63_bits(tmp_path):
    rows = [WordRow(b"a", (1 << 62) + 5, 0)]
    half = write_run(tmp_path / "half", arrays(rows), header=HEADER)
    with pytest.raises(InvalidSource, match="63 bits"):
        merge_counts([half.path, half.path], tmp_path / "too.counts")
    rows = [WordRow(b"a" * 3, 1 << 62, 0), WordRow(b"b", 1, 1)]
    with pytest.raises(InvalidSource, match="63 bits"):
        run_bytes(arrays(rows), header=HEADER)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half"]


def test_counts_that_were_split_differently(tmp_path):
    one = write_counts({"low": 1}, tmp_path / "one.counts", pattern="gpt2")
    ways = dict(pattern="cl100k_base"), {}, dict(pattern="gpt2", special_tokens=["x"])
    for number, options in enumerate((*ways, dict(pattern="gpt2", cleaning=["urls"]))):
        other = write_counts({"low": 1}, tmp_path / f"{number}.counts", **options)
        with pytest.raises(InvalidSource, match=f"{number}.counts"):
            merge_counts([one.path, one.path, other.path], tmp_path / "sum.counts")
    same = [write_counts({"a": 1}, tmp_path / name, special_tokens=order) for name, order in (("x", "ab"), ("y", "ba"))]
    assert merge_counts([each.path for each in same], tmp_path / "sum.counts").special_tokens == ("a", "b")


def test_invalid_calls(counts, tmp_path):
    with pytest.raises(InvalidSource, match="nothing to merge"):
        merge_counts([], tmp_path / "sum.counts")
    for least in (0, -1):
        with pytest.raises(InvalidOption, match="min_frequency"):
            prune_counts(counts.path, tmp_path / "pruned.counts", least)
    with pytest.raises(InvalidOption, match="shifts"):
        merge_runs([counts.path], tmp_path / "sum.counts", shifts=[0, 1])
    with pytest.raises(MissingFile):
        open_counts(tmp_path / "none.counts")
    with pytest.raises(UnusablePath):
        open_counts(tmp_path)
    with pytest.raises(UnusablePath, match="folder"):
        merge_counts([counts.path], tmp_path / "none" / "sum.counts")
    (tmp_path / "text.txt").write_bytes(b"low low lower")
    with pytest.raises(UnreadableInput, match="not a counts file"):
        open_counts(tmp_path / "text.txt")
    data = counts.path.read_bytes()
    (tmp_path / "newer.counts").write_bytes(data[:15] + b"\x02" + data[16:])
    with pytest.raises(UnreadableInput, match="version"):
        open_counts(tmp_path / "newer.counts")


# ----------------------------------------------------------------------------------------------------
# Very long words, and the memory that the operating system measures


def test_words_longer_than_blocks(tmp_path):
    long = [b"x" * 3_000_000, b"x" * 3_000_001, b"y", b"x" * 100_000 + b"z"]
    made = merge_runs([run_of(long), run_of(long[::-1])], tmp_path / "long.counts")
    assert dict(made) == dict.fromkeys(long, 2)
    assert made[long[1]] == 2
    assert [len(word) for word in made.load()] == [len(word) for word in long]
