"""An import and an encode leave the process as it was: garbage collector, signals, locale, and Numba itself.

In other processes, which look before and afterwards, and while it happens: what must not be called raises there.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numba
import pytest

import minbpe_course

pytestmark = [pytest.mark.medium, pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")]

WORK = """
import gc, locale, os, signal, sys
import numba
numba.njit(lambda number: number + 1)(1)

def state():
    signals = {each: signal.getsignal(each) for each in signal.valid_signals()}
    collector = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()
    return collector, signals, locale.setlocale(locale.LC_ALL), dict(os.environ)

def insides():
    # Every function and class of Numba, by the module or the class that has it.
    modules = [module for name, module in list(sys.modules.items()) if name.split(".")[0] == "numba"]
    owners = [*modules, *(each for module in modules for each in vars(module).values() if isinstance(each, type))]
    found = {(repr(owner), name): value for owner in owners for name, value in list(vars(owner).items())}
    return {key: value for key, value in found.items() if callable(value)}

def refuse(*arguments):
    raise AssertionError("called on purpose")

before, numba_before = state(), insides()
kept = gc.disable, gc.enable, gc.freeze, gc.set_threshold, signal.signal
gc.disable = gc.enable = gc.freeze = gc.set_threshold = signal.signal = refuse
looks = []
gc.callbacks.append(lambda phase, about: looks.append(gc.isenabled()))

from minbpe_course import get_encoding
encoding = get_encoding("cl100k_base")
texts = ["hello world, " * 20] * 2000
lists = encoding.encode_batch(texts)
assert encoding.decode_batch(lists) == texts
assert encoding.encode(texts[0]) == lists[0]
from minbpe_course.kernels.common.compiled import compiled, compiled_address
# Compiled here and now: only functions of the package are kept.
assert compiled(lambda number: 2 * number)(21) == 42
assert compiled_address(lambda number: 2 * number) > 0

gc.disable, gc.enable, gc.freeze, gc.set_threshold, signal.signal = kept
assert state() == before
assert looks and all(looks)
numba_after = insides()
print(*(key for key, value in numba_before.items() if numba_after.get(key) is not value))
def below(kind):
    return {kind}.union(*map(below, type.__subclasses__(kind)))
ours = [each for each in below(object) if str(each.__module__).startswith("minbpe_course")]
bases = {f"{base.__module__}.{base.__qualname__}" for each in ours for base in each.__mro__}
print(*(base for base in bases if base.startswith("numba")))
"""

# The cache with its parts, and a type, which Numba documents.
EXTENDED = {
    "caching.CacheImpl",
    "caching.Cache",
    "caching.CompileResultCacheImpl",
    "caching.FunctionCache",
    "caching._Cache",
}
EXTENDED |= {"types.abstract.Dummy", "types.abstract.Type", "types.common.Opaque"}


def test_nothing_but_a_cache_is_added() -> None:
    root = Path(minbpe_course.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, encoding="utf-8", cwd=root)
    assert done.returncode == 0, done.stderr
    replaced, extended = done.stdout.splitlines()
    assert replaced == ""
    assert set(extended.split()) == {f"numba.core.{name}" for name in EXTENDED}
