"""Answers that use things up: processes, threads, memory, disk, output, time. Each stops by itself at its bound."""

from __future__ import annotations

from tests.learning.grading.hostile import answers

# Waits until the grader has had enough of it, thirty seconds at most.
_WAIT = "time.sleep(30)"

_FLOODS = {
    "two hundred forks": f"""
import os, time
def merge(ids, pair, new_id):
    for _ in range(200):
        try: child = os.fork()
        except OSError: break
        if child == 0:
            {_WAIT}
            os._exit(0)
    {_WAIT}
""",
    "sixty daemons": f"""
import os, time
def merge(ids, pair, new_id):
    for _ in range(60):
        try: child = os.fork()
        except OSError: continue
        if child == 0:
            os.setsid()
            if os.fork() == 0: {_WAIT}
            os._exit(0)
        os.waitpid(child, 0)
    return []
""",
    "a daemon with a clean conscience": f"""
import os, time
def merge(ids, pair, new_id):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(256):
                    try: os.close(number)
                    except OSError: pass
                {_WAIT}
            os._exit(0)
    except OSError: pass
    return []
""",
    "programs in the background": """
    for _ in range(20):
        try: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"], start_new_session=True)
        except OSError: pass
    return []""",
    "a pool of processes": """
def work(number):
    import time
    time.sleep(30)
def merge(ids, pair, new_id):
    import multiprocessing
    pool = multiprocessing.get_context("fork").Pool(20)
    pool.map_async(work, range(20))
    return []
""",
    "another program in its place": """
    os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(30)"])""",
    "five hundred sleeping threads": f"""
import threading, time
def sleep(): {_WAIT}
def merge(ids, pair, new_id):
    threading.stack_size(65536)
    for _ in range(500):
        try: threading.Thread(target=sleep).start()
        except (RuntimeError, MemoryError): break
    return []
""",
    "a gigabyte at once": "return [len(bytearray(1 << 30))]",
    "a gigabyte in small pieces": """
    kept = []
    for _ in range(1024): kept.append(bytearray(b"x") * (1 << 20))
    return [len(kept)]""",
    "a gigabyte of shared memory": """
    kept = []
    for _ in range(64):
        kept.append(mmap.mmap(-1, 1 << 24))
        for page in range(0, 1 << 24, 4096): kept[-1][page] = 1
    return [len(kept)]""",
    "a gigabyte in a file without a name": """
    made = os.memfd_create("hidden")
    for _ in range(64): os.write(made, bytes(1 << 24))
    return [1]""",
    "memory in twenty processes": f"""
import os, time
def merge(ids, pair, new_id):
    for _ in range(20):
        try: child = os.fork()
        except OSError: break
        if child == 0:
            kept = bytearray(b"x") * (50 << 20)
            {_WAIT}
            os._exit(0)
    {_WAIT}
""",
    "two hundred megabytes of files, wherever it is possible": """
import os
def merge(ids, pair, new_id):
    written = 0
    for place in (".", "/", "/dev", "/dev/shm", "/tmp", "/var/tmp", "/run", "/grader", "/packages", "/proc", "/work"):
        for number in range(20):
            try:
                with open(f"{place}/flood-of-the-test-{number}", "wb") as file:
                    for _ in range(10): written += file.write(bytes(1 << 20))
            except OSError: break
    return "escaped" if written > 150 << 20 else []
""",
    "a file that only seems large": """
    with open("sparse", "wb") as file: file.truncate(1 << 40)
    return [1 << 40]""",
    "fifty megabytes of output": """
    for _ in range(500):
        print("x" * 50_000)
        sys.stderr.write("x" * 50_000)
        os.write(1, b"x" * 1000)
        os.write(2, b"x" * 1000)
    return []""",
    "ten megabytes of lines on the result pipe": """
    for number in range(3, 20):
        try:
            for _ in range(160): os.write(number, b"[1]\\n" * 16384)
        except OSError: pass
    return []""",
    "ten megabytes without a line on the result pipe": """
    for number in range(3, 20):
        try:
            for _ in range(160): os.write(number, b"x" * 65536)
        except OSError: pass
    return []""",
    "a loop without an end": "while True: pass",
    "a loop without an end that cannot be interrupted": """
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True:
        try:
            while True: pass
        except BaseException: pass""",
    "a pattern that takes for ever": 'return [re.match(r"(a+)+$", "a" * 60 + "b")]',
    "a number that takes for ever": "return [10 ** (10 ** 9) % 7]",
    "a sleep while the cells are read": """
time.sleep(30)
def merge(ids, pair, new_id): return []
""",
    "a recursion without an end": """
sys.setrecursionlimit(10 ** 9)
def merge(ids, pair, new_id): return merge(ids, pair, new_id)
""",
    "a cell that is too deep to read": "merge = " + "-" * 200_000 + "1\n",
    "a cell of brackets": "merge = " + "(" * 150_000 + ")" * 150_000 + "\n",
    "a hundred thousand open files": """
    opened = 0
    for _ in range(100_000):
        try: opened += os.open(os.devnull, os.O_RDONLY) > 0
        except OSError: break
    return [opened]""",
    "twenty thousand empty files": """
    for number in range(20_000): os.close(os.open(f"empty-{number}", os.O_CREAT | os.O_WRONLY))
    return []""",
    "a crash of the interpreter": """
import ctypes
def merge(ids, pair, new_id): return [ctypes.string_at(0)]
""",
    "a timer that kills": """
import os, signal
signal.setitimer(signal.ITIMER_REAL, 0.01)
def merge(ids, pair, new_id):
    while True: pass
""",
    "a stop instead of an answer": """
    os.kill(os.getpid(), signal.SIGSTOP)
    return []""",
}
CASES = answers(_FLOODS)
