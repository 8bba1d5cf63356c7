"""The engine never remembers wrong ids, reads too far, or takes a shortcut that a vocabulary does not allow."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
import tiktoken

from minbpe_course import Encoding, get_encoding, use_bundled_vocabularies
from minbpe_course.engines import workers
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.sentencepiece.bpe import PieceEngine
from minbpe_course.engines.text_engine import TextEngine
from minbpe_course.engines.workers import OUT_SLACK, TextWorker
from minbpe_course.errors import InvalidModel, InvalidSpecialToken
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import BytePairModel
from minbpe_course.reference.encoding import encode_word
from minbpe_course.text import patterns
from tests.shared.cases import mixed_texts
from tests.shared.patience import PATIENCE
from tests.shared.piece_cases import mistral_files
from tests.shared.small_models import LETTERS, byte_ids, ranks_of, some_text, trained

COMPILED = not numba.config.DISABLE_JIT
pytestmark = [pytest.mark.medium, pytest.mark.skipif(not COMPILED, reason="many and long texts")]


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    use_bundled_vocabularies()


def one_worker(engine: TextEngine) -> TextWorker:
    assert len(engine._workers) == 1
    return engine._workers[0]


# Caches


TEXTS = [*mixed_texts(21, 1500), "x" * 300, "ab" * 200, *(f"word{k} " * 3 for k in range(200))]


@pytest.fixture(scope="module")
def right() -> list[list[int]]:
    theirs = tiktoken.get_encoding("cl100k_base")
    return [theirs.encode_ordinary(text) for text in TEXTS]


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


@pytest.mark.parametrize("entries", [1, 2, 16, 1 << 12])
@pytest.mark.parametrize("long_entries", [1, 2, 1 << 10])
def test_caches_may_be_small_and_grow(entries: int, long_entries: int, right: list[list[int]]) -> None:
    engine = engine_with(entries, long_entries)
    worker = one_worker(engine)
    for _ in range(2):
        assert [engine.encode(text).tolist() for text in TEXTS] == right
    assert worker.block.cache_mask + 1 > 4 * entries or entries == 1 << 12
    assert worker.block.long_mask + 1 > 4 * long_entries or long_entries == 1 << 10
    engine.clear_caches()
    assert [engine.encode(text).tolist() for text in TEXTS[:300]] == right[:300]


@pytest.mark.parametrize("most", [1, 2, 8, 256])
@pytest.mark.parametrize("bytes_an_entry", [1, 350])
def test_caches_that_may_not_grow_forget_and_never_lie(
    most: int, bytes_an_entry: int, right: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MOST_ENTRIES", most)
    monkeypatch.setattr(workers, "MOST_LONG_ENTRIES", most)
    monkeypatch.setattr(workers, "ARENA_BYTES_AN_ENTRY", bytes_an_entry)
    engine = engine_with(most, most)
    worker = one_worker(engine)
    epoch = worker.block.epoch
    for _ in range(2):
        assert [engine.encode(text).tolist() for text in TEXTS] == right
    assert worker.block.cache_mask + 1 == worker.block.long_mask + 1 == most
    # The arena was begun again and again.
    assert worker.block.epoch > epoch + (100 if bytes_an_entry == 1 else 1)
    worker.clear()
    assert worker.block.cache_mask + 1 <= most


def test_a_worker_that_has_seen_everything_is_like_a_fresh_one() -> None:
    """Words that share places in the caches, lengths and beginnings, many times, in other orders."""
    chance = random.Random(22)
    model = trained(4, LETTERS + "xyz", 90, pattern=patterns.CL100K_PATTERN)
    old = BytePairEngine.from_model(model)
    words = [some_text(chance, LETTERS + "xyz", chance.randint(1, 60)) for _ in range(3000)]
    words += [word + tail for word in words[:500] for tail in ("\x00", "\x00\x00", "x")]
    expected = {}
    for word in words[:1500]:
        fresh = BytePairEngine.from_model(model) if len(expected) % 50 == 0 else fresh  # noqa: F821
        fresh.clear_caches()
        expected[word] = fresh.encode(word).tolist()
    for _ in range(3):
        chance.shuffle(words)
        for word in words:
            found = old.encode(word).tolist()
            assert expected.setdefault(word, found) == found, word


def test_words_of_zeros_are_not_taken_for_free_places() -> None:
    theirs, ours = tiktoken.get_encoding("gpt2"), get_encoding("gpt2")
    for size in [*range(1, 20), 100, 300]:
        for text in ("\x00" * size, "\x00" * size + "a", "a" + "\x00" * size, "\xff" * size):
            for _ in range(2):
                assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)


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
        texts = [whole[at : at + length] for length in range(200) for at in range(0, 1400, 350)]
        texts += [
            unit * length for unit in ("x", " ", "\n", "中", "é", "1", "ab", "\U0001f600") for length in range(140)
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
    assert int(run.stdout) > 10_000


# Ids


def test_ids_may_be_as_large_as_four_bytes_hold() -> None:
    """The cache keeps four ids to an entry, the last of them in three bytes: larger ones go elsewhere."""
    model = trained(6, "abcd ", 60)
    plain = ranks_of(model)
    chance = random.Random(24)
    texts = [some_text(chance, "abcd ", size) for size in (1, 3, 4, 8, 15, 16, 30, 100) for _ in range(40)]
    # The last id of all is tiktoken's word for "no rank".
    last = (1 << 32) - len(plain)
    for base, step in (
        (1 << 24, 1),
        ((1 << 24) - 200, 3),
        ((1 << 32) - 640, 2),
        (0, 13_000_000),
        (1 << 31, 1),
        (last, 1),
    ):
        ranks = {token: base + step * number for token, number in plain.items()}
        theirs = tiktoken.Encoding("x", pat_str=patterns.R50K_PATTERN, mergeable_ranks=ranks, special_tokens={})
        ours = Encoding("x", pat_str=patterns.R50K_PATTERN, mergeable_ranks=ranks, special_tokens={})
        for _ in range(2):
            for text in texts:
                ids = theirs.encode_ordinary(text)
                assert ours.encode_ordinary(text) == ids
                assert ours.encode_to_numpy(text).tolist() == ids
                assert ours.decode(ids) == text
    assert max(ranks.values()) == 2**32 - 1


def test_only_the_fourth_id_is_large() -> None:
    """Words of four bytes that do not merge: the fourth id alone does not fit into three bytes."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks[b"d"], ranks[b"e"] = 1 << 24, (1 << 24) - 1
    theirs = tiktoken.Encoding("x", pat_str=patterns.CL100K_PATTERN, mergeable_ranks=ranks, special_tokens={})
    ours = Encoding("x", pat_str=patterns.CL100K_PATTERN, mergeable_ranks=ranks, special_tokens={})
    for text in ["abcd", "abce", "dabc", "abcda", "abc", " dddd", "abcd abce abcd"]:
        for _ in range(3):
            assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)


# Vocabularies


def random_ranks(chance: random.Random, letters: str) -> dict[bytes, int]:
    """Tokens that were not trained: unreachable ones, prefixes missing, bytes anywhere in the order."""
    tokens = [bytes([byte]) for byte in range(256)]
    for _ in range(chance.randint(1, 60)):
        data = some_text(chance, letters, chance.randint(1, 8)).encode()
        begin = chance.randrange(len(data))
        tokens.append(data[begin : begin + chance.randint(2, 24)])
    tokens = list(dict.fromkeys(tokens))
    if chance.random() < 0.5:
        chance.shuffle(tokens)
    return {token: number for number, token in enumerate(tokens)}


@pytest.mark.parametrize("letters", ["ab", LETTERS, "a \n1'", "\u4e2d\u65e5\u672c"])
def test_vocabularies_that_nobody_trained(letters: str) -> None:
    chance = random.Random(25)
    for trial in range(40):
        ranks = random_ranks(chance, letters)
        pattern = patterns.O200K_PATTERN if trial % 2 else r"(?s).+"
        theirs = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        ours = Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        for size in (1, 2, 5, 15, 16, 17, 30, 48, 49, 62, 63, 64, 130, 300):
            text = some_text(chance, letters, size)
            for _ in range(2):
                assert ours.encode_ordinary(text) == theirs.encode_ordinary(text), (ranks, text)


def test_merges_that_make_the_same_bytes_twice() -> None:
    chance = random.Random(26)
    # "aaa" in two ways, "aaaa" in three; the later ones can never come up, or only through each other.
    pairs = [(97, 97), (256, 97), (97, 256), (256, 256), (257, 97), (97, 257), (98, 97), (262, 256)]
    for trial in range(30):
        order = BytePairModel(pairs[: 3 + trial % 6])
        engine = BytePairEngine.from_model(order)
        for size in (1, 2, 3, 4, 5, 9, 15, 16, 17, 61, 62, 63, 64, 200):
            text = some_text(chance, "aaab", size)
            assert engine.encode(text).tolist() == encode_word(byte_ids(order, text.encode()), order.ranks)


@pytest.mark.parametrize("unit", ["x", "ab", " ", "\n", "的一是不了人", "é", "0", "\U0001f600", "-=", "aA"])
def test_words_of_a_million_bytes(unit: str) -> None:
    """Against tiktoken as far as it goes in reasonable time; then a million, which must end in the same way."""
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        ours, theirs = get_encoding(name), tiktoken.get_encoding(name)
        for size in (49, 257, 4097, 20_000):
            text = unit * (size // len(unit.encode()) + 1)
            assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)
            assert ours.encode_ordinary(" a " + text + "b") == theirs.encode_ordinary(" a " + text + "b")
        text = unit * (1_100_000 // len(unit.encode()))
        ids = ours.encode_to_numpy(text)
        assert ours.decode(ids) == text
        # The ids of a text that repeats itself repeat themselves, but for its ends.
        middle = ids[2000:-2000]
        assert any((middle[period:] == middle[:-period]).all() for period in range(1, 65))


@pytest.mark.parametrize("wrong", [-1, 1 << 32, 256.0, True, None], ids=str)
def test_ids_that_cannot_be_are_named(wrong: object) -> None:
    """tiktoken raises as well; a rank that wraps around would silently be a wrong id."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    with pytest.raises(InvalidModel, match=str(wrong)):
        Encoding("x", pat_str=r"(?s).+", mergeable_ranks=ranks | {b"ab": wrong}, special_tokens={})
    with pytest.raises(InvalidSpecialToken, match=str(wrong)):
        Encoding("x", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={"<|x|>": wrong})
    with pytest.raises(InvalidModel, match="have the same rank, 97"):
        Encoding("x", pat_str=r"(?s).+", mergeable_ranks=ranks | {b"ab": 97}, special_tokens={})
