"""Notebooks that attack from several cells: above an answer, or in another question.

CASES      name -> (key of the question, cells); no point may be earned
ENDLESS    those of them that may end as "not graded", because their cells cannot be run
MARKING    name -> what an answer does with MARK, a word that no report may hold
"""

from __future__ import annotations

import sys

from tests.learning.grading.hostile.forgery import FORGE
from tests.learning.grading.hostile.honest import RIGHT

_BLANK = "def merge(ids, pair, new_id): raise NotImplementedError"
_CHECK = "from minbpe_course.learning import check\ncheck('02.merge', merge)"
_WRONG = "def merge(ids, pair, new_id): return []"
_IMPORTS = (
    "import atexit, builtins, collections, gc, io, json, os, signal, sys, tempfile, threading, time, types, typing"
)

# Cells above a wrong answer.
_ABOVE = {
    "says that its cells have run": [
        "for number in range(9): send('{\"d\": [[\"cell\", %d]]}\\n' % number)\n"
        'send(\'{"d": [["ready", true], ["notes", []]]}\\n\')',
        "time.sleep(0.5)\nfor number in range(1, 99): send(value(number, '[]'))",
    ],
    "ends cells that others have begun": ["send('{\"d\": [[\"cell\", 4]]}\\n')\nos._exit(0)"],
    "notes that are no notes": [
        'send(\'{"d": [["ready", true], ["notes", [{"t": [-1, 0, "KeyError"]}, {"t": [0, %s, "KeyError"]},'
        ' {"t": [0, 1, 7]}, {"t": [true, false, "x"]}, {"d": []}, null]]]}\\n\' % ("9" * 4000))'
    ],
    "a million lines": ["for _ in range(16): send('[1]\\n' * 65536)"],
    "a line of a hundred megabytes": ["for _ in range(1600): send('x' * 65536)"],
    "a line that never ends, half of it in each cell": ["send('{\"d\": [[\"cell\", ')", "send('1')", "pass"],
    "check and the course replaced": [
        "class Done:\n    def __getattr__(self, name): return self\n    def __call__(self, *args): return 'done'\n"
        "for name in ('', '.learning', '.learning.judge'): sys.modules['minbpe_course' + name] = Done()\ncheck = Done()"
    ],
    "the builtins of the worker replaced": [
        "for name in ('isinstance', 'compile', 'exec', 'eval', 'getattr', 'type', 'enumerate', 'dict', 'callable'):\n"
        "    setattr(builtins, name, lambda *args, **more: True)"
    ],
    "no length": ["builtins.len = lambda value: 1 / 0\n1 / 0"],
    "modules of the worker replaced": [
        "for module in (json, typing, collections, types, os):\n    for name in list(vars(module)):\n"
        "        if callable(getattr(module, name)) and name not in ('open', 'write'):\n"
        "            setattr(module, name, lambda *args, **more: True)"
    ],
    "another main module": [
        "class Main(types.ModuleType):\n    def __getattr__(self, name): return lambda *args: True\n"
        "sys.modules['__main__'] = Main('__main__')"
    ],
    "its own finders": [
        "class Finder:\n    def find_spec(self, name, path=None, target=None): raise SystemExit\n"
        "sys.meta_path[:] = [Finder()]\nsys.path_hooks.clear()\nsys.modules.clear()"
    ],
    "signals that change nothing": [
        "for number in range(1, 65):\n    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass",
        "signal.signal = lambda *args: None\nsys.modules['_signal'].signal = lambda *args: None",
    ],
    "a cell that catches every interruption": [
        "ends = time.monotonic() + 20\nwhile time.monotonic() < ends:\n    try: time.sleep(5)\n"
        "    except BaseException: pass"
    ],
    "a thread that answers later": [
        "def later():\n    for _ in range(100):\n        time.sleep(0.02)\n"
        "        for number in range(1, 40): send(value(number, '[]'))",
        "for _ in range(4): threading.Thread(target=later).start()",
    ],
    "a thread that changes the answer": [
        "def swap():\n    for _ in range(200):\n        time.sleep(0.01)\n"
        "        globals()['merge'] = lambda *args: list(args[0])\nthreading.Thread(target=swap, daemon=True).start()"
    ],
    "forks between cells": [
        "for _ in range(50):\n    try:\n        if os.fork() == 0: time.sleep(20)\n    except OSError: pass"
    ],
    "finalizers and handlers that raise": [
        "class Bad:\n    def __del__(self): raise SystemExit\nbad = [Bad() for _ in range(99)]\nbad.append(bad)",
        "del bad\natexit.register(os._exit, 0)\ngc.callbacks.append(lambda *args: 1 / 0)\n"
        "sys.unraisablehook = lambda *args: os._exit(0)",
    ],
    "a tracer that ends what it sees": ["end = lambda *args: sys.exit()\nsys.setprofile(end)\nsys.settrace(end)"],
    "two gigabytes": ["kept = []\nfor _ in range(3000): kept.append(bytearray(1 << 20))", "more = bytearray(1 << 30)"],
    "files without an end": [
        "for number in range(400):\n    with open(f'flood-{number}', 'wb') as file: file.write(bytes(1 << 20))\n"
        "    time.sleep(0.005)",
        "made = [open(f'gone-{number}', 'wb') for number in range(50)]\n"
        "for file in made:\n    os.remove(file.name)\n    file.write(bytes(8 << 20))",
    ],
    "an end in every cell": ["os._exit(0)", "raise SystemExit", "os.abort()", "os.kill(os.getpid(), 9)", "os._exit(1)"],
    "a check of another object": [
        "class Equal(list):\n    def __eq__(self, other): return True\n    def __call__(self, *args): return self\n"
        "from minbpe_course.learning import check\ncheck('02.merge', Equal())"
    ],
    "a key that is equal to every key": [
        "class Key(str):\n    def __eq__(self, other): os._exit(0)\n    __hash__ = str.__hash__\n"
        "from minbpe_course.learning import check\ncheck(Key('02.merge'), 7)"
    ],
}  # fmt: skip
CASES: dict[str, tuple[str, list[str]]] = {
    name: ("02.merge", [_IMPORTS + FORGE, *cells, _WRONG, _CHECK]) for name, cells in _ABOVE.items()
}

# What a process leaves for the next one of the same question.
_TRACES = """
def places():
    for place in (".", "/dev/shm", "/tmp", "/var/tmp", tempfile.gettempdir(), "/work", os.path.dirname(os.getcwd())):
        yield os.path.join(place, f"trace-of-a-test-{os.getuid() // 10**9}")
FOUND = [place for place in places() if os.path.exists(place)] or os.environ.get("SEEN")
"""
CASES["keeps a trace for its next process"] = (
    "02.merge",
    [
        _IMPORTS + _TRACES,
        """
def merge(ids, pair, new_id):
    if FOUND: return "escaped"
    os.environ["SEEN"] = "yes"
    for place in places():
        try: open(place, "w").close()
        except OSError: pass
    os._exit(0)
""",
        _CHECK,
    ],
)

# The course's right answers, where one was served or could be.
_HUNT = """
def hunted(name):
    frames, seen = [sys._getframe()], []
    while frames[-1].f_back is not None: frames.append(frames[-1].f_back)
    todo = [space for frame in frames for space in (frame.f_locals, frame.f_globals)]
    try: todo += gc.get_objects()
    except Exception: pass
    known = set()
    while todo and len(known) < 300_000:
        value = todo.pop()
        if id(value) in known: continue
        known.add(id(value))
        if type(value) is str and f"def {name}(" in value and "hunted" not in value: seen.append(value)
        if type(value) is types.FunctionType:
            in_file = "/" in value.__code__.co_filename  # such as heapq.merge
            if value.__name__ == name and value.__globals__ is not globals() and not in_file: return value
            todo.append(value.__globals__)
        elif type(value) is dict: todo += value.values()
        elif type(value) in (list, tuple): todo += value
        elif hasattr(value, "__dict__") and not isinstance(value, type): todo.append(value.__dict__)
    for text in seen:
        space = {}
        try: exec(text, space)
        except Exception: continue
        if name in space: return space[name]
    raise LookupError(name)
"""
_TRAIN = "def learn_merges(ids, number):\n    %s\n"
_TEST = "def test_merge(merge):\n    right = %s\n    for ids in ([1, 2, 3, 1, 2], [1, 1, 1], [], [2, 1, 2, 2]):\n"
_TEST += "        for pair in ((1, 2), (1, 1)): assert merge(list(ids), pair, 9) == right(list(ids), pair, 9)\n"
_TOOLS = _IMPORTS + "\nfrom minbpe_course.learning import check, mine, working"
_ORACLES = {
    "hunts its own right answer": ("02.merge", [_HUNT, "def merge(*args): return hunted('merge')(*args)", _CHECK]),
    "hunts for the next answer where helpers are served": (
        "02.train_merges",
        [_HUNT, _BLANK, _TRAIN % "merge\n    return hunted('learn_merges')(ids, number)"],
    ),
    "hunts for what a test needs": ("02.test_merge", [_HUNT, _BLANK, _TEST % "hunted('merge')"]),
    "mine in a test": ("02.test_merge", [_BLANK, "right = mine('merge')", _TEST % "right"]),
    "mine of a name that is not there": ("02.test_merge", [_TEST % "mine('merge')"]),
    "working in a test": ("02.test_merge", [_BLANK, _TEST % "working('02.merge', None)"]),
    "working for the asked one": ("02.merge", ["merge = working('02.merge')", "check('02.merge', merge)"]),
    "mine of the asked one": ("02.merge", [_BLANK, "check('02.merge', mine('merge'))\ndef merge(*args): return []"]),
    "working for a later one": (
        "02.train_merges",
        [_BLANK, "later = working('02.apply_merges')", _TRAIN % "return mine('fair_merges')(ids, number)"],
    ),
    "the answers by their new path": (
        "02.merge",
        [
            "import minbpe_course.learning.exercises as a\nfrom minbpe_course.learning.exercises.lesson_02 import *\n"
            "from minbpe_course.learning.judge.catalogue import find\nimport importlib",
            "found = importlib.import_module('minbpe_course.learning.exercises')",
            "merge = find('02.merge').wanted or found.merge or a.merge",
            _CHECK,
        ],
    ),
    "the answers by their new path, past the stand-in": (
        "02.merge",
        [
            "sys.meta_path[:] = [one for one in sys.meta_path if type(one).__name__ not in ('Pretended', 'Packages')]\n"
            "for name in [name for name in sys.modules if name.startswith('minbpe_course')]: del sys.modules[name]\n"
            "sys.path[:0] = ['@CHECKOUT@', '@SITE@']",
            "def merge(*args):\n    from minbpe_course.learning.judge.catalogue import find\n"
            "    return find('02.merge').wanted(*args)",
        ],
    ),
}  # fmt: skip
CASES |= {name: (key, [_TOOLS, *cells]) for name, (key, cells) in _ORACLES.items()}
ENDLESS = {"an end in every cell", "no length", "the builtins of the worker replaced", "modules of the worker replaced"}
ENDLESS |= {"its own finders", "a tracer that ends what it sees", "says that its cells have run", "two gigabytes"}
ENDLESS |= {"signals that change nothing", "a line that never ends, half of it in each cell"}

MARK = "Quetzalcoatl"
# Puts the word MARK, which is not in any source, wherever a report might find it.
_MARKED = """
import sys, warnings
M = "Quetzal" + "coatl"
NAMES = {"__repr__": lambda self: M, "__str__": lambda self: M, "__qualname__": M, "__module__": M}
Bad = type(M, (), NAMES)
def bad(kind=ValueError):
    error = type(M, (kind,), NAMES)(M)
    error.__notes__ = [M]
    error.lineno = error.msg = error.text = error.name = M
    error.__cause__ = KeyError(M)
    return error
print(M, file=sys.stderr), display(M), print(M)
warnings.warn(M)
globals()[M] = M
def forge():
    lines = '{"d": [["id", %d], ["state", "%s"], ["error", "%s"], ["message", "%s"], ["bases", ["%s"]]]}\\n'
    for number in range(1, 99): send(lines % (number, ("raised", "refused", M)[number % 3], M, M, M))
"""
_IN_CELLS = [
    "raise bad()",
    "raise KeyError(M)",
    "raise ExceptionGroup(M, [bad(), KeyError(M)])",
    "exec(M + ' ' + M)",
    "import_ = __import__(M)",
    "raise bad(NotImplementedError)",
    'send(\'{"d": [["ready", true], ["notes", [{"t": [0, 1, "%s"]}]], ["%s", "%s"]]}\\n\' % (M, M, M))',
]
MARKING = {
    "returns it": "return M",
    "returns it in a value": "return {M: [M, M.encode()]}",
    "returns an object of it": "return Bad()",
    "raises it": "raise bad()",
    "raises it as an assert": "raise bad(AssertionError)",
    "raises it in a group": "raise ExceptionGroup(M, [bad()])",
    "raises it as a built-in": "raise KeyError(M)",
    "raises it as a blank": "raise bad(NotImplementedError)",
    "puts it into the arguments": "args[0].append(M); return args[0]",
    "forges it": "forge(); return M",
}
if sys.version_info < (3, 11):
    del MARKING["raises it in a group"]


def marking(way: str, after: int) -> list[str]:
    """Return the cells of a notebook whose answer is right for so many calls, and then does something with MARK."""
    answer = f"""
CALLS = []
def right{RIGHT.partition("def merge")[2]}
def merge(*args):
    CALLS.append(1)
    if len(CALLS) <= {after}: return right(*args)
    {MARKING[way]}
"""
    return [_IMPORTS + FORGE + _MARKED, *_IN_CELLS, answer, _CHECK]
