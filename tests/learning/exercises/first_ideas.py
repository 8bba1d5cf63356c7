"""A first idea for each open question, which must earn no points; the keys are those of the exercises."""

from __future__ import annotations

import collections
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

from minbpe_course.learning.exercises.lesson_05.split_on_special import split_on_special


def _pairs_of(text: Any, most: int) -> list[Any]:
    return [pair for pair, _ in collections.Counter(itertools.pairwise(text)).most_common(most)]


class _AllAtTheEnd:
    def __init__(self, names: list[str]) -> None:
        self.names, self.text = names, ""

    def feed(self, chunk: str) -> list[Any]:
        self.text += chunk
        return []

    def finish(self) -> list[Any]:
        return split_on_special(self.text, self.names)


class _DropsTheOldest:
    def __init__(self, size: int) -> None:
        self.size, self.words = size, list[str]()

    def ask(self, word: str) -> str | None:
        if word in self.words:
            return None
        self.words.append(word)
        return self.words.pop(0) if len(self.words) > self.size else None


class _WordsByHeart:
    def learn(self, text: str, size: int) -> list[bytes]:
        words = collections.Counter(word.encode() for word in re.findall(r" ?\w+", text) if len(word) > 1)
        self.tokens = [bytes([byte]) for byte in range(256)]
        self.tokens += [word for word, _ in words.most_common(size - 256)]
        return self.tokens

    def encode(self, text: str) -> list[int]:
        places = {token: at for at, token in enumerate(self.tokens)}
        words = [word.encode() for word in re.findall(r" ?\w+|\W", text)]
        return [at for word in words for at in ([places[word]] if word in places else word)]


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _as_scores(counts: dict[str, int]) -> dict[str, float]:
    return {piece: math.log(count / sum(counts.values())) for piece, count in counts.items()}


FIRST_IDEAS: dict[str, Callable[..., Any]] = {
    # UTF-8
    "01.encode_pages": lambda text: text.encode("utf-8", "replace"),
    # the commonest pairs of all
    "02.fair_merges": lambda texts, number: dict(
        zip(_pairs_of(b"".join(texts.values()), number), itertools.count(256))
    ),
    # letters and single characters
    "03.code_words": lambda text: re.findall(r"\w+|\W", text),
    # twice as often each
    "04.training_text": lambda tokens: [t for at, t in enumerate(tokens[::-1]) for _ in range(2**at)][::-1],
    # all at the end
    "05.special_stream": _AllAtTheEnd,
    # whole words
    "06.choose_pieces": lambda text, budget: [
        word for word, _ in collections.Counter(re.findall("▁[^▁]+", text)).most_common(budget)
    ],
    # at the last space
    "08.safe_cuts": lambda windows: [window.rfind(b" ") if b" " in window[1:] else None for window in windows],
    # drops the oldest
    "09.word_cache": _DropsTheOldest,
    # Chinese
    "12.choose_alphabet": lambda tokens: [
        chr(at if at < 128 and chr(at).isalpha() else 0x4E00 + at) for at in range(256)
    ],
    # letters
    "14.train_unigram": lambda sentences, size: _as_scores(collections.Counter("".join([LETTERS, *sentences]))),
    # as they come
    "16.rank_untrained": lambda rows, unused: [at for at in range(len(rows)) if at not in unused],
    # pairs of bytes
    "17.choose_merges": lambda words, merges, budget: [
        256 + place for place, pair in enumerate(merges) if max(pair) < 256
    ][:budget],
    # the commonest words
    "18.choose_tokens": lambda words, budget: sorted(words, key=lambda word: -words[word])[:budget],
    # the commonest
    "15.cheat": lambda counts, halves, most: sorted(halves, key=lambda t: -counts.get(t, 0))[:most],
    # the commonest words
    "19.own_change": _WordsByHeart,
}
