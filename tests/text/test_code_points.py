"""The frozen general categories are those of tiktoken and of `tokenizers`, and a text is cut by them, newer or not."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tiktoken
import tokenizers
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from minbpe_course.text import code_points, unicode_tables
from minbpe_course.text.pattern_parts import LAST, Characters, Property
from minbpe_course.text.unicode_tables import CATEGORIES
from tools.unicode_tables import matching_in_tiktoken

pytestmark = pytest.mark.medium

# Where two versions of a program may differ, the one that the tables were read from is held to them.
FROZEN = {"tiktoken": "0.14", "tokenizers": "0.23"}
CHUNK = 4_000
EDGES = [0, 1, 64, 65, 0x37F, 0x4E00, 0xD800, 0xFFFF, 0x10FF00, LAST]
INSTALLED = {"tiktoken": tiktoken.__version__, "tokenizers": tokenizers.__version__}


def matching_in_tokenizers(pattern: str, text: str) -> str:
    split = Split(Regex(f"(?:{pattern})+"), "removed", invert=True)
    # It takes more than twice as long for a text that is twice as long.
    parts = (text[at : at + CHUNK] for at in range(0, len(text), CHUNK))
    return "".join(piece for part in parts for piece, _ in split.pre_tokenize_str(part))


def asked_for_bits(matching) -> np.ndarray:
    """The category of every code point, by five questions: which have a place in CATEGORIES with this bit set?"""
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, unicode_tables.CODE_POINTS)]))
    found = np.zeros(unicode_tables.CODE_POINTS, dtype=np.uint8)
    for bit in range(5):
        names = [name for place, name in enumerate(CATEGORIES) if place >> bit & 1 and name != "Cs"]
        text = matching("[" + "".join(f"\\p{{{name}}}" for name in names) + "]", everything)
        found[np.frombuffer(text.encode("utf-32-le"), dtype="<u4")] |= 1 << bit
    found[0xD800:0xE000] = CATEGORIES.index("Cs")
    return found


@pytest.mark.parametrize("name", FROZEN)
def test_every_code_point_has_the_category_that_the_installed_engine_gives_it(name):
    matching = {"tiktoken": matching_in_tiktoken, "tokenizers": matching_in_tokenizers}[name]
    differing = np.flatnonzero(asked_for_bits(matching) != unicode_tables.categories())
    if differing.size and not INSTALLED[name].startswith(FROZEN[name]):
        pytest.skip(f"{name} {INSTALLED[name]} knows other characters than {FROZEN[name]}, {differing.size} of them")
    assert differing.tolist() == []


def test_white_space_and_letters_where_case_is_ignored_are_the_same_in_tokenizers():
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, unicode_tables.CODE_POINTS)]))
    spaces = np.flatnonzero(code_points.has_property("s", "tiktoken")).tolist()
    assert list(map(ord, matching_in_tokenizers(r"\s", everything))) == spaces
    assert set(matching_in_tokenizers("(?i:[sdmtrevl])", everything)) == set("sdmtrevlSDMTREVL\u017f")
    assert set(matching_in_tokenizers("(?i:k)", everything)) == {"k", "K", "\u212a"}


def test_edges_of_sets_are_those_of_their_members() -> None:
    chance = random.Random(5)
    names = ["L", "Lu", "N", "Zs", "s", "greek", "han", "Cn"]
    for _ in range(60):
        ranges = [(low, min(LAST, low + chance.choice([0, 1, 5, 300]))) for low in chance.choices(EDGES, k=3)]
        some = tuple(Property(name, chance.random() < 0.4) for name in chance.sample(names, chance.randint(0, 2)))
        one = Characters(tuple(ranges[: chance.randint(0, 3)]), some, chance.random() < 0.5)
        members = code_points.matched_by(one, "tiktoken")
        edges = code_points.edges_of(one, "tiktoken")
        assert edges.reshape(-1, 2).tolist() == [[first, last + 1] for first, last in code_points.ranges_of(members)]
