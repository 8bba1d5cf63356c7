"""``count_words``, the entry point of this package: word counts are all that training needs to know about a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.word_counter import WordCounter, special_texts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.errors import InvalidOption
from minbpe_course.resources.threads import threads_of
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import named_pattern

if TYPE_CHECKING:
    from minbpe_course.counting.bounded import CountProgress
    from minbpe_course.counting.counts_file import CountsFile

Source: TypeAlias = "str | PathLike[str] | Iterable[str | PathLike[str]] | Mapping[bytes, int] | Mapping[str, int]"


@overload
def count_words(
    source: Source,
    *,
    pattern: str | None = ...,
    special_tokens: Iterable[str] = ...,
    num_threads: int | None = ...,
    memory: int | str | None = ...,
    checkpoint: str | PathLike[str] | None = ...,
    engine: Any = ...,
    min_frequency: int = ...,
    output: None = ...,
    progress: Callable[[CountProgress], object] | None = ...,
) -> WordCounts: ...


@overload
def count_words(
    source: Source,
    *,
    pattern: str | None = ...,
    special_tokens: Iterable[str] = ...,
    num_threads: int | None = ...,
    memory: int | str | None = ...,
    checkpoint: str | PathLike[str] | None = ...,
    engine: Any = ...,
    min_frequency: int = ...,
    output: str | PathLike[str],
    progress: Callable[[CountProgress], object] | None = ...,
) -> CountsFile: ...


def count_words(
    source: Source,
    *,
    pattern: str | None = "cl100k_base",
    special_tokens: Iterable[str] = (),
    num_threads: int | None = None,
    memory: int | str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    engine: Any = None,
    min_frequency: int = 1,
    output: str | PathLike[str] | None = None,
    progress: Callable[[CountProgress], object] | None = None,
) -> WordCounts | CountsFile:
    """Count the words of a text, of files, or of an iterable of texts, even of more text than fits in memory.

    source : a str is text; a Path is a UTF-8 file, compressed or not; an iterable may mix both; a Corpus reads files
    with options. A mapping from words to counts, or a counts file, is taken as it is. pattern : a regular expression,
    the name of a known one, or None for no splitting. special_tokens : hard borders, not counted. num_threads : how
    many cores count, by default all; the result is the same.

    memory : bytes, or a str such as "64MB", that counting should not exceed; counts that do not fit go to disk. The
    result needs additional memory unless ``output`` is given. By default all distinct words are kept in memory, unless
    one of the next three is given. checkpoint : a folder for the state of the work; if it is interrupted for any
    reason, the same call continues. engine : a Dask client whose workers count. output : a file for the counts, which
    are then returned as a CountsFile.

    min_frequency : rarer words are left out, and ``dropped`` says how many. progress : called with a CountProgress
    about once a second and at the end; ``print`` will do.

    Warns with TextNamesFiles when a str is the name of a file. Raises InvalidSource, InvalidPattern, InvalidOption,
    UnusablePath; with a checkpoint also CountingStopped, which says how to continue, DifferentCheckpoint,
    UnreadableCheckpoint, FolderInUse; with an engine ClusterProblem, MissingPackage.

    >>> count_words("the cat in the hat")[b" the"]
    1
    """
    if isinstance(min_frequency, bool) or not isinstance(min_frequency, (int, np.integer)):
        raise InvalidOption(f"min_frequency must be a whole number, got {min_frequency!r}.")
    if min_frequency < 1:
        raise InvalidOption(f"min_frequency must be 1 or more, got {min_frequency}.")
    min_frequency = int(min_frequency)
    if isinstance(source, (Mapping, PathLike)):
        known = _known_counts(source, output, min_frequency)
        if known is not None:
            return known
    warn_if_path(source)
    splitter, specials = Splitter(None if pattern is None else named_pattern(pattern)), special_texts(special_tokens)
    more = dict(memory=memory, checkpoint=checkpoint, engine=engine, output=output, progress=progress)
    return count_split(source, splitter, specials, num_threads, min_frequency, **more)


def count_split(
    source: Source,
    splitter: Splitter,
    specials: list[str],
    num_threads: int | None = None,
    min_frequency: int = 1,
    **more: Any,
) -> WordCounts | CountsFile:
    """Count the words that a splitter finds, as ``count_words`` does; ``specials`` and ``min_frequency`` are checked.

    more : memory, checkpoint, engine, output and progress. With any of them, ``bounded`` counts.
    """
    if all(option is None for option in more.values()):
        counter = WordCounter(splitter, specials, num_threads=num_threads)
        if isinstance(source, str):
            counter.add(source)
        else:
            from minbpe_course.counting.sources import texts

            counter.add_all(texts(source, splitter.pattern, specials))
        return counter.counts().pruned(min_frequency)
    from minbpe_course.counting.bounded import count_bounded

    threads = threads_of(num_threads)
    return count_bounded(source, splitter.pattern, specials, threads=threads, min_frequency=min_frequency, **more)


def _known_counts(
    source: Mapping[Any, int] | PathLike[str], output: str | PathLike[str] | None, min_frequency: int
) -> WordCounts | CountsFile | None:
    """Return the counts that a mapping or a counts file already has; None for a file of text."""
    from minbpe_course.counting.bounded import check_output
    from minbpe_course.counting.counts_file import CountsFile, is_counts_file, prune_counts, write_counts

    if isinstance(source, PathLike):
        if not is_counts_file(source):
            return None
        source = CountsFile(source)
    check_output(output)
    if isinstance(source, CountsFile):
        if output is not None:
            return prune_counts(source.path, output, min_frequency)
        return source.load().pruned(min_frequency)
    source = source if isinstance(source, WordCounts) else WordCounts.from_mapping(source)
    if output is None:
        return source.pruned(min_frequency)
    counts = write_counts(source, output)
    return counts if min_frequency == 1 else prune_counts(output, output, min_frequency)
