"""Plants faults in a copy of the package, one after another, and runs the tests that must notice, in one process.

    python fault_driver.py FOLDER  <  [[file, old, new, [tests]], ...]   prints a line of JSON for each: code and output

A fault is gone before the next is planted. What takes long to import stays; the package and its tests are read again
for every fault, and kernels come compiled from beside their sources, which a fault outside of ``kernels`` leaves as
they are.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
from pathlib import Path


def forget(folder: Path) -> None:
    """Make Python read everything below the folder again."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).is_relative_to(folder):
            del sys.modules[name]
    importlib.invalidate_caches()


def main(folder: Path) -> None:
    """Read faults from stdin and write what became of each to stdout."""
    import pytest

    answers, sys.dont_write_bytecode = sys.stdout, True
    for file, old, new, tests in json.load(sys.stdin):
        path = folder / "minbpe_course" / file
        source = path.read_text(encoding="utf-8")
        said = io.StringIO()
        try:
            if old:
                path.write_text(source.replace(old, new), encoding="utf-8", newline="")
            forget(folder)
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", *tests])
        finally:
            path.write_text(source, encoding="utf-8", newline="")
        answers.write(json.dumps([int(code), said.getvalue()]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
