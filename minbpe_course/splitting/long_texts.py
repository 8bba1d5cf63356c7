"""Cut a text of any length into pieces that can be processed one by one, with the same result as for the whole text.

    chunks   "hel"  "lo wor"  "ld, and so on ..."
    pieces   "hello world"  ", and so"  ...           joined they are the text, and no word crosses their borders

Splitting, counting and encoding the pieces gives the words and ids of the text, and the text is never in memory as a
whole. A piece ends where ``splitting.cut_places`` allows a cut. A text without such a place (only digits, or Thai) is
cut between two words of the splitter: with most patterns a later character can change only the white space at the very
end and the few words before it. "中A" is two words in o200k_base until a "b" makes it one, and "A'l" is two until
an "l" does; HELD_BACK covers the longest such chain.

Limits: no word is cut, and one of more than LONGEST_WORD characters is refused. A pattern without cut places may look
ahead without limit, so then everything waits for the next special token or the end, as if it were one word. Where text
is composed (NFC) before it is split, the only cuts are those after which nothing composes with the text before, and
special tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from typing import Protocol

import numpy as np

from minbpe_course.errors import UnreadableInput
from minbpe_course.splitting.cut_places import CutPlaces
from minbpe_course.splitting.splitter import Words
from minbpe_course.text.special_places import crossed_from, special_token_places

HELD_BACK = 5

# The most characters of what has to be in memory as a whole: a word, or a text that cannot be cut. For each byte of it,
# counting and encoding take 3 to 6 bytes of memory, and training 22. Real words are a thousand times shorter.
LONGEST_WORD = 1 << 24

# Characters gathered before the next search; small chunks would otherwise be split again and again.
GATHER = 1 << 16


# How far back to search for a cut and how many to try, before the whole text is split into words.
_NEAR = 1 << 14
_TRIED = 32


class LongSplitter(Protocol):
    """A splitter: ``cut_places`` are those where a text may be cut, and ``runs`` yields the words of a text."""

    @property
    def cut_places(self) -> CutPlaces | None:
        """The places where a text may be cut, or None."""

    def runs(self, text: str) -> Iterator[Words]:
        """Yield the words of a text."""


class LongText:
    """Takes the chunks of one text and returns pieces of it.

    splitter : no word of it is cut · special_tokens : those that matter in the text, allowed or forbidden: a piece ends
    before or after one, never inside · composed : whether the pieces are composed (NFC) before they are split · gather
    : the least number of characters of a piece, except the last · whole : keep the text in one piece, since its
    tokenizer depends on more text than any cut allows · bounded : refuse text longer than LONGEST_WORD without a cut.

    >>> from minbpe_course.splitting.splitter import Splitter
    >>> from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN
    >>> text = LongText(Splitter(GPT4_SPLIT_PATTERN), gather=10)
    >>> text.add("the cat"), text.add(" sat on the mat"), text.finish()
    ('', 'the cat sat on the', ' mat')
    """

    def __init__(
        self,
        splitter: LongSplitter,
        special_tokens: Collection[str] = (),
        *,
        composed: bool = False,
        gather: int | None = None,
        whole: bool = False,
        bounded: bool = True,
    ) -> None:
        self._splitter = splitter
        self._composed = composed
        self._cuts = None if whole else splitter.cut_places
        if self._cuts is not None and composed:
            self._cuts = self._cuts.stable
        # Whether the text is cut at all, and how many characters are dropped between two pieces.
        self._splits, self._between = self._cuts is not None, 0
        self._names = frozenset() if whole else frozenset(special_tokens)
        # A special token that starts closer to the end than this may be incomplete, or begin a longer one.
        self._ahead = max(map(len, self._names), default=1)
        self._gather = GATHER if gather is None else gather
        self._chunks: list[str] = []
        self._length, self._look_at = 0, self._gather
        self._bound = LONGEST_WORD if bounded else sys.maxsize

    def add(self, chunk: str, where: Callable[[], str] = lambda: "the text") -> str:
        """Take a chunk; return the next piece, or an empty text until a piece is complete.

        where : returns the place of the text that waits, for the error. Raises UnreadableInput for a word of more than
        LONGEST_WORD characters, unless the caller has longer chunks in memory anyway.
        """
        self._chunks.append(chunk)
        self._length += len(chunk)
        self._bound = max(self._bound, 2 * len(chunk))
        if self._length < self._look_at and self._length <= self._bound:
            return ""
        cut = 0
        if self._splits or self._names:
            text = "".join(self._chunks)
            cut = self._cut(text)
        if not cut and self._length > self._bound:
            raise UnreadableInput(
                f"{where()}: more than {LONGEST_WORD:,} characters follow without a place between two words. Such a "
                "text would have to be in memory as a whole.\nPut line ends into it, choose another split pattern, or, "
                "if each line is a document, say lines=True (--lines)."
            )
        if not (self._splits or self._names):
            return ""
        self._keep(text[cut + self._between :] if cut else text)
        return text[:cut]

    def finish(self) -> str:
        """Return the last piece; the next chunk begins another text."""
        text = "".join(self._chunks)
        self._keep("")
        return text

    def _keep(self, text: str) -> None:
        self._chunks, self._length = [text], len(text)
        # A long undecided rest (a million spaces) is searched again only when it has doubled.
        self._look_at = max(self._gather, min(2 * len(text), self._bound + 1))

    def _cut(self, text: str) -> int:
        """Return the length of the decided beginning of the text."""
        limit = len(text) - self._ahead
        if limit <= 0:
            return 0
        cuts = self._cuts
        if cuts is not None and (near := uncrossed_cut(text, limit, self._names, cuts)):
            return near
        after = 0
        for start, end in special_token_places(text, self._names):
            if start > limit:
                break
            after = end
        if after or cuts is None:
            return after
        # No special token begins before the limit.
        return self._words_before(text[:limit]) if cuts.near and not self._composed else cuts.last(text, limit)

    def _words_before(self, text: str) -> int:
        """Return the end of the last word of ``text`` that no further text can change, or 0.

        The words before that end are those of the beginning alone: white space at the end of a text may be one word,
        and before another word two.
        """
        data, ends = self._ends(text)
        space_from = len(text.rstrip().encode("utf-8"))
        safe = int(np.searchsorted(ends, space_from, side="right")) - HELD_BACK
        for number in range(safe, max(safe - _TRIED, 0), -1):
            begun = data[: ends[number - 1]].tobytes().decode("utf-8")
            if np.array_equal(self._ends(begun)[1], ends[:number]):
                return len(begun)
        return 0

    def _ends(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the UTF-8 of a text that is not empty, and where each of its words ends."""
        runs = list(self._splitter.runs(text))
        return runs[0].text, np.concatenate([run.ends[: run.number] for run in runs])


def must_have_short_words(text: str, long: LongText, where: Callable[[], str]) -> None:
    """Raise UnreadableInput if a text in memory has a word that ``long``, an empty LongText, refuses in a file."""
    if len(text) > LONGEST_WORD:
        for at in range(0, len(text), GATHER):
            long.add(text[at : at + GATHER], where)
        long.finish()


def uncrossed_cut(text: str, stop: int, special_tokens: Collection[str], cuts: CutPlaces) -> int:
    """Return a place shortly before ``stop`` where ``text`` may be cut outside special tokens, or 0.

    It is also 0 when too many places are inside special tokens. The cut stays correct if the text continues, provided
    that the special tokens that begin before ``stop`` end within ``text``.

    >>> from minbpe_course.splitting.splitter import Splitter
    >>> cuts = Splitter(r"\\s?\\w+|[\\s\\S]").cut_places
    >>> uncrossed_cut("the cat sat", 9, [], cuts), uncrossed_cut("the cat sat", 9, ["cat sat"], cuts)
    (7, 3)
    """
    near = max(stop - _NEAR, 0)
    place = cuts.last(text, stop, near)
    if not special_tokens:
        return place
    for _ in range(_TRIED):
        if not place or (start := crossed_from(text, place, special_tokens)) is None:
            return place
        place = cuts.last(text, start, near)
    return 0
