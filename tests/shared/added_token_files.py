"""Files with added tokens, special ones and plain ones, in the shapes that are in use and in random ones.

``document(shape, seed)`` is a tokenizer.json as data, ``texts(document, rng, count)`` are texts that are full of its
added tokens, of parts of them, and of what is next to them. A seed changes only the random shapes.
"""

from __future__ import annotations

import copy
import json
import random
from functools import cache
from typing import Any

from tokenizers import Tokenizer

from tests.formats import piece_file_cases as pieces
from tests.shared.cases import hostile_text
from tests.shared.huggingface_files import (
    DEEPSEEK_PATTERN,
    NEOX_SPACES,
    QWEN_PATTERN,
    Added,
    added_token,
    file_of_kind,
    flagged,
    normalizer_steps,
    sequence,
    split_by,
)

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
_NO_REGEX = {**_BYTE_LEVEL, "use_regex": False}
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized")

PHI_2 = [
    *flagged(["<|endoftext|>"]),
    *flagged([" " * count for count in range(31, 1, -1)], normalized=True, special=False),
    *flagged(["\t" * count for count in range(9, 1, -1)], normalized=True, special=False),
]
WHISPER = [
    *flagged(["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"]),
    *flagged([f"<|{hundredths / 100:.2f}|>" for hundredths in range(0, 3001, 2)], special=False),
]
# Texts that overlap, contain each other, and differ in their normal forms and white space.
_AWKWARD = [
    "a", "b", "ab", "aab", "ba", "<", "<|", "|>", "<|a|>", "<|a|><|b|>", "<|b|>", "|><|", "a|", "<|A|>", "A", " a",
    "a ",
    "  ", "   ", "\t\t", "\n\n", " \n", "éa", "e\u0301", "\u0301", "Éa", "ﬁ", "fi", "中", "中文", "don't", "123", "12",
    "3", "!!", "the", "The", "<s>", "</s>", "<mask>", "_", "😀", "\u200d", "\u00a0", "ǅ",
]  # fmt: skip
_BESIDE = [
    " ", "  ", "\t", "\n", "a", "B", "é", "e", "\u0301", "1", "23", "_", ".", "'s", "<", "|", ">", "\u00a0", "中",
    "word",
    "İ",
]  # fmt: skip

# shape -> normalizer, pre_tokenizer, added tokens (None for random ones), changes to the model
_BYTES: dict[str, tuple[Any, dict[str, Any], Added | None, dict[str, Any]]] = {
    "phi-2": (None, _BYTE_LEVEL, PHI_2, {}),
    "whisper": (None, _BYTE_LEVEL, WHISPER, {}),
    "gpt-neox": (
        {"type": "NFC"}, _BYTE_LEVEL,
        [*flagged(["<|endoftext|>", "<|padding|>"]), *flagged(NEOX_SPACES, normalized=True, special=False)], {},
    ),
    "random": (None, _BYTE_LEVEL, None, {}),
    "random, lower case": (normalizer_steps({"type": "NFC"}, {"type": "Lowercase"}), _BYTE_LEVEL, None, {}),
    "random, replaced": (
        normalizer_steps({"type": "NFKC"}, {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
            {"type": "Strip", "strip_left": True, "strip_right": False}),
        sequence(split_by(QWEN_PATTERN), _NO_REGEX), None, {"ignore_merges": True},
    ),
    "random, with a space": (
        {"type": "NFD"},
        sequence({"type": "Digits", "individual_digits": True}, {**_BYTE_LEVEL, "add_prefix_space": True}), None, {},
    ),
    "random, in steps": (
        None,
        sequence(split_by(r"\p{N}{1,3}"), split_by(DEEPSEEK_PATTERN), {"type": "Punctuation", "behavior": "Isolated"},
            _NO_REGEX),
        None, {},
    ),
}  # fmt: skip
_PIECES = ("random, Llama's pieces", "random, T5's pieces")

SHAPES = (*_BYTES, *_PIECES)


def document(shape: str, seed: int = 0) -> dict[str, Any]:
    """Return a tokenizer.json of one of ``SHAPES``."""
    rng = random.Random(f"{shape} {seed}")
    if shape in _PIECES:
        return _pieces_document(shape, rng)
    normalizer, pre_tokenizer, added, changes = _BYTES[shape]
    whole = copy.deepcopy(_base())
    whole |= {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
    whole["model"] |= changes
    _add(whole, _random_added(rng) if added is None else added)
    return whole


def texts(whole: dict[str, Any], rng: random.Random, count: int) -> list[str]:
    """Return texts that are full of added tokens, parts of them, and characters that matter next to them."""
    names = [token["content"] for token in whole["added_tokens"]]

    def part() -> str:
        kind, name = rng.randrange(8), rng.choice(names)
        if kind == 0:
            return name[: rng.randrange(len(name) + 1)]
        if kind == 1:
            return name[rng.randrange(len(name)) :]
        if kind == 2:
            return rng.choice([name.upper(), name.lower(), name.title()])
        if kind == 3:
            return hostile_text(rng, 2)
        return name if kind < 6 else rng.choice(_BESIDE)

    return ["".join(part() for _ in range(rng.randrange(9))) for _ in range(count)]


@cache
def _base() -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(file_of_kind("gpt2 of 2020"))
    whole["model"]["type"] = "BPE"
    return whole | {"post_processor": None}


def _random_added(rng: random.Random, flags: tuple[str, ...] = _FLAGS) -> Added:
    """Return random added tokens, some of them listed twice."""
    used, chance = rng.choice([(), ("normalized",), flags]), rng.choice([0.1, 0.4])
    return [
        (text, {"special": rng.random() < 0.4, **{flag: rng.random() < chance for flag in used}})
        for text in rng.choices(_AWKWARD, k=rng.randrange(3, 14))
    ]


def _add(whole: dict[str, Any], added: Added) -> None:
    """Give the document these added tokens, with the ids that `tokenizers` gives them."""
    vocab = whole["model"]["vocab"]
    ids = {piece: at for at, (piece, _) in enumerate(vocab)} if isinstance(vocab, list) else dict(vocab)
    whole["added_tokens"] = [added_token(ids.setdefault(text, len(ids)), text, **flags) for text, flags in added]


def _pieces_document(shape: str, rng: random.Random) -> dict[str, Any]:
    if shape == _PIECES[0]:
        whole = pieces.whole(pieces.bpe(), pieces.LLAMA, None, pieces.LLAMA_DECODER)
    else:
        whole = pieces.whole(pieces.unigram(), None, pieces.metaspace(), pieces.metaspace())
    # Pieces are refused where a token is listed twice.
    _add(whole, list(dict(_random_added(rng, _FLAGS[1:])).items()))
    return whole


def witness(whole: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer of `tokenizers` for the document."""
    return Tokenizer.from_str(json.dumps(whole))
