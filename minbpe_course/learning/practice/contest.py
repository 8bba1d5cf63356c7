"""Measure a tokenizer on held-out text: bytes per token, what the dearest language costs, and speed.

Nothing that a tokenizer claims is trusted. The size of its vocabulary is the highest id that it used. A *second*
tokenizer, made the same way, which has not seen the text, has to decode it. No text is timed twice, since a tokenizer
may remember texts. Speed is a ratio of processor times: a plain tokenizer of the course encodes the same text right
before, so it does not depend on what else the machine does.

Limits: in one process a class can remember across tokenizers; where it matters, ``measured`` gets two sandboxes.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from minbpe_course.corpus.texts import course_text
from minbpe_course.learning.judge.callers import clock
from minbpe_course.learning.judge.conformance.candidate import Broken, Candidate, local
from minbpe_course.learning.judge.conformance.recipes import ITSELF, Ours, Recipe
from minbpe_course.learning.judge.conformance.rules import PUBLISHED
from minbpe_course.learning.practice.held_out import HeldOut, sources
from minbpe_course.learning.practice.leaderboard import MOST_IDS, Entry
from minbpe_course.reference.encoding import encode_word
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN, PATTERNS
from minbpe_course.tokenizers.encoding_names import get_encoding

WIDEST_ID = 32  # bits; longer numbers could hold the text itself, one id for a whole text
HEATS = 3  # parts of the texts that are timed
WARM_UP = "A sentence of twelve words and a full stop, which is not timed."


@dataclass(frozen=True)
class Refused:
    """A tokenizer that is not measured, and why."""

    name: str
    reason: str


def measure(name: str, entry: Any, held: HeldOut) -> Entry | Refused:
    """Measure a class, or a tokenizer object, of this process.

    >>> from minbpe_course.learning.practice.held_out import own_texts
    >>> held = own_texts({"mine": ["low lower"]}, {"en": ["hat"], "th": ["หมวก"]})
    >>> entry = measure("bytes", PlainBytes, held)
    >>> entry.tokens, entry.bytes_per_token, entry.dearest
    (24, 1.0, 4.0)
    >>> measure("nothing", object(), held).reason
    "raised AttributeError: 'object' object has no attribute 'encode'"
    """
    return measured(Candidate(local(entry), name), Candidate(local(entry), name), held)


def measured(encoder: Candidate, decoder: Candidate, held: HeldOut, recipe: Recipe = ITSELF) -> Entry | Refused:
    """Encode the texts with one tokenizer, decode them with another, made the same way; count and time."""

    def ids_of(text: str) -> list[int]:
        ids = encoder.encode(recipe, text)
        widest = max(ids, default=0).bit_length()
        if widest > WIDEST_ID:
            raise Broken(text, f"it uses an id of {widest:,} bits; no model has a table with that many tokens", "")
        seconds.append(encoder.seconds)
        try:
            back = decoder.decode(recipe, ids)
        except Broken as error:
            got = f"a second one, made the same way, could not decode its ids: {error.got}"
            raise Broken(text, got, "") from error
        if back != text:
            raise Broken(text, "a second one, made the same way, decoded its ids to another text", "")
        if text and not ids:
            raise Broken(text, "it has no ids for a text", "")
        return ids

    texts = [text for kind in held.texts.values() for text in kind]
    plain, seconds, rows = [], list[float](), []
    try:
        encoder.encode(recipe, WARM_UP)
        for text in texts:
            plain.append(_seconds_of_plain(text))
            rows.append(ids_of(text))
        heats = range(min(HEATS, len(rows)))
        speed = statistics.median(sum(plain[heat::HEATS]) / max(sum(seconds[heat::HEATS]), 1e-9) for heat in heats)
        parallel = [[ids_of(text) for text in sentences] for sentences in held.parallel.values()]
    except Broken as error:
        return Refused(encoder.name, error.got)
    costs = [sum(map(len, sentences)) for sentences in parallel]
    texts += [text for sentences in held.parallel.values() for text in sentences]
    highest = max(max(ids, default=0) for row in (rows, *parallel) for ids in row)
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    tokens = sum(map(len, rows)) + sum(costs)
    return Entry(encoder.name, held.name, highest + 1, tokens, size, max(costs) / min(costs), speed)


# ----------------------------------------------------------------------------------------------------
# The tokenizers to compare with


class PlainBytes:
    """A tokenizer whose tokens are the bytes: no compression."""

    def encode(self, text: str) -> list[int]:
        """Return the bytes."""
        return list(text.encode("utf-8"))

    def decode(self, ids: list[int]) -> str:
        """Return the text."""
        return bytes(ids).decode("utf-8", "replace")


def baselines() -> dict[str, Any]:
    """Return well-known tokenizers, and one that learned from all that a tokenizer may learn from.

    >>> list(baselines())
    ['plain bytes', 'all sources', 'gpt2', 'cl100k_base', 'o200k_base']
    """
    everything = "".join(text for texts in sources().values() for text in texts)
    ours = _ours(everything, MOST_IDS, PATTERNS["o200k_base"])
    return {"plain bytes": PlainBytes, "all sources": ours, **{name: get_encoding(name) for name in PUBLISHED}}


@cache
def _ours(text: str, size: int, pattern: str) -> Any:
    return Ours.train(text, size, pattern)


def _seconds_of_plain(text: str) -> float:
    """Return how long the plainest tokenizer of the course takes, which scans all pairs for each merge."""
    merges = _ours(course_text(), 256 + 1_000, GPT4_SPLIT_PATTERN).merges
    begun = clock()
    for word in regex.findall(GPT4_SPLIT_PATTERN, text):
        encode_word(word.encode("utf-8", "replace"), merges)
    return clock() - begun
