"""``minbpe-course learn``: a learner's work is never overwritten, mistakes get one clear line, the server serves."""

from __future__ import annotations

import io
import json
import platform
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from minbpe_course.cli import learn, lessons
from minbpe_course.cli.main import main
from minbpe_course.errors import ExercisesProblem
from tests.cli.conftest import Verbs
from tests.shared.patience import PATIENCE

pytestmark = [pytest.mark.medium, pytest.mark.browser]

ROOT = Path(__file__).resolve().parents[2]
FIRST = "notebooks/00_start_here.ipynb"
SECOND = "notebooks/01_second.ipynb"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two lessons and an exercise, as a wheel carries them."""
    for name in (FIRST, SECOND, "exercises/01_bytes/exercise.ipynb"):
        publish(tmp_path / "source", name, f"{name}, first edition")
    publish(tmp_path / "source", "notebooks/.ipynb_checkpoints/00-checkpoint.ipynb", "not a lesson")
    return tmp_path / "source"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def publish(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8", newline="\n")


def contents(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != lessons.MANIFEST
    }


def test_a_lesson_is_laid_once_and_again_when_it_is_gone(source: Path, folder: Path) -> None:
    laid = lessons.lay(folder, source)
    assert laid.new == [FIRST, SECOND, "exercises/01_bytes/exercise.ipynb"]
    assert contents(folder) == {name: f"{name}, first edition" for name in laid.new}
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.ipynb")}
    # The record is written last, so a run that dies leaves lessons that it does not name yet.
    for again in (lambda: None, (folder / lessons.MANIFEST).unlink):
        again()
        laid = lessons.lay(folder, source)
        assert (laid.new, laid.updated, laid.kept, len(laid.unchanged)) == ([], [], [], 3)
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.ipynb")} == before
    (folder / SECOND).unlink()
    assert lessons.lay(folder, source).new == [SECOND]


NEW, NEWER = "notebooks/00_start_here.new.ipynb", "notebooks/00_start_here.new2.ipynb"
# The next edition of the first lesson (or none), the learner's text, and the files that are updated, kept, added.
STORIES = {
    "a lesson left alone": [("second", {}, ([FIRST], [], []))],
    "a changed lesson, offered once": [
        (None, {FIRST: "mine"}, ([], [FIRST], [])),
        ("second", {}, ([], [FIRST], [NEW])),
        (None, {}, ([], [FIRST], [])),
    ],
    "work in the newer version": [
        ("second", {FIRST: "mine"}, ([], [FIRST], [NEW])),
        ("third", {NEW: "more of mine"}, ([], [FIRST], [NEWER])),
    ],
    "a newer version left alone": [
        ("second", {FIRST: "mine"}, ([], [FIRST], [NEW])),
        ("third", {}, ([], [FIRST], [NEW])),
    ],
}


@pytest.mark.parametrize("story", STORIES)
def test_what_the_learner_changed_is_kept(source: Path, folder: Path, story: str) -> None:
    lessons.lay(folder, source)
    mine: dict[str, str] = {}
    for edition, written, wanted in STORIES[story]:
        mine |= written
        for name, text in written.items():
            publish(folder, name, text)
        if edition:
            publish(source, FIRST, edition)
        laid = lessons.lay(folder, source)
        assert (laid.updated, laid.kept, laid.beside) == wanted
        assert contents(folder).items() >= {**mine, **dict.fromkeys([*laid.updated, *laid.beside], edition)}.items()
        assert all(f"newer version next to it: {name}" in laid.summary() for name in laid.beside)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_is_not_followed(source: Path, folder: Path, tmp_path: Path) -> None:
    publish(tmp_path, "elsewhere.ipynb", "outside the folder")
    (folder / "notebooks").mkdir(parents=True)
    (folder / FIRST).symlink_to(tmp_path / "elsewhere.ipynb")
    assert lessons.lay(folder, source).kept == [FIRST]
    assert (tmp_path / "elsewhere.ipynb").read_text(encoding="utf-8") == "outside the folder"


@pytest.mark.parametrize("record", ["", "[]", '{"laid": 3}'])
def test_a_damaged_record_is_named_and_nothing_is_touched(source: Path, folder: Path, record: str) -> None:
    lessons.lay(folder, source)
    publish(folder, FIRST, "my own work")
    before = contents(folder)
    (folder / lessons.MANIFEST).write_text(record, encoding="utf-8")
    with pytest.raises(ExercisesProblem, match=r"is damaged.*Remove that one file"):
        lessons.lay(folder, source)
    assert contents(folder) == before


# ---- Notebooks: only types and sources of cells decide what a learner changed


def notebook(*sources: str, **metadata: object) -> nbformat.NotebookNode:
    made = nbformat.v4.new_notebook(metadata=nbformat.from_dict(metadata))
    made.cells = [nbformat.v4.new_code_cell(source, id=f"cell-{number}") for number, source in enumerate(sources)]
    return made


def store(root: Path, name: str, made: nbformat.NotebookNode) -> None:
    publish(root, name, nbformat.writes(made))


def saved_without_a_change(made: nbformat.NotebookNode) -> None:
    """Change a notebook as JupyterLab does when a learner runs all cells and saves."""
    made.metadata["language_info"] = {"name": "python", "version": "3.99.0"}
    for count, cell in enumerate(made.cells, start=1):
        cell.execution_count = count
        cell.metadata["trusted"] = True
        cell.outputs = [nbformat.v4.new_output("stream", text=f"at {count}")]
    made.cells.append(nbformat.v4.new_code_cell(""))


CHANGES = {
    "a source": lambda made: made.cells[0].update(source="1 + 2"),
    "a new cell": lambda made: made.cells.append(nbformat.v4.new_code_cell("mine")),
    "a type": lambda made: made.cells.__setitem__(0, nbformat.v4.new_markdown_cell(made.cells[0].source)),
}


def test_a_notebook_that_was_only_run_and_saved_is_updated(source: Path, folder: Path) -> None:
    store(source, FIRST, notebook("1 + 1", "if 1:\n    2"))
    lessons.lay(folder, source)
    copy = nbformat.read(folder / FIRST, as_version=4)
    saved_without_a_change(copy)
    nbformat.write(copy, folder / FIRST)
    saved = (folder / FIRST).read_bytes()
    laid = lessons.lay(folder, source)
    assert (laid.kept, laid.updated) == ([], [])
    assert (folder / FIRST).read_bytes() == saved, "the outputs of the learner stay while the lesson is the same"
    store(source, FIRST, notebook("second", "edition"))
    laid = lessons.lay(folder, source)
    assert (laid.kept, laid.updated, laid.beside) == ([], [FIRST], [])
    assert nbformat.read(folder / FIRST, 4).cells == nbformat.read(source / FIRST, 4).cells


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_cell_is_kept_through_every_update(source: Path, folder: Path, change: str) -> None:
    store(source, FIRST, notebook("1 + 1", "if 1:\n    2"))
    lessons.lay(folder, source)
    copy = nbformat.read(folder / FIRST, as_version=4)
    CHANGES[change](copy)
    saved_without_a_change(copy)
    nbformat.write(copy, folder / FIRST)
    saved = (folder / FIRST).read_bytes()
    assert lessons.lay(folder, source).kept == [FIRST]
    store(source, FIRST, notebook("second", "edition"))
    laid = lessons.lay(folder, source)
    assert (laid.kept, laid.beside) == ([FIRST], [NEW])
    assert (folder / FIRST).read_bytes() == saved


def test_copies_name_the_python_of_this_machine(source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner who updates Python is not offered the same lesson again."""
    store(source, FIRST, notebook("1 + 1", language_info={"name": "python", "version": "3.1.2"}))
    store(source, SECOND, notebook("2 + 2", language_info={"name": "python", "version": "3.1.2"}))
    lessons.lay(folder, source)
    assert nbformat.read(folder / FIRST, as_version=4).metadata.language_info.version == platform.python_version()
    store(folder, SECOND, notebook("mine"))
    monkeypatch.setattr(sys, "version", "3.77.0 (main)")
    laid = lessons.lay(folder, source)
    assert (laid.updated, laid.kept, laid.beside) == ([FIRST], [SECOND], [])
    assert nbformat.read(folder / FIRST, as_version=4).metadata.language_info.version == "3.77.0"


@pytest.fixture
def clone(source: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the course's ``.gitignore`` and committed lessons."""
    (source / ".gitignore").write_bytes((ROOT / ".gitignore").read_bytes())
    git(source, "init", "--quiet")
    git(source, "add", "--all")
    git(source, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "the course")
    monkeypatch.setattr(lessons, "checkout", lambda: source)
    return source


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def test_homework_in_a_checkout_goes_where_git_does_not_look(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "--no-open"]) == 0
    assert "minbpe_course_lessons: 3 new" in capsys.readouterr().out
    mine = clone / "minbpe_course_lessons"
    publish(mine, "exercises/01_bytes/exercise.ipynb", "my answers")
    publish(mine, "exercises/.minbpe_course_progress.json", "{}")
    publish(mine, "my_tokenizer.py", "x = 1")
    assert git(clone, "status", "--porcelain") == ""
    publish(clone, "exercises/01_bytes/exercise.ipynb", "second edition")
    assert main(["learn", "--no-open"]) == 0
    assert contents(mine)["exercises/01_bytes/exercise.ipynb"] == "my answers"
    assert contents(mine)["exercises/01_bytes/exercise.new.ipynb"] == "second edition"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "nowhere", "--port", "0"], "a port is a number from 1 to 65535"),
        (["learn", "nowhere", "--no-open", "--ip", "no.such.address.invalid"], "this machine knows no such address"),
        (["learn", str(ROOT / "pyproject.toml"), "--no-open"], "cannot make the folder"),
        (["learn", str(ROOT), "--no-open"], "where the lessons come from"),
    ],
)
def test_mistakes_get_one_clear_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert "Traceback" not in error
    assert not Path("nowhere").exists(), "nothing is copied"


def test_missing_packages_are_named_before_anything_is_copied(
    folder: Path, verbs: Verbs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "missing_packages", lambda extra: ["jupyterlab", "matplotlib"])
    told = verbs("learn", folder, stdin=b"y\n")  # not a terminal, so it cannot ask
    assert told.code == 2
    assert "not installed: jupyterlab, matplotlib\n" in told.err
    assert told.err.endswith('pip install "minbpe-course[course]"\n')
    assert not folder.exists()
    assert verbs("learn", folder, "--no-open").code == 0, "copying needs none of them"


@pytest.mark.parametrize(
    ("answer", "status", "says"),
    [("n\n", 0, "nothing was installed"), ("y\n", 1, "could not be installed")],
)
def test_on_a_terminal_it_offers_to_install(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    status: int,
    says: str,
) -> None:
    ran = offered(monkeypatch, answer, status)
    assert main(["learn", str(folder)]) == 2
    told = capsys.readouterr()
    assert "not installed: jupyterlab" in told.out
    assert says in told.err
    assert 'pip install "minbpe-course[course]"' in told.err
    assert not folder.exists()
    assert len(ran) == status


@pytest.mark.parametrize("answer", ["\n", "YES\n"])
def test_it_installs_and_then_serves(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    ran = offered(monkeypatch, answer, 0)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(folder / "jupyter"))
    monkeypatch.setattr(learn, "_serve", lambda *_, **__: 0)
    assert main(["learn", str(folder), "--no-browser"]) == 0
    assert [command[-1] for command in ran] == ["minbpe-course[course]"]
    assert ran[0][0] == sys.executable
    assert (folder / FIRST).is_file()


def offered(monkeypatch: pytest.MonkeyPatch, answer: str, status: int) -> list[list[str]]:
    """Pretend that a package is missing, and to sit at a terminal; return where the commands that are run appear."""
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(learn, "missing_packages", lambda extra: ["jupyterlab"])
    monkeypatch.setattr(learn.subprocess, "run", run)
    terminal = io.StringIO(answer)
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stdin", terminal)
    return ran


def test_the_lessons_of_a_learner_have_no_outputs(folder: Path) -> None:
    lessons.lay(folder, ROOT)
    notebooks = sorted(folder.glob("*/*.ipynb"))
    assert len(notebooks) == len([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*.ipynb")])
    for path in notebooks:
        cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        assert [(cell["outputs"], cell["execution_count"]) for cell in cells] == [([], None)] * len(cells)


def test_the_url_that_is_printed_answers(folder: Path) -> None:
    """The whole command as a learner without a browser runs it: lay, serve, print the URL last, stop when told."""
    command = [sys.executable, "-m", "minbpe_course", "learn", str(folder), "--no-browser", "--port", "18770"]
    log = folder.with_suffix(".log")
    with log.open("w", encoding="utf-8") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT, stdin=subprocess.DEVNULL)
    try:
        url = wait_for_url(server, log)
        assert "/lab/tree/notebooks/00_start_here.ipynb?token=" in url
        with urllib.request.urlopen(url, timeout=PATIENCE) as page:
            assert page.status == 200
        listing = url.replace("/lab/tree/", "/api/contents/")
        with urllib.request.urlopen(listing, timeout=PATIENCE) as reply:
            assert json.load(reply)["path"] == FIRST
        assert log.read_text(encoding="utf-8").splitlines()[-1].endswith(url.partition(":")[2].partition("/lab")[2])
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)


def wait_for_url(server: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        said = log.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"http://(?:localhost|127\.0\.0\.1):\d+/\S+token=\w+", said):
            return found.group()
        assert server.poll() is None, f"the server stopped:\n{said}"
        time.sleep(0.2)
    raise AssertionError(f"no URL:\n{log.read_text(encoding='utf-8', errors='replace')}")


def test_the_kernels_are_compiled_meanwhile_and_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[list[str], dict]] = []
    stopped: list[str] = []

    def start(command: list[str], **options) -> SimpleNamespace:
        ran.append((command, options))
        return SimpleNamespace(terminate=lambda: stopped.append("terminate"), wait=lambda: stopped.append("wait"))

    monkeypatch.setattr(learn, "_HEAD_START", 0.0)
    monkeypatch.setattr(learn.subprocess, "Popen", start)
    with learn.compiling_meanwhile():
        deadline = time.monotonic() + PATIENCE
        while not ran and time.monotonic() < deadline:
            time.sleep(0.01)
        assert stopped == []
    ((command, options),) = ran
    assert command[-1] == "warm-up"
    assert {options["stdout"], options["stderr"]} == {subprocess.DEVNULL}
    assert stopped == ["terminate", "wait"]
