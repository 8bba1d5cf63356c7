"""Plant a fault in a copy of the tree, and run tests there, in a process made for it.

The process is a fork of one that has already imported pytest and the large libraries, but neither the package nor the
tests. So a trial costs what its tests cost, and no more than 60 seconds.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.mutants.faults import Fault
from tools.mutants.record import Record

LIBRARIES = ("numpy", "numba", "regex", "pytest", "_pytest.assertion.rewrite", "hypothesis", "tiktoken", "tokenizers")
LIMIT = 60.0
LARGEST = 6 << 30

PASSED, TIMEOUT, NO_REPORT = "passed", "timeout", "a crash or a failing import"


def import_libraries() -> None:
    """Import what all trials need."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Workshop:
    """A copy of the tree in which faults are planted, one after another."""

    def __init__(self, root: Path, record: Record, seconds: float) -> None:
        self._record = record
        self._seconds = seconds
        self._sound: set[str] = set()
        self._planted = 0
        self._home = Path(tempfile.mkdtemp(prefix="mutants-"))
        self._copy = self._home / "tree"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            stdout=subprocess.PIPE,
            check=True,
        )
        kernels = root.glob("minbpe_course/kernels/__pycache__/*.kernel")
        names = [name.decode() for name in listed.stdout.split(b"\0") if name]
        for source in [*(root / name for name in names), *kernels]:
            if source.is_file():
                target = self._copy / source.relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self._home, ignore_errors=True)

    def examine(self, fault: Fault) -> str:
        """Return the test that notices ``fault``, ``"timeout"`` when it hangs, an empty text when none does."""
        kernel = "/kernels/" in fault.file
        record, settings = (self._record.plain, {"NUMBA_DISABLE_JIT": "1"}) if kernel else (self._record, {})
        # Most faults are noticed by the first tests, and collecting the others takes time, too.
        first = record.tests_for(fault, self._seconds / 4)
        others = [test for test in record.tests_for(fault, self._seconds) if test not in first]
        noticed = self._examine(fault, first, settings) or self._examine(fault, others, settings)
        if kernel and not noticed:
            # Compiled anew, in a folder of its own, which takes most of the time.
            cache = self._home / "kernels"
            tests = self._record.tests_for(fault, 5) or self._record.tests_of_kernel(fault, 5)
            noticed = self._examine(fault, tests, {"NUMBA_CACHE_DIR": str(cache)})
            shutil.rmtree(cache, ignore_errors=True)
        return noticed

    def _examine(self, fault: Fault, tests: list[str], settings: dict[str, str]) -> str:
        while tests:
            with self._planting(fault):
                result = self._run(tests, settings)
            if result == PASSED:
                return ""
            if result == TIMEOUT:
                if self._run(tests, settings) == PASSED:
                    return TIMEOUT
                tests = tests[: len(tests) // 2]
            elif result == NO_REPORT:
                return result if self._run(tests, settings) == PASSED else ""
            elif result in self._sound or self._run([result], settings) == PASSED:
                self._sound.add(result)
                return result
            else:
                # It fails in a copy of the tree even without the fault.
                tests = [test for test in tests if test != result]
        return ""

    @contextlib.contextmanager
    def _planting(self, fault: Fault) -> Iterator[None]:
        file = self._copy / fault.file
        source, status = file.read_bytes(), file.stat()
        try:
            file.write_bytes(fault.plant(source))
            # Python takes byte code for that of a source of the same time and size.
            self._planted += 1
            os.utime(file, (self._planted, self._planted))
            yield
        finally:
            file.write_bytes(source)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _run(self, tests: list[str], settings: dict[str, str]) -> str:
        """Return ``"passed"``, ``"timeout"``, or the first test that fails."""
        temporary, answer = self._home / "tmp", self._home / "answer"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        answer.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = self._inside(tests, settings | {"TMPDIR": str(temporary)}, answer)
            finally:
                os._exit(code)
        end = time.monotonic() + LIMIT
        ended = 0
        while not ended and time.monotonic() < end:
            time.sleep(0.02)
            ended, status = os.waitpid(child, os.WNOHANG)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not ended:
            os.waitpid(child, 0)
            return TIMEOUT
        if status == 0:
            return PASSED
        return answer.read_text(encoding="utf-8") if answer.exists() else NO_REPORT

    def _inside(self, tests: list[str], settings: dict[str, str], answer: Path) -> int:
        """Run the tests in the new process."""
        os.setsid()
        # A fault may make a loop endless.
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
            resource.setrlimit(limit, (LARGEST, resource.getrlimit(limit)[1]))
        os.chdir(self._copy)
        output = os.open(self._home / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ.update(settings | {"PYTHONPATH": str(self._copy)})
        tempfile.tempdir = None
        here = str(Path(__file__).resolve().parents[2])
        sys.path[:] = [str(self._copy), *(path for path in sys.path if path not in ("", here))]
        for name in [name for name in sys.modules if name.split(".")[0] in ("tools", "tests", "minbpe_course")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        import numba
        import pytest

        numba.config.reload_config()
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        options = ["-x", "-q", "-p", "no:nbval", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=short"]
        return int(pytest.main([*options, *files], plugins=[_Chosen(tests, answer)]))


class _Chosen:
    """Run only the chosen tests, and write the first that fails into a file."""

    def __init__(self, tests: list[str], answer: Path) -> None:
        self._order = {test: at for at, test in enumerate(tests)}
        self._answer = answer

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )

    def pytest_collection_finish(self) -> None:
        found = Path(sys.modules["minbpe_course"].__file__ or "").parent if "minbpe_course" in sys.modules else None
        assert found in (None, Path.cwd() / "minbpe_course"), f"the tests import the package from {found}"

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self._answer.exists():
            self._answer.write_text(report.nodeid, encoding="utf-8")
