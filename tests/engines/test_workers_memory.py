"""The engine never remembers wrong ids, reads too far, or takes a shortcut that a vocabulary does not allow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
import tiktoken

from minbpe_course import get_encoding, use_bundled_vocabularies
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.sentencepiece.bpe import PieceEngine
from minbpe_course.engines.text_engine import TextEngine
from minbpe_course.engines.workers import OUT_SLACK, TextWorker
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import BytePairModel
from tests.shared.cases import mixed_texts
from tests.shared.patience import PATIENCE
from tests.shared.piece_cases import mistral_files

COMPILED = not numba.config.DISABLE_JIT
pytestmark = [pytest.mark.medium, pytest.mark.skipif(not COMPILED, reason="many and long texts")]


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    use_bundled_vocabularies()


def one_worker(engine: TextEngine) -> TextWorker:
    assert len(engine._workers) == 1
    return engine._workers[0]


# Caches


def engine_with(entries: int, long_entries: int) -> BytePairEngine:
    """cl100k_base with caches of this size, with nothing in them."""
    engine = BytePairEngine.from_model(cl100k(), repair=True, proven=True)
    worker = one_worker(engine)
    worker._set_cache(entries)
    worker._set_long_cache(long_entries)
    return engine


def cl100k() -> BytePairModel:
    from minbpe_course import vocabularies

    return vocabularies.load("cl100k_base")


@pytest.mark.parametrize(("length", "number"), [(400, 2000), (100_000, 1)])
def test_a_trie_is_built_for_many_long_words_or_a_very_long_one(length: int, number: int) -> None:
    """Before that, a heap merges as many bytes as all tokens have."""
    engine, theirs = engine_with(1 << 12, 1 << 10), tiktoken.get_encoding("cl100k_base")
    word, block = "ab" * (length // 2), one_worker(engine).block
    expected = theirs.encode_ordinary(word)
    for merged in range(0, number * length, length):
        if merged:
            assert (block.trie != 0) == (merged > len(engine.tables.token_text)), merged
        assert engine.encode(word).tolist() == expected
    assert block.trie != 0


# Memory


def encode_at_borders() -> int:
    """Encode texts between two protected pages, to arrays that end at such a page; return how many.

    Reading or writing one byte too far ends the process.
    """
    import ctypes
    import mmap

    page = mmap.PAGESIZE
    pages = 8
    libc = ctypes.CDLL(None, use_errno=True)

    def guarded() -> tuple[mmap.mmap, int]:
        memory = mmap.mmap(-1, (pages + 2) * page)
        begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for border in (begin, begin + (pages + 1) * page):
            assert libc.mprotect(ctypes.c_void_p(border), ctypes.c_size_t(page), 0) == 0, ctypes.get_errno()
        return memory, begin + page

    text_memory, text_begin = guarded()
    out_memory, out_begin = guarded()
    size = pages * page
    room = np.frombuffer((ctypes.c_uint8 * size).from_address(out_begin), dtype=np.uint32)
    count = 0
    whole = "".join(mixed_texts(23, 200))
    use_bundled_vocabularies()
    engines: dict[str, TextEngine] = {
        name: get_encoding(name)._engine for name in ("gpt2", "cl100k_base", "o200k_base")
    }
    engines |= {name: PieceEngine(sentencepiece_proto.read(mistral_files()[name])) for name in ("v1", "v7")}
    for name, engine in engines.items():
        worker = one_worker(engine)
        texts = [whole[at : at + length] for length in range(0, 200, 3) for at in range(0, 1400, 350)]
        texts += [
            unit * length
            for unit in ("x", " ", "\n", "中", "é", "1", "ab", "\U0001f600")
            for length in range(0, 140, 3)
        ]
        for text in texts:
            data = text.encode()
            wanted = engine.encode(text).tolist()
            for begin in {text_begin + size - len(data), text_begin}:
                ctypes.memmove(begin, data, len(data))
                out = room[len(room) - len(data) - OUT_SLACK :]
                worker.clear() if count % 500 == 0 else None
                worker.place(begin, len(data))
                assert worker.encode(out).tolist() == wanted, (name, text)
                count += 1
    del text_memory, out_memory
    return count


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux to forbid a page")
def test_nothing_behind_a_text_is_read_and_nothing_behind_its_ids_written() -> None:
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r})\n"
    code += "from tests.engines import test_workers_memory\nprint(test_workers_memory.encode_at_borders())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, f"ended by {run.returncode}: {run.stderr[-2000:]}"
    assert int(run.stdout) > 3_000


# Ids


# Vocabularies
