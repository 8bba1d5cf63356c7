"""mistral-common's ``tekken.json``: byte-level tokens by rank, special tokens before them, tiktoken's rule.

    {"config": {"pattern": ..., "default_vocab_size": 131072, "default_num_special_tokens": 1000, "version": "v7", ...},
     "vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": "\\u0000"}, ...],
     "special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": true}, ...]}

The id of a token is its rank plus the number of special tokens, whose own ranks are the first ids. A file may list
fewer special tokens than it has (the others are ``<SPECIAL_20>`` and so on) or, up to v7, none (then the first twenty
are known), and more tokens than it uses: ``default_vocab_size`` says how many. The pattern is run by tiktoken, with
tiktoken's Unicode tables.

Other fields of a file (settings of images and sound, unused tokens, its version) do not change ids. ``read`` keeps them
in a ``TekkenModel``, which equals a VocabularyModel with the same tokens, and ``write`` writes them back.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from minbpe_course.engines.same_ids import as_vocabulary, merging_of
from minbpe_course.errors import InvalidModel, InvalidPattern, InvalidSpecialToken, UnreadableModel, UnsupportedModel
from minbpe_course.files import read_whole, write_whole
from minbpe_course.formats.json_text import Value, parse, shown, unspellable
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text.pattern_reading import TIKTOKEN
from minbpe_course.text.patterns import engine_of
from minbpe_course.text.regex_runner import runner_for

# The versions of mistral-common 1.13; files up to v7 do not have to list their special tokens.
VERSIONS = ("v1", "v2", "v3", "v7", "v11", "v13", "v15")
_NEED_NO_LIST = ("v1", "v2", "v3", "v7")
_MAY_SAY_MULTIMODAL = (*_NEED_NO_LIST, "v11")
_MAY_SAY_SETTINGS = ("v15",)
_WRITTEN_VERSION = "v7"
UNLISTED_SPECIALS = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""The special tokens of a file that lists none, from id 0 on."""

# Written if the record has an equivalent list of merges; its value says whether words that are tokens stay whole.
_LIST = "minbpe_course_merges"
MOST_SPECIALS = 1 << 16
_MOST_IDS = 1 << 31
_TOKEN_KEYS = {"rank", "token_bytes", "token_str"}
_OUR_MEMBERS = ("config", "vocab", "special_tokens", _LIST)
_OUR_CONFIG = ("pattern", "num_vocab_tokens", "default_vocab_size", "default_num_special_tokens", "version")


class TekkenModel(VocabularyModel):
    """A VocabularyModel that also keeps the other fields of a ``tekken.json``.

    beyond : "config", "special_tokens", "unused" (tokens), "token_str" (where it differs from the text of the bytes)
    and "others" (further members of the file, such as "image"), each as in the file; absent if empty.

    It equals a VocabularyModel with the same tokens, because these fields do not change ids.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)}
    >>> model = TekkenModel(tokens, pattern=".", beyond={"others": {"image": {"image_patch_size": 16}}})
    >>> model == VocabularyModel(tokens, pattern="."), model.replace(pattern="..").beyond["others"]
    (True, {'image': {'image_patch_size': 16}})
    """

    beyond: Mapping[str, Any]

    def __init__(self, *args: Any, beyond: Mapping[str, Any] | None = None, **fields: Any) -> None:
        super().__init__(*args, **fields)
        object.__setattr__(self, "beyond", MappingProxyType(dict(beyond or {})))

    def _fields(self) -> dict[str, Any]:
        return super()._fields() | {"beyond": dict(self.beyond)}

    def replace(self, **changes: object) -> TekkenModel:
        """Return a copy with some fields changed. New tokens drop the "token_str" and "unused" of the old ones."""
        kept = {key: value for key, value in self.beyond.items() if key in ("config", "others", "special_tokens")}
        beyond = {"beyond": kept} if "token_bytes" in changes else {}
        return TekkenModel(**(self._fields() | beyond | changes))


def read(path: str | os.PathLike[str]) -> VocabularyModel:
    """Return the model in a ``tekken.json``; a TekkenModel if the file has fields that a record does not.

    Raises UnusablePath, UnreadableModel with the path of the value in the JSON, UnsupportedModel.

    >>> import tempfile
    >>> tokens = {3 + byte: bytes([byte]) for byte in range(256)} | {259: b"ab"}
    >>> names = {"<unk>": 0, "<s>": 1, "</s>": 2}
    >>> record = VocabularyModel(tokens, pattern=r"\\w+|\\W+", pattern_engine="tiktoken", special_tokens=names)
    >>> read(write(record, Path(tempfile.mkdtemp(), "tekken.json"))) == record
    True
    """
    return from_bytes(read_whole(path), Path(path).name)


def write(model: VocabularyModel | BytePairModel, path: str | os.PathLike[str]) -> Path:
    """Write a ``tekken.json``; mistral-common requires "tekken" in its name. Raises UnsupportedModel, UnusablePath."""
    return write_whole(path, to_bytes(model))


# ---- Reading


def from_bytes(data: bytes, name: str = "tekken.json") -> VocabularyModel:
    """Return the model in the bytes of a file; ``name`` is its name in error messages."""
    document = Value(parse(data, name), "$", name)
    config, vocab = document.get("config"), document.get("vocab")
    listed = vocab.a_list()
    pattern = _pattern(config.get("pattern"))
    number, total = config.get("default_num_special_tokens"), config.get("default_vocab_size")
    count = number.whole(MOST_SPECIALS)
    size = total.whole(_MOST_IDS) - count
    if not 256 <= size <= len(listed):
        total.wrong(
            f"with {count:,} special tokens it leaves {size:,} others; expected at least the 256 bytes, and no more "
            f"than the {len(listed):,} in $.vocab."
        )
    beyond: dict[str, Any] = {}
    version = _version(document)
    names = _specials(document.get("special_tokens"), number, version, beyond)
    tokens: dict[int, bytes] = {}
    odd: dict[int, Any] = {}
    for rank, token, text in _tokens(vocab, size):
        tokens[count + rank] = token
        if text is not _SPELLED:
            odd[rank] = text
    others = {key: value for key, value in document.value.items() if key not in _OUR_MEMBERS}
    config_beyond = {key: value for key, value in config.value.items() if key not in _OUR_CONFIG}
    if version != _WRITTEN_VERSION:
        config_beyond["version"] = version
    if config.value.get("num_vocab_tokens") != len(listed):
        config_beyond["num_vocab_tokens"] = config.value.get("num_vocab_tokens")
    kept = {"config": config_beyond, "token_str": odd, "unused": listed[size:], "others": others}
    beyond |= {key: value for key, value in kept.items() if value}
    engine = None if engine_of(pattern) == "tiktoken" else "tiktoken"
    fields: dict[str, Any] = dict(
        pattern=pattern, pattern_engine=engine, special_tokens={text: at for at, text in enumerate(names)}
    )
    try:
        if _LIST in document:
            found = merging_of(VocabularyModel(tokens))
            if len(found.unmade):
                document.get(_LIST).wrong(f"no merges lead to the token with id {found.unmade[0]}.")
            fields |= dict(merges=found.merges, whole_words=document.value[_LIST] is True)
        return TekkenModel(tokens, beyond=beyond, **fields) if beyond else VocabularyModel(tokens, **fields)
    except (InvalidModel, InvalidSpecialToken) as error:
        raise UnreadableModel(f"{vocab.where}: {error}") from error


_SPELLED = object()


def _tokens(vocab: Value, size: int) -> Iterator[tuple[int, bytes, Any]]:
    """Yield rank, bytes and token_str of the tokens in use; _SPELLED for a token_str that is the text of the bytes."""
    ranks: dict[bytes, int] = {}
    for rank, entry in enumerate(vocab.value[:size]):
        if not isinstance(entry, dict) or entry.keys() != _TOKEN_KEYS:
            vocab.item(rank).unreadable("rank, token_bytes and token_str")
        if type(entry["rank"]) is not int or entry["rank"] != rank:
            vocab.item(rank).get("rank").unreadable(f"{rank}, its place in the list")
        token = _decoded(entry["token_bytes"])
        if token is None:
            vocab.item(rank).get("token_bytes").unreadable("the bytes of a token in base64")
        if rank < 256 and token != bytes([rank]):
            vocab.item(rank).get("token_bytes").wrong(
                f"expected the byte {rank:#04x}, found {token!r:.60} (the first 256 tokens are the bytes in their "
                "order)."
            )
        if ranks.setdefault(token, rank) != rank:
            vocab.item(rank).wrong(f"the token {token!r:.60} is also that of rank {ranks[token]}.")
        yield rank, token, _SPELLED if entry["token_str"] == _text(token) else entry["token_str"]


def _decoded(value: Any) -> bytes | None:
    """Return the bytes of a token, None if they are not spelled as an encoder of base64 spells them."""
    try:
        token = base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        return None
    # Some readers accept other base64 spellings of the same bytes; such a file is damaged.
    return token if token and base64.b64encode(token).decode("ascii") == value else None


def _text(token: bytes) -> str | None:
    """Return the token_str of a token: its text, or None if its bytes are not UTF-8."""
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _specials(listed: Value, number: Value, version: str, beyond: dict[str, Any]) -> list[str]:
    """Return the names of all special tokens, by id. number : how many there are."""
    count = number.value
    if listed.value is None:
        if version not in _NEED_NO_LIST:
            listed.wrong(f"missing, and a file of version {version} has to list them.")
        names = list(UNLISTED_SPECIALS)
        beyond["special_tokens"] = None
    else:
        names = [_special(entry, at) for at, entry in enumerate(listed.items())]
        if listed.value != _listed(names) or len(names) != count:
            beyond["special_tokens"] = listed.value
    if len(names) > count:
        number.wrong(f"is {count:,}, and there are {len(names):,} special tokens.")
    names += [f"<SPECIAL_{at}>" for at in range(len(names), count)]
    seen: dict[str, int] = {}
    for at, text in enumerate(names):
        if seen.setdefault(text, at) != at:
            raise UnreadableModel(
                f"{listed.where}[{at}]: {shown(text)} is also the name of special token {seen[text]}."
            )
    return names


def _special(entry: Value, at: int) -> str:
    text = entry.value.get("token_str") if isinstance(entry.value, dict) else None
    if not isinstance(text, str) or not text:
        entry.unreadable("rank, token_str and is_control")
    if type(entry.value.get("rank")) is not int or entry.value["rank"] != at:
        entry.get("rank").unreadable(f"{at}, its place in the list")
    return text


def _version(document: Value) -> str:
    value = document.get("config").get("version")
    version = value.value
    if not isinstance(version, str) or version not in VERSIONS:
        value.unsupported(f"This version is unknown; known: {', '.join(VERSIONS)}.")
    for key, allowed in (("multimodal", _MAY_SAY_MULTIMODAL), ("model_settings_builder", _MAY_SAY_SETTINGS)):
        if document.value.get(key) and version not in allowed:
            document.get(key).wrong(f"a file of version {version} cannot have it.")
    for key in ("image", "audio", "multimodal", "model_settings_builder"):
        if document.value.get(key) is not None:
            document.get(key).an_object()
    return version


def _pattern(value: Value) -> str:
    pattern = value.text("a regular expression")
    fault = _fault(pattern)
    if fault is not None:
        value.wrong(fault)
    return pattern


def _fault(pattern: str) -> str | None:
    """Return why tiktoken cannot use this pattern, None if it can."""
    try:
        runner_for(pattern, TIKTOKEN)
    except InvalidPattern as error:
        return str(error)
    return None


def _listed(names: list[str]) -> list[dict[str, Any]]:
    return [{"rank": at, "token_str": text, "is_control": True} for at, text in enumerate(names)]


# ---- Writing


def why_not(model: VocabularyModel | BytePairModel) -> str | None:
    """Return why a ``tekken.json`` cannot hold this model with the same ids, None if it can.

    >>> why_not(BytePairModel([(97, 97)], pattern=r"\\w+|\\W+", special_tokens={"<s>": 257}))
    "the special token '<s>' has the id 257; there they come first, with the ids 0, 1, 2 ..."
    """
    count = len(model.special_tokens)
    if count > MOST_SPECIALS:
        return f"it has {count:,} special tokens, and {MOST_SPECIALS:,} is the most that is read back."
    by_id = {token_id: text for text, token_id in model.special_tokens.items()}
    for text, token_id in model.special_tokens.items():
        if by_id[token_id] != text:
            return f"the special tokens {text!r} and {by_id[token_id]!r} share an id; there each has its own."
        if reason := unspellable(text):
            return reason
        if token_id >= count:
            return f"the special token {text!r} has the id {token_id}; there they come first, with the ids 0, 1, 2 ..."
    ids = sorted(model.token_bytes)
    if ids != list(range(count, count + len(ids))):
        wrong = next(each for each, wanted in zip(ids, range(count, count + len(ids))) if each != wanted)
        return f"the ids of its tokens have a hole before {wrong}; there they follow the special tokens without one."
    for byte in range(256):
        if model.token_bytes[count + byte] != bytes([byte]):
            return f"the byte {byte:#04x} does not have the id {count + byte}; there the bytes come first, in order."
    engine = model.pattern_engine or engine_of(model.pattern or "")
    if model.pattern is None or unspellable(model.pattern):
        return "it has no split pattern that JSON can spell, and a tekken.json needs one."
    if engine != "tiktoken":
        return f"its pattern uses the Unicode tables of {engine}, and there tiktoken uses its own."
    fault = _fault(model.pattern)
    return _rule_why_not(model) if fault is None else f"its split pattern: {fault}"


def _rule_why_not(model: VocabularyModel | BytePairModel) -> str | None:
    if model.merges is not None:
        try:
            unlike = _unlike_ranks(as_vocabulary(model))
        except UnsupportedModel as error:
            return str(error)
        if unlike is not None:
            return (
                "its merges are not in the order of ids, and there neighbours merge when they are a token together, "
                f"lowest id first: {unlike!r:.60} would come out otherwise."
            )
    elif not model.whole_words:
        return "it does not keep words that are tokens whole, and a tekken.json always does."
    if model.only_in_huggingface is not None:
        return f"{model.only_in_huggingface}, which a tekken.json cannot say."
    if model.normalization is not None:
        return f"it normalizes text to {model.normalization} first, and a tekken.json cannot say so."
    if model.plain_tokens:
        text = min(model.plain_tokens)
        return f"the token {text!r} stays in a text when special tokens are skipped; in a tekken.json none does."
    if any(model.frame):
        return "it adds tokens around every text; there the caller decides about that."
    return None


def _unlike_ranks(model: VocabularyModel) -> bytes | None:
    """Return a token for which the list of merges and the rule of ranks may differ; None if they always agree.

    They agree if the merges are in the order of the ids they make and merging the bytes of each token makes that token.
    What happens inside a token's bytes in a longer word happens to the token alone too. So two parts that are a
    token together can only meet where the list has that very merge.
    """
    assert model.merge_table is not None
    made = model.merge_table[:, 2].astype(np.int64)
    misplaced = made[1:] <= made[:-1]
    wrong = made[1:][misplaced] if misplaced.any() else merging_of(model).unmade
    return model.token_bytes[int(wrong[0])] if len(wrong) else None


def to_bytes(model: VocabularyModel | BytePairModel) -> bytes:
    """Return the bytes that ``write`` would write. Raises UnsupportedModel."""
    reason = why_not(model)
    if reason is not None:
        raise UnsupportedModel(f"a tekken.json cannot hold this model: {reason}")
    beyond = model.beyond if isinstance(model, TekkenModel) else {}
    names = sorted(model.special_tokens, key=model.special_tokens.__getitem__)
    tokens = [model.token_bytes[token_id] for token_id in sorted(model.token_bytes)]
    unused = beyond.get("unused", [])
    sizes = (len(tokens) + len(unused), len(tokens) + len(names), len(names))
    config = dict(zip(_OUR_CONFIG, (model.pattern, *sizes, _WRITTEN_VERSION))) | beyond.get("config", {})
    odd = beyond.get("token_str", {})
    entries = [_entry(rank, token, odd) for rank, token in enumerate(tokens)]
    entries += [_indented(each, 2) for each in unused]
    members = {"config": _indented(config, 1), "vocab": "[\n        " + ",\n        ".join(entries) + "\n    ]"}
    listed = _kept_list(beyond, names)
    if listed is not None:
        members["special_tokens"] = _indented(listed, 1)
    if isinstance(model, VocabularyModel) and model.merges is not None:
        members[_LIST] = json.dumps(model.whole_words)
    members |= {key: _indented(value, 1) for key, value in beyond.get("others", {}).items()}
    inner = ",\n".join(f"    {json.dumps(key)}: {text}" for key, text in members.items())
    return f"{{\n{inner}\n}}\n".encode("ascii")


def _kept_list(beyond: Mapping[str, Any], names: list[str]) -> list[Any] | None:
    """Return the special tokens as the file listed them, unless the model has others now."""
    if "special_tokens" in beyond:
        kept = beyond["special_tokens"]
        listed = list(UNLISTED_SPECIALS) if kept is None else [each["token_str"] for each in kept]
        if listed + [f"<SPECIAL_{at}>" for at in range(len(listed), len(names))] == names:
            return kept
    return _listed(names)


def _entry(rank: int, token: bytes, odd: Mapping[int, Any]) -> str:
    text = odd[rank] if rank in odd else _text(token)
    spelled = base64.b64encode(token).decode("ascii")
    lines = (f'"rank": {rank}', f'"token_bytes": "{spelled}"', f'"token_str": {json.dumps(text)}')
    return "{\n            " + ",\n            ".join(lines) + "\n        }"


def _indented(value: Any, depth: int) -> str:
    return json.dumps(value, indent=4).replace("\n", "\n" + " " * (4 * depth))
