"""Wrong answers to the exercises of lesson 14, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "14.unbeaten",
        "sorted by name",
        """
        def unbeaten(rows):
            def beats(one, other):
                pairs = list(zip(one[1:], other[1:]))
                return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)
            return sorted(row[0] for row in rows if not any(beats(other, row) for other in rows))
        """,
        hint="",
    ),
    Wrong(
        "14.test_tokenizer",
        "one sentence comes back",
        """
        def test_tokenizer(tokenizer):
            text = "The cat sat on the mat."
            (ids,) = tokenizer(RANKS, [("encode", text)])
            assert tokenizer(RANKS, [("decode", ids)]) == [text]
        """,
        hint="misses:longest-token",
    ),
    Wrong(
        "14.test_tokenizer",
        "the longest token is taken for right",
        """
        def test_tokenizer(tokenizer):
            (ids,) = tokenizer(RANKS, [("encode", "abc")])
            assert ids == [RANKS[b"ab"], RANKS[b"c"]]
        """,
        hint="rejects-right",
    ),
    Wrong(
        "14.test_tokenizer",
        "ids of short texts only",
        """
        from itertools import product

        def test_tokenizer(tokenizer):
            def ids_of(text):
                parts = [bytes([byte]) for byte in text.encode()]
                pairs = lambda: enumerate(zip(parts, parts[1:]))
                while found := [(RANKS[a + b], at) for at, (a, b) in pairs() if a + b in RANKS]:
                    at = min(found)[1]
                    parts[at : at + 2] = [parts[at] + parts[at + 1]]
                return [RANKS[part] for part in parts]

            texts = ["".join(letters) for size in range(6) for letters in product("abc", repeat=size)]
            texts += [" a", "a ", "\\r\\n", "e\\u0301"]
            assert tokenizer(RANKS, [("encode", text) for text in texts]) == [ids_of(text) for text in texts]
        """,
        hint="misses:chunks",
        points=1,
    ),
    Wrong(
        "14.choose_tokens",
        "the commonest two letters",
        """
        from collections import Counter

        def choose_tokens(words, budget):
            counts = Counter()
            for word, count in words.items():
                for at in range(len(word) - 1):
                    counts[word[at : at + 2]] += count
            return [pair for pair, _ in counts.most_common(budget)]
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "14.choose_tokens",
        "all words",
        """
        def choose_tokens(words, budget):
            return list(words)
        """,
        hint="too-many",
    ),
    Wrong(
        "14.choose_tokens",
        "the commonest bytes",
        """
        from collections import Counter

        def choose_tokens(words, budget):
            counts = Counter(byte for word in words for byte in word)
            return [bytes([byte]) for byte, _ in counts.most_common(min(budget, 2))]
        """,
        hint="single-bytes",
    ),
    Wrong(
        "14.choose_tokens",
        "ends, as often as they come",
        """
        def choose_tokens(words, budget):
            return [word[-2:] for word in words][: min(2, budget)] * 1 if len(words) > 3 else [b"lo", b"lo"]
        """,
        hint="twice",
    ),
]
