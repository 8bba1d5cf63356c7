"""Convert docstrings, which are plain text with examples and indented drawings, to reStructuredText.

The docstrings are written for the terminal. An indented block is a drawing or a table, kept as it is;
``>>>`` begins an example; ``name : description · other : description`` are the arguments; ``Example:`` is a heading. Of
all marks only double backticks and *emphasis* mean something: every other star, backtick, bar and underscore is text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from textwrap import dedent

HEADING = re.compile(r"^(\w[\w ]*):$")
ITEM = re.compile(r"^(?:[*-]|\d+[.)]) +\S")
# One or several names, a colon with blanks around it, and what they are.
ARGUMENT = re.compile(r"^(\*{0,2}[a-z_]\w*(?:, \*{0,2}[a-z_]\w*)*) : (?=\S)")
BETWEEN_ARGUMENTS = re.compile(r" ·\s+(?=\*{0,2}[a-z_][\w, *]* : )")
LITERAL = re.compile(r"``.+?``")
EMPHASIS = re.compile(r"(?<![\w*])\*(?=\w)[^*\n]*\w\*(?![\w*])")
SPECIAL = re.compile(r"[\\`*|]|_(?!\w)|(?<!\w)_(?=\w)")


def to_rst(lines: Sequence[str], errors: Collection[str] = ()) -> list[str]:
    """Return the lines of a docstring as lines of reStructuredText; names in ``errors`` become links to them.

    >>> lines = ["Count *all* pairs_ of `x`.", "", "ids : int32[n] · used : how many", "", "    1 2 -> 3"]
    >>> print("\\n".join(to_rst(lines)))
    Count *all* pairs\\_ of \\`x\\`.
    <BLANKLINE>
    * **ids**: int32[n]
    * **used**: how many
    <BLANKLINE>
    .. code-block:: text
    <BLANKLINE>
        1 2 -> 3
    <BLANKLINE>
    """
    made: list[str] = []
    for block in _blocks(lines):
        made += [*_converted(block, errors), ""]
    return made


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the blocks between empty lines; adjacent indented blocks are one block, including the empty lines in it."""
    blocks = [list(group) for blank, group in groupby(lines, key=lambda line: not line.strip()) if not blank]
    kept: list[str] = []
    for block in blocks:
        heading, rest = (block[0], block[1:]) if HEADING.match(block[0]) else ("", block)
        if heading:
            yield from ([kept] if kept else [])
            kept = []
            yield [heading]
            # The text of a heading is indented under it.
            block = dedent("\n".join(rest)).splitlines()
        if not block:
            continue
        if _is_drawing(block):
            kept += ["", *block] if kept else block
            continue
        yield from ([kept] if kept else [])
        kept = []
        yield from _parts(block)
    yield from ([kept] if kept else [])


def _is_drawing(block: Sequence[str]) -> bool:
    return block[0].startswith(" ") and not block[0].lstrip().startswith(">>>")


def _parts(block: list[str]) -> Iterator[list[str]]:
    """Yield the pieces of a block: text, then a drawing or an example that follows it without a blank line."""
    begins = [0]
    for at, line in enumerate(block[1:], start=1):
        of_example = any(before.lstrip().startswith(">>>") for before in block[begins[-1] : at])
        of_list = any(ITEM.match(before) for before in block[begins[-1] : at])
        if not of_example and (
            line.lstrip().startswith(">>>")
            or (line.startswith("  ") and not block[at - 1].startswith(" ") and not of_list)
        ):
            begins.append(at)
    for begin, end in zip(begins, [*begins[1:], len(block)]):
        yield block[begin:end]


def _converted(block: Sequence[str], errors: Collection[str]) -> list[str]:
    if heading := HEADING.match(block[0]):
        return [f".. rubric:: {heading[1]}"]
    if block[0].lstrip().startswith(">>>"):
        return dedent("\n".join(block)).splitlines()
    if block[0].startswith(" "):
        return [".. code-block:: text", "", *(f"    {line}" for line in dedent("\n".join(block)).splitlines())]
    if ITEM.match(block[0]):
        return [line if not line.strip() else _item(line, errors) for line in block]
    text = "\n".join(block)
    if ARGUMENT.match(text):
        return [_argument(part, errors) for part in BETWEEN_ARGUMENTS.split(text)]
    # "as follows::" before a drawing needs no second colon, because drawings are literal.
    # Only ITEM begins a list, not a line that begins with an option or a number and a dot.
    return [re.sub(r"^(?=[-+])", r"\\", line) for line in _inline(re.sub(r"::$", ":", text), errors).splitlines()]


def _item(line: str, errors: Collection[str]) -> str:
    mark = re.match(r" *(?:[*-]|\d+[.)]) +| *", line)
    width = mark.end() if mark else 0
    return line[:width] + _inline(line[width:], errors)


def _argument(text: str, errors: Collection[str]) -> str:
    text = " ".join(text.split())
    found = ARGUMENT.match(text)
    if not found:
        return f"* {_inline(text, errors)}"
    names = ", ".join(f"**{_inline(name, ())}**" for name in found[1].split(", "))
    return f"* {names}: {_inline(text[found.end() :], errors)}"


def _inline(text: str, errors: Collection[str]) -> str:
    """Escape what would be a mark, outside literals and emphasis; link the names of errors."""
    made, at = [], 0
    for kept in re.finditer(f"{LITERAL.pattern}|{EMPHASIS.pattern}", text):
        made += [_escaped(text[at : kept.start()], errors), kept.group()]
        at = kept.end()
        # Markup ends at a space or a sign, so a plural after a literal needs an escape.
        if at < len(text) and (text[at].isalnum() or text[at] in "_(["):
            made.append("\\ ")
    return "".join([*made, _escaped(text[at:], errors)])


def _escaped(text: str, errors: Collection[str]) -> str:
    text = SPECIAL.sub(lambda mark: "\\" + mark.group(), text)
    if not errors:
        return text
    return re.sub(
        r"(?<![\w`.])[A-Z]\w+(?![\w`])",
        lambda word: f":py:exc:`~minbpe_course.errors.{word.group()}`" if word.group() in errors else word.group(),
        text,
    )
