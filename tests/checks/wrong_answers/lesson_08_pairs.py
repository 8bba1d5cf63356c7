"""Wrong answers to the exercises of lesson 08 about two tokens side by side, and about the test of an encoder."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_LOOP = """
        def stays_apart(left, right, ranks):
            halves = {{token: pair for pair, token in ranks.items()}}
            before = float("inf")
            while True:
                due = ranks.get((left, right))
                if {refused}:
                    return False
                if {undo_left}:
                    before, left = left, halves[left][1]
                elif right in halves:
                    before, right = right{more}, halves[right][0]
                else:
                    return True
"""
_LATER = "left in halves and (right not in halves or left > right)"


def _loop(*, refused: str = "due is not None and due < before", undo_left: str = _LATER, more: str = " + 1") -> str:
    return _LOOP.format(refused=refused, undo_left=undo_left, more=more)


PAIRS = [
    Wrong(
        "08.stays_apart",
        "only the two themselves",
        """
        def stays_apart(left, right, ranks):
            return (left, right) not in ranks
        """,
        hint="only-the-two",
    ),
    Wrong("08.stays_apart", "any merge across the border", _loop(refused="due is not None"), hint="no-time"),
    Wrong("08.stays_apart", "equal merges from the right", _loop(more=""), hint="equal-merges"),
    Wrong("08.stays_apart", "all of the left first", _loop(undo_left="left in halves"), hint="left-first"),
    Wrong(
        "08.stays_apart",
        "the wrong halves",
        """
        def stays_apart(left, right, ranks):
            halves = {token: pair for pair, token in ranks.items()}
            before = float("inf")
            while ranks.get((left, right), before) >= before:
                if left in halves and left > right:
                    before, left = left, halves[left][0]
                elif right in halves:
                    before, right = right + 1, halves[right][1]
                else:
                    return True
            return False
        """,
        hint="",
    ),
    Wrong(
        "08.stays_apart",
        "no token has these letters",
        """
        def stays_apart(left, right, ranks):
            spelled = {byte: bytes([byte]) for byte in range(256)}
            for (a, b), token in ranks.items():
                spelled[token] = spelled[a] + spelled[b]
            return spelled[left] + spelled[right] not in spelled.values()
        """,
        hint="only-the-two",
    ),
    Wrong(
        "08.test_encode",
        "three words",
        """
        def test_encode(encode):
            ranks = VOCABULARIES[0]
            assert encode(b"aab", ranks) == [257]
            assert encode(b"abab", ranks) == [259]
            assert encode(b"bbb", ranks) == [98, 98, 98]
        """,
        hint="misses:longest-token",
    ),
    Wrong(
        "08.test_encode",
        "the text comes back",
        """
        def test_encode(encode):
            for ranks in VOCABULARIES:
                spelled = {byte: bytes([byte]) for byte in range(256)}
                for (left, right), new_id in ranks.items():
                    spelled[new_id] = spelled[left] + spelled[right]
                for word in (b"", b"a", b"abba" * 20, b"aaab", b"babaab" * 9):
                    assert b"".join(spelled[i] for i in encode(word, ranks)) == word
        """,
        hint="misses:longest-token",
    ),
    Wrong(
        "08.test_encode",
        "short words only",
        """
        import itertools

        def test_encode(encode):
            def slow(word, ranks):
                ids = list(word)
                while found := [(ranks[p], at) for at, p in enumerate(zip(ids, ids[1:])) if p in ranks]:
                    new_id, at = min(found)
                    ids[at : at + 2] = [new_id]
                return ids

            for ranks in VOCABULARIES:
                for size in range(7):
                    for word in map(bytes, itertools.product(b"ab", repeat=size)):
                        assert encode(word, ranks) == slow(word, ranks)
        """,
        hint="misses:order-of-the-dict",
        points=1,
    ),
    Wrong(
        "08.test_encode",
        "the longest token is taken for right",
        """
        def test_encode(encode):
            assert encode(b"babb", VOCABULARIES[1]) == [98, 257]
            assert encode(b"aabab", VOCABULARIES[0]) == [257, 97, 98]
        """,
        hint="rejects-right",
    ),
]
