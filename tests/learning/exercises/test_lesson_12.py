"""Compare the references of lesson 12 with tiktoken, on all short words where ids are compared."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest
import tiktoken.load

from minbpe_course.learning.exercises.lesson_12 import cache_name, keeps_ids
from minbpe_course.reference.encoding import encode_word
from minbpe_course.vocabularies.published_files import published_files
from tests.shared.lesson_code import cases_under


def args_of(key: str) -> list[Any]:
    """The first argument of every case, under several secrets."""
    return [case.args[0] for case in cases_under(6, key)]


def test_the_names_are_those_of_the_cache_of_tiktoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    for file in published_files():
        (tmp_path / cache_name.to_download([file.url], [])[file.url]).write_bytes(file.url.encode())
        assert tiktoken.load.read_file_cached(file.url) == file.url.encode()


def token_bytes(merges: list[tuple[int, int]]) -> list[bytes]:
    """Return the bytes of every id."""
    table = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return table


def ids_of_ranks(merges_: list[tuple[int, int]]) -> tiktoken.Encoding:
    ranks: dict[bytes, int] = {}
    for token_id, token in enumerate(token_bytes(merges_)):
        ranks.setdefault(token, token_id)
    return tiktoken.Encoding("ranks", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})


WORDS = ["".join(word) for size in range(1, 6) for word in itertools.product("abcd", repeat=size)]


@pytest.mark.medium
def test_ids_are_kept_when_tiktoken_keeps_them_on_all_short_words() -> None:
    rng = random.Random(4)
    answers = []
    chosen = [one for one in args_of("12.keeps_ids") if len(one) < 12][::4]
    for _ in range(60):  # merges of any two tokens, without training
        known, made = [97, 98, 99, 100], []
        for _ in range(rng.randint(1, 5)):
            made.append((rng.choice(known), rng.choice(known)))
            known.append(255 + len(made))
        chosen.append(made)
    for one in chosen:
        table = token_bytes(one)
        words = WORDS + [token.decode("latin-1") for token in table[256:]]
        ranks: dict[tuple[int, int], int] = {}
        for at, pair in enumerate(one):
            ranks.setdefault(pair, 256 + at)
        encoding = ids_of_ranks(one)
        same = all(encoding.encode(word) == encode_word(list(word.encode()), ranks) for word in words)
        same = same and len(set(table)) == len(table)
        assert keeps_ids.keeps_ids(one) == same, one
        answers.append(same)
    assert 10 < sum(answers) < len(answers) - 10
