"""Answers that try to harm the machine. They return "escaped" if they succeed.

Every target is the test's own: @CANARY@ is a folder with a file, @PORT@ a listener on loopback, @GRADER@ the process
that runs the test, to which nothing but signal 0 and SIGCONT is ever sent. Clocks are set to the time that they show.
"""

from __future__ import annotations

_HEAD = """
import os, signal, socket, subprocess, sys, threading, time
import ctypes
def c(name, *args):
    library = ctypes.CDLL(None, use_errno=True)
    answer = getattr(library, name)(*args)
    if answer < 0: raise OSError(ctypes.get_errno(), name)
    return answer
def attempt(): {body}
def merge(ids, pair, new_id):
    try: attempt()
    except BaseException as error: return [type(error).__name__]
    return "escaped"
"""

# name -> one statement, or several; it escapes when it raises nothing
_ATTEMPTS = {
    "writes into a folder outside": "open('@CANARY@/new', 'w').write('x')",
    "writes over a file outside": "open('@CANARY@/file', 'w').write('x')",
    "adds to a file outside": "os.write(os.open('@CANARY@/file', os.O_APPEND | os.O_WRONLY), b'x')",
    "cuts a file outside": "os.truncate('@CANARY@/file', 0)",
    "cuts a file outside that is not opened to be written": "os.open('@CANARY@/file', 3 | os.O_TRUNC)",
    "removes a file outside": "os.remove('@CANARY@/file')",
    "renames a file outside": "os.rename('@CANARY@/file', '@CANARY@/other')",
    "makes a folder outside": "os.mkdir('@CANARY@/folder')",
    "links into a folder outside": "os.symlink('/etc/hostname', '@CANARY@/link')",
    "changes the mode of a file outside": "os.chmod('@CANARY@/file', 0o600)",
    "changes the times of a file outside": "os.utime('@CANARY@/file', (1, 1))",
    "writes through a path with dots": "open('../' * 40 + '@CANARY@/new'.lstrip('/'), 'w').write('x')",
    "writes through the root of the parent": "open('/proc/%d/root@CANARY@/new' % os.getppid(), 'w').write('x')",
    "writes through a program": "subprocess.run(['touch', '@CANARY@/new'], check=True)",
    "writes with a path that changes its mind": """
    class Path:
        n = 0
        def __fspath__(self):
            Path.n += 1
            return 'here' if Path.n == 1 else '@CANARY@/new'
    open(Path(), 'w').write('x')
    if not os.path.exists('@CANARY@/new'): raise OSError""",
    "changes the code of the grader": "open('@CHECKOUT@/minbpe_course/learning/grading/worker.py', 'r+').close()",
    "changes its own worker": "open(sys.argv[0], 'r+').close()",
    "changes the standard library": "open(os.__file__, 'r+').close()",
    "adds to the standard library": "open(os.path.dirname(os.__file__) + '/canary_of_the_test.py', 'x').close()",
    "signals the grader": "os.kill(@GRADER@, 0)",
    "signals its parent": "if os.getppid() <= 0: raise OSError\n    os.kill(os.getppid(), signal.SIGCONT)",
    "has the kernel signal the grader": """
    import fcntl
    one, other = os.pipe()
    fcntl.fcntl(one, 10, signal.SIGCONT)  # in place of one that kills
    fcntl.fcntl(one, fcntl.F_SETOWN, @GRADER@)
    fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(other, b'x')""",
    "changes the flags of a file that it may read": """
    import fcntl
    file = open(os.__file__)
    fcntl.ioctl(file, 0x40086602, fcntl.ioctl(file, 0x80086601, bytes(8)))""",
    "has the kernel signal the grader by a socket": """
    import fcntl, struct
    fcntl.ioctl(socket.socketpair()[0], 0x8901, struct.pack('i', @GRADER@))""",
    "signals its whole group": "os.killpg(os.getpgid(@GRADER@), 0)",
    "slows the grader": "os.setpriority(os.PRIO_PROCESS, @GRADER@, 1)",
    "traces the grader": "c('ptrace', 16, @GRADER@, 0, 0)",
    "reads the memory of the grader": "open('/proc/@GRADER@/mem', 'rb').close()",
    "connects by TCP": "socket.create_connection(('127.0.0.1', @PORT@), 2).sendall(b'x')",
    "connects by IPv6": "socket.create_connection(('::ffff:127.0.0.1', @PORT@), 2).sendall(b'x')",
    "sends by UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', @PORT@))",
    "asks a name server": """
    question = b'\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0\\6secret\\7example\\0\\0\\1\\0\\1'
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(question, ('127.0.0.1', @PORT@))""",
    "fetches a page": "__import__('urllib.request').request.urlopen('http://127.0.0.1:@PORT@/', timeout=2)",
    "connects by a socket in the file system": "s = socket.socket(socket.AF_UNIX); s.connect('@CANARY@/socket')",
    "connects by a socket without a file": "s = socket.socket(socket.AF_UNIX); s.connect('\\0minbpe-@GRADER@')",
    "connects by the C library": """
    import struct
    number = c('socket', 2, 1, 0)
    address = struct.pack('!HHI8x', 0, @PORT@, 0x7F000001)
    address = struct.pack('=H', 2) + address[2:]
    c('connect', number, address, 16)""",
    "sends by one end of a pair": """
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b'x', '@CANARY@/datagrams')""",
    "listens for others": "socket.create_server(('127.0.0.1', 0)).close()",
    "opens a raw socket": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close()",
    "sets the clock": "time.clock_settime(time.CLOCK_REALTIME, time.time())",
    "sets the name of the machine": "socket.sethostname(socket.gethostname())",
    "becomes root": """
    os.setuid(0)
    if 'CapEff:\\t0000000000000000' in open('/proc/self/status').read(): raise OSError""",
    "changes its root": "os.chroot('.')",
    "makes a namespace": "c('unshare', 0x10000000)",
    "makes a child in a namespace": "c('syscall', 56, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0)",
    "mounts a folder": "os.mkdir('here'); c('mount', b'tmpfs', b'here', b'tmpfs', 0, 0)",
    "makes its root writable": "c('mount', b'none', b'/', 0, 32, 0)\n    open('/canary', 'w').close()",
    "takes a device": "open('/dev/kmsg', 'w').close()",
    "takes a key ring": "c('syscall', 250, 0, -3, 0)",
    "takes memory that no limit counts": "c('memfd_create', b'hidden', 0)",
    "takes memory of System V": "c('shmget', 0, 4096, 0o1600)",
    "asks for a ring of requests": "c('syscall', 425, 4, ctypes.create_string_buffer(256))",
    "loads a program into the kernel": "c('syscall', 321, 5, ctypes.create_string_buffer(256), 128)",
    "changes the settings of the kernel": "open('/proc/sys/kernel/hostname', 'w').close()",
    "runs on without its parent": "c('prctl', 1, 0, 0, 0, 0)\n    raise OSError",
    "changes the limits of the grader": "import resource; resource.prlimit(@GRADER@, resource.RLIMIT_CORE)",
    "chooses a processor for the grader": "os.sched_setaffinity(@GRADER@, os.sched_getaffinity(0))",
    "raises its limits": "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
}

CASES = {name: _HEAD.replace("{body}", body) for name, body in _ATTEMPTS.items()}

# On the last rung the files of the machine are kept by a guard inside Python, which is not held to all of these.
ON_THE_LAST_RUNG = [
    name
    for name in CASES
    if name.startswith(
        ("writes", "adds", "cuts", "removes", "renames", "makes a folder", "links", "changes", "connects")
    )
]
