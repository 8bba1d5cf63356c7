"""What is read from the text of an answer: equal answers under other names, looks outside, and hostile texts."""

from __future__ import annotations

import pytest

from minbpe_course.learning.submissions.answer_text import LEAST_LINES, LONGEST_LOOKED_AT, looks_outside, shape
from tests.learning.grading.hostile.honest import RIGHT as MERGE

RENAMED = '''
# By myself.
def merge(tokens, two, fresh):
  """Merge."""
  merged, at = [
    ], 0
  while at < len(tokens):
    if at + 1 < len(tokens) and (tokens[at], tokens[at+1]) == tuple(two,):   # here
      merged.append(fresh)

      at += 2
    else:
      merged.append(tokens[at])
      at += 1
  return merged
'''
DIFFERENT = {
    "a number": MERGE.replace("i += 1", "i += 2"),
    "an operator": MERGE.replace("<", "<="),
    "a builtin": MERGE.replace("len(", "sum("),
    "two names in one": MERGE.replace("out", "i"),
    "the depth of a line": MERGE.replace("            i += 2", "        i += 2"),
    "an import": "from heapq import merge as push\n" + MERGE,
}


def test_other_names_comments_spaces_and_quotes_are_the_same_shape() -> None:
    assert shape(MERGE) == shape(RENAMED) != ""
    assert shape(MERGE + "    print('a')\n") == shape(MERGE + '    print("a")\n')


@pytest.mark.parametrize("label", DIFFERENT)
def test_another_program_is_another_shape(label: str) -> None:
    assert shape(DIFFERENT[label]) not in ("", shape(MERGE)), label


def test_names_of_modules_and_functions_that_are_imported_are_not_renamed() -> None:
    one = "import re\n" + MERGE.replace("len(", "re.escape(")
    assert shape(one) != shape(one.replace("import re\n", "import csv\n").replace("re.escape", "csv.escape"))


def test_short_answers_and_lines_that_were_handed_out_are_not_compared() -> None:
    lines = MERGE.strip().split("\n")
    assert shape("\n".join(lines[: LEAST_LINES - 1])) == ""
    assert shape("\n".join(lines[:LEAST_LINES])) != ""
    assert shape(MERGE, blank=MERGE.replace("i += 1", "i += 2")) == ""
    assert shape(MERGE, blank=f"{lines[0]}\n    # YOUR CODE HERE\n    raise NotImplementedError()") == shape(MERGE)


HOSTILE = {
    "a long line": "x = " + "1 + " * 50_000 + "1",
    "deep brackets": "x = " + "(" * 9_000 + ")" * 9_000,
    "an open bracket": "def f(:\n" * 20,
    "a lone surrogate": "x = '\ud800'\n" * 9,
    "a wrong indent": "if 1:\n        x\n    y\n",
    "magics": "%time x\n!ls\n?x\n" * 9,
    "frames": "sys._getframe(\n" * 9_000,
}


@pytest.mark.parametrize("label", HOSTILE)
def test_a_hostile_text_never_raises(label: str) -> None:
    shape(HOSTILE[label], blank=HOSTILE[label])
    shape(MERGE, blank=HOSTILE[label])
    notes = looks_outside("f_back\n" + HOSTILE[label])
    assert all(len(note) < 300 for note in notes)


def test_an_answer_that_is_too_long_is_not_compared() -> None:
    assert shape(MERGE + "#" * LONGEST_LOOKED_AT) == ""


FRAMES, MEMORY, INSIDE = "other frames", "the memory of its process", "functions and classes"
FOUND = {
    "import sys\nf = sys._getframe(1)": (FRAMES, "sys._getframe in line 2"),
    "import inspect\nx = inspect.currentframe().f_back": (FRAMES, "inspect.currentframe in line 2, f_back in line 2"),
    "try:\n    1 / 0\nexcept Exception as e:\n    t = e.tb.tb_frame": (FRAMES, "tb.tb_frame in line 4"),
    "getattr(sys, '_getframe')()": (FRAMES, "_getframe in line 1"),
    "import gc\nfor one in gc.get_objects(): pass": (MEMORY, "gc.get_objects in line 2"),
    "double.__globals__['wanted']": (INSIDE, "double.__globals__ in line 1"),
    "object.__subclasses__()": (INSIDE, "object.__subclasses__ in line 1"),
}


@pytest.mark.parametrize("source", FOUND)
def test_a_look_outside_is_named_with_its_line(source: str) -> None:
    (note,) = looks_outside(source)
    what, where = FOUND[source]
    assert what in note
    assert note.endswith(f"({where})")


@pytest.mark.parametrize(
    "source",
    [MERGE, "stack = []\nstack.append(trace)", "# sys._getframe", "print('do not use f_back')", "self.stack()",
     "import inspect\nprint(inspect.signature(merge))", '"""ctypes and f_back"""\n'],
)  # fmt: skip
def test_usual_code_gets_no_note(source: str) -> None:
    assert looks_outside(source) == []
