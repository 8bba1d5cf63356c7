"""The decoder of a tokenizer.json whose tokens are pieces of text: steps that turn tokens into text.

("Replace", "String", "▁", " ")   in each token
("ByteFallback",)                 tokens like <0x41> become the characters that their bytes spell
("Fuse",)                         joins the tokens into one
("Strip", " ", 1, 0)              removes up to 1 space at the start of each token, none at its end
("Metaspace", "▁", True)          replaces ▁ by a space, and removes it at the start of the first token
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from minbpe_course.text.normalizer_steps import replacement

_ONE_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>\Z")


def decoder_of(steps: Sequence[tuple[Any, ...]] | None) -> Callable[[list[str]], str]:
    """Return the function that turns tokens into text; without a decoder it joins them with spaces.

    >>> steps = [("Replace", "String", "▁", " "), ("ByteFallback",), ("Fuse",), ("Strip", " ", 1, 0)]
    >>> decoder_of(steps)(["▁a", "<0x41>", "▁b"]), decoder_of(None)(["a", "b"])
    ('aA b', 'a b')
    """
    if steps is None:
        return " ".join
    made = [_DECODERS[kind](*options) for kind, *options in steps]

    def decode(tokens: list[str]) -> str:
        for step in made:
            tokens = step(tokens)
        return "".join(tokens)

    return decode


def _replace_in_each(kind: str, pattern: str, content: str) -> Callable[[list[str]], list[str]]:
    replace = replacement(kind, pattern, content)
    return lambda tokens: [replace(token) for token in tokens]


def _byte_fallback() -> Callable[[list[str]], list[str]]:
    def join_bytes(tokens: list[str]) -> list[str]:
        out: list[str] = []
        waiting = bytearray()
        for token in [*tokens, ""]:
            found = _ONE_BYTE.match(token)
            if found:
                waiting.append(int(found[1], 16))
                continue
            if waiting:
                try:
                    out.append(waiting.decode("utf-8"))
                except UnicodeDecodeError:
                    out += ["\ufffd"] * len(waiting)
                waiting.clear()
            out.append(token)
        return out[:-1]

    return join_bytes


def _fuse() -> Callable[[list[str]], list[str]]:
    return lambda tokens: ["".join(tokens)]


def _strip_each(content: str, start: int, stop: int) -> Callable[[list[str]], list[str]]:
    def strip(token: str) -> str:
        begin = end = 0
        while begin < min(start, len(token)) and token[begin] == content:
            begin += 1
        while end < min(stop, len(token)) and token[-1 - end] == content:
            end += 1
        return token[begin : max(len(token) - end, begin)]

    return lambda tokens: [strip(token) for token in tokens]


def _metaspace(mark: str, strips_first: bool) -> Callable[[list[str]], list[str]]:
    def to_spaces(tokens: list[str]) -> list[str]:
        if not tokens:
            return []
        return [tokens[0].replace(mark, "" if strips_first else " "), *(t.replace(mark, " ") for t in tokens[1:])]

    return to_spaces


_DECODERS: dict[str, Callable[..., Callable[[list[str]], list[str]]]] = {
    "Replace": _replace_in_each,
    "ByteFallback": _byte_fallback,
    "Fuse": _fuse,
    "Strip": _strip_each,
    "Metaspace": _metaspace,
}
