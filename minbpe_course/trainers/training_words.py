"""The words that training begins with, whatever they are counted from, and how they were cut.

a text, files, texts      counted now, as pattern and special tokens say
word counts               taken as they are; pattern and special tokens go into the model
a counts file             taken as it is; it knows its pattern and its special tokens itself
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from minbpe_course.counting.count_words import Source, count_words
from minbpe_course.counting.counts_file import CountsFile
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import DifferentCounts, InvalidOption
from minbpe_course.resources import memory as amounts
from minbpe_course.text.patterns import named_pattern

if TYPE_CHECKING:
    from minbpe_course.counting.bounded import CountProgress


class _Unsaid(str):
    """A pattern that nobody has typed: it gives way to that of a counts file."""


DEFAULT_PATTERN = _Unsaid("cl100k_base")


class TrainingWords(NamedTuple):
    """Words with their counts, the regular expression that cut them, and the special tokens they do not reach over."""

    counts: WordCounts
    pattern: str | None
    special_tokens: list[str]


def words_of(
    source: Source,
    pattern: str | None,
    special_tokens: list[str],
    *,
    engine: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    memory: int | str | None = None,
    progress: Callable[[CountProgress], object] | None = None,
    num_threads: int | None = None,
) -> TrainingWords:
    """Count the words of a source, or take the counts that it is. Raises DifferentCounts, and what ``count_words``
    raises.

    >>> words_of({"low": 5}, DEFAULT_PATTERN, []).counts[b"low"]
    5
    """
    counted = counts_file_of(source)
    if counted is not None:
        if engine is not None:
            raise InvalidOption("engine= is for counting, and these words are counted. Leave it away.")
        from minbpe_course.counting.counts_file.loading import loaded

        cut = cut_of(counted, pattern, special_tokens)
        return TrainingWords(loaded(counted, amounts.parsed(memory)), *cut)
    expression = None if pattern is None else named_pattern(pattern)
    kept = all(option is None for option in (engine, checkpoint, memory))
    words = count_words(
        source,
        pattern=pattern,
        special_tokens=special_tokens,
        num_threads=num_threads,
        memory=memory,
        checkpoint=None if checkpoint is None else Path(checkpoint, "counts"),
        engine=engine,
        # Whoever has only asked to see merges is not surprised by something else.
        progress=None if kept else progress,
    )
    return TrainingWords(words, expression, special_tokens)


def counts_file_of(source: Any) -> CountsFile | None:
    """Return the counts file that a source is, or names; None for anything else.

    >>> counts_file_of("a text") is None
    True
    """
    from minbpe_course.counting.counts_file import is_counts_file

    if isinstance(source, CountsFile):
        return source
    return CountsFile(source) if isinstance(source, PathLike) and is_counts_file(source) else None


def cut_of(counts: CountsFile, pattern: str | None, special_tokens: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return pattern and special tokens of a counts file: those asked for must be the same, or not be asked for.

    Raises DifferentCounts, which says what to type.
    """
    if not isinstance(pattern, _Unsaid):
        asked = None if pattern is None else named_pattern(pattern)
        if asked != counts.pattern:
            raise DifferentCounts(
                f"the words of {counts.path} were cut with the pattern {counts.pattern!r}, not with {asked!r}.\n"
                f"Leave pattern away, so that the file's is taken, or say pattern={counts.pattern!r}; for another one "
                "the text has to be counted again."
            )
    if special_tokens and set(special_tokens) != set(counts.special_tokens):
        theirs = list(counts.special_tokens)
        raise DifferentCounts(
            f"the words of {counts.path} were counted with special_tokens={theirs!r}, not with "
            f"{list(special_tokens)!r}.\nLeave special_tokens away, so that the file's are taken, or say "
            f"special_tokens={theirs!r}; with others the text has to be counted again."
        )
    return counts.pattern, list(special_tokens or counts.special_tokens)
