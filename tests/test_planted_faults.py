"""The tests can fail: each fault planted in a kernel, a table or a rule is found by the test that is there to find it.

Every fault is planted in a copy of the package, and the tests run there with Numba switched off, so that nothing has to
be compiled again. First the unharmed copy proves that the same tests pass.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Fault:
    """What is changed in which file of the package, and the tests that must notice."""

    name: str
    file: str
    change: Callable[[bytes], bytes]
    tests: tuple[str, ...]


def swap(old: str, new: str) -> Callable[[bytes], bytes]:
    """Return a change of source code; the old text must stand there exactly once."""

    def change(source: bytes) -> bytes:
        assert source.count(old.encode()) == 1, f"{source.count(old.encode())} places say {old!r}; the fault needs one"
        return source.replace(old.encode(), new.encode())

    return change


def other_class_of_run(number: int) -> Callable[[bytes], bytes]:
    """Return a change of a table of character classes: one of its runs gets another class."""

    def change(packed: bytes) -> bytes:
        runs = bytearray(zlib.decompress(packed))
        # Four bytes a run; the lowest three bits of the first are its class.
        runs[4 * number] ^= 1
        return zlib.compress(bytes(runs))

    return change


def flip_byte_in_the_middle(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


COUNTING = ("tests/test_counting_twins.py::test_small_counts_and_their_order",)
PAIR_COUNTS = ("tests/test_pairs_twins.py::test_small_counts_and_their_order",)
PAIR_MERGES = ("tests/test_pairs_twins.py::test_small_merges",)
TRAINING = ("tests/test_training_twins.py::test_small_cases_to_the_last_pair",)
ENCODING = (
    "tests/test_encoding_twins.py::test_short_and_long_words_meet",
    "tests/test_encoding_twins.py::test_shuffled_bytes",
)
SPLITTING = ("tests/test_split_twins.py::test_kernel_and_tiktoken_agree_on_whole_grids",)
PIECES = ("tests/test_pieces_twins.py::test_small_models", "tests/test_pieces_twins.py::test_small_any_bytes")

FAULTS = [
    Fault("the last pair is not counted", "kernels/pairs.py",
          swap("range(ids.size - 1)", "range(ids.size - 2)"), PAIR_COUNTS),
    Fault("what was merged is read again", "kernels/pairs.py",
          swap("at += 2", "at += 1"), PAIR_MERGES),
    Fault("short words are told apart by their first eight bytes alone", "kernels/counting.py",
          swap("if load64(entry) == first and there == second:", "if load64(entry) == first:"), COUNTING),
    Fault("long words are told apart by their hash alone", "kernels/counting.py",
          swap("and _same_bytes(known + 8, begin, length)", ""),
          ("tests/test_counting_twins.py::test_small_equal_hashes_are_not_equal_words",)),
    Fault("a longer table forgets where long words belong", "kernels/counting.py",
          swap("        if second >= _LONG:\n            at = np.int64(load64(entry) & np.uint64(size - 1))\n", ""),
          COUNTING),
    Fault("a text may be cut between two letters", "corpus/blocks.py",
          swap("(?=[\\\\s.,;:", "(?=[s\\\\s.,;:"),
          ("tests/test_counting_twins.py::test_cuts_change_no_word[o200k_base]",)),
    Fault("ties go to the smallest bytes", "kernels/training_heap.py",
          swap("return x > y", "return x < y"), TRAINING),
    Fault("ties go to the pair seen last", "kernels/training_heap.py",
          swap("return tie < other", "return tie > other"), TRAINING),
    Fault("what lies far from its word's count counts for another word", "kernels/training.py",
          swap("if back[at] == FAR:", "if back[at] > FAR:"),
          ("tests/test_training_twins.py::test_small_words_longer_than_a_byte_can_count",)),
    Fault("the threshold never goes down to the rarest pairs", "kernels/training.py",
          swap("if threshold <= count < old:", "if threshold < count < old:"), TRAINING),
    Fault("the readable heap throws outdated entries away", "reference/incremental_training.py",
          swap("heapq.heapreplace(heap, true)", "heapq.heappop(heap)"),
          ("tests/test_incremental_training_twins.py::test_small_cases_to_the_last_pair",)),
    Fault("short words merge from the right", "kernels/encoding.py",
          swap("if values[at] < values[best]:", "if values[at] <= values[best]:"), ENCODING),
    Fault("long words merge the highest rank first", "kernels/encoding.py",
          swap("if child + 1 < size and heap[child + 1] < heap[child]:",
               "if child + 1 < size and heap[child + 1] > heap[child]:"), ENCODING),
    Fault("numbers are cut after two digits", "kernels/split.py",
          swap("for _ in range(2):", "for _ in range(1):"), SPLITTING),
    Fault("white space keeps its last blank", "kernels/split.py",
          swap("elif at < size and last > begin:", "elif at < size and last > size:"), SPLITTING),
    Fault("'ll is no contraction", "kernels/split.py",
          swap("(first == 0x6C and second == 0x6C)", "(first == 0x6C and second == 0x6D)"), SPLITTING),
    Fault("equal scores merge from the right", "kernels/pieces.py",
          swap("if values[at] >> 32 < best_rank:", "if values[at] >> 32 <= best_rank:"), PIECES),
    Fault("short stretches never merge their last pair", "kernels/pieces.py",
          swap("begin, end = 0, number - 1\n", "begin, end = 0, number - 2\n"), PIECES),
    Fault("the soft hyphen counts as printable", "text/byte_alphabet.py",
          swap("range(0xA1, 0xAD), *range(0xAE, 0x100)", "range(0xA1, 0xAE), *range(0xAE, 0x100)"),
          ("tests/test_byte_alphabet.py::test_the_characters_are_those_of_hugging_face",)),
    Fault("GPT-4's numbers have two digits", "text/patterns.py",
          swap(r"\p{N}{1,3}+|", r"\p{N}{1,2}+|"),
          ("tests/test_patterns.py::test_named_patterns_are_those_of_the_installed_tiktoken",)),
    Fault("one run of characters has another class", "text/data/classes-tiktoken.zlib", other_class_of_run(100),
          ("tests/test_unicode_tables.py::test_every_code_point_has_the_class_that_the_installed_engine_gives_it",)),
    Fault("one bit of GPT-2's merges is wrong", "vocabularies/data/r50k.merges", flip_byte_in_the_middle,
          ("tests/test_vocabularies.py::test_gpt2_has_two_files_and_no_third",
           "tests/test_vocabularies.py::test_every_published_file_is_rebuilt_to_its_hash")),
    Fault("the shorter special token wins", "tokenizers/special_tokens.py",
          swap("sorted(found, reverse=True)", "sorted(found)"),
          ("tests/test_special_tokens.py::test_leftmost_then_longest",)),
]  # fmt: skip


def run_in_a_copy(folder: Path, tests: tuple[str, ...], fault: Fault | None = None) -> subprocess.CompletedProcess[str]:
    """Copy package and tests into ``folder``, plant the fault there, and run the tests on the copy."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for room in ("minbpe_course", "tests", "tools"):
        shutil.copytree(ROOT / room, folder / room, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    if fault:
        path = folder / "minbpe_course" / fault.file
        path.write_bytes(fault.change(path.read_bytes()))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    options = {"capture_output": True, "text": True, "check": False, "timeout": 300}
    return subprocess.run(command, cwd=folder, env=environment, **options)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[subprocess.CompletedProcess[str]]]]:
    """Run every fault, and the unharmed copy under "", two at a time."""
    every_test = tuple(dict.fromkeys(test for fault in FAULTS for test in fault.tests))
    with ThreadPoolExecutor(max_workers=2) as pool:
        started = {"": pool.submit(run_in_a_copy, tmp_path_factory.mktemp("unharmed"), every_test)}
        for fault in FAULTS:
            started[fault.name] = pool.submit(run_in_a_copy, tmp_path_factory.mktemp("fault"), fault.tests, fault)
        yield started


def test_the_unharmed_copy_passes(runs: dict[str, Future[subprocess.CompletedProcess[str]]]) -> None:
    run = runs[""].result()
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_is_found(fault: Fault, runs: dict[str, Future[subprocess.CompletedProcess[str]]]) -> None:
    run = runs[fault.name].result()
    # 1 is "a test failed"; anything else would be a copy that could not even be read, which proves nothing.
    assert run.returncode == 1, f"{fault.tests} did not notice:\n{run.stdout}{run.stderr}"


def test_the_faults_are_spread_over_the_engine() -> None:
    assert len(FAULTS) >= 10
    harmed = {fault.file.partition("/")[2] for fault in FAULTS if fault.file.startswith("kernels/")}
    assert {
        "pairs.py",
        "counting.py",
        "training.py",
        "training_heap.py",
        "encoding.py",
        "split.py",
        "pieces.py",
    } <= harmed
