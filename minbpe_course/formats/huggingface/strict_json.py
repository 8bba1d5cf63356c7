r"""JSON read strictly, with the path of every value: $.model.vocab["a"].

Bytes that are no JSON raise UnreadableModel with line and column; so do a key that stands twice, a lone surrogate, NaN,
and brackets that are nested too deep for any tokenizer.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from minbpe_course.errors import UnreadableModel, UnsupportedModel
from minbpe_course.formats import json_text

_DEEPEST = 100
_HALF = re.compile("[\ud800-\udfff]")
# Text that was decoded from UTF-8 holds a surrogate only where an escape spells one.
_SPELLED_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_SIMPLE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Value:
    """A value of a JSON document: what it is, and the path to it."""

    def __init__(self, value: Any, path: str, name: str) -> None:
        self.value = value
        self.path = path
        self.name = name

    def __contains__(self, key: str) -> bool:
        return key in self.an_object()

    def only(self, *known: str) -> None:
        """Refuse keys that are none of ``known``."""
        for key in self.an_object():
            if key not in known:
                raise UnreadableModel(
                    f"{self.name}, at {self.path}: the key {key[:60]!r} is not known to tokenizers 0.23, which would "
                    "refuse the file."
                )

    def get(self, key: str) -> Value:
        """The value of a key, None where there is none."""
        return Value(self.an_object().get(key), self.path + spelled_key(key), self.name)

    def items(self) -> list[Value]:
        """The values of a list."""
        if not isinstance(self.value, list):
            self.unreadable("a list")
        return [Value(item, f"{self.path}[{place}]", self.name) for place, item in enumerate(self.value)]

    def an_object(self) -> dict[str, Any]:
        """The keys and values of an object."""
        if not isinstance(self.value, dict):
            self.unreadable("an object {...}")
        return self.value

    def text(self) -> str:
        """The text that stands here."""
        if not isinstance(self.value, str):
            self.unreadable("a string")
        return self.value

    def flag(self, default: bool = False) -> bool:
        """True or false; ``default`` where there is nothing."""
        if self.value is None:
            return default
        if not isinstance(self.value, bool):
            self.unreadable("true or false")
        return self.value

    def required_flag(self) -> bool:
        """True or false, which has to be said."""
        if self.value is None:
            self.unreadable("true or false")
        return self.flag()

    def token_id(self) -> int:
        """The id that stands here."""
        if not is_id(self.value):
            self.unreadable("an id, a whole number from 0 to 4294967295")
        return int(self.value)

    def unreadable(self, wanted: str) -> NoReturn:
        """Raise UnreadableModel: here stands something else than ``wanted``."""
        raise UnreadableModel(f"{self.name}, at {self.path}: expected {wanted}, found {_shown(self.value)}.")

    def unsupported(self, why: str) -> NoReturn:
        """Raise UnsupportedModel: what stands here is understood, and not done here."""
        raise UnsupportedModel(f"{self.name}, at {self.path}: {_shown(self.value)}. {why}")


def is_id(value: object) -> bool:
    """Whether a value of JSON can be an id.

    >>> is_id(7), is_id(7.0), is_id(True), is_id(-1)
    (True, False, False, False)
    """
    return type(value) is int and 0 <= value < 1 << 32


def spelled_key(key: str) -> str:
    """How a key is written behind the path of its object.

    >>> "$" + spelled_key("model") + spelled_key("a b")
    '$.model["a b"]'
    """
    return f".{key}" if _SIMPLE_KEY.match(key) else f"[{json.dumps(key[:60])}]"


def read_json(data: bytes, name: str) -> Value:
    """Read a JSON document. name : what the file is called in errors.

    Raises UnreadableModel with line and column, or the path.

    >>> read_json(b'{"model": [1, {"a": 2}]}', "x.json").get("model").items()[1].get("a").path
    '$.model[1].a'
    """
    value = json_text.parse(data, name)
    if _depth(value) > _DEEPEST:
        raise UnreadableModel(f"{name}: brackets are nested more than {_DEEPEST} deep; no tokenizer.json is.")
    if _SPELLED_HALF.search(data) and (path := _half(value, "$")):
        raise UnreadableModel(f"{name}, at {path}: half a surrogate pair, which stands for no character.")
    return Value(value, "$", name)


def _depth(value: Any) -> int:
    """How deep objects and lists are nested, counted no further than one over _DEEPEST."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
            if isinstance(inner, (dict, list))
        ]
        depth += 1
    return depth


def _half(value: Any, path: str) -> str | None:
    """The path of the first text that holds half a surrogate pair."""
    if isinstance(value, str):
        return path if _HALF.search(value) else None
    if isinstance(value, dict):
        wrong = next((key for key in value if _HALF.search(key)), None)
        if wrong is not None:
            return path + spelled_key(wrong)
        return next((found for key, item in value.items() if (found := _half(item, path + spelled_key(key)))), None)
    if isinstance(value, list):
        return next((found for k, item in enumerate(value) if (found := _half(item, f"{path}[{k}]"))), None)
    return None


def _shown(value: Any) -> str:
    if value is None:
        return "nothing (null)"
    shown = json.dumps(value, ensure_ascii=False) if not isinstance(value, (dict, list)) else _shape(value)
    return shown if len(shown) <= 100 else shown[:100] + "..."


def _shape(value: Any) -> str:
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return f"an object of type {value['type'][:60]!r}"
    return f"an object with {len(value)} keys" if isinstance(value, dict) else f"a list of {len(value)}"
