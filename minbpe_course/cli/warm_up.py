"""Compile the kernels, so that no lesson has to wait for the compiler."""

from __future__ import annotations

import argparse
import time

from minbpe_course.cli.terminal import ProgressLine, say
from minbpe_course.errors import UnusablePath

EXAMPLES = """\
minbpe-course warm-up
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb: none."""


def run(args: argparse.Namespace) -> int:
    """Compile every kernel that is not in the cache yet, with a line for each step; return 0 if all of them were kept.

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
    from minbpe_course.kernels.common.cache import UNKEPT

    if UNKEPT:
        raise UnusablePath(f"{len(UNKEPT)} kernels are compiled, but could not be kept for other processes.")
    say(f"minbpe-course: kernels ready in {time.perf_counter() - began:.1f} s")
    return 0
