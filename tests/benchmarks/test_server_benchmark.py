"""The benchmark of a server measures the same requests with each library, in separate processes; nothing is timed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import server
from benchmarks.contestants.hugging_face import tokenizer_file
from benchmarks.server_process import MEASURED, NAMES
from minbpe_course import use_bundled_vocabularies

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]


def test_contestants_agree_and_every_measurement_runs(tmp_path: Path) -> None:
    use_bundled_vocabularies()
    for name in NAMES:
        tokenizer_file(tmp_path, name)
    servers = {who: {"who": who, "folder": str(tmp_path), "texts": server.requests(12)} for who in server.WHO}
    assert len({server.measured("ids", each) for each in servers.values()}) == 1
    quick = servers["tiktoken"]
    assert server.measured("base", quick) < server.measured("peak", quick, rounds=1)
    assert server.measured("first", quick, threads=2) > 0
    load = server.measured("load", quick, seconds=0.4)
    assert 0 < load["median"] <= load["most"]
    assert len(load["memory"]) == MEASURED
    with pytest.raises(RuntimeError, match="no_such_library"):
        server.measured("base", {**quick, "who": "no_such_library"})
