"""Files of Hugging Face for the tests: by their own trainer, in the manner of Llama 3 and Qwen; and ids of a record."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import regex
from cases import hostile_texts
from tokenizers import (
    AddedToken,
    ByteLevelBPETokenizer,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    processors,
    trainers,
)
from tokenizers import pre_tokenizers as pre

from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.text.patterns import CL100K_FIRST_PATTERN
from minbpe_course.tokenizers.engine import BytePairEngine

QWEN_PATTERN = CL100K_FIRST_PATTERN.replace("{1,3}", "")
STORY = "the quick brown fox's 12345 jumps\n\n  over  it'll don't DON'T café été 中文字 \t!! x\u0301"
CORPUS = [STORY] * 20
Model = BytePairModel | VocabularyModel


def ids_of(record: Model) -> Callable[[str], list[int]]:
    """How a record encodes a text, its special tokens cut out of it first: the leftmost, and of those the longest."""
    if isinstance(record, VocabularyModel):
        engine = BytePairEngine.from_vocabulary(record)
    else:
        engine = BytePairEngine.from_model(record)
    names = sorted(record.special_tokens, key=len, reverse=True)
    cut = regex.compile("(" + "|".join(map(regex.escape, names)) + ")") if names else None

    def encode(text: str) -> list[int]:
        ids: list[int] = []
        for place, part in enumerate(cut.split(text) if cut else [text]):
            ids += [record.special_tokens[part]] if place % 2 else engine.encode(part).tolist()
        return ids

    return encode


def texts_for(record: Model, count: int, seed: int = 7) -> list[str]:
    """Hostile texts, most of them with tokens and special tokens of the record in them."""
    rng = random.Random(seed)
    tokens, names = list(record.token_bytes.values()), list(record.special_tokens) or [""]
    texts = []
    for text in hostile_texts(seed, count):
        at = rng.randrange(len(text) + 1)
        known = b"".join(rng.choices(tokens, k=3)).decode("utf-8", "ignore")
        texts.append(text[:at] + rng.choice(["", known, rng.choice(names), known + rng.choice(names)]) + text[at:])
    return texts


def trained_by_tokenizers() -> dict[str, Tokenizer]:
    """Tokenizers that `tokenizers` has trained, in the ways that are in use."""
    plain = ByteLevelBPETokenizer()
    plain.train_from_iterator(CORPUS, vocab_size=330, special_tokens=["<s>", "<|e|>"], show_progress=False)
    found = {"ByteLevelBPETokenizer": Tokenizer.from_str(plain.to_str())}
    for name, cut in {
        "bytes alone": pre.ByteLevel(add_prefix_space=False, use_regex=False),
        "GPT-2's way": pre.ByteLevel(add_prefix_space=False),
        "digits one by one": pre.Sequence([pre.Digits(individual_digits=True), pre.ByteLevel(add_prefix_space=False)]),
        "digits apart": pre.Sequence([pre.Digits(), pre.ByteLevel(add_prefix_space=False)]),
        "Qwen's way": _split(QWEN_PATTERN),
        "a pattern with gaps": _split(r"[a-z]+|\n"),
        "lines": _split(r"^.+$|\s"),
        "a text": pre.Sequence([pre.Split(" ", "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False)]),
    }.items():
        made = Tokenizer(models.BPE(ignore_merges=name == "Qwen's way"))
        made.pre_tokenizer, made.decoder = cut, decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=330,
            special_tokens=["<|im_start|>", "<|im_end|>"],
            initial_alphabet=pre.ByteLevel.alphabet(),
            show_progress=False,
        )
        made.train_from_iterator(CORPUS, trainer)
        if name == "Qwen's way":
            made.normalizer = normalizers.NFC()
            made.add_tokens([AddedToken("<think>", normalized=False), AddedToken("x<", normalized=False)])
            made.post_processor = processors.TemplateProcessing(
                single="<|im_start|> $A <|im_end|>", special_tokens=[("<|im_start|>", 0), ("<|im_end|>", 1)]
            )
        found[name] = made
    return found


def _split(pattern: str) -> pre.PreTokenizer:
    return pre.Sequence([pre.Split(Regex(pattern), "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False)])


# ---- Llama 3 and Qwen, from what quicktok carries


def carried(folder: Path, name: str) -> tuple[dict[bytes, int], dict[str, int]]:
    """The ranks and the special tokens of one vocabulary in quicktok's data."""
    data = (folder / f"{name}.vocab").read_bytes()
    ranks, at = {}, 4
    while at < len(data):
        (size,) = struct.unpack_from("<H", data, at)
        token = data[at + 2 : at + 2 + size]
        (ranks[token],) = struct.unpack_from("<I", data, at + 2 + size)
        at += 6 + size
    data = (folder / f"{name}.special").read_bytes()
    specials, at = {}, 4
    while at < len(data):
        token_id, size = struct.unpack_from("<IH", data, at)
        specials[data[at + 6 : at + 6 + size].decode("utf-8")] = token_id
        at += 6 + size
    return ranks, specials


def published_document(ranks: dict[bytes, int], specials: dict[str, int], *, llama: bool) -> dict[str, Any]:
    """The tokenizer.json of such a vocabulary as it is published: with every way to cut each token in two."""
    merges = []
    for token in sorted(ranks, key=ranks.__getitem__):
        cuts = ((token[:k], token[k:]) for k in range(1, len(token)))
        known = [cut for cut in cuts if cut[0] in ranks and cut[1] in ranks]
        merges += sorted(known, key=lambda cut: (ranks[cut[0]], ranks[cut[1]]))
    pairs = [[to_printable(left), to_printable(right)] for left, right in merges]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    pattern = CL100K_FIRST_PATTERN if llama else QWEN_PATTERN
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    begin = "<|begin_of_text|>"
    row = [{"SpecialToken": {"id": begin, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    template = {
        "type": "TemplateProcessing",
        "single": row,
        "pair": [*row, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {begin: {"id": begin, "ids": [specials.get(begin)], "tokens": [begin]}},
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            added_token(token_id, text, special=llama or "think" not in text) for text, token_id in specials.items()
        ],
        "normalizer": None if llama else {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": {"type": "Sequence", "processors": [byte_level, template]} if llama else byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None if llama else "",
            "end_of_word_suffix": None if llama else "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": llama,
            "vocab": {to_printable(token): token_id for token, token_id in ranks.items()},
            "merges": pairs if llama else [" ".join(pair) for pair in pairs],
        },
    }


def added_token(token_id: int, text: str, **flags: bool) -> dict[str, Any]:
    """One added token as it stands in the file."""
    unsaid = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": text, **unsaid, "special": True, **flags}


def to_bytes(document: dict[str, Any]) -> bytes:
    """The document as a file."""
    return json.dumps(document, ensure_ascii=False).encode("utf-8")
