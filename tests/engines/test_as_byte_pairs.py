"""A vocabulary becomes a model of byte pairs only where every text keeps its ids and nothing is lost."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from minbpe_course import vocabularies
from minbpe_course.engines.as_byte_pairs import as_byte_pairs, simplest
from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.rank_merging import encode_word as encode_with
from tests.shared.random_vocabularies import ALPHABETS, some_merges, some_tokens, some_words

pytestmark = pytest.mark.medium

COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"
MODELS = 120 if COMPILED else 20


def nearly_byte_pairs(chance: random.Random, rule: str) -> VocabularyModel:
    """Bytes have the ids 0..255 in some order, tokens go on from there, with holes; merges are in order or nearly."""
    tokens = some_tokens(chance, chance.choice(ALPHABETS[:4]), 14)
    single, grown = tokens[:256], tokens[256:]
    if chance.random() < 0.5:
        chance.shuffle(single)
    if chance.random() < 0.7:
        grown.sort(key=len)
    places = sorted(chance.sample(range(256, 256 + 2 * len(grown) + 1), len(grown)))
    ids = dict(zip(single + grown, [*range(256), *places]))
    merges = None if rule == "ranks" else some_merges(chance, single + grown, ids)
    if merges and chance.random() < 0.6:
        # In the order of what they make, all ways to a token together.
        merges.sort(key=lambda merge: merge[2])
    return VocabularyModel({i: token for token, i in ids.items()}, merges, whole_words=chance.random() < 0.5)


@pytest.mark.parametrize("rule", ["merges", "ranks"])
def test_small_the_same_ids_for_every_word(rule: str) -> None:
    answers = {True: 0, False: 0}
    for seed in range(MODELS):
        chance = random.Random(seed)
        model = nearly_byte_pairs(chance, rule)
        plain = simplest(model)
        answers[isinstance(plain, BytePairModel)] += 1
        if isinstance(plain, VocabularyModel):
            assert plain is model
            continue
        assert dict(plain.token_bytes) == dict(model.token_bytes)
        for word in some_words(chance, model, 40 if COMPILED else 10):
            ids = [plain.byte_ids[byte] for byte in word.encode()]
            assert encode_word(ids, plain.ranks) == encode_with(word.encode(), model), (seed, word)
    assert min(answers.values()) > MODELS // 20


@pytest.mark.skipif(not COMPILED, reason="large vocabularies")
@pytest.mark.parametrize("name", ["gpt2", "p50k_base"])
def test_published_vocabularies_are_found_again(name: str) -> None:
    """By their merges, by their ranks, and by a list of every way to each token; p50k_base skips an id."""
    model = vocabularies.load(name)
    by_merges = VocabularyModel.from_byte_pairs(model)
    by_ranks = by_merges.replace(merges=None, whole_words=True)
    assert simplest(by_merges) == simplest(by_ranks) == model == simplest(model)
    tables = VocabularyTables.plain(by_ranks)
    every = tables.every_split()
    every = every.taken(np.argsort(every.ranks, kind="stable"))
    table = tables.ids[np.stack(every[:3], axis=1)]
    assert len(table) > 2 * len(model.pairs)
    assert simplest(by_ranks.replace(merges=table)) == model
    # Two merges that change places could meet.
    swapped = np.array(by_merges.merge_table)
    swapped[[1000, 1001]] = swapped[[1001, 1000]]
    with pytest.raises(UnsupportedModel, match="merges after one with a larger id"):
        as_byte_pairs(by_merges.replace(merges=swapped))


BYTES = {byte: bytes([byte]) for byte in range(256)}
PLAIN = VocabularyModel({**BYTES, 256: b"ab", 258: b"abc"}, special_tokens={"<|x|>": 257}, pattern=r"\w+|\W+")


def test_skipped_ids_shuffled_bytes_and_special_tokens_are_kept() -> None:
    plain = as_byte_pairs(PLAIN)
    assert plain.skipped_ids == (257,)
    assert plain.special_tokens == {"<|x|>": 257}
    assert plain.pattern == PLAIN.pattern
    turned = VocabularyModel({255 - byte: bytes([byte]) for byte in range(256)} | {256: b"ab"})
    assert as_byte_pairs(turned) == BytePairModel([(255 - 97, 255 - 98)], byte_order=bytes(range(256))[::-1])
    assert as_byte_pairs(PLAIN.replace(pattern_engine="regex")) == plain


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (PLAIN.replace(normalization="NFC"), "normalizes text to NFC"),
        (PLAIN.replace(plain_tokens={"<|x|>"}), "'<|x|>' is cut out of texts without being special"),
        (PLAIN.replace(frame=((257,), ())), "puts ids round every text"),
        (PLAIN.replace(pattern_engine="tiktoken"), "as tiktoken reads it"),
        (PLAIN.replace(special_tokens={"ab": 256}), "the special token with id 256 is an ordinary token as well"),
        (VocabularyModel({byte + 1: bytes([byte]) for byte in range(256)}), "other ids than 0 to 255"),
        (VocabularyModel({**{b: bytes([b]) for b in range(255)}, 255: b"ab", 256: b"\xff"}), "other ids than 0 to 255"),
        (VocabularyModel({**BYTES, 9999: b"ab"}), "its ids go up to 9,999 for 257 tokens"),
        (VocabularyModel({**BYTES, 256: b"abc"}), "no merge makes token 256, b'abc'"),
        (VocabularyModel({**BYTES, 256: b"abc", 257: b"ab"}), "token 256 has a smaller id than a part of it"),
        (
            VocabularyModel({**BYTES, 256: b"ab", 257: b"bc"}, [(98, 99, 257), (97, 98, 256)]),
            "token 256 merges after one with a larger id",
        ),
    ],
)
def test_the_reason_why_not(model: VocabularyModel, reason: str) -> None:
    with pytest.raises(UnsupportedModel) as refused:
        as_byte_pairs(model)
    assert reason in str(refused.value)
    assert simplest(model) is model


def test_a_merge_that_never_comes_up_keeps_its_place() -> None:
    """(a, b) always comes before (b, c), so "abc" from a and bc never happens; the id still needs its merge."""
    tokens = {**BYTES, 256: b"ab", 257: b"bc", 258: b"abc"}
    merges = [(97, 98, 256), (98, 99, 257), (97, 257, 258)]
    model = VocabularyModel(tokens, merges, whole_words=False)
    assert as_byte_pairs(model) == BytePairModel([(97, 98), (98, 99), (97, 257)])
