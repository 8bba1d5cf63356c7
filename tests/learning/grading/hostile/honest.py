"""Right answers that look odd. Not one of them may lose a point."""

from __future__ import annotations

RIGHT = """
def merge(ids, pair, new_id):
    out, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == tuple(pair):
            out.append(new_id)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out
"""


def _first(line: str, above: str = "") -> str:
    """Return the right answer with a line before all others, and lines above the function."""
    return above + RIGHT.replace("    out, i", f"    {line}\n    out, i")


_HIDDEN = RIGHT.replace("def merge", "def _merge")

MERGE: dict[str, str] = {
    "as it should be": RIGHT,
    "prints": _first("print('merging', ids, flush=True)"),
    "prints a great deal": _first("print('x' * 200_000)"),
    "warns": _first("warnings.warn('slow')", "import warnings\n"),
    "asks for input that nobody gives": RIGHT
    + "\ntry: input('continue? ')\nexcept EOFError: pass\nimport sys\nsys.stdin.read()\n",
    "a generator": _HIDDEN + "def merge(*args): yield from _merge(*args)\n",
    "a subclass of list": RIGHT.replace("    return out", "    return type('Ids', (list,), {})(out)"),
    "a deque": "import collections\n" + RIGHT.replace("    return out", "    return collections.deque(out)"),
    "an array": "import array\n" + RIGHT.replace("    return out", "    return array.array('q', out)"),
    "helpers of its own": """
def is_here(ids, i, pair): return i + 1 < len(ids) and ids[i] == pair[0] and ids[i + 1] == pair[1]
def merge(ids, pair, new_id):
    if len(ids) < 2: return list(ids)
    if is_here(ids, 0, pair): return [new_id] + merge(ids[2:], pair, new_id)
    return [ids[0]] + merge(ids[1:], pair, new_id)
""",
    "a class behind it": _HIDDEN
    + """
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, Protocol
class Pair(NamedTuple):
    left: int
    right: int
@dataclass(order=True)
class Merger:
    pair: "Pair"
    new_id: int
    seen: list[int] = field(default_factory=list)
    def __call__(self, ids: "Optional[list[int]]") -> list[int]:
        return _merge(ids, self.pair, self.new_id)
def merge(ids, pair, new_id): return Merger(Pair(*pair), new_id)(ids)
""",
    "a decorator that keeps results": "import functools\n"
    + RIGHT.replace("def merge", "@functools.lru_cache(maxsize=None)\ndef _merge")
    + "def merge(ids, pair, new_id): return _merge(tuple(ids), tuple(pair), new_id)\n",
    "threads that end": "import threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
    + _HIDDEN
    + """
def merge(*args):
    with ThreadPoolExecutor(8) as pool: return pool.submit(_merge, *args).result()
""",
    "a thread that goes on": _first(
        "threading.Thread(target=time.sleep, args=(20,)).start()", "import threading, time\n"
    ),
    "a loop of events": "import asyncio\n"
    + RIGHT.replace("def merge", "async def _merge")
    + "def merge(*args): return asyncio.run(_merge(*args))\n",
    "a check in the cell": "from minbpe_course import check, hint\n"
    + RIGHT
    + "print(check('02.merge', merge))\nhint('02.merge')\nassert check\n",
    "the course with all its rooms": "import minbpe_course as mc\nfrom minbpe_course.learning import charts as t\n"
    "from minbpe_course import *\n"
    + RIGHT
    + "mc.showing.show(t.draw(1), x=mc.check)\nfor _ in mc.progress(): pass\nwith mc.something: pass\n",
    "trials below it that fail": RIGHT + "\nassert merge([1], (1, 2), 3) == 'something else'\nprint(undefined)\n",
    "an end below it": RIGHT + "\nimport sys\nsys.exit(0)\n",
    "lines for IPython": "%matplotlib inline\n!ls\nfiles = !ls\n%timeit 1\nmerge?\n"
    + RIGHT
    + "\n    \n%time merge([1], (1, 2), 3)\n",
    "a cell magic": "%%time\n" + RIGHT,
    "a wait at the top": RIGHT + "\nimport asyncio\nawait asyncio.sleep(0)\nasync for x in y: pass\n",
    "names beyond ASCII": RIGHT.replace("out", "résultat"),
    "names of builtins": "sum = 3\nlist_ = list\nlist = [1]\nlen_ = 5\n" + RIGHT + "print(sum, list)\n",
    "a file of its own": _first("open('notes.txt', 'w').write('x')\n    open('notes.txt').read()"),
    "a deep recursion": _HIDDEN
    + "def down(n): return n and 1 + down(n - 1)\ndef merge(*args): return down(900) and _merge(*args)\n",
    "closing its output": _first("import sys; sys.stdout.close(); sys.stderr = None"),
    "changing its folder": _first("os.chdir(os.getcwd())", "import os\n"),
}

# name -> (answer, other cells): definitions in other cells are found when the answer needs them, and only then
WITH_OTHER_CELLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a chain of definitions": (
        "@decorate\n" + RIGHT,
        (
            "WIDTH: int = 3",
            "def decorate(f, width=WIDTH): return wraps(f)(lambda *a: f(*a) if width == len(table) else None)",
            "from functools import *\nfrom functools import wraps\nraise SystemExit",
            "table = {}\nfor i in range(WIDTH):\n    table[i] = i",
        ),
    ),
    "cells that cannot be read": (RIGHT, ("def broken(:", "%%bash\nrm -rf something", "\0", "x = (" * 5000)),
    "cells that take for ever": (
        RIGHT.replace("out", "result"),
        ("import time\ntime.sleep(60)\nresult = time.sleep(60)", "out = i = ids = open('/').read()"),
    ),
    "a definition twice": (
        "def merge(*args): return helper(*args)",
        ("def helper(*args): return []", RIGHT.replace("def merge", "def helper")),
    ),
}

# name -> (packages, answer)
WITH_PACKAGES: dict[str, tuple[tuple[str, ...], str]] = {
    "integers of numpy": (
        ("numpy",),
        "import numpy as np\n" + RIGHT.replace("    return out", "    return [np.int64(n) for n in out]"),
    ),
    "an array of numpy": (
        ("numpy",),
        "import numpy as np\n" + RIGHT.replace("    return out", "    return np.array(out, dtype=np.uint32)"),
    ),
    "regex": (
        ("regex",),
        "import regex\n" + RIGHT.replace("    out, i", r"    assert regex.fullmatch(r'\p{L}+', 'é')" + "\n    out, i"),
    ),
}
