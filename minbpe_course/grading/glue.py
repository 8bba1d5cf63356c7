"""What turns the answers to lessons 01 to 05 into a tokenizer: the lines that belong to no single exercise.

They stand in ``collected_module.txt``, beside this file, and follow the answers in the collected module when every
answer that they call has a place in it, be it a blank.
"""

from __future__ import annotations

import builtins
from collections.abc import Set
from functools import lru_cache
from pathlib import Path

from minbpe_course.files import read_whole
from minbpe_course.grading.definitions import bound, needed, parse


@lru_cache(maxsize=1)
def glue() -> tuple[str, frozenset[str]]:
    """Return the source, and the names of the answers that it calls.

    >>> "split_words" in glue()[1]
    True
    """
    source = read_whole(Path(__file__).with_name("collected_module.txt")).decode("utf-8").replace("\r\n", "\n")
    statements = parse(source)
    return source, frozenset(needed(statements) - bound(statements) - set(dir(builtins)))


def glue_for(entries: Set[str]) -> str:
    """Return the source that follows the answers; nothing when one that it calls is not among them.

    >>> glue_for(set())
    ''
    """
    source, needs = glue()
    return source if entries >= needs else ""
