"""The text of the course keeps its bytes and what lessons say of it; and the texts of the machine."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from minbpe_course.corpus import texts
from minbpe_course.corpus.texts import cldr_names, course_sections, course_text, python_source
from minbpe_course.errors import InvalidSource, MissingPackage, UnusablePath

pytestmark = pytest.mark.medium


def test_sections_join_to_the_whole_and_have_titles_of_their_own():
    sections = course_sections()
    assert "".join(sections.values()) == course_text()
    assert len(sections) == len(re.findall(r"(?m)^== .+ ==$", course_text()))
    assert all(text.startswith(f"== {title} ==\n\n") for title, text in sections.items())


def test_characters_of_every_utf8_length_and_nothing_private_or_unassigned():
    categories = {unicodedata.category(character) for character in set(course_text())}
    assert not categories & {"Cs", "Co", "Cn"}
    assert {len(character.encode("utf-8")) for character in set(course_text())} == {1, 2, 3, 4}


def test_the_file_on_disk_is_what_is_returned_and_carries_its_licence():
    data = texts.COURSE_TEXT_FILE.read_bytes()
    assert data == course_text().encode("utf-8")
    crlf = b"line feed:\r\nsecond line\r\n\r\nafter an empty line\r\n  indented\r\n"
    assert crlf in data, "the line ends of course_text.txt were converted"
    assert "CC0" in texts.COURSE_TEXT_FILE.with_name("LICENSE-course_text.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("max_bytes", [700, 50_000])
def test_python_source_keeps_to_its_limit_and_ends_with_a_line(max_bytes):
    source = python_source(max_bytes)
    assert len(source.encode("utf-8")) <= max_bytes
    assert source == "" or source.endswith("\n")
    assert python_source(50_000).startswith(source)


def test_python_source_leaves_out_tests_and_files_it_cannot_read(tmp_path, monkeypatch):
    for name, data in {
        "b.py": b"b = 1\r\n",
        "a.py": "a = 'ä'\n".encode(),
        "latin.py": b"# \xe4\n",
        "pack/z.py": b"z = 1\n",
        "test/t.py": b"t = 1\n",
        "site-packages/s.py": b"s = 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    monkeypatch.setattr(texts.sysconfig, "get_path", lambda _: str(tmp_path))
    assert python_source() == "a = 'ä'\nb = 1\nz = 1\n"


def test_python_without_sources_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(texts.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(UnusablePath, match="keeps no source files"):
        python_source()


@pytest.mark.parametrize("max_bytes", [0, -1, 2.5, "many"])
def test_python_source_refuses_invalid_sizes(max_bytes):
    with pytest.raises(InvalidSource, match="max_bytes"):
        python_source(max_bytes)


def test_cldr_names_has_more_than_a_hundred_languages():
    names = cldr_names()
    assert len(names) > 100
    assert "España" in names["es"].split("\n")
    assert all(text.split("\n") == sorted(set(text.split("\n"))) for text in names.values())


def test_cldr_names_without_babel_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "babel", None)
    with pytest.raises(MissingPackage, match="pip install babel"):
        cldr_names.__wrapped__()
