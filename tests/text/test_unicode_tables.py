"""The frozen character classes are those of the installed engines, code point by code point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minbpe_course.kernels.splitting import split as kernel
from minbpe_course.text import unicode_tables as tables
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


@pytest.mark.parametrize("engine", tables.ENGINES)
def test_tables_are_whole_shared_and_read_only(engine):
    classes = tables.character_classes(engine)
    assert classes.shape == (tables.CODE_POINTS,)
    assert classes.dtype == np.uint8
    assert classes.max() < len(tables.CLASS_NAMES)
    assert tables.character_classes(engine) is classes
    with pytest.raises(ValueError, match="read-only"):
        classes[0] = tables.UPPER


@pytest.mark.parametrize("engine", tables.ENGINES)
def test_ascii_has_the_classes_that_str_gives_it(engine):
    wanted = {
        tables.NEWLINE: "\r\n",
        tables.SPACE: " \t\v\f",
        tables.UPPER: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        tables.LOWER: "abcdefghijklmnopqrstuvwxyz",
        tables.NUMBER: "0123456789",
    }
    for code in range(128):
        number = next((number for number, found in wanted.items() if chr(code) in found), tables.OTHER)
        assert tables.character_classes(engine)[code] == number, hex(code)


def test_surrogates_have_no_class():
    for engine in tables.ENGINES:
        assert not tables.character_classes(engine)[0xD800:0xE000].any()


def test_an_unknown_engine_is_named_with_the_known_ones():
    with pytest.raises(KeyError, match=r"perl.*tiktoken.*regex"):
        tables.character_classes("perl")


@given(st.lists(st.integers(0, 7), min_size=1, max_size=300))
def test_packing_comes_back(classes):
    table = np.array(classes, dtype=np.uint8)
    assert tables.unpack(tables.pack(table)).tolist() == classes


@pytest.mark.parametrize("name", [name.upper() for name in tables.CLASS_NAMES])
def test_the_kernel_knows_the_classes_by_the_same_numbers(name):
    assert getattr(kernel, name) == getattr(tables, name) == tables.CLASS_NAMES.index(name.lower())
