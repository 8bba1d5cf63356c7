"""Which characters SentencePiece's BPE trainer puts into the vocabulary, and which it may put into one piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

SPACE = "▁"
RARE = "\u2585"  # stands for every character that the vocabulary does not hold
BORDER = "\x1f"  # stands for every reserved piece, such as <s>, that the text spells
DIGITS = frozenset("0123456789０１２３４５６７８９")


@dataclass(frozen=True)
class PieceRules:
    """The rules that a piece must meet, under the names of sentencepiece's options."""

    max_sentencepiece_length: int = 16
    split_by_whitespace: bool = True
    treat_whitespace_as_suffix: bool = False
    allow_whitespace_only_pieces: bool = False
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False


def required_characters(counts: Mapping[str, int], coverage: float, asked: str = "") -> list[str]:
    """Return the characters that the vocabulary must hold, in the order of their ids: the commonest first.

    coverage : the share of the text that must be covered, as a 32-bit float · asked : characters that are taken before
    all others, the commonest of them first, as long as the text is not covered.

    >>> required_characters({"a": 997, "b": 2, "c": 1}, 0.999)
    ['a', 'b']
    >>> required_characters({"a": 997, "b": 2, "c": 1}, 0.99, asked="z")
    ['a', 'z']
    """

    def commonest_first(characters: Iterable[str]) -> list[str]:
        return sorted(characters, key=lambda character: (-counts.get(character, 0), character))

    first, others = {*asked} - {"\0"}, {*counts} - {*asked, "\0"}
    total = sum(count for character, count in counts.items() if character != "\0")
    covered = 0
    required = []
    for character in commonest_first(first) + commonest_first(others):
        if total and np.float32(covered / total) >= np.float32(coverage):
            break
        covered += counts.get(character, 0)
        if character != BORDER:
            required.append(character)
    return commonest_first(required)
