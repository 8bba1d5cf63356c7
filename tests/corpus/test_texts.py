"""The text of the course has its promised size, scripts, code, whitespace and bytes; and the texts of the machine."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import regex

from minbpe_course.corpus import texts
from minbpe_course.corpus.texts import cldr_names, course_sections, course_text, pydoc_topics, python_source
from minbpe_course.errors import InvalidSource, MissingPackage, UnusablePath

pytestmark = pytest.mark.medium

SCRIPTS = [
    "Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Devanagari", "Bengali", "Gujarati",
    "Tamil", "Telugu", "Kannada", "Malayalam", "Thai", "Ethiopic", "Han", "Hiragana", "Katakana", "Hangul",
]  # fmt: skip

PROSE = [
    "The Foundry on Ferry Street", "The Neighbours", "The Visitor from the Capital", "The Book Goes on a Journey",
    "The Keeper’s Notebook", "On Making Bread", "The Bus That Went the Other Way", "A Walk Around the Lake",
    "Letters to a Younger Engineer", "The Museum of Ordinary Things", "Questions at the Counter",
    "Seven Ways to Cross a River",
]  # fmt: skip

WHITESPACE = {
    "tab": r"\S\t\S",
    "leading tabs": r"\n\t\t\S",
    "trailing space": r"\S \n",
    "trailing tab": r"\S\t\n",
    "line of spaces": r"\n +\n",
    "CRLF": r"\S\r\n\S",
    "two CRLF": r"\r\n\r\n",
    "lone CR": r"\S\r\S",
    "LF CR": r"\n\r ",
    "three empty lines": r"\n{4}",
    "sixteen spaces": r"\S {16}\S",
    "no-break space": "\u00a0",
    "narrow no-break space": "\u202f",
    "thin space": "\u2009",
    "ideographic space": "\u3000",
    "Ogham space": "\u1680",
    "line separator": "\u2028",
    "next line": "\u0085",
    "vertical tab": "\x0b",
    "form feed": "\x0c",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "zero width non-joiner": "\u200c",
    "word joiner": "\u2060",
    "byte order mark inside": "(?<=.)\ufeff",
    "soft hyphen": "\u00ad",
}

PASSAGES = {
    "family joined by ZWJ": "👨\u200d👩\u200d👧\u200d👦",
    "skin tone": "👍🏽",
    "flag": "\U0001f1ef\U0001f1f5",
    "flag of a part": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "keycap": "7\ufe0f\u20e3",
    "text variation": "❤\ufe0e",
    "straight contraction": "y'all'd've",
    "typographic contraction": "y’all’d’ve",
    "contraction in capitals": "THEY'VE",
    "contraction in odd case": "'vE",
    "long s": "it'ſ",
    "address": "http://example.com:8080/a/b.html?x=1&y=two%20words#part-3",
    "mathematics": "∀x ∈ ℝ",
    "bold digits": "𝟎𝟏𝟐",
    "run of signs": "================",
    "null": "\x00",
}


def body(title: str) -> str:
    return course_sections()[title].split("\n\n", 1)[1]


def test_it_is_large_enough_and_half_of_it_is_english_prose():
    size = len(course_text().encode("utf-8"))
    prose = sum(len(course_sections()[title].encode("utf-8")) for title in PROSE)
    assert size >= 45_000
    assert prose >= size / 2


def test_prose_repeats_its_words_so_that_there_is_something_to_learn():
    words = re.findall(r"\w+", "".join(course_sections()[title] for title in PROSE).lower())
    assert len(words) > 4 * len(set(words))


def test_sections_join_to_the_whole_and_have_titles_of_their_own():
    sections = course_sections()
    assert "".join(sections.values()) == course_text()
    assert len(sections) == len(re.findall(r"(?m)^== .+ ==$", course_text()))
    assert all(text.startswith(f"== {title} ==\n\n") for title, text in sections.items())


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_script_is_there(script):
    assert len(regex.findall(rf"\p{{Script={script}}}", course_text())) >= 10


def test_the_parallel_scene_is_told_in_many_languages_and_never_twice_the_same():
    mornings = {title: body(title) for title in course_sections() if title.startswith("A morning in ")}
    assert len(mornings) >= 40
    assert len(set(mornings.values())) == len(mornings)
    for title, text in mornings.items():
        # One thought per sentence; Thai alone marks its sentences by spaces.
        sentences = regex.findall(r"[.。।۔։።]+", text)
        assert title == "A morning in Thai" or 4 <= len(sentences) <= 7, title


@pytest.mark.parametrize("label", PASSAGES)
def test_the_passage_is_there(label):
    assert PASSAGES[label] in course_text()


@pytest.mark.parametrize("label", WHITESPACE)
def test_the_whitespace_is_there(label):
    assert re.search(WHITESPACE[label], course_text())


@pytest.mark.parametrize("title", ["A program in Python", "Indented with tabs"])
def test_the_code_compiles(title):
    assert ast.parse(body(title)).body


def test_the_program_runs_and_says_what_it_should():
    program = body("A program in Python")
    run = subprocess.run([sys.executable, "-X", "utf8", "-c", program], capture_output=True, check=True)
    lines = run.stdout.decode("utf-8").split()
    assert lines[:2] == ["Lower", "Fennimore:"]
    # Its text has four: "the river and the bridge and the other side of the river".
    assert lines[lines.index("the") + 1] == "4"


def test_the_json_is_json():
    read, _ = json.JSONDecoder().raw_decode(body("Other notations"))
    assert read["station"] == "Lower Fennimore"


def test_composed_and_decomposed_pairs_are_what_they_say():
    lines = body("Composed and decomposed").strip().split("\n")[1:]
    assert len(lines) >= 15
    for line in lines:
        composed, decomposed = line.split(" | ")
        assert composed != decomposed
        assert unicodedata.normalize("NFD", composed) == decomposed
        assert unicodedata.normalize("NFC", decomposed) == composed


def test_digits_of_many_scripts_and_lengths():
    digits = regex.findall(r"\p{Nd}+", body("Numbers"))
    assert {len(run) for run in digits} >= set(range(1, 11))
    zeros = {ord(digit) - unicodedata.digit(digit) for run in digits for digit in run}
    assert len(zeros) >= 10


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


def test_git_is_told_to_keep_the_bytes():
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    file = "minbpe_course/corpus/data/course_text.txt"
    said = subprocess.run(
        ["git", "check-attr", "text", "--", file], cwd=root, capture_output=True, check=True, encoding="utf-8"
    )
    assert said.stdout.strip() == f"{file}: text: unset"


@pytest.mark.parametrize("max_bytes", [1, 700, 50_000])
def test_python_source_keeps_to_its_limit_and_ends_with_a_line(max_bytes):
    source = python_source(max_bytes)
    assert len(source.encode("utf-8")) <= max_bytes
    assert source == "" or source.endswith("\n")
    assert python_source(50_000).startswith(source)


def test_python_source_is_the_same_each_time_and_is_python():
    assert python_source(200_000) == python_source(200_000)
    assert len(python_source(200_000)) > 150_000
    assert "def " in python_source(200_000)


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


def test_pydoc_topics_is_a_long_text():
    assert len(pydoc_topics()) > 100_000


def test_cldr_names_has_more_than_a_hundred_languages():
    names = cldr_names()
    assert len(names) > 100
    assert "España" in names["es"].split("\n")
    assert all(text.split("\n") == sorted(set(text.split("\n"))) for text in names.values())


def test_cldr_names_without_babel_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "babel", None)
    with pytest.raises(MissingPackage, match="pip install babel"):
        cldr_names.__wrapped__()
