"""Plants faults in a copy of the package, one after another, and runs the tests that must notice, in one process.

    python fault_driver.py FOLDER  <  [[file, source in base64, [tests]], ...]

prints a line of JSON for each: pytest's exit code, and what it said.

A fault is gone before the next is planted; a fault without a file is none, and shows that the same tests pass. What
takes long to import stays; the package and its tests are imported again for every fault. What Python made of their
sources is kept and told apart by a hash, so that only the harmed file is compiled again: times and sizes are not enough
where files change within a second.
"""

from __future__ import annotations

import base64
import compileall
import contextlib
import importlib
import io
import json
import os
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
# Coverage, notebooks and the like have nothing to do here, and some take a second to begin.
QUICK = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:nbval", "-p", "no:xdist")


class Planted(NamedTuple):
    """What a file of the package becomes, and the tests that must notice; no file: no fault."""

    file: str
    source: bytes
    tests: Sequence[str]


def in_two_copies(folders: Iterable[Path], planted: Sequence[Planted], **environment: str) -> Iterable[tuple[int, str]]:
    """Return pytest's exit code and what it said for each, in order; two copies work at a time."""
    halves = [planted[::2], planted[1::2]]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda folder, half: _in_a_copy(folder, half, environment), folders, halves))
    return [found[at % 2][at // 2] for at in range(len(planted))]


def _in_a_copy(folder: Path, planted: Sequence[Planted], more: dict[str, str]) -> list[tuple[int, str]]:
    for room in ("minbpe_course", "tests", "tools"):
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(folder), **more}
    told = json.dumps([[one.file, base64.b64encode(one.source).decode(), one.tests] for one in planted])
    run = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "fault_driver.py"), str(folder)],
        input=told, capture_output=True, text=True, encoding="utf-8", check=False, cwd=folder, env=environment,
        timeout=4 * PATIENCE,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return [tuple(json.loads(line)) for line in run.stdout.splitlines()]


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

    answers, faults = sys.stdout, json.load(sys.stdin)
    compileall.compile_dir(folder, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)

    def run(*arguments: str) -> tuple[int, str]:
        said = io.StringIO()
        forget(folder)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return int(pytest.main([*QUICK, *arguments])), said.getvalue()

    # The tests are never harmed: pytest keeps what it makes of them, once, and nothing that is made of a fault.
    run("--collect-only", *dict.fromkeys(test for _, _, tests in faults for test in tests))
    sys.dont_write_bytecode = True
    for file, planted, tests in faults:
        path = folder / "minbpe_course" / (file or "errors.py")
        source = path.read_bytes()
        try:
            if file:
                path.write_bytes(base64.b64decode(planted))
            code, said = run(*tests)
        finally:
            path.write_bytes(source)
        answers.write(json.dumps([code, said]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
