"""Read from the text of an answer what a teacher may want to know: equal answers, and code that looks outside itself.

Nothing is executed and nothing is parsed, because a crafted text can take a parser much time or all of its stack. The
text is cut into tokens, up to ``LONGEST_LOOKED_AT`` characters.

Limits: this finds the common ways of writing, not every way. A name made at run time is not seen, and reordered
statements make another answer.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import keyword
import re
import tokenize
from collections.abc import Iterator, Sequence
from contextlib import suppress

from minbpe_course.learning.judge.exercise import LONGEST_LOOKED_AT

LEAST_LINES = 6  # written by the learner; shorter answers are often equal by chance
PLACES_SHOWN = 3

_FRAMES = "looks at other frames"
_OUTSIDE = {
    _FRAMES: "_getframe _current_frames currentframe getinnerframes getouterframes walk_stack settrace setprofile "
    "f_back f_locals f_globals tb_frame gi_frame cr_frame ag_frame",
    "looks through the memory of its process": "get_objects get_referrers get_referents ctypes _ctypes",
    "looks inside functions and classes": "__globals__ __closure__ cell_contents __subclasses__ __code__",
}
_NAMED = {name: what for what, names in _OUTSIDE.items() for name in names.split()}
# Usual names, which walk frames only as those of their module.
_OF_MODULES = {("inspect", "stack"), ("inspect", "trace"), ("traceback", "extract_stack")}
_ANY = re.compile("|".join([*_NAMED, *(module for module, _ in _OF_MODULES)]))
_BUILTINS = frozenset(dir(builtins))
_CLOSING, _QUOTES = (")", "]", "}"), "\"'"
_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER)


def looks_outside(source: str) -> list[str]:
    """Return notes on how an answer looks at more than its arguments, for a teacher to judge; usually an empty list.

    >>> looks_outside("import sys\\nprint(sys._getframe(1))")
    ['looks at other frames (sys._getframe in line 2)']
    >>> looks_outside("frame = 'f_back is a word'  # sys._getframe")
    []
    """
    if not _ANY.search(source):
        return []
    found: dict[str, dict[str, None]] = {}
    with suppress(tokenize.TokenError, SyntaxError, ValueError):  # the rest is not Python, and does not run
        for _, line in _lines(source):
            module = line[1].string if line[0].string == "from" and len(line) > 1 else ""
            for at, token in enumerate(line):
                name = token.string.strip("\"'") if token.type == tokenize.STRING else token.string
                owner = line[at - 2].string if at > 1 and line[at - 1].string == "." else module
                what = _NAMED.get(name, _FRAMES if (owner, name) in _OF_MODULES else "")
                if what:
                    shown = f"{owner}.{name}" if owner.isidentifier() else name
                    found.setdefault(what, {}).setdefault(f"{shown} in line {token.start[0]}")
    return [f"{what} ({', '.join(list(places)[:PLACES_SHOWN])})" for what, places in found.items()]


def shape(source: str, blank: str = "") -> str:
    """Return a hash that is the same for answers that differ only in comments, spaces, quotes and names.

    blank : the answer cell as it was handed out; its lines are not the learner's. The hash is "" for an answer that
    cannot be compared: with fewer than ``LEAST_LINES`` lines of the learner's, too long, or not Python.

    >>> one = "def f(a):\\n    b = a + 1\\n    if b:\\n        b *= 2\\n    c = b - a\\n    return b * c  # two"
    >>> shape(one) == shape(one.replace("b", "total").replace("    ", " ")) != shape(one.replace("2", "3"))
    True
    >>> shape("def f(a):\\n    return a")
    ''
    """
    if len(source) > LONGEST_LOOKED_AT:
        return ""
    try:
        given = {tuple(_words(line)) for _, line in _lines(blank)}
        lines = [(depth, _words(line)) for depth, line in _lines(source)]
    except (tokenize.TokenError, SyntaxError, ValueError):
        return ""
    if sum(tuple(words) not in given for _, words in lines) < LEAST_LINES:
        return ""
    fixed = _BUILTINS.union(*(words for _, words in lines if words[0] in ("import", "from")))
    numbers: dict[str, int] = {}
    seen = hashlib.sha256()
    for depth, words in lines:
        seen.update(b"%d" % depth)
        for before, word in zip(("", *words), words):
            own = word.isidentifier() and not keyword.iskeyword(word) and word not in fixed and before != "."
            shown = f"name {numbers.setdefault(word, len(numbers))}" if own else word
            seen.update(shown.encode("utf-8", "surrogatepass") + b"\0")
        seen.update(b"\n")
    return seen.hexdigest()[:32]


def _lines(source: str) -> Iterator[tuple[int, list[tokenize.TokenInfo]]]:
    """Yield each logical line as its depth and its tokens, without comments and docstrings.

    Raises TokenError, SyntaxError or ValueError where the text is not Python.
    """
    depth = 0
    line: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source[:LONGEST_LOOKED_AT]).readline):
        if token.type == tokenize.INDENT:
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
        elif token.type == tokenize.NEWLINE:
            if len(line) > 1 or (line and line[0].type != tokenize.STRING):
                yield depth, line
            line = []
        elif token.type not in _SKIPPED:
            line.append(token)


def _words(line: Sequence[tokenize.TokenInfo]) -> list[str]:
    """Return the texts of tokens, with one kind of quote and without commas before a closing bracket."""
    words: list[str] = []
    for token in line:
        if token.string in _CLOSING and words and words[-1] == ",":
            words.pop()
        words.append(f"'{token.string.strip(_QUOTES)}'" if token.type == tokenize.STRING else token.string)
    return words
