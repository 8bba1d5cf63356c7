"""Explain on a terminal why the first encode or training on a machine takes longer."""

from __future__ import annotations

import sys
import time

from minbpe_course.cli.terminal import tell
from minbpe_course.kernels import on_compile


def explain_compiling() -> None:
    """Print one line on standard error once kernels have been compiled for a second, if that is a terminal."""
    begun: list[float] = []

    def explain(kernel: str) -> None:
        begun.append(time.monotonic())
        if begun[-1] - begun[0] > 1:
            on_compile.remove(explain)
            tell("compiling the kernels, once: this takes some seconds")

    if sys.stderr.isatty():
        on_compile.append(explain)
