"""The benchmark of a server measures the same requests with each library, in separate processes; nothing is timed."""

from __future__ import annotations

import sys
from pathlib import Path

import numba
import pytest

from benchmarks import server
from benchmarks.contestants.hugging_face import tokenizer_file
from benchmarks.server_process import MEASURED, NAMES
from minbpe_course import use_bundled_vocabularies

pytestmark = [
    pytest.mark.medium,
    pytest.mark.skipif(numba.config.DISABLE_JIT, reason="starts processes that compile"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]


def test_contestants_agree_and_every_measurement_runs(tmp_path: Path) -> None:
    use_bundled_vocabularies()
    for name in NAMES:
        tokenizer_file(tmp_path, name)
    texts = server.requests(12)
    assert len({server.measured("ids", who, tmp_path, texts) for who in server.WHO}) == 1
    assert server.measured("base", "tiktoken", tmp_path, texts) < server.measured("base", "ours", tmp_path, texts)
    assert server.measured("first", "tiktoken", tmp_path, texts, threads=2) > 0
    load = server.measured("load", "tiktoken", tmp_path, texts, threads=2, rate=100, seconds=0.4)
    assert 0 < load["median"] <= load["most"]
    assert len(load["memory"]) == MEASURED
    with pytest.raises(RuntimeError, match="no_such_library"):
        server.measured("first", "no_such_library", tmp_path, texts, threads=1)
