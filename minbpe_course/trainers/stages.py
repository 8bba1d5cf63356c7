"""Training in stages: first inside words, then across them, as ``reference.superwords`` does it.

    phrases        by the way, by the way, by the by
    stage 1        by 4   the 3   way 2                    merges inside the words of the phrases
    stage 2        by| the| way 2      by| the 1           continues in the parts where tokens meet often

``phrases`` cuts phrases into words and parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from minbpe_course.errors import InvalidOption, InvalidPattern, UnsupportedPattern
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import PATTERNS, close_names, named_pattern


class Stage(NamedTuple):
    """A stage of training: the tokens that there are after it, and what cuts the words of the next one into its own."""

    size: int
    splitter: Splitter


def stages_of(stages: Iterable[tuple[int, str | None]], vocab_size: int) -> list[Stage]:
    """Return the stages before the last one, which reaches ``vocab_size``. Raises InvalidOption, InvalidPattern."""
    if not isinstance(stages, Iterable):
        raise InvalidOption(f"stages is a list of (tokens to reach, pattern), got {stages!r}.")
    found: list[Stage] = []
    for stage in stages:
        try:
            size, pattern = stage
        except (TypeError, ValueError):
            raise InvalidOption(f"a stage is (tokens to reach, pattern), got {stage!r}.") from None
        least = found[-1].size if found else 256
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not least <= size <= vocab_size:
            raise InvalidOption(
                f"the stage {stage!r} should reach from {least:,} to {vocab_size:,} tokens: a stage has at least the "
                "tokens of the one before it, and at most those of the vocabulary without special tokens."
            )
        if pattern is not None and pattern not in PATTERNS and (meant := close_names(pattern)):
            raise InvalidPattern(f"the pattern of the stage {stage!r} looks like a name. Did you mean {meant[0]!r}?")
        splitter = Splitter(None if pattern is None else named_pattern(pattern))
        try:
            for run in Splitter(None).runs("a"):
                splitter.parts(run)
        except UnsupportedPattern as error:
            raise InvalidOption(f"{error} Use another pattern for this stage, such as 'cl100k_base'.") from None
        found.append(Stage(int(size), splitter))
    return found
