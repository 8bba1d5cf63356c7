"""Ask git when work was committed, without obeying anything that a clone says.

A clone may be a stranger's folder, and its configuration can name programs that git runs. So git is given another
repository, made for this question, which has the references of the clone, borrows its objects, and has no settings.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from minbpe_course.errors import UnreadableSubmission, UnusablePath
from minbpe_course.learning.submissions.archives import file_reader
from minbpe_course.start_python import program

SECONDS = 20


def commit_time(clone: Path, names: Sequence[str]) -> str:
    """Return when the last commit that touched one of these files was made, in ISO 8601; "" if git does not say."""
    git, theirs = program("git"), (clone / ".git").absolute()
    if git is None or not names:
        return ""
    with tempfile.TemporaryDirectory() as folder, suppress(OSError, subprocess.SubprocessError):
        own = Path(folder)
        (own / "refs").mkdir()
        # "shallow" is left out: with it, git would take the oldest commit of a shallow clone for the first of all.
        for name in [
            "HEAD",
            "packed-refs",
            *re.findall(r"^ref: (refs/.+)", _read(theirs / "HEAD").decode("utf-8", "replace")),
        ]:
            if ".." not in name and (text := _read(theirs / name)):
                (own / name).parent.mkdir(parents=True, exist_ok=True)
                (own / name).write_bytes(text)
        environment = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        environment |= {
            "GIT_DIR": folder,
            "GIT_OBJECT_DIRECTORY": str(theirs / "objects"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_ALLOC_LIMIT": "512m",
        }
        command = [git, "--no-pager", "log", "-1", "--format=%cI", "HEAD", "--", *names]
        run = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
        return run.stdout.decode("ascii", "replace").strip()
    return ""


def _read(path: Path) -> bytes:
    with suppress(UnreadableSubmission, UnusablePath):
        return file_reader(path)()
    return b""
