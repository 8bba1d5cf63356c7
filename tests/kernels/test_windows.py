"""kernels.windows: its ranges of bytes are what the tables of characters say, and no place in a window is special."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numba
import numpy as np
import pytest

from minbpe_course.kernels.common.compiled import compiled
from minbpe_course.kernels.splitting import windows
from minbpe_course.reference import split as reference
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.text.unicode_tables import EITHER, LOWER, UPPER
from tests.kernels.test_split import BY_REGEX, words

pytestmark = pytest.mark.medium

COMPILED = not numba.config.DISABLE_JIT
ENGINES = unicode_tables.ENGINES


def classes_behind(lead: int, engine: str) -> set[int]:
    """The classes of all characters whose first byte is ``lead``."""
    classes = unicode_tables.character_classes(engine)
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    bits = 6 * (size - 1)
    first = (lead & (0x7F >> size)) << bits
    least = {2: 0x80, 3: 0x800, 4: 0x10000}[size]
    codes = range(max(first, least), min(first + (1 << bits), 0x110000))
    return {int(classes[code]) for code in codes if not 0xD800 <= code < 0xE000}


@compiled
def leads_at(at, out):
    out[0], out[1] = windows.letter_leads(at)


@pytest.mark.parametrize("engine", ENGINES)
def test_bytes_that_lead_letters_lead_nothing_else(engine: str) -> None:
    two, three = set(), set()
    out = np.zeros(2, dtype=np.uint64)
    for begin in range(0, 256, 64):
        data = np.arange(begin, begin + 64).astype(np.uint8)
        leads_at(data.ctypes.data, out)
        two |= {begin + k for k in range(64) if int(out[0]) >> k & 1}
        three |= {begin + k for k in range(64) if int(out[1]) >> k & 1}
    assert two
    assert three
    assert all(0xC2 <= lead < 0xE0 for lead in two)
    assert all(0xE0 <= lead < 0xF0 for lead in three)
    for lead in two | three:
        assert classes_behind(lead, engine) <= {UPPER, LOWER, EITHER}, hex(lead)
    # o200k takes the three-byte ones for letters that have no case.
    for lead in three:
        assert classes_behind(lead, engine) == {EITHER}, hex(lead)


# Texts for the end of a window; each is put at all places from 55 to 70.
HARD = ["'s", "'ll", "'LL x", "'ſ", "'sſ", "''s", "'", "x's", "中's", "A's b", "1's", "\n's", " 's", "12345"]
HARD += ["1234567 8", "a1b", " 12", "½¼", "1½2", "٣٤٥٦", "  x", "   ", " \n x", "\n\n", "\n  \n  x", " \n \n"]
HARD += ["\r\n\r\n", "\t\tx", "\u3000x", " \u3000 x", "\xa0\xa0", "\x85\n", "!\n\nx", "!\n/\n", " !/\n/", "//\n"]
HARD += ["\n/", "\n\n//\n", "!!\n x", " !a", "!a", "\u2028x", "中文", "A中", "A中b", "AB中文c", "A中\u0301b", "\u0301"]
HARD += ["a\u0301", "A\u0301B", "1\u0301", " \u0301a", "!\u0301", "\n\u0301x", "ABc", "aBC", "AbC", "ǅa", "ʰA", "ªB"]
HARD += ["éÉ", "ÉÉé", "Ⅷ", "👍🏽x", "👋", " 👋a", "\U00020000b", "\x00a", "\U0010ffff", "ि", "कि"]
BEFORE = ["x", " ", "1", "\n", "!", "中", "é", "A", "a ", "\u0301", "x, ", "' "]
BEHIND = ["", "x", " ", "\n", "1", "'s", "中", "A", "é", " \n", "!"]


def assert_as_reference(pattern: str, texts: Iterable[str]) -> None:
    classes = unicode_tables.character_classes(patterns.engine_of(pattern))
    kinds = classes.tobytes()
    for text in texts:
        assert words(text, pattern, classes) == reference.split_text(text, pattern, kinds), repr(text)


@pytest.mark.parametrize("pattern", BY_REGEX)
def test_hard_places_anywhere_in_a_window(pattern: str) -> None:
    chance = random.Random(7)
    texts = []
    for hard in HARD:
        for place in range(55, 71):
            before = BEFORE if COMPILED else chance.sample(BEFORE, 1)
            for filler in chance.sample(before, min(len(before), 2)):
                ahead = (filler * 71).encode()[:place].decode("utf-8", "ignore")
                # Fill up after a character of several bytes, so that the place is exact.
                ahead = "z" * (place - len(ahead.encode())) + ahead
                texts.append(ahead + hard + chance.choice(BEHIND))
                texts.append(ahead + hard + chance.choice(BEHIND) * 80)
                # In a second window, which begins at the last certain begin of the first.
                texts.append("word " * chance.randint(1, 14) + ahead + hard + chance.choice(BEHIND))
    if not COMPILED:
        texts = chance.sample(texts, 120)
    assert_as_reference(pattern, texts)
