"""The table of scripts is that of sentencepiece: pairs of characters become pieces where it says so.

In CI a sample of all code points, other ones in every run; with MINBPE_COURSE_LONG_TESTS=1 the whole table is made
again.
"""

from __future__ import annotations

import os
import random
import time

import numpy as np
import pytest

from minbpe_course.reference.piece_training import PieceRules, may_be_piece
from minbpe_course.text import unicode_scripts
from tools import unicode_scripts as tool

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"


def test_sentencepiece_joins_what_the_table_joins() -> None:
    seed = int(time.time())
    draw = random.Random(seed)
    table = unicode_scripts.scripts()
    known = np.flatnonzero(table).tolist()
    asked = (
        draw.sample(known, 4000) + draw.sample(range(0x21, 0xD800), 2000) + draw.sample(range(0xE000, 0x110000), 500)
    )
    asked = [point for point in asked if point not in tool.NOT_ASKED]
    words = {chr(point) + chr(draw.choice(asked)) for point in asked} | {chr(point) + "!" for point in asked}
    words |= {
        chr(a) + chr(b)
        for script in range(2, int(table.max()) + 1)
        for a, b in [draw.choices(np.flatnonzero(table == script).tolist(), k=2)]
    }
    wanted = tool.pieces_of(sorted(words))
    assert {word for word in words if may_be_piece(word, PieceRules())} == wanted, f"seed {seed}"
    assert len(wanted) > 1000


def test_what_is_known_of_unicode_9() -> None:
    table = unicode_scripts.scripts()
    assert (table == table[ord("a")]).sum() == 1350  # Latin, in Scripts.txt of Unicode 9.0
    assert (table == table[ord("а")]).sum() == 443  # Cyrillic
    assert table[0x1E900] != unicode_scripts.COMMON  # Adlam came with 9.0
    assert table[0x11D00] == unicode_scripts.COMMON  # Masaram Gondi with 10.0


def test_a_table_survives_packing() -> None:
    table = unicode_scripts.scripts()
    assert np.array_equal(unicode_scripts.unpack(unicode_scripts.pack(table)), table)
    assert table.size == unicode_scripts.CODE_POINTS
    assert not table.flags.writeable


@pytest.mark.skipif(not LONG, reason="asks sentencepiece about every code point; two minutes")
def test_the_whole_table() -> None:
    assert np.array_equal(tool.read_scripts(), unicode_scripts.scripts())
