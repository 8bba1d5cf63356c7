"""Eight threads at once on shared tokenizers: encoding in every way, decoding, training. No id is ever wrong."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise

import numba
import numpy as np
import pytest
import tiktoken

from minbpe_course import Encoding, RegexTokenizer, train, use_bundled_vocabularies, vocabularies
from minbpe_course.engines import text_engine as engines
from minbpe_course.engines import workers
from minbpe_course.resources.worker_memory import WORKER_MEMORY
from tests.shared.cases import mixed_texts

COMPILED = not numba.config.DISABLE_JIT
pytestmark = [pytest.mark.medium, pytest.mark.skipif(not COMPILED, reason="about compiled code without the GIL")]

SECONDS = 2.0
NAMES = ["gpt2", "cl100k_base", "o200k_base"]


@pytest.fixture(autouse=True)
def _often() -> None:
    """Threads change places a hundred times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(before)


def run_together(jobs: list[Callable[[random.Random], None]], seconds: float) -> None:
    """Run each job in a separate thread for some seconds, at least once; raise the first error."""
    errors: list[BaseException] = []
    rounds = [0] * len(jobs)
    start = threading.Barrier(len(jobs))
    stop = time.monotonic() + seconds

    def work(number: int) -> None:
        chance = random.Random(number)
        try:
            start.wait()
            while not errors and (time.monotonic() < stop or rounds[number] == 0):
                jobs[number](chance)
                rounds[number] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


class Shared:
    """One encoding that all threads use, what tiktoken says, and the jobs."""

    def __init__(self, name: str, texts: list[str]) -> None:
        theirs = tiktoken.get_encoding(name)
        self.texts = texts
        self.wanted = [theirs.encode_ordinary(text) for text in texts]
        # Made anew: the first worker, the first trie and the first decoder are made while others look on.
        self.ours = Encoding._around(vocabularies.load(name), name, proven=True)

    def as_list(self, chance: random.Random) -> None:
        for _ in range(200):
            k = chance.randrange(len(self.texts))
            assert self.ours.encode_ordinary(self.texts[k]) == self.wanted[k], self.texts[k]

    def as_array(self, chance: random.Random) -> None:
        for _ in range(100):
            k = chance.randrange(len(self.texts))
            assert self.ours.encode_to_numpy(self.texts[k], disallowed_special=()).tolist() == self.wanted[k]

    def as_batch(self, chance: random.Random) -> None:
        begin = chance.randrange(len(self.texts) - 100)
        some = slice(begin, begin + chance.randint(0, 100))
        threads = chance.randint(1, 4)
        ids, offsets = self.ours.encode_batch_to_array(self.texts[some], num_threads=threads, disallowed_special=())
        flat = ids.tolist()
        assert [flat[at:to] for at, to in pairwise(offsets.tolist())] == self.wanted[some]
        assert self.ours.encode_ordinary_batch(self.texts[some], num_threads=threads) == self.wanted[some]

    def decode(self, chance: random.Random) -> None:
        for _ in range(50):
            k = chance.randrange(len(self.texts))
            assert self.ours.decode(self.wanted[k]) == self.texts[k]
            assert self.ours.decode_bytes(np.array(self.wanted[k], dtype=np.uint32)) == self.texts[k].encode()

    def forget(self, chance: random.Random) -> None:
        self.ours.clear_caches()
        self.as_list(chance)


def shared_texts() -> list[str]:
    texts = list(mixed_texts(51, 1500))
    # New words all the time, so that caches grow; and long ones that want a trie and scratch.
    texts += [f"word{k} Wort{k * k} слово{k} {'x' * (k % 90)} 的一是{k}不了人我{chr(0x4E00 + k)}" for k in range(1500)]
    texts += ["z" * k for k in range(60, 70)] + ["ab" * 3000, "温故而知新" * 500, "\U0001f600" * 400, " " * 5000]
    random.Random(52).shuffle(texts)
    return texts


TRAINING = " ".join(mixed_texts(53, 150)) + " ab abab ababab the theme them" * 20


def test_eight_threads_encode_decode_and_train_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bundled_vocabularies()
    monkeypatch.setattr(engines, "BYTES_A_THREAD", 256)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    # Small at first, so that caches grow all the time.
    monkeypatch.setattr(workers, "MOST_LONG_ENTRIES", 1 << 11)
    texts = shared_texts()
    one, two, three = (Shared(name, texts) for name in NAMES)
    alone = train(TRAINING, 256 + 120, pattern="cl100k_base")
    trained = RegexTokenizer.from_model(alone)
    found = [trained.encode(text) for text in texts[:200]]

    def train_again(chance: random.Random) -> None:
        model = train(TRAINING, 256 + 120, pattern="cl100k_base")
        assert (model.pairs == alone.pairs).all()
        fresh = RegexTokenizer.from_model(model)
        for k in chance.sample(range(200), 20):
            assert fresh.encode(texts[k]) == trained.encode(texts[k]) == found[k]

    jobs = [one.as_list, one.as_array, two.as_list, two.as_batch, three.as_batch, three.decode, train_again, two.forget]
    run_together(jobs, SECONDS)
    # Workers are dropped and made anew all the time.
    monkeypatch.setattr(WORKER_MEMORY, "bound", 3_000_000)
    jobs = [three.as_list] * 2 + [three.as_array, three.forget, one.as_batch, one.decode, one.forget, train_again]
    run_together(jobs, SECONDS / 2)
