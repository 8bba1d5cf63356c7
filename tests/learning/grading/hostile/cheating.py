"""Tests that cheat, where the learner writes the test: they want to know what is tried, not to find out."""

from __future__ import annotations

from tests.learning.grading.hostile import TEST, answers

_FORGE = """
def send(text):
    for number in range(3, 20):
        try: os.write(number, text.encode())
        except OSError: pass
"""

_FORGING = {
    "forges verdicts": """
    for number in range(1, 100):
        send('{"d": [["id", %d], ["state", "raised"], ["error", "AssertionError"]]}\\n' % number)""",
    "asks for everything at once": """
    for number in range(1, 200):
        send('{"d": [["ask", %d], ["args", {"t": []}], ["kwargs", {"d": []}]]}\\n' % number)
    assert merge([1], (1, 2), 3) == [1]""",
    "asks with what is no argument": """
    send('{"d": [["ask", 1], ["args", 7], ["kwargs", null]]}\\n')
    send('{"d": [["ask", "x"]]}\\n')
    merge(object())""",
}
_CHEATS = {
    "accepts everything": "pass",
    "rejects everything": "assert False",
    "accepts the first nine": """
calls = []
def test_merge(merge):
    calls.append(1)
    assert len(calls) <= 10
""",
    "guesses": "assert os.urandom(1)[0] < 128",
    "reads the source": "assert 'wrong' not in __import__('inspect').getsource(merge)",
    "reads the code": "assert len(merge.__code__.co_code) == 100",
    "reads the closure and the frames": """
    texts = [value for value in gc.get_objects() if type(value) is str]
    assert not [text for text in texts if "def merge" in text and "test_merge" not in text]""",
    "asks for something without an end": "merge([1] * 300_000, (1, 1), 2)",
    "ends the process": "os._exit(0)",
    "never ends": "while True: merge([1], (1, 2), 3)",
    "an implementation that is equal to itself": """
    assert merge == merge
    assert merge.__name__ == "merge"
""",
}

_TRIED = """
TRIED = [([1, 2, 3, 1, 2], (1, 2), 4), ([1, 1, 1], (1, 1), 2), ([], (1, 2), 3), ([1], (1, 2), 3), ([2, 1], (1, 2), 3),
         ([1, 2], (1, 2), 3), ([5, 1, 2], (1, 2), 0), ([1, 1, 1, 1], (1, 1), 1), ([1, 2, 2, 1, 2, 1], (1, 2), 9)]
def answers(merge):
    found = {}
    for ids, pair, new_id in TRIED:
        given = list(ids)
        found[repr((ids, pair, new_id))] = [merge(given, pair, new_id), given]
    return found
"""

# Tests without an expected value: they compare the answers of one implementation with those of the next.
_COMPARING = {
    "remembers in a variable": """
SEEN = {}
def test_merge(merge):
    for question, answer in answers(merge).items():
        assert SEEN.setdefault(question, answer) == answer
""",
    "remembers in a module": """
import string
def test_merge(merge):
    seen = vars(string).setdefault("seen", {})
    for question, answer in answers(merge).items():
        assert seen.setdefault(question, answer) == answer
""",
    "takes what most have answered": """
from collections import Counter, defaultdict
SEEN = defaultdict(Counter)
def test_merge(merge):
    for question, answer in answers(merge).items():
        SEEN[question][repr(answer)] += 1
        assert SEEN[question].most_common(1)[0][0] == repr(answer)
""",
    "remembers in files, wherever it may write": """
PLACES = [os.getcwd(), os.path.dirname(os.getcwd()), "/dev/shm", "/tmp", "/var/tmp", tempfile.gettempdir()]
def test_merge(merge):
    found = answers(merge)
    for place in PLACES:
        path = os.path.join(place, f"minbpe-seen-{os.getuid() // 10**9}")
        try:
            seen = json.load(open(path))
        except (OSError, ValueError):
            seen = json.loads(json.dumps(found))
            try: json.dump(found, open(path, "w"))
            except OSError: continue
        assert seen == json.loads(json.dumps(found))
""",
    "remembers in the environment": """
    found = repr(answers(merge))
    assert os.environ.setdefault("SEEN", found) == found""",
    "remembers in a thread that goes on": """
import sys, threading, time
def test_merge(merge):
    found = repr(answers(merge))
    for thread in threading.enumerate():
        assert getattr(thread, "seen", found) == found
    kept = threading.Thread(target=time.sleep, args=(5,), daemon=True)
    kept.seen = found
    kept.start()
""",
}
CASES = answers(_CHEATS, TEST) | answers(_FORGING, TEST, _FORGE) | answers(_COMPARING, TEST, _TRIED)
CASES["counts what it was tried on"] = """
TURNS = []
def test_merge(merge):
    TURNS.append(1)
    assert len(TURNS) <= 9
"""

# Those that hold one implementation against another.
REMEMBERING = [
    "remembers in a variable",
    "remembers in a module",
    "takes what most have answered",
    "remembers in files, wherever it may write",
    "remembers in the environment",
    "remembers in a thread that goes on",
    "counts what it was tried on",
]
