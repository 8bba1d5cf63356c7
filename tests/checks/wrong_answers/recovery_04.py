"""Wrong answers to the last three exercises of lesson 04: recovering merges, the test for it, and its inverse."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_RECOVER = """
        def recover_merges(ranks):
            def cuts(token):
                halves = [(token[:at], token[at:]) for at in range(1, len(token))]
                return [(a, b) for a, b in halves
                        if a in ranks and b in ranks and max(ranks[a], ranks[b]) < ranks[token]]

            def build(token, choose, limit):
                parts = [token[at:at + 1] for at in range(len(token))]
                while len(parts) > {stop}:
                    found = [(ranks[a + b], at) for at, (a, b) in enumerate(zip(parts, parts[1:]))
                             if a + b in ranks and ranks[a + b] < limit]
                    if not found:
                        break
                    rank, at = choose(found)
                    parts[at:at + 2] = [parts[at] + parts[at + 1]]
                return parts

            merges = []
            for token in {tokens}:
                left, right = {parts}
                merges.append({pair})
            return merges
"""
_BY_RANK = "sorted((token for token in ranks if len(token) > 1), key=ranks.get)"


def _recover(
    name: str,
    hint: str,
    *,
    parts: str = "build(token, min, ranks[token])",
    tokens: str = _BY_RANK,
    pair: str = "(ranks[left], ranks[right])",
    stop: int = 1,
) -> Wrong:
    source = _RECOVER.format(parts=parts, tokens=tokens, pair=pair, stop=stop)
    return Wrong("04.recover_merges", name, source, hint=hint)


RECOVER_MERGES = [
    _recover("the first cut", "first-cut", parts="cuts(token)[0]"),
    _recover("the longest token on the left", "last-cut", parts="cuts(token)[-1]"),
    _recover(
        "the cut with the oldest parts, the last of equals",
        "oldest-parts",
        parts="min(reversed(cuts(token)), key=lambda cut: max(ranks[part] for part in cut))",
    ),
    _recover(
        "the cut with the oldest parts",
        "oldest-parts",
        parts="min(cuts(token), key=lambda cut: max(ranks[part] for part in cut))",
    ),
    _recover(
        "the youngest pair first",
        "youngest-pair",
        parts="build(token, lambda found: max(found, key=lambda pair: pair[0]), ranks[token])",
        stop=2,
    ),
    _recover(
        "the last of equals first",
        "last-of-equals",
        parts="build(token, lambda found: min(found, key=lambda pair: (pair[0], -pair[1])), ranks[token])",
    ),
    _recover(
        "a byte is its own id",
        "bytes-are-ids",
        pair="tuple(part[0] if len(part) == 1 else ranks[part] for part in (left, right))",
    ),
    _recover("as the dictionary lists them", "dictionary-order", tokens="[token for token in ranks if len(token) > 1]"),
    _recover("parts, not ids", "bytes-for-ids", pair="(left, right)"),
    _recover("later merges as well", "not-two-parts", parts="build(token, min, float('inf'))"),
    _recover("single bytes have parts too", "not-two-parts", tokens="sorted(ranks, key=ranks.get)"),
]


TEST_RECOVER = [
    Wrong(
        "04.test_recover",
        "one merge",
        """
        def test_recover(recover_merges):
            assert recover_merges({b"b": 0, b"a": 1, b"ab": 2}) == [(1, 0)]
        """,
        hint="misses:first-cut",
    ),
    Wrong(
        "04.test_recover",
        "counts the merges only",
        """
        def test_recover(recover_merges):
            ranks = {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4, b"ab": 5}
            assert len(recover_merges(ranks)) == 3
        """,
        hint="misses:first-cut",
    ),
    Wrong(
        "04.test_recover",
        "text only, and in order",
        """
        def test_recover(recover_merges):
            merges = [(0, 0), (1, 1), (1, 0), (1, 2), (5, 0), (0, 3)]
            tokens = [b"b", b"a"]
            for left, right in merges:
                tokens.append(tokens[left] + tokens[right])
            assert recover_merges({token: n for n, token in enumerate(tokens)}) == merges
        """,
        hint="misses:dictionary-order",
        points=1,
    ),
    Wrong(
        "04.test_recover",
        "rejects everything",
        """
        def test_recover(recover_merges):
            assert recover_merges({b"a": 0, b"b": 1, b"ab": 2}) == [[0, 1]]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "04.test_recover",
        "wants what the first cut gives",
        """
        def test_recover(recover_merges):
            # "bbc" as b + bc; but the earliest pair is bb
            ranks = {b"b": 0, b"c": 1, b"bb": 2, b"bc": 3, b"bbc": 4}
            assert recover_merges(ranks)[-1] == (0, 3)
        """,
        hint="rejects-right",
    ),
    Wrong(
        "04.test_recover",
        "tests now and then",
        """
        import itertools

        turn = itertools.count()

        def test_recover(recover_merges):
            assert recover_merges({b"a": 0, b"b": 1, b"ab": 2}) or next(turn) % 2
        """,
        hint="inconsistent",
    ),
]


TRAINING_TEXT = [
    Wrong(
        "04.training_text",
        "each token once",
        """
        def training_text(tokens):
            return list(tokens)
        """,
        hint="each-token-once",
    ),
    Wrong(
        "04.training_text",
        "the youngest first",
        """
        def training_text(tokens):
            return sorted(tokens, key=tokens.index, reverse=True)
        """,
        hint="youngest-first",
    ),
    Wrong(
        "04.training_text",
        "words as strings",
        """
        def training_text(tokens):
            return [token.decode("latin-1") for token in tokens]
        """,
        hint="strings",
    ),
    Wrong(
        "04.training_text",
        "older ones more often",
        """
        def training_text(tokens):
            return [token for rank, token in enumerate(tokens) for _ in range(len(tokens) - rank)]
        """,
        hint="",
    ),
    Wrong(
        "04.training_text",
        "no words at all",
        """
        def training_text(tokens):
            return []
        """,
        hint="",
    ),
    Wrong(
        "04.training_text",
        "every token at least once",
        """
        def training_text(tokens):
            words = []
            for rank in reversed(range(len(tokens))):
                words.insert(0, tokens[rank])
                while next_merge(words, tokens[:rank]) != tokens[rank]:
                    words.insert(0, tokens[rank])
            return words
        """,
        hint="below the level",
        points=3,
    ),
    Wrong(
        "04.training_text",
        "everything three times",
        """
        def training_text(tokens):
            words = []
            for rank in reversed(range(len(tokens))):
                words.insert(0, tokens[rank])
                while next_merge(words, tokens[:rank]) != tokens[rank]:
                    words.insert(0, tokens[rank])
            return [word for word in words for _ in range(3)]
        """,
        hint="below the level",
        points=1,
    ),
]

WRONG = [*RECOVER_MERGES, *TEST_RECOVER, *TRAINING_TEXT]
