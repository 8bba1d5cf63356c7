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
from typing import Any, NamedTuple

import pytest

from tools.mutants.faults import Fault
from tools.mutants.record import Record

LIBRARIES = ("numpy", "numba", "regex", "pytest", "_pytest.assertion.rewrite", "hypothesis", "tiktoken", "tokenizers")
LIMIT = 60.0
LARGEST = 6 << 30

PASSED, FAILED, TIMEOUT = "passed", "failed", "timeout"


def import_libraries() -> None:
    """Import what all trials need."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class _Result(NamedTuple):
    """The result of a run: the test that failed or was running at the end, and seconds of the run and of that test."""

    state: str
    test: str
    seconds: float
    seconds_of_test: float


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
        kernels = root.glob("__pycache__/minbpe_course/*.nb?")
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
        if "/kernels/" not in fault.file:
            return self._examine(fault, self._record, self._seconds, {})
        noticed = self._examine(fault, self._record.plain, self._seconds, {"NUMBA_DISABLE_JIT": "1"})
        if noticed:
            return noticed
        # Compiled anew, in a separate folder, which takes most of the time.
        cache = self._home / "kernels"
        seconds = self._seconds / 4
        tests = self._record.tests_for(fault, seconds) or self._record.tests_of_kernel(fault, seconds)
        noticed = self._try(fault, tests, {"NUMBA_CACHE_DIR": str(cache)}, LIMIT)
        shutil.rmtree(cache, ignore_errors=True)
        return noticed

    def _examine(self, fault: Fault, record: Record, seconds: float, settings: dict[str, str]) -> str:
        """Try a few tests first: they notice most faults, and collecting the others takes time, too."""
        end = time.monotonic() + LIMIT
        first = record.tests_for(fault, seconds / 4)
        others = [test for test in record.tests_for(fault, seconds) if test not in first]
        return self._try(fault, first, settings, LIMIT) or self._try(fault, others, settings, end - time.monotonic())

    def _try(self, fault: Fault, tests: list[str], settings: dict[str, str], limit: float) -> str:
        """Return what notices ``fault`` among ``tests`` in ``limit`` seconds."""
        while tests and limit > 0:
            with self._planting(fault):
                planted = self._run(tests, settings, limit)
            limit -= planted.seconds
            if planted.state == PASSED:
                return ""
            if planted.state == FAILED and planted.test in self._sound:
                return planted.test
            # A failing import names no test: the first of each file imports it again.
            again = [planted.test] if planted.test else list({_file(test): test for test in tests}.values())
            sound = self._run(again, settings, LIMIT)
            if sound.state == PASSED and planted.state == FAILED:
                self._sound.add(planted.test)
                return planted.test or "a failing import"
            if planted.state == TIMEOUT:
                return TIMEOUT if sound.state == PASSED and planted.seconds_of_test > 2 * sound.seconds else ""
            # It fails in a copy of the tree even without the fault.
            tests = [test for test in tests if test not in again]
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

    def _run(self, tests: list[str], settings: dict[str, str], limit: float) -> _Result:
        """Run the tests in a new process, up to the first that fails."""
        temporary, current = self._home / "tmp", self._home / "current"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        current.unlink(missing_ok=True)
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = self._inside(tests, settings | {"TMPDIR": str(temporary)}, current)
            finally:
                os._exit(code)
        ended, status = 0, 0
        while not ended and time.monotonic() < started + limit:
            time.sleep(0.02)
            ended, status = os.waitpid(child, os.WNOHANG)
        seconds = time.monotonic() - started
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not ended:
            os.waitpid(child, 0)
        test, since = "", started
        if current.exists():
            test, _, since_text = current.read_text(encoding="utf-8").rpartition("\n")
            since = float(since_text)
        state = TIMEOUT if not ended else PASSED if status == 0 else FAILED
        return _Result(state, test, seconds, started + seconds - since)

    def _inside(self, tests: list[str], settings: dict[str, str], current: Path) -> int:
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

        numba.config.reload_config()
        files = list(dict.fromkeys(map(_file, tests)))
        options = ["-x", "-q", "-p", "no:nbval", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=short"]
        return int(pytest.main([*options, *files], plugins=[_Chosen(tests, current)]))


class _Chosen:
    """Run only the chosen tests, and keep the one that runs or has failed in the file ``current``."""

    def __init__(self, tests: list[str], current: Path) -> None:
        self._order = {test: at for at, test in enumerate(tests)}
        self._current = current
        self._failed = False

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )

    def pytest_collection_finish(self) -> None:
        found = Path(sys.modules["minbpe_course"].__file__ or "").parent if "minbpe_course" in sys.modules else None
        assert found in (None, Path.cwd() / "minbpe_course"), f"the tests import the package from {found}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._current.write_text(f"{nodeid}\n{time.monotonic()}", encoding="utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    def pytest_runtest_logfinish(self) -> None:
        if not self._failed:
            self._current.unlink()


def _file(test: str) -> str:
    return test.partition("::")[0]
