"""Wrong answers to the exercises of lesson 12, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
    Wrong(
        "12.hidden_letters",
        "characters",
        """
        def hidden_letters(tokens):
            return sum(len(token) for token in tokens if len(token) > 1)
        """,
        hint="",
    ),
    Wrong(
        "12.test_clean",
        "one example",
        """
        def test_clean(clean):
            assert clean("a<|end|>b", ["<|end|>"]) == "ab"
        """,
        hint="misses:each-replaced-once",
    ),
    Wrong(
        "12.test_clean",
        "one special token, nested",
        """
        def test_clean(clean):
            assert clean(" a ", ["<|end|>"]) == " a "
            assert clean("<|END|> | end <", ["<|end|>"]) == "<|END|> | end <"
            assert clean("<|e<|end|>nd|>", ["<|end|>"]) == ""
            assert clean("<|e<|e<|e<|e<|e<|end|>nd|>nd|>nd|>nd|>nd|>", ["<|end|>"]) == ""
            assert clean("<|start|>", ["<|end|>", "<|start|>"]) == ""
            assert clean("<|e<|start|>nd|>", ["<|end|>", "<|start|>"]) == ""
        """,
        hint="misses:the-shortest-first",
        points=1,
    ),
    Wrong(
        "12.test_clean",
        "takes one order for right",
        """
        def test_clean(clean):
            assert clean("abc", ["ab", "bc"]) == "a"
        """,
        hint="rejects-right",
    ),
    Wrong(
        "12.rank_untrained",
        "names all ids",
        """
        def rank_untrained(rows, unused):
            table = np.array(rows)
            return [int(one) for one in np.argsort(np.linalg.norm(table - table[unused].mean(axis=0), axis=1))]
        """,
        hint="names-the-unused",
    ),
    Wrong(
        "12.rank_untrained",
        "only the nearest",
        """
        def rank_untrained(rows, unused):
            table = np.array(rows)
            order = np.argsort(np.linalg.norm(table - table[unused].mean(axis=0), axis=1))
            return [int(one) for one in order if one not in unused][: 1 + len(rows) // 4]
        """,
        hint="leaves-some-out",
    ),
    Wrong(
        "12.rank_untrained",
        "the shortest rows first",
        """
        def rank_untrained(rows, unused):
            order = np.argsort(np.linalg.norm(np.array(rows), axis=1), kind="stable")
            return [int(one) for one in order if one not in unused]
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "12.rank_untrained",
        "the angle",
        """
        def rank_untrained(rows, unused):
            table = np.array(rows) + 1e-9
            typical = table[unused].mean(axis=0)
            angle = table @ typical / np.linalg.norm(table, axis=1) / np.linalg.norm(typical)
            return [int(one) for one in np.argsort(-angle, kind="stable") if one not in unused]
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "12.rank_untrained",
        "one id twice",
        """
        def rank_untrained(rows, unused):
            far = np.linalg.norm(np.array(rows) - np.array(rows)[unused].mean(axis=0), axis=1)
            order = [int(one) for one in np.argsort(far, kind="stable") if one not in unused]
            return order[:1] + order
        """,
        hint="",
    ),
]
