"""Files of Hugging Face for the tests: by their own trainer, in the manner of published ones; and ids of a record."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import regex
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

from minbpe_course.corpus.texts import course_text
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text.patterns import CL100K_FIRST_PATTERN, O200K_PATTERN
from tests.shared.cases import hostile_texts

QWEN_PATTERN = CL100K_FIRST_PATTERN.replace("{1,3}", "")
STORY = "the quick brown fox's 12345 jumps\n\n  over  it'll don't DON'T café été 中文字 \t!! x\u0301"
CORPUS = [STORY] * 20

Model = BytePairModel | VocabularyModel
Added = list[tuple[str, dict[str, bool]]]


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


def added_token(token_id: int, text: str, **flags: bool) -> dict[str, Any]:
    """Return an added token as in the file."""
    unsaid = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": text, **unsaid, "special": True, **flags}


# ---- Files of many kinds: the configuration of a published file, around a vocabulary that is trained in a moment


NEOX_SPACES = [" " * count for count in range(24, 1, -1)]
BLOOM_PATTERN = r" ?[^(\s|[.,!?…。，、।۔،])]+"
DEEPSEEK_PATTERN = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CLIP_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
_NO_REGEX = {**_BYTE_LEVEL, "use_regex": False}


def sequence(*steps: dict[str, Any]) -> dict[str, Any]:
    """Return a pre-tokenizer of these steps."""
    return {"type": "Sequence", "pretokenizers": list(steps)}


def normalizer_steps(*steps: dict[str, Any]) -> dict[str, Any]:
    """Return a normalizer of these steps."""
    return {"type": "Sequence", "normalizers": list(steps)}


def split_by(pattern: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    """Return a pre-tokenizer that splits by a pattern."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def flagged(texts: list[str], **flags: bool) -> Added:
    """Return added tokens with the same flags."""
    return [(text, flags) for text in texts]


# name -> normalizer, pre_tokenizer, added tokens before the vocabulary, added tokens after it, changes to the model
_KINDS: dict[str, tuple[Any, dict[str, Any], list, list, dict[str, Any]]] = {
    "roberta": (
        None, _BYTE_LEVEL, flagged(["<s>", "<pad>", "</s>", "<unk>"], normalized=True),
        [("<mask>", {"lstrip": True})], {"type": None, "continuing_subword_prefix": "", "end_of_word_suffix": ""},
    ),
    "roberta with a space": (
        None, {**_BYTE_LEVEL, "add_prefix_space": True}, flagged(["<s>", "<pad>", "</s>", "<unk>"], normalized=True),
        [("<mask>", {"lstrip": True, "normalized": True}), ("<word>", {"single_word": True, "rstrip": True})], {},
    ),
    "gpt2 of 2020": (None, _BYTE_LEVEL, [], [("<|endoftext|>", {})], {"type": None, "unk_token": None}),
    "whisper": (
        None, _BYTE_LEVEL, [],
        flagged(["<|endoftext|>", "<|startoftranscript|>", "<|en|>",
            "<|transcribe|>"]) + flagged([f"<|{seconds}.00|>" for seconds in range(4)], special=False),
        {"": True},
    ),
    "gpt-neox": (
        {"type": "NFC"}, _BYTE_LEVEL, flagged(["<|endoftext|>", "<|padding|>"]),
        flagged(NEOX_SPACES, normalized=True, special=False), {},
    ),
    "modernbert": (
        {"type": "NFC"}, _BYTE_LEVEL, [],
        [*flagged([*NEOX_SPACES[-4:], "e\u0301中"], normalized=True, special=False), *[("[CLS]", {}), ("[MASK]",
            {"lstrip": True})]],
        {},
    ),
    "falcon": (
        None,
        sequence({"type": "Punctuation", "behavior": "Contiguous"}, {**_BYTE_LEVEL, "use_regex": True},
            {"type": "Digits", "individual_digits": False}, split_by("[0-9][0-9][0-9]")),
        flagged([">>TITLE<<", ">>ABSTRACT<<", "<|endoftext|>"]), [], {},
    ),
    "clip": (
        normalizer_steps({"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
            {"type": "Lowercase"}),
        sequence(split_by(CLIP_PATTERN, "Removed", True), _BYTE_LEVEL), [],
        [("<|startoftext|>", {"normalized": True}), ("<|endoftext|>", {"normalized": False})],
        {"end_of_word_suffix": "</w>"},
    ),
    "gpt-4o": (
        None, sequence(split_by(O200K_PATTERN, "Removed", True), _NO_REGEX), [],
        flagged(["<|endoftext|>", "<|endofprompt|>"]), {},
    ),
    "starcoder": (
        None, sequence({"type": "Digits", "individual_digits": True}, {**_BYTE_LEVEL, "use_regex": True}),
        flagged(["<|endoftext|>", "<fim_prefix>", "<fim_middle>"]), [], {},
    ),
    "bloom": (None, sequence(split_by(BLOOM_PATTERN), _NO_REGEX), flagged(["<unk>", "<s>", "</s>", "<pad>"]), [], {}),
    "phi-2": (
        None, _BYTE_LEVEL, [],
        [("<|endoftext|>", {}), *flagged([*(" " * count for count in range(9, 1, -1)), "\t\t\t", "\t\t"],
            normalized=True, special=False)],
        {},
    ),
    "deepseek": (
        normalizer_steps(),
        sequence(split_by(r"\p{N}{1,3}"), split_by("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"),
            split_by(DEEPSEEK_PATTERN), _NO_REGEX),
        flagged(["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"]),
        flagged(["<｜User｜>", "<｜Assistant｜>"], normalized=True, special=False), {},
    ),
    "lower case": (
        normalizer_steps({"type": "Strip", "strip_left": False, "strip_right": True}, {"type": "NFKC"},
            {"type": "Lowercase"}, {"type": "Replace", "pattern": {"String": "fox"}, "content": "cat"},
            {"type": "Prepend", "prepend": "q"}),
        sequence({"type": "Split", "pattern": {"String": "a"}, "behavior": "MergedWithNext", "invert": False},
            {"type": "Punctuation", "behavior": "MergedWithPrevious"}, {**_BYTE_LEVEL, "add_prefix_space": True,
            "use_regex": True}),
        [], [("<Mask>", {"lstrip": True, "normalized": True}), ("<S>", {}), ("Quick", {"single_word": True})],
        {"ignore_merges": True},
    ),
    "decomposed": (
        normalizer_steps({"type": "NFKD"}),
        sequence(split_by(r"[A-Z](?=[a-z])", "MergedWithNext"), split_by(r"\s", "Contiguous"), _NO_REGEX),
        flagged(["[PAD]"], rstrip=True, lstrip=True), [], {},
    ),
}  # fmt: skip


def kinds() -> list[str]:
    """The names of the kinds of files that ``file_of_kind`` makes."""
    return list(_KINDS)


@cache
def file_of_kind(kind: str) -> str:
    """A tokenizer.json of one of ``kinds``, as its text."""
    normalizer, pre_tokenizer, before, after, changes = _KINDS[kind]
    document = json.loads(Tokenizer(models.BPE()).to_str())
    document |= {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}
    made = Tokenizer.from_str(json.dumps(document))
    suffix = changes.get("end_of_word_suffix") or None
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=[text for text, _ in before],
        initial_alphabet=pre.ByteLevel.alphabet(),
        show_progress=False,
        **({"end_of_word_suffix": suffix} if suffix else {}),
    )
    made.train_from_iterator([*CORPUS, course_text()[:30_000]], trainer)
    document = json.loads(made.to_str())
    model = document["model"]
    vocab = model["vocab"]
    for character in sorted(pre.ByteLevel.alphabet()) if suffix else []:
        vocab.setdefault(character + suffix, len(vocab))
    if "" in changes:
        vocab[""] = len(vocab)
    for key, value in changes.items():
        if value is None:
            model.pop(key)
        elif key:
            model[key] = value
    texts = [*before, *after]
    ids = {text: vocab.get(text, len(vocab) + place) for place, (text, _) in enumerate(texts, -len(before))}
    document["added_tokens"] = [added_token(ids[text], text, **flags) for text, flags in texts]
    document["decoder"] = _BYTE_LEVEL
    return json.dumps(document, ensure_ascii=False)


def kind_texts(kind: str, count: int, seed: int = 11) -> list[str]:
    """Hostile texts with tokens, added tokens and what is awkward for normalizers and flags in them."""
    rng = random.Random(f"{kind} {seed}")
    document = json.loads(file_of_kind(kind))
    names = [token["content"] for token in document["added_tokens"]]
    tokens = [spelled.replace("Ġ", " ").replace("Ċ", "\n") for spelled in document["model"]["vocab"]]
    odd = ["", " ", "  ", "\n", "\u2003", "\x1c", "a", "_", "1", "²", "①", "é", "e\u0301", "ﬁ", "İ", "Σ", "ǅ", "don't"]
    odd += ["…", "$", "\U000323b0", "\U0001facd", "\U00010d50", "\u1c89", "\u166d", "\u2e5d", "</w>", "\u0301", "ſ"]
    texts = []
    for text in hostile_texts(seed, count):
        at = rng.randrange(len(text) + 1)
        pools = [names, names, odd, odd, tokens, [name.upper() for name in names]]
        chosen = [rng.choice(rng.choice(pools)) for _ in range(rng.randrange(7))]
        texts.append(text[:at] + "".join(chosen) + text[at:])
    return texts


def asked(witness: Tokenizer, text: str) -> list[int] | None:
    """The ids in tokenizers, None where it panics: a token that begins in the space that another has taken."""
    try:
        found: list[int] = witness.encode(text, add_special_tokens=False).ids
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None
    return found


# Post-processors


def byte_level(**changes: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True, **changes}


def template(single: str, pair: str, ids: dict[str, Any]) -> dict[str, Any]:
    def row(said: str) -> list[dict[str, Any]]:
        pieces = [piece.partition(":") for piece in said.split()]
        return [
            {"Sequence" if name in "AB" else "SpecialToken": {"id": name, "type_id": int(kind or 0)}}
            for name, _, kind in pieces
        ]

    known = {name: {"id": name, "ids": [token_id], "tokens": [name]} for name, token_id in ids.items()}
    return {"type": "TemplateProcessing", "single": row(single), "pair": row(pair), "special_tokens": known}


# Each is made of two added tokens, (text, id).
PROCESSORS: dict[str, Any] = {
    "none": lambda a, b: None,
    "trimmed offsets": lambda a, b: byte_level(trim_offsets=True),
    "roberta": lambda a, b: {
        "type": "RobertaProcessing", "cls": list(a), "sep": list(b), "trim_offsets": True, "add_prefix_space": False
    },
    "bert": lambda a, b: {"type": "BertProcessing", "cls": list(a), "sep": list(b)},
    "template of two ids": lambda a, b: {
        **template("z A", "z A B", {"z": 0}),
        "special_tokens": {"z": {"id": "z", "ids": [a[1], b[1]], "tokens": [a[0], "other"]}},
    },
    "sequence": lambda a, b: {
        "type": "Sequence",
        "processors": [
            byte_level(trim_offsets=True),
            {"type": "Sequence", "processors": [template("A y", "A y B:1 y:1 y:1", {"y": b[1]})]},
            template("x A", "x A B:1", {"x": a[1]}),
        ],
    },
    # Last, so that it meets no kind whose last added token is spaces.
    "template, second text first": lambda a, b: template(f"A {b[0]}", f"B:1 {b[0]}:1 A", {b[0]: b[1]}),
}  # fmt: skip
