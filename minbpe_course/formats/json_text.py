"""Strict JSON for model files: every error names the file and the path of the value.

    parse(b'{"a": 1}', "vocab.json")           {"a": 1}
    parse(b'{"a": 1, "a": 2}', "vocab.json")   UnreadableModel: vocab.json: the key "a" is there twice ...
    read_value(data, "tokenizer.json").get("model").get("type").text()

``json.loads`` silently keeps the last of two equal keys, and accepts NaN and numbers that overflow to infinity. A model
file with any of these is damaged, so they are errors here.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from minbpe_course.errors import UnreadableModel, UnsupportedModel

LARGEST_ID = (1 << 32) - 1
_DEEPEST = 100
MOST_STEPS = 32
"""How many steps a normalizer, pre-tokenizer, post-processor or decoder may have. Falcon has the most, four."""
_MANY_DIGITS = re.compile(r"\d{640}")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Text decoded from UTF-8 holds a surrogate only where an escape spells one.
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def parse(data: bytes, name: str) -> Any:
    """Return the value of a JSON document; ``name`` is what errors call the file.

    Raises UnreadableModel with line and column, or with the key that is there twice.

    >>> parse(b'{"a": [1, 2.5, null]}', "example.json")
    {'a': [1, 2.5, None]}
    """
    text = utf8_text(data, name)
    if text.startswith("\ufeff"):
        raise UnreadableModel(f"{name}, line 1: it begins with a byte order mark. Save it as UTF-8 without one.")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            key = next(key for place, key in enumerate(keys) if key in keys[:place])
            raise UnreadableModel(
                f"{name}: the key {shown(key)} is there twice in one object. Readers differ in which one they use."
            )
        return found

    def number(literal: str) -> float:
        return value if math.isfinite(value := float(literal)) else refuse_number(literal)

    def refuse_number(literal: str) -> NoReturn:
        line = text.count("\n", 0, text.find(literal)) + 1
        raise UnreadableModel(
            f"{name}, line {line}: {literal[:40]} is not a number in JSON that can be read."
        ) from None

    try:
        return json.loads(text, object_pairs_hook=members, parse_constant=number, parse_float=number)
    except json.JSONDecodeError as error:
        raise UnreadableModel(f"{name}, line {error.lineno} column {error.colno}: not JSON: {error.msg}.") from None
    except RecursionError:
        raise UnreadableModel(f"{name}: brackets are nested too deeply for a model file.") from None
    except UnreadableModel:
        raise
    except ValueError:
        # Python reads no whole number of thousands of digits.
        refuse_number("".join(_MANY_DIGITS.findall(text)[:1]))


def place(*steps: str | int) -> str:
    """Return the path of a value in a document, as JSONPath writes it.

    >>> place("vocab", 17, "token_bytes"), place("a b")
    ('$.vocab[17].token_bytes', '$["a b"]')
    """
    return "$" + "".join(map(_step, steps))


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() and step.isascii() else f"[{shown(step)}]"


def unspellable(*texts: str) -> str | None:
    r"""Return why JSON cannot spell one of ``texts``, None if it can: two halves of a surrogate pair come back joined.

    >>> unspellable("a", chr(0xD83D))
    >>> unspellable(chr(0xD83D) + chr(0xDC4B))[15:]
    'holds the two halves of a surrogate pair, which JSON would join into one character.'
    """
    for text in texts:
        if not text.isascii() and json.loads(json.dumps(text)) != text:
            return f"{text!r:.60} holds the two halves of a surrogate pair, which JSON would join into one character."
    return None


def shown(value: Any, most: int = 60) -> str:
    """Return a value as JSON, shortened for an error message.

    >>> shown("a" * 100, 10), shown({"type": "BPE", "vocab": {}})
    ('"aaaaaa...', "an object of type 'BPE'")
    """
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return f"an object of type {value['type'][:most]!r}"
    if isinstance(value, (dict, list)) and len(value) > 8:
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value):,}"
    text = json.dumps(value[: 2 * most] if isinstance(value, str) else value)
    return text if len(text) <= most else text[: most - 3] + "..."


def utf8_text(data: bytes, name: str, hint: str = "") -> str:
    """Return the text of a file. Raises UnreadableModel with the line and the byte that is not UTF-8, and ``hint``."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte {data[error.start]:#04x} at offset {error.start}"
        raise UnreadableModel(f"{name}, line {line}: expected UTF-8 text, found {found}.{hint}") from None


def is_id(value: object) -> bool:
    """Tell whether a JSON value can be an id: a whole number of 32 bits.

    >>> is_id(7), is_id(7.0), is_id(True), is_id(-1)
    (True, False, False, False)
    """
    return type(value) is int and 0 <= value <= LARGEST_ID


class Value:
    """A JSON value and the path to it. Each getter checks the kind; its error names the file and the path."""

    def __init__(self, value: Any, path: str, name: str) -> None:
        self.value = value
        self.path = path
        self.name = name

    @property
    def where(self) -> str:
        """The file and the path in it, as errors begin."""
        return f"{self.name}, {self.path}"

    def __contains__(self, key: str) -> bool:
        return key in self.an_object()

    def only(self, *known: str, why: str = "is not known to tokenizers 0.23, which would refuse the file.") -> None:
        """Refuse keys other than ``known``."""
        for key in self.an_object():
            if key not in known:
                self.wrong(f"the key {key[:60]!r} {why}")

    def get(self, key: str) -> Value:
        """Return the value of a key, None if it is missing."""
        return Value(self.an_object().get(key), self.path + _step(key), self.name)

    def item(self, place: int) -> Value:
        """Return one value of a list."""
        return Value(self.a_list()[place], self.path + _step(place), self.name)

    def items(self) -> list[Value]:
        """Return the values of a list."""
        return [self.item(place) for place in range(len(self.a_list()))]

    def steps(self, key: str) -> list[Value]:
        """Return this step, or the steps of a ``Sequence``, which lists them under ``key``; none for null.

        Raises UnsupportedModel for more than MOST_STEPS.
        """
        if self.value is None:
            return []
        if self.get("type").text() != "Sequence":
            return [self]
        found: list[Value] = []
        for one in self.get(key).items():
            found += one.steps(key)
            if len(found) > MOST_STEPS:
                self.unsupported(f"It has more than {MOST_STEPS} steps.")
        return found

    def an_object(self) -> dict[str, Any]:
        """Return the keys and values of an object."""
        return self._of(dict, "an object")

    def a_list(self) -> list[Any]:
        """Return the plain values of a list."""
        return self._of(list, "a list")

    def text(self, wanted: str = "a string") -> str:
        """Return a string."""
        return self._of(str, wanted)

    def optional_text(self) -> str | None:
        """Return a string, or None for null."""
        return None if self.value is None else self.text("a string or null")

    def choice(self, *known: str) -> str:
        """Return a string that is one of ``known``."""
        if self.text() not in known:
            self.unreadable(f"one of {', '.join(known)}")
        return self.text()

    def flag(self, default: bool = False) -> bool:
        """Return true or false, ``default`` for null."""
        return default if self.value is None else self.required_flag()

    def required_flag(self) -> bool:
        """Return true or false."""
        return self._of(bool, "true or false")

    def whole(self, most: int) -> int:
        """Return a whole number from 0 to ``most``."""
        if type(self.value) is not int or not 0 <= self.value <= most:
            self.unreadable(f"a whole number from 0 to {most:,}")
        return self.value

    def token_id(self) -> int:
        """Return an id."""
        if not is_id(self.value):
            self.unreadable(f"an id, a whole number from 0 to {LARGEST_ID}")
        return int(self.value)

    def ids(self) -> list[int]:
        """Return a list of ids, empty for null."""
        if self.value is not None and not (isinstance(self.value, list) and all(map(is_id, self.value))):
            self.unreadable("a list of ids")
        return self.value or []

    def _of(self, kind: type, wanted: str) -> Any:
        return self.value if isinstance(self.value, kind) else self.unreadable(wanted)

    def unreadable(self, wanted: str) -> NoReturn:
        """Raise UnreadableModel: the value is not ``wanted``."""
        self.wrong(f"expected {wanted}, found {shown(self.value, 100)}.")

    def wrong(self, what: str) -> NoReturn:
        """Raise UnreadableModel, which says ``what`` is wrong here."""
        raise UnreadableModel(f"{self.where}: {what}")

    def unsupported(self, why: str) -> NoReturn:
        """Raise UnsupportedModel: the value is valid, but not supported."""
        raise UnsupportedModel(f"{self.where}: {shown(self.value, 100)}. {why}")


def read_value(data: bytes, name: str) -> Value:
    """Parse a JSON document. Raises UnreadableModel with line and column, or the path.

    Lone surrogates and nesting deeper than any tokenizer.json has are errors too.

    >>> read_value(b'{"model": [1, {"a": 2}]}', "x.json").get("model").items()[1].get("a").path
    '$.model[1].a'
    """
    value = parse(data, name)
    if _depth(_without_tokens(value)) > _DEEPEST:
        raise UnreadableModel(f"{name}: brackets are nested more than {_DEEPEST} deep; no tokenizer.json is.")
    if _ESCAPED_SURROGATE.search(data) and (path := _path_of_surrogate(value, "$")):
        raise UnreadableModel(f"{name}, {path}: a lone surrogate, which is not a character.")
    return Value(value, "$", name)


def _without_tokens(document: Any) -> Any:
    """Leave out the vocabulary and the merges of a tokenizer.json, whose readers look at each member."""
    model = document.get("model") if isinstance(document, dict) else None
    if not isinstance(model, dict):
        return document
    return document | {"model": {key: value for key, value in model.items() if key not in ("vocab", "merges")}}


def _depth(value: Any) -> int:
    """Return how deeply objects and lists are nested, counting up to _DEEPEST + 1."""
    depth, level = 0, [value] if isinstance(value, (dict, list)) else []
    while level and depth <= _DEEPEST:
        inside = [outer.values() if isinstance(outer, dict) else outer for outer in level]
        level = [inner for values in inside for inner in values if isinstance(inner, (dict, list))]
        depth += 1
    return depth


def _path_of_surrogate(value: Any, path: str) -> str | None:
    """Return the path of the first text that holds a surrogate."""
    if isinstance(value, str):
        return path if _SURROGATE.search(value) else None
    if isinstance(value, dict):
        wrong = next((key for key in value if _SURROGATE.search(key)), None)
        if wrong is not None:
            return path + _step(wrong)
        return next((at for key, item in value.items() if (at := _path_of_surrogate(item, path + _step(key)))), None)
    if isinstance(value, list):
        return next((at for k, item in enumerate(value) if (at := _path_of_surrogate(item, f"{path}[{k}]"))), None)
    return None
