"""Measure the memory that a training run or a new tokenizer adds: ``python -m benchmarks.memory``.

Each measurement runs in a separate process, because a process seldom returns memory to the system. Before the peak is
measured, the text and the kernels are loaded and a first word has been trained on or encoded. This needs Linux, where
the peak of a process can be reset.
"""

from __future__ import annotations

import gc
import importlib
import json
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import texts
from benchmarks.contestants import WORKS, Job
from benchmarks.rows import FULL, MB
from benchmarks.speed import NotAvailable

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Measure:
    """One measurement: the memory that each of ``who`` adds during ``work``; this course comes first."""

    section: str
    title: str
    work: str
    who: tuple[str, ...]
    sizes: tuple[int, int]  # bytes of the text in a quick and in a full run, 0 to leave it out
    vocab_size: int = 0
    text: str = "big"
    most_ratio: tuple[float, float] | None = None  # ours over the second contestant: the limit and the aim
    most_megabytes: float | None = None
    repeats: int = 3


MEASURES: tuple[Measure, ...] = (
    Measure("Memory", "added while training 32,768 tokens", "train", ("ours", "rustbpe", "ffbpe", "tokenizers 0.23"),
            (0, 120 * MB), 32768, most_ratio=(0.6, 0.4)),
    Measure("Memory", "added while training 4,096 tokens", "train", ("ours", "rustbpe", "ffbpe"), (3 * MB, 10 * MB),
            4096, text="english"),
    Measure("Memory", "of an idle tokenizer, cl100k", "idle", ("ours", "tiktoken"), (1, 1), most_megabytes=60),
)  # fmt: skip


def run(measure: Measure, folder: Path, mode: str) -> dict[str, Any]:
    """Return the megabytes that each contestant added (median of a few processes), and why any are missing."""
    megabytes, absent = {}, {}
    for name in measure.who:
        asked = {
            "work": measure.work, "who": name, "text": measure.text, "size": measure.sizes[mode == FULL],
            "vocab_size": measure.vocab_size, "folder": str(folder),
        }  # fmt: skip
        found = []
        for _ in range(measure.repeats if mode == FULL else 1):
            child = subprocess.run(
                [sys.executable, "-m", "benchmarks.memory"], input=json.dumps(asked), capture_output=True, text=True,
                check=False, encoding="utf-8",
            )  # fmt: skip
            answer = json.loads(child.stdout.splitlines()[-1]) if child.returncode == 0 else {}
            if "megabytes" not in answer:
                absent[name] = answer.get("absent") or child.stderr.strip().splitlines()[-1:] or "it ended early"
                break
            found.append(answer["megabytes"])
        if found:
            megabytes[name] = statistics.median(found)
    return {"megabytes": megabytes, "absent": absent}


def main() -> None:
    asked = json.load(sys.stdin)
    try:
        added = idle(asked["who"]) if asked["work"] == "idle" else peak_of_work(asked)
        print(json.dumps({"megabytes": added}))
    except (NotAvailable, ImportError) as reason:
        print(json.dumps({"absent": str(reason)}))


def peak_of_work(asked: dict[str, Any]) -> float:
    """Return by how many megabytes the memory of this process rises during one run."""
    folder = Path(asked["folder"])
    job = Job(texts.load(folder, asked["text"], asked["size"]), vocab_size=asked["vocab_size"], folder=folder)
    contestant = WORKS[asked["work"]][asked["who"]](job)
    prepared = contestant.prepare()
    gc.collect()
    before = forget_peak()
    result = contestant.run(prepared)
    added = now("VmHWM") - before
    del result
    return added


def idle(who: str) -> float:
    """Return the memory of one more tokenizer after the libraries are loaded."""
    from minbpe_course import use_bundled_vocabularies
    from minbpe_course.vocabularies import load

    use_bundled_vocabularies()
    model = load("gpt2")
    ranks = {model.byte_order[at : at + 1]: at for at in range(256)}
    del model
    program: Any = importlib.import_module("minbpe_course" if who == "ours" else who)
    warm = program.Encoding("bytes", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    warm.encode_ordinary("a first word")
    gc.collect()
    before = now("VmRSS")
    encoding = program.get_encoding("cl100k_base")
    encoding.encode_ordinary("hello world")
    gc.collect()
    return now("VmRSS") - before


def forget_peak() -> float:
    """Reset the peak to the memory in use now, and return that in megabytes."""
    try:
        CLEAR.write_text("5", encoding="ascii")
    except OSError as reason:
        raise NotAvailable("the peak of a process can be set back on Linux only") from reason
    return now("VmRSS")


def now(field: str) -> float:
    """Return a field of this process's status in megabytes."""
    try:
        found = re.search(rf"^{field}:\s+(\d+) kB", STATUS.read_text(encoding="ascii"), re.MULTILINE)
    except OSError:
        found = None
    if found is None:
        raise NotAvailable("memory is read from /proc, which only Linux has")
    return int(found.group(1)) * 1024 / MB


if __name__ == "__main__":
    main()
