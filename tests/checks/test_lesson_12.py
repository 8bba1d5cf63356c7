"""The references of lesson 12, compared with tiktoken, mistral-common, and all short words."""

from __future__ import annotations

import base64
import itertools
import json
import random
from pathlib import Path
from typing import Any

import mistral_common
import pytest
import tiktoken
from tiktoken.load import load_tiktoken_bpe

from minbpe_course.checks.callers import implementation_of
from minbpe_course.checks.catalogue import find
from minbpe_course.checks.lesson_12 import (
    cache_name,
    choose_alphabet,
    first_fault,
    keeps_ids,
    read_merges,
    tekken_rows,
    tests_of_format,
)
from minbpe_course.reference.encoding import encode_word
from minbpe_course.vocabularies.published_files import published_files
from tests.shared.lesson_code import cases_under


def args_of(key: str) -> list[Any]:
    """The first argument of every case, under several secrets."""
    return [case.args[0] for case in cases_under(6, key)]


# ----------------------------------------------------------------------------------------------------
# Reading what others wrote


def test_the_names_are_those_of_the_cache_of_tiktoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    for file in published_files():
        (tmp_path / cache_name.cache_name(file.url)).write_bytes(file.url.encode())
        assert tiktoken.load.read_file_cached(file.url) == file.url.encode()


def test_merges_of_any_characters_come_back() -> None:
    letters = "ab#Ġ\u3000\xa0\t\u2028\x85\x0b\x1c"
    rng = random.Random(9)
    for turn in range(500):
        pairs = [tuple("".join(rng.choices(letters, k=rng.randint(1, 3))) for _ in "ab") for _ in range(turn % 5)]
        for heading, end, last in itertools.product(["", "#version: 0.2"], ["\n", "\r\n"], [True, False]):
            lines = [heading] * bool(heading) + [" ".join(pair) for pair in pairs]
            text = end.join(lines) + (end if last and lines else "")
            assert read_merges.read_merges(text) == pairs, text


def test_rows_are_those_of_a_published_file() -> None:
    path = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"
    rows = json.loads(path.read_bytes())["vocab"][:30_000]
    assert tekken_rows.tekken_rows([base64.b64decode(row["token_bytes"]) for row in rows]) == rows


# ----------------------------------------------------------------------------------------------------
# Find the faulty line


def written_again(data: bytes, path: Path) -> bytes | None:
    """The file written again after tiktoken has read it; None when tiktoken refuses it."""
    path.write_bytes(data)
    try:
        ranks = load_tiktoken_bpe(str(path))
    except ValueError:
        return None
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


def test_a_file_is_good_when_it_round_trips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")  # otherwise tiktoken keeps the first file that it finds at a path
    seen = set()
    for data in args_of("12.first_fault"):
        fault = first_fault.first_fault(data)
        seen.add(bool(fault))
        if fault == 0:
            assert written_again(data, tmp_path / "a") == data
        elif written_again(data, tmp_path / "a") == data:
            numbers = [line.split(b" ")[1] for line in data.split(b"\n")[:-1]]
            tokens = [line.split(b" ")[0] for line in data.split(b"\n")[:-1]]
            too_large = any(int(number) >= 2**32 for number in numbers)
            assert too_large or len(set(numbers)) < len(numbers) or b"" in tokens, data
    assert seen == {True, False}


def test_the_lines_before_the_fault_are_good() -> None:
    for data in args_of("12.first_fault"):
        fault = first_fault.first_fault(data)
        lines = data.split(b"\n")
        before = b"".join(line + b"\n" for line in lines[: max(0, fault - 1)])
        assert first_fault.first_fault(before) == 0
        if fault and fault < len(lines):
            assert first_fault.first_fault(before + lines[fault - 1] + b"\n") == fault


# ----------------------------------------------------------------------------------------------------
# Which merges a list of ranks keeps


def ids_of_ranks(merges_: list[tuple[int, int]]) -> tiktoken.Encoding:
    ranks: dict[bytes, int] = {}
    for token_id, token in enumerate(keeps_ids.token_bytes(merges_)):
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
        table = keeps_ids.token_bytes(one)
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


# ----------------------------------------------------------------------------------------------------
# Formats and alphabets


def hostile_models() -> list[dict[str, Any]]:
    odd = ["", " ", "\r\n", "a\r", "\u2028", "\ud800", "\udfff", "e\u0301", "\\n\\", "%", "\x00", "\U0010ffff"]
    pairs = [(2_000_000_000, 0), (65_536, 65_535), (98, 97)]
    return [
        {
            "merges": pairs[:size],
            "pattern": one,
            "special_tokens": {f"{one}|{two}|": number for number, two in enumerate(odd)},
        }
        for one in odd
        for size in range(4)
    ]


@pytest.mark.parametrize("source", tests_of_format.RIGHT)
def test_a_right_format_keeps_everything(source: str) -> None:
    save_and_load = implementation_of(source, "save_and_load")
    for model in hostile_models():
        before = repr(model)
        assert save_and_load(model) == model
        assert repr(model) == before


def test_no_alphabet_is_shorter() -> None:
    """Every byte that has a letter of one byte is at least as common as every byte that has not."""
    for tokens in args_of("12.choose_alphabet"):
        alphabet = choose_alphabet.choose_alphabet(tokens)
        (case, *_) = find("12.choose_alphabet").shown
        assert choose_alphabet.complaint(case, alphabet) is None
        free = [byte for byte in range(256) if byte not in choose_alphabet.LETTERS]
        joined = b"".join(tokens)
        short = [joined.count(byte) for byte in free if alphabet[byte].isascii()]
        longer = [joined.count(byte) for byte in free if not alphabet[byte].isascii()]
        assert len(short) == 42
        assert min(short) >= max(longer)
        assert all(len(letter.encode()) <= 2 for letter in alphabet)
