"""Lesson 15: bits per byte by size of the vocabulary, with equal context, and two cheats; with paired intervals.

Texts: the help pages of this Python, without paragraphs of earlier ones (59 have more than 500 characters left; 29 are
held out, 203 kB), and modules of its standard library of 4 to 20 kB (every other one is held out, the first 40). A
vocabulary is trained on the other half; its first n tokens are the vocabulary of size n (the help pages have too few
pairs for 8,000). The language model counts (``reference.ngrams``): it is given the two tokens before, or the
last 0, 1, 2, 4 and 8 bytes, which is the same context for every vocabulary. Intervals: 95 %, bootstrap over held-out
documents, in pairs.
"""

from __future__ import annotations

import math
import sysconfig
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from pydoc_data.topics import topics
from random import Random
from typing import Any

from benchmarks.research.texts import without_repetition
from minbpe_course import Encoding, train
from minbpe_course.errors import TrainingStoppedEarly
from minbpe_course.reference.measures import paired_interval, renyi_efficiency
from minbpe_course.reference.ngrams import ByteContextModel, NGramModel

SIZES = (256, 500, 1_000, 2_000, 4_000, 8_000)
AMOUNTS = (25_000, 100_000, 400_000)  # bytes that vocabulary and model learn from
CHEATED = 2_000
LENGTHS = ((0, 1, 2, 4, 8), (0, 2, 6, 12), (0, 1, 2, 4, 8, 16))  # of contexts; the first are those of the lesson
LARGEST_MODULE = 20_000
SHORTEST_PAGE = 500  # characters, without paragraphs of earlier pages
Ids = list[int]
Documents = list[str]


def help_pages() -> tuple[Documents, Documents]:
    """Return pages to learn from, and pages that are held out: every other one by name, no paragraph twice."""
    pages = [page for page in without_repetition(topics[name] for name in sorted(topics)) if len(page) > SHORTEST_PAGE]
    return pages[::2], pages[1::2]


def modules() -> tuple[Documents, Documents]:
    """Return modules of the standard library to learn from, and 40 that are held out."""
    paths = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    skipped = {"site-packages", "test", "tests", "__pycache__", "idlelib", "lib2to3", "encodings"}
    wanted = [path for path in paths if not skipped & set(path.parts)]
    texts = [path.read_text("utf-8") for path in wanted if 4_000 < path.stat().st_size < LARGEST_MODULE]
    return texts[::2], texts[1::2][:40]


class Vocabularies:
    """One training run, and its first n tokens as an encoder."""

    def __init__(self, learned: Documents, size: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingStoppedEarly)  # little text has fewer tokens
            self.model = train("\n\n".join(learned), size, pattern="cl100k_base")
        self.token_bytes = self.model.token_bytes

    def encoder(self, size: int) -> Callable[[str], Ids]:
        kept = {token: rank for rank, token in self.token_bytes.items() if rank < size}
        assert self.model.pattern is not None
        return Encoding("x", pat_str=self.model.pattern, mergeable_ranks=kept, special_tokens={}).encode_ordinary


def bits_by_bytes(
    learned: Sequence[Ids],
    held: Sequence[Ids],
    token_bytes: dict[int, bytes],
    size: int,
    lengths: Sequence[int] = LENGTHS[0],
) -> list[float]:
    """Return the bits of each held-out document, if the model is given the bytes before a token."""
    model = ByteContextModel(learned, token_bytes, size, lengths)
    return [model.nats(ids) / math.log(2) for ids in held]


def bits_by_tokens(learned: Sequence[Ids], held: Sequence[Ids], size: int) -> list[float]:
    """Return the bits of each held-out document, if the model is given the two tokens before."""
    model = NGramModel([token for ids in learned for token in ids], size)
    return [model.nats(ids) / math.log(2) for ids in held]


def by_size(learned: Documents, held: Documents) -> dict[str, Any]:
    """Return bits per byte of each size with both contexts, and what it loses against single bytes."""
    vocabularies = Vocabularies(learned, SIZES[-1])
    weights = [len(text.encode("utf-8")) for text in held]
    tokens, same, rows = {}, {}, []
    for size in (size for size in SIZES if size <= len(vocabularies.token_bytes)):
        encode = vocabularies.encoder(size)
        seen, new = [encode(text) for text in learned], [encode(text) for text in held]
        tokens[size] = bits_by_tokens(seen, new, size)
        same[size] = bits_by_bytes(seen, new, dict(vocabularies.token_bytes), size)
        rows.append(
            {
                "size": size,
                "bytes per token": sum(weights) / sum(map(len, new)),
                "efficiency": renyi_efficiency(Counter(token for ids in seen for token in ids).values()),
                "two tokens": sum(tokens[size]) / sum(weights),
                "eight bytes": sum(same[size]) / sum(weights),
                "two tokens, minus bytes": paired_interval(tokens[256], tokens[size], weights),
                "eight bytes, minus bytes": paired_interval(same[256], same[size], weights),
            }
        )
    return {
        "documents": len(held),
        "learned": sum(len(t.encode()) for t in learned),
        "held": sum(weights),
        "rows": rows,
    }


def by_amount(learned: Documents, held: Documents) -> list[dict[str, Any]]:
    """Return what sizes lose against single bytes, with equal context, if all that is learned comes from less text."""
    weights = [len(text.encode("utf-8")) for text in held]
    rows = []
    for amount in AMOUNTS:
        some, room = [], amount
        for text in learned:
            some.append(text.encode("utf-8")[:room].decode("utf-8", "ignore"))
            room -= len(some[-1].encode("utf-8"))
        vocabularies = Vocabularies(some, SIZES[-1])
        bits = {}
        for size in (size for size in SIZES if size <= len(vocabularies.token_bytes)):
            encode = vocabularies.encoder(size)
            seen, new = [encode(text) for text in some], [encode(text) for text in held]
            bits[size] = bits_by_bytes(seen, new, dict(vocabularies.token_bytes), size)
        minus = {size: paired_interval(bits[256], bits[size], weights) for size in bits if size > 256}
        rows.append({"amount": amount, "bytes": sum(bits[256]) / sum(weights), "minus bytes": minus})
    return rows


def by_lengths(learned: Documents, held: Documents) -> list[dict[str, Any]]:
    """Return what sizes lose against single bytes with other lengths of contexts, the same for all sizes."""
    vocabularies = Vocabularies(learned, SIZES[-1])
    weights = [len(text.encode("utf-8")) for text in held]
    texts = {}
    for size in (256, 1_000, 2_000, 4_000):
        encode = vocabularies.encoder(size)
        texts[size] = [encode(text) for text in learned], [encode(text) for text in held]
    rows = []
    for lengths in LENGTHS:
        bits = {}
        for size, (seen, new) in texts.items():
            bits[size] = bits_by_bytes(seen, new, dict(vocabularies.token_bytes), size, lengths)
        minus = {size: paired_interval(bits[256], bits[size], weights) for size in bits if size > 256}
        rows.append({"lengths": lengths, "bytes": sum(bits[256]) / sum(weights), "minus bytes": minus})
    return rows


def dropped_tokens(ids: Ids, halves: dict[int, tuple[int, int]], most: int = 60) -> list[int]:
    """Return the common tokens whose removal raises the efficiency, one after the other."""
    dropped: list[int] = []
    best = renyi_efficiency(Counter(ids).values())
    for token, _ in Counter(ids).most_common(most):
        if token in halves:
            number = renyi_efficiency(Counter(drop(ids, {*dropped, token}, halves)).values())
            if number > best:
                dropped, best = [*dropped, token], number
    return dropped


def drop(ids: Ids, dropped: set[int], halves: dict[int, tuple[int, int]]) -> Ids:
    """Return the ids with the halves of each dropped token in its place."""
    whole = [part for token in ids for part in (halves[token] if token in dropped else (token,))]
    return whole if len(whole) == len(ids) else drop(whole, dropped, halves)


def cheats(learned: Documents, held: Documents) -> dict[str, Any]:
    """Return efficiency and bits per byte of two cheats, minus those of the honest vocabulary; copies with 3 seeds."""
    vocabularies = Vocabularies(learned, SIZES[-1])
    encode = vocabularies.encoder(CHEATED)
    seen, new = [encode(text) for text in learned], [encode(text) for text in held]
    weights = [len(text.encode("utf-8")) for text in held]
    token_bytes = {token: spelled for token, spelled in vocabularies.token_bytes.items() if token < CHEATED}
    halves = {256 + at: pair for at, pair in enumerate(vocabularies.model.merges)}
    whole = [token for ids in seen for token in ids]
    honest = bits_by_bytes(seen, new, token_bytes, CHEATED)
    found: dict[str, Any] = {
        "size": CHEATED,
        "honest": {"efficiency": renyi_efficiency(Counter(whole).values()), "bits": sum(honest) / sum(weights)},
        "drop": [],
        "copies": [],
    }
    order = dropped_tokens(whole, halves)
    found["dropped"] = [token_bytes[token].decode("utf-8", "replace") for token in order]
    for number in (5, 10, len(order)):
        gone = set(order[:number])
        some, rest = ([drop(ids, gone, halves) for ids in each] for each in (seen, new))
        bits = bits_by_bytes(some, rest, token_bytes, CHEATED)
        counts = Counter(token for ids in some for token in ids)
        row = {"number": number, "efficiency": renyi_efficiency(counts.values())}
        found["drop"].append(row | {"minus honest": paired_interval(honest, bits, weights)})
    for number in (2, 4, 8):
        spelled = {token + CHEATED * copy: each for token, each in token_bytes.items() for copy in range(number)}
        for seed in (1, 2, 3):
            random = Random(seed)
            some, rest = (
                [[t + CHEATED * random.randrange(number) for t in ids] for ids in each] for each in (seen, new)
            )
            bits = bits_by_bytes(some, rest, spelled, CHEATED * number)
            counts = Counter(token for ids in some for token in ids)
            row = {"number": number, "seed": seed, "efficiency": renyi_efficiency(counts.values())}
            found["copies"].append(row | {"minus honest": paired_interval(honest, bits, weights)})
    return found


def results() -> dict[str, Any]:
    """Return all measurements of the lesson that take longer than a cell may."""
    pages, programs = help_pages(), modules()
    return {
        "help pages": by_size(*pages),
        "programs": by_size(*programs),
        "more text": by_amount(*programs),
        "other lengths": by_lengths(*pages),
        "cheats": cheats(*pages),
    }
