"""Results stay right when a release of Numba or Python removes, renames or changes a private interface.

Changes that concern one compiled function are made in this process, others in a new one before the package is
imported. With MINBPE_COURSE_LONG_TESTS=1 a whole program runs after each of them.
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
LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"

pytestmark = [pytest.mark.medium, pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")]

BEFORE = """
import contextlib, ctypes, sys
import llvmlite.binding
import numba, numba.extending
from numba.core import caching, ccallback, cgutils, codegen, compiler, dispatcher, registry, serialize, sigutils
from numba.core import untyped_passes
from numba.core.base import BaseContext
from numba.core.codegen import CPUCodegen
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.misc import appdirs

# Numba itself is done with its preparations: what is changed below concerns others.
numba.njit(lambda number: number + 1)(1)
numba.cfunc("int64(int64)")(lambda number: number + 1)

def broken(*arguments, **named):
    raise RuntimeError("changed on purpose")

def others(*, other, **named):
    return None
"""

# Change -> part of a note that it causes; empty where the change goes unnoticed and does no harm.
CHANGES = {
    "caching.FunctionCache._index_key = broken": "compiled code",
    "caching.FunctionCache._index_key = others": "compiled code",
    "caching.FunctionCache._index_key = lambda *given: None": "",
    "del caching.FunctionCache": "compiled code",
    "type(rtsys).initialize = broken": "loading compiled code",
    "type(rtsys).initialize = others": "loading compiled code",
    "del type(rtsys).initialize": "loading compiled code",
    "CompileResult._reduce = broken": "keeping compiled code",
    "del CompileResult._reduce": "keeping compiled code",
    "CompileResult._rebuild = broken": "loading compiled code",
    "CompileResult._rebuild = others": "loading compiled code",
    "CompileResult._rebuild = lambda *given: None": "loading compiled code",
    "del CompileResult._rebuild": "loading compiled code",
    "serialize.dumps = broken": "keeping compiled code",
    "del serialize.dumps": "keeping compiled code",
    "CPUCodegen.magic_tuple = broken": "compiled code",
    "ccallback.CFunc = broken": "CFunc",
    "ccallback.CFunc = others": "CFunc",
    "del ccallback.CFunc": "CFunc",
    "sigutils.normalize_signature = others": "CFunc",
    "dispatcher.Dispatcher.__init_subclass__ = classmethod(broken)": "without wrappers",
    "del appdirs.AppDirs": "appdirs",
    "del codegen.JITCodeLibrary": "faster",
    "del untyped_passes.ReconstructSSA": "faster",
    "appdirs.AppDirs = broken": "appdirs",
    "del cgutils.create_struct_proxy": "compiling with Numba",
    "BaseContext.make_tuple = broken": "compiling with Numba",
    "BaseContext.get_dummy_value = others": "compiling with Numba",
    "del numba.types.ExternalFunction": "calling functions of CPython",
    "numba.extending.box = broken": "calling functions of CPython",
    "del numba.extending.register_model": "calling functions of CPython",
    "llvmlite.binding.address_of_symbol = lambda name: None": "functions of CPython",
    "del llvmlite.binding.address_of_symbol": "objects of CPython",
    "del sys.getrefcount": "objects of CPython",
    "from_address = ctypes.c_ssize_t.__mul__; ctypes.string_at = broken": "objects of CPython",
    "dispatcher.Dispatcher.enable_caching = broken; del caching.FunctionCache": "own cache",
}
# Those that are made in every run of the tests: plain functions, other lists, another cache, the slower compiler.
OFTEN = (
    "BaseContext.make_tuple = broken",
    "numba.extending.box = broken",
    "del ccallback.CFunc",
    "del untyped_passes.ReconstructSSA",
)

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

PROGRAM = """
from minbpe_course import BasicTokenizer, Encoding, RegexTokenizer, train
text = "the cat in the hat, 2024: ß 温 🙂 " * 3
def encoding(model):
    return Encoding.from_model(model, "trained")
basic = BasicTokenizer().train("aaabdaaabac", 259)
assert basic.encode("aaabdaaabac") == [258, 100, 258, 97, 99]
regex = RegexTokenizer().train(text, 262)
small = encoding(train(text, 262, special_tokens=["<|end|>"]))
for tokenizer in (basic, regex, small):
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text == tokenizer.decode(tuple(ids))
    assert tokenizer.encode_batch([text, "a"]) == [ids, tokenizer.encode("a")]
    assert tokenizer.decode_with_offsets(ids)[0] == text
    assert b"".join(tokenizer.decode_tokens_bytes(ids)).decode() == text
from minbpe_course.cli.main import main
raise SystemExit(main(["doctor"]))
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


@pytest.mark.parametrize("change", CHANGES if LONG else OFTEN)
def test_a_changed_interface_costs_only_time(change: str, tmp_path: Path) -> None:
    notes = run(change, KERNEL, tmp_path).strip()
    # Where the change is one that Numba itself does not survive, kernels are plain functions.
    assert CHANGES[change] in notes or "compiling with Numba" in notes
    assert bool(CHANGES[change]) == bool(notes)


def test_the_installed_numba_causes_no_notes(tmp_path: Path) -> None:
    for _ in range(2):
        assert run("", KERNEL, tmp_path) == "\n"
    # Kernels that were kept before the change are there, and of no use.
    assert run("type(rtsys).initialize = others", KERNEL, tmp_path).strip()


def _broken(*arguments: object, **named: object) -> None:
    raise RuntimeError("changed on purpose")


def _others(*, other: object) -> None:
    """A function that takes other arguments than it did."""


WRONG = {"raises": _broken, "takes others": _others, "returns nothing": lambda *_, **__: None, "is gone": None}
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


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[1])
def test_a_cache_that_fails_compiles(
    place: tuple[Any, str], wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interface, "changes", {})
    store = KernelStore(tmp_path, ["1"], str(tmp_path / "kept"), str(tmp_path))

    def results() -> list[int]:
        function = numba.njit(_thrice)
        function._cache = KernelCache(_thrice, store)
        return [function(number) for number in (2, 2.5, 3)]

    results()
    with monkeypatch.context() as patch:
        owner, name = place
        if wrong == "is gone":
            for home in getattr(owner, "__mro__", (owner,)):
                if name in vars(home):
                    patch.delattr(home, name)
        else:
            patch.setattr(owner, name, WRONG[wrong])
        for _ in range(2):
            assert results() == [6, 7.5, 9]
    assert results() == [6, 7.5, 9]


def _thrice(number: float) -> float:
    return 3 * number


def test_unknown_cache_methods_go_to_the_cache_of_numba(tmp_path: Path) -> None:
    cache = KernelCache(_thrice, KernelStore(tmp_path, ["1"], str(tmp_path), str(tmp_path)))
    assert cache.load_overload("of", "three", "arguments") is None
    cache.save_overload("one")
    cache.disable()
    assert not hasattr(cache, "no_such_method")


def test_doctor_says_what_has_changed(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "changes", {})
    monkeypatch.setattr(CompileResult, "_rebuild", _others)
    assert main(["doctor"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "All results stay right" in told
    assert "loading compiled code: TypeError" in told
    assert "pip install 'numba==" in told
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kernels"]["changes"]


@pytest.mark.skipif(not LONG, reason="MINBPE_COURSE_LONG_TESTS=1: compiles everything, or runs it as plain Python")
@pytest.mark.parametrize("change", CHANGES)
def test_a_whole_program_works_and_doctor_explains_why_it_is_slow(change: str, tmp_path: Path) -> None:
    told = run(change, PROGRAM, tmp_path)
    assert bool(CHANGES[change]) == ("All results stay right" in told)
