"""Models trained on the spot by sentencepiece: all types, normalisers and options that change how text is cut."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from tests.shared.piece_cases import course_lines, train

SYMBOLS = ["<a>", "<a><b>", "▁▁", "foo bar", " x", "ing", "th", "ab", "a"]
RULES = ("identity", "nfkc", "nmt_nfkc", "nfkc_cf")

# Each of these with each type of model; the normalisers take turns.
OPTIONS: dict[str, dict[str, Any]] = {
    "as it comes": dict(),
    "bytes": dict(byte_fallback=True, remove_extra_whitespaces=False),
    "no dummy": dict(add_dummy_prefix=False, remove_extra_whitespaces=False),
    "no dummy, spaces removed": dict(add_dummy_prefix=False),
    "suffix": dict(treat_whitespace_as_suffix=True),
    "suffix, spaces kept, bytes": dict(
        treat_whitespace_as_suffix=True, remove_extra_whitespaces=False, byte_fallback=True
    ),
    "symbols": dict(user_defined_symbols=SYMBOLS, remove_extra_whitespaces=False),
    "symbols, bytes": dict(user_defined_symbols=SYMBOLS, byte_fallback=True),
    "across words": dict(split_by_whitespace=False, control_symbols=["¶", "a b"]),
    "digits, few characters": dict(split_digits=True, character_coverage=0.98, unk_surface="?"),
    "only spaces": dict(allow_whitespace_only_pieces=True, remove_extra_whitespaces=False, byte_fallback=True),
}
NAMES = [f"{kind} {name}" for kind in ("bpe", "unigram", "char", "word") for name in OPTIONS]


@cache
def trained(name: str) -> bytes:
    """The file of a model of ``NAMES``."""
    kind, _, rest = name.partition(" ")
    rule = RULES[NAMES.index(name) % len(RULES)]
    lines = random.Random(name).choices(course_lines(), k=150)
    options = {"character_coverage": 0.995, "normalization_rule_name": rule, **OPTIONS[rest]}
    return train(lines, model_type=kind, vocab_size=1100, hard_vocab_limit=False, **options)
