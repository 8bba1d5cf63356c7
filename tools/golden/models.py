"""The piece models and tokenizer.json files of the record, made the same in every run.

Only BPE models are trained, by our trainer, of which ``ids`` asserts that it writes the same file as sentencepiece.
The other types take the pieces of such a model: so a new release of sentencepiece, whose training of unigram models
may change, changes no model here. Mistral's models come with mistral-common.
"""

from __future__ import annotations

import copy
import io
import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from minbpe_course import train, train_sentencepiece, train_wordpiece
from minbpe_course.corpus.texts import course_text
from minbpe_course.formats import huggingface_json
from minbpe_course.text.byte_alphabet import to_printable
from tests.formats import piece_file_cases as pieces
from tests.shared.added_token_files import PHI_2, WHISPER
from tests.shared.huggingface_files import added_token, file_of_kind
from tests.shared.piece_cases import SYMBOLS, course_lines, mistral_files
from tools.golden.texts import all_texts

NORMAL, UNUSED = 1, 5
MODEL_TYPES = {"unigram": 1, "bpe": 2, "word": 3, "char": 4}

# What changes how a text is cut, by the name of the combination.
OPTIONS: dict[str, dict[str, Any]] = {
    "nmt_nfkc": dict(normalization_rule_name="nmt_nfkc"),
    "identity, bytes": dict(
        normalization_rule_name="identity", byte_fallback=True, remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True,
    ),
    "nfkc_cf, symbols": dict(normalization_rule_name="nfkc_cf", user_defined_symbols=SYMBOLS),
    "suffix, digits": dict(treat_whitespace_as_suffix=True, split_digits=True, remove_extra_whitespaces=False),
    "no dummy prefix, bytes": dict(add_dummy_prefix=False, byte_fallback=True, normalization_rule_name="nfkc"),
    "across words": dict(
        split_by_whitespace=False, control_symbols=["¶", "a b"], unk_surface="?", add_dummy_prefix=False
    ),
}  # fmt: skip
MISTRAL = ("v1", "v3", "v7m1")
MISTRAL = ("v1", "v3", "v7m1")
# The name of a model and of its options.
TRAINED = {f"bpe: {options}": options for options in OPTIONS}
# The type of a model, its options, and what else is changed, a line for each.
_CHANGED = {
    "bpe: unused": ("bpe", "nmt_nfkc"),
    "unigram: nmt_nfkc": ("unigram", "nmt_nfkc"),
    "unigram: identity, bytes": ("unigram", "identity, bytes"),
    "unigram: nfkc_cf, symbols": ("unigram", "nfkc_cf, symbols"),
    "unigram: suffix, digits": ("unigram", "suffix, digits"),
    "unigram: ties": ("unigram", "identity, bytes"),
    "char: nmt_nfkc": ("char", "nmt_nfkc"),
    "char: nfkc_cf, symbols": ("char", "nfkc_cf, symbols"),
    "char: no dummy prefix, bytes": ("char", "no dummy prefix, bytes"),
    "word: nmt_nfkc": ("word", "nmt_nfkc"),
    "word: suffix, digits": ("word", "suffix, digits"),
}
PIECE_MODELS = (*MISTRAL, *TRAINED, *_CHANGED)


@cache
def trained(options: str, by: str = "us") -> bytes:
    """Return the file of a BPE model, trained on the course text by us or by sentencepiece."""
    file, trainer = io.BytesIO(), train_sentencepiece if by == "us" else sentencepiece.SentencePieceTrainer.train
    trainer(
        sentence_iterator=iter(course_lines()), model_writer=file, model_type="bpe", vocab_size=1500,
        character_coverage=0.98, minloglevel=3, **OPTIONS[options],
    )  # fmt: skip
    return file.getvalue()


@cache
def piece_model(name: str) -> bytes:
    """Return the file of one of ``PIECE_MODELS``."""
    if name in MISTRAL:
        return mistral_files()[name].read_bytes()
    if name in TRAINED:
        return trained(TRAINED[name])
    kind, options = _CHANGED[name]
    proto = _message(trained(options))
    proto.trainer_spec.model_type = MODEL_TYPES[kind]
    kept = []
    words = iter(_frequent_words(suffix=proto.trainer_spec.treat_whitespace_as_suffix) if kind == "word" else [])
    for place, piece in enumerate(proto.pieces):
        if piece.type == NORMAL and len(piece.piece) > 1:
            if kind == "bpe" and place % 3 == 0:
                piece.type = UNUSED
            if kind in ("char", "word"):
                piece.piece = next(words, "")
        if piece.type == NORMAL and kind != "bpe":
            # Square roots are the same on every machine; logarithms are not.
            piece.score = -1.0 - (len(piece.piece) % 3 if name == "unigram: ties" else place**0.5 / 4)
        kept += [copy.deepcopy(piece)] if piece.piece else []
    del proto.pieces[:]
    proto.pieces.extend(kept)
    return proto.SerializeToString(deterministic=True)


def _message(file: bytes) -> Any:
    return sentencepiece_model_pb2.ModelProto.FromString(file)  # type: ignore[attr-defined]


def _frequent_words(suffix: bool) -> list[str]:
    counts = Counter(word for word in course_text().split() if len(word) > 1)
    return [word + "▁" if suffix else "▁" + word for word, _ in counts.most_common(600)]


# ---- tokenizer.json


@cache
def _byte_level() -> dict[str, Any]:
    """Return the model of a byte-level file: our merges, with the ties of `tokenizers`.

    They are trained without a pattern: tokens cross all words, so the ids show where a text is cut.
    """
    record = train("".join(all_texts()), 1500, pattern=None, tie_break="huggingface")
    tokens = {number: to_printable(token) for number, token in record.token_bytes.items()}
    return {
        "vocab": {token: number for number, token in tokens.items()},
        "merges": [[tokens[left], tokens[right]] for left, right in record.merges],
    }


def _of_kind(kind: str, added: Any = None) -> dict[str, Any]:
    """Return the configuration of a published file around our merges."""
    document = json.loads(file_of_kind(kind))
    document["model"] |= copy.deepcopy(_byte_level())
    tokens = [added_token(0, text, **flags) for text, flags in added or ()] or document["added_tokens"]
    following = len(_byte_level()["vocab"])
    for token in tokens:
        known = document["model"]["vocab"].get(token["content"])
        token["id"] = following if known is None else known
        following += known is None
    return document | {"added_tokens": tokens, "post_processor": None}


def _bpe(**changes: Any) -> dict[str, Any]:
    """Return the model of a file like Llama's: each way to make a piece of two others is a merge."""
    own = _message(trained("identity, bytes")).pieces
    ids = {piece.piece: number for number, piece in enumerate(own)}
    merges = sorted(
        (-piece.score, ids[left], ids[right], f"{left} {right}")
        for piece in own
        for cut in range(1, len(piece.piece))
        if (left := piece.piece[:cut]) in ids and (right := piece.piece[cut:]) in ids
    )
    return {
        "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
        "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": ids,
        "merges": [merge for *_, merge in merges], **changes,
    }  # fmt: skip


def _unigram() -> dict[str, Any]:
    own = _message(piece_model("unigram: nmt_nfkc")).pieces
    return {"type": "Unigram", "unk_id": 0, "vocab": [[piece.piece, piece.score] for piece in own]}


def _of_pieces(model: dict[str, Any], normalizer: Any, pre_tokenizer: Any, decoder: Any) -> dict[str, Any]:
    size = len(model["vocab"])
    tokens = [
        added_token(0, "<unk>"), added_token(1, "<s>"), added_token(2, "</s>", normalized=True),
        added_token(size, "<mask>", lstrip=True), added_token(size + 1, "<extra_id_0>", rstrip=True),
        added_token(size + 2, "foo bar", normalized=True, special=False),
    ]  # fmt: skip
    return pieces.whole(model, normalizer, pre_tokenizer, decoder, tokens)


def _wordpiece(lowercase: bool = True) -> dict[str, Any]:
    record = train_wordpiece(course_text(), 4000, lowercase=lowercase)
    document: dict[str, Any] = json.loads(huggingface_json.to_json(record))
    return document


def _of_words() -> dict[str, Any]:
    """Return a file like GPT-1's: BPE of characters, with marks at the ends of words."""
    record = train_wordpiece(course_text(), 3000)
    tokens = [token for token in record.pieces if token.isalpha() and token.isascii() and token.islower()]
    letters = sorted({letter for token in tokens for letter in token})
    ids = {token: place for place, token in enumerate(["<unk>", *letters, *(f"{one}</w>" for one in letters)])}
    merges = []
    for token in sorted(tokens, key=len):
        for made in (token, f"{token}</w>") if len(token) > 1 else ():
            left, right = token[:-1], made.removeprefix(token[:-1])
            if left in ids and right in ids and made not in ids:
                merges.append([left, right])
                ids[made] = len(ids)
    model = {"type": "BPE", "unk_token": "<unk>", "end_of_word_suffix": "</w>", "vocab": ids, "merges": merges}
    bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None}
    document: dict[str, Any] = pieces.whole(
        model, {**bert, "lowercase": True}, {"type": "BertPreTokenizer"}, {"type": "BPEDecoder", "suffix": "</w>"},
        [added_token(0, "<unk>")],
    )  # fmt: skip
    return document


_DOCUMENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "gpt-2": lambda: _of_kind("gpt2 of 2020"),
    "roberta": lambda: _of_kind("roberta"),
    "gpt-4o": lambda: _of_kind("gpt-4o"),
    "phi-2": lambda: _of_kind("gpt2 of 2020", PHI_2),
    "whisper": lambda: _of_kind("gpt2 of 2020", WHISPER),
    "gpt-neox": lambda: _of_kind("gpt-neox"),
    "falcon": lambda: _of_kind("falcon"),
    "starcoder": lambda: _of_kind("starcoder"),
    "deepseek": lambda: _of_kind("deepseek"),
    "lower case": lambda: _of_kind("lower case"),
    "llama 2": lambda: _of_pieces(_bpe(), pieces.LLAMA, None, pieces.LLAMA_DECODER),
    "llama 2, new": lambda: _of_pieces(_bpe(), None, pieces.metaspace("first", False), pieces.LLAMA_DECODER),
    "gemma": lambda: _of_pieces(
        _bpe(), pieces.TO_MARKS, pieces.IDLE, pieces.sequence("decoders", *pieces.BYTES)
    ),
    "no bytes": lambda: _of_pieces(_bpe(byte_fallback=False), pieces.LLAMA, None, pieces.LLAMA_DECODER),
    "t5": lambda: _of_pieces(_unigram(), pieces.precompiled(), pieces.metaspace(), pieces.metaspace()),
    "unigram, never a prefix": lambda: _of_pieces(
        _unigram(), None, pieces.metaspace("never"), pieces.metaspace("never")
    ),
    "bert": lambda: _wordpiece(),
    "bert, cased": lambda: _wordpiece(lowercase=False),
    "gpt-1": lambda: _of_words(),
}  # fmt: skip
DOCUMENTS = tuple(_DOCUMENTS)


@cache
def document(name: str) -> str:
    """Return the text of one of ``DOCUMENTS``."""
    return json.dumps(_DOCUMENTS[name](), ensure_ascii=False)
