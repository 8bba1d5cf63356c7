"""Where the texts of a count come from: a str, files, or an iterable, read once or resumed at a place.

A place in files is the number of a part of the corpus and a mark in it. In an iterable it is how many items were taken,
and how many characters of the next one. Nothing proves that an iterable is the same as last time, and a file that could
not be read may have been repaired since. So each place has a checksum of what comes before it: of all items, or of the
file that contains the place. A cluster counts parts in any order, so there a file of which anything is counted must
stay as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from minbpe_course.corpus.parts import PARQUET
from minbpe_course.corpus.reading import Part, as_corpus, read_part
from minbpe_course.counting.run_store import Place
from minbpe_course.counting.spill_to_disk import CountingPlan, Given, checksum
from minbpe_course.errors import DifferentCheckpoint, InvalidSource
from minbpe_course.splitting.blocks import blocks
from minbpe_course.splitting.boundaries import Cutter

# Bytes of a part of a corpus; the result does not depend on it.
PART = 1 << 25
# A task of a cluster reads at most this many bytes, unless one part has more, and a corpus is at least so many tasks if
# it has as many parts. Large tasks need fewer merges, but a worker that dies loses them.
_LARGEST_TASK, _TASKS = 1 << 28, 64

# In an iterable, a mark in a file is the number of a part, shifted by this, and a position in the part.
_PARTS = 128
# Kinds of pieces of an item: already counted, new, or new and covered by a file's fingerprint.
_COUNTED, _NEW, _NEW_IN_FILE = range(3)
# Characters of a long str that are given out together.
_GIVEN = 1 << 18

_SAME_AGAIN = "Give the same texts again, delete the folder of the checkpoint to start over, or name another."

# Counted spans: from one place to another.
Spans: TypeAlias = "list[tuple[Place, Place]]"


def texts(source: Any, pattern: str | None = None, special_tokens: Iterable[str] = ()) -> Iterator[str]:
    """Yield the texts of a source: a str, a path, a corpus, or an iterable of str and paths.

    Files come in pieces of whole words, as the pattern and the special tokens split them. Raises InvalidSource,
    UnusablePath.
    """
    if isinstance(source, str):
        yield source
        return
    corpus = as_corpus(source)
    if corpus is None:
        for item in _iterable(source):
            if isinstance(item, str):
                yield item
            else:
                yield from texts(_text_or_path(item), pattern, special_tokens)
        return
    cutter = Cutter(pattern, special_tokens)
    for part in corpus.parts(cutter, PART):
        for piece in read_part(part, cutter):
            yield piece.text


def resumable(source: Any, plan: CountingPlan, *, kept: bool) -> FilesSource | TextsSource:
    """Return a source that can be read from any place on. Raises InvalidSource, UnusablePath.

    kept : whether checksums are needed, since another process may continue.
    """
    corpus = as_corpus(source)
    return TextsSource(source, plan, kept=kept) if corpus is None else FilesSource(corpus, plan, kept=kept)


def _iterable(source: Any) -> Iterable[Any]:
    if isinstance(source, (bytes, bytearray)):
        raise InvalidSource("train on text, not bytes: data.decode('utf-8')")
    if not isinstance(source, Iterable):
        raise InvalidSource(f"cannot train on {type(source).__name__}: give a str, a Path, or an iterable of them.")
    return source


def _text_or_path(item: Any) -> str | PathLike[str]:
    if not isinstance(item, (str, PathLike)):
        raise InvalidSource(f"an iterable source must yield str or paths, got {type(item).__name__}.")
    return item


class _Checksums:
    """The checksum at each place that was given out recently."""

    def __init__(self, kept: bool) -> None:
        self._kept = kept
        self._at: dict[Place, int | None] = {}
        # Of the text so far; None is an unknown one.
        self.state: int | None = 0

    def add(self, text: str, stop: Place | None) -> None:
        """Add the text that ends at the place ``stop``."""
        if self._kept and self.state is not None:
            self.state = checksum(text, self.state)
        if self._kept and stop is not None:
            self._at[stop] = self.state

    def note(self, stop: Place) -> dict[str, Any]:
        """Return what the journal records about a cut, and forget the places before it."""
        found = self._at.get(stop)
        self._at = {place: state for place, state in self._at.items() if place > stop}
        return {"checksum": found} if self._kept else {}


class FilesSource:
    """The files of a corpus."""

    def __init__(self, corpus: Any, plan: CountingPlan, *, kept: bool) -> None:
        self._plan = plan
        self.checksums = _Checksums(kept)
        self.parts: list[Part] = corpus.parts(plan.cutter, PART)
        self.total: int | None = sum(part.size for part in self.parts if part.start == 0)
        found = corpus.fingerprint(self.parts)
        begins = [part.number for part in self.parts if part.start == 0] + [len(self.parts)]
        files = [[*each, end - begin] for each, begin, end in zip(found["files"], begins, begins[1:])]
        self.description: dict[str, Any] = {"kind": "files", **found, "files": files, "part": PART}

    def given(self, start: Place, state: int | None) -> Iterator[Given]:
        """Yield the texts after the place ``start``, whose checksum is ``state``."""
        self.checksums.state = state if start[1] or self._continues_a_file(start[0]) else 0
        for number in range(start[0], len(self.parts)):
            if number > start[0] and not self._continues_a_file(number):
                self.checksums.state = 0
            after = start[1] if number == start[0] else 0
            for piece in read_part(self.parts[number], self._plan.cutter, after=after):
                yield self._given(piece.text, (number, piece.position))
            yield self._given("", (number + 1, 0))

    def tasks(self, missing: Iterable[Place]) -> Iterator[tuple[list[Part], int]]:
        """Yield consecutive missing parts, and the mark in the first where its uncounted rest begins.

        Their paths are absolute, since the workers of a cluster may have another working directory.
        """
        together: list[Part] = []
        begin, room, most = 0, 0, min(_LARGEST_TASK, sum(map(_bytes_to_read, self.parts)) // _TASKS)
        for number, mark in missing:
            part = self.parts[number]
            if together and (number != together[-1].number + 1 or mark or _bytes_to_read(part) > room):
                yield together, begin
                together = []
            if not together:
                begin, room = mark, most
            together.append(replace(part, path=str(Path(part.path).absolute())))
            room -= _bytes_to_read(part)
        if together:
            yield together, begin

    def _given(self, text: str, stop: Place) -> Given:
        self.checksums.add(text, stop)
        return Given(text, stop)

    def _continues_a_file(self, number: int) -> bool:
        """Return whether a part continues the file of the part before."""
        return number < len(self.parts) and self.parts[number].start > 0

    def continues(self, known: dict[str, Any], counted: Spans, notes: dict[str, Any]) -> bool:
        """Return whether this source has the counted text of the source ``known`` at the same places.

        Files that are not counted yet may have changed. So may the rest of a file that is counted in part: its counted
        text is read again and compared.
        """
        if known.get("kind") != "files" or {**known, "files": 0} != {**self.description, "files": 0}:
            return False
        last = max((stop for _, stop in counted), default=(0, 0))
        at = 0
        for number, (*then, parts) in enumerate(known["files"]):
            if at > last[0] or (at == last[0] and last[1] == 0):
                return True
            if number >= len(self.description["files"]):
                return False
            *now, parts_now = self.description["files"][number]
            touched = any(start < (at + parts, 0) and stop > (at, 0) for start, stop in counted)
            if touched and then != now:
                only_begun = now[0] == then[0] and last < (at + parts, 0) and counted == [((0, 0), last)]
                if not (only_begun and self._same_up_to(at, last, notes.get("checksum"))):
                    return False
            if parts_now != parts:
                # All parts after this file have other numbers now.
                return last <= (at + min(parts_now, parts), 0)
            at += parts
        return True

    def _same_up_to(self, first: int, last: Place, state: int | None) -> bool:
        """Return whether the text from the part ``first`` to the place ``last`` has this checksum."""
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


def _bytes_to_read(part: Part) -> int:
    """Return the bytes of a part, or more."""
    return part.size if part.stop is None or part.kind == PARQUET else part.stop - part.start


class TextsSource:
    """A str, or an iterable of str and paths."""

    def __init__(self, source: Any, plan: CountingPlan, *, kept: bool) -> None:
        self._items: Iterable[Any] = [source] if isinstance(source, str) else _iterable(source)
        self._plan, self._kept = plan, kept
        self.checksums = _Checksums(kept)
        self.total: int | None = len(source) if isinstance(source, str) and source.isascii() else None
        self.description: dict[str, Any] = {"kind": "texts"}

    def given(self, start: Place, state: int | None) -> Iterator[Given]:
        """Yield the texts after the place ``start``, whose checksum is ``state``.

        Raises DifferentCheckpoint when the texts before that place have another checksum.
        """
        self.checksums.state = 0
        number = -1
        for number, item in enumerate(self._items):
            mark = start[1] if number == start[0] else 0
            for text, stop, what in self._pieces(_text_or_path(item), number, mark, number < start[0]):
                self.checksums.add("" if what == _NEW_IN_FILE else text, stop)
                if stop == start and start > (0, 0) and self._kept and self.checksums.note(stop)["checksum"] != state:
                    raise DifferentCheckpoint(
                        f"the first {number + 1:,} texts are not the ones that were counted before.", _SAME_AGAIN
                    )
                if what != _COUNTED:
                    yield Given(text, stop)
        if number + 1 < start[0] or (number + 1 == start[0] and start[1]):
            raise DifferentCheckpoint(
                f"the source ends after {number + 1:,} texts, but {start[0]:,} were counted before.", _SAME_AGAIN
            )

    def _pieces(
        self, item: str | PathLike[str], number: int, mark: int, skipped: bool
    ) -> Iterator[tuple[str, Place | None, int]]:
        """Yield the pieces of an item, the places where they end, and what they are."""
        end_of_item = (number + 1, 0)
        if isinstance(item, str):
            # Kernels accept only str itself, so an instance of a subclass is converted.
            item = "".join([item])
            if mark:
                yield item[:mark], (number, mark), _COUNTED
            cuts = self._plan.splitter.cut_places
            if skipped or len(item) - mark <= _GIVEN or cuts is None:
                yield (item[mark:] if mark else item), end_of_item, _COUNTED if skipped else _NEW
                return
            begin = mark
            for stretches in blocks([item[mark:]], cuts, self._plan.border, _GIVEN):
                end = mark + stretches.places[-1]
                yield item[begin:end], (number, end), _NEW
                begin = end
            yield item[begin:], end_of_item, _NEW
            return
        corpus = as_corpus(Path(item))
        assert corpus is not None
        parts = corpus.parts(self._plan.cutter, PART)
        if self._kept:
            yield repr(corpus.fingerprint()["files"]), None, _COUNTED
        first, after = mark >> _PARTS, mark & ((1 << _PARTS) - 1)
        if mark:
            yield "", (number, mark), _COUNTED
        for part in parts[first:] if not skipped else ():
            for piece in read_part(part, self._plan.cutter, after=after if part.number == first else 0):
                yield piece.text, (number, part.number << _PARTS | piece.position), _NEW_IN_FILE
        yield "", end_of_item, _COUNTED if skipped else _NEW

    def continues(self, known: dict[str, Any], counted: Spans, notes: dict[str, Any]) -> bool:
        """Return whether this may be the source ``known``; ``given`` compares the counted texts when it reads them."""
        return known == self.description
