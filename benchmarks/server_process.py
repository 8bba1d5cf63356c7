"""A server of one library, measured in this process. ``benchmarks.server`` starts it; do not run it by hand.

It reads what to measure from standard input as JSON, and writes the result as one line of JSON. It imports the library
that it measures and the standard library only, so that its memory is that of a server.
"""

from __future__ import annotations

import array
import hashlib
import itertools
import json
import random
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Encode = Callable[[str], Any]

NAMES = ("cl100k_base", "o200k_base", "gpt2")
MEASURED = 8  # how often memory is read under load


def encoder(who: str, name: str, folder: Path) -> tuple[Encode, Callable[[Any], str]]:
    """Load an encoding; return its functions from text to a list of ids and back."""
    if who == "tokenizers":
        import tokenizers

        made = tokenizers.Tokenizer.from_file(str(folder / f"{name}.json"))
        return (lambda text: made.encode(text, add_special_tokens=False).ids), made.decode
    if who == "tiktoken":
        import tiktoken

        found = tiktoken.get_encoding(name)
        return found.encode, found.decode
    import minbpe_course

    encoding = minbpe_course.get_encoding(name)
    return encoding.encode, encoding.decode


def megabytes(field: str) -> float:
    """Return a field of this process's status, such as VmRSS, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)[0]) * 1024 / 1e6


def together(number: int, work: Callable[[int], None]) -> float:
    """Call ``work`` in so many threads, which begin at one moment; return after how many seconds the last one ended."""
    ready = threading.Barrier(number + 1)
    failed: list[BaseException] = []

    def run(thread: int) -> None:
        ready.wait()
        try:
            work(thread)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(thread,)) for thread in range(number)]
    for thread in threads:
        thread.start()
    ready.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return time.perf_counter() - begun


def ids(who: str, folder: Path, texts: list[str]) -> str:
    """Return a digest of the ids of all texts in all encodings."""
    digest = hashlib.sha256()
    for name in NAMES:
        encode, _ = encoder(who, name, folder)
        for text in texts:
            digest.update(repr(list(encode(text))).encode("ascii"))
    return digest.hexdigest()


def base(who: str, folder: Path, texts: list[str]) -> float:
    """Return the memory with one encoding, after a text of some pages was encoded and decoded."""
    encode, decode = encoder(who, NAMES[0], folder)
    decode(list(encode("\n".join(texts[:20]))))
    return megabytes("VmRSS")


def peak(who: str, folder: Path, texts: list[str], threads: int, rounds: int = 60) -> float:
    """Return the peak of the memory while threads use all encodings at once; a part of each text is new."""
    encoders = [encoder(who, name, folder)[0] for name in NAMES]

    def work(thread: int) -> None:
        chance = random.Random(thread)
        for encode in encoders * rounds:
            encode(" ".join(chance.choices(texts, k=8)) + f" {chance.random()}" * 200)

    together(threads, work)
    return megabytes("VmHWM")


def first(who: str, folder: Path, texts: list[str], threads: int) -> float:
    """Return the seconds until each of so many threads has its first ids, with the library imported."""
    __import__("minbpe_course" if who == "ours" else who)
    return together(threads, lambda thread: list(encoder(who, NAMES[0], folder)[0](texts[thread])) and None)


def load(who: str, folder: Path, texts: list[str], threads: int, rate: int, seconds: float) -> dict[str, Any]:
    """Send ``rate`` requests a second from threads; return latencies in microseconds, and the memory over the time."""
    encoders = [encoder(who, name, folder)[0] for name in NAMES]
    for encode in encoders:
        encode(texts[0])
    each = max(1, int(rate * seconds / threads))
    # Memory for the times is there before the first request, so that it does not count as growth.
    times = [array.array("d", bytes(8 * each)) for _ in range(threads)]
    memory: list[float] = []
    stop = threading.Event()

    def watch() -> None:
        for _ in range(MEASURED):
            stop.wait(seconds / MEASURED)
            memory.append(megabytes("VmRSS"))

    def work(thread: int) -> None:
        chance, taken = random.Random(thread), times[thread]
        encoding = itertools.cycle(encoders)
        begun = time.perf_counter() + thread / rate
        for number in range(each):
            text = f"{chance.choice(texts)} {chance.random()}"
            time.sleep(max(0.0, begun + number * threads / rate - time.perf_counter()))
            start = time.perf_counter()
            next(encoding)(text)
            taken[number] = time.perf_counter() - start

    watcher = threading.Thread(target=watch)
    watcher.start()
    took = together(threads, work)
    stop.set()
    watcher.join()
    ordered = sorted(itertools.chain.from_iterable(times))
    median, most = (1e6 * ordered[int(share * len(ordered))] for share in (0.5, 0.99))
    return {"rate": len(ordered) / took, "median": median, "most": most, "memory": memory}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    asked["folder"] = Path(asked["folder"])
    measures: dict[str, Callable[..., Any]] = {"ids": ids, "base": base, "peak": peak, "first": first, "load": load}
    print(json.dumps(measures[asked.pop("measure")](**asked)))
