"""Counting and training in processes that are killed: at each step towards the disk, or after a while.

    with Nursery(tmp_path) as nursery:
        nursery.run(job).steps                      how often the undisturbed job renames, deletes, syncs, makes folders
        nursery.run(job, kill_at=17)                killed with SIGKILL where it was about to do so for the 17th time
        nursery.run(job, kill_at=17, torn=True)     and of the file it was about to sync only the half is there
        nursery.run(job, largest=4096)              no file may become larger, as if the disk were full there

A job is what ``JOBS`` does with some options. One process imports and compiles; each job runs in a fork of it, which
starts in a few milliseconds. Only Linux can fork such a process safely; elsewhere ``FORKS`` is False, and only
``test_run_store`` tests interruptions.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FORKS = sys.platform.startswith("linux")
STEPS = ("fsync", "replace", "rename", "unlink", "mkdir", "rmdir")


class Ended(NamedTuple):
    """How a job ended: its exit code (-9 if killed), the number of its steps, and its error."""

    code: int
    steps: int
    said: str


class Nursery:
    """The process that forks the jobs."""

    def __init__(self, **environment: str) -> None:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve())], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            encoding="utf-8", env=os.environ | {"PYTHONPATH": path} | environment,
        )  # fmt: skip

    def run(self, job: dict[str, Any], **how: Any) -> Ended:
        """Run a job; ``how`` is kill_at, torn, largest."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([job, how]) + "\n")
        self._process.stdin.flush()
        return Ended(*json.loads(self._process.stdout.readline()))

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(300)


# ---- In the fork


def count(
    files: list[str], output: str, checkpoint: str, part: int = 2_000, memory: int = 60_000, **options: Any
) -> None:
    """Count in tiny parts and tables, with a cut after every task."""
    from minbpe_course.counting import bounded as bounded_counting
    from minbpe_course.counting import sources, spill_to_disk
    from minbpe_course.counting.count_words import count_words

    sources.PART = part
    spill_to_disk._LARGEST_BLOCK = 1_000
    spill_to_disk._SMALLEST_BLOCK = 100
    spill_to_disk._LEAST_TABLE = 1
    bounded_counting.amounts.for_work = lambda _: memory
    bounded_counting.count_bounded.__kwdefaults__["every"] = 0.0
    count_words([Path(file) for file in files], output=output, checkpoint=checkpoint, **options)


def train(files: list[str], output: str, checkpoint: str, size: int, **options: Any) -> None:
    """Train with frequent checkpoints, and write the model to ``output``."""
    from minbpe_course.counting import bounded as bounded_counting
    from minbpe_course.counting import sources
    from minbpe_course.files import write_whole
    from minbpe_course.trainers import byte_pair

    sources.PART = 2_000
    bounded_counting.count_bounded.__kwdefaults__["every"] = 0.0
    model = byte_pair.train([Path(file) for file in files], size, checkpoint=checkpoint, **options)
    write_whole(output, json.dumps([list(model.merges), model.pattern, dict(model.special_tokens)]).encode("utf-8"))


JOBS: dict[str, Callable[..., None]] = {"count": count, "train": train}


class _Steps:
    """Counts the steps of this process towards the disk, and kills it at one of them."""

    def __init__(self, kill_at: int | None, torn: bool) -> None:
        self.made = 0
        self._kill_at, self._torn = kill_at, torn
        self._one_at_a_time = threading.Lock()
        for name in STEPS:
            setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name: str, do: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            with self._one_at_a_time:
                self.made += 1
                if self.made == self._kill_at:
                    if self._torn and name == "fsync":
                        with contextlib.suppress(OSError):
                            os.ftruncate(arguments[0], os.fstat(arguments[0]).st_size // 2)
                    os.kill(os.getpid(), signal.SIGKILL)
            return do(*arguments, **options)

        return step


def _in_a_fork(
    job: dict[str, Any],
    kill_at: int | None = None,
    torn: bool = False,
    largest: int | None = None,
) -> Ended:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code, said, steps = 1, "", _Steps(kill_at, torn)
        try:
            options = dict(job)
            if largest is not None:
                import resource

                # Python ignores the signal, so a longer write raises EFBIG.
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
            JOBS[options.pop("do")](**options)
            code = 0
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, json.dumps([code, steps.made, said[:30_000]]).encode("ascii"))
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Ended(*json.loads(told)) if told and code >= 0 else Ended(code, 0, "")


def _warm(folder: Path) -> None:
    """Import and compile once what jobs need."""
    from minbpe_course.counting.count_words import count_words
    from minbpe_course.trainers import byte_pair

    (folder / "a.txt").write_text("low lower lowest " * 9, encoding="utf-8")
    for pattern in ("o200k_base", r"\S+|\s"):
        count_words([folder / "a.txt"], pattern=pattern, output=folder / "a.counts", memory=1 << 25, num_threads=1)
    byte_pair.train("low lower lowest", 260)


def main() -> None:
    """Fork a job for each line of stdin, and answer with a line each."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        _warm(Path(folder))
    for line in sys.stdin:
        job, how = json.loads(line)
        print(json.dumps(_in_a_fork(job, **how)), flush=True)


if __name__ == "__main__":
    main()
