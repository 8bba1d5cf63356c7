"""Wrong answers to the exercises of lesson 10: train_unigram."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

VOCABULARIES = [
    Wrong(
        "10.train_unigram",
        "single letters",
        """
        from math import log

        def train_unigram(sentences, size):
            text = "".join(sentences) + "abcdefghijklmnopqrstuvwxyz"
            return {letter: log(text.count(letter) / len(text)) for letter in set(text)}
        """,
        hint="below the level",
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
        "a probability of one for each",
        """
        def train_unigram(sentences, size):
            return dict.fromkeys("abcdefghijklmnopqrstuvwxyz", 0.0)
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
        "the commonest stretches with their counts",
        """
        from collections import Counter
        from math import log

        def train_unigram(sentences, size):
            counts = Counter()
            for text in sentences:
                for begin in range(len(text)):
                    counts.update(text[begin:end] for end in range(begin + 2, min(len(text), begin + 8) + 1))
            chosen = {piece: counts[piece] for piece in sorted(counts, key=lambda one: -counts[one] * len(one))[:74]}
            for letter in "abcdefghijklmnopqrstuvwxyz":
                chosen[letter] = "".join(sentences).count(letter) + 1
            return {piece: log(count / sum(chosen.values())) for piece, count in chosen.items()}
        """,
        hint="below the level",
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
    Wrong(
        "10.train_unigram",
        "nothing for letters that did not come, and no pieces",
        """
        def train_unigram(sentences, size):
            return {}
        """,
        hint="below the level",
    ),
]
