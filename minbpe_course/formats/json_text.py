"""JSON as the files of tokenizers need it: strict, and with a place in every error.

    parse(b'{"a": 1}', "vocab.json")           {"a": 1}
    parse(b'{"a": 1, "a": 2}', "vocab.json")   UnreadableModel: vocab.json, $["a"]: there twice ...

Python's own reader takes the last of two members with one name, NaN, and numbers that become infinite, without a word.
Each of these would be a loss that nobody sees, so each is an error here.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from minbpe_course.errors import UnreadableModel


def parse(data: bytes, name: str) -> Any:
    """Return what a JSON document says; ``name`` is what an error calls the file.

    A whole number is an int, but ``-0`` and those of more than forty digits are floats, as in Rust's reader. Raises
    UnreadableModel, with line and column or with the path of the member, for what is no JSON or cannot be kept.

    >>> parse(b'{"a": [1, 2.5, null]}', "example.json")
    {'a': [1, 2.5, None]}
    """
    text = _text(data, name)
    twice: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.append("")
        return found

    def no_number(said: str) -> NoReturn:
        at = text.find(said)
        raise UnreadableModel(f"{name}, line {text.count(chr(10), 0, at) + 1}: {said[:40]} is no number in JSON.")

    def number(said: str) -> float:
        value = rust_float(said)
        return value if math.isfinite(value) else no_number(said)

    def whole(said: str) -> int | float:
        return int(said) if len(said) <= 40 and said != "-0" else number(said)

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_constant=no_number, parse_float=number, parse_int=whole
        )
    except json.JSONDecodeError as error:
        raise UnreadableModel(f"{name}, line {error.lineno} column {error.colno}: no JSON: {error.msg}.") from None
    except RecursionError:
        raise UnreadableModel(f"{name}, line 1 on: no file of a tokenizer has brackets nested so deeply.") from None
    if twice:
        raise UnreadableModel(f"{name}, {_path_of_twice(text)}: there twice, and readers differ in which they take.")
    return value


def rust_float(said: str) -> float:
    """Return a JSON number as Rust's serde_json reads it, which rounds twice: its digits, then the power of ten.

    Scores of pieces are written with 17 digits, and one in six differs in the last bit from what Python reads. That
    decides between ways to cut a text whose scores have the same sum.

    >>> rust_float("-3.5"), rust_float("1e3"), rust_float("4.1157623")
    (-3.5, 1000.0, 4.1157623)
    """
    mantissa, _, power = said.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = _exponent(power) - len(fraction)
    # Only as many digits count as fit into 64 bits, which are 20 at most.
    kept = digits[:20]
    while kept and int(kept) >= 1 << 64:
        kept = kept[:-1]
    exponent += len(digits) - len(kept)
    significand = int(kept or 0)
    value = float(significand)
    while exponent < -308 and value:
        value /= 1e308
        exponent += 308
    if value:
        factor = float(f"1e{abs(exponent)}") if abs(exponent) <= 308 else math.inf
        value = value * factor if exponent >= 0 else value / factor
    return -value if mantissa.startswith("-") else value


def _exponent(power: str) -> int:
    # A file may write thousands of digits, of which Python makes no number; a few say as well that it is too large.
    digits = power.lstrip("+-").lstrip("0")[:9]
    return -int(digits or 0) if power.startswith("-") else int(digits or 0)


def place(*steps: str | int) -> str:
    """Return the path of a value in a document, as JSONPath writes it.

    >>> place("vocab", 17, "token_bytes"), place("a b")
    ('$.vocab[17].token_bytes', '$["a b"]')
    """
    out = "$"
    for step in steps:
        if isinstance(step, int):
            out += f"[{step}]"
        else:
            out += f".{step}" if step.isidentifier() and step.isascii() else f"[{shown(step)}]"
    return out


def can_spell(text: str) -> bool:
    r"""Tell whether JSON has a spelling for a text: for the two halves of a surrogate pair, each alone, it has none.

    >>> can_spell(chr(0xD83D)), can_spell(chr(0xD83D) + chr(0xDC4B))
    (True, False)
    """
    return text.isascii() or json.loads(json.dumps(text)) == text


def shown(value: Any, most: int = 60) -> str:
    """Return a value as JSON, shortened for an error message.

    >>> shown("a" * 100, 10)
    '"aaaaaa...'
    """
    if isinstance(value, (dict, list)) and len(value) > 8:
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value):,}"
    text = json.dumps(value[: 2 * most] if isinstance(value, str) else value)
    return text if len(text) <= most else text[: most - 3] + "..."


def _text(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte {data[error.start]:#04x} at offset {error.start}"
        raise UnreadableModel(f"{name}, line {line}: expected UTF-8 text, found {found}.") from None
    if text.startswith("\ufeff"):
        raise UnreadableModel(
            f"{name}, line 1: a byte order mark stands before the JSON; save it as UTF-8 without one."
        )
    return text


def _path_of_twice(text: str) -> str:
    """The path of the first member that has the name of one before it."""

    class Members(list):
        pass

    document = json.loads(text, object_pairs_hook=Members, parse_int=len, parse_float=len, parse_constant=len)
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while todo:
        steps, value = todo.pop()
        seen = set()
        inner: list[tuple[tuple[str | int, ...], Any]] = []
        for at, item in enumerate(value):
            step, held = item if isinstance(value, Members) else (at, item)
            if isinstance(value, Members) and step in seen:
                return place(*steps, step)
            seen.add(step)
            if isinstance(held, list):
                inner.append(((*steps, step), held))
        todo += reversed(inner)
    raise AssertionError("some member is there twice")
