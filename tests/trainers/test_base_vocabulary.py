"""``train(base=)`` and ``prune``: the merges of the references, and files whose ids are those of `tokenizers`."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, trainers
from tokenizers import pre_tokenizers as pre

from minbpe_course import (
    Encoding,
    convert,
    count_words,
    get_encoding,
    id_map,
    load_tokenizer,
    prune,
    train,
    train_sentencepiece,
)
from minbpe_course.corpus import course_text
from minbpe_course.errors import InvalidOption, InvalidSource, InvalidVocabularySize, UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.reference import pruning
from minbpe_course.reference.training import train_steps
from minbpe_course.trainers.byte_pair import TIE_BREAKS
from tests.shared.huggingface_files import asked, file_of_kind, kind_texts, kinds

pytestmark = pytest.mark.medium

TEXT = course_text()[:30_000].replace("<|", "<")
# CLIP's tokens end with a mark; no tokenizer.json says what the last one describes without its source.
KINDS = [kind for kind in kinds() if kind not in ("clip", "lower case")]


def words_of(draw: random.Random) -> dict[bytes, int]:
    return {bytes(draw.choices(b"ab\xc3\xa9\xff ", k=draw.randint(1, 9))): draw.randint(1, 4) for _ in range(9)}


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_merges_on_top_are_those_of_the_reference(tie_break: str) -> None:
    draw = random.Random(tie_break)
    for _ in range(30):
        specials = ["<|end|>"][: draw.randint(0, 1)]
        base = train(words_of(draw), 257 + draw.randint(0, 12), pattern=None, special_tokens=specials)
        words, rules = words_of(draw), {"tie_break": tie_break, "min_frequency": draw.randint(1, 3)}
        new = draw.randint(0, 20)
        reported: list[Any] = []
        size = base.vocab_size + new + (not specials)
        found = train(words, size, base=base, special_tokens=["<|end|>"], progress=reported.append, **rules)
        more = 256 + len(base.pairs) + new
        steps = list(train_steps(words, more, after=base.merges, **rules))
        gap = base.vocab_size - 256 - len(base.pairs)
        moved = [tuple(each + gap * (each >= 256 + len(base.pairs)) for each in step.pair) for step in steps]
        assert list(found.merges[len(base.pairs) :]) == moved
        assert [(each.pair, each.token, each.count) for each in reported] == [
            (pair, step.token, step.count) for pair, step in zip(moved, steps)
        ]
        assert [each.new_id for each in reported] == [*range(base.vocab_size, base.vocab_size + len(steps))]
        assert found.merges[: len(base.pairs)] == base.merges


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_two_trainings_are_one(tie_break: str) -> None:
    base = train(TEXT, 400, tie_break=tie_break)
    assert train(TEXT, 600, base=base, tie_break=tie_break) == train(TEXT, 600, tie_break=tie_break)


@cache
def by_tokenizers(size: int) -> str:
    """A file that normalizes and splits in two steps, trained by `tokenizers`."""
    document = json.loads(file_of_kind("starcoder")) | {"normalizer": {"type": "NFC"}, "added_tokens": []}
    document["model"] |= {"vocab": {}, "merges": []}
    made = Tokenizer.from_str(json.dumps(document))
    alphabet = pre.ByteLevel.alphabet()
    made.train_from_iterator(
        TEXT.splitlines(keepends=True),
        trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False),
    )
    return made.to_str()


def test_tokenizers_would_have_learned_the_same_on_top() -> None:
    base, longer = (huggingface_json.from_json(by_tokenizers(size)) for size in (500, 620))
    lines = TEXT.splitlines(keepends=True)
    assert isinstance(base, VocabularyModel)
    found = train(lines, 620, base=Tokenizer.from_str(by_tokenizers(500)), tie_break="huggingface")
    assert found == longer


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_became_longer_or_shorter_give_the_ids_of_tokenizers(kind: str) -> None:
    base = huggingface_json.from_json(file_of_kind(kind))
    assert not isinstance(base, VocabularyModel) or base.merge_table is not None
    longer, shorter = train(TEXT, base.vocab_size + 60, base=base), prune(base, TEXT, 420)
    assert (longer.vocab_size, shorter.vocab_size) == (base.vocab_size + 60, 420)
    assert id_map(base, longer).tolist() == list(range(base.vocab_size))
    ids = id_map(base, shorter)
    assert np.all(np.diff(ids[ids >= 0]) > 0)
    assert np.sum(ids >= 0) == 420 - ("" in base.token_bytes.values())
    for model in (longer, shorter):
        witness = Tokenizer.from_str(huggingface_json.to_json(model).decode())
        ours = Encoding.from_model(model)
        for text in [TEXT[:500], *kind_texts(kind, 25)]:
            if (expected := asked(witness, text)) is not None:
                assert ours.encode(text, allowed_special="all") == expected, text
    used = Encoding.from_model(longer).encode_ordinary(TEXT)
    assert len({each for each in used if each >= base.vocab_size}) > 50


def test_published_vocabularies_keep_their_ids(tmp_path: Path) -> None:
    old = get_encoding("gpt2")
    model = train("the Entmoot of the Entwives, at an Entmoot " * 9, old.n_vocab + 3, base="gpt2")
    assert model.special_tokens == old._special_tokens
    assert b" Entmoot" in model.token_bytes.values()
    new = load_tokenizer(convert(model, tmp_path / "longer.tiktoken"))
    text = "hello <|endoftext|> 東京"
    assert new.encode(text, allowed_special="all") == old.encode(text, allowed_special="all")
    assert new.encode("at an Entmoot") == [*old.encode("at an"), *new.encode(" Entmoot")]
    assert new.encode(" Entmoot")[0] >= old.n_vocab


def test_a_vocabulary_is_pruned_as_the_reference_does() -> None:
    base = train(TEXT, 900, special_tokens=["<|end|>"])
    part = TEXT[:9000]
    counts = Counter(Encoding.from_model(base).encode_ordinary(part))
    order = list(pruning.rarest_first(base.ranks, counts))
    for size in (900, 899, 500, 257):
        ranks, new_ids = pruning.pruned(base.ranks, set(order[: 900 - size]))
        found = prune(base, part, size)
        assert isinstance(found, BytePairModel)
        assert found.ranks == ranks
        assert found.special_tokens == {"<|end|>": size - 1}
        expected = [*range(256), *(new_ids.get(each, -1) for each in range(256, 899)), size - 1]
        assert id_map(base, found).tolist() == expected
    assert prune(base, count_words(part), 500) == prune(base, part, 500)


def test_pruned_ids_close_ranks_around_special_tokens() -> None:
    """In p50k_base a special token is among the merges."""
    found = prune("p50k_base", TEXT, 2000)
    old = get_encoding("p50k_base")
    assert found.vocab_size == 2000
    assert id_map(old, found)[50256] == found.special_tokens["<|endoftext|>"]
    text = TEXT[:3000]
    expected = id_map(old, found)[old.encode(text)]
    new = Encoding.from_model(found).encode(text)
    assert np.array_equal(expected[expected >= 0], [each for each in new if each in set(expected.tolist())])


def test_pruned_and_extended_files_keep_their_rule_for_pairs() -> None:
    """RoBERTa's has two </s> between the texts, and the type id 0 for all."""
    document = json.loads(file_of_kind("phi-2"))
    names = {each["content"]: each["id"] for each in document["added_tokens"]}
    (text, token_id), *_ = names.items()
    end = [text, token_id]
    document["post_processor"] = dict(
        type="RobertaProcessing", cls=end, sep=end, trim_offsets=True, add_prefix_space=False
    )
    base = huggingface_json.from_json(json.dumps(document))
    for model in (base, prune(base, TEXT, 420), train(TEXT, base.vocab_size + 9, base=base)):
        witness = Tokenizer.from_str(huggingface_json.to_json(model).decode())
        expected = witness.encode("the quick", "brown fox")
        assert Encoding.from_model(model).encode_pair("the quick", "brown fox") == (expected.ids, expected.type_ids)
        assert expected.ids.count(model.special_tokens[text]) == 4
        assert not any(expected.type_ids)


def test_what_cannot_be_extended_or_pruned_is_an_error(tmp_path: Path) -> None:
    pieces = train_sentencepiece(sentence_iterator=iter(["a b c d e"] * 9), vocab_size=12, minloglevel=2)
    counts = count_words(TEXT, pattern=None, output=tmp_path / "a.counts")
    for ask, error, says in (
        (lambda: train(TEXT, 999, base=pieces), UnsupportedModel, "with_pieces"),
        (lambda: train(TEXT, 999, base="gpt2"), InvalidVocabularySize, "give 50_757"),
        (lambda: train(TEXT, 50_257, base="gpt2", special_tokens=["<|a|>"]), InvalidVocabularySize, "give 50_758"),
        (lambda: train(TEXT, 50_300, base="gpt2", pattern="cl100k_base"), InvalidOption, "Leave pattern= out"),
        (lambda: train(TEXT, 50_300, base="gpt2", stages=[(400, "gpt2")]), InvalidOption, "stages="),
        (lambda: train(counts, 50_300, base="gpt2"), InvalidSource, "count it again"),
        (lambda: train(TEXT, 900, base=file_record("gpt-neox"), memory="1GB"), InvalidOption, "memory="),
        (lambda: train(TEXT, 900, base=file_record("clip")), UnsupportedModel, "</w>"),
        (lambda: prune(pieces, TEXT, 300), UnsupportedModel, "pieces of text"),
        (lambda: prune("gpt2", TEXT, 256), InvalidVocabularySize, "257 ids"),
        (lambda: prune("gpt2", TEXT, 100), InvalidVocabularySize, "256"),
    ):
        with pytest.raises(error, match=says):
            ask()
    assert train(TEXT, 50_300, base="gpt2", pattern="gpt2") == train(TEXT, 50_300, base="gpt2")


def file_record(kind: str) -> Any:
    return huggingface_json.from_json(file_of_kind(kind))
