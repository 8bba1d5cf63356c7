"""Tests of a tokenizer that are no good, for the exercise of lesson 14 in which the learner writes one."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

TESTS = [
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
        "hostile texts come back",
        """
        def test_tokenizer(tokenizer):
            texts = [" a ", "a\\r\\nb", "e\\u0301", "\\U0001f600", "", "ab" * 100, "a" * 7]
            for ids, text in zip(tokenizer(RANKS, [("encode", text) for text in texts]), texts):
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
]
