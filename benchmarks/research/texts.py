"""Documents for experiments: help pages repeat each other's paragraphs, which would be learned and held out, too."""

from __future__ import annotations

from collections.abc import Iterable


def without_repetition(texts: Iterable[str]) -> list[str]:
    """Return the texts without paragraphs of earlier ones, and each paragraph once.

    >>> without_repetition(["one\\n\\ntwo", "two\\n\\nthree"])
    ['one\\n\\ntwo', 'three']
    """
    seen: set[str] = set()
    found = []
    for text in texts:
        paragraphs = dict.fromkeys(text.split("\n\n"))
        found.append("\n\n".join(one for one in paragraphs if one.strip() not in seen))
        seen |= {one.strip() for one in paragraphs}
    return found
