"""The three ways to merge a word, of kernels.merging and kernels.backtracking, give the ids of the reference."""

from __future__ import annotations

import random

import numba
import numpy as np
import pytest

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.kernels.common import layout, memory
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.encoding import backtracking, merging
from minbpe_course.model import BytePairModel
from minbpe_course.reference import backtracking as reference
from minbpe_course.reference.encoding import encode_word
from tests.shared.small_models import ALPHABETS, byte_ids, some_text, trained, words_for

pytestmark = pytest.mark.medium

COMPILED = not numba.config.DISABLE_JIT

# Where a word takes another way: its own key, merging by masks, the long cache.
EDGES = [1, 2, 3, 14, 15, 16, 17, 18, 47, 48, 49, 60, 61, 62, 63, 64, 65, 127, 128, 254, 255, 256, 257, 258, 400]

SMALL, HEAP, BACKTRACK = range(3)


@compiled
def merge_with(way, address, at, length, out):
    block = layout.block_at(address)
    if way == 0:
        return merging.merge_small(block, at, length, out)
    if way == 1:
        return merging.merge_heap(block, at, length, out)
    return backtracking.backtrack(block, at, length, out)


class Laid:
    """The tables of a model, and room for one word."""

    def __init__(self, model: BytePairModel) -> None:
        tables = VocabularyTables.from_model(model)
        self.linear = tables.block.heap_first != 0
        if self.linear:
            tables.build_trie()
        self.tables = tables
        self.block = tables.block.copy()

    def ids(self, way: int, word: bytes) -> list[int]:
        data, _ = memory.padded(word)
        out = np.full(len(word) + 8, 0xABCDABCD, dtype=np.uint32)
        self.block.scratch = np.full(len(word) * merging.HEAP_BYTES + 4096, 0xEE, dtype=np.uint8)
        end = merge_with(way, self.block.address, data.ctypes.data, len(word), out.ctypes.data)
        number = (end - out.ctypes.data) >> 2
        assert (out[number:] == 0xABCDABCD).all(), "written behind the ids"
        return out[:number].tolist()


def ways_for(laid: Laid, word: bytes) -> list[int]:
    ways = [SMALL] if len(word) <= merging.SMALL else []
    return [*ways, HEAP, *([BACKTRACK] if laid.linear else [])]


@pytest.mark.parametrize("letters", ALPHABETS)
@pytest.mark.parametrize("shuffled", [False, True], ids=["bytes in order", "bytes shuffled"])
def test_small_all_ways_give_the_ids_of_the_reference(letters: str, shuffled: bool) -> None:
    for seed in range(6 if COMPILED else 1):
        model = trained(seed, letters, 70, shuffled)
        laid = Laid(model)
        assert laid.linear
        prepared = reference.prepare(model.ranks)
        sizes = EDGES if COMPILED else [1, 3, 15, 17, 61, 62, 63]
        for word in words_for(seed, letters + "z", sizes):
            ids = byte_ids(model, word)
            wanted = encode_word(ids, model.ranks)
            assert reference.encode_word(ids, prepared) == wanted
            for way in ways_for(laid, word):
                assert laid.ids(way, word) == wanted, (way, word)


def test_small_random_merges() -> None:
    """Made by hand: where some token is not what merging its bytes gives, the others still show the way."""
    chance = random.Random(11)
    whole = 0
    for _ in range(250 if COMPILED else 12):
        pairs: list[tuple[int, int]] = []
        for _ in range(chance.randint(1, 14)):
            known = [97, 98, *range(256, 256 + len(pairs))]
            pair = (chance.choice(known), chance.choice(known))
            if pair not in pairs:
                pairs.append(pair)
        model = BytePairModel(pairs)
        laid = Laid(model)
        reached = [encode_word(model.token_bytes[token], model.ranks) == [token] for token in model.merge_ids]
        assert laid.linear
        whole += all(reached) and len(set(model.token_bytes.values())) == len(model.token_bytes)
        for size in (1, 5, 12, 30, 62, 63, 100):
            word = some_text(chance, "ab", size).encode()
            for way in ways_for(laid, word):
                assert laid.ids(way, word) == encode_word(word, model.ranks), (pairs, word)
    assert 3 < whole < (200 if COMPILED else 12)


def test_small_tokens_that_reach_into_a_character() -> None:
    """A token of the end of a character and what follows, older than the character: the character is not a symbol."""
    accented = "\u00e9".encode()
    for pairs in (
        [(accented[1], 97), tuple(accented)],
        [(97, accented[0]), tuple(accented)],
        [tuple(accented), (accented[1], 97), (256, 97)],
        [(accented[1], accented[0]), tuple(accented), (257, 257)],
    ):
        model = BytePairModel(pairs)
        laid = Laid(model)
        for text in ("\u00e9a", "a\u00e9", "a\u00e9a", "\u00e9\u00e9a\u00e9", "\u00e9a\u00e9a\u00e9"):
            wanted = encode_word(text.encode(), model.ranks)
            for way in ways_for(laid, text.encode()):
                assert laid.ids(way, text.encode()) == wanted, (pairs, text, way)


@pytest.mark.parametrize("shuffled", [False, True], ids=["bytes in order", "bytes shuffled"])
def test_small_words_of_every_length_through_the_engine(shuffled: bool) -> None:
    """The whole way, first without caches and then with them; each text is one word, so their lengths are the same."""
    for seed, letters in enumerate(ALPHABETS if COMPILED else ("ab",)):
        model = trained(seed, letters, 70, shuffled)
        engine = BytePairEngine.from_model(model)
        sizes = [*range(1, 70), *EDGES, 1000] if COMPILED else [1, 4, 15, 16, 17, 62, 63]
        for word in words_for(seed, letters, sizes):
            wanted = encode_word(byte_ids(model, word), model.ranks)
            for _ in range(2):
                assert engine.encode(word.decode()).tolist() == wanted, word
