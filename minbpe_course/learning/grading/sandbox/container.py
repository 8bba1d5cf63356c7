"""The third rung: a container of docker or podman, for machines without Linux. Slow to start.

The image is a stock Python of the same minor version and has to be present: nothing is downloaded here. The worker's
files are mounted one by one, read-only.

Limits: about half a second per question. Packages beyond the standard library are those of the host, so an exercise
that needs one runs on this rung only where host and image are the same kind of system.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from minbpe_course.learning.grading.sandbox import base
from minbpe_course.learning.grading.sandbox.base import WORK, Limits, Started
from minbpe_course.start_python import program

IMAGE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
SECONDS_TO_ASK = 10


@dataclass
class Contained(Started):
    """A worker whose process here is only the client of a container."""

    program: str = ""
    container: str = ""

    def worker(self) -> int | None:
        """Return None: the answer is not a child of this process."""
        return None

    def end(self) -> None:
        """Remove the container, then the client."""
        removed = [self.program, "rm", "--force", self.container]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(removed, capture_output=True, timeout=SECONDS_TO_ASK, check=False)
        super().end()


class Container:
    """Starts workers in containers."""

    name = "container"
    guarantees = (
        "marks cannot be forged; an answer sees a container without a network and none of this machine's files; "
        "memory, processes and files are bounded. Everything rests on the container program."
    )
    how_to_climb = f"Install Docker or podman, start it, and run once: docker pull {IMAGE}"

    @staticmethod
    def missing() -> str:
        program = client()
        if program is None:
            return "neither docker nor podman is installed"
        inspect = [program, "image", "inspect", IMAGE]
        try:
            run = subprocess.run(inspect, capture_output=True, timeout=SECONDS_TO_ASK, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return f"{program} does not answer"
        return (base.last_line(run.stderr) or f"there is no image {IMAGE}") if run.returncode else ""

    @staticmethod
    def strength() -> str:
        return f"{client()} with {IMAGE}"

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        program = client() or "docker"
        name = f"minbpe-answer-{secrets.token_hex(8)}"
        worker = base.command_elsewhere("python", limits, packages)
        process = base.launch([program, "run", *_options(name, limits, packages), IMAGE, *worker], complaints)
        return Contained(process, program=program, container=name)


def _options(name: str, limits: Limits, packages: Sequence[str]) -> list[str]:
    options = ["--rm", "--interactive", "--name", name, "--network", "none", "--read-only", "--cap-drop", "ALL"]
    options += ["--security-opt", "no-new-privileges", "--user", "65534:65534", "--workdir", WORK, "--pull", "never"]
    options += ["--pids-limit", str(limits.threads)]
    options += ["--memory", str(limits.memory), "--memory-swap", str(limits.memory)]
    options += ["--tmpfs", f"{WORK}:rw,nosuid,nodev,size={limits.file_bytes},mode=0777"]
    options += ["--shm-size", "64k", "--ipc", "none"]
    for source, target in base.shown_elsewhere(packages):
        options += ["--volume", f"{source}:{target}:ro"]
    for variable, value in base.environment(WORK).items():
        options += ["--env", f"{variable}={value}"]
    return options


@functools.cache
def client() -> str | None:
    """Return the container program of this machine, or None."""
    return program("docker") or program("podman")
