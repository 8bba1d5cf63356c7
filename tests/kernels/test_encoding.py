"""kernels.encoding and reference.encoding give the same ids, with trained, published and hand-made merges."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder
from minbpe_course.model import BytePairModel
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps

pytestmark = pytest.mark.slow


# With few merges over few letters, overlaps and competing merges are everywhere.
@st.composite
def merge_lists(draw: st.DrawFn) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 30))):
        known = st.sampled_from([97, 98, 99, *range(256, 256 + len(pairs))])
        # A pair may come twice, as a file may have it: the last one counts.
        pairs.append(draw(st.tuples(known, known)))
    return pairs


@settings(max_examples=300, deadline=None)
@given(pairs=merge_lists(), word=st.text(alphabet="abc", min_size=1, max_size=90))
def test_hand_made_merges(pairs: list, word: str) -> None:
    model = BytePairModel(pairs)
    ids = BytePairEngine.from_model(model).encode(word)
    assert ids.tolist() == encode_word(word.encode(), model.ranks)


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(alphabet="abcd ", min_size=1, max_size=200),
    words=st.lists(st.text(alphabet="abcd ", min_size=1, max_size=130), min_size=1, max_size=5),
    merges=st.integers(0, 40),
)
def test_trained_merges(text: str, words: list[str], merges: int) -> None:
    model = BytePairModel([step.pair for step in train_steps([text.encode()], 256 + merges)])
    engine = BytePairEngine.from_model(model)
    for word in [text, *words]:
        ids = engine.encode(word)
        assert ids.tolist() == encode_word(word.encode(), model.ranks)
        tables = engine.tables
        assert Decoder(tables.token_text, tables.token_start, tables.ids, {}).bytes_of(ids) == word.encode()


def test_shuffled_bytes() -> None:
    order = list(range(256))
    random.Random(3).shuffle(order)
    plain = BytePairModel([(97, 98), (256, 99), (99, 97)])
    places = [order.index(byte) for byte in range(256)]
    moved = [tuple(places[i] if i < 256 else i for i in pair) for pair in plain.merges]
    shuffled = BytePairModel(moved, byte_order=bytes(order))
    for text in ["abcabc", "cab", "ü", "caabbcc" * 20]:
        tokens = [plain.token_bytes[i] for i in BytePairEngine.from_model(plain).encode(text).tolist()]
        again = BytePairEngine.from_model(shuffled).encode(text).tolist()
        assert [shuffled.token_bytes[i] for i in again] == tokens
        assert again == encode_word([places[byte] for byte in text.encode()], shuffled.ranks)


def test_a_merge_list_that_cannot_reach_its_own_token() -> None:
    # (a, b) merges before (b, c) can, so "abc" never becomes a + bc: the encoder must not look up the whole word.
    model = BytePairModel([(97, 98), (98, 99), (97, 257)])
    assert model.token_bytes[258] == b"abc"
    assert BytePairEngine.from_model(model).encode("abc").tolist() == [256, 99] == encode_word(b"abc", model.ranks)


@pytest.mark.parametrize("length", [1, 2, 6, 7, 12, 13, 14, 95, 96, 97, 98, 127, 128, 129, 1000])
def test_short_and_long_words_meet(length: int) -> None:
    model = BytePairModel([(97, 97), (256, 256), (257, 257), (97, 98), (256, 259)])
    engine = BytePairEngine.from_model(model)
    for word in ["a" * length, ("ab" * length)[:length], ("aab" * length)[:length]]:
        assert engine.encode(word).tolist() == encode_word(word.encode(), model.ranks)
        # A word that ends in a character of two bytes changes its way of merging at another length.
        word = word[:-2] + "é"
        assert engine.encode(word).tolist() == encode_word(word.encode(), model.ranks)


def test_any_ranks_encode_as_in_tiktoken() -> None:
    import tiktoken

    rng = random.Random(5)
    for trial in range(60):
        tokens = {bytes([byte]): byte for byte in range(256)}
        for _ in range(rng.randint(1, 60)):
            token = "".join(rng.choice("abc") for _ in range(rng.randint(2, 6))).encode()
            tokens.setdefault(token, len(tokens) + rng.choice([0, 0, 0, 7]) + 1000 * trial)
        ids = rng.sample(range(len(tokens) * 2), len(tokens))
        ranks = dict(zip(tokens, ids))
        theirs = tiktoken.Encoding("x", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
        ours = BytePairEngine.from_ranks(ranks, r"\S+|\s+")
        for _ in range(40):
            word = "".join(rng.choice("abc") for _ in range(rng.randint(1, rng.choice([8, 150]))))
            assert ours.encode(word).tolist() == theirs.encode_ordinary(word), (ranks, word)
