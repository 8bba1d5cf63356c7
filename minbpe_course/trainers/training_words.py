"""The word counts that training begins with, and the pattern and special tokens that go into the model.

a text, files, texts      counted now, as pattern and special tokens say
word counts               used as they are
a counts file             used as it is; it contains its pattern and its special tokens
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.count_words import Source, count_split, count_words
from minbpe_course.counting.counts_file import CountsFile, is_counts_file
from minbpe_course.counting.sources import texts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidOption, InvalidSource
from minbpe_course.resources.threads import threads_of
from minbpe_course.splitting.blocks import TextBlock, blocks
from minbpe_course.splitting.splitter import Splitter, must_be_text
from minbpe_course.text.patterns import named_pattern
from minbpe_course.text.special_places import Finder
from minbpe_course.trainers.phrases import CountedRun, counted_runs


class _Default(str):
    """A pattern that the caller did not give: the one of a counts file takes precedence."""


DEFAULT_PATTERN = _Default("cl100k_base")


def is_default(pattern: str | None) -> bool:
    """Return whether the caller gave no pattern."""
    return isinstance(pattern, _Default)


def pattern_of_phrases(pattern: str | None) -> str | None:
    """Return the pattern of the last of several stages: "superwords", unless the caller gave one."""
    return _Default("superwords") if isinstance(pattern, _Default) else pattern


class TrainingWords(NamedTuple):
    """Word counts, the regular expression that cut the words, and the special tokens that no word reaches across."""

    counts: WordCounts
    pattern: str | None
    special_tokens: list[str]


def words_of(
    source: Source,
    pattern: str | None,
    special_tokens: list[str],
    num_threads: int | None = None,
    *,
    progress: Callable[[Any], object] | None = None,
    **bounds: Any,
) -> TrainingWords:
    """Count the words of a source, or return the counts that it contains.

    bounds : engine, memory and checkpoint, as of ``train``; without any, ``progress`` is not called.

    Raises InvalidSource, InvalidOption, and what ``count_words`` raises.
    """
    counted = counts_file_of(source)
    if counted is not None:
        threads_of(num_threads)
        if bounds.get("engine") is not None:
            raise InvalidOption("engine= is for counting, and these words are counted already. Leave it out.")
        cut = cut_of(counted, pattern, special_tokens)
        return TrainingWords(counted.load(), *cut)
    expression = None if pattern is None else named_pattern(pattern)
    if isinstance(source, Mapping):
        threads_of(num_threads)
        return TrainingWords(count_words(source), expression, special_tokens)
    warn_if_path(source)
    if any(option is not None for option in bounds.values()):
        bounds["progress"] = progress
    if bounds.get("checkpoint") is not None:
        bounds["checkpoint"] = Path(bounds["checkpoint"], "counts")
    words = count_split(source, Splitter(expression), special_tokens, num_threads, **bounds)
    assert isinstance(words, WordCounts), "only output= makes a counts file"
    return TrainingWords(words, expression, special_tokens)


class TrainingPhrases(NamedTuple):
    """Phrases to cut into words: blocks of text with the splitter that cuts phrases from them, or counted phrases.

    pattern, special_tokens : as of TrainingWords.
    """

    phrases: Iterable[TextBlock | CountedRun]
    splitter: Splitter
    pattern: str | None
    special_tokens: list[str]


def phrases_of(
    source: Source,
    pattern: str | None,
    special_tokens: list[str],
    num_threads: int | None = None,
    *,
    progress: Callable[[Any], object] | None = None,
    **bounds: Any,
) -> TrainingPhrases:
    """Return the phrases of a source: those of a text as they come, others counted.

    Phrases are counted in bounded memory, and where a text cannot be cut into blocks. bounds : as for ``words_of``,
    which lists the errors.
    """
    if not isinstance(source, Mapping) and counts_file_of(source) is None and set(bounds.values()) <= {None}:
        splitter = Splitter(None if pattern is None else named_pattern(pattern))
        if splitter.cut_places is not None:
            warn_if_path(source)
            parts = map(must_be_text, texts(source, splitter.pattern, special_tokens))
            found = blocks(parts, splitter.cut_places, Finder(special_tokens))
            return TrainingPhrases(found, splitter, splitter.pattern, special_tokens)
    words = words_of(source, pattern, special_tokens, num_threads, progress=progress, **bounds)
    return TrainingPhrases(counted_runs(words.counts), Splitter(None), words.pattern, words.special_tokens)


def counts_file_of(source: Any) -> CountsFile | None:
    """Return a source that is a counts file, or a path of one, as CountsFile; None for anything else."""
    if isinstance(source, CountsFile):
        return source
    return CountsFile(source) if isinstance(source, PathLike) and is_counts_file(source) else None


def cut_of(counts: CountsFile, pattern: str | None, special_tokens: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the pattern and the special tokens of a counts file.

    Raises InvalidSource when the caller gave others.
    """
    if not isinstance(pattern, _Default):
        asked = None if pattern is None else named_pattern(pattern)
        if asked != counts.pattern:
            raise InvalidSource(
                f"the words of {counts.path} were cut with the pattern {counts.pattern!r}, not with {asked!r}.\n"
                f"Leave pattern out, so that the file's is taken, or say pattern={counts.pattern!r}; for another one "
                "the text has to be counted again."
            )
    if special_tokens and set(special_tokens) != set(counts.special_tokens):
        theirs = list(counts.special_tokens)
        raise InvalidSource(
            f"the words of {counts.path} were counted with special_tokens={theirs!r}, not with "
            f"{list(special_tokens)!r}.\nLeave special_tokens out, so that the file's are taken, or say "
            f"special_tokens={theirs!r}; with others the text has to be counted again."
        )
    return counts.pattern, list(special_tokens or counts.special_tokens)
