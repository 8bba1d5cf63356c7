"""kernels.encoding.stretches: many texts in stretches, in any order of threads, are the ids of the texts one by one."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numba
import numpy as np
import pytest
import regex

from minbpe_course.engines import stretches as engines
from minbpe_course.engines import text_engine
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.stretches import Stretches
from minbpe_course.kernels.encoding import stretches as kernels
from minbpe_course.reference.encoding import encode_word
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN
from tests.shared.small_models import LETTERS, byte_ids, some_text, trained

COMPILED = not numba.config.DISABLE_JIT
MODEL = trained(61, LETTERS, 60, pattern=GPT2_SPLIT_PATTERN)


def placed(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The UTF-8 of the texts and where each is, int64[n, 2]."""
    parts = [text.encode() + bytes(80) for text in texts]
    data = np.frombuffer(b"".join(parts), dtype=np.uint8)
    ahead = np.cumsum([0] + [len(part) for part in parts[:-1]])
    places = [(data.ctypes.data + int(at), len(part) - 80) for at, part in zip(ahead, parts, strict=True)]
    return data, np.array(places, dtype=np.int64)


def one_by_one(texts: list[str]) -> list[list[int]]:
    """The ids of each text: words by ``regex``, merged by the reference implementation."""
    words = [regex.findall(GPT2_SPLIT_PATTERN, text) for text in texts]
    return [[number for word in each for number in ids_of(word)] for each in words]


@cache
def ids_of(word: str) -> list[int]:
    return encode_word(byte_ids(MODEL, word.encode()), MODEL.ranks)


def apart(ids: np.ndarray, offsets: np.ndarray) -> list[list[int]]:
    flat = ids.tolist()
    return [flat[begin:end] for begin, end in pairwise(offsets.tolist())]


def some_texts(seed: int, number: int) -> list[str]:
    chance = random.Random(seed)
    sizes = [0, 1, 3, 30, 200]
    return ["x", *(some_text(chance, LETTERS + "zé ", chance.choice(sizes)) for _ in range(number)), ""]


@pytest.mark.parametrize("room", [8, 1 << 12])
@pytest.mark.parametrize("stretch", [1, 20, 300, 1 << 20])
def test_small_batches_in_one_to_four_threads(stretch: int, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_engine, "STRETCH", stretch)
    monkeypatch.setattr(text_engine, "BYTES_A_THREAD", 1)
    monkeypatch.setattr(engines, "LEAST_ROOM", room)
    texts = some_texts(1, 60 if COMPILED else 8)
    _kept, places = placed(texts)
    wanted = one_by_one(texts)
    engine = BytePairEngine.from_model(MODEL)
    for threads in (1, 2, 4, 1):
        assert apart(*engine.encode_places(places, threads)) == wanted, threads


MANY_WORDS = "zab zcd zef zgh zij zkl abc "


class Interrupted(Exception):
    """The error of a thread that fails in the middle of a stretch."""


def worker_that_waits(engine: BytePairEngine, then: Callable[[], None], before: int = 1):
    """A worker whose small cache is soon full, and that calls ``then`` before it gets a larger one the nth time."""
    worker = engine._new_worker()
    worker._set_cache(4)
    provide = worker.provide
    calls: list[int] = []

    def provide_later(reason: int) -> None:
        calls.append(reason)
        if len(calls) == before:
            then()
        provide(reason)

    worker.provide = provide_later
    return worker, calls


def test_small_stretches_that_are_done_before_the_first_one_wait_for_it() -> None:
    """More of them than a thread may hold; the memory for all ids does not exist yet."""
    engine = BytePairEngine.from_model(MODEL)
    texts = [MANY_WORDS, *(["ab", "", "z"] * kernels.MOST_HELD)]
    _kept, places = placed(texts)
    work = Stretches(places, len(texts))
    worker, calls = worker_that_waits(engine, lambda: work.encode(engine._new_worker()))
    work.encode(worker)
    assert calls
    assert len(work._left) > kernels.MOST_HELD
    assert apart(*work.finish()) == one_by_one(texts)


def test_small_a_thread_places_what_it_held_when_the_others_have_come_that_far() -> None:
    """One thread is in stretch 0 while the other one encodes 1 and begins 2; then the first one encodes all others."""
    engine = BytePairEngine.from_model(MODEL)
    texts = [MANY_WORDS, "ab " * 8 + "abcd", MANY_WORDS, *["cd ab" * 5 + "abc"] * 9]
    _kept, places = placed(texts)
    work = Stretches(places, len(texts))
    assert len(work._sizes) == len(texts), "texts of one size are a stretch each"
    second_is_in_2, first_is_done = threading.Event(), threading.Event()

    def wait_for_first() -> None:
        second_is_in_2.set()
        assert first_is_done.wait(60)

    second, _ = worker_that_waits(engine, wait_for_first, before=2)
    thread = threading.Thread(target=work.encode, args=(second,))

    def start_second() -> None:
        thread.start()
        assert second_is_in_2.wait(60)

    first, _ = worker_that_waits(engine, start_second)
    work.encode(first)
    first_is_done.set()
    thread.join()
    assert sorted(work._left) == list(range(3, 12)), "what comes after 2, when 2 was not encoded"
    assert apart(*work.finish()) == one_by_one(texts)


def test_small_more_ids_than_the_first_stretch_lets_expect() -> None:
    """The last ones do not fit in the memory for all ids, and are copied at the end."""
    engine = BytePairEngine.from_model(MODEL)
    texts = [some_text(random.Random(4), LETTERS, 200)] + ["zé" * 40, "\x00z" * 60] * 8
    _kept, places = placed(texts)
    work = Stretches(places, len(texts))
    work.encode(engine._new_worker())
    assert work._left
    assert apart(*work.finish()) == one_by_one(texts)


def test_small_a_thread_that_fails_stops_the_others() -> None:
    engine = BytePairEngine.from_model(MODEL)
    texts = some_texts(3, 50)
    texts[0] = MANY_WORDS
    _kept, places = placed(texts)
    work = Stretches(places, len(texts))

    def fail() -> None:
        raise Interrupted

    worker, _ = worker_that_waits(engine, fail)
    with pytest.raises(Interrupted):
        work.encode(worker)
    work.encode(engine._new_worker())
    assert (work._counts == -1).all()
    # The worker that failed is ready for another batch.
    again = Stretches(places, 7)
    again.encode(worker)
    assert apart(*again.finish()) == one_by_one(texts)
