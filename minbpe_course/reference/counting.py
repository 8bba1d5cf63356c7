"""How often each word occurs, in the order in which the words are first seen."""

from __future__ import annotations

from collections.abc import Iterable


def count_words(words: Iterable[bytes]) -> dict[bytes, int]:
    """Count the words.

    >>> count_words([b"a", b" b", b"a"])
    {b'a': 2, b' b': 1}
    """
    counts: dict[bytes, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts
