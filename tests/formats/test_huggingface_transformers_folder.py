"""A folder for transformers: the files next to its tokenizer.json are copied, or named where they cannot be."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from minbpe_course import convert, load_tokenizer
from minbpe_course.cli.main import main
from minbpe_course.errors import (
    InvalidOption,
    InvalidSpecialToken,
    LeftOut,
    NotApplied,
    NotText,
    UnreadableModel,
    UnsupportedModel,
    UnusablePath,
)
from minbpe_course.formats.any_format import read_model
from minbpe_course.text.patterns import R50K_PATTERN
from tests.formats.awkward_models import awkward_model
from tests.shared.huggingface_files import file_of_kind

CONFIG = {
    "tokenizer_class": "GPT2TokenizerFast",
    "bos_token": {"__type": "AddedToken", "content": "<|endoftext|>"},
    "eos_token": "<|endoftext|>",
    "pad_token": None,
    "additional_special_tokens": ["<|endoftext|>"],
    "model_max_length": 1e30,
    "clean_up_tokenization_spaces": True,
    "chat_template": [{"name": "default", "template": "{% for m in messages %}é{% endfor %}"}],
}
COMPANIONS = {
    "tokenizer_config.json": json.dumps(CONFIG, indent=3).encode(),
    "special_tokens_map.json": b'{"eos_token": "<|endoftext|>"}',
    "added_tokens.json": b"{not JSON",
    "chat_template.jinja": "{{ 'é' }}\r\n".encode(),
    "additional_chat_templates/tool use.jinja": b"{{ tools }}",
}


def files_in(folder: Path) -> dict[str, bytes]:
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder as transformers saves it, with further files that are not a tokenizer's."""
    folder = tmp_path / "source"
    others = {"model.safetensors": b"\0", "vocab.json": b"{}", "additional_chat_templates/notes.txt": b"x"}
    for name, data in {**COMPANIONS, **others, "tokenizer.json": file_of_kind("gpt2 of 2020").encode()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


class OfTransformers:
    """A tokenizer as transformers has it: around one of `tokenizers`, saved by ``save_pretrained``."""

    def __init__(self, folder: Path) -> None:
        self.backend_tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.folder = folder

    def save_pretrained(self, folder: str) -> None:
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)


@pytest.mark.parametrize("given", ["folder", "tokenizer"])
def test_a_folder_keeps_every_companion(given: str, source: Path, tmp_path: Path) -> None:
    src: Any = source if given == "folder" else OfTransformers(source)
    target = convert(src, tmp_path / "target", "huggingface")
    found = files_in(target)
    assert read_model(target) == read_model(source)
    assert found.pop("tokenizer.json")
    assert found == COMPANIONS
    # The folder itself, and onto what is there.
    assert convert(target, target, "huggingface", overwrite=True) == target
    assert files_in(target) == files_in(target) | COMPANIONS


@pytest.mark.parametrize("name", ["tokenizer.json", "a.tiktoken"])
def test_what_a_file_has_no_place_for_is_named(
    name: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ("chat_template.jinja", "tool use.jinja", "special_tokens_map.json", "tokenizer_config.json (additional_")
    wanted += ("bos_token", "chat_template", "model_max_length", "pad_token", "tokenizer_class", "clean_up")
    with pytest.warns(LeftOut) as caught:
        path = convert(source, f"{tmp_path}/{name}")
    said = str(caught[0].message)
    assert [text for text in wanted if text not in said] == []
    assert caught[0].filename == __file__
    assert load_tokenizer(path).encode("the cat") == load_tokenizer(source).encode("the cat")
    assert main(["convert", str(source), f"{tmp_path}/{name}", "--force"]) == 0
    assert said in " ".join(capsys.readouterr().out.split("\n"))


def test_nothing_is_named_where_nothing_is_lost(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """A folder that was made here says no more than its model."""
    record = awkward_model("plain").replace(pattern=R50K_PATTERN)
    convert(convert(record, tmp_path / "made", "huggingface"), tmp_path / "a.tiktoken")
    renamed = record.replace(special_tokens={"zq": record.vocab_size})
    convert(convert(renamed, f"{tmp_path}/pair/"), tmp_path / "tokenizer.json")
    assert (tmp_path / "pair" / "tokenizer_config.json").exists()
    assert [each for each in recwarn if each.category is LeftOut] == []


def test_a_folder_of_ours_names_the_roles_and_is_replaced(tmp_path: Path) -> None:
    specials = {"<|x|>": 257, "<think>": 258, "<|endoftext|>": 259}
    record = awkward_model("plain added tokens").replace(special_tokens=specials, plain_tokens={"<think>"})
    for overwrite in (False, True):
        folder = convert(record, tmp_path / "folder", "huggingface", overwrite=overwrite)
    roles, config = (
        json.loads((folder / name).read_bytes()) for name in ("special_tokens_map.json", "tokenizer_config.json")
    )
    end = "<|endoftext|>"
    assert roles == {"bos_token": end, "eos_token": end, "additional_special_tokens": ["<|x|>"]}
    assert roles.items() <= config.items()
    with pytest.raises(UnusablePath, match="cannot make"):
        convert(record, tmp_path / "no" / "where", "huggingface")


TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}é"


def test_roles_and_a_template_are_written_and_the_rest_stays(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder of the source's files, in one made here, and by the command."""
    given = {"bos": "<|endoftext|>", "pad": "<|endoftext|>", "chat_template": TEMPLATE}
    roles = {"bos_token": "<|endoftext|>", "pad_token": "<|endoftext|>"}
    found = files_in(convert(source, tmp_path / "kept", "huggingface", **given))
    assert json.loads(found.pop("tokenizer_config.json")) == CONFIG | roles | {"chat_template": TEMPLATE}
    assert json.loads(found.pop("special_tokens_map.json")) == {"eos_token": "<|endoftext|>", **roles}
    assert found.pop("chat_template.jinja") == TEMPLATE.encode()
    assert {name: found[name] for name in COMPANIONS if name in found} == {
        name: COMPANIONS[name] for name in ("added_tokens.json", "additional_chat_templates/tool use.jinja")
    }
    (tmp_path / "chat.jinja").write_bytes(TEMPLATE.encode())
    command = ["convert", "gpt2", str(tmp_path / "made"), "--to", "huggingface", "--special", "<pad>=50257"]
    command += ["--pad", "<pad>", "--chat-template", str(tmp_path / "chat.jinja")]
    for _ in range(2):
        assert main(command) == 0
        config = json.loads((tmp_path / "made" / "tokenizer_config.json").read_bytes())
        command.append("--force")
    assert (config["pad_token"], config["chat_template"]) == ("<pad>", TEMPLATE)
    assert "additional_special_tokens" not in config
    (tmp_path / "chat.jinja").write_bytes(b"\xff")
    assert main(command) == 2
    assert "expected UTF-8 text" in capsys.readouterr().err


def test_roles_that_cannot_be_written_are_refused(source: Path, tmp_path: Path) -> None:
    record = awkward_model("plain added tokens")
    plain = min(record.plain_tokens)
    refused: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (record, {"bos": "<none>"}, InvalidSpecialToken, r"bos='<none>' \(--bos\) is not a special token"),
        (record, {"pad": plain}, InvalidSpecialToken, "is not a special token"),
        (record, {"chat_template": Path("chat.jinja")}, NotText, "the text of a template"),
    ]
    for src, given, error, message in refused:
        with pytest.raises(error, match=message):
            convert(src, tmp_path / "folder", "huggingface", **given)
    with pytest.raises(InvalidOption, match="for a folder of transformers"):
        convert(record, tmp_path / "tokenizer.json", eos=plain)
    (source / "special_tokens_map.json").write_bytes(b"[]")
    with pytest.raises(UnreadableModel, match="not a JSON object"):
        convert(source, tmp_path / "folder", "huggingface", bos="<|endoftext|>")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["source"]


def test_transformers_reads_the_roles_and_the_template(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    specials = {"<|endoftext|>": 50256, "<s>": 50257, "<pad>": 50258}
    given: dict[str, Any] = {"bos": "<s>", "pad": "<pad>", "chat_template": TEMPLATE}
    folder = convert("gpt2", tmp_path / "made", "huggingface", special_tokens=specials, **given)
    for source in ("made", "saved"):
        found = transformers.AutoTokenizer.from_pretrained(str(folder))
        assert (found.bos_token_id, found.eos_token_id, found.pad_token_id) == (50257, 50256, 50258), source
        chat = found.apply_chat_template([{"role": "user", "content": "hi"}], tokenize=False)
        assert chat == "<user>hi<|endoftext|>é"
        padded = found(["hello", "a b c"], padding=True, truncation=True, max_length=2)
        assert padded["input_ids"] == [[31373, 50258], [64, 275]]
        with pytest.warns(NotApplied, match="truncation and padding"):
            assert load_tokenizer(found).encode("a b c") == [64, 275, 269]
        found.save_pretrained(tmp_path / "source")
        folder = convert(tmp_path / "source", tmp_path / "saved", "huggingface", overwrite=True, **given)


def test_special_tokens_that_the_config_contradicts_are_refused(source: Path, tmp_path: Path) -> None:
    specials = dict(read_model(source).special_tokens)
    decoder = {str(token_id): {"content": text, "special": True} for text, token_id in specials.items()}
    (source / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": decoder}), encoding="utf-8")
    last = max(specials.values())
    convert(source, tmp_path / "more", "huggingface", special_tokens=specials | {"<|new|>": last + 1})
    with pytest.raises(UnsupportedModel, match=rf'"<\|endoftext\|>" the id {last}'):
        convert(source, tmp_path / "moved", "huggingface", special_tokens={"<|endoftext|>": last + 1})
    assert not (tmp_path / "moved").exists()
    convert(source / "tokenizer.json", tmp_path / "moved", "huggingface", special_tokens={"<|endoftext|>": last + 1})


@pytest.mark.parametrize("there", ["additional_chat_templates/a.jinja", "added_tokens.json", "tokenizer_config.json"])
def test_companions_of_another_tokenizer_do_not_stay(there: str, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    (target / there).parent.mkdir(parents=True)
    (target / there).write_bytes(b"of another")
    for src in (awkward_model("plain"), source):
        if src == source:
            (source / there).unlink(missing_ok=True)
        with pytest.raises(UnusablePath, match="of another tokenizer"):
            convert(src, target, "huggingface", overwrite=True)
    assert files_in(target) == {there: b"of another"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_no_link_in_the_target_is_followed(source: Path, tmp_path: Path) -> None:
    target, outside = tmp_path / "target", tmp_path / "outside"
    target.mkdir()
    outside.mkdir()
    for name in ("tokenizer.json", "chat_template.jinja", "tokenizer_config.json"):
        (outside / name).write_bytes(b"mine")
        (target / name).symlink_to(outside / name)
    before = files_in(outside)
    convert(source, target, "huggingface", overwrite=True)
    assert files_in(target)["chat_template.jinja"] == COMPANIONS["chat_template.jinja"]
    shutil.rmtree(target / "additional_chat_templates")
    (tmp_path / "empty").mkdir()
    (target / "additional_chat_templates").symlink_to(tmp_path / "empty")
    with pytest.raises(UnusablePath, match="is a link"):
        convert(source, target, "huggingface", overwrite=True)
    assert files_in(outside) == before
    assert files_in(tmp_path / "empty") == {}
