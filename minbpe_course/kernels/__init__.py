"""The hot loops, compiled by Numba: arrays in, the caller's memory out, counts back. ``README.md`` explains how.

A kernel has no strings, dicts, files or exceptions, and does not check its input; its callers do. It may call kernels
of other files: ``compiled.compiled`` keeps compiled code until any source of this package changes. Every kernel has a
reference implementation in ``reference``.
"""

from collections.abc import Callable

on_compile: list[Callable[[str], None]] = []
"""Called with ``file.function`` before a kernel is compiled, so that a wait can be explained."""
