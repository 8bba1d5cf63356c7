"""Names: language models, plugins in the namespace tiktoken_ext, encodings offered to tiktoken; and files of ranks."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken
import tiktoken.load
import tiktoken.model
import tiktoken.registry

import minbpe_course
from minbpe_course import (
    Encoding,
    encoding_for_model,
    encoding_name_for_model,
    get_encoding,
    offer_to_tiktoken,
    train,
    use_bundled_vocabularies,
)
from minbpe_course.compat.tiktoken.load import data_gym_to_mergeable_bpe_ranks, dump_tiktoken_bpe, load_tiktoken_bpe
from minbpe_course.errors import (
    InvalidModel,
    InvalidOption,
    MissingFile,
    UnknownEncoding,
    UnreadableModel,
    UnsupportedModel,
)
from minbpe_course.model import BytePairModel
from minbpe_course.tokenizers import encoding_names
from minbpe_course.vocabularies import tiktoken_file
from tests.formats.awkward_models import awkward_model

pytestmark = pytest.mark.medium

BYTES = {bytes([byte]): byte for byte in range(256)}

PLUGIN = """
def theirs():
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    return {"name": "theirs", "pat_str": "[a-z]+|[^a-z]", "mergeable_ranks": ranks, "special_tokens": {"<s>": 257}}

ENCODING_CONSTRUCTORS = {"theirs": theirs}
"""


def test_every_language_model_has_the_encoding_that_tiktoken_gives_it() -> None:
    names = [*tiktoken.model.MODEL_TO_ENCODING, *(f"{one}2031" for one in tiktoken.model.MODEL_PREFIX_TO_ENCODING)]
    for name in names:
        assert encoding_name_for_model(name) == tiktoken.encoding_name_for_model(name)
        assert encoding_for_model(name) is get_encoding(tiktoken.encoding_name_for_model(name))


@pytest.mark.parametrize("wrong", ["nope", "", "GPT-4", "gpt2 ", None, 3, ["gpt-4"]])
def test_an_unknown_language_model(wrong: object) -> None:
    with pytest.raises((KeyError, AttributeError, TypeError)):
        tiktoken.encoding_for_model(wrong)  # type: ignore[arg-type]
    with pytest.raises(UnknownEncoding, match="language model") as ours:
        encoding_for_model(wrong)  # type: ignore[arg-type]
    assert isinstance(ours.value, KeyError)


def run(program: str, *folders: Path) -> str:
    """Run a program in a separate process, which finds modules in ``folders`` first."""
    path = os.pathsep.join([*map(str, folders), str(Path(minbpe_course.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_plugin_of_tiktokens_is_found_here(tmp_path: Path) -> None:
    folder = tmp_path / "tiktoken_ext"
    folder.mkdir()
    (folder / "of_theirs.py").write_text(PLUGIN, encoding="utf-8")
    program = """
import pickle, minbpe_course as tiktoken, tiktoken as real
enc = tiktoken.get_encoding("theirs")
assert enc.encode("abc<s>", allowed_special="all") == [256, 99, 257]
assert enc.encode("ab ab") == real.get_encoding("theirs").encode("ab ab")
assert tiktoken.get_encoding("theirs") is enc is pickle.loads(pickle.dumps(enc))
assert sorted(tiktoken.list_encoding_names()) == sorted(real.list_encoding_names())
print(enc, tiktoken.list_encoding_names()[-1])
"""
    shown = run(program, tmp_path)
    assert shown == "<Encoding 'theirs'> theirs"


@pytest.mark.parametrize(
    ("source", "reason"), [("x = 1", "does not define"), (PLUGIN.replace('{"theirs"', '{"gpt2"'), "Duplicate")]
)
def test_a_broken_plugin_breaks_nothing_that_is_bundled(tmp_path: Path, source: str, reason: str) -> None:
    folder = tmp_path / "tiktoken_ext"
    folder.mkdir()
    (folder / "zz_broken.py").write_text(source, encoding="utf-8")
    program = """
import minbpe_course as tiktoken
from minbpe_course.errors import UnknownEncoding
assert tiktoken.get_encoding("gpt2").encode("hello") == [31373]
for ask in (lambda: tiktoken.get_encoding("theirs"), tiktoken.list_encoding_names):
    try:
        ask()
    except UnknownEncoding as error:
        assert isinstance(error, ValueError)
        print(str(error).splitlines()[0])
"""
    told = run(program, tmp_path).splitlines()
    assert len(told) == 2
    assert all("tiktoken_ext" in line and reason in line for line in told)


@pytest.fixture
def own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of names for one test, so that no other test of the process meets what it puts there."""
    tiktoken.list_encoding_names()
    monkeypatch.setattr(tiktoken.registry, "ENCODING_CONSTRUCTORS", dict(tiktoken.registry.ENCODING_CONSTRUCTORS or {}))
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", dict(tiktoken.registry.ENCODINGS))
    monkeypatch.setattr(encoding_names, "ENCODINGS", dict(encoding_names.ENCODINGS))


@pytest.mark.usefixtures("own_names")
def test_an_encoding_is_offered_to_tiktoken() -> None:
    record = train("the cat sat on the mat, the rat sat" * 3, 280, pattern="cl100k_base", special_tokens=["<|end|>"])
    own = Encoding.from_model(record, "offered here")
    offer_to_tiktoken(own)
    text = "the rat that sat<|end|> é"
    theirs = tiktoken.get_encoding("offered here")
    assert theirs.encode(text, allowed_special="all") == own.encode(text, allowed_special="all")
    assert "offered here" in tiktoken.list_encoding_names()
    offer_to_tiktoken(Encoding.from_model(record, "offered here"))  # the same once more
    assert get_encoding("offered here").encode(text, disallowed_special=()) == theirs.encode(
        text, disallowed_special=()
    )
    other = Encoding("offered here", pat_str=".", mergeable_ranks=BYTES, special_tokens={})
    for taken in (other, Encoding("gpt2", pat_str=".", mergeable_ranks=BYTES, special_tokens={})):
        with pytest.raises(InvalidOption, match="already"):
            offer_to_tiktoken(taken)
    with pytest.raises(InvalidOption, match="name"):
        offer_to_tiktoken(Encoding(3, pat_str=".", mergeable_ranks=BYTES, special_tokens={}))  # type: ignore[arg-type]
    with pytest.raises(UnsupportedModel, match="no mergeable ranks"):
        offer_to_tiktoken(Encoding.from_model(BytePairModel([(97, 98), (98, 99), (97, 257)]), "not by rank"))


# Records


@pytest.mark.parametrize(
    "label", ["a token never made", "merges in another order than ids", "NFC", "a token without a merge"]
)
def test_ranks_do_not_lie_about_a_record(label: str) -> None:
    own = Encoding.from_model(awkward_model(label), "other rule")
    with pytest.raises(UnsupportedModel, match="no mergeable ranks"):
        own._mergeable_ranks  # noqa: B018
    text = "abc ab bc e\u0301"
    again = pickle.loads(pickle.dumps(own))
    assert again.encode(text) == own.encode(text) == own.encode_batch([text])[0]
    assert own.decode(own.encode(text)) in (text, "abc ab bc \xe9")
    assert len(own.token_byte_values()) >= 256
    stay, ways = own.encode_with_unstable("abc ab")
    assert own.decode_bytes(stay) + b"" == b"abc ab"[: len(own.decode_bytes(stay))]
    for way in ways:
        assert own.decode_bytes(stay + way).startswith(b"abc ab")
    assert own._encode_bytes(b"ab\xff")[-1] == own.encode_single_token(b"\xff")


# Files of ranks


def test_ranks_go_into_a_file_and_back(tmp_path: Path) -> None:
    use_bundled_vocabularies()
    ranks = {b"\xff\n": 300, b"": 299, **BYTES, b"ab c": 2**32 - 1}
    path = tmp_path / "ranks.tiktoken"
    dump_tiktoken_bpe(ranks, str(path))
    lines = path.read_bytes().splitlines()
    assert lines[0] == b"AA== 0"
    assert [int(line.split()[-1]) for line in lines] == sorted(ranks.values())
    dump_tiktoken_bpe(BYTES, path)
    assert load_tiktoken_bpe(path) == tiktoken.load.load_tiktoken_bpe(str(path)) == BYTES
    dump_tiktoken_bpe(get_encoding("cl100k_base")._mergeable_ranks, path)
    assert path.read_bytes() == tiktoken_file("cl100k_base")
    # A published file by its address, from tiktoken's cache.
    address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    assert load_tiktoken_bpe(address) == get_encoding("cl100k_base")._mergeable_ranks
    for wrong in ({"a": 1}, {b"a": "1"}, {b"a": 1.0}):
        with pytest.raises(InvalidOption):
            dump_tiktoken_bpe(wrong, path)  # type: ignore[arg-type]
    assert path.read_bytes() == tiktoken_file("cl100k_base")


@pytest.mark.parametrize("line", [b"YQ==", b"YQ== x", b"YQ== 1 2", b"Y 1", b"\xff\xfe 1.5", b"YQ== 0x10"])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "bad.tiktoken"
    path.write_bytes(b"YQ== 0\n\n" + line + b"\n")
    with pytest.raises(ValueError, match="Error parsing line"):
        tiktoken.load.load_tiktoken_bpe(str(path))
    with pytest.raises(UnreadableModel, match="line 3"):
        load_tiktoken_bpe(str(path))


def test_files_that_are_missing_or_others(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        load_tiktoken_bpe(str(tmp_path / "missing"))
    path = tmp_path / "other.tiktoken"
    path.write_bytes(b"YQ== 0\n")
    with pytest.raises(UnreadableModel, match="SHA-256"):
        load_tiktoken_bpe(str(path), expected_hash="0" * 64)
    path.write_bytes(b"YQ== 1\n")
    assert load_tiktoken_bpe(str(path)) == {b"a": 1}  # and not what it was before


def test_gpt2s_two_files(tmp_path: Path) -> None:
    bpe, listed = tmp_path / "vocab.bpe", tmp_path / "encoder.json"
    bpe.write_bytes(tiktoken_file("gpt2", "vocab.bpe"))
    listed.write_bytes(tiktoken_file("gpt2", "encoder.json"))
    ranks = data_gym_to_mergeable_bpe_ranks(str(bpe), str(listed))
    assert list(ranks.items()) == list(get_encoding("gpt2")._mergeable_ranks.items())
    named = json.loads(listed.read_text(encoding="utf-8"))
    listed.write_text(json.dumps(named | {"!": 7_000_000}), encoding="utf-8")
    changed = data_gym_to_mergeable_bpe_ranks(bpe, listed, clobber_one_byte_tokens=True)
    assert changed[b"!"] == 7_000_000
    with pytest.raises(AssertionError):
        tiktoken.load.data_gym_to_mergeable_bpe_ranks(str(bpe), str(listed))
    with pytest.raises(InvalidModel, match="7000000"):
        data_gym_to_mergeable_bpe_ranks(bpe, listed)
    bpe.write_text("#version\na b\n", encoding="utf-8")
    for broken, reason in (
        (b"[]", "not a JSON object"),
        (b"{", "not a JSON object"),
        (b"\xff", "UTF-8"),
        ('{"中": 1}'.encode(), "JSON"),
    ):
        listed.write_bytes(broken)
        with pytest.raises(UnreadableModel, match=reason):
            data_gym_to_mergeable_bpe_ranks(bpe, listed)
    bpe.write_text("#version\na b\nab\n", encoding="utf-8")
    with pytest.raises(UnreadableModel, match="line 3"):
        data_gym_to_mergeable_bpe_ranks(bpe, listed)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("GPT-4", "encoding_for_model('gpt-4')"),
        ("gpt3.5_turbo", "encoding_for_model('gpt-3.5-turbo')"),
        ("gpt-oss", "get_encoding('o200k_harmony')"),
        ("GPT2", "Did you mean 'gpt2'?"),
    ],
)
def test_the_name_of_a_model_leads_to_its_encoding(name: str, advice: str) -> None:
    with pytest.raises(UnknownEncoding) as raised:
        get_encoding(name)
    assert advice in str(raised.value)
