"""What the notebooks of honest learners do, as far as the grader runs it in its own way: set-up, magics, checks.

    == a label            "not yet: " in front of it says that the answer is wrong, "warns NAME: " what the grader lacks
    --                    ends a cell
    merge: CONDITION      a right answer to 02.merge, which asserts the condition when it is called
    wrong:                one that is wrong
    split: CONDITION      a right answer to 03.split_words

The last exercise that a notebook checks is the one that is asked; without a check, one of 02.merge is added.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from tests.learning.grading.hostile.honest import RIGHT, first

_CHECKS = re.compile(r"check\((?:key=)?\"([\w.]+)\"")
_SPLIT = """
def split_words(text, pattern):
    assert {condition}
    words, at = [], 0
    for found in regex.finditer(pattern, text):
        if found[0]:
            words += [text[at : found.start()], found[0]]
            at = found.end()
    return [word for word in [*words, text[at:]] if word]
"""


def merge(condition: str = "True") -> str:
    """Return a right answer to 02.merge that asserts a condition."""
    return first(f"assert {condition}")


@dataclass(frozen=True)
class Honest:
    """A notebook. ``lacks`` is what check() has to name; ``state`` is what it has to say of ``key``."""

    cells: list[str]
    key: str
    state: str
    lacks: str


def _written(line: re.Match[str]) -> str:
    indent, kind, condition = line.groups()
    condition = condition.strip() or "True"
    sources = {"merge": merge(condition), "wrong": RIGHT.replace("i += 2", "i += 1")}
    source = sources.get(kind) or _SPLIT.replace("{condition}", condition)
    return textwrap.indent(source.strip("\n"), indent)


def _read() -> dict[str, Honest]:
    found = {}
    for part in re.split(r"^== ", _TEXT, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        text = re.sub(r"^####.*", "", text, flags=re.MULTILINE)
        text = re.sub(r"^( *)(merge|wrong|split):(.*)$", _written, text, flags=re.MULTILINE)
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
== NumPy settings and a result as an array
import numpy as np
np.random.seed(7); np.seterr(all="raise"); np.set_printoptions(precision=2)
RANDOM = np.random.rand()
--
merge: np.random.RandomState(7).rand() == RANDOM and np.geterr()["over"] == "raise"
--
inner = merge
def merge(ids, pair, new_id): return np.array(inner(ids, pair, new_id), dtype=np.int64)
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
== an environment variable
import os
os.environ["STEP"] = "2"
--
merge: os.getenv("STEP") == "2"
== an addition to the builtins
import builtins
builtins.STEP = 2
--
merge: STEP == 2
== exec
exec("STEP = 2")
--
merge: STEP == 2
== globals, updated and read
globals().update({"STEP": 2})
--
merge: globals()["STEP"] == vars(__import__("__main__"))["STEP"] == 2
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
== regex where the lesson has it
import regex
--
split:
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
== an alarm
import signal
def late(*_): raise TimeoutError
try:
    signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.05)
    while True: pass
except TimeoutError: STEP = 2
--
merge: STEP == 2


#### Notebooks that are green under "Restart and run all": what stands around the answer

== a sleep in the check's cell
import time
merge:
--
time.sleep(1.2)
check("02.merge", merge)
== names used again in the check's cell
STEP = 2
--
merge: STEP == 2
--
result = check("02.merge",
               merge)
for STEP in range(5): pass
del merge
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
== improved and checked again
wrong:
--
check("02.merge", merge)
--
merge:
--
check("02.merge", merge)
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
== megabytes of output
print("ids " * 500_000)
--
merge: print("x" * 100) is None
for x in range(20_000): print(x)
== a check above the answer, in one cell
from minbpe_course import check, hint, progress
merge:
check("02.merge", merge)
helper = 1
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
== output to stderr and to sys.stdout
import sys
sys.stderr.write("ids\n"); sys.stdout.flush()
--
merge: sys.stdout.write("") in (0, None)
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
== a check that is commented out below
merge:
--
check("02.merge", merge)
--
# check("02.merge", merge_too)
== annotations of the answer
from typing import *
--
inner: Callable
merge:
checked: Dict[str, Any] = {"merge": merge}
--
check("02.merge", checked["merge"])
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
== an answer through exec
exec("""
merge:
""")
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
== a widget
import ipywidgets as w
slider = w.IntSlider(value=2, min=0, max=4)
slider.observe(lambda change: None, names="value")
display(slider)
--
merge: slider is not None
== a result of %timeit
best = %timeit -o -n1 -r1 1 + 1
--
merge: True
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
== warns STEP: a name that no cell defines
%run helper.py
--
merge: STEP == 2
== warns input: a question to the learner
merge: input("Which pair? ")
== warns In: a cell of the history
STEP = 2
--
merge: "STEP" in "".join(In)
== warns user_ns: a name of the shell
STEP = 2
--
merge: get_ipython().user_ns["STEP"] == 2
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
split: merge([0, 0], (0, 0), 0) == [0]
--
check("03.split_words", split_words)
== a part that is blank here
from minbpe_course.learning import working
def merge(*ids): raise NotImplementedError
--
merge = working("02.merge", merge)
--
import regex
split: merge([0, 0], (0, 0), 0) == [0]
--
check("03.split_words", split_words)
'''

NOTEBOOKS = _read()
