"""Compile the kernels, so that no lesson has to wait for the compiler."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable

from minbpe_course.cli.terminal import can_overwrite, rewrite, say

EXAMPLES = """\
minbpe-course warm-up
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb: none."""


def run(args: argparse.Namespace) -> int:
    """Compile every kernel that is not in the cache yet, with a line for each step, and return 0.

    On a terminal a changing line names the kernel that is being compiled.
    """
    say("minbpe-course: compiling the kernels (once after each install; a minute or two on a slow machine)")
    began = time.perf_counter()
    # Imported here, so that ``minbpe-course --help`` starts without Numba.
    from minbpe_course.tokenizers.warm_up import warm_up

    moving = can_overwrite(sys.stdout)
    warm_up(progress=lambda line: _line(line, moving), compiling=_moving_line(began) if moving else None)
    say(f"minbpe-course: kernels ready in {time.perf_counter() - began:.1f} s")
    return 0


def _line(line: str, moving: bool) -> None:
    if moving:
        # The next line overwrites a step that is not done.
        rewrite(f"  {line}", end="" if line.endswith("...") else "\n")
    else:
        say(f"  {line}")


def _moving_line(began: float) -> Callable[[str, int], None]:
    def show(line: str, before: int) -> None:
        width = shutil.get_terminal_size().columns - 1
        text = f"  {line} (kernel {before + 1}, {time.perf_counter() - began:.0f} s so far)"
        rewrite(text[:width])

    return show
