"""Measure a tokenizer on a corpus that it has not seen: how short, how fair, how fast.

Nothing that a tokenizer claims is trusted. The size of its vocabulary is the highest id that it used. A *second*
tokenizer, made the same way, which has not seen the text, has to decode it. No text is timed twice, since a tokenizer
may remember texts. Speed is a ratio of processor times: a plain tokenizer of the course encodes the same text right
before, so it does not depend on what else the machine does.

Limits: in one process a class can remember across tokenizers; where it matters, ``measured`` gets two sandboxes.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from minbpe_course.corpus.texts import course_sections, course_text
from minbpe_course.learning.judge.callers import clock
from minbpe_course.learning.judge.conformance.candidate import Broken, Candidate, local
from minbpe_course.learning.judge.conformance.recipes import ITSELF, Ours, trained
from minbpe_course.learning.judge.conformance.rules import PUBLISHED
from minbpe_course.learning.practice.hidden_corpus import HiddenCorpus
from minbpe_course.learning.practice.leaderboard import Entry
from minbpe_course.reference.encoding import encode_word
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
from minbpe_course.tokenizers.encoding_names import get_encoding

WIDEST_ID = 32  # bits; longer numbers could hold the text itself, one id for a whole text
HEATS = 3  # parts of the corpus that are timed
CHARACTERS_OF_A_SECTION = 120  # in the training text
VOCAB_SIZE = 400
WARM_UP = "Nobody is timed on this sentence, in which 12 words and a sign stand."


@dataclass(frozen=True)
class Refused:
    """A tokenizer that is not measured, and why."""

    name: str
    reason: str


def measure(name: str, entry: Any, corpus: HiddenCorpus) -> Entry | Refused:
    """Measure a class, or a tokenizer object, of this process.

    >>> from minbpe_course.learning.practice.hidden_corpus import own_corpus
    >>> corpus = own_corpus(["low lower"], {"en": "hat", "th": "หมวก"})
    >>> entry = measure("bytes", PlainBytes, corpus)
    >>> entry.tokens, round(entry.compression, 2), round(entry.fairness, 3)
    (9, 0.51, 0.625)
    >>> measure("nothing", object(), corpus).reason
    "raised AttributeError: 'object' object has no attribute 'encode'"
    """
    return measured(Candidate(local(entry), name), Candidate(local(entry), name), corpus)


def measured(
    encoder: Candidate, decoder: Candidate, corpus: HiddenCorpus, vocab_size: int = VOCAB_SIZE
) -> Entry | Refused:
    """Encode the corpus with one tokenizer, decode it with another, made the same way, count and time.

    A class that can be trained learns ``vocab_size`` tokens from the beginning of each section of the course's text.
    That is short, since the plain trainer of lesson 02 counts everything again for each merge.
    """
    recipe = ITSELF
    if "train" in encoder.abilities:
        bodies = (text.partition("\n\n")[2] for text in course_sections().values())
        text = "\n".join(body[:CHARACTERS_OF_A_SECTION] for body in bodies)
        recipe = trained(text, vocab_size)

    def ids_of(text: str) -> list[int]:
        ids = encoder.encode(recipe, text)
        widest = max(ids, default=0).bit_length()
        if widest > WIDEST_ID:
            raise Broken(text, f"it uses an id of {widest:,} bits; no model has a table with that many tokens", "")
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

    rows, plain, seconds = [], [], []
    try:
        encoder.encode(recipe, WARM_UP)
        for text in corpus.texts:
            plain.append(_seconds_of_plain(text))
            rows.append(ids_of(text))
            seconds.append(encoder.seconds)
        parallel = [ids_of(text) for text in corpus.parallel.values()]
    except Broken as error:
        return Refused(encoder.name, error.got)
    highest = max(max(ids, default=0) for ids in rows + parallel)
    size = sum(len(text.encode("utf-8", "replace")) for text in corpus.texts)
    counts = [len(ids) for ids in parallel]
    fairness = statistics.fmean(min(counts) / count for count in counts)
    heats = range(min(HEATS, len(rows)))
    speed = statistics.median(sum(plain[heat::HEATS]) / max(sum(seconds[heat::HEATS]), 1e-9) for heat in heats)
    bits = math.log2(max(2, highest + 1))
    return Entry(encoder.name, corpus.name, bits, sum(map(len, rows)), size, fairness, speed)


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
    """Return well-known tokenizers, and two of our own that know the words of the course, half of those in the corpus.

    >>> list(baselines())
    ['plain bytes', 'ours 4k, course text', 'ours 8k, course text', 'gpt2', 'cl100k_base', 'o200k_base']
    """
    ours = {f"ours {size // 1024}k, course text": _ours(size) for size in (4_096, 8_192)}
    published = {name: get_encoding(name) for name in PUBLISHED}
    return {"plain bytes": PlainBytes, **ours, **published}


@cache
def _ours(size: int) -> Any:
    return Ours.train(course_text(), size, GPT4_SPLIT_PATTERN)


def _seconds_of_plain(text: str) -> float:
    """Return how long the plainest tokenizer of the course takes, which scans all pairs for each merge."""
    merges = _ours(256 + 1_000).merges
    begun = clock()
    for word in regex.findall(GPT4_SPLIT_PATTERN, text):
        encode_word(word.encode("utf-8", "replace"), merges)
    return clock() - begun
