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
from functools import partial
from itertools import groupby
from typing import Any

from minbpe_course.text.normalizer_steps import longest, replacement

_ONE_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>\Z")


def decoder_of(steps: Sequence[tuple[Any, ...]] | None) -> Callable[[list[str]], str]:
    """Return the function that turns tokens into text; without a decoder it joins them with spaces.

    >>> steps = [("Replace", "String", "▁", " "), ("ByteFallback",), ("Fuse",), ("Strip", " ", 1, 0)]
    >>> decoder_of(steps)(["▁a", "<0x41>", "▁b"]), decoder_of(None)(["a", "b"])
    ('aA b', 'a b')
    """
    if steps is None:
        return " ".join
    made = [_step(*step) for step in steps]

    def decode(tokens: list[str]) -> str:
        most = longest(sum(map(len, tokens)))
        for step in made:
            tokens = step(tokens, most)
        return "".join(tokens)

    return decode


def _step(kind: str, *options: Any) -> Callable[[list[str], int], list[str]]:
    """Return the function of one step; its second argument is the most characters that all tokens may have."""
    if kind == "Replace":
        replace = replacement(*options)
        return lambda tokens, most: _replaced(tokens, replace, most)
    change = partial(_DECODERS[kind], *options)
    return lambda tokens, most: change(tokens)


def _replaced(tokens: list[str], replace: Callable[[str, int], str], most: int) -> list[str]:
    """Replace in each token; all together have at most ``most`` characters."""
    out = []
    for token in tokens:
        out.append(replace(token, most))
        most -= len(out[-1])
    return out


def _byte_fallback(tokens: list[str]) -> list[str]:
    out: list[str] = []
    for is_byte, run in groupby(tokens, lambda token: _ONE_BYTE.match(token) is not None):
        if not is_byte:
            out += run
            continue
        data = bytes(int(token[3:-1], 16) for token in run)
        try:
            out.append(data.decode("utf-8"))
        except UnicodeDecodeError:
            out += ["\ufffd"] * len(data)
    return out


def _fuse(tokens: list[str]) -> list[str]:
    return ["".join(tokens)]


def _strip(content: str, start: int, stop: int, tokens: list[str]) -> list[str]:
    def strip(token: str) -> str:
        begin = end = 0
        while begin < min(start, len(token)) and token[begin] == content:
            begin += 1
        while end < min(stop, len(token)) and token[-1 - end] == content:
            end += 1
        return token[begin : max(len(token) - end, begin)]

    return list(map(strip, tokens))


def _metaspace(mark: str, strips_first: bool, tokens: list[str]) -> list[str]:
    return [token.replace(mark, "" if strips_first and not at else " ") for at, token in enumerate(tokens)]


_DECODERS: dict[str, Callable[..., list[str]]] = {
    "ByteFallback": _byte_fallback,
    "Fuse": _fuse,
    "Strip": _strip,
    "Metaspace": _metaspace,
}
