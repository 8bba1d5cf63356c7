"""What kernels need is built by one thread, however many ask for it at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from minbpe_course.kernels.lazy import built_once


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
