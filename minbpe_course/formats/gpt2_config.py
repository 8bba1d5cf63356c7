"""The files that transformers writes next to ``vocab.json`` and ``merges.txt``: special tokens, and how text is split.

    tokenizer_config.json      added_tokens_decoder: id -> a special token and its flags; which class splits the text
    added_tokens.json          special token -> id, of older releases
    special_tokens_map.json    the names of special tokens, of older releases

This package writes only the first. Under "minbpe_course" it keeps what transformers has no field for: the pattern, ids
without a token, tokens that no merge makes, and a fingerprint of the two files, so that the config of another model is
noticed. A setting of transformers that changes ids is either supported or refused by name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.formats.json_text import LARGEST_ID, Value, parse, shown
from minbpe_course.text.patterns import R50K_PATTERN

NAMES = ("tokenizer_config.json", "added_tokens.json", "special_tokens_map.json")
_CONFIG, _ADDED, _MAP = NAMES
_OURS = "minbpe_course"

_QWEN_PATTERN = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"""
    r"""|\s+(?!\S)|\s+"""
)
# The classes of transformers that use these two files: their split pattern and their normalization.
_CLASSES: Mapping[str, tuple[str, str | None]] = {
    "GPT2Tokenizer": (R50K_PATTERN, None),
    "CodeGenTokenizer": (R50K_PATTERN, None),
    "Qwen2Tokenizer": (_QWEN_PATTERN, "NFC"),
}
_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_LISTS = ("additional_special_tokens", "extra_special_tokens")
_KNOWN = ("sha256", "pattern", "pattern_engine", "whole_words", "other_names", "unmerged", "skipped_ids")
_FLAGS = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}


@dataclass(frozen=True)
class Config:
    """The content of the config files.

    special_tokens : id -> text, the name that the id decodes to · other_names : further (text, id) · unmerged : ids of
    ordinary tokens that no merge makes · skipped_ids : ids that merges skip; None for those of special tokens ·
    places : special token -> the file that names it, and where.
    """

    pattern: str | None = R50K_PATTERN
    pattern_engine: str | None = None
    normalization: str | None = None
    whole_words: bool = False
    special_tokens: Mapping[int, str] = field(default_factory=dict)
    plain_tokens: frozenset[str] = frozenset()
    other_names: tuple[tuple[str, int], ...] = ()
    unmerged: Iterable[int] = ()
    skipped_ids: tuple[int, ...] | None = None
    places: Mapping[str, str] = field(default_factory=dict)


def compact(table: Mapping[str, int]) -> bytes:
    """Return vocab.json as OpenAI wrote it."""
    return json.dumps(table).encode("ascii")


def fingerprint(table: Mapping[str, int], merges: Iterable[tuple[int, int, int]]) -> str:
    """Return a hash of the content of the two files; line ends and the order of keys do not matter.

    table : spelled token -> id · merges : (left id, right id, made id).

    >>> fingerprint({"a": 0, "aa": 1}, [(0, 0, 1)]) == fingerprint({"aa": 1, "a": 0}, [(0, 0, 1)])
    True
    """
    said = json.dumps([sorted(table.items()), [list(merge) for merge in merges]])
    return hashlib.sha256(said.encode("ascii")).hexdigest()


# ---- Writing


def written(beside: Config, known_by: str) -> bytes:
    """Return tokenizer_config.json, for the two files with this fingerprint."""
    decoder = {
        str(token_id): {"content": text, **_FLAGS, "special": text not in beside.plain_tokens}
        for token_id, text in sorted(beside.special_tokens.items())
    }
    ours: dict[str, Any] = {"sha256": known_by, "pattern": beside.pattern}
    if beside.pattern_engine is not None:
        ours["pattern_engine"] = beside.pattern_engine
    if beside.whole_words:
        ours["whole_words"] = True
    if beside.other_names:
        ours["other_names"] = [list(each) for each in beside.other_names]
    if beside.unmerged:
        ours["unmerged"] = list(beside.unmerged)
    if beside.skipped_ids is not None:
        ours["skipped_ids"] = list(beside.skipped_ids)
    config: dict[str, Any] = {
        "tokenizer_class": "GPT2Tokenizer",
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "added_tokens_decoder": decoder,
        _OURS: ours,
    }
    return (json.dumps(config, indent=2) + "\n").encode("ascii")


def is_ours(data: bytes) -> bool:
    """Tell whether a tokenizer_config.json was written here."""
    try:
        config = parse(data, _CONFIG)
    except UnreadableModel:
        return False
    return isinstance(config, dict) and isinstance(config.get(_OURS), dict)


# ---- Reading


def read(files: Mapping[str, bytes], table: Mapping[str, int], merges: Iterable[tuple[int, int, int]]) -> Config:
    """Read the config files.

    files : name -> content · table, merges : the content of vocab.json and merges.txt, as for ``fingerprint``.

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
    if config.get(_OURS).value is None:
        return Config(pattern, None, normalization, False, tokens.texts, frozenset(tokens.plain), places=tokens.places)
    return _with_ours(config.get(_OURS), tokens, fingerprint(table, merges))


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


def _with_ours(ours: Value, tokens: _Tokens, known_by: str) -> Config:
    name = ours.name
    if ours.an_object().get("sha256") != known_by:
        ours.get("sha256").wrong(
            f"{name} was written for another vocabulary or other merges. Copy all files of the model, or delete {name} "
            "if you know that the others are right."
        )
    ours.only(*_KNOWN, why="is not known; was the file written by a later version?")
    if "pattern" not in ours:
        ours.get("pattern").wrong("missing.")
    names = ours.get("other_names")
    others = names.value or []
    if not isinstance(others, list) or not all(
        isinstance(each, list) and list(map(type, each)) == [str, int] and each[0] for each in others
    ):
        names.wrong("expected pairs of a special token and its id.")
    if len({text for text, _ in others} | tokens.ids.keys()) < len(others) + len(tokens.ids):
        names.wrong("a special token is there twice.")
    skipped = ours.get("skipped_ids")
    return Config(
        pattern=ours.get("pattern").optional_text(),
        pattern_engine=ours.get("pattern_engine").optional_text(),
        whole_words=ours.get("whole_words").flag(),
        special_tokens=tokens.texts,
        plain_tokens=frozenset(tokens.plain),
        places=tokens.places | {text: names.where for text, _ in others},
        other_names=tuple((text, token_id) for text, token_id in others),
        unmerged=frozenset(ours.get("unmerged").ids()),
        skipped_ids=None if skipped.value is None else tuple(skipped.ids()),
    )
