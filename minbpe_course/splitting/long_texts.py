"""A text of any length, given out in pieces: what is done with each by itself is what would be done with the whole.

    chunks   "hel"  "lo wor"  "ld, and so on ..."
    pieces   "hello world"  ", and so"  ...           joined they are the text, and no word reaches over their borders

Splitting, counting and encoding the pieces one by one gives the words and ids of the text, and the text is never held
whole. A piece ends where ``corpus.blocks`` allows a cut. A text without such a place (digits and digits, Thai) is cut
between two words of the splitter: with the known patterns a later character can change only the blanks at the very end
and the few words before them. "中A" is two words in o200k_base until a "b" makes it one, and "A'l" is two until an "l"
does; HELD_BACK covers the longest such chain.

Limits: one word is held whole, however long. A pattern that only ``regex`` can run may look as far ahead as it likes,
so then everything waits for the next special token, or for the end. Where text is composed (NFC) before it is cut into
words, there are no cuts but those of ``corpus.blocks`` (what stands behind one of these composes with nothing before
it) and at special tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

import numpy as np

from minbpe_course.splitting.blocks import last_cut
from minbpe_course.splitting.words import Words
from minbpe_course.text.special_places import crossed_from, find_special_token, special_token_places

HELD_BACK = 5

# Characters gathered before the next look; small chunks would otherwise be split again and again.
GATHER = 1 << 16


# So far back a cut is looked for, and so many are tried, before the words of the whole text are.
_NEAR = 1 << 14
_TRIED = 32


class LongSplitter(Protocol):
    """A splitter: ``family`` is not None where a kernel runs it, and ``runs`` gives the words of a text."""

    @property
    def family(self) -> int | None:
        """The number of its scanner."""

    def runs(self, text: str) -> Iterator[Words]:
        """Yield the words of a text."""


class LongText:
    """Takes the chunks of one text, and gives it out in pieces.

    splitter : whose words must stay whole · special_tokens : those that are looked for in the text, whether they are
    allowed or forbidden: a piece ends in front of one or behind it, never in it · composed : whether the pieces are
    brought to NFC before they are split · gather : how many characters a piece has at least, but for the last · whole :
    whether the text stays whole, since its tokenizer looks further than any cut can allow for.

    >>> from minbpe_course.splitting.words import Splitter
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
    ) -> None:
        self._splitter = splitter
        self._composed = composed
        # Whether there are pieces at all, and how many characters between two of them belong to none.
        self._splits, self._between = splitter.family is not None, 0
        self._names = frozenset() if whole else frozenset(special_tokens)
        self._splits = self._splits and not whole
        # A special token that starts later than this before the end may be cut off, or begin a longer one.
        self._ahead = max(map(len, self._names), default=1)
        self._gather = GATHER if gather is None else gather
        self._chunks: list[str] = []
        self._length, self._look_at = 0, self._gather

    def add(self, chunk: str) -> str:
        """Take a chunk; return the next piece, empty while nothing is decided."""
        self._chunks.append(chunk)
        self._length += len(chunk)
        if not (self._splits or self._names) or self._length < self._look_at:
            return ""
        text = "".join(self._chunks)
        cut = self._cut(text)
        self._keep(text[cut + self._between :] if cut else text)
        return text[:cut]

    def finish(self) -> str:
        """Return what is left, the last piece; the next chunk begins another text."""
        text = "".join(self._chunks)
        self._keep("")
        return text

    def _keep(self, text: str) -> None:
        self._chunks, self._length = [text], len(text)
        # A long undecided rest (a million blanks) is looked at again only when it has doubled.
        self._look_at = max(self._gather, 2 * len(text))

    def _cut(self, text: str) -> int:
        """Up to where the text is decided."""
        limit = len(text) - self._ahead
        if limit <= 0:
            return 0
        if self._splits and (near := uncrossed_cut(text, limit, self._names)):
            return near
        behind = 0
        if self._names and find_special_token(text, self._names) is not None:
            for start, end in special_token_places(text, self._names):
                if start > limit:
                    break
                behind = end
        if not self._splits:
            return behind
        # No special token begins before the limit where ``behind`` is 0.
        return behind or (last_cut(text, limit) if self._composed else self._words_before(text[:limit]))

    def _words_before(self, text: str) -> int:
        """Where the last word of ``text`` ends that stays as it is whatever follows, or nothing at all.

        Blanks at the end of a text are one word, and in front of a word they may be two: no piece ends in a blank.
        """
        runs = list(self._splitter.runs(text))
        data = runs[0].text
        ends = np.concatenate([run.ends[: run.number] for run in runs])
        blanks_from = len(text.rstrip().encode("utf-8"))
        safe = int(np.searchsorted(ends, blanks_from, side="right")) - HELD_BACK
        while safe > 0:
            end = int(ends[safe - 1])
            if not data[max(end - 4, 0) : end].tobytes().decode("utf-8", "ignore")[-1].isspace():
                return len(data[:end].tobytes().decode("utf-8"))
            safe -= 1
        return 0


def uncrossed_cut(text: str, stop: int, special_tokens: Collection[str]) -> int:
    """Return a place shortly before ``stop`` where ``text`` may be cut and no special token stands across, or 0.

    Also 0 when special tokens stand across too many places. No word and no special token of a text that goes on is cut
    there, as long as all that begin before ``stop`` are seen to their ends.

    >>> uncrossed_cut("the cat sat", 9, []), uncrossed_cut("the cat sat", 9, ["cat sat"])
    (7, 3)
    """
    near = max(stop - _NEAR, 0)
    place = last_cut(text, stop, near)
    if not special_tokens:
        return place
    for _ in range(_TRIED):
        if not place or (start := crossed_from(text, place, special_tokens)) is None:
            return place
        place = last_cut(text, start, near)
    return 0
