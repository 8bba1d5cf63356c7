"""Find special tokens in a text: strings that are cut out before the text is split into words.

    "a<|pad|>b"     ["<|end|>", "<|pad|>"]     (1, 8)

The leftmost comes first; of several that begin at one place, the longest. The search continues after its end.

``Finder`` takes time in proportion to the text, however many names there are and however they overlap:

    text     ...  x = 1 <|user|>  ...    a regular expression finds where a name may begin
    region              <|user|>         ends before the next character that no name contains
    names               <|user|>         most regions are a name; any other is read from right to left, by an
                                         Aho-Corasick automaton of the reversed names: the longest name that begins
                                         at each place
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache


class Finder:
    """Finds the names of a set in texts.

    longest : how many characters the longest name has.

    >>> list(Finder(["<|a|>", "<|a|><|b|>"]).places("<|a|>hi<|a|><|b|>"))
    [(0, 5), (7, 17)]
    """

    def __init__(self, names: Iterable[str]) -> None:
        # An empty name would match everywhere, and the search would never advance.
        self._names = frozenset(names) - {""}
        self.longest = max(map(len, self._names), default=0)
        self._shortest = min(map(len, self._names), default=0)
        self._prefix = common_prefix(self._names)
        characters = set().union(*self._names)
        beginning = [{name[at] for name in self._names} for at in range(min(self._shortest, 3))]
        self._beginning = re.compile("".join(map(_any_of, beginning))) if beginning else None
        self._reach = max(2 * self.longest, 256)
        self._run = re.compile(f"{_any_of(characters)}{{0,{self._reach}}}") if characters else None
        self._never_last = "".join(characters - {name[-1] for name in self._names})

    def may_find(self, text: str) -> bool:
        """Return False if no name is in the text. This is fast, and may be wrong for True."""
        return self._candidate(text, 0) >= 0

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where each name begins and ends, from left to right, the longest at each place, without overlaps."""
        names, prefix, run, never_last = self._names, self._prefix, self._run, self._never_last
        reach, shortest = self._reach, self._shortest
        done = 0
        while (begin := find_mark(text, prefix, done) if prefix else self._candidate(text, done)) >= 0:
            # This is ``_region``, without the call.
            end = run.match(text, begin).end()  # type: ignore[union-attr]
            region = text[begin:end].rstrip(never_last)
            if region in names:
                done = begin + len(region)
                yield begin, done
                continue
            following = end if end - begin < reach else end - self.longest
            for start, stop in self._within(region, begin) if len(region) > shortest else ():
                if done <= start < following:
                    done = stop
                    yield start, stop
            done = max(done, following)

    def between(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where each part of a text between the names begins and ends, if it is not empty.

        >>> list(Finder(["<|", "<|end|>"]).between("low<|end|>er"))
        [(0, 3), (10, 12)]
        """
        done = 0
        for start, end in self.places(text):
            if done < start:
                yield done, start
            done = end
        if done < len(text):
            yield done, len(text)

    def occurrences(self, text: str, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield every place from ``start`` to before ``stop`` where a name begins, with the end of the longest there.

        >>> list(Finder(["XYX"]).occurrences("aXYXYX"))
        [(1, 4), (3, 6)]
        """
        stop = len(text) if stop is None else stop
        around = text[start : stop + max(self.longest - 1, 0)]
        following = 0
        while (begin := self._candidate(around, following)) >= 0:
            region, following = self._region(around, begin)
            for first, last in self._within(region, begin):
                if first < min(following, stop - start):
                    yield start + first, start + last

    def overlaps(self, text: str) -> bool:
        """Return whether a name is in ``text``, or ends with what ``text`` begins with."""
        if self._beginning is None:
            return False
        steps, back, longest = self._automaton
        node = 0
        for code in reversed(_codes(text)):
            node = _following(steps, back, node, code)
            if longest[node]:
                return True
        return node > 0

    def _candidate(self, text: str, at: int) -> int:
        """Return the first place from ``at`` on where a name may begin, or -1."""
        if self._prefix:
            return find_mark(text, self._prefix, at)
        match = self._beginning.search(text, at) if self._beginning is not None else None
        return match.start() if match is not None else -1

    def _region(self, text: str, begin: int) -> tuple[str, int]:
        """Return a part of ``text`` from ``begin`` on, and a place.

        The part contains every name that begins between the two places.
        """
        end = self._run.match(text, begin).end()  # type: ignore[union-attr]
        region = text[begin:end].rstrip(self._never_last)
        # A region of full length is cut, perhaps in the middle of a name.
        return region, end if end - begin < self._reach else end - self.longest

    def _within(self, region: str, begin: int) -> list[tuple[int, int]]:
        """Return each place of a region where a name begins, with the end of the longest there."""
        if len(region) < self._shortest:
            return []
        steps, back, longest = self._automaton
        found = []
        node, place = 0, begin + len(region)
        for code in reversed(_codes(region)):
            node = _following(steps, back, node, code)
            place -= 1
            if longest[node]:
                found.append((place, place + longest[node]))
        return found[::-1]

    @cached_property
    def _automaton(self) -> tuple[dict[int, int], list[int], list[int]]:
        """The Aho-Corasick automaton of the reversed names.

        Its nodes are numbers from 0 on, the root. Node and character -> next node; the node of the longest shorter
        ending that is a node, too; the length of the longest name that ends at a node.
        """
        steps: dict[int, int] = {}
        longest = [0]
        # All names grow by one character at a time, so that the nodes are numbered by their depth.
        growing = [(0, _codes(name)) for name in self._names]
        for depth in range(1, self.longest + 1):
            grown = []
            for node, codes in growing:
                node = steps.setdefault(node << 21 | codes[-depth], len(longest))
                if node == len(longest):
                    longest.append(0)
                if depth == len(codes):
                    longest[node] = depth
                else:
                    grown.append((node, codes))
            growing = grown
        back = [0] * len(longest)
        for step, node in steps.items():
            before, code = step >> 21, step & (1 << 21) - 1
            if before:
                back[node] = _following(steps, back, back[before], code)
                longest[node] = longest[node] or longest[back[node]]
        return steps, back, longest


def _following(steps: dict[int, int], back: list[int], node: int, code: int) -> int:
    while (following := steps.get(node << 21 | code)) is None and node:
        node = back[node]
    return following or 0


def _codes(text: str) -> memoryview:
    return memoryview(text.encode("utf-32-le", "surrogatepass")).cast("I")


def _any_of(characters: Iterable[str]) -> str:
    return f"[{''.join(map(re.escape, sorted(characters)))}]"


def special_token_places(text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield where each special token begins and ends, from left to right, the longest at each place.

    >>> list(special_token_places("<|a|>hi<|a|><|b|>", ["<|a|>", "<|a|><|b|>"]))
    [(0, 5), (7, 17)]
    """
    return finder_of(frozenset(names)).places(text)


def find_special_token(text: str, names: Iterable[str]) -> tuple[int, str] | None:
    """Return the position of the leftmost of ``names`` in ``text`` and its name (the longest there), or None."""
    return next(((start, text[start:end]) for start, end in special_token_places(text, names)), None)


def find_mark(text: str, mark: str, start: int = 0) -> int:
    """Do as ``text.find(mark, start)``, ten times faster where the last character of ``mark`` is rare, as in "<|".

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


def common_prefix(names: Collection[str]) -> str:
    """Return the longest common prefix of ``names``."""
    # A prefix of the smallest and the greatest name is a prefix of all names between them.
    first, last = min(names, default=""), max(names, default="")
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[:same]


@lru_cache(maxsize=64)
def finder_of(names: frozenset[str]) -> Finder:
    """Return the finder of these names, the same one for the names of an earlier call."""
    return Finder(names)


def crossed_from(text: str, place: int, names: Iterable[str]) -> int | None:
    """Return where the first special token begins that reaches over ``place``, or None.

    Every occurrence counts, including those that a search from the left skips because they overlap an earlier one.

    >>> crossed_from("aXYXYXb", 4, ["XYX"]), crossed_from("aXYXYXb", 6, ["XYX"])
    (3, None)
    """
    finder = finder_of(frozenset(names))
    around = finder.occurrences(text, max(place - finder.longest + 1, 0), place)
    return next((start for start, end in around if end > place), None)
