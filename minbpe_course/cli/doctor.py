"""Report how tokenizers run on this machine, in which sandbox answers are graded, and how to improve both."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import minbpe_course
from minbpe_course.cli.terminal import say
from minbpe_course.resources.threads import cores

if TYPE_CHECKING:
    from minbpe_course.learning.grading.sandbox.base import Rung

EXAMPLES = """\
minbpe-course doctor
minbpe-course doctor --json
"""
WIDTH = 100
PACKAGES = ("numpy", "numba", "regex", "tiktoken", "sentencepiece", "jupyterlab", "nbformat", "matplotlib")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(args: argparse.Namespace) -> int:
    """Try every sandbox, print the result, and return 0, also on a machine without a good one."""
    # Imported here, so that the other verbs start without Numba and the sandboxes.
    from minbpe_course.kernels.common.compiled import PLAIN, kept_in
    from minbpe_course.learning.grading.sandbox.choose_sandbox import probe

    found, rungs = _machine(), probe()
    found["kernels"] = {"compiled": not PLAIN, "folder": str(kept_in() or "")}
    found["sandbox"] = next((rung.name for rung in rungs if rung.available), None)
    found["rungs"] = [vars(rung) for rung in rungs]
    say(json.dumps(found, indent=2) if args.json else _page(found, rungs))
    return 0


def _machine() -> dict[str, Any]:
    return {
        "minbpe_course": minbpe_course.__version__,
        "python": platform.python_version(),
        "interpreter": sys.executable,
        "system": f"{platform.system()} {platform.release()} ({platform.machine()})",
        "cores": cores(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _page(found: dict[str, Any], rungs: tuple[Rung, ...]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    lines = [
        f"minbpe-course {found['minbpe_course']}, Python {found['python']}, {found['system']}, {found['cores']} cores",
        *textwrap.wrap(packages, WIDTH),
        "",
        _of_kernels(**found["kernels"]),
        "",
        f"Answers are graded in: {found['sandbox'] or 'nothing, since no rung works here'}",
        "",
        "The ladder, best first; each rung was tried by running an answer on it.",
    ]
    best = next((number for number, rung in enumerate(rungs) if rung.available), len(rungs))
    for number, rung in enumerate(rungs):
        lines += ["", f"  {'yes' if rung.available else ' no'}  {rung.name:<11} {rung.reason}"]
        lines += textwrap.wrap(rung.guarantees, WIDTH, initial_indent=" " * 7, subsequent_indent=" " * 7)
        if number < best:
            lines += ["       To climb here:", *_indented(rung.how_to_climb)]
    if best == 0:
        lines += ["", "There is nothing to climb: this is the best rung."]
    elif best == len(rungs) - 1:
        lines += ["", "On the last rung, `minbpe-course grade` asks for --allow-unsandboxed."]
    return "\n".join(lines)


def _of_kernels(compiled: bool, folder: str) -> str:
    if not compiled:
        return "Tokenizers run as plain Python, some hundred times slower, since NUMBA_DISABLE_JIT is set."
    if folder:
        return f"Tokenizers run compiled, and the compiled code is kept in {folder}"
    return "Tokenizers run compiled, and each new process has to compile them again."


def _indented(text: str) -> list[str]:
    """Wrap prose; a line to type begins with two spaces and is not wrapped."""
    prose = textwrap.TextWrapper(WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 9, break_on_hyphens=False)
    lines: list[str] = []
    for line in text.splitlines():
        lines += [f"       {line}"] if line.startswith("  ") else prose.wrap(line)
    return lines
