"""Record which tests execute which line, and choose from the record the tests for a fault."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from coverage import CoverageData

from tools.mutants.faults import Fault

# An import of the file of a test, in seconds.
IMPORT = 0.5

# The tests of kernels that run without compiling, in reasonable time.
PLAIN_TESTS = ["tests/kernels", "-k", "test_small and not without_compiling"]


def record(root: Path, folder: Path, packages: Iterable[Path], processes: int) -> None:
    """Run the tests of ``make test`` in ``root``, without the lessons, and write the record into ``folder``.

    The lines of kernels are recorded from a second run, without compiling.
    """
    shutil.rmtree(folder, ignore_errors=True)
    _run(root, folder, packages, ["-n", str(processes), "--dist", "loadfile", "tests", "minbpe_course"], {})
    plain = {"NUMBA_DISABLE_JIT": "1"}
    _run(root, folder / "plain", [root / "minbpe_course/kernels"], PLAIN_TESTS, plain)


def _run(root: Path, folder: Path, packages: Iterable[Path], options: list[str], settings: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    settings = settings | {
        "RECORD_TO": str(folder),
        "RECORD_PACKAGES": os.pathsep.join(map(str, packages)),
        "PYTHONPATH": os.pathsep.join([str(root), str(Path(__file__).parent)]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "recorder", "-p", "no:nbval", "-p", "no:cacheprovider"]
    # Tests that fail are left out of the record.
    subprocess.run([*command, "-m", "not slow and not browser", *options], env=os.environ | settings, cwd=root)


class Record:
    """A record of the tests in ``root``: the seconds of each, and the lines that it executes."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder
        self._lines: dict[str, dict[int, set[str]]] = {}

    @cached_property
    def plain(self) -> Record:
        """The record of the tests of kernels that run without compiling."""
        return Record(self._root, self._folder / "plain")

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Seconds of each test that passed."""
        found: dict[str, float] = {}
        for path in self._folder.glob("times-*.json"):
            found |= json.loads(path.read_text(encoding="utf-8"))
        return found

    @cached_property
    def _data(self) -> list[CoverageData]:
        opened = [CoverageData(str(path)) for path in self._folder.glob("coverage*")]
        for data in opened:
            data.read()
        return opened

    def tests_of_lines(self, file: str) -> dict[int, set[str]]:
        """Return the tests that execute each line of ``file``."""
        if file not in self._lines:
            tests = self._lines[file] = defaultdict(set)
            for data in self._data:
                for line, contexts in data.contexts_by_lineno(str(self._root / file)).items():
                    tests[line].update(contexts)
        return self._lines[file]

    def tests_for(self, fault: Fault, seconds: float) -> list[str]:
        """Return tests that execute the line of ``fault`` and take ``seconds`` together."""
        lines = self.tests_of_lines(fault.file)
        tests = next((lines[line] - {""} for line in fault.lines if lines.get(line, {""}) - {""}), set())
        return self.shortest(tests or self._tests_of_processes(fault.file), seconds, fault.file)

    def _tests_of_processes(self, file: str) -> set[str]:
        """Return the tests of a file of ``grading`` or ``submissions``, most of which runs in other processes."""
        package = Path(file).parent.name
        return {test for test in self.seconds if package == "grading" and test.startswith("tests/learning/grading/")}

    def tests_of_kernel(self, fault: Fault, seconds: float) -> list[str]:
        """Return compiled tests for ``fault``: nothing can record the lines of compiled kernels.

        They are those of ``tests/kernels`` that import the file of the fault, and those of another package that
        execute a file of it that does; failing that, those of the kernels that call it.
        """
        sources = {
            self._name(path): path.read_text(encoding="utf-8") for path in self._root.glob("minbpe_course/**/*.py")
        }
        tests = {self._name(path): path.read_text(encoding="utf-8") for path in self._root.glob("tests/kernels/*.py")}
        users, size = {fault.file}, 0
        while size < len(users):
            size = len(users)
            files = {file for file, text in tests.items() if _imports(text, users)}
            found = {test for test in self.seconds if test.partition("::")[0] in files}
            for file, text in sources.items():
                if "/kernels/" not in file and _imports(text, users):
                    own = f"tests/{Path(file).parts[1]}/"
                    executing = set().union(*self.tests_of_lines(file).values())
                    found |= {test for test in executing if test.startswith(own)}
            chosen = self.shortest(found, seconds, fault.file)
            if chosen:
                return chosen
            users |= {file for file, text in sources.items() if "/kernels/" in file and _imports(text, users)}
        return []

    def _name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def shortest(self, tests: set[str], seconds: float, file: str = "") -> list[str]:
        """Return the shortest of ``tests``, in turn from each file of tests, those of one file together.

        file : the file of the package whose own tests come first, then those of its package.
        """
        turns: dict[str, int] = defaultdict(int)
        ordered = []
        for test in sorted(tests & self.seconds.keys(), key=lambda test: (self.seconds[test], test)):
            home = test.partition("::")[0]
            turns[home] += 1
            ordered.append((turns[home] / _nearness(home, file), test))
        chosen: dict[str, list[str]] = defaultdict(list)
        for _, test in sorted(ordered):
            home = test.partition("::")[0]
            cost = self.seconds[test] + (0 if home in chosen else IMPORT)
            if cost <= seconds:
                seconds -= cost
                chosen[home].append(test)
        groups = sorted(chosen.values(), key=lambda group: sum(map(self.seconds.__getitem__, group)))
        return [test for group in groups for test in group]


def _nearness(tests: str, file: str) -> int:
    """Return how many tests of the file ``tests`` to take in one turn, for a fault in ``file``."""
    of_package = tests.startswith(("/".join(["tests", *Path(file).parts[1:2]]) + "/", file))
    return 32 if of_package and Path(file).stem in Path(tests).stem else 4 if of_package else 1


def _imports(source: str, files: Iterable[str]) -> bool:
    """Whether ``source`` imports one of the kernel files, or something from it."""
    # Other packages import them from kernels/lazy.py.
    names = "|".join(Path(file).stem for file in files)
    kernels = r"from minbpe_course\.kernels"
    return bool(
        re.search(rf"{kernels}[\w.]*\.({names}) import|{kernels}[\w.]* import (\([^)]*|[^\n]*)\b({names})\b", source)
    )
