"""Wrong answers to the exercises of lesson 09, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("09.cache_name", "not UTF-8", "", ('"utf-8"', '"ascii", "replace"'))
WRONG.edit("09.read_merges", "strips", "strips", (r'row[:-1] if row.endswith("\r") else row', "row.strip()"))


@WRONG.add("09.keeps_ids", "in order of length", "")
def keeps_ids(merges):
    table = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    sizes = [len(token) for token in table]
    return sizes == sorted(sizes) and len(set(table)) == len(table)


@WRONG.add("09.test_format", "one friendly model", "misses:strips")
def test_format(save_and_load):
    model = {"merges": [(97, 98)], "pattern": "a+", "special_tokens": {"<|end|>": 300}}
    assert save_and_load(model) == model


@WRONG.add("09.test_format", "blanks and lines only", "misses:replaces", points=1)
def test_format(save_and_load):
    for odd in (" a ", "a\nb", "a\r\nb", "a\x85b\u2028"):
        model = {"merges": [(97, 98)], "pattern": odd, "special_tokens": {"<" + odd + ">": 300}}
        assert save_and_load(model) == model


@WRONG.add("09.test_format", "wants the very same object", "rejects-right")
def test_format(save_and_load):
    model = {"merges": [(97, 98)], "pattern": "a+", "special_tokens": {}}
    assert save_and_load(model) is model


@WRONG.add("09.choose_alphabet", "the letters in order", "unseen")
def choose_alphabet(tokens):
    return [chr(byte) for byte in range(256)]


@WRONG.add("09.choose_alphabet", "letters for what is there", "not-256")
def choose_alphabet(tokens):
    return [chr(byte if 65 <= byte < 123 else 0x100 + byte) for byte in sorted(set(b"".join(tokens)))]


@WRONG.add("09.choose_alphabet", "shares letters", "alike")
def choose_alphabet(tokens):
    return [chr(byte) if 33 <= byte < 127 else "?" for byte in range(256)]


@WRONG.add("09.choose_alphabet", "the common ones, without the signs between the letters", "below the level", points=2)
def choose_alphabet(tokens):
    from collections import Counter

    counts = Counter(b"".join(tokens))
    letters = {byte: chr(byte) for byte in range(128) if chr(byte).isalpha()}
    signs = [chr(c) for c in [*range(33, 65), *range(0xC0, 0x200)]]
    others = sorted((b for b in range(256) if b not in letters), key=lambda b: -counts[b])
    letters |= dict(zip(others, signs))
    return [letters[byte] for byte in range(256)]
