"""Wrong answers to the exercises of lesson 10: learn_pieces."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

TRAINING = [
    Wrong(
        "10.learn_pieces",
        "the first of equals",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) <= longest}
                if not counts:
                    break
                best = max(counts, key=counts.get)
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="first-of-equals",
    ),
    Wrong(
        "10.learn_pieces",
        "the text before the length",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) <= longest}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="ignores-length",
    ),
    Wrong(
        "10.learn_pieces",
        "the longer one",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) <= longest}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], -len("".join(pair)), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="longer-first",
    ),
    Wrong(
        "10.learn_pieces",
        "lengths in bytes",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair).encode()) <= longest}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair).encode()), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="length-in-bytes",
    ),
    Wrong(
        "10.learn_pieces",
        "the greater text",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) <= longest}
                if not counts:
                    break
                best = max(counts, key=lambda pair: (counts[pair], -len("".join(pair)), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="greater-first",
    ),
    Wrong(
        "10.learn_pieces",
        "below the longest",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) < longest}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="below-the-longest",
    ),
    Wrong(
        "10.learn_pieces",
        "pieces of any length",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) < 1000}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="ignores-the-longest",
    ),
    Wrong(
        "10.learn_pieces",
        "stops at a long one",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
                if len("".join(best)) > longest:
                    break
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="stops-at-a-long-one",
    ),
    Wrong(
        "10.learn_pieces",
        "each word once",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += 1
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) <= longest}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="without-counts",
    ),
    Wrong(
        "10.learn_pieces",
        "pairs that do not overlap",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    at = 0
                    while at < len(row) - 1:
                        counts[row[at], row[at + 1]] += words[word]
                        at += 2 if row[at : at + 1] * 2 == row[at + 1 : at + 3] else 1
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) <= longest}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    at = 0
                    while at < len(row) - 1:
                        if (row[at], row[at + 1]) == best:
                            row[at : at + 2] = [pieces[-1]]
                        at += 1
            return pieces
        """,
        hint="without-overlaps",
    ),
    Wrong(
        "10.learn_pieces",
        "from the right",
        """
        from collections import Counter

        def learn_pieces(words, number, longest):
            rows = {word: list(word) for word in words}
            pieces = []
            while len(pieces) < number:
                counts = Counter()
                for word, row in rows.items():
                    for pair in zip(row, row[1:]):
                        counts[pair] += words[word]
                counts = {pair: count for pair, count in counts.items() if len("".join(pair)) <= longest}
                if not counts:
                    break
                best = min(counts, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
                pieces.append("".join(best))
                for row in rows.values():
                    for at in range(len(row) - 2, -1, -1):
                        if tuple(row[at : at + 2]) == best:
                            row[at : at + 2] = [pieces[-1]]
            return pieces
        """,
        hint="from-the-right",
    ),
]
