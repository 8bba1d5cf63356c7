"""The third rung: a container of docker or podman, for machines that have no Linux of their own. Slow to start.

The image is a stock Python of the same minor version and has to be there already: nothing is ever downloaded here. The
worker's files are shown to it one by one, read-only.

Limits: about half a second a question. Packages beyond the standard library are those of the host, so an exercise that
needs one runs on this rung only where host and image are the same kind of system.
"""

from __future__ import annotations

import contextlib
import functools
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from minbpe_course.grading.sandbox.base import (
    Limits,
    Started,
    command,
    environment,
    package_origins,
    package_parts,
    settings,
    worker_files,
)

IMAGE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
SECONDS_TO_ASK = 10
GRADER = "/grader"


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
        """Return why this rung cannot exist here, or nothing."""
        program = client()
        if program is None:
            return "neither docker nor podman is installed"
        try:
            run = subprocess.run(
                [program, "image", "inspect", IMAGE], capture_output=True, timeout=SECONDS_TO_ASK, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return f"{program} does not answer"
        if run.returncode:
            said = run.stderr.decode("utf-8", "replace").strip().splitlines()
            return said[-1][:300] if said else f"the image {IMAGE} is not there"
        return ""

    @staticmethod
    def strength() -> str:
        """Return what runs it."""
        return f"{client()} with {IMAGE}"

    def start(self, limits: Limits, packages: Sequence[str], complaints: int = subprocess.DEVNULL) -> Started:
        """Start a worker in a container of its own."""
        program = client() or "docker"
        name = f"minbpe-answer-{secrets.token_hex(8)}"
        process = subprocess.Popen(
            [program, "run", *_walls(name, limits, packages), IMAGE, *_worker(limits, packages)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            bufsize=0,
            start_new_session=True,
        )
        return Contained(process, program=program, container=name)


def _walls(name: str, limits: Limits, packages: Sequence[str]) -> list[str]:
    shown = [(path, f"{GRADER}/{path.name}") for path in worker_files().values()]
    shown += [(part, f"/packages/{part.name}") for package in packages for part in package_parts(package)]
    walls = ["--rm", "--interactive", "--name", name, "--network", "none", "--read-only", "--cap-drop", "ALL"]
    walls += ["--security-opt", "no-new-privileges", "--user", "65534:65534", "--workdir", "/work", "--pull", "never"]
    walls += ["--pids-limit", str(limits.threads), "--memory", str(limits.memory), "--memory-swap", str(limits.memory)]
    walls += [
        "--tmpfs",
        f"/work:rw,nosuid,nodev,size={limits.file_bytes},mode=0777",
        "--shm-size",
        "64k",
        "--ipc",
        "none",
    ]
    for source, target in shown:
        walls += ["--volume", f"{source}:{target}:ro"]
    for variable, value in environment("/work").items():
        walls += ["--env", f"{variable}={value}"]
    return walls


def _worker(limits: Limits, packages: Sequence[str]) -> list[str]:
    files = {name: f"{GRADER}/{path.name}" for name, path in worker_files().items()}
    origins = {name: f"/packages/{origin}" for name, origin in package_origins(packages).items()}
    return command("python", files, settings(limits, origins))


@functools.cache
def client() -> str | None:
    """Return the container program of this machine, None for none."""
    return shutil.which("docker") or shutil.which("podman")
