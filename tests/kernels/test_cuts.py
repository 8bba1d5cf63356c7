"""kernels.cuts finds the cuts of reference.cuts where a character is not ASCII, and never one that is not safe."""

from __future__ import annotations

import random

import numba
import pytest

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.kernels.common import layout, memory
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.encoding import cuts as kernel
from minbpe_course.model import BytePairModel
from minbpe_course.reference.cuts import neighbours_in, safe_cuts
from minbpe_course.reference.encoding import encode_word
from tests.shared.small_models import ALPHABETS, byte_ids, some_text, trained

pytestmark = pytest.mark.medium

COMPILED = not numba.config.DISABLE_JIT


@compiled
def next_cut(address, at, end):
    return kernel.next_cut(layout.block_at(address), at, end)


def kernel_cuts(laid: VocabularyTables, word: bytes) -> list[int]:
    """Where the kernel cuts a word, as numbers of bytes from its beginning."""
    data, _ = memory.padded(word)
    begin = at = data.ctypes.data
    found = []
    while (at := int(next_cut(laid.block.address, at, begin + len(word)))) < begin + len(word):
        found.append(at - begin)
    return found


def wanted_cuts(word: bytes, neighbours) -> list[int]:
    """The safe cuts, without those between two characters of ASCII, which the kernel does not look for."""
    return [at for at in safe_cuts(word, neighbours) if word[at - 1] >= 0x80 or word[at] >= 0x80]


def all_tokens(model: BytePairModel) -> list[bytes]:
    return list(model.token_bytes.values())


@pytest.mark.parametrize("letters", ALPHABETS)
@pytest.mark.parametrize("shuffled", [False, True], ids=["bytes in order", "bytes shuffled"])
def test_small_models_are_cut_alike(letters: str, shuffled: bool) -> None:
    cut = uncut = 0
    for seed in range(12 if COMPILED else 2):
        model = trained(seed, letters, 60, shuffled)
        laid = VocabularyTables.from_model(model)
        assert laid.block.cuts != 0
        neighbours = neighbours_in(all_tokens(model))
        chance = random.Random(seed)
        for size in [*range(1, 12), 30, 90]:
            text = some_text(chance, letters + "\u00ffz\u4e00", size)
            found = kernel_cuts(laid, text.encode())
            # With so few tokens no two pairs share a bit.
            assert found == wanted_cuts(text.encode(), neighbours), text
            cut, uncut = cut + len(found), uncut + size - len(found)
    assert cut > 20
    assert uncut > 20


def test_small_tokens_of_half_characters() -> None:
    """Each token joins a whole or a half character to another; the place between them is not a cut, others are."""
    first, second, third = (letter.encode() for letter in "\u4e2d\u65e5\u00e9")
    joined = [first[2:] + second[:1], first + second[:1], first[1:] + second, first + second, first[2:] + second[:2]]
    for token in joined:
        pairs = [(token[0], token[1])]
        for byte in token[2:]:
            pairs.append((255 + len(pairs), byte))
        model = BytePairModel(pairs)
        assert model.token_bytes[255 + len(pairs)] == token
        laid = VocabularyTables.from_model(model)
        word = first + second + third + first + third
        found = kernel_cuts(laid, word)
        assert 3 not in found
        assert found == wanted_cuts(word, neighbours_in(all_tokens(model)))


@pytest.mark.parametrize("overlong", [b"\xe0\x82\x80", b"\xe0\x83\xa9", b"\xc1\xa1"])
def test_small_tokens_that_spell_a_character_wrongly(overlong: bytes) -> None:
    """UTF-8 forbids these long forms of U+0080, of \u00e9 and of a, so no text has them."""
    model = BytePairModel([tuple(overlong[:2]), *((256, byte) for byte in overlong[2:])])
    assert overlong in model.token_bytes.values()
    for word in ("\x80", "x\u00e9y", "\x80\u00e9a\x80\u00e9"):
        ids = BytePairEngine.from_model(model).encode(word).tolist()
        assert ids == encode_word(word.encode(), model.ranks) == list(word.encode())


def test_small_tokens_that_no_merge_makes_keep_nothing_together() -> None:
    # (a, b) merges before (b, \u00e9) can: "ab\u00e9" is never reached, and no other token holds a beside b and \u00e9.
    accented = tuple("\u00e9".encode())
    model = BytePairModel([accented, (97, 98), (98, 256), (97, 258), (256, 97), (97, 256)])
    laid = VocabularyTables.from_model(model)
    reached = {k: token for k, token in model.token_bytes.items() if token != "ab\u00e9".encode()}
    engine = BytePairEngine.from_model(model)
    for word in ["ab\u00e9", "ab\u00e9" * 40, "b\u00e9ab\u00e9ab\u00e9\u00e8a\u00e9"]:
        assert kernel_cuts(laid, word.encode()) == wanted_cuts(word.encode(), neighbours_in(reached.values()))
        assert engine.encode(word).tolist() == encode_word(byte_ids(model, word.encode()), model.ranks)
