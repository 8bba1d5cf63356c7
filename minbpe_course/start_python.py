"""Start this Python in another process that runs no file of the current folder.

    python_module("pip", "install", "x")        python -m pip install x
    python_alone(file)                          a program that needs the standard library only
    safe_spawning()                             for processes that a library starts, such as Dask's workers
    program("uv")                               a program on the PATH

``python -m`` and ``python -c`` look for every module in the current folder first, so a stray ``numpy.py`` there
would be run. ``-P`` turns that off only from Python 3.11 on. Here the new process runs a line that removes the
folder from its path before it imports anything. PYTHONPATH stays. No other file of this package may name
``sys.executable`` to start something; a test reads them all.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

_SAFE_PATH = "PYTHONSAFEPATH"
# With -c the current folder is "", and absent with -P.
_WITHOUT_FOLDER = "import sys; sys.path[:1] = filter(None, sys.path[:1]); "
# The folder of this package may be missing from the path of the new process. It goes last, so that it shadows nothing.
_RUN_MODULE = "sys.path.append({here!r}); import runpy; runpy.run_module({name!r}, run_name='__main__', alter_sys=True)"


def python_module(name: str, *arguments: str) -> list[str]:
    """Return the command that runs a module as ``python -m name`` does, with the installed packages.

    >>> import subprocess
    >>> shown = subprocess.run(python_module("platform", "--terse"), capture_output=True, text=True, check=True)
    >>> shown.stdout.strip() != ""
    True
    """
    run = _RUN_MODULE.format(here=str(Path(__file__).absolute().parents[1]), name=name)
    return [sys.executable, "-c", _WITHOUT_FOLDER + run, *arguments]


def python_alone(*arguments: str) -> list[str]:
    """Return the command that runs a file, or ``-c`` and a program, with the standard library and nothing else.

    It sees neither installed packages nor variables such as PYTHONPATH, and writes no byte code.
    """
    return [interpreter(), "-I", "-S", "-B", *arguments]


@functools.cache
def interpreter() -> str:
    """Return the interpreter itself; ``sys.executable`` may be a link in a virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


@contextlib.contextmanager
def safe_spawning() -> Iterator[None]:
    """Let the processes that a library starts in this block run no file of the current folder.

    Python 3.10 does not know the variable, so there the folder stays on their path.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def program(name: str) -> str | None:
    """Return the path of a program on the PATH; None if it is missing, or only in the current folder.

    Windows looks into the current folder first, and so does a PATH with an empty entry.
    """
    found = shutil.which(name)
    return found if found is not None and Path(found).is_absolute() else None
