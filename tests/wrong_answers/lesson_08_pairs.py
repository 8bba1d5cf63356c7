"""Wrong answers to the exercise of lesson 08 about two tokens side by side."""

from __future__ import annotations

from wrong_answers import Wrong

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
]
