"""Counts do not depend on how the work was cut up: chunks, ceilings, files, formats, threads, spills, resuming.

Hostile texts in random cuts, against words that ``regex`` finds in whole documents and a dict that counts them. A few
dozen corpora always, thousands with MINBPE_COURSE_LONG_TESTS=1; a failure names the seed that makes it again.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from minbpe_course.corpus.reading import Corpus
from minbpe_course.counting.bounded import count_bounded
from minbpe_course.counting.count_words import count_words
from minbpe_course.counting.counts_file import CountsFile, write_counts
from minbpe_course.text.patterns import named_pattern
from tests.counting.hostile_corpora import (
    KINDS,
    PACKED,
    SPECIAL_TOKENS,
    counted_plainly,
    hostile_documents,
    in_small_steps,
    one_line,
    written,
)

LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
GROUPS, TURNS = (40, 50) if LONG else (8, 4)
PATTERNS = ["gpt2", "cl100k_base", "o200k_base", None, r"\S+|\s+(?!\S)|\s+"]


def rows(counts: CountsFile) -> dict[bytes, list[int]]:
    counts.check()
    return {word: [count, first] for word, count, first in counts.rows()}


def count(source, chance: random.Random, sizes: dict[str, int], folder: Path, pattern, specials) -> CountsFile:
    return count_bounded(
        source,
        None if pattern is None else named_pattern(pattern),
        specials,
        threads=sizes["threads"],
        memory=None,
        checkpoint=chance.choice([None, folder / "state"]),
        engine=None,
        min_frequency=1,
        output=folder / "counted.counts",
        progress=None,
        every=chance.choice([0.0, 0.001, 30.0]),
    )


@pytest.mark.parametrize("group", range(GROUPS))
def test_counts_are_those_of_regex_and_a_dict(group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for turn in range(TURNS):
        chance = random.Random(f"{group} {turn}")
        pattern, specials = chance.choice(PATTERNS), chance.choice([[], SPECIAL_TOKENS, SPECIAL_TOKENS[:1]])
        kind, packed = chance.choice(["iterable", *KINDS]), chance.choice(["", "", "", *PACKED])
        documents = hostile_documents(chance)
        if kind == "lines":
            documents = [one_line(document) for document in documents]
        plain = counted_plainly(documents, pattern, specials)
        folder = tmp_path / str(turn)
        sizes = in_small_steps(monkeypatch, chance)
        told = (group, turn, pattern, specials, kind, packed, sizes)

        def source(documents=documents, kind=kind, packed=packed, folder=folder):
            if kind == "iterable":
                return iter(documents)
            paths, options = written(folder, documents, kind, packed)
            return Corpus(*paths, **options)

        folder.mkdir()
        made = count(source(), chance, sizes, folder, pattern, specials)
        assert rows(made) == plain, told
        in_memory = count_words(documents, pattern=pattern, special_tokens=specials, num_threads=sizes["threads"])
        assert dict(in_memory) == {word: number for word, (number, _) in plain.items()}, told
        assert list(in_memory) == list(plain), told
        # The same bytes from a text in memory, a corpus in files, and a corpus counted in one go.
        whole = write_counts(
            in_memory, folder / "whole.counts", pattern=None if pattern is None else named_pattern(pattern),
            special_tokens=specials,
        )  # fmt: skip
        assert made.path.read_bytes() == whole.path.read_bytes(), told


@pytest.mark.parametrize("group", range(GROUPS // 4))
def test_another_order_of_files_changes_first_places_alone(
    group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for turn in range(TURNS):
        chance = random.Random(f"order {group} {turn}")
        documents = hostile_documents(chance, 9)
        folder = tmp_path / str(turn)
        paths, _ = written(folder, documents, "text", chance.choice(list(PACKED)))
        order = chance.sample(range(len(paths)), len(paths))
        sizes = in_small_steps(monkeypatch, chance)
        made = rows(count([paths[at] for at in order], chance, sizes, folder, "o200k_base", SPECIAL_TOKENS))
        assert made == counted_plainly([documents[at] for at in order], "o200k_base", SPECIAL_TOKENS), (group, turn)
        first = counted_plainly(documents, "o200k_base", SPECIAL_TOKENS)
        assert {word: number for word, (number, _) in made.items()} == {
            word: number for word, (number, _) in first.items()
        }


@pytest.mark.parametrize(
    "text",
    ["x" * 5_000, "9" * 5_000, "\u0301" * 3_000, "é" * 3_000, " " * 5_000, "\u00a0" * 3_000, "!" * 4_999 + "\n"],
    ids=["letters", "digits", "marks", "two bytes each", "spaces", "hard spaces", "signs"],
)  # fmt: skip
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_without_a_safe_cut(
    text: str, pattern: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(len(text))
    sizes = in_small_steps(monkeypatch, chance) | {"threads": 2}
    paths, _ = written(tmp_path, [text, "a" + text], "text")
    made = count(paths, chance, sizes, tmp_path, pattern, [])
    assert rows(made) == counted_plainly([text, "a" + text], pattern)
