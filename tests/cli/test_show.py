"""minbpe-course show: tokens in a terminal, in a pipe, and as a page."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest

from minbpe_course import show
from minbpe_course.cli.main import main


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch):
    for name in ("NO_COLOR", "COLORTERM", "WT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def said(capsys, *arguments: str) -> str:
    assert main(["show", *arguments]) == 0
    return capsys.readouterr().out.removesuffix("\n")


def piped(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))


def test_text_is_what_print_writes(capsys):
    assert said(capsys, "Hello world") == show("Hello world").text()
    assert said(capsys, "Hello world", "--encoding", "gpt2", "--format", "text") == show("Hello world", "gpt2").text()
    assert said(capsys, "Hello world", "--format", "ansi") == show("Hello world").ansi(8), "ansi also in a pipe"


def test_specials_ids_and_all(capsys):
    assert "|◆<\\|endoftext\\|>|" in said(capsys, "<|endoftext|>", "--encoding", "gpt2", "--specials")
    assert "◆" not in said(capsys, "<|endoftext|>", "--encoding", "gpt2")
    assert said(capsys, "hi", "--ids").count("ids ") == 3
    long = ["a b" * 2500, "--ids"]
    assert said(capsys, *long).count(" more") == 6
    assert "more" not in said(capsys, *long, "--all")


def test_a_terminal_gets_as_many_colours_as_it_has(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "\x1b[48;5;" in said(capsys, "hi")
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert "\x1b[48;2;" in said(capsys, "hi")
    assert "\x1b" not in said(capsys, "hi", "--format", "text")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in said(capsys, "hi")


@pytest.mark.parametrize("arguments", [(), ("--format", "ansi")])
def test_no_color_means_none(capsys, monkeypatch, arguments):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in said(capsys, "hi", *arguments)
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b" in said(capsys, "hi", *arguments), "empty means not set"


def test_html_is_one_page_that_can_execute_nothing(capsys):
    page = said(capsys, "<script>alert(1)</script>", "--format", "html")
    assert page.startswith("<!doctype html>")
    assert show("<script>alert(1)</script>").html().encode("ascii", "xmlcharrefreplace").decode() in page
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page


@pytest.mark.parametrize("arguments", [["-"], []])
def test_standard_input_keeps_its_line_ends(capsys, monkeypatch, arguments):
    piped(monkeypatch, "é\r\n日".encode())
    assert "|é|\\r↵|日|" in said(capsys, "--encoding", "o200k_base", *arguments)


def test_standard_input_that_is_not_utf8_or_not_there(capsys, monkeypatch):
    piped(monkeypatch, b"ab\xff")
    assert main(["show", "-"]) == 2
    assert "byte 2 is 0xff" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert main(["show"]) == 2
    assert "name a text" in capsys.readouterr().err


@pytest.mark.medium
@pytest.mark.skipif(os.name == "nt", reason="arguments are text on Windows")
def test_as_a_program_with_an_argument_and_an_output_of_one_byte():
    run = subprocess.run(
        [sys.executable, "-m", "minbpe_course", "show", b"a\xe2\x82\xac", "--encoding", "gpt2", "--format", "html"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "1"},
        capture_output=True,
        check=True,
    )
    page = run.stdout.decode("ascii")
    assert "&#8364;" in page, "the euro sign"


@pytest.mark.parametrize("encoding", ["ascii", "cp437"])
@pytest.mark.parametrize("form", ["text", "ansi"])
def test_characters_and_bytes_are_told_apart_in_any_code_page(monkeypatch, encoding, form):
    r"""``\xNN`` is a byte of a token; a missing character is ``\uNNNN`` or ``\UNNNNNNNN``."""
    text = "naïve 日本 👋 ÿ Ж"
    kept = io.BytesIO()
    stream = io.TextIOWrapper(kept, encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["show", text, "--encoding", "gpt2", "--encoding", "o200k_base", "--format", form]) == 0
    stream.flush()
    view = show(text, "gpt2", "o200k_base")
    wanted = view.text() if form == "text" else view.ansi(8)
    said = kept.getvalue().decode(encoding).removesuffix("\n")
    missing = [each for each in wanted if each.encode(encoding, "ignore") == b""]
    assert missing
    assert said.count("\\x") == wanted.count("\\x"), "only bytes are written as bytes"
    back = re.sub(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", lambda found: chr(int(found[1] or found[2], 16)), said)
    assert back == wanted


def test_an_argument_that_the_locale_has_not_decoded(capsys):
    assert main(["show", "naïve👋".encode().decode("ascii", "surrogateescape"), "-t", "gpt2", "--ids"]) == 0
    undecoded = capsys.readouterr().out
    main(["show", "naïve👋", "-t", "gpt2", "--ids"])
    assert undecoded == capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        main(["show", "a\udcffb"])
    assert left.value.code == 2
    assert r"'a\udcffb' is not UTF-8" in capsys.readouterr().err


OWN = """
class GPT4Tokenizer:
    @classmethod
    def from_ranks(cls, ranks, pattern):
        made = cls()
        made.ranks = ranks
        return made

    def encode(self, text):
        return [{result}]
"""


@pytest.fixture
def own_file(tmp_path):
    def write(result: str):
        path = tmp_path / "my_tokenizer.py"
        path.write_text(OWN.format(result=result), encoding="utf-8")
        return str(path)

    return write


def test_a_row_for_the_learners_own_file(capsys, own_file):
    rows = said(capsys, "hi!", "--mine", own_file("*(self.ranks[bytes([each])] for each in text.encode()), 999_999"))
    own, published = rows.split("\n")
    assert own.split("  ")[0] == "my_tokenizer.py"
    assert own.endswith("|h|i|!|?|"), "an id that the vocabulary does not have is a question mark"
    assert published.startswith("cl100k_base")


@pytest.mark.parametrize(
    ("result", "problem"),
    [("1 / 0", "encode('hi'): raised ZeroDivisionError"), ("'h'", "encode('hi'): ['h']")],
)
def test_an_own_file_that_gives_no_ids_is_named(capsys, own_file, result, problem):
    assert main(["show", "hi", "--mine", own_file(result)]) != 0
    assert f"my_tokenizer.py, {problem}" in capsys.readouterr().err


def test_an_own_file_without_a_tokenizer_says_what_it_needs(capsys, tmp_path):
    path = tmp_path / "my_tokenizer.py"
    for source, problem in (("x = 1", "has no MyTokenizer and no GPT4Tokenizer"), ("x =", "is not Python")):
        path.write_text(source, encoding="utf-8")
        assert main(["show", "hi", "--mine", str(path)]) != 0
        assert problem in capsys.readouterr().err
