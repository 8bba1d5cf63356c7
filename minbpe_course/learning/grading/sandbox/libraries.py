"""Find the shared libraries that a Python loads, under every name by which the loader asks for them.

A sandbox that shows only the necessary libraries has to know them, and every distribution has them elsewhere. So an
interpreter imports all of its modules and the packages, and the kernel lists the files that it has mapped. This takes
about a second, once per grader and set of packages. Limits: Linux only.
"""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from minbpe_course.learning.grading.sandbox.base import (
    interpreter,
    loader_path,
    package_origins,
    package_parts,
    standard_library,
)
from minbpe_course.start_python import python_alone

SECONDS = 120
# Modules for terminals, windows and directory services need half of all libraries, and every start pays for each mount.
# No answer needs them, so importing one of these fails, as in a Python that was built without it.
_NOT_SHOWN = {"_testcapi", "_tkinter", "_curses", "_curses_panel", "readline", "nis"}
_IMPORT_ALL = """
import importlib, importlib.util, sys
for name in {modules!r}:
    try:
        importlib.import_module(name)
    except BaseException:
        pass
for name, origin in {packages!r}:
    try:
        spec = importlib.util.spec_from_file_location(name, origin)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    except BaseException:
        pass
sys.stdout.write(open("/proc/self/maps").read())
"""


@functools.lru_cache(maxsize=64)
def libraries(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the interpreter, the loader and its cache, and every library outside the folders that are shown anyway."""
    shown = {Path(interpreter()), Path("/etc/ld.so.cache"), *Path("/").glob("lib*/ld-*.so*")}
    folders = [*standard_library(), *(part for name in packages for part in package_parts(name))]
    for path in _mapped(packages):
        if not any(path.is_relative_to(folder) for folder in folders):
            # The loader asks for libz.so.1, the kernel names libz.so.1.3: both names are needed.
            shown |= {entry for entry in path.parent.iterdir() if entry.is_symlink() and entry.resolve() == path}
            shown.add(path)
    # /lib may be a link to /usr/lib: a file is where the links of its folders end.
    return tuple(sorted({str(path.parent.resolve() / path.name) for path in shown if path.exists()}))


def _mapped(packages: Sequence[str]) -> set[Path]:
    modules = {path.name.partition(".")[0] for folder in standard_library() for path in folder.glob("lib-dynload/*.so")}
    modules |= {path.name.partition(".")[0] for path in standard_library()[-1].glob("*.so")}
    origins = list(package_origins(packages).items())
    source = _IMPORT_ALL.format(modules=sorted(modules - _NOT_SHOWN), packages=origins)
    # The current folder may be a learner's, and contain an array.py.
    command = python_alone("-c", source)
    run = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=True, env=loader_path()
    )
    lines = [line.split(None, 5) for line in os.fsdecode(run.stdout).splitlines()]
    names = {line[5] for line in lines if len(line) == 6 and line[5].startswith("/") and ".so" in line[5]}
    return {Path(name) for name in names}
