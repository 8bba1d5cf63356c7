"""minbpe-course encode, and decode back: every form, any cut, exact bytes."""

from __future__ import annotations

import io
import json
import random

import numpy as np
import pytest

from minbpe_course import SentencePieceTokenizer, get_encoding, open_shards, train
from minbpe_course.formats.any_format import write_model
from minbpe_course.model import VocabularyModel
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN
from tests.shared.cases import MISTRAL, hostile_text

pytestmark = pytest.mark.medium

FORMATS = ("text", "jsonl", "json", "npy")
AWKWARD = "Hello world\nzwei\r\n\n\u2028drei\x0b\x1c vier\ufeff  \n\t日本語 e\u0301 😀\rfünf"


def documents(data: bytes, form: str) -> list[list[int]]:
    """Read the output with other libraries."""
    if form == "npy":
        file = io.BytesIO(data)
        ids, ends = np.load(file), np.load(file)
        assert ends.size == 0 or ends[-1] == ids.size
        return [part.tolist() for part in np.split(ids, ends)[:-1]]
    if form == "json":
        return json.loads(data)
    lines = data.decode("ascii").split("\n")
    assert lines.pop() == "", "the last line ends, too"
    return [json.loads(line) if form == "jsonl" else [int(number) for number in line.split()] for line in lines]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("jobs", [1, 3])
def test_files_and_lines_are_documents(verbs, tmp_path, tiny, form, jobs):
    texts = [AWKWARD, "", "one\n", "\n\n", "x" * 40 + "\nlast"]
    paths = []
    for number, text in enumerate(texts):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_bytes(text.encode("utf-8"))
    encoding = get_encoding("o200k_base")
    done = verbs("encode", "-t", "o200k_base", "--format", form, "-j", jobs, *paths)
    assert done == (0, done.out, "")
    assert documents(done.out, form) == [encoding.encode(text) for text in texts]
    done = verbs("encode", "-t", "o200k_base", "--format", form, "-j", jobs, "--lines", *paths)
    lines = [line for text in texts for line in text.split("\n")[: None if text[-1:] not in ("", "\n") else -1]]
    assert documents(done.out, form) == [encoding.encode(line) for line in lines]


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_text_comes_back_byte_for_byte(verbs, tiny, form):
    rng = random.Random(FORMATS.index(form))
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        for _ in range(1):
            text = hostile_text(rng, pieces=200, surrogates=False)
            ids = verbs("encode", "-t", name, "--specials", "all", "--format", form, "-j1", stdin=text.encode())
            assert documents(ids.out, form) == [get_encoding(name).encode(text, allowed_special="all")]
            back = verbs("decode", "-t", name, stdin=ids.out)
            assert back == (0, text.encode("utf-8"), "")


def test_special_tokens_are_reported_with_their_place(verbs, tmp_path, tiny):
    path = tmp_path / "story.txt"
    path.write_text("one line\n" * 5 + "then <|endoftext|> more", encoding="utf-8", newline="")
    for arguments in ([path], ["--lines", path]):
        done = verbs("encode", *arguments)
        assert (done.code, done.err.count("story.txt, line 6:")) == (2, 1), done.err
        assert "--specials all" in done.err
    encoding, text = get_encoding("cl100k_base"), path.read_bytes().decode()
    every = verbs("encode", "--specials", "all", path).out
    none = verbs("encode", "--specials", "none", path).out
    assert documents(every, "text") == [encoding.encode(text, allowed_special="all")]
    assert documents(none, "text") == [encoding.encode(text, disallowed_special=())]
    assert every != none


def test_a_special_token_that_holds_a_place_to_cut(verbs, tmp_path, tiny):
    model = train("a b c " * 9, 260, pattern="cl100k_base", special_tokens=["<end. of\nit>"])
    path = write_model(model, tmp_path / "mine.json")
    text = "a b c<end. of\nit>a b. c\n <end. of\nit"
    done = verbs("encode", "-t", path, "--specials", "all", stdin=text.encode())
    (ids,) = documents(done.out, "text")
    assert ids.count(model.special_tokens["<end. of\nit>"]) == 1
    assert verbs("decode", "-t", path, stdin=done.out).out == text.encode()
    assert "line 1" in verbs("encode", "-t", path, stdin=text.encode()).err


@pytest.mark.parametrize(
    ("arguments", "place"), [((), "line 3"), (("--lines",), "line 3"), (("--format", "npy"), "line 3")]
)
def test_invalid_utf8_is_reported(verbs, tmp_path, tiny, arguments, place):
    data = "ä\nsome text\n日本".encode() + b"\xff\n more"
    done = verbs("encode", *arguments, stdin=data)
    assert done.code == 2
    assert f"standard input is not UTF-8: byte {data.index(0xFF)} is 0xff ({place})" in done.err
    cut = tmp_path / "cut.txt"
    cut.write_bytes("日".encode()[:2])
    assert "cut.txt is not UTF-8: byte 0 is 0xe6 (line 1)" in verbs("encode", cut).err
    assert documents(verbs("encode", "--errors", "replace", cut).out, "text") == [
        get_encoding("cl100k_base").encode("\ufffd")
    ]


def test_fields_of_json_lines(verbs, tiny):
    texts = ["first\nwith a line end", "", "日本", "\u2028"]
    lines = "".join(json.dumps({"id": 1, "text": text}) + "\n" for text in texts) + "\n   \n"
    done = verbs("encode", "--field", "text", "--format", "json", stdin=lines.encode())
    assert documents(done.out, "json") == [get_encoding("cl100k_base").encode(text) for text in texts]
    done = verbs("encode", "--field", "text", stdin=b'{"text": "x"}\n\n' + b"[" * 100_000)
    assert (done.code, "line 3 is not JSON: it is nested too deep" in done.err) == (2, True), done.err


@pytest.mark.parametrize("form", FORMATS)
def test_tokens_around_documents(verbs, tiny, form):
    encoding = get_encoding("cl100k_base")
    text = "a longer line than a batch has room for\n\nb"
    around = ["--begin-with", "<|endofprompt|>", "--end-with", "100257", "--format", form]
    done = verbs("encode", "--lines", *around, stdin=text.encode())
    assert documents(done.out, form) == [[100276, *encoding.encode(line), 100257] for line in text.split("\n")]
    done = verbs("encode", *around, stdin=text.encode())
    assert documents(done.out, form) == [[100276, *encoding.encode(text), 100257]]
    done = verbs("encode", "--end-with", "<|nothing|>", stdin=b"x")
    assert (done.code, "no special token of cl100k_base" in done.err) == (2, True)


def test_the_frame_of_a_file(verbs, tmp_path):
    tokens = {byte: bytes([byte]) for byte in range(256)}
    record = VocabularyModel(
        tokens, (), pattern=GPT2_SPLIT_PATTERN, special_tokens={"<s>": 256, "</s>": 257}, frame=((256,), (257, 257))
    )
    path = write_model(record, tmp_path / "tokenizer.json")
    assert verbs("encode", "-t", path, "--lines", stdin=b"a\n\nb").out == b"97\n\n98\n"
    framed = verbs("encode", "-t", path, "--lines", "--frame", "--end-with", "<s>", stdin=b"a\n\nb").out
    assert framed == b"256 97 257 257 256\n256 257 257 256\n256 98 257 257 256\n"
    (tmp_path / "a.txt").write_bytes(b"a\n\nb")
    shards = tmp_path / "tokens"
    options = ("--lines", "--frame", "--end-with", "<s>", "--shards", shards)
    assert verbs("encode", tmp_path / "a.txt", "-t", path, *options).code == 0
    assert " ".join(map(str, open_shards(shards)[0].ids.tolist())).encode() == framed.strip().replace(b"\n", b" ")


def test_the_dtype_is_the_smallest_that_holds_every_id(verbs, tmp_path):
    for name, dtype in (("gpt2", "uint16"), ("cl100k_base", "uint32")):
        path = tmp_path / f"{name}.npy"
        assert verbs("encode", "-t", name, "-o", path, stdin=b"Hello world").code == 0
        ids = np.load(path, mmap_mode="r")
        assert (ids.dtype, ids.tolist()) == (np.dtype(dtype), get_encoding(name).encode("Hello world"))
        assert path.read_bytes() == verbs("encode", "-t", name, "--format", "npy", stdin=b"Hello world").out
    assert verbs("encode", "-t", "gpt2", "--dtype", "uint32", "--format", "npy", stdin=b"x").out.count(b"<u4") == 1
    assert "100,276" in verbs("encode", "--dtype", "uint16", "--format", "npy", stdin=b"x").err
    assert verbs("encode", "--dtype", "uint16", stdin=b"x").code == 2


def test_an_error_leaves_the_old_output_and_nothing_beside_it(verbs, tmp_path, tiny):
    path = tmp_path / "ids.json"
    assert verbs("encode", "-o", path, stdin=b"good text").code == 0
    before = path.read_bytes()
    for form in FORMATS:
        assert verbs("encode", "-o", path, "--format", form, stdin=b"a long enough text \n" * 9 + b"\xff").code == 2
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]
    assert json.loads(before) == [get_encoding("cl100k_base").encode("good text")], "by its name"


def test_names_patterns_and_missing_files(verbs, tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    for name in ("b.txt", "a.txt", "a/c.txt", "a/d.md"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    encoding = get_encoding("cl100k_base")
    done = verbs("encode", "b.txt", "**/*.txt", "-", stdin=b"piped")
    wanted = ["b.txt", "a.txt", "a/c.txt", "piped"]
    got = [encoding.decode(ids) for ids in documents(done.out, "text")]
    assert got == wanted
    for arguments, says in (
        (["a"], "a is a folder"),
        ([], "name a file"),
        (["-j", "-1", "b.txt"], "-1 is below 0"),
        (["-t", "a/d.md", "b.txt"], "d.md"),
        (["--field", "text", "--dtype", "uint8", "b.txt"], "invalid choice"),
    ):
        done = verbs("encode", *arguments)
        assert (done.code, done.out) == (2, b"")
        assert says in done.err, done.err


def test_sentencepiece_models(verbs, tiny):
    tokenizer = SentencePieceTokenizer(MISTRAL)
    text = "Hello world\n  zwei <s> drei\n日本語 😀"
    done = verbs("encode", "-t", MISTRAL, "--begin-with", "<s>", stdin=text.encode())
    assert documents(done.out, "text") == [[1, *tokenizer.encode(text)]]
    assert verbs("decode", "-t", MISTRAL, stdin=done.out).out == text.encode()
    done = verbs("encode", "-t", MISTRAL, "--lines", "--format", "npy", stdin=text.encode())
    assert documents(done.out, "npy") == [tokenizer.encode(line) for line in text.split("\n")]
    assert verbs("decode", "-t", MISTRAL, "--lines", stdin=done.out).out == text.encode() + b"\n"
