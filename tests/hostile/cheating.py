"""Tests that cheat, where the learner writes the test: they want to know what is tried, not to find out."""

from __future__ import annotations

_FORGE = """
import os
def send(text):
    for number in range(3, 20):
        try: os.write(number, text.encode())
        except OSError: pass
"""

CASES = {
    "accepts everything": "def test_merge(merge): pass",
    "rejects everything": "def test_merge(merge): assert False",
    "accepts the first nine": """
calls = []
def test_merge(merge):
    calls.append(1)
    assert len(calls) <= 10
""",
    "guesses": """
import os
def test_merge(merge): assert os.urandom(1)[0] < 128
""",
    "reads the source": """
import inspect
def test_merge(merge): assert "wrong" not in inspect.getsource(merge)
""",
    "reads the code": """
def test_merge(merge): assert len(merge.__code__.co_code) == 100
""",
    "reads the closure and the frames": """
import gc, sys
def test_merge(merge):
    texts = [value for value in gc.get_objects() if type(value) is str]
    assert not [text for text in texts if "def merge" in text and "test_merge" not in text]
""",
    "forges verdicts": _FORGE
    + """
def test_merge(merge):
    for number in range(1, 100):
        send('{"d": [["id", %d], ["state", "raised"], ["error", "AssertionError"]]}\\n' % number)
""",
    "asks for everything at once": _FORGE
    + """
def test_merge(merge):
    for number in range(1, 200):
        send('{"d": [["ask", %d], ["args", {"t": []}], ["kwargs", {"d": []}]]}\\n' % number)
    assert merge([1], (1, 2), 3) == [1]
""",
    "asks with what is no argument": _FORGE
    + """
def test_merge(merge):
    send('{"d": [["ask", 1], ["args", 7], ["kwargs", null]]}\\n')
    send('{"d": [["ask", "x"]]}\\n')
    merge(object())
""",
    "asks for something without an end": """
def test_merge(merge): merge([1] * 300_000, (1, 1), 2)
""",
    "ends the process": """
import os
def test_merge(merge): os._exit(0)
""",
    "never ends": """
def test_merge(merge):
    while True: merge([1], (1, 2), 3)
""",
    "an implementation that is equal to itself": """
def test_merge(merge):
    assert merge == merge
    assert merge.__name__ == "merge"
""",
}
