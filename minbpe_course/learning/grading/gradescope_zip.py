"""Build a zip that Gradescope takes as an autograder, and grade inside it.

Answers run in the best sandbox of Gradescope's container, always as another user: only root can read the seed, the
folder of the results, and the right answers that take the place of a learner's wrong ones. Limits: needs an image with
Python 3.10 or later (Ubuntu 22.04), which ``setup.sh`` checks.
"""

from __future__ import annotations

import io
import json
import stat
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from minbpe_course.errors import GradingProblem, MinbpeCourseError
from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.assignments.assignment import name_of
from minbpe_course.learning.grading import released
from minbpe_course.learning.grading.asked import Asked
from minbpe_course.learning.grading.batch import grade, sandboxed
from minbpe_course.learning.grading.gradebook import Gradebook, Learner
from minbpe_course.learning.grading.mark_rules import rules_of
from minbpe_course.learning.grading.present import Row
from minbpe_course.learning.grading.reports.exports import results
from minbpe_course.learning.grading.sandbox.bare import Bare
from minbpe_course.learning.grading.sandbox.base import Sandbox
from minbpe_course.learning.judge import catalogue
from minbpe_course.learning.judge.exercise import Exercise
from minbpe_course.learning.submissions.archives import in_folder
from minbpe_course.learning.submissions.intake import Submission, moment
from minbpe_course.learning.submissions.layouts import Owner

SEED, SETTINGS, COURSE, TEACHERS = "seed.txt", "settings.json", "course", "teachers"
# The packages that judging needs; with all dependencies of the course the image would take minutes to build.
# Python 3.10, which Ubuntu 22.04 has, reads an assignment with tomli.
NEEDS = ("numpy", "regex", "tomli")
_SKIPPED = {"__pycache__", "notebooks", "jupyter"}


def build(seed: str, exercises: Sequence[Exercise], assignment: Path | None = None) -> bytes:
    """Return the bytes of the zip: two scripts, the seed, this package and the released notebooks of these exercises.

    assignment : the file that asks for them. For the exercises of a teacher, the zip has the folder with their checks.
    The same input gives the same bytes.
    """
    out = io.BytesIO()
    exercises = [exercise for exercise in exercises if exercise.kind != "written"]
    notebooks = {path for exercise in exercises if (path := released.notebook_of(exercise)) is not None}
    teachers = dict.fromkeys(catalogue.collection_of(exercise.key) for exercise in exercises)
    teachers.pop(catalogue.COURSE, None)
    settings: dict[str, Any] = {
        "only": [exercise.key for exercise in exercises],
        "exercises": [f"{TEACHERS}/{number}" for number in range(len(teachers))],
        "assignment": "",
    }
    if assignment is not None:
        roots = [collection.checks.parent for collection in teachers]
        beside = next((at for at, root in enumerate(roots) if root == assignment.absolute().parent), len(roots))
        settings["assignment"] = f"{TEACHERS}/{beside}/{name_of(assignment)}.toml"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        _add(made, "run_autograder", _script("gradescope_run.sh"), 0o755)
        _add(made, "setup.sh", _script("gradescope_setup.sh").replace(b"NEEDS", " ".join(NEEDS).encode()), 0o755)
        _add(made, SEED, f"{seed}\n".encode("utf-8", "surrogateescape"), 0o600)
        _add(made, SETTINGS, json.dumps(settings).encode(), 0o644)
        if assignment is not None:
            _add(made, settings["assignment"], read_whole(assignment), 0o600)
        for path in sorted(released.PACKAGE.rglob("*")):
            inside = path.relative_to(released.PACKAGE)
            if path.is_file() and not _SKIPPED & set(inside.parts):
                _add(made, f"{COURSE}/minbpe_course/{inside.as_posix()}", read_whole(path), 0o644)
        if not (released.PACKAGE / "_lessons").is_dir():
            for path in sorted(notebooks):
                if path.parent.parent == catalogue.COURSE.released.parent:
                    _add(made, f"{COURSE}/{path.parent.name}/{path.name}", read_whole(path), 0o644)
        for folder, collection in zip(settings["exercises"], teachers):
            root = collection.checks.parent
            files = [path for path in collection.checks.rglob("*") if path.is_file()]
            files += [path for path in notebooks if path.parent == collection.released]
            for path in sorted(files):
                inside = path.relative_to(root)
                if not any(part == "__pycache__" or part.startswith(".") for part in inside.parts):
                    _add(made, f"{folder}/{inside.as_posix()}", read_whole(path), 0o600)
    return out.getvalue()


def run_in(root: Path, choose: Callable[[], Sandbox]) -> None:
    """Grade the submission below ``root`` and write its results, also when grading fails.

    choose : returns the sandbox to use, or raises GradingProblem.

    Raises MinbpeCourseError after a failure, for the log that only the teacher sees.
    """
    folder = root / "results"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        made = _graded(root, choose)
    except Exception as error:
        failed = Learner("submission", "submission", problems=("The grader failed; your teacher can see why.",))
        write_whole(folder / "results.json", results(Row(failed, ()), {}))
        raise MinbpeCourseError(f"could not be graded: {type(error).__name__}: {error}") from error
    write_whole(folder / "results.json", made)


def protecting(sandbox: Sandbox) -> Sandbox:
    """Return the sandbox if it keeps seed and results from an answer here, else raise GradingProblem.

    The last rung does so only where the answer runs as another user than the grader.
    """
    if isinstance(sandbox, Bare) and "a user of its own" not in sandbox.strength():
        raise GradingProblem(
            "an answer could read the seed here: run the autograder as root, as Gradescope does, with a Python that "
            "every user may read, or install bubblewrap."
        )
    return sandbox


def _graded(root: Path, choose: Callable[[], Sandbox]) -> bytes:
    seed = read_whole(root / "source" / SEED).decode("utf-8", "surrogateescape").strip()
    settings = json.loads(read_whole(root / "source" / SETTINGS))
    folders = tuple(str(root / "source" / folder) for folder in settings["exercises"])
    file = str(root / "source" / settings["assignment"]) if settings["assignment"] else ""
    asked = Asked(() if file else tuple(settings["only"]), file, folders)
    sandbox = choose()
    contents = in_folder(root / "submission")
    refused = tuple(f"{one.path} {one.why}" for one in contents.refusals)
    handed_in = ""
    with suppress(OSError, ValueError, KeyError, TypeError):
        handed_in = moment(json.loads(read_whole(root / "submission_metadata.json"))["created_at"])
    submission = Submission(Owner("submission"), tuple(contents.members), refused, handed_in)
    with tempfile.TemporaryDirectory() as work, Gradebook(Path(work), seed) as book:
        rules, opener = rules_of(asked.questions), sandboxed(sandbox)
        grade([submission], asked.questions, rules, book, seed, open_caller=opener, sandbox=sandbox.name)
        return results(asked.present(book).row("submission"), asked.exercises)


def _script(name: str) -> bytes:
    return read_whole(Path(__file__).with_name(name)).replace(b"\r\n", b"\n")


def _add(made: zipfile.ZipFile, name: str, data: bytes, mode: int) -> None:
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    made.writestr(info, data)
