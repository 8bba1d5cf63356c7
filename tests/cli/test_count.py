"""minbpe-course count: the numbers equal those of the library, also for several tokenizers at once."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

import pytest

from minbpe_course import SentencePieceTokenizer, count_words, get_encoding
from minbpe_course.cli.main import main
from minbpe_course.inspecting.tokenizer_view import view_of
from tests.shared.cases import MISTRAL, hostile_text


@pytest.fixture
def paths(tmp_path):
    rng = random.Random(1)
    made = []
    for number in range(3):
        made.append(tmp_path / f"{number}.txt")
        text = hostile_text(rng, pieces=60, surrogates=False) if number else "Hello world\r\n"
        made[-1].write_bytes(text.replace("<|", "<").encode("utf-8"))
    return made


def test_numbers_for_machines(verbs, tiny, paths):
    names = ["gpt2", "o200k_base", MISTRAL]
    options = [each for name in names for each in ("-t", name)]
    one_list = json.loads(verbs("count", *options, "--format", "json", *paths).out)
    lines = verbs("count", *options, "--format", "jsonl", "-j", 1, *paths).out.decode().splitlines()
    assert one_list == [json.loads(line) for line in lines]
    found = {(row["file"], row["tokenizer"]): row for row in one_list}
    assert len(found) == 9
    for path in paths:
        text = path.read_bytes().decode()
        for name in names[:2]:
            row = found[str(path), name]
            assert row["tokens"] == len(get_encoding(name).encode(text))
            assert row["words"] == sum(count_words(text, pattern=name).values())
            assert (row["characters"], row["bytes"]) == (len(text), path.stat().st_size)
        row = found[str(path), names[2]]
        assert (row["tokens"], row["words"]) == (len(SentencePieceTokenizer(names[2]).encode(text)), len(text.split()))


@pytest.mark.parametrize(
    ("options", "name", "content"),
    [
        (["--field", "text"], "a.jsonl", '{"text": "Hello world"}\n{"text": "hi"}\n'),
        (["--lines"], "a.txt", "Hello world\nhi\n"),
    ],
)
def test_documents_have_the_tokens_that_encode_gives(verbs, tmp_path, options, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    asked = [*options, "-t", "gpt2", path]
    assert verbs("encode", *asked, "--format", "jsonl").out.split() == [b"[15496,", b"995]", b"[5303]"]
    assert verbs("count", *asked, "--only", "tokens").out == b"3\n"


def test_a_table_for_people(verbs, paths):
    done = verbs("count", paths[0])
    assert done.out.decode() == (
        f"tokens  words  characters  bytes  file\n     3      3          13     13  {paths[0]}\n"
    )


def test_one_number_alone(verbs, paths):
    assert verbs("count", "--only", "tokens", stdin=b"Hello world") == (0, b"2\n", "")
    assert verbs("count", "--only", "tokens", "-t", "gpt2", "-t", "gpt2", stdin=b"Hello world").out == b"2\t2\n"
    assert verbs("count", "--only", "bytes", stdin="€".encode()).out == b"3\n"
    several = verbs("count", "--only", "characters", *paths[:2]).out.decode().splitlines()
    assert several[0] == f"13\t{paths[0]}"
    assert several[2].endswith("\ttotal")


def test_special_tokens_are_words_of_their_own_when_they_count(verbs, tiny):
    text = b"one two<|endoftext|>three"
    rows = {
        how: json.loads(verbs("count", "--specials", how, "--format", "jsonl", stdin=text).out)
        for how in ("none", "all")
    }
    cut = {how: view_of("cl100k_base").cut(text.decode(), how == "all") for how in rows}
    assert {how: row["tokens"] for how, row in rows.items()} == {how: len(each) for how, each in cut.items()}
    assert rows["all"]["words"] == 4
    assert rows["none"]["words"] == sum(count_words(text.decode()).values())
    assert "line 1: the text contains" in verbs("count", "--specials", "raise", stdin=text).err


def test_what_cannot_be_counted_is_named_and_the_rest_is_counted(verbs, tmp_path, paths):
    broken = tmp_path / "broken.bin"
    broken.write_bytes(b"ok\n\xff")
    done = verbs("count", paths[0], broken, tmp_path / "none", paths[1])
    assert done.code == 2
    assert "broken.bin is not UTF-8: byte 3 is 0xff (line 2)" in done.err
    assert "there is no file" in done.err
    assert [line.rsplit("  ", 1)[1] for line in done.out.decode().splitlines()] == [
        "file", str(paths[0]), str(paths[1]), "total",
    ]  # fmt: skip
    assert verbs("count", "-t", "gpt9", paths[0]).code == 2


BAD = b"ok\n\xff\n"


@pytest.mark.parametrize(
    "words",
    [
        ["count", "--words"],
        ["train", "-n", "257", "-o", "out.model"],
        ["train", "-n", "257", "-o", "out.model", "--kind", "sentencepiece-bpe"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("piped", [False, True], ids=["a file", "a pipe"])
def test_bad_utf8_has_one_exit_code_in_every_verb(verbs, tmp_path, monkeypatch, words, piped):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.txt").write_bytes(BAD)
    done = verbs(*words, "-", stdin=BAD) if piped else verbs(*words, "broken.txt")
    assert done.code == 2
    assert "UTF-8" in done.err


def test_an_empty_text_has_no_tokens(verbs):
    assert verbs("count", "--only", "tokens", stdin=b"").out == b"0\n"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8 there")
def test_a_name_that_is_not_utf8_looks_as_in_messages(tmp_path, capfdbinary):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/n\xff.txt")
    Path(name).write_text("a text", encoding="utf-8")
    assert main(["count", name, "-t", "gpt2"]) == 0
    assert rb"/n\udcff.txt" in capfdbinary.readouterr().out
