"""A program written for minbpe, with only the import changed: the same results, and none of minbpe's losses."""

from __future__ import annotations

import warnings
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import BasicTokenizer, RegexTokenizer
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import (
    DisallowedSpecialToken,
    InvalidSpecialToken,
    InvalidTokenId,
    InvalidVocabularySize,
    MinbpeCourseError,
    NotAvailable,
    NotText,
    TrainingStoppedEarly,
    UnreadableModel,
    UnsupportedModel,
    UnusablePath,
)
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN
from tests.compat.minbpe_reference import MinbpeTwin, replaced
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

COURSE = course_text()
SPECIALS = {"<|endoftext|>": 1_000, "<|fim_prefix|>": 1_001, "<|fim_middle|>": 1_002, "<|fim_suffix|>": 1_003}
CHATTY = "<|endoftext|>Hello, world!<|fim_prefix|>def f(x):\n\treturn<|fim_suffix|> x<|fim_middle|>   é 👋<|endoftext|>"
KINDS = [
    pytest.param(BasicTokenizer, (), "", id="basic"),
    pytest.param(RegexTokenizer, (), GPT4_SPLIT_PATTERN, id="regex"),
    pytest.param(RegexTokenizer, (r"[a-z]+|[^a-z]",), r"[a-z]+|[^a-z]", id="regex with a pattern of one's own"),
]
LOOSE = st.lists(st.sampled_from(["a", "b", "ab", " ", "\n", "é", "👋", "'s", "12", "<|end|>", "<|"]), max_size=40).map(
    "".join
)


def trained(text, vocab_size, pattern):
    twin = MinbpeTwin(pattern)
    twin.train(text, vocab_size)
    return twin


@pytest.mark.parametrize(("kind", "arguments", "pattern"), KINDS)
def test_the_whole_program(kind, arguments, pattern, tmp_path, capsys):
    text = COURSE[:6_000]
    twin = trained(text, 320, pattern)
    twin.special_tokens = SPECIALS

    tokenizer = kind(*arguments)
    tokenizer.train(text=text, vocab_size=320, verbose=True)
    words = [list(word.encode()) for word in twin.words(text)]
    lines = capsys.readouterr().out.splitlines()
    for place, (line, (pair, made)) in enumerate(zip(lines, twin.merges.items(), strict=True), 1):
        count = sum(list(pairwise(word)).count(pair) for word in words)
        words = [replaced(word, pair, made) for word in words]
        assert line == f"merge {place}/64: {pair} -> {made} ({twin.vocab[made]}) had {count} occurrences"
    tokenizer.register_special_tokens(special_tokens=SPECIALS)
    assert tokenizer.inverse_special_tokens == {token_id: text for text, token_id in SPECIALS.items()}
    tokenizer.save(file_prefix=str(tmp_path / "mine"))
    again = kind()
    again.load(model_file=str(tmp_path / "mine.model"))

    for one in (tokenizer, again):
        assert list(one.merges.items()) == list(twin.merges.items())
        assert (one.vocab, one.pattern, one.special_tokens) == (twin.vocab, pattern, SPECIALS)
        assert one.encode(text=text) == twin.encode(text)
        assert one.encode_ordinary(CHATTY) == twin.encode_ordinary(CHATTY)
        for allowed in ("all", "none", {"<|endoftext|>"}, {"<|fim_middle|>", "<|fim_prefix|>"}, set()):
            assert (
                one.encode(CHATTY, allowed)
                == one.encode(CHATTY, allowed_special=allowed)
                == twin.encode(CHATTY, allowed)
            )
        with pytest.raises(AssertionError):
            one.encode(CHATTY)
        ids = one.encode(CHATTY, "all")
        assert one.decode(ids=ids) == twin.decode(ids) == CHATTY
        assert one.decode([195, 255, 1_000, 97]) == twin.decode([195, 255, 1_000, 97])
    assert (tmp_path / "mine.model").read_bytes() == twin.model_file().encode("utf-8")
    assert (tmp_path / "mine.vocab").read_bytes() == twin.vocab_file().encode("utf-8")


@settings(max_examples=examples(60))
@given(LOOSE, LOOSE, st.integers(256, 290), st.sampled_from(["", GPT4_SPLIT_PATTERN, GPT2_SPLIT_PATTERN]))
def test_generated_texts_train_and_encode_alike(text, other, vocab_size, pattern):
    twin = MinbpeTwin(pattern)
    while True:
        try:
            twin.train(text, vocab_size)
            break
        except ValueError:  # no pair left: minbpe dies here, so ask for as many merges as there are
            vocab_size = 256 + len(twin.merges)
    tokenizer = RegexTokenizer(pattern) if pattern else BasicTokenizer()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokenizer.train(text, vocab_size)
    assert list(tokenizer.merges.items()) == list(twin.merges.items())
    specials = {"<|end|>": 400, "<|": 401}
    tokenizer.register_special_tokens(specials)
    twin.special_tokens = {"<|end|>": 400, "<|": 401}
    for allowed in ("all", "none", {"<|end|>"}, {"<|"}):
        assert tokenizer.encode(other, allowed) == twin.encode(other, allowed)
        assert tokenizer.decode(tokenizer.encode(other, allowed)) == other


# Where minbpe loses something or crashes


@pytest.mark.parametrize("kind", [BasicTokenizer, RegexTokenizer])
def test_training_past_the_last_pair_stops_and_says_so(kind):
    for text, merges in (("", 0), ("a", 0), ("abc", 2)):
        with pytest.warns(TrainingStoppedEarly, match=f"has {256 + merges} tokens, not 1000"):
            tokenizer = kind().train(text, 1_000)
        assert len(tokenizer.merges) == merges
        assert tokenizer.decode(tokenizer.encode(text)) == text


WRONG = {
    "bytes to encode": (NotText, lambda t, f: t.encode(b"text")),
    "bytes to encode_ordinary": (NotText, lambda t, f: t.encode_ordinary(b"text")),
    "bytes to train": (NotText, lambda t, f: t.train(b"text", 260)),
    "255 tokens": (InvalidVocabularySize, lambda t, f: t.train("text", 255)),
    "half a token": (InvalidVocabularySize, lambda t, f: t.train("text", 260.5)),
    "an id too large": (InvalidTokenId, lambda t, f: t.decode([97, 5_000])),
    "a negative id": (InvalidTokenId, lambda t, f: t.decode([-1])),
    "text for ids": (InvalidTokenId, lambda t, f: t.decode("text")),
    "a special in the text": (DisallowedSpecialToken, lambda t, f: t.encode("a<|end|>")),
    "a special by its bare name": (InvalidSpecialToken, lambda t, f: t.encode("a", "<|end|>")),
    "allowed_special=None": (InvalidSpecialToken, lambda t, f: t.encode("a", None)),
    "a special id in use": (InvalidSpecialToken, lambda t, f: t.register_special_tokens({"x": 97})),
    "an empty special": (InvalidSpecialToken, lambda t, f: t.register_special_tokens({"": 999})),
    "a file that is missing": (UnusablePath, lambda t, f: t.load(f / "missing.model")),
    "a file of something else": (UnreadableModel, lambda t, f: t.load(f / "else.model")),
    "a folder to save to": (UnusablePath, lambda t, f: t.save(f / "taken")),
}


@pytest.mark.parametrize("label", WRONG)
def test_wrong_input_gets_a_named_error_and_changes_nothing(label, tmp_path):
    expected, attempt = WRONG[label]
    (tmp_path / "taken.model").mkdir()
    (tmp_path / "else.model").write_bytes(b"\x0a\x0e\x0a\x05<unk>\x15\x00\x00")
    tokenizer = RegexTokenizer().train("aaabdaaabac", 258)
    tokenizer.register_special_tokens({"<|end|>": 300})
    before = tokenizer.model
    with pytest.raises(expected, match=r"\w+") as caught:
        attempt(tokenizer, tmp_path)
    assert isinstance(caught.value, MinbpeCourseError)
    assert tokenizer.model == before
    assert tokenizer.encode("aaab") == RegexTokenizer().train("aaabdaaabac", 258).encode("aaab")


def test_training_needs_the_ids_below_those_of_special_tokens():
    tokenizer = RegexTokenizer()
    tokenizer.register_special_tokens({"<|end|>": 258})
    with pytest.raises(InvalidSpecialToken, match="from 259 up"):
        tokenizer.train("aaabdaaabac", 259)
    assert len(tokenizer.train("aaabdaaabac", 258).merges) == 2


def test_a_basic_tokenizer_does_not_silently_drop_a_pattern(tmp_path):
    RegexTokenizer().train("aaab", 257).save(tmp_path / "m")
    with pytest.raises(UnsupportedModel, match="RegexTokenizer"):
        BasicTokenizer().load(tmp_path / "m.model")


def test_several_attributes_change_at_once():
    twin, ours = MinbpeTwin(r"\w+|\W+"), RegexTokenizer(r"\w+|\W+")
    text = "the cat in the hat"
    for one in (twin, ours):
        one.train(text, 260)
    ours.encode(text)
    for one in (twin, ours):
        one.pattern, one.special_tokens = ".", {"<|x|>": 300}
    assert ours.encode(text, "all") == twin.encode(text, "all")


def test_merges_that_training_would_not_give():
    twin, ours = MinbpeTwin(""), BasicTokenizer()
    for one in (twin, ours):
        one.train("abab", 257)
    ours.encode("ab")
    for one in (twin, ours):
        one.merges = {(97, 98): 256, (98, 99): 257, (97, 257): 258}
    assert ours.encode("abc") == twin.encode("abc")


def test_a_dict_of_special_tokens_stays_the_callers():
    ours, added = RegexTokenizer(), {"<a>": 500}
    ours.register_special_tokens(added)
    added["<b>"] = 501
    assert ours.encode("<a><b>", "all") == [500, 501]


def test_a_class_of_the_programs_own_encodes_words():
    class Shuffled(RegexTokenizer):
        def _encode_chunk(self, text_bytes):
            return super()._encode_chunk(bytes(255 - byte for byte in text_bytes))

    ours = Shuffled(r"\w+|\W+")
    ours.register_special_tokens({"<|x|>": 300})
    wanted = [255 - byte for byte in "é a".encode()]
    assert ours.encode_ordinary("é a") == wanted
    assert ours.encode("é a<|x|>é a", {"<|x|>"}) == [*wanted, 300, *wanted]
    for call in (ours.encode_to_array, ours.encode_batch, ours.encode_batch_to_array, ours.encode_iterable):
        with pytest.raises(NotAvailable, match="a method of its own"):
            call("a")
