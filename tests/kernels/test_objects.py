"""Lists of ids made and read by compiled code: the same as plain Python's, and not one reference more or less."""

from __future__ import annotations

import gc
import subprocess
import sys
import sysconfig
import threading
import types
from collections.abc import Callable
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.kernels.common import interface, lists, objects
from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.common.machine import load8, store32
from tests.shared.long_run import examples

pytestmark = pytest.mark.medium

FOUND = lists.level()
LEVELS = lists.LEVELS[: lists.LEVELS.index(FOUND) + 1]
needs_objects = pytest.mark.skipif(not lists.objects_work(), reason="compiled code may not touch objects here")
SIZE = 70_000
# Grown at the level that was found. Otherwise the first test would decide which objects kernels may use.
lists.block(SIZE)
MANY = np.array([300, 69_999, 5, 300, 0, 1 << 18, 4_294_967_295] * 300, dtype=np.uint32)


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each level in turn that holds on this Python."""
    monkeypatch.setattr(lists, "_level", request.param)
    return request.param


def test_the_fastest_way_is_found_here() -> None:
    usual = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    if usual and not lists.PLAIN and "MINBPE_COURSE_OBJECTS" not in lists.os.environ:
        assert FOUND == "direct"


@settings(max_examples=examples(200))
@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 300), max_size=99), st.sampled_from(LEVELS))
def test_lists_equal_those_of_numpy(ids: list[int], way: str) -> None:
    array = np.array(ids, dtype=np.uint32)
    with mock.patch.object(lists, "_level", way):
        made = lists.list_from(array, SIZE)
        assert made == ids
        assert all(type(each) is int for each in made)
        assert lists.list_from(array[::2], SIZE) == ids[::2]
        assert lists.list_from(array.astype(np.int64), SIZE) == ids


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=6), max_size=20), st.sampled_from(LEVELS))
def test_lists_of_lists(wanted: list[list[int]], way: str) -> None:
    flat = np.array([each for inner in wanted for each in inner], dtype=np.uint32)
    offsets = np.cumsum([0, *map(len, wanted)], dtype=np.int64)
    with mock.patch.object(lists, "_level", way):
        assert lists.lists_from(flat, offsets, SIZE) == wanted


def test_no_object_is_ever_freed(level: str) -> None:
    lists.block(SIZE)
    watched = [lists._table[at] for at in (300, 69_999)]
    before = [sys.getrefcount(each) for each in watched]
    kept = [lists.list_from(MANY, SIZE) for _ in range(5)]
    usual = [MANY.tolist()]
    assert sys.getrefcount(kept[0]) == sys.getrefcount(usual[0])
    kept.pop()[:] = []
    kept.clear()
    # In the fastest way lists do not count their references, and every object has more than lists can use up.
    after = [sys.getrefcount(each) for each in watched]
    assert after == before if level != "direct" else min(after) > lists.ENOUGH


def test_memory_stays_flat(level: str) -> None:
    offsets = np.arange(0, MANY.size + 1, 7, dtype=np.int64)

    def work() -> None:
        lists.list_from(MANY, SIZE)
        lists.lists_from(MANY, offsets, SIZE)

    work()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(50):
        work()
    gc.collect()
    assert abs(sys.getallocatedblocks() - before) < 50


@pytest.mark.parametrize("collecting", [True, False])
def test_the_garbage_collector_stays_on_or_off(collecting: bool) -> None:
    offsets = np.arange(0, MANY.size + 1, 7, dtype=np.int64)
    was = gc.isenabled()
    try:
        (gc.enable if collecting else gc.disable)()
        lists.lists_from(MANY, offsets, SIZE)
        lists.list_from(MANY, SIZE)
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if was else gc.disable)()


def test_the_garbage_collector_may_run_at_any_time(level: str) -> None:
    class Ring:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            # As a finaliser that calls a tokenizer: at any place where the collector runs.
            answers.append(lists.list_from(MANY[:30], SIZE) == MANY[:30].tolist())

    answers: list[bool] = []
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(200):
            Ring()
            assert lists.list_from(MANY[:70], SIZE) == MANY[:70].tolist()
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert len(answers) == 200
    assert all(answers)


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


TABLE_GROWS = """
import numpy as np
from minbpe_course.kernels.common import lists
first, known = lists.block(10), lists._table.size
kept = lists.list_from(np.array([9, known], dtype=np.uint32))
assert lists.block(known + 1) == first
assert lists._table.size > known
assert kept == [9, known]
if lists.level() != "plain":
    assert lists.list_from(np.full(99, known, dtype=np.uint32), known + 1)[98] is lists._table[known]
lists.block(1 << 40)
assert lists._table.size == lists.TABLE_LIMIT
assert lists._table[lists.TABLE_LIMIT - 1] == lists.TABLE_LIMIT - 1
print("grown")
"""


MORTAL = """
import numpy as np
from minbpe_course.kernels.common import lists
found, known = lists.level(), lists._table.size
lists._level = "take"
lists.block(known + 100)
lists._level = found
for size in (known + 100, known + 9000):
    ids = np.arange(size - 99, size, dtype=np.uint32)
    for _ in range(9):
        assert lists.list_from(ids, size) == ids.tolist()
print("alive")
"""


def test_kernels_get_no_object_that_could_be_freed() -> None:
    """In another process, which crashes if a table that was grown at another level reaches a kernel."""
    done = subprocess.run([sys.executable, "-c", MORTAL], capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == "alive", done.stderr


def test_the_table_grows_and_the_block_stays() -> None:
    """In another process, since a test in this one may have used large ids."""
    done = subprocess.run([sys.executable, "-c", TABLE_GROWS], capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == "grown", done.stderr


def test_many_threads_at_once() -> None:
    wrong: list[str] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for size in range(1, 200):
            ids = rng.integers(0, 1 << 18, size=50).astype(np.uint32)
            if lists.list_from(ids, size * 1000) != ids.tolist():
                wrong.append(f"{seed} {size}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(FOUND != "direct", reason="another Python")
@pytest.mark.parametrize(
    ("owner", "name", "value", "found"),
    [(lists, "ITEMS_AT", 32, "take"), (lists, "SIZE_AT", 8, "take"), (lists, "TYPE_AT", 0, "take"),
     (lists, "_trial", lambda: False, "take"), (sysconfig, "get_config_var", lambda name: 1, "take"),
     (objects, "SYMBOLS", (*objects.SYMBOLS, "PyNoSuchFunction_AtAll"), "take"),
     (sys, "implementation", types.SimpleNamespace(name="pypy"), "plain")],
)  # fmt: skip
def test_every_failed_check_disables_the_fast_way(
    owner: object, name: str, value: object, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interface, "changes", {})
    assert [lists._find_level(way) for way in lists.LEVELS] == list(lists.LEVELS)
    assert not interface.changes
    # A kernel compiled while a place is wrong would have that place in it, and be kept.
    monkeypatch.setattr(lists, "_trial", lambda: True)
    monkeypatch.setattr(owner, name, value)
    assert lists._find_level("direct") == found
    assert any("of CPython" in what for what in interface.changes) == (owner in (lists, objects))
