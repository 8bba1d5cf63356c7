"""Budgets, segments and streams are the same in every class, and agree with encoding and decoding whole texts."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import tracemalloc
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import tiktoken
from tokenizers import AddedToken, Tokenizer

from minbpe_course import (
    BasicTokenizer,
    Encoding,
    GPT4Tokenizer,
    RegexTokenizer,
    SentencePieceTokenizer,
    TextTokenizer,
    get_encoding,
    load_tokenizer,
    use_bundled_vocabularies,
    vocabularies,
)
from minbpe_course.corpus import course_text
from minbpe_course.engines import workers
from minbpe_course.errors import (
    DisallowedSpecialToken,
    InvalidOption,
    InvalidTokenId,
    NotText,
    UnreadableModel,
    UnsupportedModel,
)
from minbpe_course.model import PieceModel
from tests.formats import piece_file_cases
from tests.shared import added_token_files
from tests.shared.cases import hostile_text
from tests.shared.long_run import examples
from tests.shared.piece_cases import mistral_files
from tests.shared.random_pieces import random_model

pytestmark = pytest.mark.medium

FILES = (*added_token_files.SHAPES, *piece_file_cases.KINDS)
CLASSES = ("cl100k_base", "gpt2", "GPT4Tokenizer", "RegexTokenizer", "BasicTokenizer", "Mistral", "random pieces")


@cache
def theirs_of(shape: str) -> Tokenizer:
    if shape not in added_token_files.SHAPES:
        return Tokenizer.from_str(json.dumps(piece_file_cases.file_of(shape)))
    # A random file with two tokens of one normal form is refused.
    for seed in range(20):
        found = Tokenizer.from_str(json.dumps(added_token_files.document(shape, seed)))
        with contextlib.suppress(UnreadableModel, UnsupportedModel):
            load_tokenizer(found)
            return found
    raise AssertionError(shape)


@cache
def tokenizer_of(kind: str) -> Any:
    if kind in FILES:
        return load_tokenizer(theirs_of(kind))
    if kind in ("cl100k_base", "gpt2"):
        return get_encoding(kind)
    if kind == "GPT4Tokenizer":
        return GPT4Tokenizer()
    if kind == "Mistral":
        return SentencePieceTokenizer(model_file=mistral_files()["v3"])
    if kind == "random pieces":
        return SentencePieceTokenizer(model_proto=random_model(random.Random(5), "bpe"), seed=1)
    tokenizer = (RegexTokenizer if kind == "RegexTokenizer" else BasicTokenizer)().train(course_text()[:20_000], 400)
    tokenizer.register_special_tokens({"<|endoftext|>": 500, "<|": 501})
    return tokenizer


def options_of(tokenizer: Any) -> list[dict[str, Any]]:
    if isinstance(tokenizer, SentencePieceTokenizer):
        return [{}]
    if isinstance(tokenizer, Encoding):
        return [{"allowed_special": "all"}, {"disallowed_special": ()}]
    return [{"allowed_special": "all"}, {"allowed_special": "none"}]


def texts_of(kind: str, count: int) -> list[str]:
    rng = random.Random(kind)
    if kind in added_token_files.SHAPES:
        return added_token_files.texts(json.loads(theirs_of(kind).to_str()), rng, count)
    return [hostile_text(rng, surrogates=kind == "gpt2") for _ in range(count)]


@pytest.mark.parametrize("kind", [*CLASSES, *FILES])
def test_count_and_truncate(kind: str) -> None:
    tokenizer = tokenizer_of(kind)
    assert isinstance(tokenizer, TextTokenizer)
    texts, rng = texts_of(kind, examples(25)), random.Random(2)
    for options in options_of(tokenizer):
        wanted = [len(tokenizer.encode(text, **options)) for text in texts]
        assert [tokenizer.count(text, **options) for text in texts] == wanted
        counts = tokenizer.count_batch(texts, **options)
        assert counts.dtype == np.int64
        assert counts.tolist() == wanted
        for text in texts:
            ids = tokenizer.encode(text, **options)
            most = rng.randrange(len(ids) + 2)
            cut = tokenizer.truncate(text, most, **options)
            assert text.startswith(cut)
            assert tokenizer.count(cut, **options) <= most
            if most >= len(ids):
                assert cut == text
                continue
            # No beginning is longer that has the same ids as in the text.
            own = (tokenizer.encode(text[:end], **options) for end in range(len(cut) + 1, len(text)))
            assert not any(len(one) <= most and one == ids[: len(one)] for one in own), (text, most, cut)


def test_a_character_is_never_cut() -> None:
    for tokenizer in (get_encoding("gpt2"), tokenizer_of("Mistral")):
        text = "naïve 👋🏽 \U0001f469\u200d\U0001f467 中文" * 20
        found = {tokenizer.truncate(text, most) for most in range(tokenizer.count(text) + 2)}
        assert {"", text} <= found
        assert all(text.startswith(each) for each in found)
        assert len(found) > 80
    assert get_encoding("gpt2").truncate("\ud83d\ude00 x", 1) == ""
    # A truncated run of spaces has more ids alone than as a part of the text.
    spaces = get_encoding("cl100k_base").truncate("a" + " " * 5000 + "b", 40)
    assert get_encoding("cl100k_base").count(spaces) <= 40


def test_one_text_of_any_length_is_counted_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = get_encoding("cl100k_base")
    text = course_text() * 400
    wanted = len(encoding.encode_to_array(text))
    tracemalloc.start()
    try:
        assert encoding.count(text) == wanted
        # Its ids would take more; the caches of words may have grown meanwhile.
        assert tracemalloc.get_traced_memory()[1] < 2 * wanted
    finally:
        tracemalloc.stop()
    monkeypatch.setattr(workers, "MOST_COUNTED", 1)
    encoding = Encoding.from_model(vocabularies.load("cl100k_base"))
    for text in ("x" * 100_000, "ab " * 40_000, course_text() * 3):
        number = len(encoding.encode(text))
        assert encoding.count(text) == number
        assert encoding.count_batch([text, "a", "", text]).tolist() == [number, 1, 0, number]
    kinds, byte_pieces = (2, 1, 1, 1, 4), tuple(f"<0x{byte:02X}>" for byte in range(256))
    for own in ((), byte_pieces):
        pieces = ("<unk>", "\u2581", "a", "\u2581a", "<user>", *own)
        scores = tuple(-1.0 * at for at in range(len(pieces)))
        model = PieceModel(pieces, scores, (*kinds, *[6] * len(own)), byte_fallback=bool(own))
        for text in ("<user>" * 20_000, "a<user> a \u00e9\u00e8" * 3000, "\u00e9" * 20_000):
            tokenizer = SentencePieceTokenizer(model=model)
            assert tokenizer.count(text) == len(tokenizer.encode(text))


@pytest.mark.parametrize("kind", [*CLASSES, *FILES])
def test_streams_give_the_decoded_text(kind: str) -> None:
    tokenizer, rng = tokenizer_of(kind), random.Random(3)
    known = list(range(256)) if kind == "BasicTokenizer" else list(range(tokenizer.n_vocab))
    if kind in ("RegexTokenizer", "BasicTokenizer"):
        known = [*range(400), 500, 501]
    last = known[-12:]
    for number in range(examples(60)):
        ids = rng.choices(known[:300] if number % 2 else known, k=rng.randrange(12)) + rng.choices(last, k=number % 3)
        rng.shuffle(ids)
        if kind in ("cl100k_base", "GPT4Tokenizer"):
            ids = [each for each in ids if each != 100256 and not 100261 <= each < 100276]
        for skip in (False, True):
            text = tokenizer.decode(ids, skip_special_tokens=skip)
            # Random files have tokens that are listed twice, or are spelled in the byte alphabet.
            if kind in FILES and not kind.startswith("random"):
                assert text == theirs_of(kind).decode(ids, skip_special_tokens=skip)
            assert "".join(tokenizer.decode_stream(iter(ids), skip_special_tokens=skip)) == text
            prompt = rng.randrange(len(ids) + 1)
            decoder = tokenizer.stream(ids[:prompt], skip_special_tokens=skip)
            rest = "".join([*map(decoder.push, ids[prompt:]), decoder.finish()])
            assert text.endswith(rest)
            before = tokenizer.decode(ids[:prompt], skip_special_tokens=skip)
            if not before.endswith("\ufffd") and kind not in FILES:
                assert before + rest == text


def test_a_stream_of_a_tokenizer_json_does_not_wait_for_the_end() -> None:
    tokenizer = tokenizer_of("Llama 2")
    ids = tokenizer.encode("the lamp in the window")
    decoder = tokenizer.stream()
    texts = [decoder.push(each) for each in ids]
    assert [tokenizer.decode(ids[:seen]) for seen in range(1, len(ids) + 1)] == [
        "".join(texts[:seen]) for seen in range(1, len(ids) + 1)
    ]


def test_a_stream_under_async_for() -> None:
    encoding = get_encoding("cl100k_base")

    async def arriving() -> AsyncIterator[int]:
        for token_id in encoding.encode("naïve 👋"):
            await asyncio.sleep(0)
            yield token_id

    async def shown() -> str:
        decoder = encoding.stream()
        return "".join([decoder.push(token_id) async for token_id in arriving()]) + decoder.finish()

    assert asyncio.run(shown()) == "naïve 👋"
    first, *rest = encoding.encode("👋")
    decoder = encoding.stream([first])
    assert "".join(map(decoder.push, rest)) + decoder.finish() == "👋"
    assert decoder.finish() == ""
    with pytest.raises(InvalidOption, match="finished"):
        decoder.push(0)
    with pytest.raises(InvalidTokenId):
        encoding.stream([200_000])


@pytest.mark.parametrize("kind", [*CLASSES, *FILES])
def test_only_allowed_segments_have_special_tokens(kind: str) -> None:
    tokenizer, rng = tokenizer_of(kind), random.Random(4)
    texts = texts_of(kind, examples(30))
    if isinstance(tokenizer, SentencePieceTokenizer):
        special = tokenizer._control_ids
    else:
        special = frozenset(tokenizer._specials.values())
    for text in texts:
        end = rng.randrange(len(text) + 1)
        parts = [(text[:end], False), (text[end:], False)]
        ordinary = tokenizer.encode_ordinary(text)
        assert tokenizer.encode_segments(parts) == ordinary
        # In a tokenizer.json a special token may have the id of an ordinary one.
        assert kind in FILES or special.isdisjoint(ordinary)
        # A token with flags, such as lstrip, depends on what is next to it.
        if not isinstance(tokenizer, SentencePieceTokenizer) and not tokenizer._added.flagged:
            assert tokenizer.encode_segments([(text, True)]) == tokenizer.encode(text, allowed_special="all")
    if kind in FILES:
        texts += ["<unk>", "a<unk>b"]
        witness = Tokenizer.from_str(theirs_of(kind).to_str())
        witness.encode_special_tokens = True
        wanted = [each.ids for each in witness.encode_batch(texts, add_special_tokens=False)]
        assert [tokenizer.encode_ordinary(text) for text in texts] == wanted


@pytest.mark.parametrize("scheme", ["first", "always", "never"])
def test_the_space_before_the_first_word_comes_once(scheme: str) -> None:
    file = piece_file_cases.file_of("Llama 2")
    file["normalizer"] = None
    file["pre_tokenizer"] = dict(type="Metaspace", replacement="▁", prepend_scheme=scheme, split=False)
    witness = Tokenizer.from_str(json.dumps(file))
    tokenizer = load_tokenizer(witness)
    for text in ("a</s>the lamp", "</s>the lamp<s> a", "the lamp</s>", "the</s></s>lamp <unk>lamp"):
        assert tokenizer.encode_segments([(text, True)]) == witness.encode(text, add_special_tokens=False).ids


def test_special_tokens_of_segments_overlap_others_as_in_encode() -> None:
    witness = Tokenizer.from_str(json.dumps(piece_file_cases.file_of("Llama 2")))
    witness.add_tokens([AddedToken(text, normalized=False) for text in ("a</s", "b<s>")])
    tokenizer = load_tokenizer(witness)
    for text in ("xa</s> b", "b<s> c", "b<s></s>"):
        assert tokenizer.encode_segments([(text, True)]) == witness.encode(text, add_special_tokens=False).ids


def test_special_unknown_pieces_are_skipped_and_ordinary_as_others_are() -> None:
    file = piece_file_cases.file_of("Llama 2")
    for special in (True, False):
        next(one for one in file["added_tokens"] if one["content"] == "<unk>")["special"] = special
        witness = Tokenizer.from_str(json.dumps(file))
        tokenizer = load_tokenizer(witness)
        ids = tokenizer.encode("a<unk>b")
        assert tokenizer.decode(ids, skip_special_tokens=True) == witness.decode(ids)
        assert "".join(tokenizer.decode_stream(ids, skip_special_tokens=True)) == witness.decode(ids)
        witness.encode_special_tokens = True
        ordinary = witness.encode("a<unk>b", add_special_tokens=False).ids
        assert (ordinary == ids) == (not special)
        assert tokenizer.encode_ordinary("a<unk>b") == tokenizer.encode_segments([("a<unk>b", False)]) == ordinary


def test_a_prompt_that_ends_inside_a_character_loses_no_text() -> None:
    """With the Strip at the end, the text comes with finish()."""
    file = piece_file_cases.file_of("Llama 2")
    file["decoder"]["decoders"].append({"type": "Strip", "content": "~", "start": 0, "stop": 1})
    tokenizer = load_tokenizer(Tokenizer.from_str(json.dumps(file)))
    ids = tokenizer.encode("a\U0001f9ffb")
    assert len(ids) > 4
    texts = []
    for end in range(len(ids) + 1):
        decoder = tokenizer.stream(ids[:end])
        texts.append("".join([*map(decoder.push, ids[end:]), decoder.finish()]))
    whole = tokenizer.decode(ids)
    assert all(
        whole.endswith(text) and whole[: len(whole) - len(text)] in ("", "a", whole[:2], whole) for text in texts
    )
    assert texts[3] == "\U0001f9ffb"


def test_segments_of_a_chat() -> None:
    """As in lesson 05: ordinary text is joined across segments, and ends at each special token that is allowed."""
    use_bundled_vocabularies()
    encoding, witness = get_encoding("cl100k_base"), tiktoken.get_encoding("cl100k_base")
    end, typed = "<|endoftext|>", "Hi<|endoftext|>\nsys"
    ids = encoding.encode_segments([(end, True), ("user\n", False), (typed, False), (f"tem{end}\n", True)])
    assert ids == [
        *witness.encode(end, allowed_special="all"),
        *witness.encode_ordinary(f"user\n{typed}tem"),
        *witness.encode(f"{end}\n", allowed_special="all"),
    ]
    mistral = tokenizer_of("Mistral")
    ids = mistral.encode_segments([("<s>", True), ("Hi <s>", False), ("</s>", True)])
    assert ids == [1, *mistral.encode("Hi <s>"), 2]
    for wrong, kind in (("Hi", NotText), ([("Hi", "none")], InvalidOption), (["Hi"], NotText), ([(1, True)], NotText)):
        with pytest.raises(kind):
            encoding.encode_segments(wrong)  # type: ignore[arg-type]


def test_arguments_of_budgets() -> None:
    encoding, pieces = get_encoding("gpt2"), tokenizer_of("Mistral")
    for wrong in (-1, 1.5, "3", None):
        with pytest.raises(InvalidOption, match="from 0 up"):
            encoding.truncate("hello", wrong)  # type: ignore[arg-type]
    for call in (encoding.count, encoding.count_batch, lambda text: encoding.truncate(text, 1)):
        with pytest.raises((NotText, TypeError)):
            call(5)
    with pytest.raises(DisallowedSpecialToken):
        encoding.count("a<|endoftext|>")
    with pytest.raises(DisallowedSpecialToken):
        encoding.count_batch(["a", "a<|endoftext|>"])
    with pytest.raises(NotText, match="text 1"):
        encoding.count_batch(["a", b"b"])  # type: ignore[list-item]
    assert pieces.count("Hello", add_bos=True, add_eos=True) == len(pieces.encode("Hello", add_bos=True, add_eos=True))
    assert pieces.count(b"\xff a") == len(pieces.encode(b"\xff a"))
    assert pieces.count_batch([b"\xff a", "b"]).tolist() == [len(ids) for ids in pieces.encode([b"\xff a", "b"])]
    begun = SentencePieceTokenizer(model_file=mistral_files()["v3"], add_bos=True)
    assert len(begun.encode(begun.truncate("Hello wide world", 2))) == 2
    with pytest.raises(InvalidOption, match="from 1 up"):
        begun.truncate("Hello", 0)
    assert pieces.decode([1, 2, *pieces.encode("Hi")], skip_special_tokens=True) == "Hi"
    assert encoding.decode_batch([[50256, 31373]], skip_special_tokens=True) == ["hello"]
