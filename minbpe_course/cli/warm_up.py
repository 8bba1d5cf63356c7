"""Compile the kernels, so that no lesson has to wait for the compiler."""

from __future__ import annotations

import argparse
import time


def add_args(parser: argparse.ArgumentParser) -> None:
    """Add what ``warm-up`` understands: nothing yet.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_args(parser)
        >>> parser.parse_args([])
        Namespace()
    """


def run(args: argparse.Namespace) -> int:
    """Compile every kernel that is not in Numba's cache yet, with a line for each step, and return 0."""
    del args
    warm(heading="compiling the kernels (once after each install; a minute or two on a slow machine)")
    return 0


def warm(heading: str) -> float:
    """Print the heading, then a line for each kernel, then the total; return the seconds it took.

    Numba is imported here and not before, so that ``minbpe-course --help`` answers at once.
    """
    print(f"minbpe-course: {heading}", flush=True)
    began = time.perf_counter()
    from minbpe_course.tokenizers.warm import warm_up

    warm_up(progress=lambda line: print(f"  {line}", flush=True))
    seconds = time.perf_counter() - began
    print(f"minbpe-course: kernels ready in {seconds:.1f} s", flush=True)
    return seconds
