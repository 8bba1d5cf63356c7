"""``train_sentencepiece`` writes the file of sentencepiece 0.2.3, byte for byte, or refuses where it refuses.

Random option sets, other ones in every run; the seed is part of the message of what fails.
"""

from __future__ import annotations

import io
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
    UnusablePath,
)
from minbpe_course.formats import sentencepiece_proto
from tests.shared.random_pieces import SEED
from tests.trainers.piece_options import drawn_options, drawn_text, outcome_of_ours, outcome_of_sentencepiece

pytestmark = pytest.mark.medium

GROUPS, IN_A_GROUP = 6, 10

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
        {"byte_fallback": True, "vocab_size": 360, "character_coverage": 0.98, "split_digits": True},
        {"split_by_whitespace": False, "treat_whitespace_as_suffix": True},
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
        ["aaaaa", "aaaa"],
        ["", "  ", "\n", "a\r\n\n", "b\r"],
        ["x\0y\0", "\0"],
        ["a\u2585b", "ab"],
        ["a\x1fb", "<s>a</s>", "<unk>", "<0x41>"],
        ["\u0301\u0301a\u0301", "a\u0308\u0301b"],
        ["abc" * 1300, "x" * 5000],
        [b"\xff\xfeab", b"\xed\xa0\x80", b"a\xe2\x96 ab\xc3"],
        ["ab " * 40 + "\u1e9e\ua7ae\U00016fe0"],
    ],
    ids=ascii,
)
def test_awkward_texts(sentences: list[Any]) -> None:
    for more in ({}, {"split_by_whitespace": False}, {"normalization_rule_name": "nmt_nfkc"}):
        assert_same_file(sentences, character_coverage=1.0, **more)


@pytest.mark.parametrize(
    "symbols",
    [
        '"a"b,c', '"a" ,c', "x,", "x\ny,c", '"x""y"z"w",k', '"un,x', "",
        ["x,y", 'q"q', "n\nl", ""], ["x\0y", "z"], [1, None],
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


@pytest.mark.parametrize("model_type", ["unigram", "word", "char"])
def test_sentencepiece_trains_other_model_types(model_type: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXT), encoding="utf-8")
    options = {"model_type": model_type, "vocab_size": 60, "hard_vocab_limit": False, "minloglevel": 2}
    wanted = sentencepiece_proto.from_bytes(by_sentencepiece(input=str(path), **options))
    assert train_sentencepiece(path, **options) == wanted
    assert train_sentencepiece(path, tmp_path / "m", **options) == sentencepiece_proto.read(tmp_path / "m.model")
    assert (tmp_path / "m.vocab").exists()


def test_a_vocabulary_that_is_too_small_names_a_possible_size() -> None:
    with pytest.raises(InvalidTrainingOption, match=r"vocab_size to \d+ or more") as caught:
        train_sentencepiece(sentence_iterator=TEXT, vocab_size=20, character_coverage=1.0)
    assert isinstance(caught.value, RuntimeError)
    needed = int(str(caught.value).split("Set vocab_size to ")[1].split()[0])
    assert len(train_sentencepiece(sentence_iterator=TEXT, vocab_size=needed, character_coverage=1.0)) == needed
    with pytest.raises(RuntimeError):
        by_sentencepiece(sentence_iterator=iter(TEXT), vocab_size=needed - 1, character_coverage=1.0)


def test_a_vocabulary_that_is_too_large_names_a_possible_size() -> None:
    with pytest.raises(InvalidTrainingOption, match="hard_vocab_limit=False") as caught:
        train_sentencepiece(sentence_iterator=TEXT, vocab_size=5000)
    largest = int(str(caught.value).split("Set vocab_size to ")[1].split()[0])
    assert len(train_sentencepiece(sentence_iterator=TEXT, vocab_size=largest)) == largest
    with pytest.raises(InvalidTrainingOption):
        train_sentencepiece(sentence_iterator=TEXT, vocab_size=largest + 1)
    with pytest.raises(RuntimeError, match=f"<= {largest}"):
        by_sentencepiece(sentence_iterator=iter(TEXT), vocab_size=largest + 1)


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"vocabsize": 10}, InvalidTrainingOption, "Did you mean vocab_size"),
        ({"vocab_size": "many"}, InvalidTrainingOption, "whole number"),
        ({"vocab_size": 0}, InvalidTrainingOption, "from 1"),
        ({"character_coverage": 0.5}, InvalidTrainingOption, "0.98"),
        ({"model_type": "bpee"}, InvalidTrainingOption, "unigram, bpe"),
        ({"normalization_rule_name": "nfd"}, InvalidTrainingOption, "Known names"),
        ({"escape_whitespaces": False}, InvalidTrainingOption, "spaces are ▁"),
        ({"bos_id": 0}, InvalidTrainingOption, "'<unk>' already"),
        ({"user_defined_symbols": ["x", "x"]}, InvalidTrainingOption, "twice"),
        ({"vocab_size": 2**31 - 1, "pad_id": 2**31 - 2}, InvalidTrainingOption, "run out of pairs"),
        ({"user_defined_symbols": ["\ud800"]}, InvalidText, "surrogate"),
        ({"normalizer": 3}, InvalidTrainingOption, "loaded model"),
        ({"sentence_iterator": "one text"}, InvalidSource, "splitlines"),
        ({"sentence_iterator": ["a", 3]}, InvalidSource, "sentence 1"),
        ({"sentence_iterator": ["\ud800"]}, InvalidText, "surrogate"),
        ({"sentence_iterator": []}, InvalidTrainingOption, "empty"),
        ({"sentence_iterator": ["x" * 50], "max_sentence_length": 10}, InvalidTrainingOption, "max_sentence_length"),
        ({"sentence_iterator": None}, InvalidTrainingOption, "either"),
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
