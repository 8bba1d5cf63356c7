"""Lists of ids made and read by compiled code: the same as plain Python's, and not one reference more or less."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course import Encoding
from minbpe_course.kernels.common import lists, objects
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.common.machine import load8, store32
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

WAYS = (True, False) if lists.objects_work() else (False,)
needs_objects = pytest.mark.skipif(not lists.objects_work(), reason="compiled code may not touch objects here")
SIZE = 70_000
MANY = np.array([300, 69_999, 5, 300, 0, 1 << 18, 4_294_967_295] * 300, dtype=np.uint32)
OFFSETS = np.arange(0, MANY.size + 1, 7, dtype=np.int64)


@pytest.fixture
def eager_collector() -> Iterator[None]:
    """Collect garbage whenever a container is made; Python 3.12 and later wait for the next instruction of Python."""
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    yield
    gc.set_threshold(*before)


@settings(max_examples=examples(200))
@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 300), max_size=99), st.sampled_from(WAYS))
def test_lists_equal_those_of_numpy(ids: list[int], way: bool) -> None:
    array = np.array(ids, dtype=np.uint32)
    with mock.patch.object(lists, "objects_work", return_value=way):
        made = lists.list_from(array, SIZE)
        assert made == ids
        assert all(type(each) is int for each in made)
        assert lists.list_from(array[::2], SIZE) == ids[::2]
        assert lists.list_from(array.astype(np.int64), SIZE) == ids


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), max_size=20), st.sampled_from(WAYS))
def test_lists_of_lists(wanted: list[list[int]], way: bool) -> None:
    flat = np.array([each for inner in wanted for each in inner], dtype=np.uint32)
    offsets = np.cumsum([0, *map(len, wanted)], dtype=np.int64)
    with mock.patch.object(lists, "objects_work", return_value=way):
        made = lists.lists_from(flat, offsets, SIZE)
    assert made == wanted
    assert all(map(gc.is_tracked, [made, *made]))


@needs_objects
def test_each_list_owns_its_references() -> None:
    lists.block(SIZE)
    watched = [lists._table[at] for at in (300, 69_999)]
    before = [sys.getrefcount(each) for each in watched]
    kept = [lists.list_from(MANY, SIZE) for _ in range(5)]
    nested = lists.lists_from(MANY, OFFSETS, SIZE)
    if sys.getrefcount(None) < 1 << 30:
        assert [sys.getrefcount(each) for each in watched] == [before[0] + 6 * 600, before[1] + 6 * 300]
    usual = [MANY.tolist()]
    assert sys.getrefcount(kept[0]) == sys.getrefcount(usual[0]) == sys.getrefcount(nested[0])
    del kept[:], nested[:]
    assert [sys.getrefcount(each) for each in watched] == before


@pytest.mark.parametrize("way", WAYS)
def test_memory_stays_flat(way: bool) -> None:
    def blocks(times: int) -> int:
        for _ in range(times):
            lists.list_from(MANY, SIZE)
            lists.lists_from(MANY, OFFSETS, SIZE)
        gc.collect()
        return sys.getallocatedblocks()

    with mock.patch.object(lists, "objects_work", return_value=way):
        blocks(1)
        # The memory that the process keeps does not grow with the number of calls. The least of some trials: other
        # threads and caches of the interpreter may keep something meanwhile.
        assert min(blocks(20) - blocks(0) for _ in range(5)) < 20


@needs_objects
def test_a_finaliser_may_encode_while_a_list_is_made(eager_collector: None) -> None:
    encoding = Encoding(
        "small", pat_str=r"\w+|\W", mergeable_ranks={bytes([b]): b for b in range(256)}, special_tokens={}
    )
    inside: list[bool] = []

    class Ring:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            inside.append(not encoding._engine._workers)
            assert encoding.encode_ordinary("inner") == list(b"inner")
            assert lists.lists_from(MANY[:14], OFFSETS[:3], SIZE) == [MANY[:7].tolist(), MANY[7:14].tolist()]

    encoding.encode_ordinary("")
    for containers in range(100):
        gc.disable()
        Ring()
        # Python would make the next list from one that was freed, and start no collection.
        hoard = [[0] for _ in range(200)]
        gc.set_threshold(gc.get_count()[0] + containers)
        gc.enable()
        made = encoding.encode_ordinary("the outer text")
        gc.set_threshold(1)
        del hoard
        Ring()
        nested = lists.lists_from(MANY[:14], OFFSETS[:3], SIZE)
        assert made == list(b"the outer text")
        assert nested == [MANY[:7].tolist(), MANY[7:14].tolist()]
    gc.collect()
    assert len(inside) == 200
    assert sys.version_info >= (3, 12) or any(inside)


@needs_objects
def test_a_finaliser_may_change_the_ids_that_are_decoded(eager_collector: None) -> None:
    encoding = Encoding(
        "small", pat_str=r"\w+|\W", mergeable_ranks={bytes([b]): b for b in range(256)}, special_tokens={}
    )

    class Ring:
        def __init__(self, ids: list[int]) -> None:
            self.me, self.ids = self, ids

        def __del__(self) -> None:
            inside.append(decoding)
            self.ids[:] = [97]

    inside: list[bool] = []
    decoding = False
    for _ in range(100):
        ids = [98] * 1000
        Ring(ids)
        decoding = True
        found = encoding.decode_tokens_bytes(ids)
        decoding = False
        assert set(found) in ({b"a"}, {b"b"})
    assert sys.version_info >= (3, 12) or any(inside)


@compiled(gil=True)
def _bytes_of_text(text, scratch, block):
    data, size = objects.utf8_of(text)
    for k in range(size):
        store32(scratch + 4 * k, load8(data + k))
    return objects.owned(objects.list_of(scratch, size, block))


@compiled(gil=True)
def _list_of_many(number, block):
    return objects.owned(objects.list_of(block, number, block))


@compiled(gil=True)
def _text_of(data, errors):
    return objects.owned(objects.text_of(data.ctypes.data, data.size, errors))


@needs_objects
@pytest.mark.parametrize("text", ["", "a", "déjà vu", "温度 🙂", "\0", "a\ud800", "\udfff"])
def test_str_in_list_out(text: str) -> None:
    room = np.empty(64, dtype=np.uint32)
    expected = [] if any("\ud800" <= c <= "\udfff" for c in text) else list(text.encode())
    for _ in range(3):
        assert _bytes_of_text(id(text), room.ctypes.data, lists.block(256)) == expected


@needs_objects
def test_running_out_of_memory_raises_memory_error() -> None:
    with pytest.raises(MemoryError):
        _list_of_many(1 << 60, lists.block(0))


@needs_objects
@pytest.mark.parametrize("data", [b"", b"plain", "é温🙂".encode(), b"a\xff\xfeb", b"\xf0\x9f\x99", b"\xed\xa0\x80x"])
@pytest.mark.parametrize("errors", ["strict", "replace", "ignore", "backslashreplace", "surrogateescape", "no such"])
def test_text_from_bytes_equals_that_of_python(data: bytes, errors: str) -> None:
    array = np.frombuffer(data, dtype=np.uint8)

    def answer(call: Callable[[], str]) -> str:
        try:
            return call()
        except (UnicodeDecodeError, LookupError) as error:
            return repr(error)

    assert answer(lambda: _text_of(array, id(errors))) == answer(lambda: data.decode("utf-8", errors))
    if errors == "replace":
        made, usual = _text_of(np.frombuffer("né".encode(), np.uint8), id(errors)), "né".encode().decode()
        assert sys.getrefcount(made) == sys.getrefcount(usual)


def test_many_threads_at_once() -> None:
    wrong: list[str] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for size in range(1, 200):
            ids = rng.integers(0, 1 << 18, size=50).astype(np.uint32)
            if lists.list_from(ids, size * 1000) != ids.tolist():
                wrong.append(f"{seed} {size}")

    with mock.patch.object(lists, "_known", 0):
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


@needs_objects
def test_another_layout_disables_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    words = lists._words
    assert lists._layout_is_known()
    # One field more at the beginning of every object, as on a build without a GIL.
    monkeypatch.setattr(lists, "_words", lambda at, number: [0, *words(at, number)][:number])
    assert not lists._layout_is_known()
