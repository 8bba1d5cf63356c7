"""Compiled kernels are found again by other processes, and everything works where they cannot be stored."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import minbpe_course
from minbpe_course import warm_up
from minbpe_course.kernels.common.store import SUFFIX

pytestmark = pytest.mark.medium

COMPILED = not numba.config.DISABLE_JIT
PACKAGE = Path(minbpe_course.__file__).parent

# Counts pairs with the arrays of ids given; says what was compiled and what came out.
COUNT = """
import sys
import numpy as np
if "strange numba" in sys.argv:
    # A name that Numba itself needs no more once it is at work.
    import numba
    from numba.core import caching
    numba.njit(lambda number: number)(1)
    del caching.FunctionCache
from minbpe_course.kernels.common import compiled
told = []
compiled.on_compile.append(told.append)
from minbpe_course.kernels.training import pairs
for kind in sys.argv[1].split(","):
    ids = np.array([1, 2, 1, 2], dtype=kind)
    out = np.empty_like(ids)
    print(kind, out[: pairs.merge_pair(ids, 1, 2, 3, out)].tolist())
print(*told)
"""

# Prints which compiled code is requested, on disk or not.
ASKED = """
import atexit
from minbpe_course.kernels.common import compiled
asked, read = set(), compiled.STORE.read
compiled.STORE.read = lambda kernel, key: asked.add(kernel + " " + key.replace(" ", "")) or read(kernel, key)
atexit.register(lambda: print(*sorted(asked), sep="\\n"))
"""

# The first calls of a lesson, with every class.
LESSON = """
from minbpe_course import BasicTokenizer, RegexTokenizer, GPT4Tokenizer, Encoding, get_encoding, train
text = "Start-up: the cat in the hat, 2024… 温 " * 3
for name in ("gpt2", "cl100k_base", "o200k_base"):
    encoding = get_encoding(name)
    assert encoding.decode(encoding.encode(text)) == text
    assert encoding.decode(encoding.encode_to_numpy(text)) == text
    assert encoding.decode_batch(encoding.encode_batch([text, "a"])) == [text, "a"]
    assert encoding.encode_with_unstable("the cat  ")[0]
    ids = encoding.encode(text)
    assert b"".join(encoding.decode_tokens_bytes(ids)).decode() == encoding.decode_with_offsets(ids)[0] == text
small = Encoding("small", pat_str=encoding._pat_str, mergeable_ranks={bytes([b]): b for b in range(256)} | {b"th": 256},
                 special_tokens={"<|end|>": 300})
assert small.decode(small.encode(text + "<|end|>", allowed_special="all")) == text + "<|end|>"
for tokenizer in (BasicTokenizer(), RegexTokenizer()):
    tokenizer.train(text, 260)
    assert tokenizer.decode(tokenizer.encode(text)) == text
assert GPT4Tokenizer().decode(GPT4Tokenizer().encode(text)) == text
for rule in ("first-seen", "greatest-bytes", "smallest-pair", "huggingface"):
    train(text, 260, tie_break=rule)
"""


def environment(cache: Path | None, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return {**kept, **({"NUMBA_CACHE_DIR": str(cache)} if cache else {}), **more}


def run(program: str, *arguments: str, package: Path = PACKAGE, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-W", "error::UserWarning", "-c", program, *arguments]
    done = subprocess.run(
        command, env=environment, cwd=package.parent, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done


def answers(done: subprocess.CompletedProcess) -> tuple[list[str], list[str]]:
    *lines, told = done.stdout.splitlines()
    return lines, told.split()


@pytest.fixture
def read_only_package(tmp_path: Path) -> Path:
    """A copy of the package with a file in place of the cache folder, so that nothing can be stored next to it."""
    copy = tmp_path / "install" / "minbpe_course"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "data", "_lessons"))
    (copy / "kernels" / "__pycache__").write_text("", encoding="utf-8")
    return copy


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_processes_that_compile_at_once_do_no_harm(tmp_path: Path) -> None:
    # Different types under one name in the same moment: an index shared by all would mix them up.
    orders = ["int32,int64", "int64,int32", "int16,int64", "int32,int16"]
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", COUNT, order], env=environment(tmp_path), stdout=subprocess.PIPE, text=True,
            cwd=PACKAGE.parent,
        )
        for order in orders
    ]  # fmt: skip
    for order, process in zip(orders, begun):
        assert process.communicate()[0].splitlines()[:2] == [f"{kind} [3, 3]" for kind in order.split(",")]
        assert process.returncode == 0
    lines, told = answers(run(COUNT, "int16,int32,int64", **environment(tmp_path)))
    assert lines == ["int16 [3, 3]", "int32 [3, 3]", "int64 [3, 3]"]
    assert told == [], "the next process compiles nothing"
    assert len(list(tmp_path.rglob("*"))) == 1 + len(list(tmp_path.rglob(f"*{SUFFIX}"))), "and no scraps are left"


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    first = run(COUNT, "int32", **environment(tmp_path))
    assert answers(first)[1] == ["pairs.merge_pair"]
    (path,) = tmp_path.rglob(f"*{SUFFIX}")
    whole = path.read_bytes()
    for damaged in (b"", whole[:1000], whole[:-1] + bytes([whole[-1] ^ 1])):
        path.write_bytes(damaged)
        again = run(COUNT, "int32", **environment(tmp_path))
        assert again.stdout == first.stdout
        assert again.stderr == ""
        assert path.stat().st_size == len(whole)
    assert answers(run(COUNT, "int32", **environment(tmp_path)))[1] == []


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_whole_files_that_numba_does_not_understand_are_compiled_again(tmp_path: Path) -> None:
    run(COUNT, "int32", **environment(tmp_path))
    (path,) = tmp_path.rglob(f"*{SUFFIX}")
    spoil = (
        "import sys; from pathlib import Path; from minbpe_course.kernels.common.store import MAGIC, _digest\n"
        "Path(sys.argv[1]).write_bytes(MAGIC + _digest(b'no pickle') + b'no pickle')"
    )
    run(spoil, str(path), **environment(tmp_path))
    lines, told = answers(run(COUNT, "int32", **environment(tmp_path)))
    assert lines == ["int32 [3, 3]"]
    assert told == ["pairs.merge_pair"]


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED or os.name == "nt", reason="nothing is compiled; another folder on Windows")
def test_a_read_only_install_says_once_where_its_kernels_are(read_only_package: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / "cache")}
    first = run(COUNT, "int32,int64", package=read_only_package, **environment(None, **home))
    assert first.stderr.count("\n") == 1, first.stderr
    assert str(read_only_package) in first.stderr
    assert "NUMBA_CACHE_DIR" in first.stderr
    second = run(COUNT, "int32,int64", package=read_only_package, **environment(None, **home))
    assert second.stderr == ""
    assert answers(second) == (answers(first)[0], [])
    assert list((tmp_path / "home").rglob(f"*{SUFFIX}"))


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED or os.name == "nt", reason="nothing is compiled; another folder on Windows")
def test_nowhere_to_write_is_slow_and_right(read_only_package: Path, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("", encoding="utf-8")
    home = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "home" / "cache")}
    done = run(COUNT, "int32,int64", package=read_only_package, **environment(None, **home))
    assert answers(done)[0] == ["int32 [3, 3]", "int64 [3, 3]"]
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_numba_with_another_inside_keeps_its_own_files(tmp_path: Path) -> None:
    for _ in range(2):
        done = run(COUNT, "int32", "strange numba", **environment(tmp_path))
        assert answers(done)[0] == ["int32 [3, 3]"]
    assert list(tmp_path.rglob("*.nbi"))
    assert not list(tmp_path.rglob(f"*{SUFFIX}"))


def test_without_the_compiler_kernels_are_plain_functions(tmp_path: Path) -> None:
    program = COUNT + "import types; assert isinstance(pairs.merge_pair, types.FunctionType)"
    lines, told = answers(run(program, "int32", **environment(tmp_path, NUMBA_DISABLE_JIT="1")))
    assert (lines, told) == (["int32 [3, 3]"], [])
    assert not list(tmp_path.rglob("*.*"))


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_after_warm_up_nobody_waits_for_the_compiler() -> None:
    warm_up()
    again: list[str] = []
    warm_up(compiling=lambda line, before: again.append(line))
    assert again == []
    warmed = run(f"{ASKED}from minbpe_course import warm_up; warm_up()", **environment(None)).stdout.splitlines()
    lesson = run(ASKED + LESSON, **environment(None)).stdout.splitlines()
    assert len(lesson) > 10
    assert set(lesson) - set(warmed) == set()
