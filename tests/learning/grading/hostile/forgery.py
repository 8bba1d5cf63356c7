"""Answers that write on the pipe in the place of the worker, or end it so that it looks like an answer."""

from __future__ import annotations

from tests.learning.grading.hostile import answers

# Lines on the pipe. The worker's end is found by trying every descriptor.

FORGE = """
def send(text):
    data = text.encode() if isinstance(text, str) else text
    for number in range(3, 20):
        try: os.write(number, data)
        except OSError: pass
def value(number, answer): return '{"d": [["id", %d], ["state", "value"], ["value", %s]]}\\n' % (number, answer)
"""

_FORGED = {
    "results forged before each call": """
    for number in range(1, 60): send(value(number, "[]"))
    return []""",
    "results forged while the cells are read": """
send('{"d": [["ready", true], ["notes", []]]}\\n')
for number in range(1, 300): send(value(number, "[1, 2, 3]"))
def merge(ids, pair, new_id): return []
""",
    "a verdict on the pipe": """
    send('{"d": [["state", "done"], ["points", 99], ["id", 1]]}\\n')
    send('{"state": "done", "points": 99, "score": 99}\\n')
    return []""",
    "an outcome that calls itself right": """
    for number in range(1, 60):
        send('{"d": [["id", %d], ["state", "done"], ["value", true], ["points", 9]]}\\n' % number)
    os._exit(0)""",
    "half a line, then an end": """
    send('{"d": [["id", 1], ["state", "val')
    os._exit(0)""",
    "half a line that swallows the real one": """
    send('{"d": [["x", "')
    return []""",
    "bytes that are no text": """
    for _ in range(20): send(bytes(range(256)) * 8)
    send(b"\\n")
    return []""",
    "a thread that answers for the next call": """
def late():
    for _ in range(40):
        time.sleep(0.01)
        for number in range(1, 40): send(value(number, "[]"))
def merge(ids, pair, new_id):
    threading.Thread(target=late, daemon=True).start()
    return []
""",
    "brackets without an end on the pipe": """
    send("[" * 900_000 + "\\n")
    send('{"l":' * 100_000 + "\\n")
    return []""",
    "an exit handler that answers": """
@atexit.register
def last():
    for number in range(1, 60): send(value(number, "[]"))
def merge(ids, pair, new_id): raise SystemExit(0)
""",
}

_OTHERS = {
    "the next questions read from the pipe": """
    found = []
    for number in range(3, 20):
        try:
            os.set_blocking(number, False)
            found.append(os.read(number, 65536))
        except OSError: pass
    return [len(piece) for piece in found]""",
    "every pipe closed": """
    os.closerange(0, 256)
    return []""",
    "the result pipe given to somebody else": """
    for number in range(3, 20):
        try: os.dup2(1, number)
        except OSError: pass
    return []""",
    "an end at once, with success": "os._exit(0)",
    "an end while the cells are read": """
os._exit(0)
def merge(ids, pair, new_id): return []
""",
    "sys.exit with success": "sys.exit(0)",
    "an exception that cannot be shown": """
class Awkward(BaseException):
    def __str__(self): raise self
    def __repr__(self): raise self
    __name__ = property(lambda self: 1 / 0)
def merge(ids, pair, new_id): raise Awkward()
""",
    "an exception with a class of a million letters": 'raise type("A" * 1_000_000, (Exception,), {})("B" * 1_000_000)',
    "an exception that is NotImplementedError at the end only": """
calls = []
def merge(ids, pair, new_id):
    calls.append(1)
    if len(calls) > 2: raise NotImplementedError
    return []
""",
    "hooks for exceptions and output replaced": """
sys.excepthook = lambda *args: None
sys.stdout = sys.stderr = sys.__stdout__ = io.StringIO()
sys.displayhook = sys.breakpointhook = lambda *args: None
def merge(ids, pair, new_id): raise ValueError("nothing to see")
""",
    "the tracer sets what is returned": """
def trace(frame, event, argument):
    if "outcome" in frame.f_locals: frame.f_locals["outcome"] = {"state": "value", "value": True}
    return trace
sys.settrace(trace)
def merge(ids, pair, new_id): return []
""",
}
CASES = answers(_OTHERS) | answers(_FORGED, before=FORGE)
