"""The view of every kind of tokenizer gives the same answers as the tokenizer itself."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken

from minbpe_course import (
    BasicTokenizer,
    RegexTokenizer,
    SentencePieceTokenizer,
    convert,
    get_encoding,
    load_tokenizer,
    use_bundled_vocabularies,
)
from minbpe_course.corpus import course_text
from minbpe_course.errors import FolderGiven, MissingFile, NotText, UnknownEncoding, UnreadableModel, UnusableTokenizer
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.inspecting.tokenizer_view import Cut, view_of
from minbpe_course.model import PieceModel, VocabularyModel
from tests.shared.cases import MISTRAL, hostile_texts

pytestmark = pytest.mark.medium

TEXTS = [
    "",
    "hello world",
    "naïve café ☃ 日本語 👩‍👩‍👧‍👦",
    "\x00\x1b[31m\x7f\u202e\u2066",
    "a<|endoftext|>b",
    *hostile_texts(6, 20),
]


class ByBytes:
    """The least that a class of one's own can be."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode("utf-8"))

    def decode_bytes(self, ids: list[int]) -> bytes:
        return bytes(ids)


@pytest.fixture(scope="module")
def trained() -> RegexTokenizer:
    tokenizer = RegexTokenizer().train(course_text()[:20_000], 400)
    tokenizer.register_special_tokens({"<|endoftext|>": 400, "<|pad|>": 401})
    return tokenizer


def joined(cut: Cut) -> bytes:
    return b"".join(token if isinstance(token, bytes) else token.encode() for token in cut.tokens)


@pytest.mark.parametrize("name", ["gpt2", "o200k_harmony"])
def test_a_bundled_encoding_and_tiktokens_own_cut_alike(name: str) -> None:
    use_bundled_vocabularies()
    theirs = tiktoken.get_encoding(name)
    ours, witness = view_of(name), view_of(theirs)
    assert ours.name == witness.name == name
    assert ours.n_vocab == witness.n_vocab == theirs.n_vocab
    for text in TEXTS:
        assert ours.cut(text).ids == tuple(theirs.encode_ordinary(text))
        assert ours.cut(text) == witness.cut(text)
        cut = ours.cut(text, specials=True)
        assert cut == witness.cut(text, specials=True)
        assert cut.ids == tuple(theirs.encode(text, allowed_special="all"))
        assert cut.special == {at for at, each in enumerate(cut.ids) if theirs.is_special_token(each)}
        assert joined(cut).decode() == text


def test_specials_are_recognised_only_when_asked(trained: RegexTokenizer) -> None:
    cut = view_of(trained, "mine").cut("a<|pad|><|endoftext|>", specials=True)
    assert (cut.ids, cut.special) == ((97, 401, 400), {1, 2})
    assert cut.tokens[1] == b"<|pad|>"
    plain = view_of(trained).cut("a<|pad|>")
    assert plain.special == frozenset()
    assert 401 not in plain.ids
    assert view_of(trained).n_vocab == 402


def test_a_library_that_panics_is_told_as_an_error() -> None:
    """Rust libraries panic now and then, and their bindings then raise a BaseException."""

    class PanicError(BaseException):
        pass

    class Panicking(tiktoken.Encoding):
        def __init__(self) -> None:
            self.name = "fragile"

        def encode(self, text: str, **options: Any) -> list[int]:
            raise PanicError("stack overflow")

    with pytest.raises(UnusableTokenizer, match="encoding fragile raised PanicError: stack overflow"):
        view_of(Panicking()).cut("a")


@pytest.mark.parametrize("version", ["tokenizer.model.v1", "mistral_instruct_tokenizer_240323.model.v3"])
def test_sentencepiece_in_four_guises(version: str) -> None:
    path = files("mistral_common") / "data" / version
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path), add_bos=True, reverse=True)
    record = sentencepiece_proto.read(str(path))
    guises = [view_of(str(path)), view_of(theirs), view_of(record), view_of(SentencePieceTokenizer(model=record))]
    assert {each.n_vocab for each in guises} == {theirs.vocab_size()}
    assert view_of(str(path)).name == path.name.rpartition(".")[0]
    for text in TEXTS:
        wanted = theirs.encode(text, add_bos=False, reverse=False)
        pieces = theirs.encode(text, out_type=str, add_bos=False, reverse=False)
        for each in guises:
            cut = each.cut(text, specials=True)
            assert (list(cut.ids), list(cut.tokens)) == (wanted, pieces)
            assert cut == each.cut(text)


def test_user_defined_pieces_are_special_and_unknown_ones_show_the_text() -> None:
    model = PieceModel(("<unk>", "▁a", "b", "<|x|>"), (0.0, -1.0, -2.0, 0.0), (2, 1, 1, 4), model_type="unigram")
    cut = view_of(model).cut("a<|x|>b☃")
    assert (cut.ids, cut.tokens, cut.special) == ((1, 3, 2, 0), ("▁a", "<|x|>", "b", "☃"), {1})


# ----------------------------------------------------------------------------------------------------
# tokenizers, which is not required


def hugging_face() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(course_text()[:20_000].splitlines(), trainer)
    return tokenizer


def test_hugging_face_byte_level_gives_bytes() -> None:
    tokenizer = hugging_face()
    for text in TEXTS:
        cut = view_of(tokenizer).cut(text, specials=True)
        assert list(cut.ids) == tokenizer.encode(text).ids
        assert joined(cut).decode() == text
        plain = view_of(tokenizer).cut(text)
        assert joined(plain).decode() == text
        assert 0 not in plain.ids
        assert tokenizer.encode_special_tokens is False, "the switch is back where it was"
    cut = view_of(tokenizer, "hf").cut("a<|endoftext|>", specials=True)
    assert cut.special == {1}
    assert cut.tokens == (b"a", b"<|endoftext|>")
    assert view_of(tokenizer).n_vocab == tokenizer.get_vocab_size()


def test_hugging_face_with_a_normaliser_says_so() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = hugging_face()
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    assert view_of(tokenizer).cut("Ab").note == "the tokens joined are not the text"
    assert view_of(tokenizer).cut("ab").note == ""


# ----------------------------------------------------------------------------------------------------
# Names, paths, texts, facts


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("gpt5", UnknownEncoding, "given by its path"),
        ("nowhere.model", MissingFile, "no file nowhere.model"),
    ],
)
def test_a_name_that_is_none(name: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        view_of(name)


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "notes.model").write_text("notes", encoding="utf-8")
    with pytest.raises(UnreadableModel, match="neither minbpe nor SentencePiece"):
        view_of(tmp_path / "notes.model")
    with pytest.raises(FolderGiven):
        view_of(tmp_path)


@pytest.mark.parametrize("tokenizer", ["gpt2", MISTRAL, BasicTokenizer(), ByBytes()])
def test_lone_surrogates_are_replaced_before_anybody_sees_them(tokenizer: Any) -> None:
    cut = view_of(tokenizer).cut("a\ud800b\ud83d\udc4b")
    assert cut.text == "a\ufffdb👋"
    assert cut == view_of(tokenizer).cut("a\ufffdb👋")


def test_only_text_is_cut() -> None:
    for text in (b"bytes", None, 5):
        with pytest.raises(NotText, match="text must be a str"):
            view_of("gpt2").cut(text)


def test_facts_of_a_cut_and_names_of_a_view() -> None:
    cut = view_of(BasicTokenizer()).cut("é€!")
    assert (len(cut), cut.bytes_per_token, cut.characters_per_token) == (6, 1.0, 0.5)
    nothing = view_of("gpt2").cut("")
    assert (len(nothing), nothing.bytes_per_token, nothing.characters_per_token) == (0, 0.0, 0.0)
    first = view_of("gpt2")
    assert view_of(first) is first
    assert view_of(first, "other").name == "other"
    assert view_of(get_encoding("gpt2"), "mine").name == "mine"


def test_a_record_with_any_ids(tmp_path: Path) -> None:
    tokens = {1000 - byte: bytes([byte]) for byte in range(256)} | {7: b"ab"}
    record = VocabularyModel(tokens, [(903, 902, 7)], whole_words=False, special_tokens={"<|x|>": 5})
    path = convert(record, tmp_path / "tokenizer.json")
    for each in (view_of(record), view_of(path), view_of(load_tokenizer(record))):
        assert each.cut("abc<|x|>", specials=True).ids == (7, 901, 5)
        assert each.cut("abc").tokens == (b"ab", b"c")
