r"""Where the words of a text may be parted: told by a split pattern and special tokens, for texts of any length.

A ``Cutter`` answers two questions. Going on from a place that is known to be one (``long_text``): where is the next
place at which what came so far is decided? And in the middle of a text of which nothing else is known
(``first_place``): where is the next place at which a word begins, whatever stands before and after? A part of a large
file begins at such a place, so that whoever reads the part and whoever reads the one before it agree without talking.

    ... the <|end of text|> cat sa ...      special token "<|end of text|>"
       |                   |   |            places: none in the special token, at whatever alignment

The second kind of place is one that ``corpus.blocks`` allows, or where a special token begins, and over which no
special token reaches. Special tokens may hold blanks, letters or line ends, and begin with one another.

Limits: a pattern that only ``regex`` can run has places at special tokens only. Digits without end, or a script without
blanks, may have none of the second kind; then a file is one part, however large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from minbpe_course.splitting.blocks import places_behind
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.words import Splitter
from minbpe_course.text.patterns import named_pattern, scanner_for
from minbpe_course.text.special_places import crossed_from, special_token_starts


class Piece(NamedTuple):
    """A piece of a document, made of whole words: counting each by itself is counting the whole.

    text : never holds a part of a special token · ends_document : whether a document ends with it · position : given to
    ``read_part`` as ``after``, it yields exactly what follows; it is above 0 and says nothing else.
    """

    text: str
    ends_document: bool
    position: int


class Cutter:
    """Tells where texts may be cut; it can be pickled.

    pattern : a regular expression, the name of a known one, or None where text is not split · special_tokens : hard
    borders, looked for before any word is cut.

    >>> cutter = Cutter("gpt2", ["<|end of text|>"])
    >>> cutter.first_place("the <|end of text|> cat sat", 6, 30)
    19
    >>> Cutter(None, ["<|end of text|>"]).first_place("the <|end of text|> cat sat", 2, 30)
    4
    """

    def __init__(self, pattern: str | None, special_tokens: Iterable[str] = ()) -> None:
        self.pattern = None if pattern is None else named_pattern(pattern)
        self.special_tokens = tuple(dict.fromkeys(special_tokens))
        # Whether there are places between words, and not only at special tokens.
        self.bounded = self.pattern is not None and scanner_for(self.pattern) is not None
        # A lone surrogate stands in no file, and one made of a bad byte is no special token.
        self._names = frozenset(name for name in self.special_tokens if name and _has_utf8(name))
        # How many characters beside a place decide about it, before it and behind.
        self.reach = max([4, *map(len, self._names)])

    def __reduce__(self) -> tuple[type[Cutter], tuple[str | None, tuple[str, ...]]]:
        return Cutter, (self.pattern, self.special_tokens)

    def __repr__(self) -> str:
        return f"Cutter({self.pattern!r}, {self.special_tokens!r})"

    @property
    def cuts(self) -> bool:
        """Whether there may be places at all."""
        return self.bounded or bool(self._names)

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.pattern)

    def long_text(self, *, gather: int | None = None) -> LongText:
        """Return what takes the chunks of one text and gives it out in pieces of at least ``gather`` characters."""
        return LongText(self._splitter, self.special_tokens, gather=gather)

    def first_place(self, text: str, start: int, stop: int) -> int | None:
        """Return the first place from ``start`` to before ``stop`` where ``text`` may be cut, whatever it is part of.

        ``reach`` characters before ``start`` and behind ``stop`` have to be there, unless the text begins or ends.
        """
        for place in self._candidates(text, start, stop):
            if crossed_from(text, place, self._names) is None:
                return place
        return None

    def _candidates(self, text: str, start: int, stop: int) -> Iterator[int]:
        """Yield in order where words or special tokens begin."""
        stop = min(stop, len(text))
        between = places_behind(text, start, stop) if self.bounded else iter(())
        at_names = special_token_starts(text, self._names, start, stop) if self._names else iter(())
        word, name = next(between, None), next(at_names, None)
        while word is not None or name is not None:
            if name is None or (word is not None and word <= name):
                assert word is not None
                yield word
                word = next(between, None)
            else:
                yield name
                name = next(at_names, None)


def _has_utf8(name: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in name)
