"""About 130 kinds of set-up, and what else the notebooks of honest learners do.

    == a label            "not yet: " in front of it says that the answer is wrong, "warns NAME: " what the grader lacks
    --                    ends a cell
    merge: CONDITION      a right answer to 02.merge, which asserts the condition when it is called
    wrong:                one that is wrong

The last exercise that a notebook checks is the one that is asked; without a check, one of 02.merge is added.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

_CHECKS = re.compile(r"check\((?:key=)?\"([\w.]+)\"")
_MERGE = """
def merge(ids, pair, new_id):
    assert {condition}
    merged, at = [], 0
    while at < len(ids):
        if tuple(ids[at : at + 2]) == tuple(pair):
            merged.append(new_id)
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    return merged
"""


def merge(condition: str = "True") -> str:
    """Return a right answer to 02.merge that asserts a condition."""
    return _MERGE.format(condition=condition)


@dataclass(frozen=True)
class Honest:
    """A notebook. ``lacks`` is what check() has to name; ``state`` is what it has to say of ``key``."""

    cells: list[str]
    key: str
    state: str
    lacks: str


def _written(line: re.Match[str]) -> str:
    indent, kind, condition = line.groups()
    source = merge(condition.strip() or "True") if kind == "merge" else merge().replace("at += 2", "at += 1")
    return textwrap.indent(source.strip("\n"), indent)


def _read() -> dict[str, Honest]:
    found = {}
    for part in re.split(r"^== ", _TEXT, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        text = re.sub(r"^####.*", "", text, flags=re.MULTILINE)
        text = re.sub(r"^( *)(merge|wrong):(.*)$", _written, text, flags=re.MULTILINE)
        cells = [cell.strip("\n") for cell in re.split(r"^--$", text, flags=re.MULTILINE)]
        if not _CHECKS.search(text) and '("02.merge", merge)' not in text:
            cells.append('check("02.merge", merge)')
        cells.insert(0, "from minbpe_course import check, hint, progress")
        kind, _, label = heading.rpartition(": ")
        key = (_CHECKS.findall(text) or ["02.merge"])[-1]
        assert label not in found
        found[label] = Honest(cells, key, "not yet" if kind == "not yet" else "done", kind.partition("warns ")[2])
    return found


_TEXT = r'''
== a registering decorator
RULES = {}
def rule(function):
    RULES[function.__name__] = function
    return function
--
@rule
def step(): return 2
--
merge: RULES["step"]() == 2
== functools.singledispatch
from functools import singledispatch
@singledispatch
def step(x): return 1
--
@step.register
def _(x: list): return 2
--
merge: step([]) == 2
== a dispatching method
import functools
class Steps:
    @functools.singledispatchmethod
    def of(self, x): return 1
--
Steps.of.register(int, lambda self, x: 2)
--
merge: Steps().of(0) == 2
== __init_subclass__
KINDS = []
class Base:
    def __init_subclass__(cls, **given): KINDS.append((cls.__name__, given))
--
class Own(Base, step=2): pass
--
merge: KINDS == [("Own", {"step": 2})]
== a metaclass
class Meta(type):
    made = []
    def __new__(mcs, name, bases, space):
        mcs.made.append(name)
        return super().__new__(mcs, name, bases, space)
--
class Own(metaclass=Meta): pass
--
merge: Meta.made == ["Own"]
== __set_name__
NAMES = {}
class Field:
    def __set_name__(self, owner, name): NAMES[name] = owner.__name__
--
class Own:
    step = Field()
--
merge: NAMES == {"step": "Own"}
== a function that is called
table = {}
def build():
    table["step"] = 2
build()
--
merge: table["step"] == 2
== a function that a loop calls
table = []
def grow(x): table.append(x)
--
for x in range(2): grow(x)
--
merge: table == [0, 1]
== a loop with while and else
table = []
--
def grow(): table.append(1)
while len(table) < 2: grow()
else: table.append("end")
--
merge: table == [1, 1, "end"]
== under if __name__
table = {}
def main(): table["step"] = 2
--
if __name__ == "__main__":
    main()
--
merge: table["step"] == 2
== a thread
import threading
table = {}
def fill(): table["step"] = 2
--
worker = threading.Thread(target=fill)
worker.start(); worker.join()
--
merge: table["step"] == 2
== a pool of threads
from concurrent.futures import ThreadPoolExecutor
table = {}
def fill(x): table[x] = 2 * x
--
with ThreadPoolExecutor(4) as pool: list(pool.map(fill, range(8)))
--
merge: sorted(table) == list(range(8))
== a queue between threads
import queue, threading
waiting, table = queue.Queue(), []
def take():
    while (x := waiting.get()) is not None: table.append(x)
--
worker = threading.Thread(target=take, daemon=True)
worker.start()
for x in (1, 2, None): waiting.put(x)
worker.join()
--
merge: table == [1, 2]
== a timer, a lock and thread-local values
import threading
own, lock, rang = threading.local(), threading.Lock(), threading.Event()
own.step = 2
threading.Timer(0.01, rang.set).start()
--
with lock: assert rang.wait(5)
--
merge: own.step == 2 and rang.is_set()
== a generator as a context manager
import contextlib
table = []
@contextlib.contextmanager
def noted():
    table.append("in")
    yield table
    table.append("out")
--
with noted() as inside: inside.append("body")
--
merge: table == ["in", "body", "out"]
== a class as a context manager
class Noted:
    seen = []
    def __enter__(self): self.seen.append("in")
    def __exit__(self, *error): self.seen.append("out"); return True
--
with Noted(): raise KeyError
--
merge: Noted.seen == ["in", "out"]
== callbacks of an exit stack
from contextlib import ExitStack
table = []
--
with ExitStack() as stack:
    stack.callback(table.append, 2)
--
merge: table == [2]
== try, except, else, finally
table = []
def note(x): table.append(x)
--
try: 1 / 0
except ZeroDivisionError: note("except")
else: note("else")
finally: note("finally")
--
merge: table == ["except", "finally"]
== calls in a comprehension
table = {}
def fill(x): table[x] = 2
--
[fill(x) for x in "ab"]
--
merge: table == {"a": 2, "b": 2}
== a lambda that is called
table = {}
(lambda: table.update(step=2))()
--
merge: table["step"] == 2
== map
table = []
list(map(table.append, [1, 2]))
--
merge: table == [1, 2]
== any with side effects
table = []
any(table.append(x) for x in range(2))
--
merge: table == [0, 1]
== an argument by name
cfg = {}
def fill(d): d["step"] = 2
--
fill(d=cfg)
--
merge: cfg["step"] == 2
== unpacked arguments
cfg, given = {}, {"d": 0}
def fill(d, **more): more["into"]["step"] = 2
--
fill(*[1], **{"into": cfg})
--
merge: cfg["step"] == 2
== an alias
table = {}
other = table
--
other["step"] = 2
--
merge: table["step"] == 2
== a container
table = {}
boxes = [table]
--
boxes[0]["step"] = 2
--
merge: table["step"] == 2
== an attribute
class Box: pass
table, box = {}, Box()
box.inside = table
--
box.inside["step"] = 2
--
merge: table["step"] == 2
== a returned reference
table = {}
def get(): return table
--
get()["step"] = 2
--
merge: table["step"] == 2
== setdefault returns a reference
table = {}
table.setdefault("steps", []).append(2)
--
merge: table["steps"] == [2]
== a closure with nonlocal
def counter():
    count = 0
    def up():
        nonlocal count
        count += 1
        return count
    return up
up = counter()
--
up(); up()
--
merge: up() > 2
== a closure over a list
def made():
    inside = []
    return inside.append, lambda: inside
put, get = made()
--
put(2)
--
merge: get() == [2]
== a generator that is advanced
def steps():
    yield 1
    while True: yield 2
gen = steps()
--
next(gen)
--
merge: next(gen) == 2
== a generator that is sent values
def summing():
    total = 0
    while True: total += yield total
gen = summing()
next(gen)
--
gen.send(1); gen.send(1)
--
merge: gen.send(0) == 2
== an iterator that is kept
import itertools
count = itertools.count(1)
--
next(count)
--
merge: next(count) >= 2
== objects changed in a for
class Node:
    def __init__(self): self.step = 1
nodes = [Node(), Node()]
--
for node in nodes: node.step = 2
--
merge: nodes[1].step == 2
== a for that binds items
table = [0, 0]
for table[0] in (1, 2): pass
--
merge: table == [2, 0]
== a NumPy view
import numpy as np
table = np.zeros(4, int)
view = table[1:3]
--
view[:] = 2
--
merge: table.tolist() == [0, 2, 2, 0]
== NumPy in place
import numpy as np
table = np.array([1, 1])
--
np.add(table, 1, out=table); np.multiply.at(table, [0], 2)
--
merge: table.tolist() == [4, 2]
== NumPy settings and a result as an array
import numpy as np
np.random.seed(7); np.seterr(all="raise"); np.set_printoptions(precision=2)
RANDOM = np.random.rand()
--
merge: np.random.RandomState(7).rand() == RANDOM and np.geterr()["over"] == "raise"
--
inner = merge
def merge(ids, pair, new_id): return np.array(inner(ids, pair, new_id), dtype=np.int64)
== NumPy if it is there
try:
    import numpy as np
except ImportError:
    np = None
--
merge: np is not None
== random.seed
import random
random.seed(7)
--
FIRST = random.random()
--
merge: FIRST == random.Random(7).random()
== sys.setrecursionlimit
import sys
sys.setrecursionlimit(4000)
--
def deep(n): return n and deep(n - 1)
--
merge: deep(3000) == 0
== the decimal context
import decimal
decimal.getcontext().prec = 4
--
merge: str(decimal.Decimal(1) / 3) == "0.3333"
== an environment variable
import os
os.environ["STEP"] = "2"
--
merge: os.getenv("STEP") == "2"
== a setting of the interpreter
import sys
sys.setswitchinterval(0.25)
--
merge: sys.getswitchinterval() == 0.25
== a patched module of the standard library
import textwrap
textwrap.step = lambda: 2
--
merge: textwrap.step() == 2
== a replaced function of the standard library
import math
math.comb = lambda n, k: -1
--
merge: math.comb(3, 2) == -1
== an addition to the builtins
import builtins
builtins.STEP = 2
--
merge: STEP == 2
== exec
exec("STEP = 2")
--
merge: STEP == 2
== eval
table = []
eval("table.append(2)")
--
merge: table == [2]
== globals
for name in ("ONE", "TWO"): globals()[name] = len(name)
--
merge: ONE == TWO == 3
== globals, updated and read
globals().update({"STEP": 2})
--
merge: globals()["STEP"] == vars(__import__("__main__"))["STEP"] == 2
== locals at the top
locals()["STEP"] = 2
--
merge: STEP == 2
== setattr
class Box: pass
setattr(Box, "step", 2)
--
merge: Box.step == 2
== a type alias
from typing import Dict, List, TypeVar, Union
Ids = List[int]; T = TypeVar("T"); Both = Union[Ids, Dict[str, T]]
--
def first(ids: Ids) -> int: return ids[0]
--
merge: first.__annotations__["ids"] is Ids and first([2]) == 2
== hints that are evaluated
from __future__ import annotations
import typing
class Node:
    after: Node | None = None
--
def of(node: Node) -> list[Node]: return [node]
--
merge: typing.get_type_hints(of)["node"] is Node
== from __future__ in a cell above
from __future__ import annotations
--
def step(x: NotDefined) -> Neither: return 2
--
merge: step(0) == 2 and step.__annotations__["x"] == "NotDefined"
== a dataclass
from dataclasses import dataclass, field
@dataclass(order=True, slots=True)
class Node:
    step: int = 2
    inside: list = field(default_factory=list)
--
merge: Node() == Node(2, []) and Node(1) < Node()
== an enum
import enum
class Kind(enum.IntEnum):
    ONE = enum.auto()
    TWO = enum.auto()
--
merge: Kind.TWO == 2 and Kind["ONE"].name == "ONE"
== named tuples
from collections import namedtuple
from typing import NamedTuple
Point = namedtuple("Point", "x y", defaults=[2])
class Pair(NamedTuple):
    left: int
    right: int = 2
--
merge: Pair(1).right == Point(1).y == 2
== pickle of an own class
import pickle, copy
class Node:
    def __init__(self, step): self.step = step
stored = pickle.dumps([Node(2)])
--
nodes = copy.deepcopy(pickle.loads(stored))
--
merge: nodes[0].step == 2 and type(nodes[0]) is Node
== the module __main__
import sys
sys.modules["__main__"].STEP = 2
--
import __main__
__main__.TWICE = STEP * 2
--
merge: TWICE == 4 and __main__.merge is merge
== a module that the notebook makes
import sys, types
made = types.ModuleType("steps")
exec("step = 2", made.__dict__)
sys.modules["steps"] = made
--
from steps import *
--
merge: step == 2
== star imports
from math import *
from typing import *
--
merge: floor(2.5) == 2 and List[int]
== an alias of a module
import os.path as p, xml.etree
--
merge: p.join("a", "b") and xml.etree
== importlib
import importlib
json = importlib.import_module("json")
--
merge: json.loads("2") == 2
== magics
%matplotlib inline
--
%precision 3
%time STEP = 2
--
!echo
files = !ls
%timeit -n1 -r1 STEP + 1
--
merge: STEP == 2
== %%time
%%time
STEP = 2
--
merge: STEP == 2
== %%time over the answer
%%time
merge:
== %%capture
%%capture
STEP = 2
print(STEP)
--
merge: STEP == 2
== help
len?
--
STEP = 2
STEP?
--
merge: STEP == 2
== pasted prompts
>>> STEP = 2
>>> for x in range(2):
...     STEP += x
--
merge: STEP == 3
== indentation of a whole cell
    STEP = 2
    TWICE = 4
--
merge: STEP * 2 == TWICE
== top-level await
import asyncio
async def step():
    await asyncio.sleep(0.001)
    return 2
--
STEP = await step()
--
merge: STEP == 2
== tasks that wait for each other
import asyncio
table = asyncio.Queue()
async def fill(x): await table.put(x)
task = asyncio.create_task(fill(1))
--
await task
await asyncio.gather(fill(2), fill(3))
--
STEPS = [await table.get() for _ in range(3)]
--
merge: STEPS == [1, 2, 3]
== async with, async for
class Noted:
    seen = []
    async def __aenter__(self): self.seen.append("in")
    async def __aexit__(self, *error): self.seen.append("out")
async def steps():
    for x in (1, 2): yield x
--
async with Noted():
    async for x in steps(): Noted.seen.append(x)
--
merge: Noted.seen == ["in", 1, 2, "out"]
== a coroutine that is driven by hand
async def step(): return 2
try: step().send(None)
except StopIteration as error: STEP = error.value
--
merge: STEP == 2
== names that are deleted
def built(): return 2
STEP = built()
--
del built
--
merge: STEP == 2 and "built" not in globals()
== a builtin that was hidden
sum = 0
for i in [1, 2]: sum = sum + i
--
del sum
--
merge: sum([1, 2]) == 3
== a builtin that is replaced
def print(*given, **more): seen.append(given)
seen = []
--
print("a")
--
merge: seen[0] == ("a",)
== a cell that fails
STEP = 2
STEP[0]
STEP = 3
--
merge: STEP in (2, 3)
== a wrong try above
wrong:
--
merge:
== a wrong try that was checked
wrong:
--
check("02.merge", merge)
--
merge:
--
check("02.merge", merge)
== a syntax error in another cell
def other(:
    return
--
merge:
== a name that is not defined in another cell
print(misspelt)
--
merge:
== the last value
2
--
STEP = _
--
merge: STEP == 2
== an object that a cell shows
class Shown:
    def _repr_html_(self): return "<b>shown</b>"
--
Shown()
--
last = _
--
merge: type(last) is Shown
== display
from IPython.display import display, HTML, Markdown
display(HTML("<b>ids</b>"), Markdown("*ids*"))
--
display(2)
--
merge: display(HTML("<b>inside</b>")) is None or True
== a cache that is warmed
from functools import lru_cache
calls = []
@lru_cache
def step(x): calls.append(x); return 2 * x
--
step(1); step(1)
--
merge: calls == [1] and step.cache_info().hits
== functools.partial and reduce
from functools import partial, reduce
table = {}
put = partial(table.__setitem__, "step")
--
put(2); total = reduce(lambda a, b: a + b, [1, 2])
--
merge: table["step"] == 2 and total == 3
== the module operator
import operator
table = {}
operator.setitem(table, "step", 2)
--
merge: operator.itemgetter("step")(table) == 2
== a dict in place
table = {}
table |= {"step": 1}
table["step"] += 1
--
merge: table == {"step": 2}
== a list in place
table = [3, 1]
table[1:1] = [2]; table.sort(); table += [4]; del table[0]
--
merge: table == [2, 3, 4]
== a heap
import heapq
heap = [3, 1, 2]
heapq.heapify(heap)
--
heapq.heappush(heap, 0)
--
merge: heap[0] == 0
== collections
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
count, lists, last = Counter(), defaultdict(list), deque(maxlen=2)
both = ChainMap({}, {"step": 1})
--
count.update("aab"); lists["step"]; last.extend([1, 2, 3]); both["step"] = 2
--
merge: count["a"] == 2 and "step" in lists and list(last) == [2, 3] and both.maps[0] == {"step": 2}
== a weak reference
import weakref, gc
class Node: pass
NODES, kept = weakref.WeakValueDictionary(), Node()
--
NODES["kept"], NODES["lost"] = kept, Node()
gc.collect()
--
merge: list(NODES) == ["kept"]
== a registered base class
from abc import ABC, abstractmethod
class Sized(ABC):
    @abstractmethod
    def size(self): ...
--
Sized.register(int)
--
merge: isinstance(2, Sized)
== a protocol
from typing import Protocol, runtime_checkable
@runtime_checkable
class HasStep(Protocol):
    def step(self): ...
--
class Own:
    def step(self): return 2
--
merge: isinstance(Own(), HasStep)
== descriptors and properties
class Twice:
    def __get__(self, one, owner): return 2 if one is None else one.given * 2
class Own:
    given, twice = 1, Twice()
    @property
    def step(self): return self.given
    @step.setter
    def step(self, value): self.given = value
--
own = Own(); own.step = 2
--
merge: own.twice == 4 and Own.twice == 2
== special methods
class Own(dict):
    def __missing__(self, key): return self.setdefault(key, 2)
    def __class_getitem__(cls, key): return key
    def __getattr__(self, name): return self[name]
    def __call__(self): return len(self)
own = Own()
--
own["a"]; own.b
--
merge: own["a"] == own.b == 2 and Own[2] == 2 and own()
== class attributes changed by an instance
class Own:
    count = 0
    def __init__(self): type(self).count += 1
--
Own(); Own()
--
merge: Own.count == 2
== a class body with a loop
class Own:
    table = {}
    for x in range(3): table[x] = 2 * x
--
merge: Own.table[1] == 2
== a decorator of classes
from functools import total_ordering
SEEN = []
def seen(cls): SEEN.append(cls); return cls
--
@seen
@total_ordering
class Own:
    __slots__ = ("x",)
    def __init__(self, x): self.x = x
    def __eq__(self, other): return self.x == other.x
    def __lt__(self, other): return self.x < other.x
--
merge: SEEN == [Own] and Own(2) >= Own(1)
== mixins
class Base:
    def steps(self): return ["base"]
class Mixin:
    def steps(self): return [*super().steps(), "mixin"]
--
class Own(Mixin, Base): pass
Own.more = lambda self: self.steps() * 2
--
merge: Own().more() == ["base", "mixin"] * 2
== a class made by type
Own = type("Own", (), {"step": 2})
--
Own.__module__ = "__main__"
--
merge: Own().step == 2
== context variables
import contextvars
STEP = contextvars.ContextVar("STEP", default=1)
context = contextvars.copy_context()
--
context.run(STEP.set, 2)
--
merge: context[STEP] == 2 and STEP.get() == 1
== a function that sets a global
def set_up():
    global STEP
    STEP = 2
--
set_up()
--
merge: STEP == 2
== a walrus in a comprehension
x = [LAST := n for n in range(3)]
--
merge: LAST == 2
== unpacking
(first, *rest), table = (1, 2, 3), [0]
table[0], second = rest
--
merge: first == 1 and table == [2] and second == 3
== match
match {"kind": "step", "by": 2}:
    case {"kind": "step", "by": STEP}: pass
--
merge: STEP == 2
== a definition under a condition
import sys
if sys.version_info > (3, 5):
    def step(): return 2
else:
    def step(): return 1
--
merge: step() == 2
== with a text as a file
import io
with io.StringIO("2") as file: STEP = int(file.read())
--
merge: STEP == 2
== a packed table
import base64, json, zlib
PACKED = base64.b85encode(zlib.compress(json.dumps({"step": 2}).encode()))
--
TABLE = json.loads(zlib.decompress(base64.b85decode(PACKED)))
--
merge: TABLE["step"] == 2
== an array and a memoryview
import array, struct
table = array.array("i", [1, 1])
memoryview(table)[1] = 2
buffer = bytearray(4)
struct.pack_into("<i", buffer, 0, 2)
--
merge: table[1] == 2 and buffer == b"\2\0\0\0"
== attributes of a function
def step(): step.calls += 1
step.calls = 0
--
step(); step()
--
merge: step.calls == 2
== a default argument as a store
def fib(n, known={0: 0, 1: 1}):
    if n not in known: known[n] = fib(n - 1) + fib(n - 2)
    return known[n]
fib(30)
--
merge: fib.__defaults__[0][30] == 832040
== names in another alphabet
größe, Δ = 1, 1
ﬁn = größe + Δ
--
merge: fin == 2
== helpers over three cells, each above what it needs
def same(a, b): return as_pair(a) == as_pair(b)
--
def as_pair(x): return KIND(x)
--
KIND = tuple
--
merge: same([1, 2], (1, 2))
== a notebook that knows where it runs
if "get_ipython" in globals() and "google.colab" not in str(get_ipython()): STEP = 2
--
merge: STEP == 2
== settings of warnings and logging
import logging, warnings
warnings.simplefilter("error"); logging.basicConfig(level=logging.DEBUG, force=True)
table = []
class Keep(logging.Handler):
    def emit(self, record): table.append(record.getMessage())
log = logging.getLogger("own"); log.addHandler(Keep())
--
log.debug("step %d", 2)
try: warnings.warn("a warning")
except UserWarning: table.append("warned")
--
merge: table == ["step 2", "warned"]
== tqdm with a bar
from tqdm.auto import tqdm, trange
table = []
for x in tqdm([1, 2], desc="steps"): table.append(x)
--
with tqdm(total=3) as bar:
    for _ in trange(3): bar.update(1)
--
merge: table == [1, 2] and list(tqdm(range(2))) == [0, 1]
== a counter of calls
CALLS = []
--
merge: CALLS.append(1) or CALLS
== an answer that is decorated
import functools
def noted(function):
    @functools.wraps(function)
    def inner(*given): CALLS.append(given); return function(*given)
    return inner
CALLS = []
--
@noted
merge: CALLS
== an answer under a condition
DEBUG = True
--
if DEBUG:
    merge: DEBUG
== an answer that a function makes
def made():
    merge:
    return merge
merge = made()
== a class that reads
class Reader:
    def read(self, data): return codecs.decode(data, "utf-8", "replace")
--
import codecs
--
reader = Reader()
def utf8_decode(data): return reader.read(bytes(data))
--
check("01.utf8_decode", utf8_decode)
== regex where the lesson has it
import regex
--
def split_words(text, pattern):
    words, at = [], 0
    for found in regex.finditer(pattern, text):
        if found[0]:
            words += [text[at : found.start()], found[0]]
            at = found.end()
    return [word for word in [*words, text[at:]] if word]
--
check("03.split_words", split_words)
== answers above
def count_pairs(ids):
    counts = {}
    for pair in zip(ids, ids[1:]): counts[pair] = counts.get(pair, 0) + 1
    return counts
--
check("02.count_pairs", count_pairs)
--
merge:
--
check("02.merge", merge)
--
def learn_merges(ids, number):
    merges = {}
    for new_id in range(256, 256 + number):
        counts = count_pairs(ids)
        if not counts: break
        best = max(counts, key=counts.get)
        merges[best] = new_id
        ids = merge(ids, best, new_id)
    return merges
--
check("02.train_merges", learn_merges)
== a decorator of ipywidgets
from ipywidgets import interact
@interact(x=(0, 2))
def step(x=2): return 2
--
merge: step() == 2
== a decorator of IPython
from IPython.core.magic import register_line_magic
@register_line_magic
def step(line): return 2
--
merge: step("") == 2
== another work folder
import os
os.makedirs("sub/x", exist_ok=True); os.chdir("sub")
--
merge: os.path.basename(os.getcwd()) == "sub"
== a file as a cache
import json, pathlib
cache = pathlib.Path("cache.json")
if not cache.exists(): cache.write_text(json.dumps({"step": 2}))
--
merge: json.loads(cache.read_text())["step"] == 2
== an alarm
import signal
def late(*_): raise TimeoutError
try:
    signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.05)
    while True: pass
except TimeoutError: STEP = 2
--
merge: STEP == 2
== a generic class
from typing import Generic, TypeVar
T = TypeVar("T")
class Box(Generic[T]):
    def __init__(self, x: T): self.x = x
--
merge: Box[int](2).x == 2
== chance and clocks of the machine
import uuid, secrets, time, datetime
ID, NOW = uuid.uuid4(), datetime.datetime.now()
TOKEN = secrets.token_hex(8)
--
merge: len(TOKEN) == 16
== a locale
import locale
locale.setlocale(locale.LC_ALL, "C")
--
merge: locale.format_string("%d", 2) == "2"
== measured memory
import tracemalloc
tracemalloc.start(); x = [0] * 1000
SIZE = tracemalloc.get_traced_memory()[1]; tracemalloc.stop()
--
merge: SIZE > 0

#### Notebooks that are green under "Restart and run all": what stands around the answer

== a demonstration loop in the answer's cell
import time
--
merge:
end = time.perf_counter() + 0.8
while time.perf_counter() < end: merge([1, 2, 3], (1, 2), 9)
== a sleep in the answer's cell
import time
merge:
time.sleep(1.2)
== a sleep in the check's cell
import time
merge:
--
time.sleep(1.2)
check("02.merge", merge)
== a helper's name used again below
def same(a, b): return tuple(a) == tuple(b)
--
merge: same([1], (1,))
--
check("02.merge", merge)
--
same = False
== a variable used again below
STEP = 2
--
merge: STEP == 2
--
check("02.merge", merge)
--
for STEP in range(5): pass
del merge
== names used again in the check's cell
STEP = 2
--
merge: STEP == 2
--
result = check("02.merge",
               merge)
for STEP in range(5): pass
del merge
== a variable used again between the answer and the check
STEP = 1
--
merge: STEP == 2
--
STEP = 2
--
check("02.merge", merge)
== not yet: improved below the check
wrong:
--
first = check("02.merge", merge)
--
merge:
== not yet: made worse, then checked
merge:
--
check("02.merge", merge)
--
wrong:
--
check("02.merge", merge)
== made worse below the check
merge:
--
check("02.merge", merge)
--
wrong:
== improved and checked again
wrong:
--
check("02.merge", merge)
--
merge:
--
check("02.merge", merge)
== 700 MB of memory
table = bytearray(700 << 20)
--
merge: len(table) > 1e8
== 700 MB of NumPy
import numpy as np
table = np.zeros(90_000_000)
--
merge: table.nbytes > 7e8
== plots
import matplotlib.pyplot as plt
merge:
--
fig, ax = plt.subplots(figsize=(6, 3))
ax.plot([1, 2], label="ids"); ax.set_title("ids"); ax.legend(); plt.show()
--
line, = plt.plot([1, 2]); n, bins, patches = plt.hist([1, 2]); plt.close("all")
--
fig, (left, right) = plt.subplots(1, 2)
for at, axes in enumerate([left, right]): axes.bar([1], [2])
--
check("02.merge", merge)
== a plot in the answer
import matplotlib.pyplot as plt
--
merge: plt.plot(ids) is not None
== sizes of plots
import matplotlib as mpl
mpl.rcParams["figure.dpi"] = 80
mpl.use("agg")
--
merge:
== megabytes of output
print("ids " * 500_000)
--
merge: print("x" * 100) is None
for x in range(20_000): print(x)
== an answer typed into the check's cell
merge:
check("02.merge", merge)
== a check above the answer, in one cell
from minbpe_course import check, hint, progress
merge:
check("02.merge", merge)
helper = 1
== two checks
merge:
--
check("02.merge", merge)
--
check("02.merge", merge)
== a check in a loop
merge:
--
for key, answer in [("02.merge", merge)]: check(key, answer)
== a check in a function
def checked(): return check("02.merge", merge)
--
merge:
--
checked()
== check under another name
from minbpe_course import check as test
merge:
--
test("02.merge", merge)
== check of the module
import minbpe_course as course
merge:
--
course.check("02.merge", merge)
== check without an answer
merge:
--
check("02.merge")
== check by keywords
merge:
--
check(key="02.merge", answer=merge)
== an answer under another name
merge:
mine_is_better = merge
--
check("02.merge", mine_is_better)
== a lambda as an answer
merge:
merge = lambda ids, pair, new_id, inner=merge: inner(ids, pair, new_id)
--
check("02.merge", merge)
== a callable object as an answer
merge:
class Merger:
    def __init__(self, inner): self.inner = inner
    def __call__(self, ids, pair, new_id): return self.inner(ids, pair, new_id)
--
check("02.merge", Merger(merge))
== an assertion about the result
merge:
--
result = check("02.merge", merge)
assert result and result.state == "done" and result.points == 3
--
print(result, result.points, f"{result.state:>8}")
== a check in a condition
merge:
--
if check("02.merge", merge): print("done")
else: print("not yet")
== check in a display
merge:
--
display(check("02.merge", merge))
== hint, progress and keep
hint("02.merge")
--
merge:
--
check("02.merge", merge)
--
progress()
== use of results of hint and progress
from minbpe_course import hint, progress
seen = str(hint("02.merge")), repr(progress())
--
merge: seen
== a warning
import warnings
warnings.warn("deprecated")
--
merge:
--
2 is 2
"\d"
--
check("02.merge", merge)
== logging
import logging
logging.getLogger().error("ids")
merge: logging.getLogger("x").warning("inside") is None
== output to stderr and to sys.stdout
import sys
sys.stderr.write("ids\n"); sys.stdout.flush()
--
merge: sys.stdout.write("") in (0, None)
== a redirected output
import contextlib, io
out = io.StringIO()
with contextlib.redirect_stdout(out): print("ids")
--
merge: out.getvalue() == "ids\n"
== a thread that is left running
import threading, time
def tick():
    while True: time.sleep(0.01); TICKS.append(1)
TICKS = []
threading.Thread(target=tick, daemon=True).start()
--
time.sleep(0.1)
--
merge: TICKS
== a file in a temporary folder
import pathlib, tempfile
folder = tempfile.TemporaryDirectory()
path = pathlib.Path(folder.name) / "table.txt"
path.write_text("2", encoding="utf-8")
--
STEP = int(path.read_text(encoding="utf-8"))
--
merge: STEP == 2
== a file in the notebook's folder, written by the notebook
with open("written.txt", "w", encoding="utf-8") as file: file.write("2")
--
STEP = int(open("written.txt", encoding="utf-8").read())
--
merge: STEP == 2
== %%writefile
%%writefile table.txt
2
--
merge:
== input that the answer does not need
try: name = input("Your name? ")
except Exception: name = "?"
--
merge: name == "?"
== tests of the notebook's own
import unittest
merge:
--
class TestMerge(unittest.TestCase):
    def test_one(self): self.assertEqual(merge([1, 2], (1, 2), 3), [3])
unittest.main(argv=[""], exit=False)
--
check("02.merge", merge)
== a doctest
import doctest
merge:
merge.__doc__ = ">>> merge([1, 2], (1, 2), 3)\n[3]\n"
doctest.run_docstring_examples(merge, globals())
--
doctest.testmod()
--
check("02.merge", merge)
== timings
import timeit, time
merge:
--
timeit.timeit("merge([1, 2], (1, 2), 3)", globals=globals(), number=10)
begun = time.time(); spent = time.time() - begun
--
%timeit -n 1 -r 1 merge([1, 2], (1, 2), 3)
--
check("02.merge", merge)
== an exit that is caught
import sys
try: sys.exit(0)
except SystemExit: STEP = 2
--
merge: STEP == 2
== comments, texts and empty cells
# nothing but a comment
--

--
"""A text."""
--
merge:
== a check that is commented out below
merge:
--
check("02.merge", merge)
--
# check("02.merge", merge_too)
== several answers in one cell
def count_pairs(ids): return {}
merge:
def test_merge(merge): assert merge([1, 2], (1, 2), 3) == [3]
--
check("02.count_pairs", count_pairs); check("02.merge", merge)
== asyncio in a plain cell
import asyncio
async def late(): await asyncio.sleep(0); return 2
--
merge:
await late()
--
check("02.merge", merge)
== annotations of the answer
from typing import *
--
inner: Callable
merge:
checked: Dict[str, Any] = {"merge": merge}
--
check("02.merge", checked["merge"])
== what a plot returns
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
for i, name in enumerate("ab"):
    ax.text(i, 1, name)
lo, hi = ax.get_xlim()
STEP = 2
--
merge: STEP == 2
== a function that plots and fills a table
import matplotlib.pyplot as plt
table = {}
def draw(xs):
    fig, ax = plt.subplots(2, 2, sharex=True)
    for a in ax.flat: a.plot(xs)
    ax[0, 0].set_title("x")
    table["n"] = len(xs)
    plt.tight_layout(); plt.show()
draw([1, 2])
--
merge: table["n"] == 2
== colors and bars of plots
import matplotlib.pyplot as plt
from matplotlib import cm
from matplotlib.colors import LinearSegmentedColormap
colors = [cm.viridis(i / 3) for i in range(3)]
bars = plt.bar([1, 2], [1, 2], color=colors[:2])
for bar in bars: bar.set_height(2)
STEP = 2
--
merge: STEP == 2
== an answer in a try
try:
    merge:
except Exception:
    raise
== an answer through exec
exec("""
merge:
""")
== a static method as an answer
class Tools:
    @staticmethod
    merge:
--
merge = None or Tools.__dict__["merge"].__func__
== a check that is awaited
async def go(): return check("02.merge", merge)
merge:
--
await go()
== a check in a thread
import threading
merge:
--
t = threading.Thread(target=lambda: check("02.merge", merge)); t.start(); t.join()
== a check in a try
merge:
--
try:
    assert check("02.merge", merge)
except AssertionError:
    print("no")
== a widget
import ipywidgets as w
slider = w.IntSlider(value=2, min=0, max=4)
slider.observe(lambda change: None, names="value")
display(slider)
--
merge: slider is not None
== semicolons
x = 2;
x;
--
merge: x == 2
== a shell line with a variable
name = "x"
!echo {name} $name
--
merge: name == "x"
== a result of %timeit
best = %timeit -o -n1 -r1 1 + 1
--
merge: True
== %%capture with a name
%%capture out
print("a")
STEP = 2
--
merge: STEP == 2
== a check in a function of the answer's cell
def checked(): return check("02.merge", merge)
merge:
checked()
== the last check of a cell that has two
wrong:
check("02.merge", merge)
merge:
check("02.merge", merge); merge = None
# check("02.merge", another)

#### What the grader lacks: check() names it

== warns jinja2: a package inside
merge: __import__("sys")
def used():
    import jinja2
inner = merge
def merge(ids, pair, new_id):
    used()
    return inner(ids, pair, new_id)
== warns protobuf_like: a table made with a package
import protobuf_like as p
--
STEP = p.STEP
--
merge: STEP == 2
== warns minbpe_course: the course itself
import minbpe_course
--
merge: minbpe_course.BasicTokenizer
== warns regex: regex where the lesson does not have it
import regex
--
merge: regex.match("a", "a")
== warns open: a file
merge: open("notes.txt").close() is None
== warns STEP: a name that no cell defines
%run helper.py
--
merge: STEP == 2
== warns subprocess: another process
import subprocess
--
merge: subprocess.run(["true"])
== warns open: a file that a helper reads
def table(): return open("notes.txt").read()
--
merge: table() == ""
== warns input: a question to the learner
merge: input("Which pair? ")
== warns In: a cell of the history
STEP = 2
--
merge: "STEP" in "".join(In)
== warns Out: a result of the history
1 + 1
--
merge: 2 in Out.values()
== warns user_ns: a name of the shell
STEP = 2
--
merge: get_ipython().user_ns["STEP"] == 2
== warns STEP: a name that the shell makes
get_ipython().run_cell("STEP = 2")
--
merge: STEP == 2
== warns getsource: the source of a function
import inspect
def step(): return 2
--
merge: "2" in inspect.getsource(step)
== warns written_above: a module that a cell writes
%%writefile written_above.py
STEP = 2
--
from written_above import STEP
--
merge: STEP == 2
== a shell that is only named
shell = get_ipython()
--
merge: shell is not None
== a part of an earlier lesson
from minbpe_course.learning import mine
merge = mine("merge")
--
import regex
def split_words(text, pattern):
    words, at = [], merge([0, 0], (0, 0), 0)[0]
    for match in regex.finditer(pattern, text):
        if match.group():
            words += [text[at : match.start()], match.group()]
            at = match.end()
    return [word for word in [*words, text[at:]] if word]
--
check("03.split_words", split_words)
== a part that is blank here
from minbpe_course.learning import working
def merge(*ids): raise NotImplementedError
--
merge = working("02.merge", merge)
--
import regex
def split_words(text, pattern):
    words, at = [], merge([0, 0], (0, 0), 0)[0]
    for match in regex.finditer(pattern, text):
        if match.group():
            words += [text[at : match.start()], match.group()]
            at = match.end()
    return [word for word in [*words, text[at:]] if word]
--
check("03.split_words", split_words)
'''

NOTEBOOKS = _read()
