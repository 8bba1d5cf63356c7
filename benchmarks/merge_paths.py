"""Which of the two ways of merging a word is faster, by length and script: python -m benchmarks.merge_paths

kernels.encoding merges a word by looking at all its pairs, or with a heap; both give the same ids, which is checked
first. A number above 1 means that the heap is faster. SHORT and SHORT_NOT_ASCII follow from this table.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import numpy as np
from numba import njit

from minbpe_course import get_encoding
from minbpe_course.corpus.texts import cldr_names, course_text
from minbpe_course.kernels import encoding as kernel

LENGTHS = (6, 9, 12, 16, 24, 32, 48, 64, 96, 128, 192)
SCRIPTS = {"Cyrillic": "ru uk bg", "Greek, Arabic, Hindi": "el ar hi", "Chinese, Japanese, Thai": "zh ja th"}
ROUNDS, WORDS = 7, 3000


@njit
def merge_all(with_heap, text, starts, length, byte_ids, pair_table, scratch, out):
    total = 0
    n = length
    for start in starts:
        end = start + length
        if with_heap:
            a, b, c, heap = scratch[:n], scratch[n : 2 * n], scratch[2 * n : 3 * n], scratch[3 * n : 6 * n]
            total += kernel._merge_long(text, start, end, byte_ids, pair_table, a, b, c, heap, out, 0)
        else:
            ids, values = scratch[:n], scratch[n : 2 * n]
            total += kernel._merge_short(text, start, end, byte_ids, pair_table, ids, values, out, 0)
    return total


def texts() -> dict[str, bytes]:
    names = cldr_names()
    found = {"ASCII letters": "".join(filter(str.isalpha, course_text())).encode("ascii", "ignore")}
    for script, languages in SCRIPTS.items():
        text = "".join(value for code, value in names.items() if code[:2] in languages.split())
        found[script] = "".join(text.split()).encode("utf-8")
    return found


def ratio(tables, data: bytes, length: int) -> float:
    text = np.frombuffer(data, dtype=np.uint8)
    starts = np.random.default_rng(0).integers(0, text.size - length, WORDS)
    out, scratch = np.empty(length + 1, dtype=np.uint32), np.empty(6 * length, dtype=np.int64)
    rest = (text, starts, length, tables.byte_ids, tables.pair_table, scratch, out)
    if merge_all(False, *rest) != merge_all(True, *rest):
        raise SystemExit("the two ways differ; there is nothing to time")
    ratios = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        merge_all(False, *rest)
        middle = time.perf_counter()
        merge_all(True, *rest)
        ratios.append((middle - begin) / (time.perf_counter() - middle))
    return statistics.median(ratios)


def main() -> None:
    lines = [
        "# Looking at all pairs, or a heap",
        "",
        f"`python -m benchmarks.merge_paths`: time of looking at all pairs over time of the heap, median of {ROUNDS}",
        f"interleaved rounds over {WORDS:,} words cut anywhere. Above 1 the heap is faster.",
        "",
        "| vocabulary | script | " + " | ".join(f"{length} bytes" for length in LENGTHS) + " |",
        "|---|---|" + "---|" * len(LENGTHS),
    ]
    for name in ("cl100k_base", "o200k_base"):
        tables = get_encoding(name)._engine.tables
        for script, data in texts().items():
            cells = " | ".join(f"{ratio(tables, data, length):.2f}" for length in LENGTHS)
            lines.append(f"| {name} | {script} | {cells} |")
    Path(__file__).with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
