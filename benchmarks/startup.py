"""Measure the time from the import to the first ids, with an empty kernel cache and with a filled one.

Every measurement runs in a new process, and the clock starts before the import. It reads processor time, because
compiling keeps one core busy. Numba compiles into a temporary folder, so the cache of this machine is neither used nor
changed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = """
import json, sys, time
fine = time.get_clock_info("process_time").resolution < 1e-4
clock = time.process_time if fine else time.perf_counter
began = clock()
{first}
encoded = clock() - began
{then}
print(json.dumps({{"first": encoded, "all": clock() - began, "ids": len(ids)}}))
"""
TEXT = "text = open({path!r}, encoding='utf-8').read()"
OURS = f"from minbpe_course import get_encoding\n{TEXT}\nids = get_encoding('cl100k_base').encode_ordinary(text)"
TRAINS = "from minbpe_course import train\ntrain(text, 1000, tie_break='smallest-pair')"
FIRSTS = {
    "ours": OURS,
    "tiktoken": f"import tiktoken\n{TEXT}\nids = tiktoken.get_encoding('cl100k_base').encode_ordinary(text)",
    "quicktok": f"import quicktok\n{TEXT}\nids = quicktok.get_encoding('cl100k_base').encode_ordinary(text)",
    "tokenizers 1.0": f"import tokenizers\n{TEXT}\nids = tokenizers.Tokenizer.from_file({{json!r}}).encode(text).ids",
}


@dataclass(frozen=True)
class Limit:
    """A target in seconds: the limit and the aim."""

    most: float
    aim: float


COLD, WARM = Limit(22, 14), Limit(1.2, 0.8)


def run(folder: Path, next_python: str | None, cold_repeats: int = 1, rounds: int = 5) -> dict[str, Any]:
    """Return the seconds: ``cold`` for encoding and training, ``warm[who]`` for encoding, with one value per round."""
    from benchmarks.contestants.hugging_face import tokenizer_file
    from minbpe_course import use_bundled_vocabularies

    use_bundled_vocabularies()
    places = {"path": str(folder / "course.txt"), "json": str(tokenizer_file(folder, "cl100k_base"))}
    cold = []
    for number in range(cold_repeats):
        cache = folder / f"kernels-{number}"
        cache.mkdir(exist_ok=True)
        cold.append(_seconds(sys.executable, OURS, TRAINS, places, cache)["all"])
    warm: dict[str, list[float]] = {name: [] for name in FIRSTS}
    absent: dict[str, str] = {}
    for _ in range(rounds):
        for name, first in FIRSTS.items():
            python = next_python if name == "tokenizers 1.0" else sys.executable
            if name in absent:
                continue
            try:
                if python is None:
                    raise RuntimeError("no environment with tokenizers 1.0; see make bench")
                warm[name].append(_seconds(python, first, "", places, folder / "kernels-0")["first"])
            except RuntimeError as reason:
                absent[name] = str(reason)
    return {"cold": cold, "warm": {name: times for name, times in warm.items() if times}, "absent": absent}


def _seconds(python: str, first: str, then: str, places: dict[str, str], cache: Path) -> dict[str, float]:
    program = PROGRAM.format(first=first.format(**places), then=then)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "RAYON_NUM_THREADS": "1"}
    child = subprocess.run(
        [python, "-c", program], env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if child.returncode:
        raise RuntimeError((child.stderr.strip().splitlines() or ["it ended early"])[-1])
    return json.loads(child.stdout.splitlines()[-1])


def median(times: list[float]) -> float:
    """Return the median, which one slow start does not change."""
    return statistics.median(times)
