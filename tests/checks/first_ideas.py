"""First ideas for each open question, which must earn no points; the keys are those of the exercises."""

from __future__ import annotations

import collections
import itertools
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from minbpe_course.checks.lesson_05.split_on_special import split_on_special
from minbpe_course.text.byte_alphabet import printable_bytes


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _by_number(text: str) -> bytes:
    """Write ASCII as it is and every other character by itself: right, and longer than UTF-8."""
    pieces = (
        bytes([ord(c)]) if ord(c) < 14 or 17 < ord(c) < 128 else b"\x10" + ord(c).to_bytes(3, "big") for c in text
    )
    return b"".join(pieces)


def _pairs_of(text: Any, most: int) -> list[Any]:
    return [pair for pair, _ in collections.Counter(itertools.pairwise(text)).most_common(most)]


ENGLISH = "▁t he in er an re on at en nd ▁a ▁s or ▁w es is it ou ▁the ing ▁o ▁c ▁b ed al ▁f ▁p ▁m le ar st ▁and ▁to ▁of"


class _AllAtTheEnd:
    def __init__(self, special_tokens: dict[str, int]) -> None:
        self.special_tokens, self.text = special_tokens, ""

    def feed(self, chunk: str) -> list[Any]:
        self.text += chunk
        return []

    def finish(self) -> list[Any]:
        return split_on_special(self.text, self.special_tokens)


class _EachChunk(_AllAtTheEnd):
    def feed(self, chunk: str) -> list[Any]:
        self.text = chunk
        return _AllAtTheEnd.finish(self)

    def finish(self) -> list[Any]:
        return []


class _KeepsNothing:
    def __init__(self, size: int) -> None:
        self.size, self.words = size, list[str]()

    def ask(self, word: str) -> str | None:
        return word


class _KeepsTheFirst(_KeepsNothing):
    evicted = -1  # the index of the word that has to go

    def ask(self, word: str) -> str | None:
        if word in self.words:
            return None
        self.words.append(word)
        return self.words.pop(self.evicted) if len(self.words) > self.size else None


class _DropsTheOldest(_KeepsTheFirst):
    evicted = 0


class _Bytes:
    def learn(self, text: str, size: int) -> list[bytes]:
        self.tokens = [bytes([byte]) for byte in range(256)]
        return self.tokens

    def encode(self, text: str) -> list[int]:
        return list(text.encode())


class _WordsByHeart(_Bytes):
    def learn(self, text: str, size: int) -> list[bytes]:
        words = collections.Counter(word.encode() for word in re.findall(r" ?\w+", text) if len(word) > 1)
        self.tokens = [*super().learn(text, size), *(word for word, _ in words.most_common(size - 256))]
        return self.tokens

    def encode(self, text: str) -> list[int]:
        places = {token: at for at, token in enumerate(self.tokens)}
        words = [word.encode() for word in re.findall(r" ?\w+|\W", text)]
        return [at for word in words for at in ([places[word]] if word in places else word)]


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _as_scores(counts: dict[str, int]) -> dict[str, float]:
    return {piece: math.log(count / sum(counts.values())) for piece, count in counts.items()}


def _substrings(sentences: list[str], size: int, lengths: Iterable[int]) -> dict[str, float]:
    counts = collections.Counter(
        one[at : at + length] for one in sentences for length in lengths for at in range(len(one))
    )
    covered = sorted(counts, key=lambda piece: -counts[piece] * (len(piece) - 1))[: size - 26]
    return _as_scores(collections.Counter("".join([LETTERS, *sentences])) | {piece: counts[piece] for piece in covered})


def _printable() -> list[str]:
    return [letter for _, letter in sorted(printable_bytes().items())]


def _visible_in_order(others: Iterable[int]) -> list[str]:
    """Return visible characters for all bytes: the first ones for these bytes in this order, then for the others."""
    letters = {byte: chr(byte) for byte in range(128) if chr(byte).isalpha()}
    signs = (chr(at) for at in range(0x21, 0x300) if chr(at).isprintable() and at not in letters)
    letters |= {byte: next(signs) for byte in dict.fromkeys([*others, *range(256)]) if byte not in letters}
    return [letters[byte] for byte in range(256)]


FIRST_IDEAS: dict[str, dict[str, Callable[..., Any]]] = {
    "01.encode_pages": {"UTF-8": _bytes_of, "one by one": _by_number, "UTF-16": lambda text: text.encode("utf-16")},
    "02.fair_merges": {
        "none": lambda texts, number: [],
        "one pair": lambda texts, number: [(101, 32)],
        "one pair many times": lambda texts, number: [(101, 32)] * number,
        "the commonest pairs of all": lambda texts, number: _pairs_of(b"".join(texts.values()), number),
        "the commonest pairs of English": lambda texts, number: _pairs_of(texts["English"], number),
        "pairs in a row": lambda texts, number: [(at, at + 1) for at in range(97, 97 + number)],
    },
    "03.code_words": {
        "one word": lambda text: [text] if text else [],
        "characters": list,
        "lines": lambda text: text.splitlines(keepends=True),
        "white space and words": lambda text: re.findall(r"\s+|\S+", text),
        "letters and the rest": lambda text: re.findall(r"\w+|\W+", text),
        "letters and single characters": lambda text: re.findall(r"\w+|\W", text),
    },
    "04.training_text": {
        "each token once": lambda tokens: tokens,
        "the youngest first": lambda tokens: tokens[::-1],
        "all in one": lambda tokens: [b"".join(tokens)],
        "the older, the more often": lambda tokens: [t for at, t in enumerate(tokens) for _ in tokens[at:]],
        "twice as often each": lambda tokens: [t for at, t in enumerate(tokens[::-1]) for _ in range(2**at)][::-1],
    },
    "05.special_stream": {"all at the end": _AllAtTheEnd, "each chunk": _EachChunk},
    "06.choose_pieces": {
        "none": lambda text, budget: [],
        "a list for English": lambda text, budget: ENGLISH.split(" ")[:budget],
        "every letter after a space": lambda text, budget: [f"▁{chr(97 + at)}" for at in range(26)][:budget],
        "the first pairs": lambda text, budget: list(dict.fromkeys(map("".join, itertools.pairwise(text))))[:budget],
        "whole words": lambda text, budget: [
            word for word, _ in collections.Counter(re.findall("▁[^▁]+", text)).most_common(budget)
        ],
        "the beginning": lambda text, budget: [text[:40]],
    },
    "08.safe_cuts": {
        "never": lambda windows: [None] * len(windows),
        "in the middle": lambda windows: [len(window) // 2 for window in windows],
        "at the last space": lambda windows: [window.rfind(b" ") if b" " in window[1:] else None for window in windows],
        "after a line break": lambda windows: [window.find(b"\n") + 1 or None for window in windows],
        "at the beginning": lambda windows: [1] * len(windows),
    },
    "09.word_cache": {
        "keeps nothing": _KeepsNothing,
        "the first ones": _KeepsTheFirst,
        "drops the oldest": _DropsTheOldest,
    },
    "12.choose_alphabet": {
        "GPT-2's": lambda tokens: _printable(),
        "each its own, far away": lambda tokens: (
            [chr(at if chr(at).isalpha() else 0x100 + at) for at in range(128)] + [chr(0x200 + at) for at in range(128)]
        ),
        "Chinese": lambda tokens: [chr(at if at < 128 and chr(at).isalpha() else 0x4E00 + at) for at in range(256)],
        "as they come": lambda tokens: _visible_in_order(dict.fromkeys(b"".join(tokens))),
        "the rarest first": lambda tokens: _visible_in_order(
            byte for byte, _ in reversed(collections.Counter(b"".join(tokens)).most_common())
        ),
    },
    "14.train_unigram": {
        "none": lambda sentences, size: {},
        "equal letters": lambda sentences, size: _as_scores(collections.Counter(LETTERS)),
        "letters": lambda sentences, size: _as_scores(collections.Counter("".join([LETTERS, *sentences]))),
        "the commonest pairs": lambda sentences, size: _substrings(sentences, size, [2]),
        "the commonest substrings": lambda sentences, size: _substrings(sentences, size, range(2, 9)),
        "whole sentences": lambda sentences, size: {one[:20]: -math.log(size) for one in sentences[:size]},
        "a list for English": lambda sentences, size: _as_scores(
            collections.Counter(
                [*LETTERS, "the", "and", "ing", "of", "to", "in", "that", "ed", "er", "was", "he", "re"]
            )
        ),
    },
    "16.rank_untrained": {
        "none": lambda rows, unused: [],
        "as they come": lambda rows, unused: [at for at in range(len(rows)) if at not in unused],
        "from the end": lambda rows, unused: [at for at in range(len(rows) - 1, -1, -1) if at not in unused],
        "all of them": lambda rows, unused: list(range(len(rows))),
    },
    "17.choose_merges": {
        "none": lambda words, merges, budget: [],
        "the first ones": lambda words, merges, budget: list(range(256, 256 + min(budget, len(merges)))),
        "the last ones": lambda words, merges, budget: list(
            range(256 + max(0, len(merges) - budget), 256 + len(merges))
        ),
        "pairs of bytes": lambda words, merges, budget: [
            256 + place for place, pair in enumerate(merges) if max(pair) < 256
        ][:budget],
        "all of them": lambda words, merges, budget: list(range(256, 256 + len(merges))),
        "the shortest words": lambda words, merges, budget: sorted(words, key=len)[:budget],
    },
    "18.choose_tokens": {
        "none": lambda words, budget: [],
        "the commonest words": lambda words, budget: sorted(words, key=lambda word: -words[word])[:budget],
        "the longest words": lambda words, budget: sorted(words, key=len)[-budget:],
        "single bytes": lambda words, budget: [bytes([byte]) for byte in range(budget)],
        "the first pairs": lambda words, budget: list(dict.fromkeys(word[:2] for word in words))[:budget],
        "a list for English": lambda words, budget: [word.encode() for word in ENGLISH.split(" ")][:budget],
    },
    "15.cheat": {
        "none": lambda counts, halves, most: [],
        "the first ones": lambda counts, halves, most: list(halves)[:most],
        "the last ones": lambda counts, halves, most: list(halves)[-most:],
        "the commonest": lambda counts, halves, most: sorted(halves, key=lambda t: -counts.get(t, 0))[:most],
        "the rarest": lambda counts, halves, most: sorted(halves, key=lambda t: counts.get(t, 0))[:most],
    },
    "19.own_change": {"bytes": _Bytes, "the commonest words": _WordsByHeart},
}
