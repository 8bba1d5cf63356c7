"""Results stay right when a release of Numba or Python removes, renames or changes a private interface.

Changes that concern one compiled function are made in this process, others in a new one before the package is
imported.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import caching, serialize
from numba.core.codegen import CPUCodegen
from numba.core.compiler import CompileResult

import minbpe_course
from minbpe_course.cli.main import main
from minbpe_course.kernels.common import interface
from minbpe_course.kernels.common.compiled import KernelCache
from minbpe_course.kernels.common.store import KernelStore

PACKAGE = Path(minbpe_course.__file__).parent

pytestmark = [pytest.mark.medium, pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")]

BEFORE = """
import contextlib, ctypes, sys
import llvmlite.binding
import numba, numba.extending
from numba.core import ccallback, untyped_passes
from numba.core.base import BaseContext
from numba.core.runtime import rtsys

# Numba itself is done with its preparations: what is changed below concerns others.
numba.njit(lambda number: number + 1)(1)
numba.cfunc("int64(int64)")(lambda number: number + 1)

def broken(*arguments, **named):
    raise RuntimeError("changed on purpose")
"""

# Change -> part of a note that it causes: plain functions, other lists, another cache, the slower compiler.
CHANGES = {
    "BaseContext.make_tuple = broken": "compiling with Numba",
    "numba.extending.box = broken": "calling functions of CPython",
    "del ccallback.CFunc": "CFunc",
    "del untyped_passes.ReconstructSSA": "faster",
}

KERNEL = """
import numpy as np
from minbpe_course.kernels.common import compiled
from minbpe_course.kernels.common import interface
from minbpe_course.kernels.common import lists
from minbpe_course.kernels.common import machine
from minbpe_course.kernels.training import pairs
for kind in "int32", "int64", "int32":
    ids = np.array([1, 2, 1, 2], dtype=kind)
    out = np.empty_like(ids)
    assert out[: pairs.merge_pair(ids, 1, 2, 3, out)].tolist() == [3, 3]
assert isinstance(lists.list_from(np.arange(30, dtype=np.uint32), 30), list)
assert lists.list_from(np.arange(30, dtype=np.uint32), 30) == list(range(30))
assert compiled.helper(lambda number: number + 1)(41) == 42
if not compiled.PLAIN:
    assert compiled.callback(lambda number: number + 1).address > 0
from minbpe_course.kernels.common.self_check import health
found = health()
print("|".join(found.changes))
"""


def run(change: str, program: str, cache: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", f"{BEFORE}\n{change}\n{program}"],
        env={**environment, "NUMBA_CACHE_DIR": str(cache), "PYTHONIOENCODING": "utf-8"},
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_interface_costs_only_time(change: str, tmp_path: Path) -> None:
    notes = run(change, KERNEL, tmp_path).strip()
    # Where the change is one that Numba itself does not survive, kernels are plain functions.
    assert CHANGES[change] in notes or "compiling with Numba" in notes


@pytest.mark.slow
def test_the_installed_numba_causes_no_notes(tmp_path: Path) -> None:
    for _ in range(2):
        assert run("", KERNEL, tmp_path) == "\n"
    # Kernels that were kept before the change are there, and of no use.
    assert run("type(rtsys).initialize = broken", KERNEL, tmp_path).strip()


def _broken(*arguments: object, **named: object) -> None:
    raise RuntimeError("changed on purpose")


PLACES = [
    (caching.FunctionCache, "_index_key"),
    (CompileResult, "_reduce"),
    (CompileResult, "_rebuild"),
    (serialize, "dumps"),
    (caching, "FunctionCache"),
    (interface, "start_runtime"),
    (CPUCodegen, "magic_tuple"),
    (pickle, "loads"),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[1])
def test_a_cache_that_fails_compiles(place: tuple[Any, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "changes", {})
    store = KernelStore(tmp_path, ["1"], str(tmp_path / "kept"), str(tmp_path))

    def results() -> list[int]:
        function = numba.njit(_thrice)
        function._cache = KernelCache(_thrice, store)
        return [function(number) for number in (2, 2.5, 3)]

    results()
    with monkeypatch.context() as patch:
        patch.setattr(*place, _broken)
        for _ in range(2):
            assert results() == [6, 7.5, 9]
    assert results() == [6, 7.5, 9]


def _thrice(number: float) -> float:
    return 3 * number


def test_doctor_says_what_has_changed(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "changes", {})
    monkeypatch.setattr(CompileResult, "_rebuild", _broken)
    assert main(["doctor"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "All results stay right" in told
    assert "loading compiled code: RuntimeError" in told
    assert "pip install 'numba==" in told
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kernels"]["changes"]
