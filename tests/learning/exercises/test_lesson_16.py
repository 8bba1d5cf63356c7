"""Compare the reference of tokens that no text can give with a program that merges pairs."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from tokenizers import Tokenizer, models

from minbpe_course.learning.exercises.lesson_16 import cannot_write
from tests.shared.lesson_code import cases_under

pytestmark = pytest.mark.medium


def test_lost_tokens_are_those_of_a_program_that_merges_pairs() -> None:
    """The witness is tokenizers; tiktoken would take a word that is a token at once, without merging."""
    compared = Counter()
    for case in cases_under(8, "16.cannot_write"):
        ranks, pattern = case.args
        known = {byte: bytes([byte]) for byte in range(256)}
        for (left, right), made in sorted(ranks.items(), key=lambda merge: merge[1]):
            known[made] = known[left] + known[right]
        tokens = {made: known[made] for made in sorted(ranks.values())}
        if len({*tokens.values()}) < len(tokens):
            continue  # two ids for the same bytes are more than its vocabulary can hold
        spelling = {byte: chr(0x100 + byte) for byte in range(256)}
        for (left, right), made in sorted(ranks.items(), key=lambda merge: merge[1]):
            spelling[made] = spelling[left] + spelling[right]
        merges = [(spelling[left], spelling[right]) for left, right in sorted(ranks, key=ranks.__getitem__)]
        witness = Tokenizer(models.BPE({text: made for made, text in spelling.items()}, merges))
        lost = []
        for made, token in tokens.items():
            text = token.decode("utf-8", errors="ignore")
            if text.encode("utf-8") == token:
                words = ["".join(chr(0x100 + byte) for byte in word.encode()) for word in re.findall(pattern, text)]
                lost += [made] if [one for word in words for one in witness.encode(word).ids] != [made] else []
        assert cannot_write.cannot_write(ranks, pattern) == lost, case
        compared[case.category] += 1
    assert min(compared.values()) > 10
    assert len(compared) == 4
