"""The steps by which a tokenizer.json rewrites text before its pieces are looked for, and after decoding.

    normalizer      Prepend, Replace, Precompiled, NFC, Strip
    decoder         Replace, ByteFallback, Fuse, Strip, Metaspace

Each does what the `tokenizers` library does, which is not always what sentencepiece does with the same table: a
``Precompiled`` table is applied to grapheme clusters, and of the rules that fit at a place the shortest counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import regex

from minbpe_course.text.composing import nfc
from minbpe_course.text.normalize import Charsmap

WHITE_SPACE = "\\t-\\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What Rust takes for white space, as the inside of a character class; Python's own list has four characters more."""

_LONGEST_WHOLE_CLUSTER = 5  # bytes: longer clusters are looked up character by character
_ONE_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>\Z")
_LEADING, _TRAILING = re.compile(f"[{WHITE_SPACE}]+"), re.compile(f"[{WHITE_SPACE}]+\\Z")


def normalizer_of(steps: Sequence[tuple[Any, ...]]) -> Callable[[str], str]:
    """Return the function that does the steps of a normalizer, one after the other.

    >>> normalizer_of([("Prepend", "▁"), ("Replace", "String", " ", "▁")])("a b")
    '▁a▁b'
    """
    made = [_NORMALIZERS[kind](*options) for kind, *options in steps]
    if len(made) == 1:
        return made[0]

    def normalize(text: str) -> str:
        for step in made:
            text = step(text)
        return text

    return normalize


def _prepend(prefix: str) -> Callable[[str], str]:
    return lambda text: prefix + text if text else text


def _replace(kind: str, pattern: str, content: str) -> Callable[[str], str]:
    if kind == "String":
        return lambda text: text.replace(pattern, content)
    compiled = regex.compile(pattern)
    return lambda text: compiled.sub(lambda _: content, text)


def _strip(left: bool, right: bool) -> Callable[[str], str]:
    def strip(text: str) -> str:
        if left and (found := _LEADING.match(text)):
            text = text[found.end() :]
        if right and (found := _TRAILING.search(text)):
            text = text[: found.start()]
        return text

    return strip


def _precompiled(table: bytes) -> Callable[[str], str]:
    """Apply a table of SentencePiece's, and remember the result for each grapheme cluster."""
    charsmap = Charsmap(table)
    known: dict[str, str] = {}

    def rule_for(text: str) -> str | None:
        first = next(charsmap.matches(text.encode("utf-8"), 0), None)
        return None if first is None else first[1].decode("utf-8")

    def rewritten(cluster: str) -> str:
        if len(cluster.encode("utf-8")) <= _LONGEST_WHOLE_CLUSTER and (whole := rule_for(cluster)) is not None:
            return whole
        return "".join(character if (new := rule_for(character)) is None else new for character in cluster)

    def of_cluster(found: Any) -> str:
        cluster: str = found[0]
        new = known.get(cluster)
        if new is None:
            new = rewritten(cluster)
            if len(known) < _MOST_REMEMBERED:
                known[cluster] = new
        return new

    # ASCII without a line break has one character in each cluster, so only those with a rule need a look.
    ruled = "".join(re.escape(chr(code)) for code in range(128) if rule_for(chr(code)) is not None)
    in_ascii = re.compile(f"\r\n|[{ruled}]" if ruled else "\r\n")
    clusters = regex.compile(r"\X")

    def rewrite(text: str) -> str:
        if text.isascii():
            return in_ascii.sub(of_cluster, text)
        parts = _LATEST_MARKS.split(text)
        parts[::2] = [clusters.sub(of_cluster, part) for part in parts[::2]]
        return "".join(parts)

    return rewrite


_MOST_REMEMBERED = 1 << 16
# Marks that are newer than the tables of tokenizers 0.23, for which they join no cluster.
_LATEST_MARKS = re.compile("([\u05c8\u05c9\u0b53\u0b54\u1ade\u1adf\u1aec-\u1af0]+)")
_NORMALIZERS: dict[str, Callable[..., Callable[[str], str]]] = {
    "Prepend": _prepend,
    "Replace": _replace,
    "Strip": _strip,
    "Precompiled": _precompiled,
    "NFC": lambda: nfc,
}


# Decoding


def decoder_of(steps: Sequence[tuple[Any, ...]] | None) -> Callable[[list[str]], str]:
    """Return the function that makes text of tokens; without a decoder they are joined with spaces.

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
    replace = _replace(kind, pattern, content)
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
