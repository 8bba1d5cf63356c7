"""Counts files: how often each word occurs, kept, merged and pruned, so that the text can be forgotten.

    open_counts       a file as a mapping from words to counts, streamed
    write_counts      word counts into a file
    merge_counts      the sum of several files, as if their texts stood one behind the other
    prune_counts      without the rare words; the file says what is gone
    run_bytes, write_run, merge_runs     what counting itself is made of

A counts file knows neither when nor where it was made: the same text in the same order gives the same bytes, however
many threads, workers and spills there were. ``docs/counts-file.md`` is the format, byte by byte.
"""

from __future__ import annotations

from minbpe_course.counting.counts_file.layout import Dropped, Header
from minbpe_course.counting.counts_file.merging import merge_counts, merge_runs, prune_counts
from minbpe_course.counting.counts_file.reading import CountsFile, open_counts
from minbpe_course.counting.counts_file.writing import run_bytes, write_counts, write_run

__all__ = [
    "CountsFile",
    "Dropped",
    "Header",
    "merge_counts",
    "merge_runs",
    "open_counts",
    "prune_counts",
    "run_bytes",
    "write_counts",
    "write_run",
]
