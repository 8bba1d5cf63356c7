"""A zip that Gradescope takes as an autograder, and what runs inside it.

    build(...)     -> the bytes of autograder.zip: setup.sh, run_autograder, this package, the exercises, the seed
    run_in(root)   -> grades root/submission and writes root/results/results.json, whatever happens

Answers run in the best sandbox of Gradescope's container, in any case as another user: the seed and the folder of the
results belong to root and to nobody else. Solutions are not in the zip. Limits: needs an image with Python 3.10 or
later (Ubuntu 22.04), which ``setup.sh`` checks.
"""

from __future__ import annotations

import io
import json
import stat
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from minbpe_course.checks import catalogue
from minbpe_course.checks.exercise import Exercise
from minbpe_course.errors import MinbpeCourseError, SandboxUnavailable
from minbpe_course.files import read_whole, write_whole
from minbpe_course.grading import released
from minbpe_course.grading.archives import in_folder
from minbpe_course.grading.batch import grade, sandboxed
from minbpe_course.grading.gradebook import Gradebook, Learner
from minbpe_course.grading.intake import Submission
from minbpe_course.grading.layouts import Owner
from minbpe_course.grading.marking import OpenCaller
from minbpe_course.grading.reports.gradescope import results
from minbpe_course.grading.sandbox.bare import Bare
from minbpe_course.grading.sandbox.base import Sandbox

SEED, SETTINGS, COURSE = "seed.txt", "settings.json", "course"
# What judging needs; the rest of the course's dependencies would make the build of the image take minutes.
NEEDS = ("numpy", "regex")
_SKIPPED = {"__pycache__", "notebooks", "jupyter"}

SETUP = """#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the image of the autograder.
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}

apt-get update
apt-get install -y --no-install-recommends python3 python3-venv bubblewrap
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "This autograder needs Python 3.10 or later: choose Ubuntu 22.04 or later as its base image." >&2
    exit 1
}
python3 -m venv "$root/python"
"$root/python/bin/pip" install --no-cache-dir NEEDS

# The seed and the results are root's alone; answers run as other users.
chmod -R go+rX "$root/source" "$root/python"
chmod 600 "$root/source/seed.txt"
mkdir -p "$root/results"
chmod 700 "$root/results"
PYTHONPATH="$root/source/course" "$root/python/bin/python" -m minbpe_course doctor || true
"""

RUN = """#!/usr/bin/env bash
# Runs for each submission. For a trial elsewhere: AUTOGRADER_ROOT, and AUTOGRADER_PYTHON for the interpreter.
root=${AUTOGRADER_ROOT:-/autograder}
umask 077
mkdir -p "$root/results"
chmod 600 "$root/source/seed.txt"
chmod 700 "$root/results"
cd "$root" || exit 1
export PYTHONPATH="$root/source/course"
exec "${AUTOGRADER_PYTHON:-$root/python/bin/python}" -m minbpe_course gradescope --run-in "$root"
"""


def build(seed: str, exercises: Sequence[Exercise]) -> bytes:
    """Return the bytes of the zip for these exercises; the same every time it is made of the same.

    >>> names = zipfile.ZipFile(io.BytesIO(build("correct horse", ()))).namelist()
    >>> names[:4], any("solutions" in name for name in names)
    (['run_autograder', 'setup.sh', 'seed.txt', 'settings.json'], False)
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        _add(made, "run_autograder", RUN.encode(), 0o755)
        _add(made, "setup.sh", SETUP.replace("NEEDS", " ".join(NEEDS)).encode(), 0o755)
        _add(made, SEED, f"{seed}\n".encode("utf-8", "surrogateescape"), 0o600)
        _add(made, SETTINGS, json.dumps({"only": [exercise.key for exercise in exercises]}).encode(), 0o644)
        for path in sorted(released.PACKAGE.rglob("*")):
            inside = path.relative_to(released.PACKAGE)
            if path.is_file() and not _SKIPPED & set(inside.parts):
                _add(made, f"{COURSE}/minbpe_course/{inside.as_posix()}", read_whole(path), 0o644)
        if not (released.PACKAGE / "_lessons").is_dir():
            lessons = {exercise.lesson for exercise in exercises}
            for path in sorted(released.exercises_folder().glob("*.ipynb")):
                if path.name[:2] in lessons:
                    _add(made, f"{COURSE}/exercises/{path.name}", read_whole(path), 0o644)
    return out.getvalue()


def run_in(root: Path, choose: Callable[[], Sandbox], open_with: Callable[[Sandbox], OpenCaller] = sandboxed) -> None:
    """Grade the submission below ``root`` and write its results. Raises nothing but what writing them raises.

    choose : returns the sandbox to use, or raises SandboxUnavailable.
    """
    folder = root / "results"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        made = _graded(root, choose, open_with)
    except Exception as error:
        # Gradescope shows this to the teacher; the learner reads only what is in the file.
        write_whole(folder / "results.json", _failed())
        raise MinbpeCourseError(f"could not be graded: {type(error).__name__}: {error}") from error
    write_whole(folder / "results.json", made)


def protecting(sandbox: Sandbox) -> Sandbox:
    """Return the sandbox if it keeps seed and results from an answer here. Raises SandboxUnavailable if it does not.

    On the last rung that is so only where the answer runs as another user than the grader.
    """
    if isinstance(sandbox, Bare) and "a user of its own" not in sandbox.strength():
        raise SandboxUnavailable(
            "an answer could read the seed here: run the autograder as root, as Gradescope does, with a Python that "
            "every user may read, or install bubblewrap."
        )
    return sandbox


def _graded(root: Path, choose: Callable[[], Sandbox], open_with: Callable[[Sandbox], OpenCaller]) -> bytes:
    seed = read_whole(root / "source" / SEED).decode("utf-8", "surrogateescape").strip()
    settings: Mapping[str, list[str]] = json.loads(read_whole(root / "source" / SETTINGS))
    sandbox = choose()
    questions = released.questions(released.chosen(settings["only"]))
    contents = in_folder(root / "submission")
    refused = tuple(f"{one.path} {one.why}" for one in contents.refusals)
    submission = Submission(Owner("submission"), tuple(contents.members), refused)
    rules = released.rules_version()
    with tempfile.TemporaryDirectory() as work, Gradebook(Path(work), seed) as book:
        versions = [released.version(question, rules) for question in questions]
        grade(
            *([submission], questions, versions, book, seed),
            open_caller=open_with(sandbox),
            sandbox=sandbox.name,
        )
        exercises = {exercise.key: exercise for exercise in catalogue.exercises()}
        return results(book.learner("submission"), book.marks("submission"), exercises)


def _failed() -> bytes:
    nobody = replace(Learner("submission", "submission"), problems=("The grader failed; your teacher can see why.",))
    return results(nobody, [], {})


def _add(made: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    made.writestr(info, data)
