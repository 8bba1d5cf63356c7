"""Conversions: what may be converted into what, and what is written, replaced or refused on the way.

The golden record has the file of every awkward model in every format, and reads each again.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tokenizers

from minbpe_course import (
    Encoding,
    GPT2Tokenizer,
    RegexTokenizer,
    SentencePieceTokenizer,
    Tokenizer,
    convert,
    get_encoding,
    load_tokenizer,
    train,
    vocabularies,
)
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import (
    InvalidPattern,
    LeftOut,
    MinbpeCourseError,
    MissingFile,
    MissingPattern,
    UnreadableModel,
    UnsupportedModel,
    UnusablePath,
)
from minbpe_course.formats.any_format import read_model, write_model
from minbpe_course.model import BytePairModel
from minbpe_course.text.patterns import CL100K_PATTERN, R50K_PATTERN
from minbpe_course.tokenizers.loading import difference
from tests.formats.awkward_models import awkward_model
from tests.shared.cases import hostile_texts

pytestmark = pytest.mark.medium

# ----------------------------------------------------------------------------------------------------
# Sources


@pytest.fixture(scope="module")
def model() -> BytePairModel:
    return train(course_text()[:20_000], 600, pattern="cl100k_base", special_tokens=["<|end|>"])


def by_ranks(model: BytePairModel) -> dict[str, Any]:
    ranks = {token: token_id for token_id, token in model.token_bytes.items()}
    return dict(pat_str=model.pattern, mergeable_ranks=ranks, special_tokens=dict(model.special_tokens))


def hugging_face(model: BytePairModel, tmp_path: Path) -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_file(str(write_model(model, tmp_path / "given.json")))


def rust(model: BytePairModel, tmp_path: Path) -> Any:
    rustbpe = pytest.importorskip("rustbpe")
    theirs = rustbpe.Tokenizer()
    theirs.train_from_iterator([course_text()[:20_000]], 600, pattern=CL100K_PATTERN)
    return theirs


def ours(model: BytePairModel, tmp_path: Path) -> Any:
    tokenizer = Tokenizer()
    tokenizer.train_from_iterator([course_text()[:20_000]], 600, pattern="cl100k_base")
    return tokenizer


GIVEN: dict[str, Callable[[BytePairModel, Path], Any]] = {
    "record": lambda model, _: model,
    "minbpe's shape": lambda model, _: RegexTokenizer.from_model(model),
    "Encoding of ranks": lambda model, _: Encoding("mine", **by_ranks(model)),
    "tiktoken": lambda model, _: tiktoken.Encoding("mine", **by_ranks(model)),
    "tokenizers": hugging_face,
    "rustbpe": rust,
    "rustbpe's shape": ours,
    "bundled": lambda model, _: get_encoding("gpt2"),
}


@pytest.mark.parametrize("given", GIVEN)
def test_every_kind_of_source(given: str, model: BytePairModel, tmp_path: Path) -> None:
    tokenizer = GIVEN[given](model, tmp_path)
    path = convert(tokenizer, tmp_path / "mine.tiktoken")
    assert path == tmp_path / "mine.tiktoken"
    loaded = load_tokenizer(path)
    source = load_tokenizer(tokenizer)
    encode = getattr(tokenizer, "encode_ordinary", None) or source.encode_ordinary
    for text in hostile_texts(3, 40):
        ids = loaded.encode_ordinary(text)
        assert ids == encode(text)
        if given == "tokenizers":
            assert ids == tokenizer.encode(text, add_special_tokens=False).ids
        elif "rustbpe" in given:
            assert ids == tokenizer.encode(text)


def test_a_model_of_sentencepiece(tmp_path: Path) -> None:
    record = awkward_model("pieces in Unicode")
    path = convert(record, tmp_path / "a.model")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for given in (theirs, SentencePieceTokenizer(model_file=str(path)), path):
        again = convert(given, tmp_path / "b.model", overwrite=True)
        assert again.read_bytes() == path.read_bytes()
        assert isinstance(load_tokenizer(given), SentencePieceTokenizer)


@pytest.mark.parametrize("name", ["mine.tiktoken", "folder/"])
def test_pieces_do_not_become_bytes(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedModel, match="Keep that file"):
        convert(awkward_model("pieces"), f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


def test_bytes_do_not_become_pieces(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedModel, match="train_sentencepiece"):
        convert("gpt2", tmp_path / "a.model", "sentencepiece")
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------------------------------
# .tiktoken files contain no pattern


def test_published_files_are_known(tmp_path: Path) -> None:
    path = tmp_path / "downloaded"
    path.write_bytes(vocabularies.tiktoken_file("p50k_base"))
    loaded = load_tokenizer(path)
    expected = get_encoding("p50k_base")
    text = "hello <|endoftext|> 12345 ÄÖÜ 你好\r\n\r\n  x"
    assert loaded.encode(text, allowed_special="all") == expected.encode(text, allowed_special="all")
    assert loaded.special_tokens_set == expected.special_tokens_set


def test_other_tiktoken_files_need_a_pattern(model: BytePairModel, tmp_path: Path) -> None:
    path = convert(model, tmp_path / "mine.tiktoken")
    beside = tmp_path / "mine.tiktoken.json"
    assert load_tokenizer(path).encode("the cat") == load_tokenizer(model).encode("the cat")
    beside.unlink()
    for ask in (load_tokenizer, lambda src: convert(src, tmp_path / "tokenizer.json")):
        with pytest.raises(MissingPattern, match=r"pattern=.*'cl100k_base'"):
            ask(path)
    assert not (tmp_path / "tokenizer.json").exists()
    loaded = load_tokenizer(path, pattern="cl100k_base", special_tokens=model.special_tokens)
    assert loaded.encode("the<|end|>", allowed_special="all") == load_tokenizer(model).encode(
        "the<|end|>", allowed_special="all"
    )
    there = convert(path, tmp_path / "tokenizer.json", pattern="cl100k_base", special_tokens=model.special_tokens)
    assert read_model(there) == model
    with pytest.raises(InvalidPattern):
        load_tokenizer(path, pattern="(")
    # With pattern=None the whole text is one word.
    assert load_tokenizer(path, pattern=None).decode(load_tokenizer(path, pattern=None).encode("the cat")) == "the cat"


def test_arguments_overrule_the_source(tmp_path: Path) -> None:
    im = {**get_encoding("gpt2")._special_tokens, "<|im_start|>": 50257}
    path = convert("gpt2", tmp_path / "im.tiktoken", special_tokens=im)
    assert load_tokenizer(path).encode("<|im_start|>hello", allowed_special="all") == [50257, 31373]
    assert load_tokenizer("gpt2", pattern=R50K_PATTERN).encode("hello world") == [31373, 995]
    with pytest.raises(UnsupportedModel, match="SentencePiece has no"):
        load_tokenizer(awkward_model("pieces"), pattern=None)


# ----------------------------------------------------------------------------------------------------
# Targets


def test_gpt2s_pair_into_a_folder(tmp_path: Path) -> None:
    folder = convert(GPT2Tokenizer(), f"{tmp_path / 'made'}/")
    assert {each.name for each in folder.iterdir()} == {"vocab.json", "merges.txt"}
    assert (folder / "vocab.json").read_bytes() == vocabularies.tiktoken_file("gpt2", "encoder.json")
    assert load_tokenizer(folder).encode("hello world") == [31373, 995]
    small = f"{tmp_path / 'small'}/"
    for again in (False, True):
        assert convert(train(course_text()[:2000], 300, pattern="gpt2"), small, overwrite=again) == Path(small)
    with pytest.raises(UnsupportedModel, match="GPT-2's pattern"):
        convert(train("aaab", 257, pattern="cl100k_base"), f"{tmp_path / 'other'}/")
    assert not (tmp_path / "other").exists()


def test_a_file_is_replaced_only_by_a_proven_one(model: BytePairModel, tmp_path: Path) -> None:
    path = tmp_path / "a.model"
    path.write_bytes(b"what was there")
    for src in (awkward_model("ranks with holes"), tmp_path / "nowhere.json"):
        with pytest.raises(MinbpeCourseError):
            convert(src, path, "minbpe", overwrite=True)
        assert path.read_bytes() == b"what was there"
    convert(model, path, overwrite=True)
    assert read_model(path) == model


@pytest.mark.parametrize(("name", "file"), [("minbpe", "a.model"), ("gpt2", "a"), ("tiktoken", "a.tiktoken")])
@pytest.mark.parametrize("there", ["the same", "a link", "nothing but a second file"])
def test_what_exists_is_replaced_only_if_asked(name: str, file: str, there: str, tmp_path: Path) -> None:
    """Also a second file alone, and a link that leads nowhere."""
    if there == "a link" and os.name == "nt":
        pytest.skip("links need rights on Windows")
    record = BytePairModel([(97, 97)], pattern=R50K_PATTERN)
    folder = tmp_path / "target"
    folder.mkdir()
    path = convert(record, folder / file, name)
    written = sorted(each for each in folder.rglob("*") if each.is_file())
    if there != "the same":
        kept = written[-1]
        for each in written[: None if there == "a link" else -1]:
            each.unlink()
        if there == "a link":
            kept.symlink_to(tmp_path / "elsewhere")
        elif len(written) > 1:
            kept.write_bytes(b"mine")
    before = {each: each.is_symlink() or each.read_bytes() for each in folder.rglob("*") if not each.is_dir()}
    with pytest.raises(FileExistsError, match=r"exists already.*overwrite=True"):
        convert(record, path, name)
    assert before == {each: each.is_symlink() or each.read_bytes() for each in folder.rglob("*") if not each.is_dir()}
    assert difference(read_model(convert(record, path, name, overwrite=True), name), record) is None
    assert not any(each.is_symlink() for each in folder.rglob("*"))
    assert not (tmp_path / "elsewhere").exists()


def test_settings_of_a_tekken_file_are_named(tmp_path: Path) -> None:
    path = write_model(BytePairModel([(97, 97)], pattern=CL100K_PATTERN), tmp_path / "tekken.json")
    path.write_text(path.read_text("utf-8").replace("{", '{"image": {"image_patch_size": 16},', 1), encoding="utf-8")
    with pytest.warns(LeftOut, match=r"image \(of tekken\.json\)"):
        convert(path, tmp_path / "a.tiktoken")
    assert json.loads(convert(path, tmp_path / "b.tekken.json").read_bytes())["image"] == {"image_patch_size": 16}


def test_a_format_that_loses_something_is_found_out(
    model: BytePairModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken writer that loses special tokens, pattern or merges: reading the file again gives another model."""
    from minbpe_course.formats import huggingface_json

    write = huggingface_json.write
    for lose in (
        lambda each: each.replace(special_tokens={}),
        lambda each: each.replace(pattern=R50K_PATTERN),
        lambda each: each.replace(merges=each.merges[:-1]),
    ):
        monkeypatch.setattr(huggingface_json, "write", lambda record, path, lose=lose: write(lose(record), path))
        with pytest.raises(UnsupportedModel, match="read again"):
            convert(model, tmp_path / "tokenizer.json")
        assert list(tmp_path.iterdir()) == []


def test_paths_that_cannot_be_written(model: BytePairModel, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    for path in (tmp_path / "nowhere" / "a.tiktoken", tmp_path / "folder.json"):
        with pytest.raises((UnusablePath, UnsupportedModel)):
            convert(model, path)
    with pytest.raises(MissingFile):
        convert(tmp_path / "nowhere.model", tmp_path / "a.tiktoken")
    (tmp_path / "cut.tiktoken").write_bytes(b"IQ== 0\nno base64")
    with pytest.raises(UnreadableModel, match="line 2"):
        convert(tmp_path / "cut.tiktoken", tmp_path / "a.model")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
def test_ctrl_c_leaves_nothing_half_written(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(b"old")
    program = (
        "import sys; from minbpe_course import convert; print('go', flush=True)\n"
        "while True: convert('gpt2', sys.argv[1], overwrite=True)"
    )
    for wait in (0.3, 0.8):
        with subprocess.Popen(
            [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as running:
            assert running.stdout is not None
            running.stdout.readline()
            time.sleep(wait)
            # llvmlite swallows an interrupt that arrives while it loads compiled code; a user presses the keys again.
            while running.poll() is None:
                running.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(5)
        assert [each.name for each in tmp_path.iterdir()] == ["t.json"]
        assert path.read_bytes() == b"old" or load_tokenizer(path).encode("hello world") == [31373, 995]


def test_two_texts_of_one_id_become_one_in_a_tokenizer_json(tmp_path):
    with pytest.warns(LeftOut, match="reserved_200018.* and <|endofprompt|> share the id 200018"):
        path = convert("o200k_harmony", tmp_path / "tokenizer.json")
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), load_tokenizer("o200k_harmony")
    text = "<|start|>user<|message|>hi<|end|><|endofprompt|>"
    assert theirs.encode(text).ids == ours.encode(text, allowed_special="all")
    assert theirs.decode([200018], skip_special_tokens=False) == ours.decode([200018])
    assert load_tokenizer(path).encode("<|reserved_200018|>") == theirs.encode("<|reserved_200018|>").ids
