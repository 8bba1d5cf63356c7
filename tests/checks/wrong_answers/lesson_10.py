"""Wrong answers to the exercises of lesson 10, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from dataclasses import replace

from minbpe_course.checks.exercise import changed
from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit(
    "10.count_paths",
    "from right to left by mistake",
    "both-directions",
    ("ways[start + len(piece)] += ways[start]", "ways[start] += ways[start + len(piece)]"),
)
WRONG.edit(
    "10.to_tokens",
    "takes a piece away",
    "joins-over-pieces",
    ("tokens and tokens[-1][0] == unk_id", "unk_id in [token for token, _, _ in tokens]"),
)
WRONG.edit("10.longest_rule", "labels are not looked at", "unchecked", ("label(here) != text[position]", "False"))
WRONG.edit(
    "10.longest_rule", "runs over the end", "runs-over-the-end", ("range(at, len(text))", "range(at, len(text) + 1)")
)
WRONG.edit(
    "10.expected_counts",
    "only the pieces that were met",
    "pieces-left-out",
    ("dict.fromkeys(scores, 0.0)", "{}"),
    ("expected[word[begin:end]] += times", "expected[word[begin:end]] = expected.get(word[begin:end], 0) + times"),
)


@WRONG.add("10.count_paths", "lists every way", "too slow")
def count_paths(text, pieces):
    if not text:
        return 1
    return sum(count_paths(text[len(piece) :], pieces) for piece in pieces if text.startswith(piece))


@WRONG.add("10.expected_counts", "products instead of sums of logarithms", "underflow")
def expected_counts(words, scores):
    from math import exp

    counts = dict.fromkeys(scores, 0.0)
    for word, number in words.items():
        size = len(word)
        edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
        before, behind = [1.0] + [0.0] * size, [0.0] * size + [1.0]
        for b, e in edges:
            before[e] += before[b] * exp(scores[word[b:e]])
        for b, e in reversed(edges):
            behind[b] += behind[e] * exp(scores[word[b:e]])
        for b, e in edges:
            counts[word[b:e]] += number * before[b] * exp(scores[word[b:e]]) * behind[e] / before[-1]
    return counts


products = WRONG[-1]
WRONG.append(
    replace(
        products,
        name="products, and nothing where they vanish",
        source=changed(
            products.source,
            ("for b, e in edges:\n            counts", "for b, e in edges if before[-1] else ():\n            counts"),
        ),
    )
)


@WRONG.add("10.train_unigram", "counts for probabilities", "")
def train_unigram(sentences, size):
    from collections import Counter

    return dict(Counter("".join(sentences)).most_common(size))


@WRONG.add("10.train_unigram", "more pieces than allowed", "")
def train_unigram(sentences, size):
    from math import log

    pieces = {text[at : at + 3] for text in sentences for at in range(len(text))}
    return {piece: -log(len(pieces)) for piece in pieces}


@WRONG.add("10.train_unigram", "pairs as in lesson 02, counted where they are used", "below the level", points=2)
def train_unigram(sentences, size):
    from collections import Counter
    from itertools import pairwise
    from math import log

    rows, made = [list(text) for text in sentences], []
    while len(made) < size - 26:
        best = Counter(pair for row in rows for pair in pairwise(row)).most_common(1)[0][0]
        made.append("".join(best))
        for row in rows:
            at = 0
            while at < len(row) - 1:
                if (row[at], row[at + 1]) == best:
                    row[at : at + 2] = [made[-1]]
                at += 1
    counts = Counter(piece for row in rows for piece in row)
    counts.update(dict.fromkeys([*"abcdefghijklmnopqrstuvwxyz", *made], 0.5))
    return {piece: log(count / sum(counts.values())) for piece, count in counts.items()}


@WRONG.add("10.expected_counts", "the best cut, of equal ones the one with longer pieces", "best-cut-only")
def expected_counts(words, scores):
    found = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        best = [(0.0, 0)] + [(float("-inf"), 0)] * len(word)
        for end in range(1, len(word) + 1):
            for begin in range(end):
                piece = word[begin:end]
                if piece in scores and best[begin][0] + scores[piece] > best[end][0]:
                    best[end] = best[begin][0] + scores[piece], begin
        end = len(word)
        while end:
            begin = best[end][1]
            found[word[begin:end]] += count
            end = begin
    return found


@WRONG.add("10.longest_rule", "finds nothing, which is right for some texts", "")
def longest_rule(units, text, start):
    return None
