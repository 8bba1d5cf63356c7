"""Sources of a count that can be left and come back to: where a text ends in them, and whether they are the same.

A place in files is the number of a part of the corpus and a position within it; in an iterable it is how many items
were taken, and how many characters of the next. An iterable cannot say whether it is the one of the last time, and a
file may have been mended since it could not be read. So with each place goes a checksum of what came before it: of all
items, or of the file that the place is in. A cluster counts parts in any order, so there each part has its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from minbpe_course.corpus.reading import Corpus, Part, as_corpus, read_part
from minbpe_course.counting.run_store import Place
from minbpe_course.counting.spill_to_disk import CountingPlan, Given, checksum
from minbpe_course.errors import DifferentCheckpoint, InvalidSource
from minbpe_course.splitting.blocks import blocks

# Bytes of a part of a corpus; where it is cut does not change what is counted.
PART = 1 << 25

# A file among texts: its parts are numbered above all positions within a part.
_PARTS = 128
# What a piece of an item is: counted before, to be counted, or that and of a file, which says itself what it is.
_BEFORE, _NOW, _OF_A_FILE = range(3)
# Characters of a long text that are given out together.
_GIVEN = 1 << 18


class _Places:
    """The checksum up to each place that was given out lately."""

    def __init__(self, kept: bool) -> None:
        self._kept = kept
        self._at: dict[Place, int | None] = {}
        self._state: int | None = 0

    def begin(self, state: int | None) -> None:
        """Go on from a checksum; None is one that nobody knows."""
        self._state = state

    def add(self, text: str, stop: Place | None) -> None:
        """Take what stands before the place ``stop``."""
        if self._kept and self._state is not None:
            self._state = checksum(text, self._state)
        if self._kept and stop is not None:
            self._at[stop] = self._state

    def note(self, stop: Place) -> dict[str, Any]:
        """Return what a journal should say of a cut, and forget the places before it."""
        found = self._at.get(stop)
        self._at = {place: state for place, state in self._at.items() if place > stop}
        return {"checksum": found} if self._kept else {}


class FilesSource:
    """The files of a corpus.

    kept : whether checksums are wanted.
    """

    def __init__(self, corpus: Corpus, plan: CountingPlan, *, kept: bool) -> None:
        self._plan = plan
        self.places = _Places(kept)
        self.parts: list[Part] = corpus.parts(plan.cutter, PART)
        self.total: int | None = sum(part.size for part in self.parts if part.start == 0)
        said = corpus.fingerprint()
        begins = [part.number for part in self.parts if part.start == 0] + [len(self.parts)]
        files = [[*each, end - begin] for each, begin, end in zip(said["files"], begins, begins[1:])]
        self.description: dict[str, Any] = {"kind": "files", **said, "files": files, "part": PART}

    def given(self, start: Place, state: int | None) -> Iterator[Given]:
        """Yield what stands behind a place, whose checksum is given."""
        self.places.begin(state if start[1] or self._inside_a_file(start[0]) else 0)
        for number in range(start[0], len(self.parts)):
            if number > start[0] and not self._inside_a_file(number):
                self.places.begin(0)
            after = start[1] if number == start[0] else 0
            for piece in read_part(self.parts[number], self._plan.cutter, after=after):
                yield self._given(piece.text, (number, piece.position))
            yield self._given("", (number + 1, 0))

    def _given(self, text: str, stop: Place) -> Given:
        self.places.add(text, stop)
        return Given(text, stop)

    def _inside_a_file(self, number: int) -> bool:
        """Whether a part begins where one of the same file ends."""
        return number < len(self.parts) and self.parts[number].start > 0

    def continues(self, known: dict[str, Any], counted: list[tuple[Place, Place]], notes: dict[str, Any]) -> bool:
        """Whether what was counted of the source ``known`` is in this one too, at the same places.

        Files of which nothing is counted may have changed. So may one of which the beginning is, or parts are that have
        checksums of their own: then they are read again, and compared.
        """
        if known.get("kind") != "files" or {**known, "files": 0} != {**self.description, "files": 0}:
            return False
        last = max((stop for _, stop in counted), default=(0, 0))
        at = 0
        for number, (*said, pieces) in enumerate(known["files"]):
            if at > last[0] or (at == last[0] and last[1] == 0):
                return True
            if number >= len(self.description["files"]):
                return False
            *here, now = self.description["files"][number]
            touched = any(start < (at + pieces, 0) and stop > (at, 0) for start, stop in counted)
            if touched and said != here:
                begun = last < (at + pieces, 0) and counted == [((0, 0), last)]
                same = here[0] == said[0] and (
                    (begun and self._same_up_to(at, last, notes.get("checksum")))
                    or self._same_parts(range(at, at + pieces), counted, notes.get("parts", {}))
                )
                if not same:
                    return False
            if now != pieces:
                # Behind it the parts have other numbers now.
                return last <= (at + min(now, pieces), 0)
            at += pieces
        return True

    def _same_parts(self, numbers: range, counted: list[tuple[Place, Place]], known: dict[str, int]) -> bool:
        """Whether those of these parts that are counted have the texts that they had."""
        for number in numbers:
            if not any(start < (number + 1, 0) and stop > (number, 0) for start, stop in counted):
                continue
            if number >= len(self.parts) or str(number) not in known:
                return False
            found = 0
            for piece in read_part(self.parts[number], self._plan.cutter):
                found = checksum(piece.text, found)
            if found != known[str(number)]:
                return False
        return True

    def _same_up_to(self, first: int, last: Place, state: int | None) -> bool:
        """Whether the text from the part ``first`` on to the place ``last`` has this checksum."""
        found = 0
        for number in range(first, min(last[0] + 1, len(self.parts))):
            if number == last[0] and last[1] == 0:
                break
            for piece in read_part(self.parts[number], self._plan.cutter):
                if (number, piece.position) > last:
                    return False
                found = checksum(piece.text, found)
                if (number, piece.position) == last:
                    return found == state
        return found == state and last[1] == 0


class TextsSource:
    """A text, or an iterable of texts and paths.

    kept : whether checksums are wanted.
    """

    def __init__(self, source: Any, plan: CountingPlan, *, kept: bool) -> None:
        if isinstance(source, (bytes, bytearray)):
            raise InvalidSource("train on text, not bytes: data.decode('utf-8')")
        if not isinstance(source, Iterable):
            raise InvalidSource(f"cannot train on {type(source).__name__}: give a str, a Path, or an iterable of them.")
        self._items: Iterable[Any] = [source] if isinstance(source, str) else source
        self._plan, self._kept = plan, kept
        self.places = _Places(kept)
        self.total: int | None = len(source) if isinstance(source, str) and source.isascii() else None
        self.description: dict[str, Any] = {"kind": "texts"}

    def given(self, start: Place, state: int | None) -> Iterator[Given]:
        """Yield what stands behind a place, whose checksum is given. Raises DifferentCheckpoint when it is another."""
        self.places.begin(0)
        number = -1
        for number, item in enumerate(self._items):
            if not isinstance(item, (str, PathLike)):
                raise InvalidSource(f"an iterable source must yield str or paths, got {type(item).__name__}.")
            pieces = self._pieces(item, number, start[1] if number == start[0] else 0, number < start[0])
            for text, stop, how in pieces:
                self.places.add("" if how == _OF_A_FILE else text, stop)
                if stop == start and start > (0, 0) and self._kept and self.places.note(stop)["checksum"] != state:
                    raise DifferentCheckpoint(
                        f"the first {number + 1:,} texts are not those that were counted before. Give the same ones "
                        "again, delete the folder of the checkpoint to begin anew, or name another."
                    )
                if how != _BEFORE:
                    yield Given(text, stop)
        if number + 1 < start[0] or (number + 1 == start[0] and start[1]):
            raise DifferentCheckpoint(
                f"the source ends after {number + 1:,} texts, and {start[0]:,} were counted before. Give the same ones "
                "again, delete the folder of the checkpoint to begin anew, or name another."
            )

    def _pieces(self, item: Any, number: int, mark: int, over: bool) -> Iterator[tuple[str, Place | None, int]]:
        """Yield the pieces of an item, the places behind them, and what they are."""
        behind = (number + 1, 0)
        if isinstance(item, str):
            # A str itself, whatever subclass it may be: kernels take no other.
            item = "".join([item])
            if mark:
                yield item[:mark], (number, mark), _BEFORE
            if over or len(item) - mark <= _GIVEN or self._plan.splitter.family is None:
                yield (item[mark:] if mark else item), behind, _BEFORE if over else _NOW
                return
            begin = mark
            for stretches in blocks([item[mark:]], self._plan.border, _GIVEN):
                end = mark + stretches.places[-1]
                yield item[begin:end], (number, end), _NOW
                begin = end
            yield item[begin:], behind, _NOW
            return
        corpus = as_corpus(Path(item))
        assert corpus is not None
        parts = corpus.parts(self._plan.cutter, PART)
        if self._kept:
            yield repr(corpus.fingerprint()["files"]), None, _BEFORE
        first, after = mark >> _PARTS, mark & ((1 << _PARTS) - 1)
        if mark:
            yield "", (number, mark), _BEFORE
        for part in parts[first:] if not over else ():
            for piece in read_part(part, self._plan.cutter, after=after if part.number == first else 0):
                yield piece.text, (number, part.number << _PARTS | piece.position), _OF_A_FILE
        yield "", behind, _BEFORE if over else _NOW

    def continues(self, known: dict[str, Any], counted: list[tuple[Place, Place]], notes: dict[str, Any]) -> bool:
        """Whether it may be the same; what was counted is compared when it is read."""
        return known == self.description


def source_of(source: Any, plan: CountingPlan, *, kept: bool) -> FilesSource | TextsSource:
    """Return what a source is to be read as. Raises InvalidSource, UnusablePath."""
    corpus = as_corpus(source)
    if corpus is not None:
        return FilesSource(corpus, plan, kept=kept)
    return TextsSource(source, plan, kept=kept)


def cleaning_of(source: Any) -> tuple[str, ...]:
    """The names of the filters of a corpus.

    >>> cleaning_of("some text")
    ()
    """
    corpus = as_corpus(source) if isinstance(source, Corpus) else None
    return () if corpus is None else tuple(corpus.fingerprint()["clean"])
