"""One thread builds the tables for kernels, also if several need them at once."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from minbpe_course import get_encoding, vocabularies
from minbpe_course.kernels.lazy import built_once
from minbpe_course.tokenizers.encoding import ENCODINGS


class Slow:
    @built_once
    def value(self) -> object:
        time.sleep(0.05)
        return object()


def test_threads_that_ask_at_once_get_one_value() -> None:
    slow = Slow()
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: slow.value, range(8)))
    assert len(set(map(id, values))) == 1
    assert Slow().value is not slow.value


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_waits_while_a_thread_loads_a_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, load = threading.Event(), vocabularies.load

    def slowly(name: str) -> Any:
        begun.set()
        time.sleep(0.5)
        return load(name)

    monkeypatch.setattr(vocabularies, "load", slowly)
    monkeypatch.delitem(ENCODINGS, "r50k_base", raising=False)
    thread = threading.Thread(target=get_encoding, args=("r50k_base",))
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        get_encoding("r50k_base")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
