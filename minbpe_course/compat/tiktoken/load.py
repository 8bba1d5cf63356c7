"""``tiktoken.load``: reading and writing files of ranks."""

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
