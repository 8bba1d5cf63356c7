"""Workers that are forks: as confined as one in an interpreter of its own, and without a trace of each other."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading.running import Limits, RemoteCaller
from minbpe_course.learning.grading.sandbox import bubblewrap, forks
from minbpe_course.learning.grading.sandbox.bubblewrap import Bubblewrap
from minbpe_course.learning.grading.sandbox.choose_sandbox import probe
from minbpe_course.learning.judge.exercise import Case
from tests.learning.grading.hostile.world import Alone, left_behind, marked
from tests.shared import remote_answers

pytestmark = [
    pytest.mark.medium,
    pytest.mark.sandbox,
    pytest.mark.skipif(not next(rung for rung in probe() if rung.name == "bubblewrap").available, reason="no bwrap"),
]


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin without a process that forks, and forget what was learnt about this machine."""
    monkeypatch.setattr(forks, "_MINE", threading.local())
    monkeypatch.setattr(forks, "_REFUSED", threading.Event())
    yield
    for parent in parents():
        parent.end()


def parents() -> list[forks._Parent]:
    return list(vars(forks._MINE).get("parents", {}).values())


opened = partial(remote_answers.opened, sandbox=Bubblewrap())


def value_of(source: str, **options: object) -> object:
    with opened(source, **options) as caller:
        outcome = caller.call(Case("a case", ()))
    assert outcome.state == "value", outcome
    return outcome.value


def is_forked(caller: RemoteCaller) -> bool:
    return isinstance(caller._worker._started, forks.Forked)


CONFINED = """
import gc, os, sys
def read(path):
    with open(path) as file: return file.read()
def tried(*arguments):
    try: return os.open(*arguments)
    except OSError as error: return error.errno
def f():
    names = ("CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp", "Groups")
    rights = [line for line in read("/proc/self/status").splitlines() if line.startswith(names)]
    mounts = [line.split()[1:4] for line in read("/proc/mounts").splitlines()]
    mounts = [(place, set(options.split(","))) for place, _, options in mounts]
    ours = [(place, options) for place, options in mounts if not place.startswith(("/proc", "/dev/"))]
    places = [place for place, _, _ in os.walk("/") if not place.startswith("/proc/") and os.access(place, os.W_OK)]
    pipes = sorted(os.listdir("/proc/self/fd"))[:-1]
    links = [read("/proc/sys/kernel/hostname"), read("/proc/net/dev").count(":"), len(read("/proc/sysvipc/shm"))]
    return {
        "rights": rights, "limits": read("/proc/self/limits"), "places": places, "pipes": pipes, "links": links,
        "user": os.getuid() != 0,
        "environment": sorted(os.environ.items()), "folder": os.getcwd(), "top": sorted(os.listdir("/")),
        "devices": sorted(os.listdir("/dev")), "arguments": sys.argv[:1],
        "work": [options - {"relatime"} for place, options in ours if place == "/work"],
        "writable": [place for place, options in ours if "rw" in options],
        "room": os.statvfs(".").f_blocks * os.statvfs(".").f_frsize, "session": os.getsid(0) == os.getpid(),
        "written": [tried(f"{place}/x", os.O_CREAT | os.O_WRONLY) for place in ("/", "/dev", "/grader", "/proc")],
        "named": __name__, "collected": gc.isenabled(), "nice": os.nice(0), "masks": os.umask(0),
    }
"""


def test_a_fork_is_confined_like_a_worker_in_an_interpreter_of_its_own() -> None:
    forked, alone = value_of(CONFINED), value_of(CONFINED, sandbox=Alone())
    assert isinstance(forked, dict)
    assert isinstance(alone, dict)
    assert forked.pop("session") is True
    alone.pop("session")
    # Only a fork, which mounts its own folder, can bound the number of files in it.
    forked["work"] = [options - {"nr_inodes=4096"} for options in forked["work"]]
    assert {**forked, "written": len(forked["written"])} == {**alone, "written": len(alone["written"])}
    assert set(forked["written"]) <= {errno.ENOENT, errno.EACCES, errno.EROFS}


LEFT = """
import builtins, os, sys
left = os.listdir(".") + [name for name in ("was_here",) if hasattr(builtins, name)]
left += [name for name in ("csv",) if name in sys.modules]
def f():
    import csv
    builtins.was_here = True
    open("file", "w").close()
    return left, os.getpid(), sorted(name for name in os.listdir("/proc") if name.isdigit())
"""


def test_a_fork_sees_neither_the_one_before_nor_one_that_lives() -> None:
    with opened(LEFT) as before:
        seen = [before.call(Case("a case", ())).value, value_of(LEFT), value_of(LEFT)]
        assert is_forked(before)
    assert seen == [([], 1, ["1"])] * 3
    assert len(parents()) == 1


def test_the_kernel_ends_a_fork_that_escapes_the_clock() -> None:
    sandbox = Bubblewrap()
    started = sandbox.start(Limits(seconds=0.0, whole=-1.0), ())  # the limit of the kernel is a second
    assert isinstance(started, forks.Forked)
    job = b'{"d":[["given",[]],["answer","while True: pass"],["others",[]],["entry","f"],["subject",""]]}\n'
    try:
        assert b"hello" in started.process.stdout.readline()
        started.process.stdin.write(job)
        assert started.process.stdout.readline() == b""  # killed
    finally:
        started.end()


def test_forks_end_with_the_process_that_forks_and_the_next_has_another() -> None:
    limits = marked(Limits())
    with opened("def f(): return 1", limits=limits) as caller:
        assert caller.call(Case("a case", ())).value == 1
        assert left_behind(limits, 0)
        parents()[0].end()
        assert left_behind(limits) == []
        with pytest.raises(GradingProblem, match="killed from outside"):
            caller.call(Case("a case", ()))
        assert caller.call(Case("a case", ())).state == "value"
        assert is_forked(caller)
    assert len(parents()) == 1


def test_the_process_that_forks_ends_with_its_thread() -> None:
    made: list[subprocess.Popen[bytes]] = []

    def work() -> None:
        assert value_of("def f(): return 1") == 1
        made.extend(parent.process for parent in parents())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    # Either it was killed, or its socket had closed before, and it ended by itself.
    assert [process.returncode in (0, -signal.SIGKILL) for process in made] == [True]


REFUSALS = {
    "a program that ends": lambda command: [sys.executable, "-c", ""],
    "no such program": lambda command: ["/no such program"],
    "no right to make namespaces": lambda command: [part.replace("CAP_SYS_ADMIN", "CAP_CHOWN") for part in command],
}


@pytest.mark.parametrize("why", [*REFUSALS, "no handles of processes"])
def test_where_forks_do_not_work_each_worker_has_an_interpreter_of_its_own(why: str, monkeypatch) -> None:
    if why in REFUSALS:
        real = bubblewrap._forking
        monkeypatch.setattr(bubblewrap, "_forking", lambda packages, requests: REFUSALS[why](real(packages, requests)))
    else:
        monkeypatch.delattr(os, "pidfd_open")
    for _ in range(2):
        with opened("def f(): return 1") as caller:
            assert caller.call(Case("a case", ())).value == 1
            assert not is_forked(caller)
    assert parents() == []


def test_each_set_of_packages_has_its_own_process() -> None:
    found = []
    for packages in (("regex",), (), ("regex",)):
        source = "import os\ndef f(): return os.path.exists('/packages/regex')"
        with opened(source, packages=packages) as caller:
            found.append(caller.call(Case("a case", ())).value)
            assert is_forked(caller)
    assert found == [True, False, True]
    assert len(parents()) == 2


def test_the_number_of_files_is_bounded() -> None:
    source = "def f():\n    for number in range(9999):\n        open(str(number), 'w').close()\n"
    with opened(source) as caller:
        outcome = caller.call(Case("", ()))
        assert is_forked(caller)
    assert (outcome.error, "space" in outcome.message) == ("OSError", True), outcome
