"""Damage to JSON documents that stays JSON, or nearly: values, keys, order, depth. ``mutated_files`` draws from these.

A document is read into lists and ``Members`` (pairs of an object, so that a key can be there twice); ``Raw`` is text
that goes into the new document as it is: numbers no float can hold, a thousand brackets, NaN.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

Mutation = Callable[[random.Random, bytes], bytes]
Place = tuple[Any, int]  # a list or Members, and the place in it


class Members(list):
    """The members of an object: [key, value] each."""


class Raw(str):
    """Text to be written as it is."""


def parsed(data: bytes) -> Any:
    """Return the document as lists, Members and plain values. Raises ValueError."""
    try:
        return _again(_parsed(data))
    except RecursionError:
        raise ValueError("too deep") from None


@lru_cache(64)
def _parsed(data: bytes) -> Any:
    return json.loads(data.decode("utf-8"), object_pairs_hook=lambda pairs: Members(map(list, pairs)))


def _again(value: Any) -> Any:
    if isinstance(value, Members):
        return Members([key, _again(inner)] for key, inner in value)
    return [_again(inner) for inner in value] if isinstance(value, list) else value


def written(value: Any, ascii_only: bool = True, comma: str = ", ", colon: str = ": ") -> str:
    """Return a document as text."""
    if isinstance(value, Members):
        inner = (f"{written(key, ascii_only)}{colon}{written(inner, ascii_only, comma, colon)}" for key, inner in value)
        return "{" + comma.join(inner) + "}"
    if isinstance(value, list):
        return "[" + comma.join(written(inner, ascii_only, comma, colon) for inner in value) + "]"
    return str(value) if isinstance(value, Raw) else json.dumps(value, ensure_ascii=ascii_only)


def respelled(rng: random.Random, data: bytes) -> bytes:
    """Return the same document with other white space and escapes; members keep their order."""
    try:
        document = parsed(data)
    except ValueError:
        return data
    comma, colon = rng.choice([(",", ":"), (", ", ": "), (",\n\t", " :\r\n"), (" , ", " : ")])
    text = written(document, True, comma, colon)
    if rng.random() < 0.4:
        try:
            return written(document, False, comma, colon).encode("utf-8")
        except UnicodeEncodeError:
            pass
    return (rng.choice(["", " ", "\n"]) + text + rng.choice(["", "\n", " \r\n\t"])).encode("utf-8")


WILD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 255, 256, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, -(2**63), 0.0, 1.0, 1.5, -0.0,
    "", " ", "\0", "\ud800", "\udc00\ud800", "\ufeff", "é", "😀", "a\nb", "Ġ", "Ċ", "x" * 5000, "0", "null", "(", "[",
    "(?", [], [[]], [None], Members(), Members([["a", 1]]), Members([["", Members()]]),
)  # fmt: skip
STEPS: tuple[Any, ...] = (
    "\\s+", "[a-z]", "(?i)s", "</w>", "Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous",
    "NFC", "NFKD", "Lowercase", "Strip", "StripAccents", "Sequence", "ByteLevel", "Digits", "Punctuation", "Split",
    "Replace", "Prepend", "Metaspace", "Unigram", "BPE", Members([["Regex", "\\d"]]), Members([["String", "e"]]),
    Members([["type", "ByteLevel"]]), Members([["type", "NFKC"]]), "\u2581", "\u0301",
)  # fmt: skip
"""Values of a tokenizer.json."""
RAW = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1E-999", "0.1e1", "1.0", "-0", "01", "+1", ".5", "1.", "0x1",
    "9" * 400, "9" * 5000, "[" * 200 + "]" * 200, "[" * 100_000, '{"a":' * 100_000, "[" * 3000 + "]" * 3000,
    '"\\ud83d"', '"\\ud83d\\ude00"', '"\\x"', '"\\u12"', "'a'", '"a\nb"', "nul", "True", "undefined", "/* */ 1",
    "1 2", "",
)  # fmt: skip


def _places(value: Any) -> Iterator[Place]:
    todo = [value]
    while todo:
        holder = todo.pop()
        for at in range(len(holder)):
            yield holder, at
            inner = holder[at][1] if isinstance(holder, Members) else holder[at]
            if isinstance(inner, list):
                todo.append(inner)


def _get(place: Place) -> Any:
    holder, at = place
    return holder[at][1] if isinstance(holder, Members) else holder[at]


def _put(place: Place, value: Any) -> None:
    holder, at = place
    if isinstance(holder, Members):
        holder[at][1] = value
    else:
        holder[at] = value


def _draw(rng: random.Random, document: Any) -> Place:
    """Return a place, often one near the root: in a vocabulary file nearly all others are tokens."""
    places = list(_places(document))
    near = [place for place in places if isinstance(place[0], Members) and len(place[0]) < 40]
    return rng.choice(rng.choice([places, near or places]))


def _on_document(change: Callable[[random.Random, Any], Any]) -> Mutation:
    def mutation(rng: random.Random, data: bytes) -> bytes:
        try:
            document = parsed(data)
        except ValueError:  # damaged before
            return data[: rng.randrange(len(data) + 1)]
        if not isinstance(document, list) or not document:
            return data + b","
        change(rng, document)
        return written(document).encode("ascii")

    mutation.__name__ = change.__name__.removeprefix("_")
    return mutation


def _value_of_another_kind(rng: random.Random, document: Any) -> None:
    _put(_draw(rng, document), rng.choice(WILD))


def _value_of_a_step(rng: random.Random, document: Any) -> None:
    place = _draw(rng, document)
    _put(place, not _get(place) if isinstance(_get(place), bool) else rng.choice(STEPS))


def _raw_value(rng: random.Random, document: Any) -> None:
    _put(_draw(rng, document), Raw(rng.choice(RAW)))


def _value_gone(rng: random.Random, document: Any) -> None:
    holder, at = _draw(rng, document)
    del holder[at : at + rng.choice([1, 1, 1, 3])]


def _value_of_a_neighbour(rng: random.Random, document: Any) -> None:
    """Two values change places, or one is there twice."""
    one, two = _draw(rng, document), _draw(rng, document)
    if rng.random() < 0.7:
        holder = one[0]
        two = holder, rng.randrange(len(holder))
    first, second = _get(one), _get(two)
    _put(one, _again(second))
    if rng.random() < 0.6:
        _put(two, _again(first))


def _key_twice(rng: random.Random, document: Any) -> None:
    holder, at = _draw(rng, document)
    value = rng.choice([_again(_get((holder, at))), rng.choice(WILD), 0])
    item = [holder[at][0], value] if isinstance(holder, Members) else value
    holder.insert(rng.choice([at, at + 1, len(holder)]), item)


def _other_key(rng: random.Random, document: Any) -> None:
    holder, at = _draw(rng, document)
    if isinstance(holder, Members):
        key = holder[at][0]
        other = rng.choice(holder)[0]
        holder[at][0] = rng.choice(
            [other, key.upper(), key + " ", key[:-1], "", "x" + key, "\ud800", "unknown", "Ġ" + key]
        )
    else:
        rng.shuffle(holder)


def _number_nearby(rng: random.Random, document: Any) -> None:
    places = [place for place in _places(document) if type(_get(place)) is int]
    if places:
        place = rng.choice(places)
        value = _get(place)
        new = [
            value + 1,
            value - 1,
            -value,
            value * 2,
            Raw(f"{value}.0"),
            str(value),
            value + 2**32,
            10 ** rng.choice([6, 12, 30]),
        ]
        _put(place, rng.choice(new))


def _string_nearby(rng: random.Random, document: Any) -> None:
    places = [place for place in _places(document) if isinstance(_get(place), str)]
    if places:
        place = rng.choice(places)
        text = _get(place)
        at = rng.randrange(len(text) + 1)
        put = rng.choice(["", " ", "a", "Ġ", "\0", "é", "\ud800", "(", "*", "\\", "😀", "\u2028", "=", "\n"])
        _put(place, text[:at] + put + text[at + rng.choice([0, 1]) :])


def _new_member(rng: random.Random, document: Any) -> None:
    holder, at = _draw(rng, document)
    value = rng.choice([*WILD, _again(_get(_draw(rng, document)))])
    holder.insert(at, [rng.choice(["new", "type", "Ġnew", "a", ""]), value] if isinstance(holder, Members) else value)


def not_quite_json(rng: random.Random, data: bytes) -> bytes:
    """Break the syntax in ways that some programs accept: remarks, extra commas, a second document, single quotes."""
    return rng.choice(
        [
            lambda: data.rstrip()[:-1] + b"," + data.rstrip()[-1:],
            lambda: b"// remark\n" + data,
            lambda: data + data,
            lambda: data.replace(b'"', b"'", 2),
            lambda: b"[" + data + b"]",
            lambda: b'{"a": ' + data + b"}",
            lambda: rng.choice(
                [b"null", b"0", b'""', b"[]", b"{}", b"true", b"", b"[" * 100_000, b"NaN", b'"' + b"a" * 99]
            ),
            lambda: data.replace(b",", b",,", 1),
            lambda: data.replace(b":", b"=", 1),
        ]
    )()


MUTATIONS: tuple[Mutation, ...] = (
    *map(
        _on_document,
        (
            _value_of_another_kind,
            _value_of_a_step,
            _raw_value,
            _value_gone,
            _value_of_a_neighbour,
            _key_twice,
            _other_key,
            _number_nearby,
            _string_nearby,
            _new_member,
        ),
    ),
    not_quite_json,
)
