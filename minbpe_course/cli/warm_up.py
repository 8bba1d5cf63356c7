"""Compile the kernels, so that no lesson has to wait for the compiler."""

from __future__ import annotations

import argparse
import time

from minbpe_course.cli.terminal import ProgressLine, say

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

    with ProgressLine() as line:

        def step(text: str) -> None:
            if text.endswith("..."):
                line.show(f"  {text}")
            else:
                line.clear()
                say(f"  {text}")

        def kernel(name: str, before: int) -> None:
            line.show(f"  {name} (kernel {before + 1}, {time.perf_counter() - began:.0f} s so far)")

        warm_up(step, kernel)
    say(f"minbpe-course: kernels ready in {time.perf_counter() - began:.1f} s")
    return 0
