"""Cutting a long text into blocks that can be counted one by one, or side by side, with no word and no count changed.

A cut is allowed where every split pattern with a compiled scanner begins a word, whatever stands before and after. Of
these places the ones are used that need no table of characters:

* Between a letter and a character that is no letter, no mark and no apostrophe. Before it, a word of letters ends (all
  patterns take letters as long as they come; only an apostrophe can prolong such a word, and in o200k a mark). Behind
  it any word begins that could begin at the start of a text. Letters of some common scripts are looked for, followed by
  a blank, a line end, or common punctuation.
* Between anything but a blank and a space: of blanks, only line ends are ever taken into a word that began before them.
* Behind one line end that follows anything but a blank, and is not followed by a blank (GPT-2's pattern takes blanks
  together, but for the last) or by a slash (o200k takes it to the symbols before it).

    "... the cat sat on| the mat ..."        "... 名詞|。動詞 ..."        "... شمس\\n|قمر ..."

Special tokens are hard borders: the text between two of them is a stretch of its own, and is cut where it is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from minbpe_course.kernels.lazy import utf8

# Characters of a block: its UTF-8 and the table's busiest entries fit the cache, and a call costs nothing beside it.
BLOCK = 1 << 18

# A cut is looked for so far and no farther, so that a text without any takes no longer than one with many.
_SEARCHED = 1 << 12

_CUT = re.compile('[A-Za-zа-яぁ-ゖァ-ヺ一-龥가-힣](?=[\\s.,;:!?(){}\\[\\]"<>/=、。，])|\\S(?= )|\\S\n(?=[^\\s/])')

# One of these stands behind every place, or is the line end before it.
_BESIDE = re.compile('[\\s.,;:!?(){}\\[\\]"<>/=、。，]')


class TextBlock(NamedTuple):
    """Parts of a text that are split on their own: ``text[places[0]:places[1]]``, ``text[places[2]:places[3]]``, ...

    ``joined`` says that several texts were put together to this one.
    """

    text: str
    places: list[int]
    joined: bool = False

    def size(self) -> int:
        """How many bytes of UTF-8 this is.

        >>> TextBlock("naïve", [0, 2, 2, 5]).size()
        6
        """
        if self.text.isascii():
            return sum(self.places[1::2]) - sum(self.places[0::2])
        borders = np.array(self.places, dtype=np.int64)
        return int(utf8.size_of_utf8(self.text, borders.ctypes.data, len(self.places) // 2))


def cut_places(text: str, start: int, stop: int, size: int) -> Iterator[int]:
    """Yield places between ``start`` and ``stop`` where ``text`` may be cut, about ``size`` characters apart.

    >>> list(cut_places("the cat sat on the mat", 0, 22, 4))
    [7, 11, 18]
    """
    at = start
    while stop - at > size:
        target = at + size - 1
        # The character after a cut is read too, and it has to be a part of the same stretch.
        found = _CUT.search(text, target, min(target + _SEARCHED, stop - 1) + 1)
        at = found.end() if found else target + 1
        if found and at < stop:
            yield at


def last_cut(text: str, stop: int, start: int = 0) -> int:
    """Return the last place behind ``start`` and before ``stop`` where ``text`` may be cut, 0 if there is none.

    >>> last_cut("the cat sat on the mat", 12)
    11
    """
    # Most texts have one near by.
    begin, searched = stop, 1 << 7
    while begin > start:
        end, begin = begin, max(begin - searched, start)
        # What a match looks at behind its end has to be seen, too.
        places = [found.end() for found in _CUT.finditer(text, begin, min(end + 2, len(text))) if found.end() <= end]
        if places:
            return places[-1]
        searched *= 2
    return 0


def places_behind(text: str, start: int, stop: int) -> Iterator[int]:
    """Yield every place from ``start`` to before ``stop`` where ``text`` may be cut, in order.

    They are the same from wherever the search begins: no match overlaps another.

    >>> list(places_behind("the cat sat on the mat", 5, 14))
    [7, 11]
    """
    # Millions of digits are looked through for what stands at every place before they are looked through for places.
    first = _BESIDE.search(text, max(start - 1, 0), stop + 1)
    if first is None:
        return
    # What is matched before a place has at most two characters, and one behind it is looked at.
    for found in _CUT.finditer(text, max(start - 2, first.start() - 1, 0), min(stop, len(text)) + 1):
        if start <= found.end() < stop:
            yield found.end()


def blocks(texts: Iterable[str], border: re.Pattern[str] | None = None, size: int = BLOCK) -> Iterator[TextBlock]:
    """Yield the texts in blocks of about ``size`` characters: long ones cut, short ones gathered.

    ``border`` matches what no word may reach over; it is left out. Every block has at least one character.

    >>> for block in blocks(["low low", "", "lower|low"], re.compile("[|]"), 16):
    ...     print(block.text, block.places)
    low lowlower|low [0, 7, 7, 12, 13, 16]
    """
    gathered: list[str] = []
    places: list[int] = []
    length = 0
    for text in texts:
        if length + len(text) > size and gathered:
            yield from _gathered(gathered, places)
            gathered, places, length = [], [], 0
        if len(text) > size:
            yield from _cut(text, border, size)
        elif text:
            gathered.append(text)
            for start, stop in _between(text, border):
                places += (length + start, length + stop)
            length += len(text)
    yield from _gathered(gathered, places)


def _gathered(texts: list[str], places: list[int]) -> Iterator[TextBlock]:
    if places:
        yield TextBlock("".join(texts), places, joined=len(texts) > 1)


def _cut(text: str, border: re.Pattern[str] | None, size: int) -> Iterator[TextBlock]:
    """Yield one long text in blocks of about ``size`` characters."""
    # A str itself, whatever subclass it may be: kernels take no other. What is one already is not copied.
    text = "".join([text])
    places: list[int] = []
    begun = 0
    for start, stop in _between(text, border):
        for cut in chain(cut_places(text, start, stop, size), (stop,)):
            places += (start, cut)
            start = cut
            if cut - begun >= size:
                yield TextBlock(text, places)
                places, begun = [], cut
    if places:
        yield TextBlock(text, places)


def _between(text: str, border: re.Pattern[str] | None) -> Iterator[tuple[int, int]]:
    """Yield where the text between two borders starts and stops, unless it is empty."""
    start = 0
    for match in border.finditer(text) if border else ():
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(text):
        yield start, len(text)
