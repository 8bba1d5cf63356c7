"""Wrong answers to the exercises of lesson 10, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "10.count_paths",
        "from right to left by mistake",
        """
        def count_paths(text, pieces):
            ways = [1] + [0] * len(text)
            for start in range(len(text)):
                for piece in pieces:
                    if text.startswith(piece, start):
                        ways[start] += ways[start + len(piece)]
            return ways[len(text)]
        """,
        hint="both-directions",
    ),
    Wrong(
        "10.count_paths",
        "lists every way",
        """
        def count_paths(text, pieces):
            if not text:
                return 1
            return sum(count_paths(text[len(piece):], pieces) for piece in pieces if text.startswith(piece))
        """,
        hint="too slow",
    ),
    Wrong(
        "10.to_tokens",
        "one unknown token for the whole text",
        """
        def to_tokens(path, piece_ids, unk_id):
            tokens, begin = [], 0
            for piece in path:
                data = piece.encode("utf-8")
                end = begin + len(data)
                if piece in piece_ids:
                    tokens.append((piece_ids[piece], begin, end))
                elif "<0x00>" in piece_ids:
                    for byte in data[:-1]:
                        tokens.append((piece_ids[f"<0x{byte:02X}>"], begin, begin))
                    tokens.append((piece_ids[f"<0x{data[-1]:02X}>"], begin, end))
                elif unk_id in [token for token, _, _ in tokens]:
                    at = [token for token, _, _ in tokens].index(unk_id)
                    tokens[at] = (unk_id, tokens[at][1], end)
                else:
                    tokens.append((unk_id, begin, end))
                begin = end
            return tokens
        """,
        hint="joins-over-pieces",
    ),
    Wrong(
        "10.longest_rule",
        "labels are not looked at",
        """
        def longest_rule(units, text, at):
            found, node = None, offset(units[0])
            for length, byte in enumerate(text[at:], start=1):
                node ^= byte
                unit = units[node]
                node ^= offset(unit)
                if ends_here(unit):
                    found = (length, value(units[node]))
            return found
        """,
        hint="unchecked",
    ),
    Wrong(
        "10.longest_rule",
        "runs over the end",
        """
        def longest_rule(units, text, at):
            found, node, place = None, offset(units[0]), at
            while True:
                node ^= text[place]
                if label(units[node]) != text[place]:
                    return found
                unit = units[node]
                node ^= offset(unit)
                place += 1
                if ends_here(unit):
                    found = (place - at, value(units[node]))
        """,
        hint="runs-over-the-end",
    ),
    Wrong(
        "10.expected_counts",
        "only the pieces that were met",
        """
        from math import exp, log

        def expected_counts(words, scores):
            def log_sum(logs):
                most = max(logs, default=-float("inf"))
                return most + log(sum(exp(one - most) for one in logs)) if logs and most > -1e300 else -float("inf")
            counts = {}
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [0.0] + [None] * size, [None] * size + [0.0]
                for place in range(1, size + 1):
                    before[place] = log_sum([before[b] + scores[word[b:e]] for b, e in edges if e == place])
                for place in range(size - 1, -1, -1):
                    behind[place] = log_sum([behind[e] + scores[word[b:e]] for b, e in edges if b == place])
                for b, e in edges:
                    counts.setdefault(word[b:e], 0.0)
                    counts[word[b:e]] += number * exp(before[b] + scores[word[b:e]] + behind[e] - before[-1])
            return counts
        """,
        hint="pieces-left-out",
    ),
    Wrong(
        "10.expected_counts",
        "products instead of sums of logarithms",
        """
        from math import exp

        def expected_counts(words, scores):
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
        """,
        hint="underflow",
    ),
    Wrong(
        "10.expected_counts",
        "products, and nothing where they vanish",
        """
        from math import exp

        def expected_counts(words, scores):
            counts = dict.fromkeys(scores, 0.0)
            for word, number in words.items():
                size = len(word)
                edges = [(b, e) for b in range(size) for e in range(b + 1, size + 1) if word[b:e] in scores]
                before, behind = [1.0] + [0.0] * size, [0.0] * size + [1.0]
                for b, e in edges:
                    before[e] += before[b] * exp(scores[word[b:e]])
                for b, e in reversed(edges):
                    behind[b] += behind[e] * exp(scores[word[b:e]])
                for b, e in edges if before[-1] else ():
                    counts[word[b:e]] += number * before[b] * exp(scores[word[b:e]]) * behind[e] / before[-1]
            return counts
        """,
        hint="underflow",
    ),
    Wrong(
        "10.train_unigram",
        "counts for probabilities",
        """
        from collections import Counter

        def train_unigram(sentences, size):
            return dict(Counter("".join(sentences)).most_common(size))
        """,
        hint="",
    ),
    Wrong(
        "10.train_unigram",
        "more pieces than allowed",
        """
        from math import log

        def train_unigram(sentences, size):
            pieces = {text[at : at + 3] for text in sentences for at in range(len(text))}
            return {piece: -log(len(pieces)) for piece in pieces}
        """,
        hint="",
    ),
    Wrong(
        "10.train_unigram",
        "pairs as in lesson 02, counted where they are used",
        """
        from collections import Counter
        from math import log

        def train_unigram(sentences, size):
            rows, made = [list(text) for text in sentences], []
            while len(made) < size - 26:
                best = Counter(pair for row in rows for pair in zip(row, row[1:])).most_common(1)[0][0]
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
        """,
        hint="below the level",
        points=2,
    ),
]
