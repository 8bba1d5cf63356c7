"""SentencePiece models written as tokenizer.json: the ids of sentencepiece in `tokenizers`, or a refusal."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2
from tokenizers import Tokenizer

from minbpe_course import convert, load_tokenizer
from minbpe_course.errors import InvalidModel, UnsupportedModel
from minbpe_course.formats import huggingface_json, sentencepiece_proto
from minbpe_course.formats.any_format import FORMATS
from minbpe_course.model import PieceModel
from minbpe_course.tokenizers import loading
from tests.shared.piece_cases import course_lines, fixed_texts, hostile_bytes, mistral_files, train
from tests.shared.random_pieces import random_model, random_texts

pytestmark = pytest.mark.medium

SYMBOLS = ["<a>", "<a><b>", "▁▁", "ing", "ab", "a"]
KEPT = dict(add_dummy_prefix=False, remove_extra_whitespaces=False)
OPTIONS: dict[str, dict[str, Any]] = {
    "as it comes": dict(),
    "bytes": dict(byte_fallback=True),
    "Llama": dict(byte_fallback=True, remove_extra_whitespaces=False),
    "no dummy": dict(add_dummy_prefix=False, control_symbols=["<¶>", "a b"]),
    "spaces kept": KEPT,
    "symbols": dict(user_defined_symbols=SYMBOLS, byte_fallback=True, **KEPT),
    "symbols, spaces removed": dict(user_defined_symbols=["<a>", "<a><b>", "ing"], add_dummy_prefix=False),
    "across words": dict(split_by_whitespace=False, allow_whitespace_only_pieces=True, remove_extra_whitespaces=False),
}


def model_of(name: str, **options: Any) -> bytes:
    if name in mistral_files():
        return mistral_files()[name].read_bytes()
    lines = random.Random(name).choices(course_lines(), k=150)
    common = dict(normalization_rule_name="identity", character_coverage=0.98, hard_vocab_limit=False)
    return train(lines, vocab_size=700, **{**common, **(options or OPTIONS[name])})


def texts_for(number: int) -> list[str]:
    draw = random.Random(number)
    made = [*fixed_texts(), *(hostile_bytes(draw) for _ in range(number))]
    return [text.decode("utf-8", "ignore") for text in made]


def compare(data: bytes, path: Path, texts: list[str]) -> None:
    """Compare the ids, and the texts that they stand for, of a file with those of sentencepiece."""
    theirs, written = SentencePieceProcessor(model_proto=data), Tokenizer.from_file(str(path))
    specials = [each for each in range(len(theirs)) if theirs.is_control(each) or theirs.is_unknown(each)]
    names = [theirs.id_to_piece(each) for each in specials]
    ours = load_tokenizer(path)
    assert written.get_vocab_size() == len(theirs) == len(ours)
    for text in texts:
        expected = theirs.encode(text)
        # Special tokens are text in the first, as in sentencepiece, and in no text of the second.
        written.encode_special_tokens = True
        assert written.encode(text).ids == expected, text
        written.encode_special_tokens = False
        if not any(name in text for name in names):
            assert written.encode(text).ids == expected, text
            assert ours.encode(text) == expected, text
            if not any(map(theirs.is_unknown, expected)):
                assert written.decode(expected) == theirs.decode(expected), text


@pytest.mark.parametrize("name", ["v1", *OPTIONS])
def test_ids_are_those_of_sentencepiece(name: str, tmp_path: Path) -> None:
    source = tmp_path / "tokenizer.model"
    source.write_bytes(model_of(name))
    compare(source.read_bytes(), convert(source, tmp_path / "tokenizer.json"), texts_for(200))


def test_models_that_no_trainer_would_make_are_right_or_refused(tmp_path: Path) -> None:
    draw, written = random.Random(8), 0
    for _ in range(200):
        message = sentencepiece_model_pb2.ModelProto.FromString(random_model(draw, "bpe"))
        message.normalizer_spec.precompiled_charsmap, message.normalizer_spec.escape_whitespaces = b"", True
        message.trainer_spec.treat_whitespace_as_suffix = False
        message.ClearField("denormalizer_spec")
        # Without what is refused in most random models; runs of one character share a score.
        pieces = [each for each in message.pieces if len(each.piece) > 1 or each.type not in (2, 3)]
        letter, shared = draw.choice("a▁b"), draw.choice([-1e9, 5.0, -1.0])
        for piece in pieces:
            piece.type = 1 if piece.type == 5 else piece.type
            piece.score += draw.random() if abs(piece.score) < 1e5 else draw.random() * 1e30
            if piece.type == 1 and len(piece.piece) > 1 and set(piece.piece) == {letter}:
                piece.score = shared
        names = {piece.piece for piece in pieces}
        message.ClearField("pieces")
        message.pieces.extend(pieces)
        runs = {letter, *(letter * draw.randint(2, 9) for _ in range(draw.choice([0, 4])))}
        for text in sorted(runs - names):
            message.pieces.add(piece=text, score=shared, type=1)
        if draw.random() < 0.7:
            message.normalizer_spec.add_dummy_prefix = not any(piece.type == 4 for piece in pieces)
        data = message.SerializeToString()
        try:
            model = sentencepiece_proto.from_bytes(data)
        except InvalidModel:
            continue
        try:
            path = huggingface_json.write(model, tmp_path / "tokenizer.json")
        except UnsupportedModel:
            continue
        written += 1
        compare(data, path, [text.decode("utf-8", "ignore") for text in random_texts(draw, data, 30)])
    assert written > 40


REFUSED: dict[str, tuple[Callable[[PieceModel], PieceModel], str]] = {
    "another type": (lambda model: model.replace(model_type="char"), "the type 'char'"),
    "equal scores": (lambda model: model.with_scores({"▁t": -7.0, "he": -7.0}), "have the same score"),
    "unused": (lambda model: model.with_kinds({"▁t": "UNUSED"}), "UNUSED"),
    "a symbol": (lambda model: model.with_kinds({"▁t": "USER_DEFINED"}), "add_dummy_prefix=False"),
    "no character": (lambda model: model.renamed({"h": "hhhh"}), "not a piece itself"),
    "one character": (lambda model: model.with_pieces(["¶"], kind="CONTROL"), "is one character"),
    "not UTF-8": (lambda model: model.with_pieces(["a\udcff"], kind="NORMAL", score=-1e6), "not UTF-8"),
    "suffix": (lambda model: model.replace(treat_whitespace_as_suffix=True), "before the word"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_format_cannot_hold_is_refused_by_name(name: str) -> None:
    change, says = REFUSED[name]
    model = change(sentencepiece_proto.from_bytes(model_of("Llama")))
    with pytest.raises(UnsupportedModel, match=says):
        huggingface_json.to_json(model)
    assert says in str(FORMATS["huggingface"].why_not(model))


def test_tables_and_unigram_models_are_refused(tmp_path: Path) -> None:
    for options, says in (
        (dict(normalization_rule_name="nmt_nfkc"), "identity"),
        (dict(model_type="unigram"), "single precision"),
    ):
        (tmp_path / "a.model").write_bytes(model_of("refused", **options))
        with pytest.raises(UnsupportedModel, match=says):
            convert(tmp_path / "a.model", tmp_path / "tokenizer.json")
        assert not (tmp_path / "tokenizer.json").exists()


def test_a_file_with_other_ids_is_never_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = sentencepiece_proto.from_bytes(model_of("Llama"))
    document = json.loads(huggingface_json.to_json(model))
    document["model"]["merges"].reverse()
    monkeypatch.setattr(huggingface_json, "to_json", lambda model: json.dumps(document).encode())
    with pytest.raises(UnsupportedModel, match="the encoding of"):
        convert(model, tmp_path / "tokenizer.json")
    assert not list(tmp_path.iterdir())
    assert loading.difference(model, model) is None


def test_a_folder_for_transformers_says_what_the_pieces_are(tmp_path: Path) -> None:
    data = model_of("Llama", byte_fallback=True, remove_extra_whitespaces=False, control_symbols=["<|user|>"])
    convert(sentencepiece_proto.from_bytes(data), tmp_path / "mine", "huggingface")
    config = json.loads((tmp_path / "mine" / "tokenizer_config.json").read_text(encoding="utf-8"))
    roles = {name: config.get(f"{name}_token") for name in ("unk", "bos", "eos", "pad")}
    assert roles == {"unk": "<unk>", "bos": "<s>", "eos": "</s>", "pad": None}
    assert config["additional_special_tokens"] == ["<|user|>"]
    compare(data, tmp_path / "mine" / "tokenizer.json", ["hello  world ", "日本"])
