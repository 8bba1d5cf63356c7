"""Small vocabularies for the tests of the kernels: trained by the reference, with any letters, with shuffled bytes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from minbpe_course.model import IDENTITY_BYTE_ORDER, BytePairModel
from minbpe_course.reference.training import train_steps

# Letters of one to four bytes that share first and last bytes, so that tokens of half characters are trained.
LETTERS = "ab\u00e9\u00e8\u00f0\u0429\u4e2d\u4e3d\u65e5\U0001f600\U0001f680"
ALPHABETS = ("ab", "abc", "aaaab", LETTERS, "\u4e2d\u65e5\u672c\u8a9e\u5e74a", "a \n1'", "\u00e9\u00e8\u00eaa", "x")


def some_text(chance: random.Random, letters: str, size: int) -> str:
    return "".join(chance.choices(letters, k=size))


@cache
def trained(seed: int, letters: str = LETTERS, merges: int = 80, shuffled: bool = False, pattern: str | None = None):
    """A model trained on random words of ``letters``; ``shuffled`` gives the ids of the bytes another order."""
    chance = random.Random(seed)
    words = [some_text(chance, letters, chance.randint(1, 14)).encode() for _ in range(30)]
    # Words that begin or end inside of a character: so do some tokens, then.
    words += [word[1:] for word in words[:8]] + [word[:-1] for word in words[8:16]]
    order = list(IDENTITY_BYTE_ORDER)
    if shuffled:
        chance.shuffle(order)
    ids = {byte: number for number, byte in enumerate(order)}
    pairs = [step.pair for step in train_steps([word for word in words if word], 256 + merges)]
    moved = [tuple(ids[part] if part < 256 else part for part in pair) for pair in pairs]
    return BytePairModel(moved, byte_order=bytes(order), pattern=pattern)


def byte_ids(model: BytePairModel, word: bytes) -> list[int]:
    """Return the ids of a word before any merge."""
    return [model.byte_ids[byte] for byte in word]


def ranks_of(model: BytePairModel) -> dict[bytes, int]:
    """Every token of the model and its id, as tiktoken wants them."""
    return {token: number for number, token in model.token_bytes.items()}


def words_for(seed: int, letters: str, sizes: Sequence[int]) -> list[bytes]:
    """Words of ``letters`` of about so many bytes each, and in between runs of one letter."""
    chance = random.Random(seed)
    words = []
    for size in sizes:
        text = some_text(chance, letters, size) if chance.random() < 0.7 else chance.choice(letters) * size
        words.append(text.encode()[:size].decode("utf-8", "ignore").encode())
    return [word for word in words if word]
