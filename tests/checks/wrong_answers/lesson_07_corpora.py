"""Wrong answers to the exercises of lesson 07 about borders, runs, pruning and Heaps' law, and what each is told."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_BORDERS = """
def find_borders(data, number, token, size):
    borders = {{0, len(data)}}
    for share in range(1, number):
        at = len(data) * share // number
        while at < len(data):
            found = read(data, at, size).find(token)
            if found >= 0:
                borders.add({border})
                break
            {further}
    return sorted(borders)
"""


def _borders(border: str = "at + found", further: str = "at += size - len(token) + 1") -> str:
    return _BORDERS.format(border=border, further=further)


_RUNS = """
def merge_runs(runs):
    shift, words = 0, {{}}
    for length, entries in runs:
        for word, count, first in entries:
            if word in words:
                words[word] = words[word][0] + count, {place}
            else:
                words[word] = count, first + shift
        {further}
    return {total}, sorted({entries}{order})
"""


def _runs(place: str = "min(words[word][1], first + shift)", further: str = "shift += length", order: str = "",
          total: str = "sum(length for length, _ in runs)",
          entries: str = "(word, count, first) for word, (count, first) in words.items()") -> str:  # fmt: skip
    if order:
        entries = f"({entries})"
    return _RUNS.format(place=place, further=further, order=order, total=total, entries=entries)


_AN_ENTRY_EACH = """
import heapq

def merge_runs(runs):
    shift, shifted = 0, []
    for length, entries in runs:
        shifted.append([(word, count, first + shift) for word, count, first in entries])
        shift += length
    return shift, list(heapq.merge(*shifted))
"""

_PRUNED = """
def merge_pruned(parts, least):
    total, rare = {{}}, {{}}
    for part in parts:
        for word, count in part.items():
            total[word] = total.get(word, 0) + count
    for word in list(total):
        if {rare}:
            rare[word] = total.pop(word)
    return total, {said}
"""
_TRUE = "(len(rare), sum(rare.values()), sum(len(word) * rare[word] for word in rare))"

_TOO_EARLY = """
def merge_pruned(parts, least):
    kept, rare, size = {{}}, {{}}, 0
    for part in parts:
        for word, count in part.items():
            if count >= least:
                kept[word] = kept.get(word, 0) + count
            else:
                rare[word] = rare.get(word, 0) + count
                size += count * len(word)
    return kept, ({words}, sum(rare.values()), size)
"""

_LAW = """
import math

def distinct_at(seen, size):
    seen = {points}
    x, y = [{across} for read, words in seen], [{up} for read, words in seen]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
    return {answer}
"""


def _law(points: str = "sorted(seen)", across: str = "math.log(read)", up: str = "math.log(words)",
         answer: str = "math.exp(mean_y + slope * (math.log(size) - mean_x))") -> str:  # fmt: skip
    return _LAW.format(points=points, across=across, up=up, answer=answer)


CORPORA = [
    # Borders.
    Wrong("07.find_borders", "untouched", _borders(further="at += size"), hint="untouched", state="not started"),
    Wrong("07.find_borders", "one byte", _borders(further="at += size - len(token) + 2"), hint="one-byte-too-far"),
    Wrong("07.find_borders", "the first piece only", _borders(further="break"), hint="gives-up"),
    Wrong("07.find_borders", "behind", _borders(border="at + found + len(token)"), hint="behind-the-token"),
    Wrong(
        "07.find_borders",
        "no token",
        "def find_borders(data, number, token, size):\n"
        "    return sorted({len(data) * share // number for share in range(number)} | {0, len(data)})",
        hint="wherever-it-falls",
    ),
    Wrong("07.find_borders", "an overlap of one", _borders(further="at += size - 1"), hint=""),
    # Runs.
    Wrong("07.merge_runs", "joined, not added", _AN_ENTRY_EACH, hint="an-entry-from-each-run"),
    Wrong("07.merge_runs", "no shift", _runs(further="pass"), hint="places-within-the-run"),
    Wrong("07.merge_runs", "the last shift", _runs(further="shift = length"), hint="shifts-by-one-run"),
    Wrong("07.merge_runs", "the last place", _runs(place="max(words[word][1], first + shift)"), hint="the-last-place"),
    Wrong("07.merge_runs", "by place", _runs(order=", key=lambda entry: entry[2]"), hint="in-the-order-of-places"),
    Wrong("07.merge_runs", "places added", _runs(place="words[word][1] + first"), hint=""),
    Wrong("07.merge_runs", "length of the last", _runs(total="runs[-1][0] if runs else 0"), hint=""),
    # Pruned.
    Wrong(
        "07.merge_pruned", "each part", _TOO_EARLY.format(words="len(set(rare) - set(kept))"), hint="pruned-too-early"
    ),
    Wrong("07.merge_pruned", "each part, words too", _TOO_EARLY.format(words="len(rare)"), hint=""),
    Wrong(
        "07.merge_pruned",
        "just enough",
        _PRUNED.format(rare="total[word] <= least", said=_TRUE),
        hint="drops-what-is-just-enough",
    ),
    Wrong(
        "07.merge_pruned",
        "turned round",
        _PRUNED.format(
            rare="total[word] < least", said="(sum(rare.values()), len(rare), sum(len(w) * rare[w] for w in rare))"
        ),
        hint="words-for-occurrences",
    ),
    Wrong(
        "07.merge_pruned",
        "bytes of a list of words",
        _PRUNED.format(rare="total[word] < least", said='(len(rare), sum(rare.values()), len(b"".join(rare)))'),
        hint="each-word-once",
    ),
    # The law.
    Wrong(
        "07.distinct_at",
        "no logarithms",
        _law(across="read", up="words", answer="mean_y + slope * (size - mean_x)"),
        hint="straight-line",
    ),
    Wrong(
        "07.distinct_at",
        "one logarithm",
        _law(up="words", answer="mean_y + slope * (math.log(size) - mean_x)"),
        hint="one-axis-only",
    ),
    Wrong(
        "07.distinct_at",
        "not back",
        _law(answer="mean_y + slope * (math.log(size) - mean_x)"),
        hint="still-a-logarithm",
    ),
    Wrong("07.distinct_at", "ends", _law(points="[min(seen), max(seen)]"), hint="first-and-last"),
    Wrong("07.distinct_at", "the last two", _law(points="sorted(seen)[-2:]"), hint="last-two"),
    Wrong(
        "07.distinct_at",
        "in proportion",
        "def distinct_at(seen, size):\n    read, words = max(seen)\n    return size / read * words",
        hint="in-proportion",
    ),
    Wrong("07.distinct_at", "decimal back", _law(across="math.log10(read)", up="math.log10(words)"), hint=""),
]
