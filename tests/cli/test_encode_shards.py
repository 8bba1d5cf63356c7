"""minbpe-course encode --shards: the meaning of the options, and combinations that are refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from minbpe_course import Corpus, get_encoding, open_shards
from minbpe_course.counting.counts_file import open_counts
from minbpe_course.token_files import shards as making


def test_files_become_shards(verbs, tmp_path: Path) -> None:
    lines = ["the cat", "", "中文 <|endoftext|>"]
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    asked = ("encode", tmp_path / "*.txt", "-t", "gpt2", "--lines", "--specials", "none", "--end-with", "<|endoftext|>")
    ran = verbs(*asked, "--shards", tmp_path / "npy", "--shard-size", "10", "--dtype", "uint32", "-j", "2")
    gpt2 = get_encoding("gpt2")
    wanted = [[*gpt2.encode_ordinary(line), gpt2.eot_token] for line in 2 * lines]
    tokens = sum(map(len, wanted))
    shards = open_shards(tmp_path / "npy")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.decode() == f"{tmp_path / 'npy'}: {len(shards)} shards, 6 documents, {tokens} ids\r\n"
    assert [ids.tolist() for ids in shards.each_document()] == wanted
    assert (len(shards), shards.dtype) == (6, "uint32"), "two files of 30 bytes, ten for each shard"
    assert verbs(*asked, "--shards", tmp_path / "parquet", "--shard-format", "parquet").code == 0
    assert [ids.tolist() for ids in open_shards(tmp_path / "parquet").each_document()] == wanted


def test_an_interruption_says_that_the_same_command_continues(verbs, tmp_path: Path, monkeypatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.txt").write_text("the cat", encoding="utf-8")
    make_shard = making.make_shard
    monkeypatch.setattr(making, "make_shard", interrupted)
    ran = verbs("encode", tmp_path / "a.txt", "-t", "gpt2", "--shards", tmp_path / "tokens")
    assert (ran.code, ran.err.endswith("The same command continues.\n")) == (130, True)
    monkeypatch.setattr(making, "make_shard", make_shard)
    assert verbs("encode", tmp_path / "a.txt", "-t", "gpt2", "--shards", tmp_path / "tokens").code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--shard-format", "parquet"], "go with --shards DIR"),
        (["--dask", "local"], "go with --shards DIR"),
        (["--shards", "x", "-o", "y"], "-o does not go with --shards"),
        (["--shards", "x", "--begin-with", "0"], "--begin-with does not go with --shards"),
        (["--shards", "x", "--shard-size", "lots"], "--shard-size='lots' is no amount of bytes"),
        (["--shards", "x", "--dask", "here"], "'here' is not a cluster: give local"),
    ],
)
def test_what_does_not_go_together(verbs, tmp_path: Path, options: list[str], words: str) -> None:
    (tmp_path / "a.txt").write_text("the cat", encoding="utf-8")
    ran = verbs("encode", tmp_path / "a.txt", *options)
    assert ran.code == 2
    assert words in ran.err


def test_a_field_is_that_of_json_and_of_tables_and_other_text_is_text(verbs, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("plain\ntext", encoding="utf-8")
    (tmp_path / "b.md.gz").write_bytes(gzip.compress(b"packed"))
    (tmp_path / "c.jsonl").write_text('{"t": "one\\ntwo"}\n\n{"t": "three"}\n', encoding="utf-8")
    wanted = ["plain\ntext", "packed", "one\ntwo", "three"]
    asked = (*sorted(tmp_path.iterdir()), "--field", "t")
    assert list(Corpus(*asked[:3], field="t")) == wanted
    ids = list(map(get_encoding("gpt2").encode_ordinary, wanted))
    assert json.loads(verbs("encode", *asked, "-t", "gpt2", "--format", "json").out) == ids
    assert verbs("encode", *asked, "-t", "gpt2", "--shards", "tokens").code == 0
    assert [each.tolist() for each in open_shards("tokens").each_document()] == ids
    words = {word.encode(): 1 for word in wanted}
    for number, more in enumerate(([], ["--memory", "64MB"], ["--checkpoint", "work"], ["-j", 1])):
        assert verbs("count", *asked, "--pattern", "none", "-o", f"{number}.counts", *more).code == 0
        assert dict(open_counts(f"{number}.counts")) == words
    done = verbs("train", *asked, "-n", 258, "-o", "out.model")
    assert done.code == 0, done.err
    (tmp_path / "c.jsonl").write_text('{"t": "one\\ntwo"}\n{"t": "<|endoftext|>"}\n', encoding="utf-8")
    assert "c.jsonl, line 2: the text contains" in verbs("encode", *asked, "-t", "gpt2").err
    (tmp_path / "a.txt").write_text("plain\n\n<|endoftext|>", encoding="utf-8")
    assert "a.txt, line 3: the text contains" in verbs("encode", *asked, "-t", "gpt2").err


def test_a_pipe_cannot_be_read_in_parts(verbs, tmp_path: Path) -> None:
    ran = verbs("encode", "--shards", tmp_path / "x", stdin=b"the cat")
    assert ran.code == 2
    assert "name files" in ran.err
