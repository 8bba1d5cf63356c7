"""A server of one library, measured in this process. ``benchmarks.server`` starts it; do not run it by hand.

It reads what to measure from standard input as JSON, and writes the result as one line of JSON. It imports the library
that it measures and the standard library only, so that its memory is that of a server.
"""

from __future__ import annotations

import array
import hashlib
import importlib
import itertools
import json
import random
import re
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

NAMES = ("cl100k_base", "o200k_base", "gpt2")
THREADS, RATE = 40, 1000
MEASURED = 8  # how often memory is read under load


class Server:
    """One library, the texts to encode, and a method for each measurement."""

    def __init__(self, who: str, folder: str, texts: list[str]) -> None:
        self.library: Any = importlib.import_module("minbpe_course" if who == "ours" else who)
        self.folder, self.texts = Path(folder), texts

    def encoder(self, name: str) -> Callable[[str], list[int]]:
        if self.library.__name__ == "tokenizers":
            made = self.library.Tokenizer.from_file(str(self.folder / f"{name}.json"))
            return lambda text: made.encode(text).ids
        encode: Callable[[str], list[int]] = self.library.get_encoding(name).encode
        return encode

    def ids(self) -> str:
        """Return a digest of the ids of all texts in all encodings."""
        made = [list(map(self.encoder(name), self.texts)) for name in NAMES]
        return hashlib.sha256(repr(made).encode("ascii")).hexdigest()

    def base(self) -> float:
        """Return the memory with one encoding, after a text of some pages."""
        self.encoder(NAMES[0])("\n".join(self.texts[:20]))
        return megabytes("VmRSS")

    def peak(self, rounds: int = 60) -> float:
        """Return the peak of the memory while threads use all encodings at once; a part of each text is new."""
        encoders = [self.encoder(name) for name in NAMES]

        def work(thread: int) -> None:
            chance = random.Random(thread)
            for encode in encoders * rounds:
                encode(" ".join(chance.choices(self.texts, k=8)) + f" {chance.random()}" * 200)

        together(THREADS, work)
        return megabytes("VmHWM")

    def first(self, threads: int) -> float:
        """Return the seconds until each of so many threads has its first ids; the library is imported already."""
        return together(threads, lambda thread: self.encoder(NAMES[0])(self.texts[thread]))

    def load(self, seconds: float) -> dict[str, Any]:
        """Send RATE requests a second; return the latencies in microseconds, and the memory over the time."""
        encoders = [self.encoder(name) for name in NAMES]
        for encode in encoders:
            encode(self.texts[0])
        each = MEASURED * max(1, int(RATE * seconds / THREADS / MEASURED))
        # Memory for the times is there before the first request, so that it does not count as growth.
        times = [array.array("d", bytes(8 * each)) for _ in range(THREADS)]
        memory: list[float] = []

        def work(thread: int) -> None:
            chance, encoding = random.Random(thread), itertools.cycle(encoders)
            begun = time.perf_counter() + thread / RATE
            for number in range(each):
                text = f"{chance.choice(self.texts)} {chance.random()}"
                time.sleep(max(0.0, begun + number * THREADS / RATE - time.perf_counter()))
                start = time.perf_counter()
                next(encoding)(text)
                times[thread][number] = time.perf_counter() - start
                if thread == 0 and (number + 1) % (each // MEASURED) == 0:
                    memory.append(megabytes("VmRSS"))

        took = together(THREADS, work)
        ordered = sorted(itertools.chain.from_iterable(times))
        median, most = (1e6 * ordered[int(share * len(ordered))] for share in (0.5, 0.99))
        return {"rate": len(ordered) / took, "median": median, "most": most, "memory": memory}


def megabytes(field: str) -> float:
    """Return a field of this process's status, such as VmRSS, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)[0]) * 1024 / 1e6


def together(threads: int, work: Callable[[int], object]) -> float:
    """Call ``work`` in so many threads at once; return after how many seconds the last one ended."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    return time.perf_counter() - begun


if __name__ == "__main__":
    measure, about, options = json.load(sys.stdin)
    print(json.dumps(getattr(Server(**about), measure)(**options)))
