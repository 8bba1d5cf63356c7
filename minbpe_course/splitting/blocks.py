"""Cut a long text into blocks that can be counted one by one, or in parallel, without changing a word or a count.

A cut is allowed where every split pattern with a compiled scanner begins a word, for any text before and after. Of
these places the code uses those that need no table of characters:

* Between a letter and a character that is not a letter, a mark or an apostrophe. Before it a word of letters ends (all
  patterns take as many letters as they can; only an apostrophe, and in o200k a mark, can make such a word longer).
  After it, any word can begin that can begin a text. The code knows the letters of some common scripts, before white
  space or common punctuation.
* Between a character that is not white space and a space: of white space, only line ends ever join a word that began
  before them.
* After one line end that follows a character other than white space, unless white space comes next (GPT-2's pattern
  takes all of it but the last character together) or a slash (o200k adds it to the symbols before it).

    "... the cat sat on| the mat ..."        "... 名詞|。動詞 ..."        "... شمس\\n|قمر ..."

No word crosses a special token: the text between two special tokens is split alone, and cut if it is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from minbpe_course.kernels.lazy import utf8

# Characters of a block: its UTF-8 and the most used entries of the table fit into the cache, and the cost of a call is
# negligible.
BLOCK = 1 << 18

# How far to search for a cut, so that a text without any takes no longer than a text with many.
_SEARCHED = 1 << 12

_CUT = re.compile('[A-Za-zа-яぁ-ゖァ-ヺ一-龥가-힣](?=[\\s.,;:!?(){}\\[\\]"<>/=、。，])|\\S(?= )|\\S\n(?=[^\\s/])')

# Every place has one of these after it, or a line end before it.
_BESIDE = re.compile('[\\s.,;:!?(){}\\[\\]"<>/=、。，]')


class TextBlock(NamedTuple):
    """Parts of a text that are split separately: ``text[places[0]:places[1]]``, ``text[places[2]:places[3]]``, ...

    joined : whether several texts were joined to this one.
    """

    text: str
    places: list[int]
    joined: bool = False

    def size(self) -> int:
        """Return the number of UTF-8 bytes.

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
        # The match also reads the character after a cut, which must belong to the same part.
        found = _CUT.search(text, target, min(target + _SEARCHED, stop - 1) + 1)
        at = found.end() if found else target + 1
        if found and at < stop:
            yield at


def last_cut(text: str, stop: int, start: int = 0) -> int:
    """Return the last place between ``start`` and ``stop`` where ``text`` may be cut, or 0.

    >>> last_cut("the cat sat on the mat", 12)
    11
    """
    # Most texts have one nearby.
    begin, searched = stop, 1 << 7
    while begin > start:
        end, begin = begin, max(begin - searched, start)
        # The text after the end of a match must be visible, too.
        places = [found.end() for found in _CUT.finditer(text, begin, min(end + 2, len(text))) if found.end() <= end]
        if places:
            return places[-1]
        searched *= 2
    return 0


def places_behind(text: str, start: int, stop: int) -> Iterator[int]:
    """Yield every place from ``start`` to before ``stop`` where ``text`` may be cut, in order.

    The places do not depend on where the search begins: no two matches overlap.

    >>> list(places_behind("the cat sat on the mat", 5, 14))
    [7, 11]
    """
    # A quick search for the characters around a place skips millions of digits.
    first = _BESIDE.search(text, max(start - 1, 0), stop + 1)
    if first is None:
        return
    # A match reads at most two characters before a place and one after it.
    for found in _CUT.finditer(text, max(start - 2, first.start() - 1, 0), min(stop, len(text)) + 1):
        if start <= found.end() < stop:
            yield found.end()


def blocks(texts: Iterable[str], border: re.Pattern[str] | None = None, size: int = BLOCK) -> Iterator[TextBlock]:
    """Yield the texts in blocks of about ``size`` characters: long texts cut, short texts joined.

    border : matches text that no word may cross, which is left out. Every block has at least one character.

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
    # Kernels take only a plain str, not a subclass; ``join`` does not copy a plain one.
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
    """Yield the start and the stop of each text between two borders that is not empty."""
    start = 0
    for match in border.finditer(text) if border else ():
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(text):
        yield start, len(text)
