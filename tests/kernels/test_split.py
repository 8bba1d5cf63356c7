"""The compiled scanner, its reference implementation, `regex` and tiktoken cut every text in the same places.

tiktoken shows its words if its vocabulary holds every word that can occur: then each word becomes one id. `regex`
shows them by findall. Each uses the classes of the installed engine.
"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import numba
import numpy as np
import pytest
import regex
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minbpe_course.errors import InvalidPattern
from minbpe_course.kernels.common import layout, machine, memory
from minbpe_course.kernels.splitting import split as kernel
from minbpe_course.reference import split as reference
from minbpe_course.text import patterns, unicode_tables
from tests.shared.long_run import examples
from tools.unicode_tables import matching_in_regex, read_classes

pytestmark = pytest.mark.medium

COMPILED = not numba.config.DISABLE_JIT

# The patterns in which a witness can be asked: each engine reads its own spellings, `regex` reads all of them.
BY_TIKTOKEN = [
    pytest.param(patterns.R50K_PATTERN, id="gpt2"),
    pytest.param(patterns.CL100K_PATTERN, id="cl100k"),
    pytest.param(patterns.GPT4_SPLIT_PATTERN, id="cl100k as minbpe writes it"),
    pytest.param(patterns.O200K_PATTERN, id="o200k"),
]
BY_REGEX = [*BY_TIKTOKEN, pytest.param(patterns.GPT2_SPLIT_PATTERN, id="gpt2 as minbpe writes it")]

# Where something can go wrong: case, long s, either letters, marks, numbers, line breaks, odd spaces, emoji.
HOSTILE = "aBsStTdDmMlLrRvVeE'ſß’Kʰ中々ةिǅǄ²½Ⅷ٣19/!?.-_👍🏽🇩"
HOSTILE += " \t\n\r\x00\x0b\x1c\x85\xa0\u2028\u3000\u0301\u0e31\u093f\u200d\ufffd\U00020000\U0010ffff"


def words(text: str, pattern: str, classes: np.ndarray, room: int | None = None) -> list[str]:
    """The kernel's words, with an array of ``room`` ends that is filled again and again."""
    data, padded = memory.padded(text.encode())
    room = max(1, data.size) if room is None else room
    ends = np.full(room + layout.SLACK, -1, dtype=np.int64)
    block = block_of(data, padded, pattern, classes, ends, room)
    found: list[int] = []
    while block[0] < block[1]:
        number = machine.run(kernel.split_words.address, block.ctypes.data)
        found += ends[:number].tolist()
        assert 0 < number <= ends.size
        assert block[0] == data.ctypes.data + found[-1]
    # Slicing at the ends decodes, so a cut inside of a character raises.
    return [data[begin:end].tobytes().decode() for begin, end in zip([0, *found], found)]


def block_of(data, padded, pattern, classes, ends, room):
    begin = data.ctypes.data
    family = patterns.scanner_for(pattern)
    limit = padded.ctypes.data + padded.nbytes
    return np.array([begin, begin + data.size, limit, family, classes.ctypes.data, begin, ends.ctypes.data, room])


def words_by_tiktoken(texts: list[str], pattern: str, pieces: set[str]) -> list[list[str]]:
    """tiktoken's words of each text; every word must be among ``pieces``."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    for piece in sorted(pieces):
        ranks.setdefault(piece.encode(), len(ranks))
    encoding = tiktoken.Encoding("words", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    by_id = {number: token.decode("utf-8", "replace") for token, number in ranks.items()}
    return [[by_id[number] for number in encoding.encode_ordinary(text)] for text in texts]


def grid(characters: str, length: int) -> list[str]:
    return ["".join(chosen) for size in range(length + 1) for chosen in itertools.product(characters, repeat=size)]


@cache
def classes_of(engine: str) -> np.ndarray:
    """The frozen classes; for `regex` those of the release installed here, which may be newer than the frozen ones."""
    return read_classes(matching_in_regex) if engine == "regex" else unicode_tables.character_classes(engine)


def assert_same_words(texts, pattern, wanted, classes):
    for text, its_words in zip(texts, wanted, strict=True):
        assert words(text, pattern, classes) == its_words, repr(text)


@pytest.mark.parametrize("pattern", BY_REGEX)
def test_the_parts_of_the_reference_are_the_pattern(pattern):
    assert "|".join(alternative.source for alternative in reference.alternatives_of(pattern)) == pattern


@pytest.mark.parametrize("pattern", BY_REGEX)
@pytest.mark.parametrize("engine", unicode_tables.ENGINES)
@settings(max_examples=examples(150))
@given(text=st.text(st.sampled_from(HOSTILE), max_size=20) | st.text(max_size=40))
@example("")
@example("ABC中DEF1 ABCé'S \u0301ABC\u0301")
@example(" 'ſ'ſſ'LL'Ll'lL'vE'RE")
def test_small_the_reference_agrees(pattern, engine, text):
    classes = unicode_tables.character_classes(engine)
    assert words(text, pattern, classes) == reference.split_text(text, pattern, classes)


@pytest.mark.parametrize("pattern", BY_REGEX)
@settings(max_examples=examples(300))
@given(text=st.text(st.sampled_from(HOSTILE), max_size=20) | st.text(max_size=40))
def test_kernel_and_regex_agree(pattern, text):
    assert words(text, pattern, classes_of("regex")) == regex.findall(pattern, text)


@pytest.mark.parametrize("pattern", BY_TIKTOKEN)
@pytest.mark.parametrize(
    ("characters", "length"),
    [
        pytest.param(" \n\r\ta", 6, id="white space"),
        pytest.param("'sSlLtſ ", 5, id="contractions"),
        pytest.param("aA中\u0301'S 1/!", 4, id="case, marks, slashes"),
        pytest.param("1²٣a \n!\xa0", 5, id="numbers"),
    ],
)
def test_kernel_and_tiktoken_agree_on_whole_grids(pattern, characters, length):
    texts = grid(characters, length if COMPILED else length - 2)
    wanted = words_by_tiktoken(texts, pattern, set(texts))
    assert_same_words(texts, pattern, wanted, classes_of("tiktoken"))


@pytest.mark.parametrize("pattern", BY_REGEX)
@pytest.mark.parametrize("room", [1, 2, 7])
def test_splitting_continues_after_a_full_array_of_ends(pattern, room):
    chance = random.Random(4)
    text = "".join(chance.choices(HOSTILE, k=400)) + "  \n \n  x \n  "
    classes = unicode_tables.character_classes("tiktoken")
    assert words(text, pattern, classes, room=room) == words(text, pattern, classes)


@pytest.mark.parametrize("pattern", BY_REGEX)
def test_bytes_after_the_text_do_not_count(pattern):
    """A part of a longer text is split as if nothing followed it, and stops where fewer bytes may be read."""
    chance = random.Random(5)
    classes = unicode_tables.character_classes("tiktoken")
    for size in range(1, 70):
        text = "".join(chance.choices("aB1 \n'/s中!", k=size))
        for behind in ["x", " ", "\n", "/", "1", "'s", "中"]:
            whole = text + behind * layout.AHEAD
            data = np.frombuffer(whole.encode(), dtype=np.uint8)
            ends = np.empty(size + layout.SLACK, dtype=np.int64)
            block = block_of(data, data, pattern, classes, ends, size)
            block[1] = block[0] + len(text.encode())
            number = machine.run(kernel.split_words.address, block.ctypes.data)
            assert [0, *ends[:number].tolist()][-1] == len(text.encode())
            cut = [whole.encode()[b:e].decode() for b, e in zip([0, *ends[:number].tolist()], ends[:number].tolist())]
            assert cut == words(text, pattern, classes), (text, behind)
    data = np.frombuffer(b"x " * 100, dtype=np.uint8)
    block = block_of(data, data, pattern, classes, ends, 1000)
    machine.run(kernel.split_words.address, block.ctypes.data)
    assert 0 < block[1] - block[0] < layout.AHEAD


WORST = [
    pytest.param("a", "", id="one long word"),
    pytest.param("A", "", id="one long word in upper case"),
    pytest.param("A", "中A1", id="upper case that gives back its end"),
    pytest.param(" ", "", id="blanks"),
    pytest.param(" ", "\n", id="blanks before a line break"),
    pytest.param(" ", "x", id="blanks before a word"),
    pytest.param("\n ", "x", id="line breaks and blanks"),
    pytest.param("'ſ", "", id="contractions"),
    pytest.param("a'", "", id="apostrophes"),
    pytest.param("中A", "", id="either and upper"),
    pytest.param("\u0301", "A", id="marks"),
    pytest.param("!", "\n/\n/", id="others"),
    pytest.param("1", "", id="numbers"),
]


@pytest.mark.parametrize("pattern", BY_REGEX)
@pytest.mark.parametrize(("unit", "ending"), WORST)
def test_long_runs_are_cut_as_regex_cuts_them(pattern, unit, ending):
    text = unit * 1500 + ending
    assert words(text, pattern, classes_of("regex")) == regex.findall(pattern, text)


# The kernel as plain Python, whose lines can be counted; compiled code runs the same ones.
WORK = """
import itertools, sys
import numpy as np
from tests.shared.counted_calls import lines_in
from minbpe_course.kernels.common import layout, memory
from minbpe_course.kernels.common import machine
from minbpe_course.kernels.splitting import split as kernel
from minbpe_course.text import unicode_tables
from tests.kernels.test_split import BY_REGEX, WORST, block_of

classes = unicode_tables.character_classes("tiktoken")

def lines(pattern, unit, ending, number):
    data, padded = memory.padded((unit * number + ending).encode())
    ends = np.empty(data.size + layout.SLACK, dtype=np.int64)
    block = block_of(data, padded, pattern, classes, ends, data.size)
    return lines_in(machine.run, kernel.split_words.address, block.ctypes.data)

for each, worst in itertools.product(BY_REGEX, WORST):
    (pattern,), (unit, ending) = each.values, worst.values
    few, many = (lines(pattern, unit, ending, number) for number in (128, 512))
    # 4 times the text: 4 times the lines if linear, 16 times if quadratic.
    assert many < 8 * few, (pattern, unit, ending, few, many)
"""


@pytest.mark.slow
def test_work_grows_linearly() -> None:
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", WORK], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unpublished_pattern_has_no_reference():
    with pytest.raises(InvalidPattern, match=r"regex\.findall"):
        reference.split_text("text", r"\w+|\W+", unicode_tables.character_classes("regex"))
