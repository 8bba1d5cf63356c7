"""Word counts: all that training needs to know about a text.

The text is split into words, each distinct word is kept once with its count, and the text can then be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np
import regex

from minbpe_course.corpus.words import Splitter, Words
from minbpe_course.errors import InvalidSource, InvalidSpecialToken
from minbpe_course.files import read_whole
from minbpe_course.text.patterns import named_pattern

Source: TypeAlias = "str | PathLike[str] | Iterable[str | PathLike[str]] | Mapping[bytes, int] | Mapping[str, int]"


class WordCounts(Mapping[bytes, int]):
    """Each distinct word once, in the order first seen, with how often it occurs.

    It reads like a dict from bytes to int; the flat arrays behind it are what the trainer uses:

    text : uint8[n], the words end to end · ends : int64[w], one past each word · counts : int64[w].

    >>> counts = count_words("low low lower", pattern=r"\\S+|\\s")
    >>> dict(counts)
    {b'low': 2, b' ': 2, b'lower': 1}
    >>> counts.ends.tolist()
    [3, 4, 9]
    """

    def __init__(self, text: np.ndarray, ends: np.ndarray, counts: np.ndarray) -> None:
        self.text = text
        self.ends = ends
        self.counts = counts
        self._lookup: dict[bytes, int] | None = None

    @classmethod
    def from_mapping(cls, counts: Mapping[bytes, int] | Mapping[str, int]) -> WordCounts:
        """Take word counts that somebody else made; words may be bytes or str. Raises InvalidSource."""
        words, numbers = [], []
        total = 0
        for word, count in counts.items():
            if isinstance(word, str):
                word = word.encode("utf-8")
            if not isinstance(word, bytes):
                raise InvalidSource(f"words must be bytes or str, got {word!r}.")
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 0 < count < 1 << 62:
                raise InvalidSource(f"the count of {word!r} must be a whole number above 0, got {count!r}.")
            if word:
                words.append(word)
                numbers.append(count)
                total += len(word) * int(count)
        # The trainer adds counts of pairs in 64 bits, where too large a sum would turn negative without a word.
        if total >= 1 << 63:
            raise InvalidSource(f"the counts add up to {total:,} bytes of text, more than 64 bits can count.")
        ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)), dtype=np.int64)
        # A copy, since a read-only array is another type to Numba: the trainer would be compiled a second time for it.
        text = np.frombuffer(b"".join(words), dtype=np.uint8).copy()
        return cls(text, ends, np.array(numbers, dtype=np.int64))

    def __getitem__(self, word: bytes) -> int:
        if self._lookup is None:
            self._lookup = dict(self._pairs())
        return self._lookup[word]

    def __iter__(self) -> Iterator[bytes]:
        return (word for word, _ in self._pairs())

    def __len__(self) -> int:
        return len(self.ends)

    def __repr__(self) -> str:
        return f"WordCounts({len(self):,} distinct words, {int(self.counts.sum()):,} words)"

    def _pairs(self) -> Iterator[tuple[bytes, int]]:
        data = self.text.tobytes()
        begin = 0
        for end, count in zip(self.ends.tolist(), self.counts.tolist()):
            yield data[begin:end], count
            begin = end


class WordCounter:
    """Counts words as texts come in; give it text with ``add`` and take the counts with ``counts``.

    ``special_tokens`` are hard borders: they are cut out and not counted.
    """

    def __init__(self, splitter: Splitter, special_tokens: Iterable[str] = ()) -> None:
        self._splitter = splitter
        specials = sorted(special_texts(special_tokens), key=len, reverse=True)
        self._border = regex.compile("|".join(map(regex.escape, specials))) if specials else None
        self._table = np.full(1 << 12, -1, dtype=np.int64)
        self._arena = np.empty(1 << 14, dtype=np.uint8)
        self._ends = np.empty(1 << 11, dtype=np.int64)
        self._counts = np.empty(1 << 11, dtype=np.int64)
        self._hashes = np.empty(1 << 11, dtype=np.uint64)
        self._state = np.zeros(2, dtype=np.int64)

    def add(self, text: str) -> None:
        """Count the words of one text."""
        parts = self._border.splititer(text) if self._border else (text,)
        for part in parts:
            for run in self._splitter.runs(part):
                self._count(run)

    def counts(self) -> WordCounts:
        """Return what has been counted so far."""
        words, used = self._state.tolist()
        return WordCounts(self._arena[:used].copy(), self._ends[:words].copy(), self._counts[:words].copy())

    def _count(self, run: Words) -> None:
        from minbpe_course.kernels import counting

        start, done = run.start, 0
        while done < run.number:
            ends = run.ends[done : run.number]
            counted = counting.count_words(
                run.text,
                start,
                ends,
                len(ends),
                1,
                self._table,
                self._arena,
                self._ends,
                self._counts,
                self._hashes,
                self._state,
            )
            done += counted
            if counted:
                start = int(ends[counted - 1])
            if done < run.number:
                self._grow(int(run.ends[done]) - start)

    def _grow(self, length: int) -> None:
        """Make room for at least one more word of ``length`` bytes; the kernel stopped because something was full."""
        from minbpe_course.kernels import counting

        words, used = self._state.tolist()
        if used + length > self._arena.size:
            self._arena = longer(self._arena, 2 * self._arena.size + length, used)
        if words + 1 > self._ends.size:
            size = 2 * self._ends.size
            self._ends, self._counts, self._hashes = (
                longer(a, size, words) for a in (self._ends, self._counts, self._hashes)
            )
        if 2 * (words + 1) > self._table.size:
            self._table = np.full(2 * self._table.size, -1, dtype=np.int64)
            counting.fill_table(self._hashes, words, self._table)


def count_words(
    source: Source, *, pattern: str | None = "cl100k_base", special_tokens: Iterable[str] = ()
) -> WordCounts:
    """Count the words of a text, of files, or of an iterable of texts.

    source : a str is text; a Path is a UTF-8 file; an iterable may mix both; a mapping from words to counts is taken
    as it is. pattern : a regular expression, the name of a known one, or None for no splitting. special_tokens : hard
    borders, not counted.

    Raises InvalidSource, InvalidPattern, UnusablePath.

    >>> count_words("the cat in the hat")[b" the"]
    1
    """
    if isinstance(source, WordCounts):
        return source
    if isinstance(source, Mapping):
        return WordCounts.from_mapping(source)
    counter = WordCounter(Splitter(None if pattern is None else named_pattern(pattern)), special_tokens)
    for text in texts(source):
        counter.add(text)
    return counter.counts()


def special_texts(special_tokens: Iterable[str]) -> list[str]:
    """Return the special tokens, each once, in the order given. Raises InvalidSpecialToken."""
    if isinstance(special_tokens, str):
        raise InvalidSpecialToken(f"give a list of special tokens: [{special_tokens!r}]")
    specials = list(dict.fromkeys(special_tokens))
    if not all(isinstance(text, str) and text for text in specials):
        raise InvalidSpecialToken(f"special tokens must be non-empty str, got {specials!r}.")
    return specials


def texts(source: Source) -> Iterator[str]:
    """Yield the texts of a source: a str, a path, or an iterable of both. Raises InvalidSource, UnusablePath."""
    if isinstance(source, str):
        yield source
    elif isinstance(source, PathLike):
        data = read_whole(source)
        try:
            yield data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidSource(
                f"{Path(source)} is not UTF-8: byte {error.start} is {data[error.start]:#04x}.\n"
                "Read it with its own encoding and pass the text: path.read_text(encoding='latin-1')"
            ) from None
    elif isinstance(source, (bytes, bytearray)):
        raise InvalidSource("train on text, not bytes: data.decode('utf-8')")
    elif isinstance(source, Iterable):
        for part in source:
            if not isinstance(part, (str, PathLike)):
                raise InvalidSource(f"an iterable source must yield str or paths, got {type(part).__name__}.")
            yield from texts(part)
    else:
        raise InvalidSource(f"cannot train on {type(source).__name__}: give a str, a Path, or an iterable of them.")


def longer(array: np.ndarray, size: int, used: int) -> np.ndarray:
    """Return an array of ``size`` entries that begins with the first ``used`` ones of ``array``.

    >>> longer(np.array([1, 2, 3]), 4, 2)[:2].tolist()
    [1, 2]
    """
    made = np.empty(size, dtype=array.dtype)
    made[:used] = array[:used]
    return made
