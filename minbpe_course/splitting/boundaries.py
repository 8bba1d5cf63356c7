r"""The places where a text may be cut between words, for a split pattern, special tokens and texts of any length.

A ``Cutter`` answers two questions. ``long_text`` starts at a known place: up to where is the text decided, however it
continues? ``first_place`` starts anywhere in a text of which nothing else is known: where does a word begin, for any
text before and after? A part of a large file begins at such a place, so that the readers of two neighbouring parts
agree without communicating.

    ... the <|end of text|> cat sa ...      special token "<|end of text|>"
       |                   |   |            places: none inside the special token

The second kind of place is one that ``splitting.cut_places`` allows, or the beginning of a special token, and is never
inside a special token. Special tokens may contain spaces, letters or line ends, and one may begin with another.

Limits: a pattern that only ``regex`` can run has places at special tokens only. Endless digits, or a script without
spaces, may have no place of the second kind; then a file is one part, however large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from minbpe_course.splitting.cut_places import CutPlaces
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import named_pattern
from minbpe_course.text.special_places import finder_of


class Piece(NamedTuple):
    """A piece of a document, made of whole words: the counts of all pieces add up to the counts of the document.

    text : never contains a part of a special token · ends_document : whether a document ends with it · position : a
    number above 0; ``read_part`` with ``after=position`` yields exactly the pieces after this one.
    """

    text: str
    ends_document: bool
    position: int


class Cutter:
    """Finds the places where texts may be cut; it can be pickled.

    pattern : a regular expression, the name of a known one, or None if text is not split · special_tokens : no word
    crosses one; they are found before any word.

    >>> cutter = Cutter("gpt2", ["<|end of text|>"])
    >>> cutter.first_place("the <|end of text|> cat sat", 6, 30)
    19
    >>> Cutter(None, ["<|end of text|>"]).first_place("the <|end of text|> cat sat", 2, 30)
    4
    """

    def __init__(self, pattern: str | None, special_tokens: Iterable[str] = ()) -> None:
        self.pattern = None if pattern is None else named_pattern(pattern)
        self.special_tokens = tuple(dict.fromkeys(special_tokens))
        # A lone surrogate is in no file, and one made from a bad byte does not belong to a special token.
        self._names = frozenset(name for name in self.special_tokens if name and _has_utf8(name))
        # How many characters before and after a place decide about it.
        self.reach = max([4, *map(len, self._names)])

    def __reduce__(self) -> tuple[type[Cutter], tuple[str | None, tuple[str, ...]]]:
        return Cutter, (self.pattern, self.special_tokens)

    def __repr__(self) -> str:
        return f"Cutter({self.pattern!r}, {self.special_tokens!r})"

    @property
    def cuts(self) -> bool:
        """Whether there may be any places."""
        return self._between is not None or bool(self._names)

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.pattern)

    @cached_property
    def _between(self) -> CutPlaces | None:
        """The places between words, if there are any."""
        return self._splitter.cut_places

    def long_text(self, *, gather: int | None = None) -> LongText:
        """Return an object that takes the chunks of one text and returns pieces of at least ``gather`` characters."""
        return LongText(self._splitter, self.special_tokens, gather=gather)

    def first_place(self, text: str, start: int, stop: int) -> int | None:
        """Return the first place from ``start`` to before ``stop`` where ``text`` may be cut.

        ``text`` must contain ``reach`` characters before ``start`` and after ``stop``, unless it begins or ends there.
        """
        finder = finder_of(self._names)
        names = finder.occurrences(text, max(start - finder.longest, 0), stop)
        name = next(names, None)
        reached = 0
        for place in self._candidates(text, start, stop):
            while name is not None and name[0] < place:
                reached = max(reached, name[1])
                name = next(names, None)
            if reached <= place:
                return place
        return None

    def _candidates(self, text: str, start: int, stop: int) -> Iterator[int]:
        """Yield the beginnings of words and special tokens, in order."""
        stop = min(stop, len(text))
        between = self._between.between(text, start, stop) if self._between is not None else iter(())
        at_names = (begin for begin, _ in finder_of(self._names).occurrences(text, start, stop))
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
