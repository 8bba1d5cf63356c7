"""What one process of ``benchmarks.research`` does: spawned processes cannot import what a ``__main__`` defines."""

from __future__ import annotations

import importlib
import time
from typing import Any


def rounded(value: Any, places: int = 4) -> Any:
    """Return the value as JSON would return it, with rounded numbers: the last digits depend on the processor.

    >>> rounded({1: (0.123456, 2), "bits": [True]})
    {'1': [0.1235, 2], 'bits': [True]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): rounded(each, places) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each, places) for each in value]
    return round(value, places) if isinstance(value, float) else value


def computed(lesson: str) -> tuple[Any, float]:
    """Return the results of one lesson, and the seconds that they took."""
    began = time.perf_counter()
    found = rounded(importlib.import_module(f"benchmarks.research.lesson_{lesson}").results())
    return found, time.perf_counter() - began
