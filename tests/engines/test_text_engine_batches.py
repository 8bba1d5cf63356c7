"""Batches and special tokens: every way to ask gives the ids that tiktoken gives for each text alone."""

from __future__ import annotations

import random
import threading
from itertools import pairwise

import numba
import numpy as np
import pytest
import tiktoken

from minbpe_course import Encoding, RegexTokenizer, get_encoding, use_bundled_vocabularies, vocabularies
from minbpe_course.engines import text_engine as engines
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.errors import DisallowedSpecialToken, InvalidText, NotText
from minbpe_course.model import VocabularyModel
from tests.shared.cases import mixed_texts

COMPILED = not numba.config.DISABLE_JIT
pytestmark = [pytest.mark.medium, pytest.mark.skipif(not COMPILED, reason="published vocabularies")]


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    use_bundled_vocabularies()


def batches() -> dict[str, list[str]]:
    mixed = list(mixed_texts(31, 3_000))
    return {
        "none": [],
        "one empty": [""],
        "all empty": [""] * 1000,
        "two thousand": mixed[:2000],
        "empty ones between": [text for each in mixed[:500] for text in ("", each, "", "")],
        "one long, many short": ["x", "".join(mixed[:3000]), *mixed[:100]],
        "long ones": ["".join(mixed[k::7]) for k in range(7)],
    }


BATCHES = batches()


@pytest.mark.parametrize("kind", BATCHES)
def test_batches_are_their_texts_one_by_one(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise small batches would stay in one thread.
    monkeypatch.setattr(engines, "BYTES_A_THREAD", 64)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    texts = BATCHES[kind]
    ours, theirs = get_encoding("cl100k_base"), tiktoken.get_encoding("cl100k_base")
    wanted = [theirs.encode_ordinary(text) for text in texts]
    for threads in (1, 3, 8):
        ids, offsets = ours.encode_batch_to_array(texts, num_threads=threads, disallowed_special=())
        assert ids.dtype == np.uint32
        assert offsets.dtype == np.int64
        assert len(offsets) == len(texts) + 1
        flat = ids.tolist()
        assert [flat[begin:end] for begin, end in pairwise(offsets.tolist())] == wanted
        assert ours.encode_ordinary_batch(texts, num_threads=threads) == wanted
        assert ours.encode_batch(texts, num_threads=threads, disallowed_special=()) == wanted


@pytest.mark.parametrize("wrong", [None, 7, b"bytes", ["nested"], bytearray(b"x")])
def test_what_is_no_text_is_named_and_harms_nothing(wrong: object) -> None:
    ours = get_encoding("cl100k_base")
    for place in (0, 3, 5):
        texts: list = ["a", "b", "c", "d", "e"]
        texts.insert(place, wrong)
        for batch in (ours.encode_ordinary_batch, ours.encode_batch, ours.encode_batch_to_array):
            with pytest.raises(NotText, match=f"text {place} "):
                batch(texts)
    assert ours.encode_ordinary_batch(["hello world"]) == [[15339, 1917]]


def test_without_repair_a_lone_surrogate_is_an_error_that_names_its_text() -> None:
    tokenizer = RegexTokenizer.from_model(vocabularies.load("gpt2"))
    with pytest.raises(InvalidText, match="text 2 of the batch"):
        tokenizer.encode_batch(["a", "b", "x\ud800", "c"])
    with pytest.raises(InvalidText, match="position 1"):
        tokenizer.encode("x\ud800")
    assert tokenizer.encode("hello") == get_encoding("gpt2").encode("hello")


def test_a_list_may_change_while_it_is_encoded() -> None:
    """The batch is what the list held when the call came; its texts stay alive although the list lets them go."""
    ours = get_encoding("o200k_base")
    texts = [f"text {k} ünïcödé {'x' * (k % 50)} 中文{k}" for k in range(4000)]
    wanted = {text: ours.encode_ordinary(text) for text in texts}
    shared = list(texts)
    stop = threading.Event()

    def change() -> None:
        chance = random.Random(1)
        while not stop.is_set():
            where = chance.randrange(len(shared))
            # A new object each time, so that the old one dies when the list was the last to hold it.
            shared[where] = "".join(list(texts[chance.randrange(4000)]))
            shared.append(shared.pop(0))

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(12):
            ids, offsets = ours.encode_batch_to_array(shared, num_threads=2)
            assert len(offsets) in (4000, 4001)
            for begin, end in pairwise(offsets.tolist()):
                part = ids[begin:end].tolist()
                assert wanted[ours.decode(part)] == part
    finally:
        stop.set()
        changer.join()


# Special tokens


def pair_of(specials: dict[str, int], name: str = "gpt2") -> tuple[Encoding, tiktoken.Encoding]:
    theirs = tiktoken.get_encoding(name)
    parts = {"pat_str": theirs._pat_str, "mergeable_ranks": theirs._mergeable_ranks, "special_tokens": specials}
    return Encoding("x", **parts), tiktoken.Encoding("x", **parts)


def assert_same_with(ours: Encoding, theirs: tiktoken.Encoding, text: str, **options: object) -> None:
    wanted = theirs.encode(text, **options)
    assert ours.encode(text, **options) == wanted, (text, options)
    assert ours.encode_to_numpy(text, **options).tolist() == wanted
    assert ours.encode_batch(["", text, text], **options) == [[], wanted, wanted]


# None of them begins with another one, since then tiktoken's answer would depend on chance; but they overlap.
OVERLAPPING = {
    "<|a|>": 60_001,
    "|><|": 60_002,
    "|>中": 60_003,
    "中文|": 60_004,
    "文|b": 60_005,
    " x": 60_006,
    "👋<": 60_007,
}


@pytest.mark.parametrize("specials", [OVERLAPPING, {"👋x": 60_001}, {"中文": 60_001}, {"x": 60_001}, {}], ids=str)
def test_special_tokens_that_overlap_or_are_no_ascii(specials: dict[str, int]) -> None:
    ours, theirs = pair_of(specials)
    parts = [*specials, *"<中文|👋\ud83d\udc4bx ab\né", "|>", "<|", "<|a", "\ud83d\udc4b"]
    chance = random.Random(32)
    for _ in range(500):
        text = "".join(chance.choices(parts, k=chance.randint(0, 9)))
        assert_same_with(ours, theirs, text, allowed_special="all")
        some = set(chance.sample(sorted(specials), chance.randint(0, len(specials))))
        assert_same_with(ours, theirs, text, allowed_special=some, disallowed_special=())
        try:
            wanted = theirs.encode(text, allowed_special=some)
        except ValueError:
            with pytest.raises(DisallowedSpecialToken):
                ours.encode(text, allowed_special=some)
            with pytest.raises(DisallowedSpecialToken):
                ours.encode_batch([text], allowed_special=some)
        else:
            assert ours.encode(text, allowed_special=some) == wanted


def test_a_list_of_ids_has_the_prefix_space_too() -> None:
    tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b" a"}
    model = VocabularyModel(tokens, pattern=r"[\s\S]+", prefix_space=True, normalization="NFC")
    engine = BytePairEngine.from_vocabulary(model)
    assert engine.encode_list("a") == engine.encode("a").tolist() == [256]
