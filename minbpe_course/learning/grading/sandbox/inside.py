"""Restrict this process before it reads the first line of an answer, as the settings of its rung say.

The worker loads this file by its path, so it uses the standard library only. Limits: the kernel enforces everything but
the guard. The interpreter enforces the guard, and an author who knows the interpreter well gets past it.
"""

# pathlib takes longer to import than most answers take to run
# ruff: noqa: PTH112

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_SET_PARENT_DEATH_SIGNAL, _DROP_BOUND, _NO_NEW_PRIVILEGES, _SET_FILTER = 1, 24, 38, 22
_NEW_IPC, _NEW_PROCESSES = 0x08000000, 0x20000000
_NEW_MOUNTS, _NEW_NAME, _NEW_GROUPS = 0x00020000, 0x04000000, 0x02000000
# Of a mount: read-only, no rights by owner, no devices, no programs; everything below it; seen in this namespace only.
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS, _BELOW, _PRIVATE = 1, 2, 4, 8, 1 << 14, 1 << 18
_KILL = 9
_CAPABILITIES_VERSION = 0x20080522
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_AF_UNIX = 1
LARGEST_REQUEST = 1 << 16
MOST_FILES = 4096  # in the work folder; each takes memory that no other limit counts
CONFINED = b"confined"  # sent by a fork that has given up its rights
FORGET = b"forget"  # a request: wait for the workers that have ended
_CAPSET = {"x86_64": 126, "aarch64": 91}


def confine(settings: dict[str, Any], kernel: Kernel | None = None) -> None:
    """Give up everything that the settings name, in an order in which each step is still allowed.

    folder : to work in, for a fork, which moves into new namespaces. limits : of resources, by the name after
    RLIMIT_. user : another user, where the process may become one. no_rights : no new privileges, no capabilities; dies
    with its parent. readable : Landlock, only these paths and the writable ones. guard : a hook inside Python that
    refuses files, processes and sockets. filter : of system calls. kernel : made already, by the process that forked
    this one.
    """
    if kernel is None and any(map(settings.get, ("no_rights", "readable", "filter"))):
        kernel = Kernel()
    if kernel is not None and settings.get("folder"):
        kernel.own_namespaces(settings["folder"], settings["limits"]["FSIZE"])
    _limit(settings["limits"])
    if settings.get("user"):
        _become(settings["user"])
    if kernel is not None:
        if settings.get("no_rights"):
            kernel.drop_rights(settings["parent"])
        if settings.get("readable"):
            kernel.landlock(settings["readable"], settings["writable"], settings["listed"], settings["handled"])
        if settings.get("filter"):
            kernel.filter(settings["filter"])
    if settings.get("guard"):
        _guard(settings["guard"], settings["writable"], settings["listed"])


def forked(number: int, from_json: Callable[[bytes], Any]) -> Any:
    """Fork a worker for each request that comes over a socket; return its settings, in the confined worker only.

    A request brings the settings, and the two ends of the worker's pipes; FORGET brings nothing. The answer to it, one
    byte, is sent by the worker, because the kernel tells with it who has sent it. The parent reads nothing else, so
    every worker begins as the same process, without a trace of any answer.
    """
    import _socket
    import gc

    kernel = Kernel()
    kernel.drop_bound()
    here = os.open("/proc/self/ns/pid", os.O_RDONLY)
    requests = _socket.socket(fileno=number)
    last = b""
    settings: dict[str, Any] = {}
    gc.freeze()  # a collection in a worker would copy all that it shares with this process
    while True:
        request, received, _, _ = requests.recvmsg(LARGEST_REQUEST, 64)
        if not request:
            raise SystemExit
        if request == FORGET:
            _forget_ended()
            continue
        ends = memoryview(received[0][2]).cast("i").tolist()
        if request != last:  # read here and not in the fork, where each page that is written to must be copied
            last, settings = request, from_json(request)
        kernel.number_children_anew(here)
        if os.fork() == 0:
            break
        for end in ends:
            os.close(end)
    try:
        os.setsid()
        for target, end in enumerate(ends):
            os.dup2(end, target)
        confine(settings, kernel)
        requests.send(CONFINED)
    except Exception as error:
        requests.send(f"{type(error).__name__}: {error}".encode())
        raise SystemExit from error
    requests.detach()
    os.closerange(3, 1 << 16)
    return settings


def _forget_ended() -> None:
    """Wait for the workers that have ended. Until then, the grader can see how each of them ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _limit(limits: dict[str, int]) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    for name, value in limits.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(number, (bound, bound))
        except (ValueError, OSError):  # macOS knows the name of RLIMIT_AS but does not keep it
            continue


def _become(users: Sequence[int]) -> None:
    """Become the first of these users that is possible: a separate user has a separate count of processes."""
    for number in users:
        try:
            os.setgroups([])
            os.setresgid(number, number, number)
            os.setresuid(number, number, number)
            return
        except OSError:
            continue
    raise PermissionError("no other user to become")


# ----------------------------------------------------------------------------------------------------
# Linux


class Kernel:
    """System calls of Linux that Python does not offer, by ctypes."""

    def __init__(self) -> None:
        import ctypes

        self._c = ctypes
        self._library = ctypes.CDLL(None, use_errno=True)
        self._library.syscall.restype = ctypes.c_long
        self._bounded = False

    def _call(self, name: str, *arguments: Any, what: str = "") -> int:
        """Call a function of the C library. Raises OSError if it fails; ``what`` is better known than its name."""
        result = int(getattr(self._library, name)(*arguments))
        if result < 0:
            raise OSError(self._c.get_errno(), what or name)
        return result

    def number_children_anew(self, here: int) -> None:
        """Let the next child be the first process of a new namespace; ``here`` is the process namespace of this one."""
        self._call("setns", here, _NEW_PROCESSES)
        self._call("unshare", _NEW_PROCESSES)

    def own_namespaces(self, folder: str, most_bytes: int) -> None:
        """Move into other new namespaces, with an empty folder of a bounded size to work in.

        The empty network of the parent stays: the filter refuses sockets, and a new one would take 15 % of a start.
        """
        self._call("unshare", _NEW_MOUNTS | _NEW_IPC | _NEW_NAME | _NEW_GROUPS)
        self._mount("none", "/", "", _BELOW | _PRIVATE)
        self._mount(
            "tmpfs", folder, "tmpfs", _NO_SUID | _NO_DEVICES, f"size={most_bytes},nr_inodes={MOST_FILES},mode=0777"
        )
        self._mount("proc", "/proc", "proc", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
        os.chdir(folder)

    def _mount(self, source: str, target: str, kind: str, flags: int, options: str = "") -> None:
        texts = (text.encode() for text in (source, target, kind))
        self._call("mount", *texts, self._c.c_ulong(flags), options.encode(), what=f"mount {target}")

    def drop_rights(self, parent: int) -> None:
        """Give up the rights of root, never gain new ones, and die with the parent."""
        self._call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0, what="no_new_privs")
        number = _CAPSET.get(os.uname().machine)
        if number is not None:
            self.drop_bound()
            header = (self._c.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
            none = (self._c.c_uint32 * 6)()
            self._call("syscall", number, header, none, what="capset")
        # After the change of user, which would undo it.
        self._call("prctl", _SET_PARENT_DEATH_SIGNAL, _KILL, 0, 0, 0, what="parent death signal")
        if os.getppid() != parent:
            raise SystemExit("the parent is gone")

    def drop_bound(self) -> None:
        """Give up the rights that a program to be started could gain. Children inherit this."""
        if not self._bounded:
            for capability in range(64):
                self._library.prctl(_DROP_BOUND, capability, 0, 0, 0)  # fails, harmlessly, unless we are root
        self._bounded = True

    def landlock(self, readable: Sequence[str], writable: Sequence[str], listed: Sequence[str], handled: int) -> None:
        """Refuse all files outside these paths; ``handled`` are the rights that this kernel's rules know."""
        c = self._c
        rules = self._call("syscall", _CREATE_RULESET, bytes(c.c_uint64(handled)), c.c_size_t(8), 0, what="landlock")
        read = 1 << 2 | 1 << 3  # read a file, list a folder
        for paths, rights in ((readable, read), (writable, handled & ~1), (listed, 1 << 3)):
            for path in paths:
                handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
                allowed = rights if os.path.isdir(path) else rights & (1 << 1 | 1 << 2 | 1 << 14)
                rule = bytes(c.c_uint64(allowed)) + bytes(c.c_int32(handle))
                self._call("syscall", _ADD_RULE, rules, 1, rule, 0, what=f"landlock {path}")
                os.close(handle)
        self._call("syscall", _RESTRICT_SELF, rules, 0, what="landlock")
        os.close(rules)

    def filter(self, program: bytes) -> None:
        """Install a filter of system calls."""
        c = self._c
        # struct sock_fprog, without a class: in a fork, making one copies many pages.
        whole = (c.c_void_p * 2)(len(program) // 8, c.cast(program, c.c_void_p))
        self._call("prctl", _SET_FILTER, 2, whole, 0, 0, what="seccomp")


# ----------------------------------------------------------------------------------------------------
# Inside Python

_OPENED = {"open", "os.listdir", "os.scandir", "os.chdir"}
_CHANGED = {
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.utime",
    "os.setxattr", "os.removexattr", "os.chflags", "os.lockf", "shutil.rmtree", "shutil.move", "shutil.copyfile",
}  # fmt: skip
_REFUSED = (
    "ctypes.", "socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile",
    "os.system", "os.kill", "os.link", "os.symlink", "os.getxattr", "os.listxattr", "os.chroot",
    "os.mount", "os.unshare", "os.set", "pty.", "signal.pthread_kill", "resource.", "winreg.", "_winapi.", "msvcrt.",
    "mmap.", "fcntl.", "syslog.", "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.", "imaplib.", "poplib.",
    "nntplib.", "telnetlib.", "sqlite3.", "gc.", "sys.settrace", "sys.setprofile", "cpython.remote",
)  # fmt: skip
# The first letters of modules in C that reach files, processes or interpreters without raising an audit event.
_REFUSED_IMPORTS = (
    "_ctypes", "_curses", "_dbm", "_gdbm", "_interp", "_multiprocessing", "_posixshmem", "_test", "_tkinter", "_wmi",
    "_xx", "ctypes", "nis", "ossaudiodev", "readline", "spwd", "xx",
)  # fmt: skip
# The functions of the operating system that an answer keeps. Those in the first set raise an audit event, so the hook
# can refuse them. Those in the second reach only the process itself, its open files, and the metadata of other files,
# and modules of the standard library use them. All others are removed, including those that a later Python may add.
_HEARD = {
    "chdir", "chflags", "chmod", "chown", "execv", "execve", "fchdir", "fchmod", "fchown", "fork", "forkpty",
    "ftruncate", "getxattr", "kill", "killpg", "lchflags", "lchmod", "lchown", "link", "listdir", "listdrives",
    "listmounts", "listvolumes", "listxattr", "lockf", "mkdir", "open", "posix_spawn", "posix_spawnp", "putenv",
    "remove", "removexattr", "rename", "replace", "rmdir", "scandir", "setxattr", "spawnv", "spawnve", "startfile",
    "symlink", "system", "truncate", "unlink", "unsetenv", "utime",
}  # fmt: skip
_HARMLESS = {
    "abort", "access", "close", "closerange", "confstr", "cpu_count", "device_encoding", "dup", "dup2", "fspath",
    "fstat", "fsync", "get_blocking", "get_inheritable", "get_terminal_size", "getcwd", "getcwdb", "getegid",
    "geteuid", "getgid", "getpid", "getppid", "getrandom", "getuid", "isatty", "lseek", "lstat", "pipe", "read",
    "readinto", "readlink", "register_at_fork", "sched_getaffinity", "sched_yield", "set_blocking",
    "set_inheritable", "stat", "statvfs", "strerror", "sysconf", "times", "umask", "uname", "urandom", "waitpid",
    "waitstatus_to_exitcode", "write",
}  # fmt: skip


def _guard(readable: Sequence[str], writable: Sequence[str], listed: Sequence[str]) -> None:
    """Add the hook. Everything it needs is local to it, because an answer can replace the names of a module."""
    separator, case, real, fspath, decode = os.sep, os.path.normcase, os.path.realpath, os.fspath, os.fsdecode
    may_write = tuple(case(real(path)) for path in writable)
    may_read = tuple(case(real(path)) for path in (*readable, *writable))
    may_list = {case(real(path)) for path in listed}
    nowhere, refused_imports = case(os.devnull), _REFUSED_IMPORTS
    reading = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def named(path: Any) -> str:
        return str(case(real(decode(fspath(path)) if path is not None else ".")))

    def inside(path: Any, folders: tuple[str, ...]) -> bool:
        if isinstance(path, int):
            return True
        found = named(path)
        return found == nowhere or any(found == folder or found.startswith(folder + separator) for folder in folders)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            if arguments[0].startswith(refused_imports) or (arguments[1] and inside(arguments[1], may_write)):
                raise ImportError(f"{arguments[0]} cannot be imported here")
        elif event in _OPENED:
            mode = arguments[2] if event == "open" and len(arguments) > 2 else 0
            writes = isinstance(mode, int) and bool(mode & reading)
            only_names = event in ("os.listdir", "os.scandir") and named(arguments[0]) in may_list
            if not only_names and not inside(arguments[0], may_write if writes else may_read):
                raise PermissionError(f"{event}: nothing outside the work folder can be opened here")
        elif event in _CHANGED:
            if not all(
                inside(path, may_write)
                for path in arguments[:2]
                if path is None or hasattr(path, "__fspath__") or isinstance(path, (str, bytes))
            ):
                raise PermissionError(f"{event}: nothing outside the work folder can be changed here")
        elif event == "socket.__new__" and arguments[1] == _AF_UNIX:
            return  # the pair of an event loop, connected to itself
        elif event.startswith(_REFUSED):
            raise PermissionError(f"{event} is not allowed here")

    def refused(*arguments: Any) -> None:
        raise PermissionError("this is not allowed here")

    try:
        import _posixsubprocess
    except ImportError:  # not on Windows
        pass
    else:
        _posixsubprocess.fork_exec = refused  # type: ignore[assignment]
    import _signal  # type: ignore[import-not-found]

    _signal.raise_signal = refused  # it raises no event, and would end the process as if something outside had
    system = sys.modules["nt" if os.name == "nt" else "posix"]
    listed_in = [value for value in vars(os).values() if isinstance(value, set)]  # os.supports_dir_fd and its like
    for name in taken_away(vars(system)):
        for functions in listed_in:
            functions.discard(getattr(system, name))
        for module in (system, os):
            if hasattr(module, name):
                setattr(module, name, refused)
    sys.addaudithook(hook)


def taken_away(names: dict[str, Any]) -> list[str]:
    """Return the functions of the operating system that an answer must not have."""
    return [
        name
        for name, value in names.items()
        if callable(value)
        and not isinstance(value, type)
        and not name.startswith(("_", "W"))
        and name not in _HEARD | _HARMLESS
    ]
