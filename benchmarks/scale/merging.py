"""Measure the steps after counting: merging runs, the counts file, learning merges, and the effect of pruning."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import memory
from benchmarks.scale.counting import PATTERN
from benchmarks.speed import clock_for
from minbpe_course import count_words, warm_up
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.trainers.byte_pair import learn_merges


def trained(folder: str, name: str, size: int, vocab_size: int, rounds: int, threads: int) -> dict[str, Any]:
    """Learn merges from the words of a beginning; return processor seconds and added memory."""
    warm_up()
    words = counted_in_parts(folder, name, size)
    before = memory.forget_peak()
    clock, taken = clock_for(1), []
    for _ in range(rounds):
        began = clock()
        merges = learn_merges(words, vocab_size, tie_break="smallest-pair")
        taken.append(clock() - began)
    return {
        "distinct": len(words),
        "kept": int(words.ends[-1]),
        "seconds": taken,
        "added": memory.now("VmHWM") - before,
        "merges": len(merges),
    }


def counted_in_parts(folder: str, name: str, size: int) -> WordCounts:
    """Count the words of a beginning without loading the whole text."""
    from minbpe_course.counting.word_counter import WordCounter
    from minbpe_course.splitting.splitter import Splitter
    from minbpe_course.text.patterns import named_pattern

    counter = WordCounter(Splitter(named_pattern(PATTERN)), num_threads=1)
    for text in parts_of(Path(folder, name), 1 << 24, size):
        counter.add(text)
    return counter.counts()


def reduced(folder: str, sizes: list[int], runs: int, rounds: int, threads: int) -> dict[str, Any]:
    """Sort and write runs of several sizes and merge them; return seconds, words in and out, and bytes."""
    from minbpe_course.counting.counts_file import Header, merge_runs, open_counts, run_bytes
    from minbpe_course.counting.word_counts import Rows

    warm_up()
    clock = clock_for(1)
    found = []
    with tempfile.TemporaryDirectory(dir=folder) as name, Path(folder, "all.txt").open("rb") as file:
        room = Path(name)
        for size in sizes:
            file.seek(0)
            paths, words, sorting, bytes_of_run = [], [], [], []
            for number in range(runs):
                text = (file.read(size) + file.readline()).decode("utf-8")
                counts = count_words(text, num_threads=1)
                firsts = np.cumsum(np.diff(counts.ends, prepend=0)) - np.diff(counts.ends, prepend=0)
                began = clock()
                rows = Rows(counts.text, counts.ends, counts.counts, firsts.astype(np.int64))
                data = run_bytes(rows, header=Header(PATTERN))
                sorting.append(clock() - began)
                paths.append(room / f"{size}-{number}.run")
                paths[-1].write_bytes(data)
                words.append(len(counts))
                bytes_of_run.append(len(data))
            for fan_in in [2**power for power in range(1, 10) if 2**power <= runs]:
                seconds, out = [], room / "merged.counts"
                merge_runs(paths[:1], out)  # load the kernels
                for _ in range(rounds):
                    began = clock()
                    merge_runs(paths[:fan_in], out, memory=1 << 28)
                    seconds.append(clock() - began)
                merged = open_counts(out)
                found.append(
                    {
                        "size": size, "fan_in": fan_in, "seconds": seconds, "words_in": sum(words[:fan_in]),
                        "words_out": len(merged), "bytes_in": sum(bytes_of_run[:fan_in]),
                        "bytes_out": out.stat().st_size, "sorting": statistics.median(sorting),
                        "words_of_run": statistics.median(words),
                    }
                )  # fmt: skip
            for path in paths:
                path.unlink()
    return {"merges": found}


def file_sizes(folder: str, sizes: list[int], threads: int) -> dict[str, Any]:
    """Measure counts files of growing beginnings: size, and seconds to write and to load."""
    from minbpe_course.counting.counts_file import open_counts, write_counts

    warm_up()
    clock, found = clock_for(1), []
    with tempfile.TemporaryDirectory(dir=folder) as name:
        path = Path(name, "some.counts")
        for size in sizes:
            words = counted_in_parts(folder, "all.txt", size)
            began = clock()
            write_counts(words, path, pattern=PATTERN)
            written = clock() - began
            began = clock()
            loaded = open_counts(path).load()
            read = clock() - began
            found.append(
                {
                    "bytes": size, "distinct": len(words), "kept": int(words.ends[-1]), "file": path.stat().st_size,
                    "writing": written, "loading": read, "same": dict(loaded) == dict(words) if size < 1e8 else True,
                }
            )  # fmt: skip
    return {"files": found}


def pruned(folder: str, part: int, size: int, vocab_size: int, least: list[int], threads: int) -> dict[str, Any]:
    """Measure the errors in counts and tokens if each part drops its rare words before the counts are added up."""
    warm_up()
    exact: dict[bytes, int] = {}
    kept: dict[int, dict[bytes, int]] = {each: {} for each in least}
    words_of_part = []
    for text in parts_of(Path(folder, "all.txt"), part, size):
        counts = dict(count_words(text, num_threads=1))
        words_of_part.append(len(counts))
        for word, count in counts.items():
            exact[word] = exact.get(word, 0) + count
            for each in least:
                if count >= each:
                    kept[each][word] = kept[each].get(word, 0) + count
    right = tokens_from(exact, vocab_size)
    found = {"words_of_part": statistics.median(words_of_part), "distinct": len(exact), "parts": len(words_of_part)}
    rows = []
    for each in least:
        late = {word: count for word, count in exact.items() if count >= each}
        lost = sum(count - kept[each].get(word, 0) for word, count in late.items())
        vanished = sum(word not in kept[each] for word in late)
        rows.append(
            {
                "least": each,
                "words": len(kept[each]),
                "late": len(late),
                "lost_occurrences": lost,
                "occurrences": sum(late.values()),
                "vanished": vanished,
                "same_tokens": len(right & tokens_from(kept[each], vocab_size)),
                "same_tokens_late": len(right & tokens_from(late, vocab_size)),
                "tokens": len(right),
            }
        )
    return {**found, "rows": rows}


def parts_of(path: Path, part: int, size: int) -> Iterator[str]:
    """Yield the beginning of a file in parts of whole lines."""
    with path.open("rb") as file:
        while file.tell() < size and (data := file.read(part) + file.readline()):
            yield data.decode("utf-8")


def tokens_from(counts: dict[bytes, int], vocab_size: int) -> set[bytes]:
    """Return the tokens that training learns from word counts."""
    from minbpe_course import train

    model = train(counts, vocab_size, tie_break="smallest-pair")
    return {model.token_bytes[token_id] for token_id in model.merge_ids}
