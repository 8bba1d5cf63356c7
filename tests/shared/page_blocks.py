"""The code blocks of a Markdown page, and a run of one that compares what it prints with what the page says."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read_page(page: str) -> str:
    """Return the text of a page, named from the root of the project."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return the blocks of a text in one language, in order.

    >>> blocks("```sh\\nmake test\\n```\\n", "sh")
    ['make test\\n']
    """
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run_block(source: str, names: dict[str, object]) -> int:
    """Run a Python block, compare what each statement prints with the comment after it, and count the comments."""
    lines = source.splitlines()
    kept = 0
    for statement in ast.parse(source).body:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module([statement], []), "a page", "exec"), names)
        promised = _promised_after(lines, statement)
        assert printed.getvalue() == promised, f"the page says otherwise after: {lines[statement.lineno - 1]}"
        kept += bool(promised)
    return kept


def _promised_after(lines: list[str], statement: ast.stmt) -> str:
    """Return the text of the comment lines directly after a statement: its expected output."""
    promised = []
    for line in lines[(statement.end_lineno or 0) :]:
        if not line.startswith("#"):
            break
        promised.append(line.removeprefix("#").removeprefix(" ") + "\n")
    return "".join(promised)
