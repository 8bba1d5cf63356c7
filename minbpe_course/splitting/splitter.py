"""From text to words: the bytes of a text and where each of its words ends.

    "Hello world"  ->  72 101 108 108 111 32 119 111 114 108 100     uint8
                                       5                     11      int64, one past each word

Published patterns and their variants run on the window scanners, every other regular pattern on its table
(``pattern_table``). Other patterns run on the ``regex`` library, which is correct and slower.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import regex

from minbpe_course.errors import (
    InvalidPattern,
    InvalidText,
    NotText,
    SlowPattern,
    UnsupportedPattern,
)
from minbpe_course.kernels.common.memory import Block, padded
from minbpe_course.kernels.lazy import layout, machine, split, table
from minbpe_course.splitting.cut_places import CutPlaces
from minbpe_course.splitting.pattern_table import NotRegular, PatternTable, compile_table
from minbpe_course.splitting.window_families import classes_of, variant_of
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.text.pattern_reading import MOST_PARTS, REGEX, read_pattern
from minbpe_course.text.regex_runner import runner_for

# Long texts are handed on in runs of this many words, so that memory stays bounded by the text itself.
RUN = 1 << 16

# Counts, which engines write out before they search, and calls of groups, which may do so without end. With the flag x,
# a comment may stand inside a count.
_COUNT = regex.compile(r"\{([\s\d,]*\d[\s\d,]*)\}")
_CALL = regex.compile(r"\(\?(?:R\)|[+-]?\d+\)|&|P>)|\{[\s\d,]*#")


class Words(NamedTuple):
    """A run of words: ``text[start:ends[0]]`` is the first, ``ends[:number]`` are valid.

    text : uint8[n] · words : uint64, the same memory with zeros after the text · ends : int64.
    """

    text: np.ndarray
    words: np.ndarray
    start: int
    ends: np.ndarray
    number: int

    def size(self) -> int:
        """Return the number of bytes of all words."""
        return int(self.ends[self.number - 1]) - self.start if self.number else 0


def must_be_text(text: str) -> str:
    """Return ``text`` if it is a str. Raises NotText."""
    if not isinstance(text, str):
        raise NotText(_not_text(text))
    return text


def must_be_batch(texts: Iterable[str]) -> Iterable[str]:
    """Return ``texts`` unless it is one str, whose characters would be the texts. Raises NotText."""
    if isinstance(texts, str):
        raise NotText("a batch is a list of texts, got one str; for one text call encode(text).")
    try:
        iter(texts)
    except TypeError:
        raise NotText(f"a batch is a list of texts, got {type(texts).__name__}: encode_batch([text]).") from None
    return texts


def _not_text(given: object) -> str:
    """Say what is wrong with a text that is not a str, and what to type."""
    if given is None:
        return "text must be a str, got None: the text is missing. An empty text is ''."
    wrong = f"text must be a str, got {type(given).__name__}"
    if isinstance(given, (bytes, bytearray, memoryview)):
        return f"{wrong}; decode it first: bytes(data).decode('utf-8')."
    if isinstance(given, PathLike):
        return f"{wrong}; read the file first: path.read_text(encoding='utf-8')."
    if isinstance(given, Iterable):
        return f"{wrong}; give one text at a time, or all of them to a method for batches: encode_batch(texts)."
    return f"{wrong}; convert it first: str(value)."


def utf8(text: str) -> bytes:
    """Return the UTF-8 bytes of ``text``.

    Raises NotText for anything but a str, InvalidText for a lone surrogate.
    """
    must_be_text(text)
    try:
        # The method of str itself: a subclass may have another one.
        return str.encode(text, "utf-8")
    except UnicodeEncodeError as error:
        raise InvalidText(
            f"the text has no UTF-8 form: position {error.start} holds the lone surrogate {text[error.start]!r}.\n"
            "To replace such characters as tiktoken does:\n"
            "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        ) from None


def utf8_or_bytes(text: Any) -> bytes:
    """Return the bytes to encode. SentencePiece takes bytes that are not UTF-8, too.

    Raises NotText, InvalidText.
    """
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise NotText(f"text is a str or bytes, got {type(text).__name__}; a list of them is a batch.")
    return utf8(text)


def repaired(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates by U+FFFD, as tiktoken does before encoding."""
    try:
        str.encode(text, "utf-8")
    except UnicodeEncodeError:
        pass
    else:
        return text
    return str.encode(text, "utf-16", "surrogatepass").decode("utf-16", "replace")


class Splitter:
    """Cuts text into words by a split pattern.

    pattern : a regular expression, or None if the whole text is one word · engine : the library whose dialect and
    Unicode tables apply, one of ``unicode_tables.ENGINES``: "tiktoken" or "regex"; by default the one that the pattern
    comes from.

    A pattern that the engine rejects, or that cannot be run exactly as the engine would, raises InvalidPattern at once.
    Text between matches raises InvalidPattern later, since it would be lost silently; with ``keep_all=False`` it is
    dropped, as in tiktoken. With a pattern that only ``regex`` can run, encoding is some 45 times slower (measured on
    1 MB of English and code); the warning SlowPattern says so once.

    variant : the window scanner's variant for a published pattern, or for one like it (``window_families``), or None ·
    table : the table of a regular pattern that is not published, or None · direct : whether an encoder may split text
    itself, in its own call (see ``prepare``).

    >>> [bytes(w.text[w.start : w.ends[0]]) for w in Splitter(None).runs("hi you")]
    [b'hi you']
    """

    def __init__(self, pattern: str | None, *, keep_all: bool = True, engine: str | None = None) -> None:
        if engine is not None and engine not in unicode_tables.ENGINES:
            known = ", ".join(map(repr, unicode_tables.ENGINES))
            raise InvalidPattern(f"there are no Unicode tables of {engine!r}; known are those of {known}.")
        if pattern is not None:
            pattern = patterns.checked_pattern(pattern)
        self.pattern = pattern
        self.engine = engine or patterns.engine_of(pattern or "")
        self.keep_all = keep_all
        self.variant = None if pattern is None else patterns.scanner_for(pattern)
        self.table: PatternTable | None = None
        self._spans: Callable[[str], Iterator[tuple[int, int]]] | None = None
        if pattern is not None and self.variant is None:
            self._choose(pattern)
        regular = self.table is not None and not self.table.starts.size and not (keep_all and self.table.gaps)
        self.direct = self.variant is not None or regular

    def _choose(self, pattern: str) -> None:
        """Find out how to run a pattern without a scanner: by its table or, without a table, by ``regex``."""
        compiled = compile_pattern(pattern) if self.engine == REGEX else None
        try:
            self.table = compile_table(pattern, self.engine)
            self.variant = variant_of(self.table, self.engine)
            return
        except (NotRegular, InvalidPattern) as error:
            reason = error
        try:
            self._spans = runner_for(pattern, self.engine).spans
        except InvalidPattern:
            if compiled is None:
                raise
            self._spans = lambda text: (match.span() for match in compiled.finditer(text))
        _warn(pattern, str(reason).partition("\n")[0].rstrip("."))

    @property
    def cut_places(self) -> CutPlaces | None:
        """The places where texts may be cut, or None if no kernel runs the pattern, or if it looks behind or leaves
        gaps."""
        if self.pattern is None or (self.table is None and self.variant is None):
            return None
        return _places_of(self.pattern, self.engine, self.variant, self.table is None)

    def prepare(self, block: Block) -> None:
        """Let the encoder of this block split by this pattern, if it may (``direct``), or else take words as given."""
        kernel = split.given_words
        if self.direct:
            kernel = table.split_by_table if self.variant is None else split.split_words
        block.splitter = kernel.address
        if self.variant is not None:
            block.family, block.classes = self.variant, classes_of(self.variant, self.engine)
        if self.table is not None:
            self.table.prepare(block)

    def runs(self, text: str) -> Iterator[Words]:
        """Yield the words of ``text`` in runs; an empty text yields none."""
        data, words = padded(utf8(text))
        if data.size == 0:
            return
        if self.pattern is None:
            yield Words(data, words, 0, np.array([data.size], dtype=np.int64), 1)
        elif self._spans is None:
            yield from self._scanned(text, data, words)
        else:
            yield from self._matched(text)

    def split_stretches(self, stretches: np.ndarray, words: np.ndarray, ends: np.ndarray) -> int:
        """Write where the words of stretches of UTF-8 end; return how many there are.

        stretches : int64, the addresses of the begin and the end of each · words : uint64, the memory that they are in,
        with AHEAD bytes after the last · ends : int64 with room for an end for each byte, and SLACK. For a splitter
        with cut places.
        """
        assert self.cut_places is not None, "other patterns have no kernel, leave gaps or look behind"
        block = Block(layout.BLOCK)
        self.prepare(block)
        block.base = words.ctypes.data
        block.limit = block.base + 8 * words.size
        return int(split.split_stretches(block.address, stretches, ends))

    def words(self, text: str) -> list[bytes]:
        """Return the words of ``text`` as byte strings."""
        found = []
        for run in self.runs(text):
            data = run.text.tobytes()
            begin = run.start
            for end in run.ends[: run.number].tolist():
                found.append(data[begin:end])
                begin = end
        return found

    def parts(self, run: Words) -> tuple[Words, np.ndarray]:
        """Split each word of a run by itself; return all parts, and how many there are up to the end of each word.

        Text between matches is a part as well. Raises UnsupportedPattern for a pattern that has no table.

        >>> run = next(Splitter(r"[a-z ]+|[^a-z ]+").runs("low lower, new"))
        >>> parts, stops = Splitter(r" ?\\w+|\\W").parts(run)
        >>> parts.ends[: parts.number].tolist(), stops.tolist()
        ([3, 9, 10, 14], [2, 3, 4])
        """
        if self.pattern is None or not run.number:
            return run, np.arange(1, run.number + 1)
        if self.variant is None and self.table is None:
            try:
                compile_table(self.pattern, self.engine)
            except NotRegular as error:
                raise UnsupportedPattern(f"{self.pattern!r} cannot split words again: {error}.") from None
        if self.table is not None and self.table.starts.size:
            raise UnsupportedPattern(f"{self.pattern!r} cannot split words again: it looks at the text before a word.")
        block = Block(layout.BLOCK)
        self.prepare(block)
        if self.variant is None:
            block.splitter = table.split_by_table.address
        return cut_parts(run, block)

    def _scanned(self, text: str, data: np.ndarray, words: np.ndarray) -> Iterator[Words]:
        begin = data.ctypes.data
        block = Block(layout.BLOCK)
        self.prepare(block)
        block.at, block.end, block.limit, block.base = begin, begin + data.size, begin + 8 * words.size, begin
        kernel = table.split_by_table if self.variant is None else split.split_words
        start = 0
        while start < data.size:
            # Each run gets its own array, since callers may keep several runs.
            room = min(data.size - start, RUN)
            ends = np.empty(room + layout.SLACK, dtype=np.int64)
            block.ends, block.room = ends, room
            number = machine.run(kernel.address, block.address)
            run = Words(data, words, start, ends, number)
            start = block.at - begin
            if self.table is not None and self.table.gaps:
                run = self._without_gaps(text, run)
            if run.number:
                yield run

    def _without_gaps(self, text: str, run: Words) -> Words:
        """Return the run without text between words, of which ``ends`` has a bit; refuse it if all is to be kept."""
        ends = run.ends[: run.number]
        kept = ends < layout.GAP
        if kept.all():
            return run
        ends &= ~layout.GAP
        sizes = np.diff(ends, prepend=run.start)
        if self.keep_all:
            number = int(np.argmin(kept))
            before = len(run.text[: ends[number] - sizes[number]].tobytes().decode("utf-8"))
            gap = run.text[ends[number] - sizes[number] : ends[number]].tobytes().decode("utf-8")
            self._refuse(text, before, before + len(gap))
        inside = run.text[run.start : ends[-1]][np.repeat(kept, sizes)]
        return Words(*padded(inside.tobytes()), 0, np.cumsum(sizes[kept]), int(kept.sum()))

    def _matched(self, text: str) -> Iterator[Words]:
        pieces: list[bytes] = []
        seen = 0
        assert self._spans is not None
        for begin, end in self._spans(text):
            if begin > seen and self.keep_all:
                self._refuse(text, seen, begin)
            seen = end
            if end > begin:
                pieces.append(text[begin:end].encode("utf-8"))
            if len(pieces) == RUN:
                yield _joined(pieces)
                pieces = []
        if seen < len(text) and self.keep_all:
            self._refuse(text, seen, len(text))
        if pieces:
            yield _joined(pieces)

    def _refuse(self, text: str, start: int, end: int) -> None:
        assert self.pattern is not None
        meant = patterns.close_names(self.pattern)
        if meant:
            advice = f"Did you mean the pattern of that name? pattern = {' or '.join(map(repr, meant))}"
        else:
            complete = f"{self.pattern}|[\\s\\S]"
            advice = f"Give the rest of the characters a word too: pattern = {complete!r}"
        raise InvalidPattern(
            f"the split pattern {self.pattern[:200]!r} matches nothing at position {start}: "
            f"{text[start : min(end, start + 40)]!r} would be lost.\n{advice}"
        )


def cut_parts(run: Words, block: Block) -> tuple[Words, np.ndarray]:
    """Return the parts of words that are split, each by itself, by the splitter of a block, and how many parts there
    are up to the end of each word, int64."""
    begin = run.text.ctypes.data
    block.at, block.base, block.limit = begin + run.start, begin, begin + 8 * run.words.size
    stops = run.ends[: run.number].copy()
    block.given, block.given_left = stops, run.number
    block.ends = found = np.empty(run.size() + layout.SLACK, dtype=np.int64)
    return run._replace(ends=found, number=machine.run(table.split_parts.address, block.address)), stops


@lru_cache(maxsize=16)
def _places_of(pattern: str, engine: str, variant: int | None, published: bool) -> CutPlaces | None:
    if published:
        return CutPlaces.of_families(unicode_tables.character_classes(engine))
    return CutPlaces.of_table(compile_table(pattern, engine), near=variant is not None)


@lru_cache(maxsize=1024)
def _warn(pattern: str, reason: str) -> None:
    """Say once for each pattern that it is slow. The warning names the line that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("minbpe_course", "functools")):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"the split pattern {pattern[:200]!r} runs on the regex library: on one core, and some 45 times slower than a "
        f"pattern with a table.\nWhy: {reason}.\n"
        r"Fast are sets, alternatives, repetitions, and looks at one character, as in \s+(?!\S).",
        SlowPattern,
        stacklevel=level,
    )


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> regex.Pattern:
    """Compile a split pattern. Raises InvalidPattern with the place of the mistake, UnsupportedPattern."""
    pattern = patterns.checked_pattern(pattern)
    if _may_be_large(pattern):
        try:
            read_pattern(pattern, REGEX)
        except InvalidPattern as error:
            raise UnsupportedPattern(
                f"regex may need memory without end for a split pattern with large counts or calls of groups: {error}"
            ) from None
    try:
        return regex.compile(pattern)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        # The last three are its parser's: repetitions of thousands of digits, thousands of brackets in each other.
        raise InvalidPattern(
            f"the split pattern is not a regular expression: {error}.\nThe pattern: {pattern[:1000]!r}"
        ) from None


def _may_be_large(pattern: str) -> bool:
    """Tell whether a pattern may have more than MOST_PARTS parts in any dialect: its length times all its counts."""
    size = len(pattern)
    for found in _COUNT.finditer(pattern):
        size *= max(1, *(int("".join(number.split())[:18] or 0) for number in found[1].split(",")))
        if size > MOST_PARTS:
            return True
    return _CALL.search(pattern) is not None


def _joined(pieces: list[bytes]) -> Words:
    ends = np.cumsum(np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces)))
    return Words(*padded(b"".join(pieces)), 0, ends, len(pieces))
