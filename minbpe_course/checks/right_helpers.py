"""Judge an answer without the mistakes of the answers that it builds on.

``train_merges`` may call the learner's own ``count_pairs``. When that is wrong, it has cost its points already, so the
answer that calls it is judged a second time with a right one. If that changes the verdict, the learner's helper is the
cause: the second verdict counts, and names the helper in ``helpers`` and in its note.

Limits: only answers that later exercises build on have an entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise, Verdict

HELPERS: dict[str, str] = {
    "01.utf8_decode": """
def utf8_decode(data):
    return bytes(data).decode("utf-8", "replace")
""",
    "02.count_pairs": """
def count_pairs(words):
    counts = {}
    for ids, count in words:
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + count
    return counts
""",
    "02.merge": """
def merge(ids, pair, new_id):
    merged, waiting = [], False
    for token in ids:
        if waiting and token == pair[1]:
            merged[-1], waiting = new_id, False
        else:
            merged.append(token)
            waiting = token == pair[0]
    return merged
""",
    "02.train_merges": """
def train_merges(words, number):
    now, merges = [(list(word), count) for word, count in words.items()], []
    for new_id in range(256, 256 + number):
        counts = {}
        for ids, count in now:
            for pair in zip(ids, ids[1:]):
                counts[pair] = counts.get(pair, 0) + count
        if not counts:
            break
        best = max(counts, key=counts.get)
        merges.append(best)
        for at, (ids, count) in enumerate(now):
            joined, waiting = [], False
            for token in ids:
                if waiting and token == best[1]:
                    joined[-1], waiting = new_id, False
                else:
                    joined.append(token)
                    waiting = token == best[0]
            now[at] = (joined, count)
    return merges
""",
    "05.split_on_special": """
def split_on_special(text, special_tokens):
    parts, start, at = [], 0, 0
    longest_first = sorted(special_tokens, key=len, reverse=True)
    while at < len(text):
        found = next((token for token in longest_first if token and text.startswith(token, at)), None)
        if found is None:
            at += 1
            continue
        if start < at:
            parts.append((text[start:at], None))
        parts.append((found, special_tokens[found]))
        start = at = at + len(found)
    return parts + ([(text[start:], None)] if start < len(text) else [])
""",
    "06.write_varint": """
def write_varint(value):
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes(written) + bytes([value])
""",
    "13.best_path": """
import struct

def float32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]

def best_path(text, scores):
    widest, unknown = max(map(len, scores)), float32(min(scores.values()) - 10)
    best = [(0.0, 0)] + [None] * len(text)
    for at in range(len(text)):
        for end in range(at + 1, min(at + widest, len(text)) + 1):
            score = scores.get(text[at:end], unknown if end == at + 1 else None)
            if score is not None:
                total = float32(best[at][0] + score)
                if best[end] is None or total > best[end][0]:
                    best[end] = total, at
    pieces, end = [], len(text)
    while end > 0:
        pieces.append(text[best[end][1] : end])
        end = best[end][1]
    return pieces[::-1]
""",
    "14.expected_counts": """
def expected_counts(words, scores):
    from math import exp, inf, log

    def added(a, b):
        low, high = min(a, b), max(a, b)
        return high if low == -inf else high + log(1 + exp(low - high))

    widest, expected = max(map(len, scores)), dict.fromkeys(scores, 0.0)
    for word, times in words.items():
        size = len(word)
        spans = [(at, end) for at in range(size) for end in range(at + 1, min(at + widest, size) + 1)]
        spans = [(at, end, scores[word[at:end]]) for at, end in spans if word[at:end] in scores]
        to, on = [0.0] + [-inf] * size, [-inf] * size + [0.0]
        for at, end, score in spans:
            to[end] = added(to[end], to[at] + score)
        for at, end, score in reversed(spans):
            on[at] = added(on[at], score + on[end])
        for at, end, score in spans:
            expected[word[at:end]] += times * exp(to[at] + score + on[end] - to[size])
    return expected
""",
    "15.efficiency": """
def efficiency(counts, alpha):
    from math import inf, log2

    used = [count for count in counts if count]
    if len(used) < 2:
        raise ValueError("two tokens must be in use")
    top = max(used) / sum(used)
    shares = [count / sum(used) for count in used]
    if alpha == inf:
        entropy = -log2(top)
    elif alpha == 1:
        entropy = -sum(share * log2(share) for share in shares)
    else:
        powers = sum((share / top) ** alpha for share in shares)
        entropy = (alpha * log2(top) + log2(powers)) / (1 - alpha)
    return entropy / log2(len(used))
""",
}


def helpers_of(exercise: Exercise, names: Collection[str]) -> tuple[Exercise, ...]:
    """Return the earlier exercises of the lesson whose answers are among these names and have a right one here.

    >>> [one.key for one in helpers_of(catalogue.find("02.train_merges"), {"merge", "count_pairs", "fair_merges"})]
    ['02.count_pairs', '02.merge']
    """
    asked = catalogue.exercises(exercise.lesson) if exercise.lesson in catalogue.lessons() else ()
    keys = [one.key for one in asked]
    earlier = asked[: keys.index(exercise.key)] if exercise.key in keys else ()
    return tuple(one for one in earlier if one.entry in names and one.key in HELPERS)


def without_foreign_mistakes(
    exercise: Exercise, verdict: Verdict, names: Collection[str], judged_with: Callable[[tuple[Exercise, ...]], Verdict]
) -> Verdict:
    """Return the verdict that counts: the one with right helpers if the learner's own helpers spoil the answer.

    names : the names that the answer takes from other cells.
    judged_with : judges the answer again, with the sources of ``HELPERS`` in place of the learner's helpers.
    """
    helpers = helpers_of(exercise, names) if not verdict.done else ()
    if not helpers:
        return verdict
    better = judged_with(helpers)
    if _score(better) == _score(verdict) or better.points < verdict.points:
        return verdict
    if len(helpers) > 1:
        # Name the one helper that makes the difference, where there is one.
        for helper in helpers:
            if _score(judged_with((helper,))) == _score(better):
                helpers = (helper,)
                break
    keys = tuple(one.key for one in helpers)
    return replace(better, note=f"{better.note} {about_helpers(keys)}".strip(), helpers=keys)


def about_helpers(keys: Collection[str]) -> str:
    """Return the sentence of the note of a verdict about earlier answers that are wrong.

    >>> about_helpers(["02.merge"])
    "Your merge (exercise 02.merge) is not right yet: fix it first. Here the course's took the place of yours."
    """
    named = " and ".join(f"{key.partition('.')[2]} (exercise {key})" for key in keys)
    verb, them = ("is", "it") if len(keys) == 1 else ("are", "them")
    return f"Your {named} {verb} not right yet: fix {them} first. Here the course's took the place of yours."


def _score(verdict: Verdict) -> tuple[object, ...]:
    return verdict.state, verdict.points, verdict.failures
