"""The files that transformers writes next to ``vocab.json`` and ``merges.txt``: special tokens, and how text is split.

    tokenizer_config.json      added_tokens_decoder: id -> a special token and its flags; which class splits the text
    added_tokens.json          special token -> id, of older releases
    special_tokens_map.json    the names of special tokens, of older releases

This package writes only the first. A setting of transformers that changes ids is either supported or refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.formats.json_text import LARGEST_ID, Value, parse, shown
from minbpe_course.text.patterns import R50K_PATTERN

NAMES = ("tokenizer_config.json", "added_tokens.json", "special_tokens_map.json")
_CONFIG, _ADDED, _MAP = NAMES
MADE_BY = "minbpe_course"
_CLASS = "GPT2Tokenizer"

_QWEN_PATTERN = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"""
    r"""|\s+(?!\S)|\s+"""
)
# The classes of transformers that use these two files: their split pattern and their normalization.
_CLASSES: Mapping[str, tuple[str, str | None]] = {
    "GPT2Tokenizer": (R50K_PATTERN, None),
    "CodeGenTokenizer": (R50K_PATTERN, None),
    "WhisperTokenizer": (R50K_PATTERN, None),
    "Qwen2Tokenizer": (_QWEN_PATTERN, "NFC"),
}
_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_LISTS = ("additional_special_tokens", "extra_special_tokens")
_FLAGS = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}


class Config(NamedTuple):
    """The content of the config files.

    special_tokens : text -> id · places : special token -> the file that names it, and where.
    """

    pattern: str
    normalization: str | None
    special_tokens: Mapping[str, int]
    plain_tokens: frozenset[str]
    places: Mapping[str, str]


def compact(table: Mapping[str, int]) -> bytes:
    """Return vocab.json as OpenAI wrote it."""
    return json.dumps(table).encode("ascii")


# ---- Writing


def written(special_tokens: Mapping[str, int], plain_tokens: Iterable[str]) -> bytes:
    """Return tokenizer_config.json."""
    config = {
        "tokenizer_class": _CLASS,
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "made_by": MADE_BY,
        "added_tokens_decoder": {
            str(token_id): {"content": text, **_FLAGS, "special": text not in plain_tokens}
            for text, token_id in sorted(special_tokens.items(), key=lambda item: item[1])
        },
    }
    return (json.dumps(config, indent=2) + "\n").encode("ascii")


def is_ours(data: bytes) -> bool:
    """Tell whether a config file was written here."""
    try:
        config = parse(data, _CONFIG)
    except UnreadableModel:
        return False
    return isinstance(config, dict) and (config.get("made_by"), config.get("tokenizer_class")) == (MADE_BY, _CLASS)


# ---- Reading


def read(files: Mapping[str, bytes], table: Mapping[str, int]) -> Config:
    """Read the config files.

    files : name -> content · table : the content of vocab.json.

    Raises UnreadableModel, UnsupportedModel.
    """
    said = {name: Value({}, "$", name) for name in NAMES}
    for name, data in files.items():
        document = Value(parse(data, name), "$", name)
        document.an_object()
        said[next(each for each in NAMES if name.endswith(each))] = document
    config = said[_CONFIG]
    pattern, normalization = _class_of(config)
    tokens = _Tokens(table)
    tokens.add_decoder(config.get("added_tokens_decoder"))
    for text in said[_ADDED].value:
        token_id = said[_ADDED].get(text)
        tokens.add(token_id.where, text, token_id.token_id())
    for document in (said[_MAP], config):
        tokens.add_named(document)
    return Config(pattern, normalization, tokens.ids, frozenset(tokens.plain), tokens.places)


def _class_of(config: Value) -> tuple[str, str | None]:
    value = config.get("tokenizer_class")
    kind = "GPT2Tokenizer" if value.value is None else str(value.value).removesuffix("Fast")
    if kind not in _CLASSES:
        value.unsupported(
            f"It splits text in a way that these files do not contain. Supported: {', '.join(_CLASSES)}. If there is a "
            "tokenizer.json, load that."
        )
    for key in ("add_prefix_space", "add_bos_token", "add_eos_token", "do_lower_case", "split_special_tokens"):
        if config.value.get(key) not in (None, False):
            config.get(key).unsupported("It changes ids, and is not supported.")
    return _CLASSES[kind]


class _Tokens:
    """The special tokens that the files name, each with its id."""

    def __init__(self, table: Mapping[str, int]) -> None:
        self.table = table
        self.texts: dict[int, str] = {}
        self.ids: dict[str, int] = {}
        self.plain: set[str] = set()
        self.places: dict[str, str] = {}

    def add(self, where: str, text: str, token_id: int, special: bool = True) -> None:
        if not text:
            raise UnreadableModel(f"{where}: a special token cannot be empty.")
        if self.ids.get(text, token_id) != token_id or self.texts.get(token_id, text) != text:
            raise UnreadableModel(
                f"{where}: {shown(text)} with the id {token_id} contradicts {shown(self.texts.get(token_id, text))} "
                f"with the id {self.ids.get(text, token_id)}, given before."
            )
        self.texts[token_id] = text
        self.ids[text] = token_id
        self.places.setdefault(text, where)
        if not special:
            self.plain.add(text)

    def add_decoder(self, decoder: Value) -> None:
        for key in decoder.an_object() if decoder.value else ():
            value = decoder.get(key)
            if not (key.isascii() and key.isdigit() and str(int(key[:11])) == key and int(key) <= LARGEST_ID):
                value.wrong("expected an id, a whole number from 0 to 2**32 - 1.")
            special = value.value.get("special", False) if isinstance(value.value, dict) else True
            self.add(value.where, _content(value), int(key), special is not False)

    def add_named(self, document: Value) -> None:
        for key in (*_NAMED, *_LISTS):
            value = document.get(key)
            listed: Iterable[Any] = [value.value]
            if key in _LISTS and value.value is not None and not isinstance(value.value, str):
                listed = value.value.values() if isinstance(value.value, dict) else value.a_list()
            for each in listed:
                if each is None:
                    continue
                text = _content(Value(each, value.path, value.name))
                token_id = self.ids.get(text, self.table.get(text))
                if token_id is None:
                    raise UnsupportedModel(
                        f"{value.where}: {shown(text)} has no id in vocab.json or in added_tokens.json."
                    )
                self.add(value.where, text, token_id, text not in self.plain)


def _content(value: Value) -> str:
    """Return the text of a special token, given as text or with flags."""
    if not isinstance(value.value, dict):
        return value.text("the text of a special token")
    for flag in ("lstrip", "rstrip", "single_word"):
        if value.value.get(flag) not in (None, False):
            raise UnsupportedModel(
                f"{value.where}: {flag} changes which text becomes the token, and is not supported for these files."
            )
    return value.get("content").text("the text of a special token")
