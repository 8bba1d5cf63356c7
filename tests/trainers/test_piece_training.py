"""``train_sentencepiece`` writes the file of sentencepiece 0.2.3, byte for byte, or refuses where it refuses.

In CI 60 random option sets, other ones in every run; the seed is part of the name of what fails. Thousands take some
minutes::

    MINBPE_COURSE_LONG_TESTS=1 python -m pytest tests/test_piece_training.py
"""

from __future__ import annotations

import io
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from minbpe_course import SentencePieceTokenizer, train_sentencepiece
from minbpe_course.errors import (
    InvalidSource,
    InvalidText,
    InvalidTrainingOption,
    MinbpeCourseError,
    NothingToTrainOn,
    UnreachableVocabularySize,
    UnusablePath,
)
from minbpe_course.formats import sentencepiece_proto
from tests.shared.random_pieces import SEED
from tests.trainers.piece_options import drawn_options, drawn_text, outcome_of_ours, outcome_of_sentencepiece

pytestmark = pytest.mark.medium

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
GROUPS, IN_A_GROUP = (100, 50) if LONG else (6, 10)

TEXT = [
    "the cat sat on the mat",
    "the dog ate the cat's hat",
    "a cat, a dog; 2024 and F1!",
    "naïve café, да и нет 東京",
] * 3
PLAIN = {"normalization_rule_name": "identity", "hard_vocab_limit": False, "vocab_size": 90}


def by_sentencepiece(**options: Any) -> bytes:
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(model_writer=file, **{"model_type": "bpe", "minloglevel": 2} | options)
    return file.getvalue()


def by_us(**options: Any) -> bytes:
    file = io.BytesIO()
    record = train_sentencepiece(model_writer=file, **options)
    assert record == sentencepiece_proto.from_bytes(file.getvalue())
    return file.getvalue()


def assert_same_file(sentences: list[str] | list[bytes] = TEXT, **options: Any) -> None:
    options = PLAIN | options
    wanted = by_sentencepiece(sentence_iterator=iter(sentences), **options)
    assert by_us(sentence_iterator=sentences, **options) == wanted


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_options_give_the_same_file_or_the_same_kind_of_error(group: int) -> None:
    files = 0
    for seed in range(SEED + group * IN_A_GROUP, SEED + (group + 1) * IN_A_GROUP):
        draw = random.Random(seed)
        sentences, options = drawn_text(draw), drawn_options(draw)
        ours = outcome_of_ours(sentences, options)
        theirs = outcome_of_sentencepiece(sentences, options)
        assert ours == theirs, f"seed {seed}: MINBPE_COURSE_SEED={seed}, {options}"
        files += isinstance(ours, bytes)
    assert files or IN_A_GROUP < 20, "every option set was refused: nothing was compared"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"normalization_rule_name": "nmt_nfkc"},
        {"normalization_rule_name": "nfkc_cf"},
        {"byte_fallback": True, "vocab_size": 360, "character_coverage": 0.98, "split_digits": True},
        {"treat_whitespace_as_suffix": True},
        {"split_by_whitespace": False, "max_sentencepiece_length": 40},
        {"split_by_whitespace": False, "treat_whitespace_as_suffix": True},
        {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
        {"split_by_unicode_script": False, "split_by_number": False},
        {"add_dummy_prefix": False},
        {"max_sentencepiece_length": 1},
        {"user_defined_symbols": ["cat", "the", "▁the", "he"], "control_symbols": ["<c>"]},
        {"user_defined_symbols": 'a,"x,y"', "control_symbols": "<c>,<d>"},
        {"pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": 7, "unk_surface": "?"},
        {"bos_piece": "[CLS]", "eos_piece": "[SEP]", "pad_id": 3, "user_defined_symbols": ["[SEP]"]},
        {"required_chars": "☃xa"},
        {"required_chars": "a\x1f\0▁"},
        {"unk_id": -1, "byte_fallback": True, "vocab_size": 400},
        {"vocab_size": 10_000_000},
        {"vocab_size": "120", "hard_vocab_limit": "no", "character_coverage": 1},
    ],
    ids=str,
)
def test_options_that_learners_meet(options: dict[str, Any]) -> None:
    assert_same_file(**options)


@pytest.mark.parametrize(
    "sentences",
    [
        ["a"],
        ["ab"],
        ["aaaaa", "aaaa"],
        ["abababab " * 4],
        ["zy yx xw é ab"],
        ["", "  ", "\n", "a\r\n\n", "b\r"],
        ["x\0y\0", "\0"],
        ["a\u2585b", "ab"],
        ["a\x1fb", "<s>a</s>", "<unk>", "<0x41>"],
        ["\tab\tab", "\u00a0ab\u3000"],
        ["▁a ▁ ▁▁a"],
        ["\u0301\u0301a\u0301", "a\u0308\u0301b"],
        ["🙂🙂 👨‍👩‍👧‍👦 \U0010ffff\ufffe"],
        ["カタカナ漢字ひらがなーー、。ｶﾞ"],
        ["abc" * 1300, "x" * 5000],
        ["١٢٣ 123 １２３ a1"],
        [b"\xff\xfeab", b"\xed\xa0\x80", b"a\xe2\x96 ab\xc3"],
        ["ab " * 40 + "\u1e9e\ua7ae\U00016fe0"],
    ],
    ids=ascii,
)
@pytest.mark.parametrize("name", ["identity", "nmt_nfkc"])
def test_awkward_texts(sentences: list[Any], name: str) -> None:
    for more in ({}, {"split_by_whitespace": False}, {"treat_whitespace_as_suffix": True, "add_dummy_prefix": True}):
        assert_same_file(sentences, normalization_rule_name=name, character_coverage=1.0, **more)


@pytest.mark.parametrize(
    "asked",
    ["", "x", "a", "b", "bx", "bxa", "z", "xz", "x\u2585a", "x a", "b\x1fx", "\0b", "x\u2585", "x ", "ba\u2585"],
)
def test_required_characters_come_first_until_the_text_is_covered(asked: str) -> None:
    options = PLAIN | {"required_chars": asked, "character_coverage": 0.98, "add_dummy_prefix": False}
    sentences = ["x" * 97 + "aab" + "\0" * 30]
    assert outcome_of_ours(sentences, options) == outcome_of_sentencepiece(sentences, options)


@pytest.mark.parametrize(
    "symbols",
    [
        '"a"b,c', '"a" ,c', 'x"y"z,d', ",", "x,", ",x", "x\ny,c", '"x""y"z"w",k', '"un,x', '"un""', ' "q",r', "", '""',
        ["x,y", 'q"q', "n\nl", " lead", ""], [""], [], ["", ""], ["x\0y", "z"], ["\0"], ["\r"], [1, None],
    ],
    ids=ascii,
)  # fmt: skip
def test_lists_are_read_as_sentencepiece_reads_them(symbols: Any) -> None:
    options = PLAIN | {"user_defined_symbols": symbols}
    ours, theirs = outcome_of_ours(TEXT, options), outcome_of_sentencepiece(TEXT, options)
    assert ours == theirs or {ours, theirs} == {"empty", "twice"}


def test_pairs_that_are_gone_fill_the_vocabulary() -> None:
    found = train_sentencepiece(sentence_iterator=["aaaa ab"], **PLAIN)
    # The two b of "aab" never stood side by side; "aaa" did for a moment, while "aaaa" was merged.
    assert "aaa" in found.pieces
    assert_same_file(["aaaa ab"])
    assert_same_file(["aaaaaaaaaaaaaaaaaaaaa", "aaa baaaab"], character_coverage=1.0)


def test_files_with_all_kinds_of_line_ends(tmp_path: Path) -> None:
    one, two = tmp_path / "one, with a comma.txt", tmp_path / "two.txt"
    one.write_bytes("the cat\r\nthe cat\r\r\n\n\nté\rx\n".encode() + b"\xff\xc3 the \xe2\x96\x85 the\ncat" + b"\n" * 3)
    two.write_bytes(b"a cat without end")
    for paths in ([str(one)], [str(two)], [str(one), str(two), str(one)]):
        assert by_us(input=paths, **PLAIN) == by_sentencepiece(input=paths, **PLAIN)
    assert by_us(input=str(two), **PLAIN) == by_sentencepiece(input=str(two), **PLAIN)
    assert train_sentencepiece(two, **PLAIN) == train_sentencepiece(str(two), **PLAIN)


def test_sentences_with_counts(tmp_path: Path) -> None:
    path = tmp_path / "counted.tsv"
    path.write_text("the cat\t12\na dog and\t3\nthe\t 40\n", encoding="utf-8")
    options = PLAIN | {"input_format": "tsv"}
    assert by_us(input=str(path), **options) == by_sentencepiece(input=str(path), **options)
    for wrong in ("no tab\n", "a\tb\n", "a\t0\n", "a\t1\t2\n"):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(InvalidSource, match="line 1"):
            train_sentencepiece(path, **options)
        with pytest.raises((RuntimeError, ValueError)):
            by_sentencepiece(input=str(path), **options)


@pytest.mark.parametrize("scores", [True, False])
def test_both_files_are_written_as_spm_train_does(tmp_path: Path, scores: bool) -> None:
    prefix = str(tmp_path / "made")
    options = PLAIN | {"model_prefix": prefix, "vocabulary_output_piece_score": scores}
    options |= {"user_defined_symbols": ["\t", "a\nb"]}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TEXT), model_type="bpe", minloglevel=2, **options)
    wanted = [Path(f"{prefix}.{end}").read_bytes() for end in ("model", "vocab")]
    for end in ("model", "vocab"):
        Path(f"{prefix}.{end}").unlink()
    record = train_sentencepiece(sentence_iterator=TEXT, **options)
    assert [Path(f"{prefix}.{end}").read_bytes() for end in ("model", "vocab")] == wanted
    assert record == sentencepiece_proto.read(f"{prefix}.model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.model", "made.vocab"]


def test_the_normalizer_of_a_loaded_model(tmp_path: Path) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text("63\t71\n61 62\t\n", encoding="utf-8")
    options: dict[str, Any] = {"sentence_iterator": TEXT} | PLAIN
    del options["normalization_rule_name"]
    by_rules = by_us(normalization_rule_tsv=str(rules), **options)
    assert by_rules == by_sentencepiece(
        normalization_rule_tsv=str(rules), **options | {"sentence_iterator": iter(TEXT)}
    )

    record = sentencepiece_proto.from_bytes(by_rules)
    assert "q" in record.pieces
    assert "c" not in record.pieces
    assert train_sentencepiece(normalizer=record, **options).pieces == record.pieces

    wide = by_us(normalization_rule_name="nfkc", add_dummy_prefix=False, **options)
    record = sentencepiece_proto.from_bytes(wide)
    taken = sentencepiece.SentencePieceNormalizer(model_proto=wide)
    wanted = by_sentencepiece(normalizer=taken, **options | {"sentence_iterator": iter(TEXT)})
    for normalizer in (record, SentencePieceTokenizer(model=record), taken):
        assert by_us(normalizer=normalizer, **options) == wanted


def test_a_trained_model_encodes() -> None:
    record = train_sentencepiece(sentence_iterator=TEXT, **PLAIN)
    tokenizer = SentencePieceTokenizer(model=record)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=record.source)
    for text in TEXT:
        assert tokenizer.encode(text) == theirs.encode(text)


@pytest.mark.parametrize("model_type", ["unigram", "word", "char"])
def test_sentencepiece_trains_other_model_types(model_type: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXT), encoding="utf-8")
    options = {"model_type": model_type, "vocab_size": 60, "hard_vocab_limit": False, "minloglevel": 2}
    wanted = sentencepiece_proto.from_bytes(by_sentencepiece(input=str(path), **options))
    assert train_sentencepiece(path, **options) == wanted
    assert train_sentencepiece(path, tmp_path / "m", **options) == sentencepiece_proto.read(tmp_path / "m.model")
    assert (tmp_path / "m.vocab").exists()


def test_random_options_go_to_sentencepiece() -> None:
    options = PLAIN | {"input_sentence_size": 101, "minloglevel": 2}
    found = train_sentencepiece(sentence_iterator=TEXT * 20, **options)
    assert found.model_type == "bpe"
    with pytest.raises(InvalidTrainingOption, match="sentencepiece refuses"):
        train_sentencepiece(sentence_iterator=TEXT, **PLAIN | {"auto_character_coverage": True, "minloglevel": 3})


def test_arguments_that_only_sentencepiece_uses() -> None:
    plain = train_sentencepiece(sentence_iterator=TEXT, **PLAIN)
    assert train_sentencepiece(sentence_reader=iter(TEXT), logstream=io.StringIO(), **PLAIN) == plain
    options: dict[str, Any] = PLAIN | {"pretokenization_delimiter": "b", "minloglevel": 2}
    cut = train_sentencepiece(sentence_iterator=["abc abc"], **options)
    assert cut.source == by_sentencepiece(sentence_iterator=iter(["abc abc"]), **options)


def test_a_normalizer_that_makes_the_sign_of_rare_characters(tmp_path: Path) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text("61\t2585\n", encoding="utf-8")
    options = {"normalization_rule_tsv": str(rules), "vocab_size": 90, "hard_vocab_limit": False}
    with pytest.raises(InvalidTrainingOption, match=r"U\+2585"):
        train_sentencepiece(sentence_iterator=TEXT, **options)
    with pytest.raises(RuntimeError):
        by_sentencepiece(sentence_iterator=iter(TEXT), **options)


def test_a_vocabulary_that_is_too_small_names_a_possible_size() -> None:
    with pytest.raises(UnreachableVocabularySize, match=r"vocab_size to \d+ or more") as caught:
        train_sentencepiece(sentence_iterator=TEXT, vocab_size=20, character_coverage=1.0)
    assert isinstance(caught.value, RuntimeError)
    needed = int(str(caught.value).split("Set vocab_size to ")[1].split()[0])
    assert len(train_sentencepiece(sentence_iterator=TEXT, vocab_size=needed, character_coverage=1.0)) == needed
    with pytest.raises(RuntimeError):
        by_sentencepiece(sentence_iterator=iter(TEXT), vocab_size=needed - 1, character_coverage=1.0)


def test_a_vocabulary_that_is_too_large_names_a_possible_size() -> None:
    with pytest.raises(UnreachableVocabularySize, match="hard_vocab_limit=False") as caught:
        train_sentencepiece(sentence_iterator=TEXT, vocab_size=5000)
    largest = int(str(caught.value).split("Set vocab_size to ")[1].split()[0])
    assert len(train_sentencepiece(sentence_iterator=TEXT, vocab_size=largest)) == largest
    with pytest.raises(UnreachableVocabularySize):
        train_sentencepiece(sentence_iterator=TEXT, vocab_size=largest + 1)
    with pytest.raises(RuntimeError, match=f"<= {largest}"):
        by_sentencepiece(sentence_iterator=iter(TEXT), vocab_size=largest + 1)


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"vocabsize": 10}, InvalidTrainingOption, "Did you mean vocab_size"),
        ({"vocab_size": "many"}, InvalidTrainingOption, "whole number"),
        ({"vocab_size": 8000.0}, InvalidTrainingOption, "whole number"),
        ({"vocab_size": 1 << 40}, InvalidTrainingOption, "too large"),
        ({"vocab_size": 0}, UnreachableVocabularySize, "from 1"),
        ({"character_coverage": 0.5}, InvalidTrainingOption, "0.98"),
        ({"byte_fallback": "perhaps"}, InvalidTrainingOption, "True or False"),
        ({"model_type": "bpee"}, InvalidTrainingOption, "unigram, bpe"),
        ({"normalization_rule_name": "nfd"}, InvalidTrainingOption, "Known names"),
        ({"escape_whitespaces": False}, InvalidTrainingOption, "spaces are ▁"),
        ({"bos_id": 0}, InvalidTrainingOption, "'<unk>' already"),
        ({"user_defined_symbols": ["x", "x"]}, InvalidTrainingOption, "twice"),
        ({"user_defined_symbols": ["<unk>"]}, InvalidTrainingOption, "unk_piece"),
        ({"required_chars": "a b"}, InvalidTrainingOption, "space"),
        ({"vocab_size": 2**31 - 1, "pad_id": 2**31 - 2}, UnreachableVocabularySize, "run out of pairs"),
        ({"byte_fallback": True, "control_symbols": ["<0x41>"]}, InvalidTrainingOption, "twice"),
        ({"user_defined_symbols": ["\ud800"]}, InvalidText, "surrogate"),
        ({"normalizer": 3}, InvalidTrainingOption, "loaded model"),
        ({"sentence_iterator": "one text"}, InvalidSource, "splitlines"),
        ({"sentence_iterator": 3}, InvalidSource, "yield"),
        ({"sentence_iterator": ["a", 3]}, InvalidSource, "sentence 1"),
        ({"sentence_iterator": ["\ud800"]}, InvalidText, "surrogate"),
        ({"sentence_iterator": []}, NothingToTrainOn, "empty"),
        ({"sentence_iterator": [" "]}, NothingToTrainOn, "nothing but spaces"),
        ({"sentence_iterator": ["x" * 50], "max_sentence_length": 10}, NothingToTrainOn, "max_sentence_length"),
        ({"sentence_iterator": None}, InvalidTrainingOption, "either"),
        ({"input": "x.txt"}, InvalidTrainingOption, "either"),
        ({"sentence_iterator": None, "input": []}, InvalidTrainingOption, "input is empty"),
        ({"model_prefix": ""}, InvalidTrainingOption, "model_prefix is empty"),
        ({"sentence_iterator": None, "input": "--input=x.txt"}, InvalidTrainingOption, "as arguments"),
        ({"sentence_iterator": None, "input": "no such file"}, UnusablePath, "no such file"),
        ({"model_prefix": "no such folder/x"}, UnusablePath, "no such folder"),
        ({"model_prefix": "x", "model_writer": io.BytesIO()}, InvalidTrainingOption, "not both"),
    ],
    ids=lambda value: re.sub(" object at 0x[0-9a-f]+", "", str(value)),  # the same name in every process
)
def test_errors_say_what_to_do(
    options: dict[str, Any], kind: type[Exception], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"sentence_iterator": TEXT} | PLAIN | options
    with pytest.raises(kind, match=says) as caught:
        train_sentencepiece(**given)
    assert isinstance(caught.value, MinbpeCourseError)
    assert list(tmp_path.iterdir()) == []
