"""Find special tokens in a text: strings that are cut out before the text is split into words.

    "a<|pad|>b"     ["<|end|>", "<|pad|>"]     (1, 8)

The leftmost comes first; of several that begin at one place, the longest. The search continues after its end.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache


def special_token_places(text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield where each special token begins and ends, from left to right, the longest at each place.

    >>> list(special_token_places("<|a|>hi<|a|><|b|>", ["<|a|>", "<|a|><|b|>"]))
    [(0, 5), (7, 17)]
    """
    finder = _finder(frozenset(names))
    done = 0
    while (found := finder.first(text, done)) is not None:
        start, name = found
        done = start + len(name)
        yield start, done


def find_special_token(text: str, names: Iterable[str]) -> tuple[int, str] | None:
    """Return the position of the leftmost of ``names`` in ``text`` and its name (the longest there), or None."""
    return _finder(frozenset(names)).first(text, 0)


def find_mark(text: str, mark: str, start: int = 0) -> int:
    """As ``text.find(mark, start)``, ten times faster where the last character of ``mark`` is rare, as in "<|".

    Python finds one character with memchr and needs a third of a nanosecond or more for every character otherwise,
    which is as long as it takes to encode the text.

    >>> find_mark("a|b <| c <|", "<|"), find_mark("a|b", "<|")
    (4, -1)
    """
    last, before = mark[-1], len(mark) - 1
    at = text.find(last, start + before)
    tries = 0
    while at >= 0 and not text.startswith(mark, at - before):
        tries += 1
        if tries > 8 + (at - start) // 256:
            return text.find(mark, at - before)
        at = text.find(last, at + 1)
    return at - before if at >= 0 else -1


class _Finder:
    """Finds the leftmost-longest of many strings.

    The standard library's ``re`` tries alternatives one after the other: with a thousand special tokens, every "<|" of
    a text would cost a thousand attempts. Here it costs one look-up for each different length.
    """

    def __init__(self, names: frozenset[str]) -> None:
        # An empty name would match everywhere, and the search would never advance.
        self._names = names - {""}
        self._prefix = common_prefix(self._names)
        firsts = "".join(sorted({name[0] for name in self._names}))
        self._start = re.compile(f"[{re.escape(firsts)}]") if firsts else None
        lengths: dict[str, set[int]] = {}
        for name in self._names:
            lengths.setdefault(name[0], set()).add(len(name))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        self.longest = max(map(len, self._names), default=0)

    def first(self, text: str, start: int) -> tuple[int, str] | None:
        """Return (position, name) of the first special token at or after ``start``, or None."""
        while (start := self._candidate(text, start)) >= 0:
            for length in self._lengths[text[start]]:
                name = text[start : start + length]
                if name in self._names:
                    return start, name
            start += 1
        return None

    def crossing(self, text: str, place: int) -> int | None:
        """Return where the first special token begins that starts before ``place`` and ends after it, or None."""
        begin = max(place - self.longest + 1, 0)
        around = text[begin : place + self.longest - 1]
        start, place = 0, place - begin
        # ``first`` gives the longest at each position; if that one ends before ``place``, all do.
        while (found := self.first(around, start)) is not None and found[0] < place:
            if found[0] + len(found[1]) > place:
                return begin + found[0]
            start = found[0] + 1
        return None

    def _candidate(self, text: str, start: int) -> int:
        if self._prefix:
            return find_mark(text, self._prefix, start)
        match = self._start.search(text, start) if self._start is not None else None
        return match.start() if match is not None else -1


def common_prefix(names: Collection[str]) -> str:
    """Return the longest common prefix of ``names``."""
    # A prefix of the smallest and the greatest name is a prefix of all names between them.
    first, last = min(names, default=""), max(names, default="")
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[:same]


@lru_cache(maxsize=64)
def _finder(names: frozenset[str]) -> _Finder:
    return _Finder(names)


def special_token_starts(text: str, names: Iterable[str], start: int, stop: int) -> Iterator[int]:
    """Yield every place from ``start`` to before ``stop`` where a special token begins, those inside others too.

    >>> list(special_token_starts("aXYXYX", ["XYX"], 0, 6))
    [1, 3]
    """
    finder = _finder(frozenset(names))
    around = text[start : stop + finder.longest - 1]
    at = 0
    while (found := finder.first(around, at)) is not None and start + found[0] < stop:
        yield start + found[0]
        at = found[0] + 1


def crossed_from(text: str, place: int, names: Iterable[str]) -> int | None:
    """Return where the first special token begins that reaches over ``place``, or None.

    Every occurrence counts, including those that a search from the left skips because they overlap an earlier one.

    >>> crossed_from("aXYXYXb", 4, ["XYX"]), crossed_from("aXYXYXb", 6, ["XYX"])
    (3, None)
    """
    return _finder(frozenset(names)).crossing(text, place)
