"""Cut a long text into blocks that can be counted one by one, or in parallel, without changing a word or a count.

    "... the cat sat on| the mat ..."        "... 名詞|。動詞 ..."        "... شمس\\n|قمر ..."

``splitting.cut_places`` says where. No word crosses a special token: the text between two special tokens is split
alone, and cut if it is long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from minbpe_course.kernels.lazy import layout, utf8
from minbpe_course.splitting.cut_places import CutPlaces
from minbpe_course.splitting.splitter import Splitter, Words
from minbpe_course.splitting.splitter import utf8 as utf8_of
from minbpe_course.text.special_places import Finder

# Characters of a block: its UTF-8 and the most used entries of the table fit into the cache, and the cost of a call is
# negligible.
BLOCK = 1 << 18
_NO_BORDER = Finder(())


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

    def room(self) -> int:
        """Return how many bytes ``write_utf8`` needs, with those that kernels may read after the last one."""
        characters = sum(self.places[1::2]) - sum(self.places[0::2])
        return int(utf8.room_for(self.text, characters)) + layout.AHEAD

    def write_utf8(self, data: np.ndarray) -> tuple[np.ndarray, int]:
        """Write the parts as UTF-8 into ``data``, uint8[room() or more], one after the other.

        Return the address of the begin and the end of each part, int64[2 * parts], and the number of bytes written.
        Raises InvalidText.
        """
        borders, begin = np.array(self.places, dtype=np.int64), data.ctypes.data
        end = utf8.write_utf8(self.text, borders.ctypes.data, borders.size // 2, begin)
        if end < 0:
            # This raises, naming the position of the surrogate in the caller's own text.
            for start, stop in zip(self.places[0::2], self.places[1::2]):
                utf8_of(self.text[start:stop] if self.joined else self.text)
        return borders, end - begin

    def words(self, splitter: Splitter) -> Words:
        """Return the words of all parts; the splitter has cut places. Raises InvalidText.

        >>> run = TextBlock("low lower", [0, 3, 4, 9]).words(Splitter(r"lo|[\\s\\S]"))
        >>> run.text.tobytes(), run.ends[: run.number].tolist()
        (b'lowlower', [2, 3, 5, 6, 7, 8])
        """
        data = np.empty(self.room() // 8 + 1, dtype=np.uint64)
        borders, size = self.write_utf8(data.view(np.uint8))
        ends = np.empty(size + layout.SLACK, dtype=np.int64)
        number = splitter.split_stretches(borders, data, ends)
        return Words(data.view(np.uint8)[:size], data, 0, ends, number)


def blocks(
    texts: Iterable[str], cuts: CutPlaces, border: Finder = _NO_BORDER, size: int = BLOCK
) -> Iterator[TextBlock]:
    """Yield the texts in blocks of about ``size`` characters: long texts cut, short texts joined.

    border : finds special tokens, which no word crosses and which are left out. Every block has at least one character.

    >>> cuts = CutPlaces(np.zeros(0x110000, dtype=np.uint8), np.zeros((1, 1), dtype=bool), near=True)
    >>> for block in blocks(["low low", "", "lower|low"], cuts, Finder("|"), 16):
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
            yield from _cut(text, cuts, border, size)
        elif text:
            gathered.append(text)
            for start, stop in border.between(text):
                places += (length + start, length + stop)
            length += len(text)
    yield from _gathered(gathered, places)


def _gathered(texts: list[str], places: list[int]) -> Iterator[TextBlock]:
    if places:
        yield TextBlock("".join(texts), places, joined=len(texts) > 1)


def _cut(text: str, cuts: CutPlaces, border: Finder, size: int) -> Iterator[TextBlock]:
    """Yield one long text in blocks of about ``size`` characters."""
    # Kernels take only a plain str, not a subclass; ``join`` does not copy a plain one.
    text = "".join([text])
    places: list[int] = []
    begun = 0
    for start, stop in border.between(text):
        for cut in chain(cuts.apart(text, start, stop, size), (stop,)):
            places += (start, cut)
            start = cut
            if cut - begun >= size:
                yield TextBlock(text, places)
                places, begun = [], cut
    if places:
        yield TextBlock(text, places)
