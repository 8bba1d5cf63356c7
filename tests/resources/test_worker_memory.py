"""All encoding threads of a process share one bound for their memory, and ids never depend on it."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator

import numba
import pytest
import sentencepiece
import tiktoken

from minbpe_course import Encoding, SentencePieceTokenizer, set_worker_memory, use_bundled_vocabularies, vocabularies
from minbpe_course.engines.text_engine import TextEngine
from minbpe_course.engines.workers import OWN
from minbpe_course.errors import InvalidOption
from minbpe_course.resources.worker_memory import WORKER_MEMORY
from tests.shared.patience import PATIENCE
from tests.shared.piece_cases import mistral_files

pytestmark = pytest.mark.medium
COMPILED = not numba.config.DISABLE_JIT
compiled_only = pytest.mark.skipif(not COMPILED, reason="many texts")

# More than a worker takes that has met no text.
SMALLEST = 500_000


@pytest.fixture(autouse=True)
def _bound_as_before() -> Iterator[None]:
    use_bundled_vocabularies()
    before = WORKER_MEMORY.bound
    yield
    WORKER_MEMORY.bound = before


def fresh(name: str) -> Encoding:
    return Encoding._around(vocabularies.load(name), name, proven=True)


def words(seed: int, number: int = 3000) -> str:
    """Return a text of words that no worker has met, short and long."""
    chance = random.Random(seed)
    return " ".join(f"{chance.random()}{chr(0x4E00 + chance.randrange(9000)) * (k % 9)}" for k in range(number))


def bytes_of(engine: TextEngine) -> int:
    """Return what the unused workers of an engine take, by their arrays."""
    kept = [worker.block.kept for worker in engine._workers]
    return sum(each[name].nbytes for each in kept for name in OWN if name in each)


@compiled_only
def test_the_caches_of_many_threads_stay_within_the_bound() -> None:
    set_worker_memory("24MB")
    encodings = [fresh(name) for name in ("gpt2", "cl100k_base")]
    theirs = [tiktoken.get_encoding(encoding.name) for encoding in encodings]
    engines = [encoding._engine for encoding in encodings]
    for engine in engines:
        engine._workers += [engine._new_worker() for _ in range(20)]
    failed: list[object] = []

    def encode(seed: int) -> None:
        for number in range(2):
            text = words(seed + 100 * number)
            for ours, other in zip(encodings, theirs):
                if ours.encode_ordinary(text) != other.encode_ordinary(text):
                    failed.append((ours.name, seed))

    threads = [threading.Thread(target=encode, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert 0 < sum(map(bytes_of, engines)) <= 24_000_000
    # The memory went to where it was needed: caches grew, and unused workers were dropped for them.
    assert max(worker.size() for engine in engines for worker in engine._workers) > 3 * SMALLEST
    assert sum(len(engine._workers) for engine in engines) < 40


@compiled_only
def test_unused_workers_give_their_memory_to_another_encoding() -> None:
    first, second = fresh("cl100k_base"), fresh("gpt2")
    for seed in range(5):
        first.encode_ordinary(words(seed, 20_000))
    large = first._engine._workers[0]
    grown, gone = large.size(), weakref.ref(large)
    del large
    assert grown > 20_000_000
    set_worker_memory("1MB")
    assert gone() is None
    text = words(7, 20_000)
    assert second.encode_ordinary(text) == tiktoken.get_encoding("gpt2").encode_ordinary(text)
    (worker,) = second._engine._workers
    assert worker.size() < 1_000_000
    set_worker_memory("256MB")
    entries = worker.block.cache_mask, worker.block.long_mask
    second.encode_ordinary(words(8, 20_000) + " ".join(map(str, range(90_000))))
    # Caches that were refused once ask again.
    assert worker.block.cache_mask > entries[0]
    assert worker.block.long_mask > entries[1]


@compiled_only
def test_what_a_long_word_took_is_given_back() -> None:
    set_worker_memory("1MB")
    encoding = fresh("gpt2")
    word = "abcdefgh" * 12_000
    assert encoding.encode_ordinary(word) == tiktoken.get_encoding("gpt2").encode_ordinary(word)
    encoding.encode_batch_to_array([word] * 20, num_threads=2)
    pieces = SentencePieceTokenizer(model_file=str(mistral_files()["v1"]))
    text = "温故而知新 abcdefgh " * 20_000
    assert pieces.encode(text) == sentencepiece.SentencePieceProcessor(model_file=str(mistral_files()["v1"])).encode(
        text
    )
    for engine in (encoding._engine, pieces._engine):
        assert all(worker.size() < SMALLEST for worker in engine._workers)


def test_clear_caches_leaves_one_fresh_worker() -> None:
    encoding = fresh("gpt2")
    engine = encoding._engine
    first = bytes_of(engine)
    engine._workers += [engine._new_worker() for _ in range(3)]
    encoding.clear_caches()
    assert len(engine._workers) == 1
    assert bytes_of(engine) == first
    assert encoding.encode_ordinary("hello world") == [31373, 995]


@pytest.mark.parametrize("memory", ["lots", True, 12.5, 999_999, "-5MB", -1, None])
def test_what_is_no_amount_is_refused(memory: object) -> None:
    before = WORKER_MEMORY.bound
    with pytest.raises(InvalidOption, match="memory"):
        set_worker_memory(memory)  # type: ignore[arg-type]
    assert before == WORKER_MEMORY.bound


SERVER = """
import random, re, threading
from pathlib import Path
from minbpe_course import get_encoding, use_bundled_vocabularies

def peak():
    return int(re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text()).group(1)) // 1024

use_bundled_vocabularies()
page = "The quick brown fox, 12345 times over. " * 80
encoding = get_encoding("cl100k_base")
assert encoding.decode(encoding.encode(page)) == page
base = peak()
encodings = [encoding, get_encoding("o200k_base"), get_encoding("gpt2")]

def serve(seed):
    chance = random.Random(seed)
    for _ in range(6):
        for encoding in encodings:
            encoding.encode_to_array(page + " ".join(str(chance.random()) for _ in range(1000)))

threads = [threading.Thread(target=serve, args=(seed,)) for seed in range(40)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(base, peak())
"""


@compiled_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")
def test_a_server_of_forty_threads_and_three_encodings_stays_small() -> None:
    run = subprocess.run([sys.executable, "-c", SERVER], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stderr
    base, served = map(int, run.stdout.split())
    assert base < 180
    assert 200 < served < 600
