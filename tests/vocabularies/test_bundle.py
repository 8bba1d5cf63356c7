"""The bundle: the names, hashes and ids that tiktoken pins, and damage that is never loaded."""

from __future__ import annotations

import zlib

import pytest
import tiktoken
from tiktoken_ext import openai_public

from minbpe_course import vocabularies
from minbpe_course.errors import UnknownEncoding, UnreadableModel
from minbpe_course.vocabularies import bundle, published_files
from tests.shared.counted_calls import calls_in

pytestmark = pytest.mark.medium

NAMES = vocabularies.names()


def test_the_seven_names():
    assert set(vocabularies.names()) == set(openai_public.ENCODING_CONSTRUCTORS)


@pytest.mark.parametrize("name", NAMES)
def test_addresses_and_hashes_are_those_that_tiktoken_pins(name, monkeypatch):
    pinned = []
    monkeypatch.setattr(
        openai_public, "load_tiktoken_bpe", lambda url, expected_hash: pinned.append((url, expected_hash)) or {}
    )
    monkeypatch.setattr(
        openai_public,
        "data_gym_to_mergeable_bpe_ranks",
        lambda vocab_bpe_file, encoder_json_file, vocab_bpe_hash, encoder_json_hash: pinned.extend(
            [(vocab_bpe_file, vocab_bpe_hash), (encoder_json_file, encoder_json_hash)]
        ),
    )
    openai_public.ENCODING_CONSTRUCTORS[name]()
    assert [(file["url"], file["sha256"]) for file in vocabularies.passport(name)["files"]] == pinned


@pytest.mark.parametrize("name", NAMES)
def test_models_hold_what_tiktoken_holds(name, witness):
    model, theirs = vocabularies.load(name), witness(name)
    assert vocabularies.mergeable_ranks(name) == theirs["mergeable_ranks"]
    assert dict(model.special_tokens) == theirs["special_tokens"]
    assert model.pattern == theirs["pat_str"]
    assert model.vocab_size == tiktoken.Encoding(**theirs).n_vocab
    assert vocabularies.passport(name)["tokens"] == len(model.token_bytes)


def test_p50k_steps_over_the_id_of_its_special_token():
    model = vocabularies.load("p50k_base")
    assert model.skipped_ids == (50256,)
    assert 50256 not in model.token_bytes
    assert [model.token_bytes[50257 + n] for n in range(24)] == [b" " * length for length in range(2, 26)]


def test_the_name_that_a_doubly_named_id_decodes_to_is_tiktokens(witness):
    special = vocabularies.load("o200k_harmony").special_tokens
    shared = [token_id for token_id in set(special.values()) if list(special.values()).count(token_id) > 1]
    assert shared == [200018]
    decodes_to = {token_id: text for text, token_id in special.items()}[200018]
    assert decodes_to == tiktoken.Encoding(**witness("o200k_harmony")).decode([200018])


def test_the_bundle_is_small_and_opens_with_little_work():
    assert sum(path.stat().st_size for path in bundle.DATA.iterdir()) < 1_400_000
    bundle._passports(bundle.DATA)
    # A call for each of its 200,000 tokens would be far more.
    assert calls_in(bundle.build_model, "o200k_base", bundle.DATA) < 1_000


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("cl100k", "Did you mean 'cl100k_base'?"),
        ("gpt-4", "its encoding is 'cl100k_base'"),
        ("sonata", "Known: gpt2, r50k_base"),
        (None, "Give its name as a str"),
    ],
)
@pytest.mark.parametrize("ask", [vocabularies.passport, vocabularies.tiktoken_file])
def test_unknown_names_say_what_was_meant(wrong, advice, ask):
    with pytest.raises(UnknownEncoding) as caught:
        ask(wrong)
    assert advice in str(caught.value)
    assert "gpt2, r50k_base" in str(caught.value)


def test_gpt2_has_two_files_and_no_third():
    assert vocabularies.tiktoken_file("gpt2") == vocabularies.tiktoken_file("gpt2", "vocab.bpe")
    assert vocabularies.tiktoken_file("gpt2", "encoder.json").startswith(b'{"!": 0')
    with pytest.raises(UnknownEncoding, match=r"vocab\.bpe, encoder\.json"):
        vocabularies.tiktoken_file("gpt2", "merges.txt")


# A damaged bundle


@pytest.fixture
def copied(tmp_path):
    for path in bundle.DATA.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def flip_a_bit(data):
    table = bytearray(zlib.decompress(data))
    table[5000] ^= 1
    return zlib.compress(bytes(table))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("cl100k.merges", lambda data: data[:-7]),
        ("cl100k.merges", lambda data: b"no zlib" + data),
        ("cl100k.merges", flip_a_bit),
        ("cl100k.merges", None),
        ("passports.json", lambda data: b'{"encodings": '),
    ],
    ids=["cut short", "not zlib", "one bit flipped inside", "missing", "broken passports"],
)
def test_a_damaged_bundle_is_never_loaded(copied, name, damage):
    path = copied / name
    data = path.read_bytes()
    path.unlink()
    if damage is not None:
        path.write_bytes(damage(data))
    with pytest.raises(UnreadableModel, match=name):
        bundle.build_model("cl100k_base", copied)
    if name == "cl100k.merges":
        assert bundle.build_model("gpt2", copied) == vocabularies.load("gpt2")


def test_a_file_that_does_not_rebuild_is_never_handed_out(monkeypatch):
    model = vocabularies.load("gpt2")
    swapped = model.pairs.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    monkeypatch.setattr(published_files, "load", lambda name: model.replace(merges=swapped))
    with pytest.raises(UnreadableModel, match=r"do not rebuild vocab\.bpe"):
        vocabularies.tiktoken_file("gpt2")
