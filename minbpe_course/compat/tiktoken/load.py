"""The door for programs that say ``from tiktoken.load import ...``; the room behind it is ``vocabularies.rank_files``.

>>> from minbpe_course.compat.tiktoken.load import load_tiktoken_bpe
"""

from minbpe_course.vocabularies.rank_files import (
    check_hash,
    data_gym_to_mergeable_bpe_ranks,
    dump_tiktoken_bpe,
    load_tiktoken_bpe,
    read_file,
    read_file_cached,
)

__all__ = [
    "check_hash",
    "data_gym_to_mergeable_bpe_ranks",
    "dump_tiktoken_bpe",
    "load_tiktoken_bpe",
    "read_file",
    "read_file_cached",
]
