r"""Places where a text may be cut between words, for any text before and after: two neighbouring characters decide.

    read last     letter      digit       space  end of text       \d+|\s+(?!\S)|[\s\S]
    ------------  ----------  ----------  -----  -----------
    a digit       HERE        -           HERE   HERE              a cut between a digit and a letter or a space
    a letter      HERE        HERE        HERE   HERE              a cut after a letter
    a space       HERE        HERE        -      HERE
    two spaces    BACK, HERE  BACK, HERE  -      HERE              no cut after a space: at the end, two are one word

The scanner of a pattern (``pattern_table``) only knows its state before a character. So *ab* is a pair that
may be cut if every state that a character of a's kind leads to has one of these in the columns of b and of the end:

* the same word end before b, HERE or BACK with HERE, after which b begins a word as at the beginning of a text;
* RARE in both: the scanner reads the word again, and continues at the same place before b.

Proof. Let U end with a, and V begin with b. In UV and in U the scanner does the same until it would read b, or the end
of U. If the entries are RARE, it ends the same word before a's end and continues there, again the same in both. It does
so finitely often, since the place moves on. Then it ends the last word of U in both. In UV it is now in the state in
which it would be in V after b, and the word begins where V does. So the words of UV are those of U and those of V.

Published patterns run without a table. ``OF_FAMILIES`` has pairs that are right for all of them; a test derives them
from their tables.

Among steps that cut the parts of the step before (``step_splitter``), *ab* may be cut if one step always ends a part
there, and each step before it does so, too, or is within text between words, which continues. Cutting there adds one
end to the parts of these earlier steps and changes no other. The later steps work on parts that end there anyway.

Limits: a pattern that looks behind has no places, nor one that leaves text between words, except among steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from minbpe_course.splitting.pattern_table import BETWEEN, FLAG_BITS, HERE, MARK, RARE, PatternTable
from minbpe_course.text.unicode_tables import EITHER, LOWER, NEWLINE, NUMBER, OTHER, SPACE, UPPER
from minbpe_course.text.unicode_tables import MARK as MARK_LETTER

# The search reads _FIRST characters, then each time _MORE times as many as before, up to _MOST.
_FIRST, _MORE, _MOST = 1 << 6, 4, 1 << 16

# How far ``apart`` searches, so that a text without any place takes no longer than a text with many.
_SEARCHED = 1 << 12

# The classes of ``unicode_tables``, and the apostrophe, with which contractions begin.
_APOSTROPHE = NEWLINE + 1
_LETTERS = (UPPER, LOWER, EITHER)
_AFTER_LETTERS = (OTHER, NUMBER, SPACE, NEWLINE)
OF_FAMILIES = {
    **dict.fromkeys(_LETTERS, _AFTER_LETTERS),
    NUMBER: (*_LETTERS, OTHER, MARK_LETTER, SPACE, NEWLINE, _APOSTROPHE),
    **dict.fromkeys((OTHER, MARK_LETTER, _APOSTROPHE), (NUMBER, SPACE)),
}

# Composition (NFC) leaves these characters as they are and joins none of them to a character before it.
_STABLE = (
    *((0, 0x7F), (0x430, 0x44F), (0x3001, 0x3002), (0x3041, 0x3096), (0x30A1, 0x30FA)),
    *((0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xFF0C, 0xFF0C)),
)


class CutPlaces:
    """Finds the places where texts may be cut.

    kinds : uint8[0x110000], the kind of each character, at most 255 · safe : bool[kinds, kinds], whether a text may be
    cut between two characters of these kinds · near : whether text that follows changes at most the white space at the
    end of a text and the few words before it.

    >>> places = CutPlaces.of_families(np.where(np.arange(0x110000) == 32, SPACE, LOWER).astype(np.uint8))
    >>> text = "the cat sat on the mat"
    >>> list(places.between(text, 5, 14)), list(places.apart(text, 0, 22, 4)), places.last(text, 12)
    ([7, 11], [7, 11, 18], 11)
    """

    def __init__(self, kinds: np.ndarray, safe: np.ndarray, *, near: bool) -> None:
        self.near = near
        # One more kind: lone surrogates, which stand for bytes that are not UTF-8.
        self._safe = np.pad(safe, (0, 1))
        self._kinds = kinds.copy()
        self._kinds[0xD800:0xE000] = len(safe)

    @classmethod
    def of_families(cls, classes: np.ndarray) -> CutPlaces:
        """Return the places of the published patterns; classes : uint8[0x110000], as in ``unicode_tables``."""
        safe = np.zeros((_APOSTROPHE + 1, _APOSTROPHE + 1), dtype=bool)
        for before, after in OF_FAMILIES.items():
            safe[before, after] = True
        kinds = classes.copy()
        kinds[ord("'")] = _APOSTROPHE
        return cls(kinds, safe, near=True)

    @classmethod
    def of_table(cls, table: PatternTable, *, near: bool = False) -> CutPlaces | None:
        """Return the places of a pattern with this table, or None if it looks behind or leaves text between words."""
        if table.gaps or table.starts.size:
            return None
        # Without RARE, every word but the last two ends before later text is read.
        return cls(table.kinds, _pairs(table)[0], near=near or not (table.rows & RARE).any())

    @classmethod
    def of_steps(cls, tables: list[PatternTable]) -> CutPlaces | None:
        """Return the places of steps with these tables, of which none looks behind; None for too many kinds."""
        kinds, number = np.zeros(len(tables[0].kinds), dtype=np.int64), 1
        for table in tables:
            kinds, number = kinds * table.rows.shape[1] + table.kinds, number * table.rows.shape[1]
        edges = np.flatnonzero(np.diff(kinds, prepend=-1))
        found, first, of_runs = np.unique(kinds[edges], return_index=True, return_inverse=True)
        if len(found) > 255 or number > 1 << 60:
            return None
        safe, within = np.zeros((len(found), len(found)), dtype=bool), True
        for table in tables:
            own = table.kinds[edges[first]]
            ends, stays = (pairs[np.ix_(own, own)] for pairs in _pairs(table))
            safe |= within & ends
            within &= stays
        return cls(np.repeat(of_runs.astype(np.uint8), np.diff(edges, append=len(kinds))), safe, near=False)

    @cached_property
    def stable(self) -> CutPlaces:
        """The places of text that is composed (NFC) before it is split: the same if it is composed in parts."""
        unknown = len(self._safe) - 1
        kinds = np.full_like(self._kinds, unknown)
        for first, last in _STABLE:
            kinds[first : last + 1] = self._kinds[first : last + 1]
        return CutPlaces(kinds, self._safe[:-1, :-1], near=self.near)

    def between(self, text: str, start: int, stop: int) -> Iterator[int]:
        """Yield every place from ``start`` to before ``stop`` where ``text`` may be cut, in order."""
        start, stop, size = max(start, 1), min(stop, len(text)), _FIRST
        while start < stop:
            yield from self._found(text, start, min(start + size, stop))
            start, size = start + size, min(_MORE * size, _MOST)

    def apart(self, text: str, start: int, stop: int, size: int) -> Iterator[int]:
        """Yield places between ``start`` and ``stop`` where ``text`` may be cut, about ``size`` characters apart."""
        at = start
        while stop - at > size:
            target = at + size
            found = next(self.between(text, target, min(target + _SEARCHED, stop)), None)
            at = found or target
            if found:
                yield at

    def last(self, text: str, stop: int, start: int = 0) -> int:
        """Return the last place after ``start`` and up to ``stop`` where ``text`` may be cut, or 0."""
        end, size = min(stop + 1, len(text)), _FIRST
        while end > start + 1:
            begin = max(end - size, start + 1)
            if places := self._found(text, begin, end):
                return places[-1]
            end, size = begin, min(_MORE * size, _MOST)
        return 0

    def _found(self, text: str, start: int, stop: int) -> list[int]:
        """Return the places from ``start``, at least 1, to before ``stop``, at most the length of the text."""
        codes = np.frombuffer(text[start - 1 : stop].encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        kinds = self._kinds[codes]
        found: list[int] = (np.flatnonzero(self._safe[kinds[:-1], kinds[1:]]) + start).tolist()
        return found


def _pairs(table: PatternTable) -> list[np.ndarray]:
    """Return two arrays bool[kinds, kinds]: whether a part ends between two characters of these kinds, and whether it
    does or text between words continues."""
    to, flags = np.divmod(table.rows.astype(np.int64), 1 << FLAG_BITS)
    to //= 4 * table.rows.shape[1]
    flags &= ~MARK
    begins_again = to == to[0]
    same = (flags == flags[:, -1:]) & ((flags & HERE > 0) & begins_again | (flags & RARE > 0))
    continues = begins_again & (flags == 0) & (flags[:, -1:] == HERE | BETWEEN)
    # After text between words, something may look like a word and turn out not to be one. Then that text has not ended.
    ends = same & (flags & (BETWEEN | RARE) == 0) if table.gaps else same
    after = [np.unique(found[said & RARE == 0]) for found, said in zip(to.T[:-1], flags.T[:-1])]
    return [np.array([allowed[states, :-1].all(axis=0) for states in after]) for allowed in (ends, same | continues)]
