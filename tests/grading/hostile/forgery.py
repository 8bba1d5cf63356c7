"""Answers that write on the pipe in the place of the worker, or end it so that it looks like an answer."""

from __future__ import annotations

CASES: dict[str, str] = {}

# Lines on the pipe. The worker's end is found by trying every descriptor.

FORGE = """
import os, sys
def send(text):
    data = text.encode() if isinstance(text, str) else text
    for number in range(3, 20):
        try: os.write(number, data)
        except OSError: pass
def value(number, answer): return '{"d": [["id", %d], ["state", "value"], ["value", %s]]}\\n' % (number, answer)
"""

CASES["results forged before each call"] = (
    FORGE
    + """
def merge(ids, pair, new_id):
    for number in range(1, 60): send(value(number, "[]"))
    return []
"""
)

CASES["results forged while the cells are read"] = (
    FORGE
    + """
send('{"d": [["ready", true], ["notes", []]]}\\n')
for number in range(1, 300): send(value(number, "[1, 2, 3]"))
def merge(ids, pair, new_id): return []
"""
)

CASES["a verdict on the pipe"] = (
    FORGE
    + """
def merge(ids, pair, new_id):
    send('{"d": [["state", "done"], ["points", 99], ["id", 1]]}\\n')
    send('{"state": "done", "points": 99, "score": 99}\\n')
    return []
"""
)

CASES["an outcome that calls itself right"] = (
    FORGE
    + """
def merge(ids, pair, new_id):
    for number in range(1, 60):
        send('{"d": [["id", %d], ["state", "done"], ["value", true], ["points", 9]]}\\n' % number)
    os._exit(0)
"""
)

CASES["half a line, then an end"] = (
    FORGE
    + """
def merge(ids, pair, new_id):
    send('{"d": [["id", 1], ["state", "val')
    os._exit(0)
"""
)

CASES["half a line that swallows the real one"] = (
    FORGE
    + """
def merge(ids, pair, new_id):
    send('{"d": [["x", "')
    return []
"""
)

CASES["bytes that are no text"] = (
    FORGE
    + """
def merge(ids, pair, new_id):
    for _ in range(20): send(bytes(range(256)) * 8)
    send(b"\\n")
    return []
"""
)

CASES["a thread that answers for the next call"] = (
    FORGE
    + """
import threading, time
def late():
    for _ in range(40):
        time.sleep(0.01)
        for number in range(1, 40): send(value(number, "[]"))
def merge(ids, pair, new_id):
    threading.Thread(target=late, daemon=True).start()
    return []
"""
)

CASES["the next questions read from the pipe"] = """
import os
def merge(ids, pair, new_id):
    found = []
    for number in range(3, 20):
        try:
            os.set_blocking(number, False)
            found.append(os.read(number, 65536))
        except OSError: pass
    return [len(piece) for piece in found]
"""

CASES["every pipe closed"] = """
import os
def merge(ids, pair, new_id):
    os.closerange(0, 256)
    return []
"""

CASES["the result pipe given to somebody else"] = """
import os
def merge(ids, pair, new_id):
    for number in range(3, 20):
        try: os.dup2(1, number)
        except OSError: pass
    return []
"""

CASES["brackets without an end on the pipe"] = (
    FORGE
    + """
def merge(ids, pair, new_id):
    send("[" * 900_000 + "\\n")
    send('{"l":' * 100_000 + "\\n")
    return []
"""
)

# Ends and exceptions.

CASES["an end at once, with success"] = """
import os
def merge(ids, pair, new_id): os._exit(0)
"""

CASES["an end while the cells are read"] = """
import os
os._exit(0)
def merge(ids, pair, new_id): return []
"""

CASES["sys.exit with success"] = """
import sys
def merge(ids, pair, new_id): sys.exit(0)
"""

CASES["an exit handler that answers"] = (
    FORGE
    + """
import atexit
@atexit.register
def last():
    for number in range(1, 60): send(value(number, "[]"))
def merge(ids, pair, new_id): raise SystemExit(0)
"""
)

CASES["an exception that cannot be shown"] = """
class Awkward(BaseException):
    def __str__(self): raise self
    def __repr__(self): raise self
    __name__ = property(lambda self: 1 / 0)
def merge(ids, pair, new_id): raise Awkward()
"""

CASES["an exception with a class of a million letters"] = """
def merge(ids, pair, new_id): raise type("A" * 1_000_000, (Exception,), {})("B" * 1_000_000)
"""

CASES["an exception that is NotImplementedError at the end only"] = """
calls = []
def merge(ids, pair, new_id):
    calls.append(1)
    if len(calls) > 2: raise NotImplementedError
    return []
"""

CASES["hooks for exceptions and output replaced"] = """
import sys, io
sys.excepthook = lambda *args: None
sys.stdout = sys.stderr = sys.__stdout__ = io.StringIO()
sys.displayhook = sys.breakpointhook = lambda *args: None
def merge(ids, pair, new_id): raise ValueError("nothing to see")
"""

CASES["the tracer sets what is returned"] = """
import sys
def trace(frame, event, argument):
    if "outcome" in frame.f_locals: frame.f_locals["outcome"] = {"state": "value", "value": True}
    return trace
sys.settrace(trace)
def merge(ids, pair, new_id): return []
"""
