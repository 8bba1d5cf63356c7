"""tokenizer.json files whose tokens are pieces, of every supported kind: published configurations, small models."""

from __future__ import annotations

import base64
import copy
import io
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from tests.shared.huggingface_files import added_token as added
from tests.shared.piece_cases import AWKWARD, course_lines

EXTRA = ["naïve café 中文字 ﬁ ½ Ａｂｃ aaaa bbbb ab abab"] * 20


@cache
def trained(kind: str, rule: str) -> Any:
    """The message of a small model."""
    lines, out = course_lines()[:400] + EXTRA, io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, model_type=kind, normalization_rule_name=rule, vocab_size=1400,
        minloglevel=2, hard_vocab_limit=False, byte_fallback=kind == "bpe", character_coverage=0.98,
        remove_extra_whitespaces=kind == "unigram", num_threads=1,
    )  # fmt: skip
    return sentencepiece_model_pb2.ModelProto.FromString(out.getvalue())


def sequence(key: str, *steps: Any) -> dict[str, Any]:
    return {"type": "Sequence", key: list(steps)}


def replace(found: str, content: str, kind: str = "String") -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: found}, "content": content}


def metaspace(scheme: str = "always", split: bool = True) -> dict[str, Any]:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}


OLD_METASPACE = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
TO_MARKS = replace(" ", "▁")
LLAMA = sequence("normalizers", {"type": "Prepend", "prepend": "▁"}, TO_MARKS)
BYTES = (replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"})
LLAMA_DECODER = sequence("decoders", *BYTES, {"type": "Strip", "content": " ", "start": 1, "stop": 0})
IDLE = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}


def whole(model: dict[str, Any], normalizer: Any, pre_tokenizer: Any, decoder: Any, tokens: Any = ()) -> dict[str, Any]:
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": list(tokens), "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": None, "decoder": decoder, "model": model,
    }  # fmt: skip


def bpe(**changes: Any) -> dict[str, Any]:
    """A model as transformers converts it: every way to make a piece of two others is a merge, best scores first."""
    pieces = trained("bpe", "identity").pieces
    ids = {piece.piece: at for at, piece in enumerate(pieces)}
    merges = [
        (-piece.score, ids[left], ids[right], f"{left} {right}")
        for piece in pieces
        for cut in range(1, len(piece.piece))
        if (left := piece.piece[:cut]) in ids and (right := piece.piece[cut:]) in ids
    ]
    listed = [merge for *_, merge in sorted(merges)]
    return {
        "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
        "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": ids, "merges": listed, **changes,
    }  # fmt: skip


def in_any_order(seed: int = 3) -> list[str]:
    """The same merges with ranks that no scores of pieces could give."""
    merges = list(bpe()["merges"])
    random.Random(seed).shuffle(merges)
    return merges


def unigram(change: Any = lambda piece, score: score) -> dict[str, Any]:
    pieces = trained("unigram", "nmt_nfkc").pieces
    return {"type": "Unigram", "unk_id": 0, "vocab": [[p.piece, change(p.piece, p.score)] for p in pieces]}


def precompiled() -> dict[str, Any]:
    table = trained("unigram", "nmt_nfkc").normalizer_spec.precompiled_charsmap
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode("ascii")}


def bpe_tokens() -> list[dict[str, Any]]:
    size = len(bpe()["vocab"])
    return [
        added(0, "<unk>"), added(1, "<s>"), added(2, "</s>", normalized=True), added(size, "<|end|>", rstrip=True),
        added(size + 1, "qword", normalized=True, special=False), added(size + 2, "  ", special=False),
        added(size + 3, "<|user|>", lstrip=True, rstrip=True),
    ]  # fmt: skip


def unigram_tokens() -> list[dict[str, Any]]:
    size = len(unigram()["vocab"])
    return [
        added(0, "<unk>"), added(1, "<s>"), added(2, "</s>"), added(size, "<mask>", lstrip=True),
        added(size + 1, "<extra_id_0>", rstrip=True), added(size + 2, "qword", normalized=True, special=False),
    ]  # fmt: skip


def of_bpe(normalizer: Any, pre_tokenizer: Any, **changes: Any) -> dict[str, Any]:
    return whole(bpe(**changes), normalizer, pre_tokenizer, LLAMA_DECODER, bpe_tokens())


def of_unigram(normalizer: Any, pre_tokenizer: Any, *change: Any) -> dict[str, Any]:
    return whole(unigram(*change), normalizer, pre_tokenizer, metaspace(), unigram_tokens())


_OLD_STEPS = sequence("pretokenizers", {"type": "WhitespaceSplit"}, OLD_METASPACE)
_STRIP = {"type": "Strip", "strip_left": False, "strip_right": True}
_MADE: dict[str, Callable[[], dict[str, Any]]] = {
    "Llama 2": lambda: of_bpe(LLAMA, None),
    "Llama 2, merges in any order": lambda: of_bpe(LLAMA, None, merges=in_any_order()),
    "Llama 2, new": lambda: of_bpe(None, metaspace("first", False)),
    "Llama 2, words": lambda: of_bpe(None, metaspace(), merges=in_any_order(4)),
    "no prefix, no decoder": lambda: of_bpe(None, metaspace("never")) | {"decoder": None},
    "Gemma": lambda: of_bpe(TO_MARKS, IDLE) | {"decoder": sequence("decoders", *BYTES)},
    "no bytes": lambda: of_bpe(LLAMA, None, byte_fallback=False),
    "no bytes, words": lambda: of_bpe(None, metaspace(), byte_fallback=False),
    "T5": lambda: of_unigram(precompiled(), metaspace()),
    "T5, old": lambda: of_unigram(precompiled(), _OLD_STEPS) | {"decoder": OLD_METASPACE},
    "XLM-R": lambda: of_unigram(sequence("normalizers", precompiled(), replace(" {2,}", " ", "Regex")), metaspace()),
    "mT5": lambda: of_unigram(
        sequence("normalizers", precompiled(), _STRIP, replace(" {2,}", "▁", "Regex")), metaspace()
    ),
    "unigram, one word": lambda: of_unigram(precompiled(), metaspace("always", False)),
    "unigram, first": lambda: of_unigram(None, metaspace("first")) | {"decoder": metaspace("first")},
    "unigram, never": lambda: of_unigram(precompiled(), metaspace("never")) | {"decoder": metaspace("never")},
    "scores that are no float32": lambda: of_unigram(
        precompiled(), metaspace(), lambda piece, score: round(score * 1.1 - len(piece) * 0.013, 4)
    ),
    "scores that are often equal": lambda: of_unigram(
        precompiled(), metaspace("always", False), lambda piece, score: -1.0 - len(piece) % 3
    ),
}
KINDS = tuple(_MADE)


def file_of(kind: str) -> dict[str, Any]:
    """The values of one of KINDS, which the caller may change."""
    return copy.deepcopy(_made(kind))


@cache
def _made(kind: str) -> dict[str, Any]:
    return _MADE[kind]()


PARTS = [
    *AWKWARD,
    " ", "  ", "   ", "▁", "▁▁", "</s>", "\n", "the", "ing", "e\u0301", "<0x41>", "-" * 7, "a" * 9, "ab" * 5, "\ufffd",
    "İ", "ς ", "<mask>", "<extra_id_0>", "qword", "qwords", "\u00ad", "\u0e33", "\x1c", "\x85", "각", "<|end|>",
    "<|user|>", "``", "''", "tokenizer", "▁the", "\u3000", "\r\n",
]  # fmt: skip


def hostile_texts(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)

    def part() -> str:
        if rng.random() < 0.85:
            return rng.choice(PARTS)
        return chr(rng.choice([rng.randrange(32, 127), rng.randrange(160, 0xD7FF), rng.randrange(0xE000, 0x20000)]))

    return ["".join(part() for _ in range(rng.randrange(16))) for _ in range(count)]
