"""Counting and training that are killed, or run out of disk, at any moment: the same call ends with the same result.

Processes are killed with SIGKILL at every step towards the disk, with files half written, and at random moments. Files
that may not grow stand for a full disk, and so does a small disk where the tests may mount one.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.counting.hostile_corpora import SPECIAL_TOKENS, hostile_documents, written
from tests.counting.killed_on_purpose import FORKS, Nursery

KILLED = -9

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not FORKS, reason="the jobs run in forks")]


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    chance = random.Random(30)
    folder = tmp_path_factory.mktemp("corpus")
    documents = ["".join(hostile_documents(chance, 6, 300)) for _ in range(9)]
    found = written(folder / "a", documents, "text")[0] + written(folder / "b", documents[:3], "text", "gz")[0]
    return [str(path) for path in found]


def counting(files: list[str], folder: Path, **more: Any) -> dict[str, Any]:
    return dict(
        do="count", files=files, output=str(folder / "out.counts"), checkpoint=str(folder / "work"),
        pattern="o200k_base", special_tokens=SPECIAL_TOKENS, num_threads=1,
    ) | more  # fmt: skip


def fresh(quick_path: Path, name: object) -> Path:
    folder = quick_path / str(name)
    folder.mkdir()
    return folder


def nothing_left_over(folder: Path) -> None:
    assert not [path for path in folder.rglob("*") if path.name.endswith(".part")]


@pytest.mark.parametrize("torn", [False, True], ids=["killed", "half written"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_kill_at_every_step_of_counting(
    nursery: Nursery, files: list[str], quick_path: Path, threads: int, torn: bool
) -> None:
    whole = nursery.run(counting(files, fresh(quick_path, "whole"), num_threads=threads))
    assert whole.code == 0, whole.said
    wanted = (quick_path / "whole" / "out.counts").read_bytes()
    for at in sorted({*random.Random(2 * threads + torn).sample(range(1, whole.steps + 1), 6), whole.steps - 8}):
        folder = fresh(quick_path, at)
        job = counting(files, folder, num_threads=threads)
        # How often a table is full depends on timing, so the last steps may not happen.
        killed = nursery.run(job, kill_at=at, torn=torn)
        assert killed.code == KILLED or (at > whole.steps - 50 and killed.code == 0), (at, killed)
        again = nursery.run(job)
        assert again.code == 0, (at, again.said)
        assert (folder / "out.counts").read_bytes() == wanted, at
        nothing_left_over(folder)


def result(folder: Path) -> bytes:
    (found,) = folder.glob("out.*")
    return found.read_bytes()


# ---- Training, which counts, learns merges and writes a model


def training(files: list[str], folder: Path, **more: Any) -> dict[str, Any]:
    return dict(
        do="train", files=files, output=str(folder / "out.json"), checkpoint=str(folder / "work"), size=900,
        pattern="gpt2", special_tokens=["<|endoftext|>"], num_threads=1,
    ) | more  # fmt: skip


def test_a_kill_at_every_step_of_training(nursery: Nursery, files: list[str], quick_path: Path) -> None:
    whole = nursery.run(training(files, fresh(quick_path, "whole")))
    assert whole.code == 0, whole.said
    for at in sorted({*random.Random(4).sample(range(1, whole.steps + 1), 4), whole.steps}):
        folder = fresh(quick_path, at)
        killed = nursery.run(training(files, folder), kill_at=at, torn=at % 2 == 0)
        assert killed.code == KILLED or (at > whole.steps - 50 and killed.code == 0), (at, killed)
        again = nursery.run(training(files, folder))
        assert again.code == 0, (at, again.said)
        assert result(folder) == result(quick_path / "whole"), at


# ---- A full disk


def test_files_that_may_not_grow(nursery: Nursery, files: list[str], quick_path: Path) -> None:
    assert nursery.run(counting(files, fresh(quick_path, "whole"))).code == 0
    whole, stopped = len(result(quick_path / "whole")), 0
    sizes = [0, 1, 100, 600, 1_000, 1_500, *range(2_000, whole, whole // 6), whole - 1]
    for size in sizes:
        folder = fresh(quick_path, size)
        full = nursery.run(counting(files, folder), largest=size)
        assert full.code == 1, (size, full)
        kind, _, said = full.said.partition(":")
        # Before anything is counted there is nothing to continue from, and the error is that of the file.
        assert kind in ("CountingStopped", "UnusablePath"), (size, full.said)
        assert "too large" in said, full.said
        assert str(folder) in said, full.said
        assert not (folder / "out.counts").exists()
        nothing_left_over(folder)
        stopped += kind == "CountingStopped"
        last = nursery.run(counting(files, folder))
        assert last.code == 0, (size, last.said)
        assert result(folder) == result(quick_path / "whole"), size
    assert stopped > 3


def test_an_interrupt_before_threads_stop_leaves_no_process() -> None:
    program = """
from minbpe_course.counting.word_counter import TableThreads
from minbpe_course.counting.word_table import WordTable
from minbpe_course.splitting.splitter import Splitter

class Interrupted(TableThreads):
    def __exit__(self, *error):
        raise KeyboardInterrupt

with Interrupted([WordTable(Splitter(None))], waiting=1) as threads:
    pass
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=600, check=False)
    assert b"KeyboardInterrupt" in ended.stderr
