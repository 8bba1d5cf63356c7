"""Verbs under failures: full outputs, closed pipes, signals, other encodings, wrong files."""

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
from minbpe_course.cli.main import main
from minbpe_course.counting.run_store import RunStore
from minbpe_course.files import atomic_file, write_whole
from tests.shared.patience import PATIENCE

pytestmark = pytest.mark.medium

POSIX = os.name == "posix"

# A typical command of some verbs; "{}" is a folder with the files below.
TYPED: dict[str, list[str]] = {
    "show": ["show", "naïve 日本 \x1b[31m", "--model", "{}/mine.model"],
    "encode": ["encode", "{}/text.txt", "-t", "{}/mine.model"],
    "--help": ["--help"],
    "--version": ["--version"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "text.txt").write_text("the cat in the hat, naïve 日本\n" * 50, encoding="utf-8")
    (folder / "mine.model").write_text("minbpe v1\n\n0\n116 104\n256 101\n", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "no_text").write_bytes(b"\xff" * 100)
    (folder / "folder").mkdir()
    return folder


def typed(verb: str, folder: Path) -> list[str]:
    return [word.replace("{}", str(folder)) for word in TYPED[verb]]


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
@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 2), (errno.EPIPE, 141)])
@pytest.mark.parametrize("verb", TYPED)
def test_an_output_that_fails(
    verb: str, number: int, code: int, takes: int, folder: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
) -> None:
    all_fits = verb == "--version" and takes > len(f"minbpe-course {minbpe_course.__version__}")
    given(monkeypatch, Output(takes, number))
    found = in_this_process(typed(verb, folder))
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


WRONG = ("picture.png", "no_text", "folder", "nowhere/at/all", "nul\0")


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "words",
    [
        ["convert", "{}", "{folder}/out.model"],
        ["inspect", "{}"],
        ["encode", "{folder}/text.txt", "-t", "{}"],
        ["decode", "{}", "-t", "{folder}/mine.model"],
        ["count", "{}", "-o", "{folder}/out.counts", "--memory", "64MB", "--lines"],
        ["train", "{}", "-n", "260", "-o", "{folder}/out.model"],
        ["train", "{folder}/text.txt", "-n", "260", "-o", "{}/out.model"],
        ["check", "{}"],
        ["conform", "{}"],
        ["show", "hi", "--model", "{}"],
        ["grade", "{}", "--out", "{folder}/marks", "--seed", "practice practice"],
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
    # A folder may be where something goes.
    if code == 0:
        assert wrong in ("folder", "picture.png", "no_text"), (out, err)
    else:
        assert code in (1, 2)
        assert err.startswith(f"minbpe-course {words[0]}: ") or code == 1
    assert sorted(path for path in folder.rglob("*") if path.name.endswith(".part")) == []
    assert {path for path in before if not path.exists()} == set()


def restore_signals() -> None:
    """Undo that a program which is ending ignores later signals."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


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
    handlers = [signal.getsignal(each) for each in signal.valid_signals()]
    during: list[object] = []
    guarded("x", lambda: during.extend(signal.getsignal(each) for each in signal.valid_signals()) or 0, program=False)
    assert handlers == during, "a call of a function changes no signal of the caller's process"
    guarded("x", lambda: 0)
    assert handlers == [signal.getsignal(each) for each in signal.valid_signals()]
    for name, code in (("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)):
        if hasattr(signal, name) and POSIX:
            try:
                assert guarded("minbpe-course x", hit(name)) == code
            finally:
                restore_signals()
            assert re.match("minbpe-course x: (interrupted|ended by)", capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.skipif(not POSIX, reason="signals of Windows are others")
def test_sigterm_says_what_is_safe_as_ctrl_c_does(tmp_path: Path, capsys, monkeypatch) -> None:
    (tmp_path / "text.txt").write_text("a text\n" * 100, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(RunStore, "commit", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM))
    monkeypatch.setattr(sys, "argv", ["x", "count", "text.txt", "-o", "text.counts", "--checkpoint", "state"])
    try:
        code = main()
    finally:
        restore_signals()
    assert code == 143
    assert "The same command continues from there." in capsys.readouterr().err


def test_system_errors_name_their_file(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        raise PermissionError(errno.EACCES, "Permission denied", "some/file")

    assert guarded("minbpe-course x", work, program=False) == 2
    assert capsys.readouterr().err == "minbpe-course x: some/file: Permission denied.\n"
    assert guarded("minbpe-course x", lambda: bytearray(1 << 62) and 0, program=False) == 2
    assert "memory" in capsys.readouterr().err


def test_a_fault_of_the_program_has_its_own_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded("minbpe-course x", lambda: [][0]) == 70
    told = capsys.readouterr().err
    assert told.startswith("Traceback")
    assert "IndexError" in told
    assert "please report it" in told.splitlines()[-1]


def test_a_library_that_finds_no_memory(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        try:
            raise OSError("/a/libllvmlite.so: failed to map segment from shared object")
        except OSError:
            raise OSError("Could not find/load shared object file") from None

    assert guarded("minbpe-course x", work, program=False) == 2
    assert capsys.readouterr().err.startswith("minbpe-course x: there is not enough memory")


@pytest.mark.skipif(not POSIX, reason="a shell of POSIX closes the streams")
@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("--help >&-", 2, "minbpe-course: cannot write the output: standard output is closed.\n"),
        ("encode text.txt >&-", 2, "minbpe-course encode: cannot write the output: standard output is closed.\n"),
        ("encode text.txt -o {out} >&-", 0, ""),
        ("train - -n 260 -o {out} <&-", 2, "minbpe-course train: standard input is closed: name a file"),
        ("encode nowhere.txt 2>&-", 2, ""),
    ],
)
def test_a_stream_that_the_caller_has_closed(line: str, code: int, says: str, folder: Path, tmp_path: Path) -> None:
    command = f"exec '{sys.executable}' -m minbpe_course {line.format(out=tmp_path / 'out.model')}"
    run = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr[: len(says) or None]) == (code, "", says)
    assert [path.name for path in tmp_path.iterdir()] == ["out.model"] * (code == 0)


def test_without_any_streams(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    # On Windows, a program without a console has no output; elsewhere the caller has closed the output.
    assert main(typed("show", folder)) == (2 if POSIX else 0)
    assert main(["inspect", "nowhere.model"]) == 2
    assert sys.stdout is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("words", [["inspect", "{}"], ["convert", "{}", "out.model"]])
def test_a_tokenizer_from_a_pipe_is_not_waited_for(words: list[str], tmp_path: Path, capsys) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert main([word.replace("{}", str(tmp_path / "pipe")) for word in words]) == 2
    assert "is a pipe or a device" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------
# With processes


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
@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_in_any_moment_leaves_one_whole_file(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    for _ in range(5):
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
tell = exit_codes.tell
def second_signal_first(text):
    signal.raise_signal(number)
    tell(text)
exit_codes.tell = second_signal_first
sys.exit(exit_codes.guarded("minbpe-course x", lambda: signal.raise_signal(number)))
"""


@pytest.mark.skipif(not POSIX, reason="signals of Windows are others")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_second_signal_does_not_disturb_the_answer_to_the_first(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", TWICE, name], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    told = "interrupted" if name == "SIGINT" else f"ended by {name}"
    assert (run.returncode, run.stderr) == (128 + getattr(signal, name), f"minbpe-course x: {told}\n")
