"""Text in chunks gives the ids of the whole text; ids in a stream give whole characters."""

from __future__ import annotations

import random
import tracemalloc

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import (
    GPT2Tokenizer,
    GPT4Tokenizer,
    RegexTokenizer,
    SentencePieceTokenizer,
    get_encoding,
    vocabularies,
)
from minbpe_course.errors import DisallowedSpecialToken, InvalidTokenId, MinbpeCourseError, NotText
from minbpe_course.model import BytePairModel, NormalizerRules, PieceModel, PiecePipeline
from minbpe_course.model.piece_rules import BYTE_PIECES
from minbpe_course.splitting import long_texts
from minbpe_course.text.normalize import published_rules
from tests.shared.cases import hostile_text
from tests.shared.long_run import examples
from tests.shared.piece_cases import mistral_files

pytestmark = pytest.mark.medium

O200K = RegexTokenizer.from_model(vocabularies.load("o200k_base"))
TOKENIZERS = {"gpt2": GPT2Tokenizer(), "cl100k": GPT4Tokenizer(), "o200k": O200K}


@pytest.fixture(params=list(TOKENIZERS))
def tokenizer(request):
    return TOKENIZERS[request.param]


def chunks_of(text: str, rng: random.Random, longest: int) -> list[str]:
    chunks = []
    while text:
        size = rng.randint(1, longest)
        chunks.append(text[:size])
        text = text[size:]
    return chunks


@pytest.mark.parametrize("gather", [1, 7, 40])
def test_any_cut_gives_the_same_ids(tokenizer, gather, monkeypatch) -> None:
    monkeypatch.setattr(long_texts, "GATHER", gather)
    rng = random.Random(gather)
    for _ in range(150):
        text = hostile_text(rng, pieces=30, surrogates=tokenizer is not O200K)
        want = tokenizer.encode(text, allowed_special="all")
        chunks = chunks_of(text, rng, rng.choice([1, 3, 20]))
        assert list(tokenizer.encode_iterable(chunks, allowed_special="all")) == want, (text, chunks)


def test_chunks_of_many_words(tokenizer) -> None:
    rng = random.Random(9)
    text = "".join(hostile_text(rng) for _ in range(20_000))
    want = tokenizer.encode(text, allowed_special="all")
    assert len(list(tokenizer._engine.splitter.runs(text))) > 1
    for chunks in ([text], chunks_of(text, rng, 30_000)):
        assert list(tokenizer.encode_iterable(chunks, allowed_special="all")) == want


def test_special_tokens_across_chunks(monkeypatch) -> None:
    monkeypatch.setattr(long_texts, "GATHER", 1)
    model = BytePairModel([(97, 98)], pattern=r"\p{L}+|\P{L}", special_tokens={"<a>": 300, "<a><b>": 301, "c c": 302})
    for pattern in (model.pattern, vocabularies.load("cl100k_base").pattern, None):
        tokenizer = RegexTokenizer.from_model(model.replace(pattern=pattern))
        rng = random.Random(1)
        for _ in range(500):
            text = "".join(
                rng.choice(["<a>", "<b>", "<a", ">", "ab", "c", " ", "c c", "<"]) for _ in range(rng.randint(0, 12))
            )
            for allowed in ("all", "none", {"<a>"}, {"<a><b>", "c c"}):
                want = tokenizer.encode(text, allowed)
                assert list(tokenizer.encode_iterable([*text], allowed_special=allowed)) == want, (text, allowed)
    with pytest.raises(DisallowedSpecialToken):
        list(tokenizer.encode_iterable(["c", " ", "c"]))


def test_memory_does_not_grow_with_the_text() -> None:
    tokenizer = TOKENIZERS["cl100k"]
    line = "The quick brown fox jumps over the lazy dog, again and again.\n"
    tokenizer.encode(line)

    def lines(number: int):
        for _ in range(number):
            yield line

    peaks = []
    for number in (20_000, 80_000):
        tracemalloc.start()
        for _ in tokenizer.encode_iterable(lines(number)):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_chunks_must_be_text(tokenizer) -> None:
    with pytest.raises(NotText, match="chunks must be str"):
        list(tokenizer.encode_iterable([b"abc"]))


@settings(max_examples=examples(200))
@given(text=st.text(max_size=60))
def test_streamed_text_is_the_decoded_text(text: str) -> None:
    for tokenizer in TOKENIZERS.values():
        ids = tokenizer.encode(text, allowed_special="none")
        pieces = list(tokenizer.decode_stream(iter(ids)))
        assert "".join(pieces) == text
        assert all("\ufffd" not in piece for piece in pieces) or "\ufffd" in text


def test_streamed_bytes_that_are_no_text() -> None:
    encoding = get_encoding("cl100k_base")
    rng = random.Random(4)
    for _ in range(300):
        ids = [rng.randrange(100256) for _ in range(20)]
        assert "".join(encoding.decode_stream(ids)) == encoding.decode(ids)
    with pytest.raises(InvalidTokenId):
        list(encoding.decode_stream([100300]))


PIECES = ("<unk>", "<s>", "▁", "▁a", "b", "é▁", "<u>", *BYTE_PIECES)
KINDS = (2, 3, 1, 1, 1, 1, 4, *[6] * 256)
# Byte pieces that begin, continue and end characters.
SPELLED = st.integers(0, 6) | st.sampled_from([7 + byte for byte in "a é温\U0001f600".encode()]) | st.integers(7, 262)


@settings(max_examples=examples(200))
@given(
    ids=st.lists(SPELLED, max_size=20),
    prefix=st.booleans(),
    spaces=st.booleans(),
    surface=st.sampled_from([" \u2047 ", "", "▁"]),
)
def test_streamed_pieces_are_the_decoded_text(ids: list[int], prefix: bool, spaces: bool, surface: str) -> None:
    model = PieceModel(
        PIECES,
        (0.0,) * len(PIECES),
        KINDS,
        byte_fallback=True,
        normalizer=NormalizerRules(b"", prefix, spaces),
        unk_surface=surface,
    )
    tokenizer = SentencePieceTokenizer(model=model)
    witness = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.serialized_model_proto())
    assert "".join(tokenizer.decode_stream(iter(ids))) == tokenizer.decode(ids) == witness.decode(ids)


def test_a_piece_is_streamed_when_its_last_byte_is_there() -> None:
    tokenizer = SentencePieceTokenizer(model_file=mistral_files()["v1"])
    ids = tokenizer.encode("Hi 𓀀𓀁!")
    given: list[int] = []
    texts = [(text, len(given)) for text in tokenizer.decode_stream(given.append(each) or each for each in ids)]
    assert texts[0] == ("Hi", 1)
    for text, seen in texts:
        assert tokenizer.decode(ids[:seen]).endswith(text)
    for wrong in ([32000], [-1], ["a"], 5):
        with pytest.raises(MinbpeCourseError):
            list(tokenizer.decode_stream(wrong))


@pytest.mark.parametrize("how", ["denormalizer", "tokenizer.json"])
def test_what_depends_on_the_whole_text_comes_at_the_end(how: str) -> None:
    pieces, scores, kinds = ("<unk>", "▁", "ａ", "▁ａ"), (0.0, -1.0, -2.0, -0.0), (2, 1, 1, 1)
    rules = NormalizerRules(published_rules("nfkc"), add_dummy_prefix=False, escape_whitespaces=False)
    # Removes what is at the end, and joins before it replaces.
    steps = (("Fuse",), ("Replace", "String", "ａａ", "b"), ("Strip", "x", 0, 1))
    more = {"denormalizer": rules} if how == "denormalizer" else {"pipeline": PiecePipeline(4, decoder=steps)}
    tokenizer = SentencePieceTokenizer(model=PieceModel(pieces, scores, kinds, **more))
    assert list(tokenizer.decode_stream([3, 2])) == [tokenizer.decode([3, 2])]
