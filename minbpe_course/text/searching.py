r"""Searching as `tokenizers` does it: the spans that a pattern of a tokenizer.json has in a text.

    Searcher("Regex", r"\d+").spans("a12b3")     [(1, 3), (4, 5)]

The patterns are Oniguruma's. They are translated into tiktoken's dialect, which has the same tables, and run as that is
(``pattern_running``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from minbpe_course.text.nested_sets import flattened
from minbpe_course.text.oniguruma import from_oniguruma
from minbpe_course.text.pattern_running import runner_for


class Searcher:
    """Finds every match of one pattern.

    kind : "Regex" for a pattern of Oniguruma, "String" for a text that stands for itself · said : the pattern.

    Raises InvalidPattern and UnsupportedPattern, both when it is made and never later.

    >>> Searcher("String", "a.").spans("aba.")
    [(2, 4)]
    """

    def __init__(self, kind: str, said: str) -> None:
        self._said = said
        self._found: Callable[[str], Iterable[tuple[int, int]]] = self._places
        if kind == "Regex":
            self._found = runner_for(from_oniguruma(flattened(said))).spans

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where every match begins and ends, in the order of the text."""
        return list(self._found(text))

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        at = text.find(self._said)
        while at >= 0:
            yield at, at + len(self._said)
            at = text.find(self._said, at + len(self._said))


@lru_cache(maxsize=64)
def searcher(kind: str, said: str) -> Searcher:
    """Return the Searcher of a pattern, made once. Raises InvalidPattern, UnsupportedPattern.

    >>> searcher("Regex", "b+").spans("abb")
    [(1, 3)]
    """
    return Searcher(kind, said)
