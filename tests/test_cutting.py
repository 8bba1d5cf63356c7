"""Every kind of tokenizer is asked in its own words, and answers as when it is asked directly."""

from __future__ import annotations

import random
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import (
    BasicTokenizer,
    GPT2Tokenizer,
    GPT4Tokenizer,
    RegexTokenizer,
    SentencePieceTokenizer,
    get_encoding,
    list_encoding_names,
    use_bundled_vocabularies,
)
from minbpe_course.corpus import course_text
from minbpe_course.errors import (
    FolderGiven,
    MissingFile,
    NotText,
    UnknownEncoding,
    UnreadableModel,
    UnusableTokenizer,
)
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import PieceModel
from minbpe_course.tokenizers.cutting import Cut, cutter
from minbpe_course.tokenizers.own_cutting import aligned_bytes
from tests.cases import hostile_texts

TEXTS = [
    "",
    "hello world",
    "naïve café ☃ 日本語 👩‍👩‍👧‍👦",
    "\x00\x1b[31m\x7f\u202e\u2066",
    "a<|endoftext|>b",
    *hostile_texts(6, 40),
]
MISTRAL = str(files("mistral_common") / "data" / "tokenizer.model.v1")


@pytest.fixture(scope="module")
def trained() -> RegexTokenizer:
    tokenizer = RegexTokenizer().train(course_text()[:20_000], 400)
    tokenizer.register_special_tokens({"<|endoftext|>": 400, "<|pad|>": 401})
    return tokenizer


def joined(cut: Cut) -> bytes:
    return b"".join(token if isinstance(token, bytes) else token.encode() for token in cut.tokens)


@pytest.mark.parametrize("name", list_encoding_names())
def test_a_bundled_encoding_and_tiktokens_own_cut_alike(name: str) -> None:
    use_bundled_vocabularies()
    theirs = tiktoken.get_encoding(name)
    ours, witness = cutter(name), cutter(theirs)
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


@pytest.mark.parametrize("make", [BasicTokenizer, RegexTokenizer, GPT2Tokenizer, GPT4Tokenizer])
def test_minbpe_shaped(make: Any) -> None:
    tokenizer = make()
    for text in TEXTS:
        cut = cutter(tokenizer).cut(text)
        assert list(cut.ids) == tokenizer.encode_ordinary(text)
        assert joined(cut).decode() == text
    assert cutter(tokenizer).name == make.__name__


def test_specials_are_recognised_only_when_asked(trained: RegexTokenizer) -> None:
    cut = cutter(trained, "mine").cut("a<|pad|><|endoftext|>", specials=True)
    assert (cut.ids, cut.special) == ((97, 401, 400), {1, 2})
    assert cut.tokens[1] == b"<|pad|>"
    plain = cutter(trained).cut("a<|pad|>")
    assert plain.special == frozenset()
    assert 401 not in plain.ids
    assert cutter(trained).n_vocab == 402


def test_a_tokenizer_that_is_trained_again_cuts_anew() -> None:
    tokenizer = BasicTokenizer()
    before = cutter(tokenizer)
    assert len(before.cut("aaaa")) == 4
    tokenizer.train("aaaa", 257)
    assert len(before.cut("aaaa")) == 2


@pytest.mark.parametrize("version", ["tokenizer.model.v1", "mistral_instruct_tokenizer_240323.model.v3"])
def test_sentencepiece_in_four_guises(version: str) -> None:
    path = files("mistral_common") / "data" / version
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path), add_bos=True, reverse=True)
    record = sentencepiece_proto.read(str(path))
    guises = [cutter(str(path)), cutter(theirs), cutter(record), cutter(SentencePieceTokenizer(model=record))]
    assert {each.n_vocab for each in guises} == {theirs.vocab_size()}
    assert cutter(str(path)).name == path.name.rpartition(".")[0]
    for text in TEXTS:
        wanted = theirs.encode(text, add_bos=False, reverse=False)
        pieces = theirs.encode(text, out_type=str, add_bos=False, reverse=False)
        for each in guises:
            cut = each.cut(text, specials=True)
            assert (list(cut.ids), list(cut.tokens)) == (wanted, pieces)
            assert cut == each.cut(text)


def test_user_defined_pieces_are_special_and_unknown_ones_show_the_text() -> None:
    model = PieceModel(("<unk>", "▁a", "b", "<|x|>"), (0.0, -1.0, -2.0, 0.0), (2, 1, 1, 4), model_type="unigram")
    cut = cutter(model).cut("a<|x|>b☃")
    assert (cut.ids, cut.tokens, cut.special) == ((1, 3, 2, 0), ("▁a", "<|x|>", "b", "☃"), {1})


def test_minbpes_file(trained: RegexTokenizer, tmp_path: Path) -> None:
    trained.save(tmp_path / "small")
    for path in (tmp_path / "small.model", str(tmp_path / "small.model")):
        from_file = cutter(path)
        assert from_file.name == "small"
        for text in TEXTS:
            assert from_file.cut(text, specials=True) == cutter(trained).cut(text, specials=True)


def test_a_record(trained: RegexTokenizer) -> None:
    assert cutter(trained.model).cut("the tokens") == cutter(trained).cut("the tokens")
    assert cutter(trained.model, "small").name == "small"


# ----------------------------------------------------------------------------------------------------
# tokenizers, which is no requirement


def hugging_face(byte_level: bool) -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=None if byte_level else "<unk>"))
    if byte_level:
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = tokenizers.decoders.ByteLevel()
    else:
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
        tokenizer.decoder = tokenizers.decoders.Metaspace()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>"] if byte_level else ["<unk>", "<|endoftext|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet() if byte_level else [],
        show_progress=False,
    )
    tokenizer.train_from_iterator(course_text()[:20_000].splitlines(), trainer)
    return tokenizer


def test_hugging_face_byte_level_gives_bytes() -> None:
    tokenizer = hugging_face(True)
    for text in TEXTS:
        cut = cutter(tokenizer).cut(text, specials=True)
        assert list(cut.ids) == tokenizer.encode(text).ids
        assert joined(cut).decode() == text
        plain = cutter(tokenizer).cut(text)
        assert joined(plain).decode() == text
        assert 0 not in plain.ids
        assert tokenizer.encode_special_tokens is False, "the switch is back where it was"
    cut = cutter(tokenizer, "hf").cut("a<|endoftext|>", specials=True)
    assert cut.special == {1}
    assert cut.tokens == (b"a", b"<|endoftext|>")
    assert cutter(tokenizer).n_vocab == tokenizer.get_vocab_size()


def test_hugging_face_pieces_stay_text() -> None:
    cut = cutter(hugging_face(False)).cut("the tokens<|endoftext|>", specials=True)
    assert cut.tokens[-1] == "<|endoftext|>"
    assert cut.special == {len(cut) - 1}
    assert "".join(map(str, cut.tokens)).startswith("▁the")


# ----------------------------------------------------------------------------------------------------
# Classes that learners write


class ByLetters:
    """Cuts UTF-8 wherever ``cuts`` says, and decodes as minbpe's lessons do."""

    def __init__(self, *tokens: bytes) -> None:
        self.table = dict(enumerate(tokens))

    def encode(self, text: str) -> list[int]:
        return list(self.table)

    def decode(self, ids: list[int]) -> str:
        return b"".join(self.table[each] for each in ids).decode("utf-8", errors="replace")


def cut_somewhere(data: bytes, chance: random.Random) -> list[bytes]:
    places = sorted(chance.sample(range(1, len(data)), chance.randint(0, len(data) - 1))) if len(data) > 1 else []
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)])] if data else []


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab é€\ufffd日👋🧿\u0301\x00"), max_size=12), st.randoms(use_true_random=False))
def test_bytes_are_found_behind_a_decode_that_loses_them(text: str, chance: random.Random) -> None:
    tokens = cut_somewhere(text.encode(), chance)
    cut = cutter(ByLetters(*tokens)).cut(text)
    assert [token if isinstance(token, bytes) else token.encode() for token in cut.tokens] == tokens
    assert cut.note == ""


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=5), max_size=5))
def test_aligning_says_what_is_so_or_nothing(parts: list[bytes]) -> None:
    alone = [part.decode("utf-8", "replace") for part in parts]
    data = b"".join(parts)

    def together(first: int, end: int) -> str:
        return b"".join(parts[first:end]).decode("utf-8", "replace")

    found = aligned_bytes(alone, data)
    assert found is None or found == parts
    again = aligned_bytes(alone, data, together)
    assert again is None or again == parts
    assert found is None or again is not None
    assert aligned_bytes([*alone, "x"], data) is None


def test_two_ways_that_only_neighbours_tell_apart() -> None:
    parts = [b"\xe2\x82", b"\xac\xe2", b"\x82", b"\xac"]
    alone = [part.decode("utf-8", "replace") for part in parts]
    assert aligned_bytes(alone, "€€".encode()) is None
    assert cutter(ByLetters(*parts)).cut("€€").tokens == tuple(parts)


def own(**methods: Any) -> Any:
    """An object of a class with these methods and attributes."""
    methods.setdefault("encode", lambda self, text: list(text.encode()))
    return type("Mine", (), methods)()


@pytest.mark.parametrize(
    "way_back",
    [
        {"decode_bytes": lambda self, ids: bytes(ids)},
        {"decode_single_token_bytes": lambda self, each: bytearray([each])},
        {"decode_tokens_bytes": lambda self, ids: (bytes([each]) for each in ids)},
        {"vocab": {each: bytes([each]) for each in range(256)}},
        {"vocab": [bytes([each]) for each in range(256)]},
        {"vocab": {bytes([each]): each for each in range(256)}},
        {"token_bytes": {each: bytes([each]) for each in range(256)}},
        {"decode": lambda self, ids: bytes(ids).decode("utf-8", "replace")},
        {"decode": lambda self, ids: bytes(ids)},
        {"vocab": {each: bytes([each]).decode("utf-8", "replace") for each in range(256)}},
        {"vocab": property(lambda self: 1 / 0), "decode_bytes": lambda self, ids: bytes(ids)},
    ],
)
def test_every_way_back_gives_the_bytes(way_back: dict[str, Any]) -> None:
    for text in ("é€👋", "hello", ""):
        cut = cutter(own(**way_back)).cut(text)
        assert joined(cut) == text.encode()
        assert len(cut) == len(text.encode())
        assert cut.note == ""


def test_gpt2s_printable_characters_are_read_back() -> None:
    vocab = {"Ġworld": 0, "hello": 1}
    cut = cutter(own(vocab=vocab, encode=lambda self, text: [1, 0])).cut("hello world")
    assert cut.tokens == (b"hello", b" world")
    assert cutter(own(vocab=vocab)).n_vocab == 2


def test_specials_in_the_words_that_the_class_knows() -> None:
    asked: list[Any] = []

    def minbpe(self: Any, text: str, allowed_special: Any = "none_raise") -> list[int]:
        asked.append(allowed_special)
        return [1]

    def like_tiktoken(self: Any, text: str, *, allowed_special: Any = (), disallowed_special: Any = "all") -> list[int]:
        asked.append((allowed_special, disallowed_special))
        return [1]

    for encode in (minbpe, like_tiktoken):
        tokenizer = own(encode=encode, vocab={0: b"a"}, special_tokens={"<|x|>": 1})
        cut = cutter(tokenizer).cut("<|x|>", specials=True)
        assert (cut.tokens, cut.special) == ((b"<|x|>",), {0})
        assert cutter(tokenizer).cut("<|x|>").special == frozenset()
    assert asked == ["all", "none", ("all", "all"), ((), ())]


def test_a_tokenizer_that_changes_the_text_is_shown_with_a_note() -> None:
    lower = own(
        encode=lambda self, text: [ord(each) for each in text.lower()], decode=lambda self, ids: "".join(map(chr, ids))
    )
    assert cutter(lower).cut("Ab") == Cut((97, 98), ("a", "b"), text="Ab", note="the tokens joined are not the text")


@pytest.mark.parametrize(
    ("tokenizer", "says"),
    [
        (5, "int has no encode"),
        (None, "NoneType has no encode"),
        (ByLetters, r"give an object of it: ByLetters\(\)"),
        (own(), "no way back from ids"),
    ],
)
def test_what_is_no_tokenizer_is_refused(tokenizer: Any, says: str) -> None:
    with pytest.raises(UnusableTokenizer, match=says):
        cutter(tokenizer)


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ({"vocab": {}, "decode": lambda self, ids: bytes(ids).decode("utf-8", "ignore")}, r"Add decode_bytes\(ids\)"),
        ({"decode": lambda self, ids: "\ufffd\ufffd"}, "cannot say what the id 195 stands for"),
        ({"decode": lambda self, ids: bytes(ids).decode()}, "the id 195, but what it stands for cannot be found out"),
        ({"vocab": {1: b"a"}}, "the id 195, but what it stands for"),
        ({"vocab": {195: 5, 169: b""}}, "stands for 5, which is neither"),
        ({"vocab": [b"a"] * 256, "encode": lambda self, text: "ids"}, "must give a list of ints, got 'ids'"),
        ({"vocab": [b"a"] * 256, "encode": lambda self, text: [1.5]}, r"list of ints, got \[1.5\]"),
        ({"vocab": [b"a"] * 256, "encode": lambda self, text: None}, "list of ints, got None"),
        ({"vocab": [b"a"] * 256, "encode": lambda self, text: 1 / 0}, "Mine.encode raised ZeroDivisionError"),
    ],
)
def test_a_class_that_is_not_finished_is_told_what_to_add(methods: dict[str, Any], says: str) -> None:
    with pytest.raises(UnusableTokenizer, match=says):
        cutter(own(**methods)).cut("é")


# ----------------------------------------------------------------------------------------------------
# Names, paths, texts, facts


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("gpt5", UnknownEncoding, "given by its path"),
        ("", UnknownEncoding, "given by its path"),
        ("a\0b", UnknownEncoding, "given by its path"),
        ("x" * 10_000, UnknownEncoding, "given by its path"),
        ("nowhere.model", MissingFile, "no file nowhere.model"),
        (Path("nowhere"), MissingFile, "no file nowhere"),
    ],
)
def test_a_name_that_is_none(name: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        cutter(name)


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "notes.model").write_text("notes", encoding="utf-8")
    with pytest.raises(UnreadableModel, match="neither minbpe nor SentencePiece"):
        cutter(tmp_path / "notes.model")
    with pytest.raises(FolderGiven):
        cutter(tmp_path)


def test_a_file_named_like_an_encoding_needs_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    BasicTokenizer().save(tmp_path / "x")
    (tmp_path / "x.model").rename(tmp_path / "gpt2")
    monkeypatch.chdir(tmp_path)
    assert cutter("gpt2").n_vocab == 50257
    assert cutter("./gpt2").n_vocab == 256


@pytest.mark.parametrize(
    "tokenizer", ["gpt2", MISTRAL, BasicTokenizer(), own(decode_bytes=lambda self, ids: bytes(ids))]
)
def test_lone_surrogates_are_replaced_before_anybody_sees_them(tokenizer: Any) -> None:
    cut = cutter(tokenizer).cut("a\ud800b\ud83d\udc4b")
    assert cut.text == "a\ufffdb👋"
    assert cut == cutter(tokenizer).cut("a\ufffdb👋")


@pytest.mark.parametrize("text", [b"bytes", None, 5])
def test_only_text_is_cut(text: Any) -> None:
    with pytest.raises(NotText, match="text must be a str"):
        cutter("gpt2").cut(text)


def test_facts() -> None:
    cut = cutter(BasicTokenizer()).cut("é€!")
    assert (len(cut), cut.bytes_per_token, cut.characters_per_token) == (6, 1.0, 0.5)
    nothing = cutter("gpt2").cut("")
    assert (len(nothing), nothing.bytes_per_token, nothing.characters_per_token) == (0, 0.0, 0.0)


def test_a_cutter_is_taken_as_it_is() -> None:
    first = cutter("gpt2")
    assert cutter(first) is first
    assert cutter(first, "other").name == "other"
    assert cutter(get_encoding("gpt2"), "mine").name == "mine"
