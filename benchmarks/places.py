"""Start the measuring processes: one for each environment and number of threads.

Rust's thread pools and Numba read the number of threads only once, at start. tokenizers 1.0 and 0.23 cannot be
installed in one environment. So each race runs in a process with the right environment and threads, and this course
takes part in all of them. If a library crashes the process, only that race is lost; a new process continues with the
rest.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Task = tuple[str, int]  # ("row", 3) or ("curve", 0)


@dataclass(frozen=True)
class Place:
    """The Python of an environment, and the number of threads."""

    python: str
    threads: int

    def environment(self) -> dict[str, str]:
        """Return the environment variables of the processes."""
        number = str(self.threads)
        return {
            **os.environ,
            "RAYON_NUM_THREADS": number,
            "NUMBA_NUM_THREADS": number,
            "OMP_NUM_THREADS": number,
            "TOKENIZERS_PARALLELISM": "true" if self.threads > 1 else "false",
            "PYTHONHASHSEED": "0",
        }


def run_tasks(
    place: Place,
    tasks: Sequence[Task],
    request: dict[str, Any],
    heard: Callable[[Task, dict[str, Any]], None],
    command: Sequence[str] = ("-m", "benchmarks.worker"),
) -> dict[str, str]:
    """Run the tasks in processes of ``place``, call ``heard`` with each result, and return the library versions."""
    waiting = list(tasks)
    versions: dict[str, str] = {}
    while waiting:
        running: Task | None = None
        with subprocess.Popen(
            [place.python, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=place.environment(),
            text=True,
            encoding="utf-8",
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps({**request, "tasks": waiting}))
            process.stdin.close()
            for line in process.stdout:
                if not line.startswith("{"):
                    continue  # output of other libraries
                message = json.loads(line)
                versions |= message.get("versions", {})
                if "start" in message:
                    running = (message["start"][0], message["start"][1])
                if "task" in message:
                    task = (message["task"][0], message["task"][1])
                    heard(task, {name: value for name, value in message.items() if name != "task"})
                    waiting.remove(task)
                    running = None
        if waiting:
            lost = running or waiting[0]
            heard(lost, {"lost": f"the process ended with {process.returncode}"})
            waiting.remove(lost)
    return versions
