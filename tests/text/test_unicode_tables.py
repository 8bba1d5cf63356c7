"""The frozen tables are those of the installed engines: classes code point by code point, scripts by sample.

Scripts are read off the pieces that sentencepiece makes, a new sample in every run.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from minbpe_course.model.piece_training_rules import PieceRules
from minbpe_course.reference.piece_training import may_be_piece
from minbpe_course.text import unicode_tables as tables
from tests.shared.random_pieces import SEED
from tools import unicode_scripts as scripts_tool
from tools.unicode_tables import INSTALLED, READERS, read_classes


@pytest.mark.parametrize("engine", tables.ENGINES)
def test_every_code_point_has_the_class_that_the_installed_engine_gives_it(engine):
    differing = np.flatnonzero(read_classes(READERS[engine]) != tables.character_classes(engine))
    message = f"{differing.size} code points, the first: {[f'U+{point:04X}' for point in differing[:10]]}"
    if differing.size and INSTALLED[engine] != tables.VERSIONS[engine]:
        pytest.skip(
            f"{engine} {INSTALLED[engine]} is not the frozen {tables.VERSIONS[engine]} and knows others: {message}"
        )
    assert differing.size == 0, message


# ---- Scripts


def test_sentencepiece_joins_what_the_table_joins() -> None:
    draw = random.Random(SEED)
    table = tables.scripts()
    known = np.flatnonzero(table).tolist()
    asked = (
        draw.sample(known, 4000) + draw.sample(range(0x21, 0xD800), 2000) + draw.sample(range(0xE000, 0x110000), 500)
    )
    asked = [point for point in asked if point not in scripts_tool.NOT_ASKED]
    words = {chr(point) + chr(draw.choice(asked)) for point in asked} | {chr(point) + "!" for point in asked}
    words |= {
        chr(a) + chr(b)
        for script in range(2, int(table.max()) + 1)
        for a, b in [draw.choices(np.flatnonzero(table == script).tolist(), k=2)]
    }
    wanted = scripts_tool.pieces_of(sorted(words))
    assert {word for word in words if may_be_piece(word, PieceRules())} == wanted, f"MINBPE_COURSE_SEED={SEED}"
    assert len(wanted) > 1000


def test_what_is_known_of_unicode_9() -> None:
    table = tables.scripts()
    assert (table == table[ord("a")]).sum() == 1350  # Latin, in Scripts.txt of Unicode 9.0
    assert (table == table[ord("а")]).sum() == 443  # Cyrillic
    assert table[0x1E900] != tables.COMMON  # Adlam came with 9.0
    assert table[0x11D00] == tables.COMMON  # Masaram Gondi with 10.0
