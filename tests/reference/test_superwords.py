"""Two-stage training against its definition: each merge is the commonest pair of what all merges before it encode."""

from __future__ import annotations

import random
import re

import pytest

from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.pairs import get_stats
from minbpe_course.reference.superwords import superword_steps
from minbpe_course.reference.training import TIE_BREAKS


def split(phrase):
    return re.findall(" ?[^ ]+| ", phrase)


def random_phrases(draw):
    words = ["".join(draw.choices("ab", k=draw.randint(1, 3))) for _ in range(3)]
    return {
        draw.choice(["", " "]) + " ".join(draw.choices(words, k=draw.randint(1, 4))): draw.randint(1, 4)
        for _ in range(draw.randint(1, 4))
    }


def by_definition(phrases, vocab_size, transition, tie_break):
    """Encode everything anew before each merge, words in the first stage and phrases in the second."""
    tokens = [bytes([byte]) for byte in range(256)]
    ranks = {}
    for stage, size in (("words", min(transition, vocab_size)), ("phrases", vocab_size)):
        while len(tokens) < size:
            counts = {}
            for phrase, count in phrases.items():
                for part in split(phrase) if stage == "words" else [phrase]:
                    get_stats(encode_word(part.encode(), ranks), counts, count)
            if not counts:
                break
            highest = max(counts.values())
            pair = TIE_BREAKS[tie_break]([pair for pair in counts if counts[pair] == highest], tokens)
            ranks[pair] = len(tokens)
            tokens.append(tokens[pair[0]] + tokens[pair[1]])
    return list(ranks)


@pytest.mark.medium
@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_merges_are_those_of_the_definition(tie_break):
    draw = random.Random(f"superwords {tie_break}")
    for _ in range(800):
        phrases = random_phrases(draw)
        transition = 256 + draw.randint(0, 12)
        counted = {phrase.encode(): count for phrase, count in phrases.items()}
        steps = superword_steps(counted, split, 266, transition, tie_break=tie_break)
        assert [step.pair for step in steps] == by_definition(phrases, 266, transition, tie_break)
