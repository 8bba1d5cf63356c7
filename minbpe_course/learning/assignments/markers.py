"""Find answers by the paired markers in the source of a cell, and replace them.

    ### BEGIN SOLUTION
    ...                      replaced on release by a blank
    ### INSTEAD              optional: the lines that learners get instead of the blank, to complete or repair,
    # ...                    as comments
    ### END SOLUTION

A marker is a whole line. Both markers of a pair have the indentation of the first line of code between them, and no
line between them has less. Pairs do not nest. A line that only resembles a marker is an error: nbgrader looks for the
words anywhere in a line, and an answer would be published where the two programs disagree.

Limits: markers are found by line, so a marker inside a string counts; `release` refuses a blank there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from minbpe_course.errors import MarkerProblem

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
INSTEAD = "### INSTEAD"
BLANK = "# YOUR CODE HERE"
_LOOKS_LIKE_A_MARKER = re.compile(r"(?:begin|end)[\s_-]*solution", re.IGNORECASE)


@dataclass(frozen=True)
class Region:
    """The lines from a marker to its partner, both included, as indices into the lines of the cell.

    instead : the lines that learners get instead of a blank, without their comment signs, or None.
    answer_end : where the answer ends, which is at INSTEAD if the region has it.
    """

    begin: int
    end: int
    indent: str
    answer_end: int
    instead: tuple[str, ...] | None = None


def regions(source: str) -> list[Region]:
    r"""Return the regions of a cell in order.

    Raises MarkerProblem, which names the line, for a marker without a partner, inside another pair, or indented unlike
    its partner or its answer, and for a line that only resembles one.

    >>> regions("def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n")
    [Region(begin=1, end=3, indent='    ', answer_end=3, instead=None)]
    """
    found: list[Region] = []
    opened: int | None = None
    lines = source.split("\n")
    for number, line in enumerate(lines):
        stripped = line.strip()
        if stripped == BEGIN:
            if opened is not None:
                raise MarkerProblem(
                    f"line {number + 1}: {BEGIN} inside the region that line {opened + 1} began. "
                    f"Pairs do not nest: close the first one with {END}."
                )
            opened = number
        elif stripped == END:
            if opened is None:
                raise MarkerProblem(f"line {number + 1}: {END} without a {BEGIN} above it.")
            found.append(_closed(lines, opened, number))
            opened = None
        elif stripped == INSTEAD and opened is None:
            raise MarkerProblem(f"line {number + 1}: {INSTEAD} without a {BEGIN} above it.")
        elif _LOOKS_LIKE_A_MARKER.search(line):
            raise MarkerProblem(
                f"line {number + 1}: {stripped!r} is not a marker, though nbgrader may take it for one. "
                f"Write exactly {BEGIN} or {END}, on a line of its own."
            )
    if opened is not None:
        raise MarkerProblem(f"line {opened + 1}: {BEGIN} without an {END} below it.")
    return found


def _closed(lines: Sequence[str], begin: int, end: int) -> Region:
    indent = _indent(lines[begin])
    if _indent(lines[end]) != indent:
        raise MarkerProblem(f"line {end + 1}: {END} is not indented like its {BEGIN} in line {begin + 1}.")
    answer_end = next((number for number in range(begin, end) if lines[number].strip() == INSTEAD), end)
    code = next((number for number in range(begin + 1, answer_end) if _is_code(lines[number])), None)
    if code is None:
        raise MarkerProblem(f"line {begin + 1}: there is no code between the markers. Put the answer there.")
    for number in range(begin + 1, end):
        line = lines[number]
        less = line.strip() and not line.startswith(indent)
        if less or (number == code and _indent(line) != indent):
            raise MarkerProblem(
                f"line {number + 1}: the answer is indented {'less' if less else 'more'} than its markers in lines "
                f"{begin + 1} and {end + 1}. Give the markers the indentation of the first line of code between them."
            )
    if answer_end == end:
        return Region(begin, end, indent, end)
    instead = [lines[number][len(indent) :] for number in range(answer_end + 1, end)]
    for number, line in enumerate(instead, answer_end + 2):
        if line and not line.startswith("#"):
            raise MarkerProblem(
                f"line {number}: after {INSTEAD} every line is a comment, at the indentation of the markers, and the "
                "next marker ends it. Put # before it."
            )
    bare = tuple(line[2:] if line.startswith("# ") else line[1:] for line in instead)
    return Region(begin, end, indent, answer_end, bare)


def without_answers(source: str, entry: str, stub: Sequence[str] | None = None) -> str:
    r"""Return the source with something to start from in place of each region, at the indentation of its markers.

    entry : the name that the learner will define, for the blank. stub : lines to use instead of the blank, for code
    that is to be completed or repaired.

    Raises MarkerProblem like ``regions``, and for a source without a region or a stub with several.

    >>> print(without_answers("def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION", "f"))
    def f():
        # YOUR CODE HERE
        raise NotImplementedError("f is still blank")
    """
    found = regions(source)
    blank = [BLANK, f'raise NotImplementedError("{entry} is still blank")']
    if not found:
        raise MarkerProblem(f"no answer between markers. Put {BEGIN} before it and {END} after it.")
    if stub is not None and len(found) > 1:
        raise MarkerProblem("a stub replaces one region, and there are several. Join them, or leave the stub out.")
    lines = source.split("\n")
    for region in reversed(found):
        replacement = stub or region.instead or blank
        lines[region.begin : region.end + 1] = [(region.indent + line).rstrip() for line in replacement]
    return "\n".join(lines)


def answer_lines(source: str) -> list[str]:
    r"""Return the lines that must not be published: the answers between markers, stripped, each once.

    >>> answer_lines("### BEGIN SOLUTION\nids = []\n\nids = []\n### END SOLUTION")
    ['ids = []']
    """
    lines = source.split("\n")
    inside = (
        lines[number].strip() for region in regions(source) for number in range(region.begin + 1, region.answer_end)
    )
    return list(dict.fromkeys(filter(None, inside)))


def survives(answer_line: str, text: str) -> bool:
    r"""Tell whether a line of an answer appears in ``text``: anywhere, or as a whole line if it is short.

    >>> survives("return ids", "    return ids[1:]"), survives("else:", "if a: b\nelse: c"), survives("else:", " else:")
    (True, False, True)
    """
    if len(answer_line) >= 8:
        return answer_line in text
    return any(line.strip() == answer_line for line in text.split("\n"))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")
