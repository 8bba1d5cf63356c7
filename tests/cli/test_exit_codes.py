"""Every verb under failures: full outputs, closed pipes, signals, other encodings, wrong files.

Most tests run in this process. Tests that need a new process use few verbs, or all of them with
MINBPE_COURSE_LONG_TESTS=1.
"""

from __future__ import annotations

import errno
import io
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import minbpe_course
from minbpe_course.cli.exit_codes import guarded
from minbpe_course.cli.main import VERBS, main
from minbpe_course.counting.count_words import count_words
from minbpe_course.files import atomic_file, write_whole
from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.medium

LONG = bool(os.environ.get("MINBPE_COURSE_LONG_TESTS"))
FULL = Path("/dev/full")
POSIX = os.name == "posix"

# A typical command for each verb; "{}" is a folder with the files below; None: tested elsewhere, or a server.
TYPED: dict[str, list[str] | None] = {
    "learn": ["learn", "{}/lessons", "--no-open"],
    "check": None,
    "hint": ["hint", "02.merge"],
    "progress": ["progress"],
    "show": ["show", "naïve 日本 \x1b[31m", "--model", "{}/mine.model"],
    "playground": None,
    "train": ["train", "{}/text.txt", "-n", "270", "-o", "{}/trained.model"],
    "encode": ["encode", "{}/text.txt", "-t", "{}/mine.model"],
    "decode": ["decode", "{}/ids.txt", "-t", "{}/mine.model"],
    "count": ["count", "{}/text.txt", "-t", "{}/mine.model"],
    "counts": ["counts", "show", "{}/words.counts"],
    "convert": ["convert", "{}/mine.model", "{}/mine.tiktoken", "--force"],
    "inspect": ["inspect", "{}/mine.model", "--list"],
    "bench": None,
    "collect": None,
    "conform": ["conform", "--rules"],
    "leaderboard": None,
    "grade": None,
    "release": None,
    "gradescope": None,
    "new-assignment": None,
    "new-exercise": None,
    "check-exercises": None,
    "move-exercise": None,
    "rename-exercise": None,
    "delete-exercise": None,
    "doctor": None,
    "warm-up": None,
    "completion": ["completion", "bash"],
}
QUICK = [verb for verb, typed in TYPED.items() if typed]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "text.txt").write_text("the cat in the hat, naïve 日本\n" * 50, encoding="utf-8")
    (folder / "ids.txt").write_text("116 104 101\n" * 20, encoding="utf-8")
    (folder / "mine.model").write_text("minbpe v1\n\n0\n116 104\n256 101\n", encoding="utf-8")
    count_words("the cat in the hat", output=folder / "words.counts")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "empty").write_bytes(b"")
    (folder / "no_text").write_bytes(b"\xff" * 100)
    (folder / "folder").mkdir()
    return folder


def typed(verb: str, folder: Path) -> list[str]:
    return [word.replace("{}", str(folder)) for word in TYPED[verb] or []]


def test_every_verb_is_looked_at() -> None:
    assert list(TYPED) == list(VERBS)


class Output(io.RawIOBase):
    """An output of the system that takes so many bytes, and then fails."""

    def __init__(self, takes: int, number: int) -> None:
        self.left, self.number = takes, number

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        if self.left <= 0:
            raise OSError(self.number, os.strerror(self.number))
        taken = min(self.left, len(data))
        self.left -= taken
        return taken


def given(monkeypatch: pytest.MonkeyPatch, output: io.RawIOBase, encoding: str = "utf-8") -> None:
    stream = io.TextIOWrapper(io.BufferedWriter(output), encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)


def in_this_process(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as left:
        return int(left.code or 0)


@pytest.mark.parametrize("takes", [0, 20])
@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 2), (errno.EPIPE, 141), (errno.EIO, 2)])
@pytest.mark.parametrize("verb", [*QUICK, "--help", "--version"])
def test_an_output_that_fails(
    verb: str, number: int, code: int, takes: int, folder: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [verb] if verb.startswith("-") else typed(verb, folder)
    all_fits = verb == "--version" and takes > len(f"minbpe-course {minbpe_course.__version__}")
    given(monkeypatch, Output(takes, number))
    found = in_this_process(words)
    monkeypatch.undo()
    told = capsys.readouterr().err
    assert "Traceback" not in told
    if all_fits:
        assert (found, told) == (0, "")
        return
    assert found == code
    if code == 141:
        assert told == "", "nobody reads any more, and nobody is told"
    else:
        assert told.startswith(f"minbpe-course{'' if verb.startswith('-') else ' ' + verb}: ")
        assert os.strerror(number) in told
        assert told.count("\n") == 1
    assert not list(folder.rglob("*.part"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-16"])
@pytest.mark.parametrize("verb", QUICK)
def test_an_output_of_another_code_page(verb: str, encoding: str, folder: Path, monkeypatch) -> None:
    kept = io.BytesIO()
    stream = io.TextIOWrapper(kept, encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    assert in_this_process(typed(verb, folder)) == 0
    stream.flush()
    assert b"\x1b" not in kept.getvalue()


WRONG = ("picture.png", "empty", "no_text", "folder", "nowhere", "nowhere/at/all", "x" * 300, "nul\0")


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "words",
    [
        ["convert", "{}", "{folder}/out.model"],
        ["convert", "{folder}/mine.model", "{}/out.model"],
        ["inspect", "{}"],
        ["inspect", "{}", "--from", "huggingface"],
        ["encode", "{}", "-t", "{folder}/mine.model"],
        ["encode", "{folder}/text.txt", "-t", "{}"],
        ["encode", "{folder}/text.txt", "-t", "{folder}/mine.model", "-o", "{}/out"],
        ["decode", "{}", "-t", "{folder}/mine.model"],
        ["count", "{}", "-t", "{folder}/mine.model"],
        ["count", "{}", "--words"],
        ["count", "{}", "-o", "{folder}/out.counts", "--memory", "64MB", "--lines"],
        ["count", "{folder}/text.txt", "-o", "{}/out.counts"],
        ["count", "{folder}/text.txt", "-o", "{}/out.counts", "--checkpoint", "{folder}/out"],
        ["counts", "show", "{}"],
        ["train", "{}", "-n", "260", "-o", "{folder}/out.model"],
        ["train", "{}", "-n", "260", "-o", "{folder}/out.model", "--memory", "64MB"],
        ["train", "{folder}/words.counts", "-n", "260", "-o", "{}/out.model"],
        ["train", "{folder}/text.txt", "-n", "260", "-o", "{}/out.model"],
        ["bench", "{}", "-t", "{folder}/mine.model", "--against", ","],
        ["bench", "{folder}/text.txt", "-t", "{}"],
        ["check", "{}"],
        ["collect", "{}"],
        ["conform", "{}"],
        ["show", "hi", "--model", "{}"],
        ["grade", "{}", "--out", "{folder}/marks", "--seed", "practice practice"],
        ["leaderboard", "--texts", "{}"],
        ["progress", "--folder", "{}"],
    ],
    ids=" ".join,
)
def test_wrong_files(words: list[str], wrong: str, folder: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    before = sorted(folder.rglob("*"))
    path = wrong if "\0" in wrong else str(folder / wrong)
    code = in_this_process([word.replace("{folder}", str(tmp_path if "out" in word else folder)).replace("{}", path)
                            for word in words])  # fmt: skip
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    # An empty text has ids, counts and tokens: none. A folder may be where something goes.
    if code == 0:
        assert wrong in ("empty", "folder", "picture.png", "no_text"), (out, err)
    else:
        assert code in (1, 2)
        assert err.startswith(f"minbpe-course {words[0]}: ") or code == 1
    assert sorted(path for path in folder.rglob("*") if path.name.endswith(".part")) == []
    assert {path for path in before if not path.exists()} == set()


def test_signals_become_codes_and_leave_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def hit(name: str) -> Callable[[], int]:
        def work() -> int:
            with atomic_file(tmp_path / "file") as file:
                file.write(b"half")
                file.flush()
                os.kill(os.getpid(), getattr(signal, name))
                time.sleep(5)
            return 0

        return work

    write_whole(tmp_path / "file", b"old")
    for name, code in (("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)):
        if hasattr(signal, name) and POSIX:
            before = signal.getsignal(getattr(signal, name))
            assert guarded("minbpe-course x", hit(name), program=False) == code
            assert signal.getsignal(getattr(signal, name)) is before
            assert re.match("minbpe-course x: (interrupted|ended by)", capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_system_errors_name_their_file(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        raise PermissionError(errno.EACCES, "Permission denied", "some/file")

    assert guarded("minbpe-course x", work, program=False) == 2
    assert capsys.readouterr().err == "minbpe-course x: some/file: Permission denied.\n"
    assert guarded("minbpe-course x", lambda: bytearray(1 << 62) and 0, program=False) == 2
    assert "memory" in capsys.readouterr().err


def test_without_any_streams(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert main(["progress"]) == 0
    assert main(typed("show", folder)) == 0
    assert main(["inspect", "nowhere.model"]) == 2
    assert sys.stdout is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("words", [["inspect", "{}"], ["convert", "{}", "out.model"], ["bench", "-t", "{}"]])
def test_a_tokenizer_from_a_pipe_is_not_waited_for(words: list[str], tmp_path: Path, capsys) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert main([word.replace("{}", str(tmp_path / "pipe")) for word in words]) == 2
    assert "is a pipe or a device" in capsys.readouterr().err


def test_a_fault_of_ours_is_not_hidden() -> None:
    def work() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        guarded("minbpe-course x", work, program=False)


# ----------------------------------------------------------------------------------------------------
# With processes


def start(*words: str, **options) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", "minbpe_course", *words], stdin=subprocess.DEVNULL, **options)


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("verb", QUICK if LONG else ["inspect"])
@pytest.mark.parametrize("buffered", ["", "1"] if LONG else [""])
def test_a_full_disk_behind_the_output(verb: str, buffered: str, folder: Path) -> None:
    with FULL.open("wb") as full:
        run = start(
            *typed(verb, folder), stdout=full, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": buffered},
        )  # fmt: skip
        told = run.communicate(timeout=PATIENCE)[1]
    assert (run.returncode, told.count("\n")) == (2, 1), told
    assert "No space left on device" in told


@pytest.mark.skipif(not POSIX, reason="pipes of Windows say it otherwise")
@pytest.mark.parametrize("verb", QUICK if LONG else ["inspect"])
def test_a_pipe_without_a_reader(verb: str, folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    run = start(*typed(verb, folder), stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    told = run.communicate(timeout=PATIENCE)[1]
    assert (run.returncode, told) == (141, "")


# Writes the same file again and again through the guard, as a verb does, and says when it has begun.
WRITER = """
import sys
from minbpe_course.cli.exit_codes import guarded
from minbpe_course.files import write_whole
def work():
    print("begun", flush=True)
    number = 0
    while True:
        number += 1
        write_whole(sys.argv[1], bytes([number % 256]) * 300_000)
sys.exit(guarded("minbpe-course x", work))
"""


@pytest.mark.skipif(not POSIX, reason="signals of Windows are others")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_in_any_moment_leaves_one_whole_file(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    for _ in range(25 if LONG else 3):
        run = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "file")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(chance.random() / 20)
        run.send_signal(getattr(signal, name))
        time.sleep(chance.random() / 500)
        run.send_signal(getattr(signal, name))
        told = run.communicate(timeout=PATIENCE)[1]
        assert run.returncode == 128 + getattr(signal, name), told
        assert "Traceback" not in told
        assert {path.name for path in tmp_path.iterdir()} <= {"file"}
        if (tmp_path / "file").exists():
            data = (tmp_path / "file").read_bytes()
            assert data == data[:1] * 300_000


# The second signal comes when the first is already being answered, before its own answer is prepared.
TWICE = """
import signal, sys
from minbpe_course.cli import exit_codes
number = getattr(signal, sys.argv[1])
answer = exit_codes._ignore_signals
def second_signal_first(program):
    signal.raise_signal(number)
    answer(program)
exit_codes._ignore_signals = second_signal_first
sys.exit(exit_codes.guarded("minbpe-course x", lambda: signal.raise_signal(number)))
"""


@pytest.mark.skipif(not POSIX, reason="signals of Windows are others")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_second_signal_does_not_disturb_the_answer_to_the_first(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", TWICE, name], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    told = "interrupted" if name == "SIGINT" else f"ended by {name}"
    assert (run.returncode, run.stderr) == (128 + getattr(signal, name), f"minbpe-course x: {told}\n")


@pytest.mark.skipif(not POSIX, reason="limits of this kind are POSIX's")
def test_a_disk_that_fills_while_a_file_is_written(folder: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: the system refuses in the same place."""
    write_whole(tmp_path / "full.tiktoken", b"old")
    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))\n"
        "from minbpe_course.cli.main import main; sys.argv[1:] = sys.argv[2:]; sys.exit(main())"
    )
    words = ["convert", str(folder / "mine.model"), str(tmp_path / "full.tiktoken"), "--force"]
    run = subprocess.run(
        [sys.executable, "-c", program, "-", *words], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert run.returncode == 2, run.stderr
    assert "minbpe-course convert: cannot write " in run.stderr
    assert "File too large" in run.stderr
    assert (tmp_path / "full.tiktoken").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["full.tiktoken"]


@pytest.mark.skipif(not POSIX, reason="code pages of Windows are others")
def test_a_locale_of_long_ago(folder: Path) -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for verb in QUICK if LONG else ["show"]:
        run = start(*typed(verb, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        out, told = run.communicate(timeout=PATIENCE)
        assert (run.returncode, told) == (0, b"")
        assert b"\x1b" not in out
