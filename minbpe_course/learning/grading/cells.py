"""Turn the text of a cell into the Python that it runs: magics, shell lines, help, pasted prompts, indentation.

The rules are IPython's (``IPython.core.inputtransformer2``), and every line keeps its number. The worker loads this
file by its path, so it imports nothing.

Limits: ``ls`` and ``pip install regex``, which IPython runs if they are the only line of a cell, are left as they are.
``%%capture name`` binds no name. Prompts in a string that does not begin with one are part of the string.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes longer to import than most answers take to run
if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPES = frozenset("%!?,;/")  # a line for IPython begins with one of these
_OPERATORS = ("%=", "!=", "/=", "//")
_BEFORE_EQUALS = "!<>+-*/%&|^@:"  # "=" after one of these is part of an operator
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_VALUED = {"time": "", "timeit": "nrpv", "prun": "lsTD"}  # line magics that run a statement; their options with a value
_IN_PLACE = ("time", "capture", "prun")  # cell magics that run their body as an ordinary cell


def python_of(source: str) -> str:
    """Return the Python code that a cell runs, with each line in its place.

    ``%time``, ``%timeit`` and ``%prun`` run their statement once, ``%%time``, ``%%timeit``, ``%%capture`` and
    ``%%prun`` their body; as in IPython, the cell does not see names that ``timeit`` binds. Other magics, shell lines,
    help, and lines that begin with "," or ";" or "/", do nothing. ``name = !ls`` binds an empty list, ``name = %magic``
    binds None. Syntax errors are left in the code.

    Raises RecursionError if magics are nested very deeply.

    >>> print(python_of("if True:\\n    %time x = run()\\n    !ls\\nfiles = !ls\\nrun?"), end="")
    if True:
        x = run()
        pass
    files = []
    pass
    >>> python_of("%%time\\nx = 1"), python_of("%%bash\\nls"), python_of(">>> x = (1,\\n... 2)")
    ('\\nx = 1\\n', '', 'x = (1,\\n2)\\n')
    """
    text = _cleaned(source)
    code = text.lstrip("\n")
    first, _, body = code.partition("\n")
    if first.startswith("%%"):
        word, asks, _ = first[2:].partition("?")
        if not (asks and word.isidentifier()):
            return "\n" * (len(text) - len(code)) + _of_cell_magic(first[2:].rstrip(), body)
    return _of_lines(text)


# ----------------------------------------------------------------------------------------------------
# Indentation and prompts


def _cleaned(source: str) -> str:
    """Return a cell without the indentation of the whole and without prompts, ending in a newline."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    text = _dedented(text if text.endswith("\n") else text + "\n")
    if ">>>" in text:
        parts = _logical_lines(text)
        if any(part.lstrip().startswith(">>>") for part in parts):
            text = _dedented("".join(_each_line(part, _after_prompt) if _is_prompted(part) else part for part in parts))
    code = text.lstrip("\n")
    if any(_after_ipython_prompt(line) != line for line in code.split("\n", 2)[:2]):
        text = _each_line(text, _after_ipython_prompt)
    return text


def _dedented(text: str) -> str:
    lines = text.split("\n")
    written = [line for line in lines if line.strip(" \t")]
    least, most = min(written, default=""), max(written, default="")
    margin = 0
    while least[margin : margin + 1] in (" ", "\t") and least[margin] == most[margin : margin + 1]:
        margin += 1
    return "\n".join(line[margin:] if line.strip(" \t") else "" for line in lines)


def _each_line(text: str, change: Callable[[str], str]) -> str:
    return "\n".join(change(line) for line in text.split("\n"))


def _is_prompted(line: str) -> bool:
    return line.lstrip().startswith((">>>", "..."))


def _after_prompt(line: str) -> str:
    if not _is_prompted(line):
        return line
    code = line.lstrip()[3:]
    return code[1:] if code[:1].isspace() else code


def _after_ipython_prompt(line: str) -> str:
    prompt = line.lstrip()
    number, ends, code = prompt.removeprefix("In [").partition("]: ")
    if ends and prompt.startswith("In [") and number.isdecimal():
        return code
    code = prompt.lstrip(".")
    return code[1:].removeprefix(" ") if code.startswith(":") and prompt.startswith("...") else line


# ----------------------------------------------------------------------------------------------------
# Logical lines


def _logical_line(text: str, start: int) -> tuple[int, int | None, str]:
    """Return where a logical line ends, where the value of its first "=" begins (or None), and its last character."""
    depth = 0
    value: int | None = None
    awaited = False  # whether the value comes next
    last = ""
    at = start
    while at < len(text):
        sign = text[at]
        if awaited and not sign.isspace() and sign != "\\":
            value, awaited = at, False
        at += 1
        if sign == "\n":
            if not depth:
                break
        elif sign == "\\":
            at += 1
        elif sign == "#":
            at = text.index("\n", at)
            last = sign
        elif sign in "\"'":
            at = _string_end(text, at - 1)
            last = sign
        elif not sign.isspace():
            last = sign
            depth = max(0, depth + _BRACKETS.get(sign, 0))
            if sign == "=":
                if text[at] == "=":
                    at += 1
                elif not depth and value is None and text[at - 2] not in _BEFORE_EQUALS:
                    awaited = True
    return at, value, last


def _string_end(text: str, start: int) -> int:
    quote = text[start] * (3 if text.startswith(text[start] * 3, start) else 1)
    at = start + len(quote)
    while at < len(text) and not text.startswith(quote, at):
        if text[at] == "\n" and len(quote) == 1:
            return at  # it is never closed
        at += 2 if text[at] == "\\" else 1
    return at + len(quote)


def _logical_lines(text: str) -> list[str]:
    parts = []
    at = 0
    while at < len(text):
        end, _, _ = _logical_line(text, at)
        parts.append(text[at:end])
        at = end
    return parts


# ----------------------------------------------------------------------------------------------------
# Magics


def _of_lines(text: str) -> str:
    """Replace the lines of a cell that only IPython understands."""
    starts = (line.lstrip()[:1] for line in text.split("\n"))
    if _ESCAPES.isdisjoint(starts) and not any(sign in text for sign in "%!?"):
        return text
    made = []
    at = 0
    while at < len(text):
        begin = _skip(text, at)
        if text[begin : begin + 1] in _ESCAPES and not text.startswith(_OPERATORS, begin):
            end, line = _continued(text, begin)
            code = _of_magic(line[1:], "pass") if line[0] == "%" else "pass"
        else:
            end, value, last = _logical_line(text, begin)
            code = "pass" if last == "?" and _asks_for_help(text[begin:end].rstrip("\n")) else ""
            if value is not None and not code and _is_magic(text, value):
                begin = value
                end, line = _continued(text, begin)
                code = "[]" if line.startswith("!") else _of_magic(line[1:], "None")
        made.append(text[at:begin] + code + "\n" * text.count("\n", begin, end) if code else text[at:end])
        at = end
    return "".join(made)


def _is_magic(text: str, at: int) -> bool:
    after = _skip(text, at + 1)
    return text[at] == "!" if text[at] != "%" else text[after : after + 1].isidentifier()


def _skip(text: str, at: int) -> int:
    """Return the place of the next character that is not a space or a continuation."""
    while text.startswith((" ", "\t", "\f", "\\\n"), at):
        at += 2 if text[at] == "\\" else 1
    return at


def _continued(text: str, start: int) -> tuple[int, str]:
    """Return where a line with its continuations ends, and the line without backslashes."""
    end = text.index("\n", start)
    while text[end - 1] == "\\" and end + 1 < len(text):
        end = text.index("\n", end + 1)
    return end + 1, " ".join(line.removesuffix("\\") for line in text[start:end].split("\n")).rstrip()


def _of_magic(line: str, nothing: str) -> str:
    """Return what a line magic runs; ``nothing`` is "None" where its value is assigned, else "pass"."""
    name, _, given = line.partition(" ")
    code = python_of(_after_options(name, given)).strip("\n") if name in _VALUED else ""
    if code in ("", "pass") or code.startswith("#"):
        return nothing
    return _apart(code) if name == "timeit" or (name, nothing) == ("prun", "None") else code


def _of_cell_magic(line: str, body: str) -> str:
    name, _, given = line.partition(" ")
    if not body or name not in (*_IN_PLACE, "timeit"):
        return ""
    # On their own line, timeit and prun accept a statement.
    code = python_of(_after_options(name, given if name in ("timeit", "prun") else "") + "\n" + body)
    return code if name in _IN_PLACE else _apart(code)


def _apart(code: str) -> str:
    """Return an expression that runs code without binding names in the cell; its value is None."""
    return f"exec({code!r}, {{**globals(), **locals()}})"


def _after_options(name: str, given: str) -> str:
    given = given.lstrip()
    while given.startswith("--" if name == "time" else "-"):
        option, _, given = given.partition(" ")
        if len(option) == 2 and option[1] in _VALUED[name]:
            given = given.lstrip().partition(" ")[2]
        given = given.lstrip()
    return given


def _asks_for_help(line: str) -> bool:
    """Tell whether a line ends in a name that IPython explains: ``a.b?``, ``a[0]??``, ``a*?``."""
    target = line.removesuffix("?").removesuffix("?")
    while target.endswith("]"):
        target, _, index = target[:-1].rpartition("[")
        if not index.removeprefix("-").isdecimal():
            return False
    at = len(target)
    while at and (target[at - 1].isalnum() or target[at - 1] in "_*"):
        at -= 1
    return target[at:].lstrip("0123456789") != ""
