"""Counting and encoding on a Dask cluster: the same bytes as on one machine, even when workers die."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

distributed = pytest.importorskip("distributed")

from minbpe_course import count_words  # noqa: E402
from minbpe_course.corpus.reading import Corpus  # noqa: E402
from minbpe_course.counting import run_store  # noqa: E402
from minbpe_course.counting import sources as counted_sources  # noqa: E402
from minbpe_course.counting.cluster import dask_engine as cluster_tasks  # noqa: E402
from minbpe_course.counting.cluster.dask_engine import client_of, cluster, run_parts  # noqa: E402
from minbpe_course.counting.spill_to_disk import CountingPlan  # noqa: E402
from minbpe_course.errors import (  # noqa: E402
    ClusterProblem,
    CountingStopped,
    InvalidOption,
    MissingPackage,
    UnreadableInput,
)
from minbpe_course.text.patterns import O200K_PATTERN  # noqa: E402
from minbpe_course.token_files.shards import encode_corpus  # noqa: E402
from tests.shared.cases import hostile_text  # noqa: E402

pytestmark = [pytest.mark.medium, pytest.mark.cluster]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster("local", workers=2) as client:
        yield client


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    rng = random.Random(4)
    for number in range(3):
        text = " ".join(hostile_text(rng, 300) + " the cat sat on the mat <|end of text|>" for _ in range(40))
        (folder / f"{number}.txt").write_text(text, encoding="utf-8", newline="")
    lines = "".join(json.dumps({"text": hostile_text(rng, 60)}) + "\n" for _ in range(300))
    (folder / "lines.jsonl").write_text(lines, encoding="utf-8", newline="\n")
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(lines.encode("utf-8"), mtime=0))
    return Corpus(folder / "*.txt", folder / "*.jsonl*", field="text")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many parts and many merges: everything that happens to a terabyte happens to these."""
    monkeypatch.setattr(counted_sources, "PART", 20_000)
    monkeypatch.setattr(run_store, "FAN_IN", 4)


def counted(corpus: Corpus, path: Path, **options: Any) -> bytes:
    count_words(corpus, output=path, pattern="o200k_base", special_tokens=["<|end of text|>"], **options)
    return path.read_bytes()


def test_counts_are_those_of_one_machine(client: Any, corpus: Corpus, tmp_path: Path) -> None:
    seen: list[Any] = []
    wanted = counted(corpus, tmp_path / "one", num_threads=1)
    assert counted(corpus, tmp_path / "cluster", engine=client, progress=seen.append) == wanted
    assert seen[-1].words == sum(count_words(corpus, pattern="o200k_base", special_tokens=["<|end of text|>"]).values())
    assert client.run(lambda: True), "the client that was brought stays open"
    # A cluster gets a client that is closed again.
    assert counted(corpus, tmp_path / "again", engine=client.cluster, min_frequency=2, checkpoint=tmp_path / "c") == (
        counted(corpus, tmp_path / "pruned", num_threads=2, min_frequency=2)
    )


def kill_one(client: Any, rng: random.Random) -> bool:
    """Kill a worker process; return whether there was one."""
    there = sorted(nanny.pid for nanny in client.cluster.workers.values() if nanny.pid)
    with contextlib.suppress(OSError):
        if there:
            os.kill(rng.choice(there), getattr(signal, "SIGKILL", signal.SIGTERM))
            return True
    return False


KILLED = """
import os, signal, sys
from pathlib import Path
from distributed import Client
from minbpe_course import Corpus, count_words
from minbpe_course.counting import sources
from minbpe_course.counting.run_store import RunStore

commit, made = RunStore.commit, []

def killing(self, *arguments, **notes):
    commit(self, *arguments, **notes)
    made.append(1)
    if len(made) == 4:
        os.kill(os.getpid(), signal.SIGKILL)

RunStore.commit = killing
sources.PART = 20_000
address, folder, *files = sys.argv[1:]
corpus = Corpus(*map(Path, files), field="text")
with Client(address) as client:
    count_words(corpus, engine=client, checkpoint=folder, pattern="o200k_base", special_tokens=["<|end of text|>"])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process can be killed with SIGKILL here")
def test_a_killed_count_continues_with_the_same_file(
    client: Any, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [client.scheduler.address, tmp_path / "work", *corpus.files]
    killed = subprocess.run([sys.executable, "-c", KILLED, *map(str, arguments)], capture_output=True, timeout=600)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    spans = json.loads((tmp_path / "work" / "journal.json").read_bytes())["stretches"]
    assert spans
    wanted, parts = counted(corpus, tmp_path / "one", num_threads=1), []
    real = run_store.RunStore.add
    monkeypatch.setattr(
        run_store.RunStore, "add", lambda *given, **more: (parts.append(given[2]), real(*given, **more))[1]
    )
    assert counted(corpus, tmp_path / "again", engine=client, checkpoint=tmp_path / "work") == wanted
    assert parts
    assert not [part for part in parts for (first, _), (last, _), *_ in spans if first <= part < last]


@pytest.mark.slow
def test_workers_may_die(client: Any, corpus: Corpus, tmp_path: Path) -> None:
    wanted = counted(corpus, tmp_path / "one", num_threads=1)
    rng = random.Random(0)
    number, deaths, rounds = 2, 0, 0
    while deaths < number:
        made: list[bytes] = []
        rounds += 1
        path = tmp_path / f"{rounds}"
        counting = threading.Thread(
            target=lambda path=path, made=made: made.append(counted(corpus, path, engine=client))
        )
        counting.start()
        while counting.is_alive() and deaths < number:
            counting.join(rng.uniform(0.05, 0.5))
            deaths += counting.is_alive() and kill_one(client, rng)
        counting.join()
        assert made == [wanted]


@pytest.mark.slow
def test_errors_of_counting_are_raised_and_the_same_call_continues(client: Any, corpus: Corpus, tmp_path: Path) -> None:
    whole = tmp_path / "9.txt"
    whole.write_bytes(b"so far so good " * 600 + b"\xff and no more")
    both = Corpus(*corpus.files, whole, field="text")
    with pytest.raises(UnreadableInput, match=r"9\.txt is not UTF-8: byte 9,000 is 0xff"):
        count_words(both, engine=client, output=tmp_path / "none")
    with pytest.raises(CountingStopped, match=r"9\.txt is not UTF-8: byte 9,000 is 0xff.*\n.*\n.*are counted and safe"):
        count_words(both, engine=client, checkpoint=tmp_path / "work", output=tmp_path / "none")
    assert not (tmp_path / "none").exists()
    whole.write_bytes(b"so far so good " * 600)
    one = count_words(both, num_threads=1, output=tmp_path / "one").path.read_bytes()
    again = count_words(both, engine=client, checkpoint=tmp_path / "work", output=tmp_path / "again")
    assert again.path.read_bytes() == one


@pytest.mark.slow
def test_lost_runs_are_counted_again(
    client: Any, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, lost = counted(corpus, tmp_path / "one", num_threads=1), []
    real = cluster_tasks.Tasks._result

    def result(self: Any, number: int, future: Any) -> Any:
        if len(lost) < 2:
            lost.append(number)
            raise cluster_tasks.Lost(number, "its worker died")
        return real(self, number, future)

    monkeypatch.setattr(cluster_tasks.Tasks, "_result", result)
    assert counted(corpus, tmp_path / "both", engine=client) == wanted
    assert len(lost) == 2


def test_tasks_have_consecutive_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_sources, "_TASKS", 7)
    for number in range(30):
        (tmp_path / f"{number:02}.txt").write_text("the cat sat " * (300 if number == 20 else 10), encoding="utf-8")
    source = counted_sources.FilesSource(Corpus(tmp_path / "*.txt"), CountingPlan(O200K_PATTERN), kept=True)
    missing = [(part.number, 5 * (part.number == 4)) for part in source.parts if part.number not in (10, 11)]
    tasks = list(source.tasks(missing))
    assert [part.number for parts, _ in tasks for part in parts] == [number for number, _ in missing]
    firsts = {parts[0].number: mark for parts, mark in tasks}
    assert firsts[4] == 5, "only the rest of this part is missing"
    assert sum(firsts.values()) == 5
    assert 12 in firsts, "the parts before it are counted"
    assert 5 < len(tasks) < 12
    assert all(Path(part.path).is_absolute() for parts, _ in tasks for part in parts)


@pytest.mark.slow
def test_shards_are_those_of_one_machine(client: Any, corpus: Corpus, tmp_path: Path) -> None:
    options: Any = dict(part_size=20_000, specials="none", append="<|endoftext|>")
    one = encode_corpus(corpus, "gpt2", tmp_path / "one", num_threads=2, **options)
    other = encode_corpus(corpus, "gpt2", tmp_path / "other", engine=client, **options)
    assert len(one) > 10
    assert {path.name for path in one.folder.iterdir()} == {path.name for path in other.folder.iterdir()}
    for path in one.folder.iterdir():
        assert path.read_bytes() == (other.folder / path.name).read_bytes()


def test_few_tasks_are_submitted_at_a_time(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[int] = []
    real = cluster_tasks.Tasks.ask

    def ask(self: Any, *arguments: Any, **options: Any) -> None:
        real(self, *arguments, **options)
        waiting.append(len(self))

    monkeypatch.setattr(cluster_tasks.Tasks, "ask", ask)
    assert sorted(run_parts(client, pow, range(50), 2, name="squares")) == [(n, n * n) for n in range(50)]
    assert max(waiting) <= cluster_tasks.WINDOW * 2


def test_a_part_that_kills_its_workers_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = cluster_tasks.Lost(7, "KilledWorker")
    tasks = cluster_tasks.Tasks(None, 60.0)
    monkeypatch.setattr(tasks, "_look", lambda: None)
    for _ in range(cluster_tasks.TRIES):
        tasks.count_try(lost)
    with pytest.raises(ClusterProblem, match="part 7 was submitted 3 times, and each time its workers died"):
        tasks.count_try(lost)


@pytest.mark.slow
def test_no_worker_and_no_scheduler() -> None:
    options: Any = dict(
        n_workers=0, processes=False, protocol="tcp://", host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )
    with distributed.LocalCluster(**options) as empty, client_of(empty) as client:
        with pytest.raises(ClusterProblem, match="the cluster had no worker for 1 seconds"):
            list(run_parts(client, str, range(3), name="idle", patience=1.0))
        waiting = run_parts(client, str, range(3), name="idle")
        threading.Timer(1.5, empty.close).start()
        with pytest.raises(ClusterProblem, match="the scheduler of the cluster"):
            next(waiting)
    with pytest.raises(ClusterProblem, match="it is closed"):
        list(run_parts(client, str, range(3), name="idle", patience=1.0))


@pytest.mark.slow
def test_another_version_on_a_worker_is_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = client.get_versions(packages=["minbpe_course"])
    for theirs, words in (("0.0.1", "has minbpe_course 0.0.1, but here it is"), (None, "does not have minbpe_course")):
        next(iter(found["workers"].values()))["packages"]["minbpe_course"] = theirs
        monkeypatch.setattr(client, "get_versions", lambda packages: found)
        with pytest.raises(ClusterProblem, match=words):
            list(run_parts(client, str, range(3), name="other"))


def test_invalid_engines_are_refused(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidOption, match=r"engine must be a Dask client or cluster, got str"):
        count_words(corpus, engine="local")
    with pytest.raises(InvalidOption, match="engine= counts files"):
        count_words("a text", engine=object())
    for spec in ("tcp:127.0.0.1", "", "Local", "ray://head:1"):
        with pytest.raises(InvalidOption, match="is not a cluster: give local"), cluster(spec):
            pass
    monkeypatch.setattr(cluster_tasks, "_ANSWERS", 1)
    with pytest.raises(ClusterProblem, match="no Dask scheduler answers at tcp://127"), cluster("tcp://127.0.0.1:9"):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPackage, match=r'pip install "minbpe-course\[cluster\]"'):
        count_words(corpus, engine=object())
