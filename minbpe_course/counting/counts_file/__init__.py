"""Counts files: how often each word occurs, stored, merged and pruned, so that the text is no longer needed.

A counts file contains neither dates nor names: the same text in the same order gives the same bytes, with any number
of threads, workers and spills. ``docs/counts-file.md`` specifies the format byte by byte; ``layout`` has its constants,
and ``blocks`` reads and writes it.
"""

from __future__ import annotations

from minbpe_course.counting.counts_file.layout import Header
from minbpe_course.counting.counts_file.merging import merge_counts, merge_runs, prune_counts
from minbpe_course.counting.counts_file.reading import CountsFile, is_counts_file, open_counts
from minbpe_course.counting.counts_file.writing import run_bytes, write_counts, write_run

__all__ = [
    "CountsFile",
    "Header",
    "is_counts_file",
    "merge_counts",
    "merge_runs",
    "open_counts",
    "prune_counts",
    "run_bytes",
    "write_counts",
    "write_run",
]
