"""Compiled kernels are found again by other processes, and everything works where they cannot be stored."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numba
import pytest

import minbpe_course
from minbpe_course import warm_up

pytestmark = pytest.mark.medium

COMPILED = not numba.config.DISABLE_JIT
needs_cache = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
PACKAGE = Path(minbpe_course.__file__).parent

# Rights do not stop root, so the process itself refuses to write below a folder.
NO_WRITING = """
import sys
def refuse(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(FORBIDDEN) and arguments[2] & 3:
        raise PermissionError(13, "Permission denied", arguments[0])
sys.addaudithook(refuse)
"""

# Counts pairs with the arrays of ids given; says what was compiled and what came out.
COUNT = """
import sys
import numpy as np
if "without a cache" in sys.argv:
    # Numba itself needs the name no more once it is at work.
    import numba
    numba.njit(lambda number: number)(1)
    del numba.core.caching.FunctionCache
from minbpe_course.kernels import on_compile
told = []
on_compile.append(told.append)
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
from minbpe_course.kernels.common.cache import KernelCache
asked, load = set(), KernelCache.load_overload
def ask(cache, signature, context):
    asked.add(f"{cache.kernel} {signature}".replace(" ", ""))
    return load(cache, signature, context)
KernelCache.load_overload = ask
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


# The child uses a tokenizer while its parent's other thread is in the middle of its first encode: from the moment when
# that asks for a kernel, and with a kernel that takes long enough.
FORK = """
import os, signal, threading, time
from minbpe_course import get_encoding
encoding = get_encoding("gpt2")
begun = threading.Event()
def first():
    import minbpe_course.kernels.common.cache as cache
    load = cache.KernelCache.load_overload
    def slowly(*arguments):
        begun.set()
        time.sleep(0.1)
        return load(*arguments)
    cache.KernelCache.load_overload = slowly
    encoding.encode("text")
threading.Thread(target=first).start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(100)
    os._exit(encoding.decode(encoding.encode("text")) != "text")
print(os.waitpid(child, 0)[1])
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


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package whose kernels for int32 were compiled by whoever installed it."""
    copy = tmp_path_factory.mktemp("install") / "minbpe_course"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "data", "_lessons"))
    assert answers(run(COUNT, "int32", package=copy, **environment(None)))[1] == ["pairs.merge_pair"]
    return copy


@needs_cache
def test_processes_that_compile_at_once_do_no_harm(tmp_path: Path) -> None:
    # Different types under one name in the same moment: their files may replace one another.
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
    for _ in range(2):
        lines, told = answers(run(COUNT, "int16,int32,int64", **environment(tmp_path)))
        assert lines == ["int16 [3, 3]", "int32 [3, 3]", "int64 [3, 3]"]
    assert told == [], "the next process compiles nothing"


@pytest.mark.slow
@needs_cache
def test_a_disk_that_is_full_leaves_no_code_of_earlier_sources(install: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(install.parent, tmp_path / "site")) / "minbpe_course"
    with (copy / "kernels" / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    full = "import numba.core.caching as caching\ncaching.IndexDataCacheFile._save_data = lambda *_: 1 / 0\n"
    assert answers(run(full + COUNT, "int32", package=copy, **environment(None)))[1] == ["pairs.merge_pair"]
    assert answers(run(COUNT, "int32", package=copy, **environment(None)))[1] == ["pairs.merge_pair"]
    assert answers(run(COUNT, "int32", package=copy, **environment(None)))[1] == []


@needs_cache
@pytest.mark.skipif(os.name == "nt", reason="rights are those of POSIX")
def test_kernels_next_to_the_package_are_for_all_who_may_read_it(install: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(install, tmp_path / "minbpe_course"))
    run("import os\nos.umask(0o077)\n" + COUNT, "int16", package=copy, **environment(None))
    kernels = tmp_path / "__pycache__" / "minbpe_course"
    rights = {path.stat().st_mode & 0o044 for path in kernels.glob("*.nb?")}
    assert rights == {(copy / "kernels" / "common" / "cache.py").stat().st_mode & 0o044}
    assert {path.stat().st_mode & 0o055 for path in (kernels, kernels.parent)} == {copy.stat().st_mode & 0o055}


@pytest.mark.slow
@needs_cache
def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    first = run(COUNT, "int32", **environment(tmp_path))
    assert answers(first)[1] == ["pairs.merge_pair"]
    for path in [*tmp_path.rglob("*.nbc"), *tmp_path.rglob("*.nbi")]:
        whole = path.read_bytes()
        for damaged in (b"", whole[: len(whole) // 2], b"no pickle"):
            path.write_bytes(damaged)
            again = run(COUNT, "int32", **environment(tmp_path))
            assert (again.stdout, again.stderr) == (first.stdout, "")
            assert answers(run(COUNT, "int32", **environment(tmp_path)))[1] == []


@needs_cache
def test_a_read_only_folder_serves_all_and_what_it_lacks_is_kept_elsewhere(install: Path, tmp_path: Path) -> None:
    home = environment(None, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path))
    readers = f"{NO_WRITING}FORBIDDEN = {str(install.parent)!r}\n{COUNT}"
    assert answers(run(readers, "int32", package=install, **home)) == (["int32 [3, 3]"], [])
    assert not list(tmp_path.iterdir())
    for told in (["pairs.merge_pair"], []):
        done = run(readers, "int32,int64", package=install, **home)
        assert answers(done) == (["int32 [3, 3]", "int64 [3, 3]"], told)
        assert done.stderr == ""
    assert list(tmp_path.rglob("*.nbi"))


@needs_cache
@pytest.mark.parametrize("level", ["1", "2"])
def test_kernels_do_not_depend_on_asserts_and_docstrings(install: Path, level: str) -> None:
    assert answers(run(COUNT, "int32", package=install, **environment(None, PYTHONOPTIMIZE=level))) == (
        ["int32 [3, 3]"],
        [],
    )


@needs_cache
def test_a_user_without_a_home_gets_a_note_and_no_folder(install: Path, tmp_path: Path) -> None:
    # Python asks the list of users where HOME is not set; a relative XDG_CACHE_HOME is invalid.
    nobody = "import os\nos.path.expanduser = lambda path: path\n"
    kept = {name: value for name, value in environment(None).items() if name not in ("HOME", "USERPROFILE")}
    program = f"{NO_WRITING}FORBIDDEN = {str(install.parent)!r}\n{nobody}os.chdir({str(tmp_path)!r})\n{COUNT}"
    done = run(program, "int64", package=install, **kept, PYTHONPATH=str(install.parent), XDG_CACHE_HOME="here")
    assert answers(done) == (["int64 [3, 3]"], ["pairs.merge_pair"])
    assert done.stderr.count("\n") == 1
    assert "Set NUMBA_CACHE_DIR" in done.stderr
    assert "(Permission denied)" in done.stderr
    assert not list(tmp_path.iterdir())


def cold(cache: Path, *kinds: str) -> list[subprocess.Popen]:
    """Start a process for each list of kinds at once, with a folder without kernels."""
    return [
        subprocess.Popen(
            [sys.executable, "-c", COUNT, kind],
            env=environment(cache),
            stdout=subprocess.PIPE,
            text=True,
            cwd=PACKAGE.parent,
        )
        for kind in kinds
    ]


@needs_cache
def test_one_process_compiles_and_the_others_load(tmp_path: Path) -> None:
    told = [process.communicate()[0].splitlines() for process in cold(tmp_path, *["int32"] * 4)]
    assert [lines[0] for lines in told] == ["int32 [3, 3]"] * 4
    assert sorted(line for lines in told for line in lines[1:] if line) == ["pairs.merge_pair"]


@needs_cache
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("kernels", [pytest.param("compiled", marks=pytest.mark.slow), "loaded"])
def test_a_fork_waits_while_a_thread_gets_kernels(kernels: str, tmp_path: Path) -> None:
    done = run(FORK, package=PACKAGE, **environment(tmp_path if kernels == "compiled" else None))
    assert done.stdout == "0\n"


# The thread that builds needs a lock that a fork takes, too.
LOGGING = """
import os, signal, threading, time
from minbpe_course.kernels.lazy import BUILDING
import logging
begun = threading.Event()
def build():
    with BUILDING:
        begun.set()
        time.sleep(0.2)
        logging.getLogger("numba").setLevel("DEBUG")
threading.Thread(target=build).start()
begun.wait()
signal.alarm(20)
if os.fork() == 0:
    os._exit(0)
print(os.wait()[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_takes_no_lock_that_a_building_thread_needs() -> None:
    assert run(LOGGING, **environment(None)).stdout == "0\n"


def test_inside_an_archive_the_import_says_what_to_do(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "packages.zip", "w") as archive:
        for name in ("__init__.py", "lazy_names.py"):
            archive.write(PACKAGE / name, f"minbpe_course/{name}")
    program = "import sys; sys.path.insert(0, 'packages.zip'); import minbpe_course"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert "Install it with pip, or unpack the archive." in done.stderr


@needs_cache
def test_a_change_of_any_source_compiles_again(install: Path) -> None:
    other = install / "kernels" / "sentencepiece" / "segments.py"
    source = other.read_text(encoding="utf-8")
    other.write_text(f"{source}\n# changed\n", encoding="utf-8")
    try:
        for told in (["pairs.merge_pair"], []):
            assert answers(run(COUNT, "int32", package=install, **environment(None)))[1] == told
    finally:
        other.write_text(source, encoding="utf-8")


@needs_cache
@pytest.mark.parametrize("trouble", ["nowhere to write", "without a cache"])
def test_without_a_cache_kernels_are_compiled(trouble: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for _ in range(2):
        done = run(COUNT, "int32,int64", trouble, **environment(tmp_path / "file"))
        assert answers(done)[0] == ["int32 [3, 3]", "int64 [3, 3]"]
        assert done.stderr.count("\n") == (trouble == "nowhere to write"), done.stderr


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
    # It loads them, too: afterwards, a lesson looks for none.
    warmed = f"{ASKED}from minbpe_course import warm_up; warm_up(); print(len(asked)); asked.clear()\n"
    number, *lesson = run(warmed + LESSON, **environment(None)).stdout.splitlines()
    assert int(number) > 10
    assert "".join(lesson) == ""
