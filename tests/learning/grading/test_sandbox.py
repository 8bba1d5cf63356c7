"""The rungs of the ladder: their promises, the end of their processes, and machines without the best one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from minbpe_course.errors import GradingProblem
from minbpe_course.learning.grading.running import Limits
from minbpe_course.learning.grading.sandbox import (
    bare,
    base,
    bubblewrap,
    container,
    inside,
    landlock,
    removal,
    system_calls,
)
from minbpe_course.learning.grading.sandbox import choose_sandbox as ladder
from minbpe_course.learning.grading.sandbox.choose_sandbox import SANDBOXES, probe
from minbpe_course.learning.judge.exercise import Case
from minbpe_course.start_python import python_alone
from tests.learning.grading.hostile.world import Alone, left_behind, marked
from tests.shared.patience import PATIENCE
from tests.shared.remote_answers import opened

pytestmark = [pytest.mark.medium, pytest.mark.sandbox]

NAMES = {rung.name: rung for rung in ladder.probe()}
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
EACH = [name for name, rung in NAMES.items() if rung.available]
UNDER_BUBBLEWRAP = pytest.mark.skipif("bubblewrap" not in EACH, reason=NAMES["bubblewrap"].reason)
NO_OTHER_PROCESS = [name for name in EACH if name in ("bubblewrap", "landlock")]


def brought_back(answer: str, rung: str, *args: object, limits: Limits | None = None, packages: tuple[str, ...] = ()):
    with opened(answer, packages=packages, sandbox=ladder.by_name(rung), limits=limits) as caller:
        outcome = caller.call(Case("a case", args))
    assert outcome.state == "value", outcome
    return outcome.value


def test_this_machine_is_probed_once_and_the_best_comes_first() -> None:
    assert list(NAMES) == ["bubblewrap", "landlock", "container", "plain"]
    assert ladder.best().name == next(name for name, rung in NAMES.items() if rung.available)
    assert NAMES["plain"].available
    assert all(rung.reason and rung.guarantees and rung.how_to_climb for rung in NAMES.values())


@pytest.mark.skipif(sys.platform != "linux" or not os.environ.get("CI"), reason="CI installs bubblewrap")
def test_ci_grades_on_the_best_rung() -> None:
    assert ladder.best().name == "bubblewrap", NAMES["bubblewrap"].reason


# ----------------------------------------------------------------------------------------------------
# The surroundings of an answer


@pytest.mark.parametrize("rung", EACH)
def test_the_surroundings_of_an_answer(rung: str) -> None:
    source = """
import os, sys
def f():
    with open("own", "w") as file: file.write("x")
    return os.listdir("."), sorted(os.environ), sys.stdin.read(), __name__, len(sys.argv)
"""
    files, variables, typed, name, _ = brought_back(source, rung)
    assert files == ["own"]
    assert (typed, name) == ("", "__main__")
    assert set(variables) <= {*base.environment("x"), "PWD", "LC_CTYPE", "SYSTEMROOT", "__CF_USER_TEXT_ENCODING"}


@UNDER_BUBBLEWRAP
def test_under_bubblewrap_there_is_nothing_but_an_interpreter() -> None:
    source = """
import os, pwd
def f():
    writable = [place for place, _, _ in os.walk("/") if not place.startswith("/proc/") and os.access(place, os.W_OK)]
    processes = [name for name in os.listdir("/proc") if name.isdigit()]
    wanted = ("CapEff", "CapPrm", "NoNewPrivs", "Seccomp:")
    caps = [line for line in open("/proc/self/status") if line.startswith(wanted)]
    interfaces = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
    return sorted(os.listdir("/")), writable, len(processes), os.getuid(), "".join(caps).split(), interfaces
"""
    top, writable, processes, user, rights, interfaces = brought_back(source, "bubblewrap")
    assert set(top) <= {"dev", "etc", "grader", "lib", "lib64", "packages", "proc", "usr", "work"} | {
        path.parts[1] for path in (*base.standard_library(), Path(base.interpreter()))
    }
    assert writable == ["/work"]
    assert processes in (1, 2)  # its own, and in a sandbox of its own the one that waits for it
    assert user != 0
    assert rights[:5] == ["CapPrm:", "0" * 16, "CapEff:", "0" * 16, "NoNewPrivs:"]
    assert rights[5:] == ["1", "Seccomp:", "2"] or not system_calls.program()
    assert interfaces == ["lo"]


FILLING = {
    "files that are small enough": "for n in range(20): open(f'{n}', 'wb').write(bytes(200_000))",
    "files without bytes": "for n in range(2000): open(f'{n}', 'wb').close()",
    "files in folders": "for n in range(20): os.mkdir('x'); os.chdir('x'); open('y', 'wb').write(bytes(200_000))",
    "files that are removed while they are open": (
        "kept = [open(f'{n}', 'wb', 0) for n in range(20)]\n"
        "for file in kept: os.remove(file.name); file.write(bytes(200_000))"
    ),
}


@pytest.mark.parametrize("rung", [rung for rung in EACH if rung in ("landlock", "plain")])
@pytest.mark.parametrize("filling", FILLING)
def test_a_work_folder_on_the_disk_is_bounded(filling: str, rung: str) -> None:
    limits = base.Limits(cell=5.0, file_bytes=1 << 20)
    write = f"import os, time\n{FILLING[filling]}\n"
    call = "def f():\n" + textwrap.indent(write + "time.sleep(3.9)", "    ")
    with opened(call, sandbox=ladder.by_name(rung), limits=limits) as caller:
        outcome = caller.call(Case("fills its folder", ()))
        assert (outcome.state, outcome.message) == ("refused", "the files of the answer take more than 1,048,576 bytes")
    with opened(write + "time.sleep(4)", "f = abs", sandbox=ladder.by_name(rung), limits=limits) as caller:
        assert caller.call(Case("goes on without the cell", (-1,))).value == 1
        assert caller.notes == [(0, 0, "wrote too much")]


@UNDER_BUBBLEWRAP
def test_under_bubblewrap_only_four_files_of_the_package_are_visible() -> None:
    source = "import os\ndef f(): return sorted(os.listdir('/grader')), os.path.exists('/packages')"
    files, packages = brought_back(source, "bubblewrap")
    assert [name.partition(".")[0] for name in files] == ["cells", "inside", "plain_values", "worker"]
    assert not packages
    source = "import os\ndef f(): return sorted(os.listdir('/packages'))"
    assert brought_back(source, "bubblewrap", packages=("regex",)) == ["regex"]


@pytest.mark.parametrize("rung", EACH)
def test_installed_packages_are_not_importable(rung: str) -> None:
    source = """
import glob, importlib, os, sys
def f(site):
    sys.path += [site, *glob.glob(os.path.dirname(os.__file__) + "/*-packages")]
    found = []
    for name in ("tiktoken", "sentencepiece", "tokenizers", "numba", "numpy", "regex", "pip", "pytest"):
        try: found.append(importlib.import_module(name).__name__)
        except (ImportError, OSError): pass
    return found
"""
    site = str(Path(pytest.__file__).parent.parent)
    assert brought_back(source, rung, site) == []


@pytest.mark.parametrize("rung", NO_OTHER_PROCESS)
@pytest.mark.skipif(not system_calls.program(), reason="the filter is not known for this processor")
def test_there_is_one_process_and_many_threads(rung: str) -> None:
    source = """
import os, subprocess, sys, threading
def f():
    found = []
    for start in (os.fork, lambda: subprocess.run([sys.executable, "-c", ""]), lambda: os.posix_spawn("/x", ["x"], {})):
        try: found.append(start())
        except OSError as error: found.append(error.errno)
    threads = [threading.Thread(target=found.append, args=(0,)) for _ in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return found
"""
    assert brought_back(source, rung) == [1, 1, 1] + [0] * 20


# ----------------------------------------------------------------------------------------------------
# Processes that end early

ENDS_ITSELF = """
os._exit(9)
os._exit(137)
os.abort()
os.closerange(0, 99)
os.kill(os.getpid(), 9)
os.kill(-1, 9)
signal.raise_signal(9)
signal.pthread_kill(threading.get_ident(), 9)
burn()
fcntl.fcntl(folder(), 10, 9); fcntl.fcntl(folder(), fcntl.F_NOTIFY, 4); open("new", "w"); time.sleep(0.1)
timer(9); time.sleep(0.1)
"""
MEANS = """
import ctypes, fcntl, functools, os, resource, signal, threading, time

@functools.cache
def folder(): return os.open(".", os.O_RDONLY)

def burn():
    try: ctypes.CDLL(None).syscall(160 if os.uname().machine == "x86_64" else 164, 0, (ctypes.c_long * 2)(1, 1))
    except PermissionError: pass
    try: resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    except (PermissionError, ValueError): pass
    while True: pass

def timer(signal):
    library, number = ctypes.CDLL(None), ctypes.c_void_p()
    library.timer_create(1, (ctypes.c_int * 16)(0, 0, signal), ctypes.byref(number))
    library.timer_settime(number, 0, (ctypes.c_long * 4)(0, 0, 0, 1000000), None)
"""


@pytest.mark.slow
@ON_LINUX
@pytest.mark.parametrize("rung", [*(name for name in EACH if name != "container"), "bubblewrap without forks"])
def test_a_worker_that_is_killed_from_outside_is_told_from_one_that_ends_itself(rung: str) -> None:
    if rung == "bubblewrap without forks" and "bubblewrap" not in EACH:
        pytest.skip(NAMES["bubblewrap"].reason)
    sandbox = ladder.by_name(rung) if rung in NAMES else Alone()
    short = Limits(seconds=1.2, whole=4.0)
    for end in ENDS_ITSELF.strip().splitlines():
        with opened(f"{MEANS}\ndef f(): {end}", sandbox=sandbox, limits=short) as caller:
            assert caller.call(Case("ends itself", ())).state in ("lost", "value", "raised", "too slow"), end
    source = "import time\ndef f(seconds): time.sleep(seconds)"
    with opened(source, sandbox=sandbox) as caller:
        caller.call(Case("starts", (0,)))
        killer = threading.Timer(0.2, os.kill, (caller._worker._started.worker(), signal.SIGKILL))
        killer.start()
        with pytest.raises(GradingProblem, match="killed from outside"):
            caller.call(Case("is killed", (3,)))
        killer.join()


# ----------------------------------------------------------------------------------------------------
# Processes end with the grader

GRADER = """
import sys, time
from minbpe_course.learning.judge.exercise import Case
from minbpe_course.learning.grading.running import Limits, Program, RemoteCaller
from minbpe_course.learning.grading.sandbox.choose_sandbox import by_name
limits = Limits(seconds=60, whole=60, memory=int(sys.argv[2]))
caller = RemoteCaller(Program((sys.argv[3],), "f"), limits=limits, sandbox=by_name(sys.argv[1]))
if sys.argv[4] == "idle":
    caller.call(Case("once", (1,)))
    print("ready", flush=True)
    time.sleep(60)
print("ready", flush=True)
caller.call(Case("for ever", (0,)))
"""
BUSY = "import time\ndef f(n):\n    while not n: time.sleep(0.01)\n    return n"


@pytest.mark.slow
@ON_LINUX
@pytest.mark.parametrize("rung", EACH)
@pytest.mark.parametrize("doing", ["idle", "busy"])
def test_a_grader_that_is_killed_leaves_no_process(rung: str, doing: str, tmp_path) -> None:
    limits = marked(Limits())
    arguments = [sys.executable, "-c", GRADER, rung, str(limits.memory), BUSY, doing]
    # On the lower rungs it leaves an empty folder.
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}) as grader:
        assert grader.stdout is not None
        assert grader.stdout.readline() == b"ready\n"
        time.sleep(0.3 if doing == "busy" else 0)
        os.kill(grader.pid, signal.SIGKILL)
    assert left_behind(limits, 10) == []


@ON_LINUX
@pytest.mark.parametrize("rung", EACH)
def test_ending_a_caller_leaves_no_process(rung: str) -> None:
    limits = marked(Limits(seconds=0.5))
    with opened(BUSY, limits=limits, sandbox=ladder.by_name(rung)) as caller:
        assert caller.call(Case("once", (1,))).value == 1
        assert left_behind(limits, 0) != []
        assert caller.call(Case("for ever", (0,))).state == "too slow"
        assert left_behind(limits, 10) == []
    assert left_behind(limits, 10) == []


# ----------------------------------------------------------------------------------------------------
# Work folders, and machines without some rungs


@pytest.mark.skipif(os.name != "posix", reason="rights of folders")
def test_a_work_folder_is_removed_with_any_content(tmp_path) -> None:
    work, here = tmp_path / "work", Path.cwd()
    work.mkdir()
    try:
        os.chdir(work)
        for _ in range(2_500):  # deeper than a recursion, longer than a path
            Path("deep").mkdir()
            os.chdir("deep")
    finally:
        os.chdir(here)
    (work / "closed" / "inside").mkdir(parents=True)
    (work / "closed" / "file").write_bytes(b"x")
    (tmp_path / "outside").mkdir()
    (work / "link").symlink_to(tmp_path / "outside")
    (work / "closed").chmod(0)
    assert removal.remove(str(work), 60)
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]


FOLDERS = """
import os
def f():
    top = os.getcwd()
    for number in range(50):
        os.mkdir("d")
        os.chdir("d")
    return top
"""


@pytest.mark.parametrize("rung", [name for name in EACH if name in ("landlock", "plain")])
def test_slow_removals_continue_in_another_process(rung: str, monkeypatch) -> None:
    monkeypatch.setattr(removal, "SECONDS", 0.0)
    folder = Path(brought_back(FOLDERS, rung))
    remover = removal._RUNNING[-1]
    assert str(folder) in remover.args
    remover.wait(60)
    assert not folder.exists()


def test_a_removal_stops_in_time(tmp_path, monkeypatch) -> None:
    """However much there is: each look at a folder takes a bounded number of entries."""
    for number in range(3 * removal.AT_A_TIME):
        (tmp_path / "work" / str(number)).mkdir(parents=True)
    looks = iter(range(10_000))
    monkeypatch.setattr(removal.time, "monotonic", lambda: float(next(looks)))
    assert not removal.remove(str(tmp_path / "work"), 40)
    assert next(looks) < 50
    left = len(list((tmp_path / "work").iterdir()))
    assert 2 * removal.AT_A_TIME < left < 3 * removal.AT_A_TIME


CUT = """
import ctypes, os
def f(path, way):
    try:
        if way == "by name": return ctypes.CDLL(None).truncate(path.encode(), ctypes.c_long(0))
        if way == "openat2":
            how = (ctypes.c_uint64 * 3)(3 | os.O_TRUNC, 0, 0)
            return ctypes.CDLL(None).syscall(437, -100, path.encode(), how, 24)
        os.open(path, os.O_TRUNC | way)
    except OSError: return "refused"
    return "escaped"
"""


@pytest.mark.slow
@pytest.mark.skipif("landlock" not in EACH, reason="no Landlock here")
@pytest.mark.parametrize("version", [1, 2])
def test_under_the_first_rules_of_landlock_no_file_can_be_cut_either(version: int, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: version)
    path = tmp_path / "precious"
    path.write_bytes(b"precious")
    tried = [brought_back(CUT, "landlock", str(path), way) for way in ("by name", "openat2", os.O_RDONLY, 3)]
    assert (tried, path.read_bytes()) == ([-1, -1, "refused", "refused"], b"precious")
    usual = """
def f():
    for mode in "wwa": open("mine", mode).write("x")
    open("mine", "r+").truncate(1)
    return open("mine").read()
"""
    assert brought_back(usual, "landlock") == "x"


@UNDER_BUBBLEWRAP
def test_a_bubblewrap_that_fails_is_skipped(tmp_path, monkeypatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with forgotten():
        rungs = {rung.name: rung for rung in ladder.probe()}
        assert rungs["bubblewrap"].reason == "bwrap: setting up uid map: Permission denied"
        assert ladder.best().name != "bubblewrap"
        with pytest.raises(GradingProblem, match=r"uid map: Permission denied.*\n.*apt install bubblewrap"):
            ladder.by_name("bubblewrap")


@contextlib.contextmanager
def forgotten():
    """Probe anew, and clear the caches afterwards."""
    caches = (ladder._tried, bubblewrap.bwrap, bubblewrap._bounds_folders, bubblewrap._isolation, container.client)
    for cache in caches:
        cache.cache_clear()
    try:
        yield
    finally:
        for cache in caches:
            cache.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a program for a shell")
def test_a_container_is_started_closed_and_removed(tmp_path, monkeypatch) -> None:
    # A stand-in for docker that writes down what it is asked, and runs the worker without any container.
    stand_in = tmp_path / "docker"
    script = (
        "#!/bin/sh\n"
        f'echo "$@" >> {tmp_path}/asked\n'
        '[ "$1" = run ] || exit 0\n'
        'while [ "$1" != python ]; do shift; done\n'
        "shift\n"
        f'exec {base.interpreter()} "$@"\n'
    )
    stand_in.write_text(script, encoding="utf-8")
    stand_in.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(base, "GRADER", tmp_path.as_posix())
    for path in map(Path, base.worker_files().values()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with forgotten():
        assert brought_back("def f(): return 1", "container") == 1
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked[0].startswith(f"image inspect {container.IMAGE}")
    options = ["--network none", "--read-only", "--cap-drop ALL", "--pids-limit 64", "--pull never"]
    for option in [*options, f"--memory {base.Limits().memory}"]:
        assert option in asked[-2]
    assert asked[-1].startswith("rm --force minbpe-answer-")


# ----------------------------------------------------------------------------------------------------
# The guard of the last rung

NOWHERE = "/no such folder/file"
# How each function that is left to an answer is called so that it would do something.
CALLS = {
    "chdir listdir listxattr mkdir remove rmdir scandir unlink utime": (NOWHERE,),
    "chflags lchflags open truncate": (NOWHERE, 0), "chmod lchmod": (NOWHERE, 0o600), "chown lchown": (NOWHERE, 0, 0),
    "link rename replace symlink": (NOWHERE, NOWHERE), "getxattr removexattr": (NOWHERE, "user.x"),
    "setxattr": (NOWHERE, "user.x", b""), "execv": (NOWHERE, ["x"]),
    "execve posix_spawn posix_spawnp": (NOWHERE, ["x"], {}), "fork forkpty": (), "system": ("",), "fchdir": (99,),
    "fchmod": (99, 0o600), "ftruncate": (99, 0), "fchown lockf": (99, 0, 0), "kill": (0, 0), "killpg": (99999999, 0),
    "putenv": ("A", "a"), "unsetenv": ("A",),
}  # fmt: skip
CALLS = {name: arguments for names, arguments in CALLS.items() for name in names.split()}
HEARING = """
import json, posix, sys
class Heard(BaseException): pass
on = False
def hook(event, arguments):
    global on
    if on and event.startswith(("os.", "open")):
        on = False
        raise Heard
sys.addaudithook(hook)
heard = []
for name, arguments in json.loads(sys.argv[1]).items():
    if name == "setxattr": arguments[2] = b""
    function = getattr(posix, name)
    try:
        on = True
        function(*arguments)
    except Heard: heard.append(name)
    except OSError: pass
    on = False
print(json.dumps(heard))
"""


@pytest.mark.skipif(os.name != "posix", reason="the functions of another system")
def test_every_function_of_the_system_is_heard_or_harmless_or_gone() -> None:
    """The functions that stay raise an event or are listed as harmless; all others are taken away."""
    import posix

    there = {name for name, value in vars(posix).items() if callable(value) and not isinstance(value, type)}
    called = {name: CALLS[name] for name in sorted(inside._HEARD & there)}
    arguments = {
        name: [str(one) if isinstance(one, bytes) else one for one in values] for name, values in called.items()
    }
    run = subprocess.run([sys.executable, "-c", HEARING, json.dumps(arguments)], capture_output=True, check=True)
    assert json.loads(run.stdout) == list(called)
    assert {"mkfifo", "mknod", "setsid", "nice", "memfd_create"} & there <= set(inside.taken_away(vars(posix)))
    assert not inside._HEARD & inside._HARMLESS


def test_modules_that_reach_around_the_guard_are_known() -> None:
    """Every C module of this Python is either refused or listed as one that raises events for all it does outside."""
    folders = [path for folder in base.standard_library() for path in folder.glob("lib-dynload/*")]
    native = {path.name.partition(".")[0] for path in folders} | set(sys.builtin_module_names)
    native -= set(HARMLESS_MODULES.split())
    assert {name for name in native if not name.startswith(inside._REFUSED_IMPORTS)} == set()
    assert not [name for name in HARMLESS_MODULES.split() if name.startswith(inside._REFUSED_IMPORTS)]


HARMLESS_MODULES = """
_abc _ast _asyncio _bisect _blake2 _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw
_collections _contextvars _crypt _csv _datetime _decimal _elementtree _functools _hashlib _heapq _hmac _imp _io _json
_locale _lsprof _lzma _md5 _multibytecodec _opcode _operator _pickle _posixsubprocess _queue _random _remote_debugging
_scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _socket _sqlite3 _sre _ssl _stat _statistics _string _struct
_suggestions _symtable _sysconfig _thread _tokenize _tracemalloc _types _typing _uuid _warnings _weakref _winapi
_zoneinfo _zstd array atexit audioop binascii builtins cmath errno faulthandler fcntl gc grp itertools marshal math mmap
msvcrt nt posix pwd pyexpat resource select sys syslog termios time unicodedata winreg winsound zlib
"""


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("outside", [False, True])
def test_the_filter_jumps_only_forward_and_to_an_end(machine: str, outside: bool) -> None:
    program = system_calls.program(machine, outside=outside)
    steps = [program[at : at + 8] for at in range(0, len(program), 8)]
    assert len(steps) < 4096
    for number, step in enumerate(steps):
        code, yes, no = int.from_bytes(step[:2], sys.byteorder), step[2], step[3]
        if code in (0x15, 0x35, 0x45):
            assert number + 1 + max(yes, no) < len(steps)
    assert int.from_bytes(steps[-1][:2], sys.byteorder) == 0x06


WHICH_RUNGS = """
import json, stat
stat.S_IXOTH = stat.S_IXUSR  # as with an interpreter that every user may read
from minbpe_course.learning.grading.sandbox.choose_sandbox import probe
print(json.dumps({rung.name: [rung.available, rung.reason] for rung in probe()}))
"""


@pytest.mark.slow
@ON_LINUX
def test_root_that_cannot_become_another_user_stays_root() -> None:
    alone = ["unshare", "--user", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    command = [*alone, sys.executable, "-c", WHICH_RUNGS]
    rungs = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout)
    assert {name for name, (available, _) in rungs.items() if available} >= set(EACH) - {"container"}
    assert all(rungs[name][1].endswith("still as root") for name in ("landlock", "plain") if name in EACH)


def test_a_python_that_needs_ld_library_path_keeps_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", f":{tmp_path}/there/..")
    needs = [sys.executable, "-c", "import os; raise SystemExit('LD_LIBRARY_PATH' not in os.environ)"]
    for command, kept in ((python_alone("-c", ""), {}), (needs, {"LD_LIBRARY_PATH": os.path.realpath(tmp_path)})):
        monkeypatch.setattr(base, "python_alone", lambda *_, command=command: command)
        base.loader_path.cache_clear()
        try:
            assert base.loader_path() == kept
            assert kept.items() <= base.environment("/work").items()
        finally:
            base.loader_path.cache_clear()


def test_root_drops_its_user_only_where_the_interpreter_stays_readable(monkeypatch, tmp_path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(base, "becomes_another_user", lambda: True)
    assert not bare._drops_user([Path("/"), closed])
    assert not bare._drops_user([closed / "deeper"])
    assert bare._drops_user([Path("/")])
    monkeypatch.setattr(base, "becomes_another_user", lambda: False)
    assert not bare._drops_user([Path("/")])


# ----------------------------------------------------------------------------------------------------
# doctor


LIKE_OURS = [
    "importlib/__init__", "json/__init__", "encodings/__init__", "minbpe_course/__init__", "array", "math", "zlib",
    "numpy", "regex", "random", "os", "sitecustomize", "usercustomize", "_json", "select",
]  # fmt: skip


@pytest.fixture
def caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder of traps, and return the file that they write."""
    found, here = tmp_path / "caught", tmp_path / "eve"
    for name in LIKE_OURS:
        trap = here / f"{name}.py"
        trap.parent.mkdir(parents=True, exist_ok=True)
        trap.write_text(f"open({str(found)!r}, 'a').write({name!r} + ' ')\n", encoding="utf-8")
    monkeypatch.chdir(here)
    return found


@pytest.mark.parametrize("kind", SANDBOXES, ids=lambda kind: kind.name)
def test_no_worker_imports_anything_from_where_the_teacher_stands(kind, caught: Path) -> None:
    if not next(rung for rung in probe() if rung.name == kind.name).available:
        pytest.skip("this rung does not work here")
    started = kind().start(Limits(), ())
    try:
        assert b"hello" in started.process.stdout.readline()
    finally:
        started.end()
    assert not caught.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are part of Linux")
def test_a_process_without_rights_has_no_capabilities_and_gets_none() -> None:
    code = (
        "import os; from minbpe_course.learning.grading.sandbox.inside import Kernel\n"
        "Kernel().drop_rights(os.getppid()); print(open('/proc/self/status').read())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    kept = dict(line.split(":", 1) for line in run.stdout.splitlines() if ":" in line)
    names = ["CapEff", "CapPrm", *["CapBnd"] * (os.geteuid() == 0)]
    assert {int(kept[name], 16) for name in names} == {0}
    assert kept["NoNewPrivs"].strip() == "1"
