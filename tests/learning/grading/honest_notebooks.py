"""Right answers as learners spread them over the cells of a notebook, and answers that need what the grader lacks.

HONEST        label -> (key of the exercise, other cells, the answer cell); full marks in check() and in grading
UNSUPPORTED   label -> (key, other cells, the answer cell, what the check has to name)
"""

from __future__ import annotations

_MERGE = """
def merge(ids, pair, new_id):
    {before}
    merged, at = [], 0
    while at < len(ids):
        if tuple(ids[at : at + 2]) == tuple(pair):
            merged.append(new_id)
            at += 2
        else:
            merged.append(ids[at])
            at += 1
    {after}
    return {result}
"""


def _merge(before: str = "pass", after: str = "pass", result: str = "merged") -> str:
    return _MERGE.format(before=before, after=after, result=result)


_COUNT = """
def count_pairs(words):
    counts = {start}
    for ids, count in words:
        for pair in zip(ids, ids[1:]):
            counts[pair] = counts.get(pair, 0) + count
    return counts
"""
_DECODE = 'def utf8_decode(data):\n    return data.decode("utf-8", {errors})'

_WORDS = """
import regex
def split_words(text, pattern):
    words, at = [], merge([0, 0], (0, 0), 0)[0]
    for match in regex.finditer(pattern, text):
        if match.group():
            words += [text[at : match.start()], match.group()]
            at = match.end()
    return [word for word in [*words, text[at:]] if word]
"""

HONEST: dict[str, tuple[str, list[str], str]] = {
    "a part of an earlier lesson": (
        "03.split_words",
        ["from minbpe_course.learning import mine\nmerge = mine('merge')"],
        _WORDS,
    ),
    "a part that is blank here": (
        "03.split_words",
        [
            "from minbpe_course.learning import working\ndef merge(*ids): raise NotImplementedError",
            "merge = working('02.merge', merge)",
        ],
        _WORDS,
    ),
    "an array": ("02.merge", ["import numpy as np"], _merge(result="np.array(merged, dtype=np.int64)")),
    "NumPy if it is there": (
        "02.merge",
        ["try:\n    import numpy as np\nexcept ImportError:\n    np = None"],
        _merge(result="np.array(merged) if np else merged"),
    ),
    "regex where the lesson has it": (
        "03.split_words",
        ["import regex"],
        "def split_words(text, pattern):\n    words, at = [], 0\n    for found in regex.finditer(pattern, text):\n"
        "        if found[0]:\n            words += [text[at : found.start()], found[0]]\n"
        "            at = found.end()\n"
        "    return [word for word in [*words, text[at:]] if word]",
    ),
    "tqdm with a bar": (
        "02.count_pairs",
        ["from tqdm.auto import tqdm, trange"],
        _COUNT.format(start="{}").replace("in words:", "in tqdm(words, total=len(words)):").replace(
            "    return", "    with tqdm(total=3) as bar:\n        for _ in trange(3): bar.update(1)\n    return"
        ),
    ),
    "a plot": (
        "02.merge",
        ["%matplotlib inline", "import matplotlib.pyplot as plt"],
        _merge(
            after="if len(ids) == 1:\n        fig, ax = plt.subplots(); ax.plot(merged)\n"
            "        line, = plt.plot(merged); plt.close('all')"
        ),
    ),
    "display, imported": (
        "02.merge",
        ["from IPython.display import display, HTML"],
        _merge(after="display(HTML('<b>ids</b>'))"),
    ),
    "a star import": (
        "02.merge",
        ["from typing import *"],
        _merge().replace("(ids, pair, new_id)", "(ids: List[int], pair: Tuple[int, int], new_id: int) -> List[int]"),
    ),
    "helpers over three cells": (
        "02.merge",
        ["def same(a, b): return as_pair(a) == as_pair(b)", "def as_pair(x): return KIND(x)", "KIND = tuple"],
        _merge().replace("tuple(ids[at : at + 2]) == tuple(pair)", "same(ids[at : at + 2], pair)"),
    ),
    "a table that a loop fills": (
        "02.merge",
        ["STEP = {}\nfor found in (True, False):\n    STEP[found] = 2 if found else 1"],
        _merge("assert STEP[True] == 2"),
    ),
    "a recursive answer": (
        "02.merge",
        ["import sys\nsys.setrecursionlimit(4000)"],
        "def merge(ids, pair, new_id):\n    import sys\n    assert sys.getrecursionlimit() >= 4000\n"
        "    def go(at):\n        if at >= len(ids): return []\n"
        "        if tuple(ids[at:at + 2]) == tuple(pair): return [new_id] + go(at + 2)\n"
        "        return [ids[at]] + go(at + 1)\n    return go(0)",
    ),
    "an old name reused at the end": (
        "02.merge",
        ["sum = 0\nfor i in [1, 2]:\n    sum = sum + i\ndel sum"],
        _merge("assert sum([1, 2]) == 3"),
    ),
    "a check in the cell of the answer": (
        "02.merge",
        ["from minbpe_course import check, hint, progress"],
        _merge() + "\ncheck('02.merge', merge)\n",
    ),
    "an answer above": (
        "02.train_merges",
        [_COUNT.format(start="{}"), _merge()],
        "def train_merges(words, number):\n    now, merges = [(list(w), c) for w, c in words.items()], []\n"
        "    for new_id in range(256, 256 + number):\n        counts = count_pairs(now)\n"
        "        if not counts: break\n        best = max(counts, key=counts.get)\n        merges.append(best)\n"
        "        now = [(merge(ids, best, new_id), c) for ids, c in now]\n    return merges",
    ),
    "a class that the answer needs": (
        "01.utf8_decode",
        ["class Reader:\n    def read(self, data):\n        return codecs.decode(data, 'utf-8', 'replace')",
         "import codecs"],
        "reader = Reader()\n\ndef utf8_decode(data):\n    return reader.read(bytes(data))",
    ),
}  # fmt: skip
# Names of other cells: label -> (other cells, a line in the answer)
_NEEDED: dict[str, tuple[list[str], str]] = {
    "a counter of calls": (["CALLS = 0"], "global CALLS; CALLS += 1"),
    "a function that sets a global": (["def set_up():\n    global STEP\n    STEP = 2", "set_up()"], "assert STEP == 2"),
    "a global found by its name": (["STEP = 2"], "assert globals()['STEP'] == 2"),
    "a walrus in a comprehension": (["x = [LAST := n for n in range(3)]"], "assert LAST == 2"),
    "with": (["import io", "with io.StringIO('2') as file:\n    STEP = int(file.read())"], "assert STEP == 2"),
    "augmented at the top": (["STEP = 1", "STEP += 1"], "assert STEP == 2"),
    "an alias of a module": (["import os.path as p, xml.etree"], "p.join('a', 'b'); xml.etree"),
    "a cell with magic": (["%%time\nSTEP = 2", "%time TWICE = STEP * 2"], "assert TWICE == 4"),
}
HONEST |= {label: ("02.merge", others, _merge(line)) for label, (others, line) in _NEEDED.items()}

UNSUPPORTED: dict[str, tuple[str, list[str], str, str]] = {
    "a package inside": ("02.merge", [], _merge("import jinja2"), "jinja2"),
    "a table made with a package": (
        "02.merge",
        ["import protobuf_like as p", "STEP = p.STEP"],
        _merge("assert STEP == 2"),
        "protobuf_like",
    ),
    "the course itself": (
        "02.merge",
        ["import minbpe_course"],
        _merge("minbpe_course.BasicTokenizer"),
        "minbpe_course",
    ),
    "regex where the lesson has it not": ("02.merge", ["import regex"], _merge("regex.match('a', 'a')"), "regex"),
    "a file": ("02.merge", [], _merge("open('notes.txt').close()"), "open"),
    "a name that no cell defines": ("02.merge", ["%run helper.py"], _merge("assert STEP == 2"), "STEP"),
}
