"""GPT-2's two files against those who read and write them: OpenAI's published files, and `tokenizers`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tokenizers import AddedToken, ByteLevelBPETokenizer, Tokenizer, pre_tokenizers
from tokenizers.models import BPE

from minbpe_course.errors import FolderGiven, MissingFile, UnreadableModel, UnsupportedModel, UnusablePath
from minbpe_course.formats import gpt2_merges
from minbpe_course.formats.gpt2_config import compact
from minbpe_course.formats.gpt2_merges import from_files
from minbpe_course.model import BytePairModel
from minbpe_course.text.byte_alphabet import printable_bytes
from minbpe_course.text.patterns import R50K_PATTERN
from minbpe_course.vocabularies import load
from minbpe_course.vocabularies.published_files import tiktoken_file
from tests.formats.awkward_models import assert_theirs, awkward_model, engine_of, texts_for
from tests.shared.cases import mixed_texts

pytestmark = pytest.mark.medium

BYTES = {character: byte for byte, character in printable_bytes().items()}
HEADER = "#version: 0.2\n"


def as_tokenizers(folder: Path, vocab: str = "vocab.json", merges: str = "merges.txt") -> Tokenizer:
    """What `tokenizers` makes of the two files."""
    tokenizer = Tokenizer(BPE.from_file(str(folder / vocab), str(folder / merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def ids_in(theirs: Tokenizer) -> Callable[[str], list[int]]:
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def small(merges: str = "a a\naa b\n", **tokens: int) -> dict[str, bytes]:
    return {"vocab.json": compact(BYTES | {"aa": 256, "aab": 257} | tokens), "merges.txt": (HEADER + merges).encode()}


# ---- Files of others


def test_the_published_files() -> None:
    published = {name: tiktoken_file("gpt2", name) for name in ("encoder.json", "vocab.bpe")}
    assert from_files(published) == load("gpt2")
    assert gpt2_merges.to_files(load("gpt2"), gpt2_merges.Names(Path(), "encoder.json", "vocab.bpe")) == published


@pytest.mark.parametrize("label", ["plain", "odd bytes", "trained", "skipped ids", "merges, specials first"])
def test_what_we_write_gives_their_ids(label: str, tmp_path: Path) -> None:
    model = awkward_model(label)
    gpt2_merges.write(model, tmp_path)
    theirs = as_tokenizers(tmp_path)
    assert_theirs(model, ids_in(theirs), texts_for(model, 100))
    theirs.add_special_tokens([AddedToken(text, normalized=False) for text in model.special_tokens])
    assert {text: theirs.token_to_id(text) for text in model.special_tokens} == model.special_tokens
    assert gpt2_merges.read(tmp_path) == model


@pytest.mark.parametrize("prefix", [None, "mine"])
@pytest.mark.parametrize("specials", [[], ["<|endoftext|>", "a b", "漢 字"]])
def test_what_they_save_gives_their_ids(prefix: str | None, specials: list[str], tmp_path: Path) -> None:
    trained = ByteLevelBPETokenizer()
    lines = list(mixed_texts(5, 300))
    trained.train_from_iterator(lines, vocab_size=700, min_frequency=1, special_tokens=specials, show_progress=False)
    saved = trained.save_model(str(tmp_path), prefix) if prefix else trained.save_model(str(tmp_path))
    model = gpt2_merges.read(tmp_path)
    assert all(gpt2_merges.read(path) == model for path in saved)
    assert model.special_tokens == {text: at for at, text in enumerate(specials)}
    assert model.pattern == R50K_PATTERN
    # As bare model: with the special tokens registered they would be cut out of the text.
    theirs = as_tokenizers(tmp_path, Path(saved[0]).name, Path(saved[1]).name)
    assert_theirs(model, ids_in(theirs), [*texts_for(model, 200), *mixed_texts(6, 200)])


def test_carriage_returns_and_no_header() -> None:
    plain = from_files(small())
    for change in (lambda data: data.replace(b"\n", b"\r\n"), lambda data: data.removeprefix(HEADER.encode())):
        files = small()
        assert from_files(files | {"merges.txt": change(files["merges.txt"])}) == plain


# ---- Reasons are true


def test_a_word_taken_whole_is_another_id_there(tmp_path: Path) -> None:
    model = awkward_model("whole words")
    with pytest.raises(UnsupportedModel, match="only merge"):
        gpt2_merges.write(model, tmp_path)
    gpt2_merges.write(model.replace(whole_words=False), tmp_path)
    assert as_tokenizers(tmp_path).encode("abc").ids != engine_of(model).encode("abc").tolist()


@pytest.mark.parametrize(
    ("label", "why"),
    [
        ("pattern of cl100k", "this model has another"),
        ("no pattern", "this model has none"),
        ("specials like tokens", "is spelled like the token"),
    ],
)
def test_what_other_readers_would_miss_is_refused(label: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedModel, match=why):
        gpt2_merges.write(
            awkward_model(label).replace(**({} if "pattern" in label else {"pattern": R50K_PATTERN})), tmp_path
        )
    assert list(tmp_path.iterdir()) == []


def test_a_special_token_spelled_like_another_gets_that_id_there(tmp_path: Path) -> None:
    model = BytePairModel([(97, 97)], pattern=R50K_PATTERN, special_tokens={"aa": 257})
    theirs = as_tokenizers(gpt2_merges.write(model.replace(special_tokens={}), tmp_path).parent)
    theirs.add_special_tokens(["aa"])
    assert theirs.token_to_id("aa") == 256
    assert "spelled like" in str(gpt2_merges.why_not(model))


def test_a_merge_that_looks_like_the_header_is_refused(tmp_path: Path) -> None:
    merges, parts = [], b"#version"
    ids = {parts[:1]: parts[0]}
    for at in range(1, len(parts)):
        merges.append((ids[parts[:at]], parts[at]))
        ids[parts[: at + 1]] = 255 + at
    model = BytePairModel([*merges, (ids[parts], ord("s"))], pattern=R50K_PATTERN)
    with pytest.raises(UnsupportedModel, match="taken for its header"):
        gpt2_merges.write(model, tmp_path)


def test_an_id_beyond_32_bits() -> None:
    with pytest.raises(UnsupportedModel, match="2\\*\\*32 - 1"):
        gpt2_merges.to_files(BytePairModel(special_tokens={"x": 2**40}))


# ---- Damage


DAMAGED: Mapping[str, tuple[dict[str, bytes], str]] = {
    "no JSON": ({"vocab.json": b"{"}, r"vocab\.json, line 1 column 2"),
    "an id that is text": (small(x="7"), r'vocab\.json, \$\.x: .*found "7"'),  # type: ignore[arg-type]
    "an id below 0": (small(x=-1), r"\$\.x: .*found -1"),
    "an id of 33 bits": (small(x=2**32), r"\$\.x: .*found 4294967296"),
    "one id twice": (small(xy=256), r'\$\.xy: the id 256 is also that of "aa"'),
    "no byte": ({"vocab.json": compact({k: v for k, v in BYTES.items() if k != "z"})}, "is not a token of vocab"),
    "no merge for a token": (
        small("a a\n"),
        r'\$\.aab: no line of merges\.txt makes.*added_tokens\.json: {"aab": 257}',
    ),
    "not UTF-8": ({"merges.txt": b"#version: 0.2\na a\n\xff b\n"}, r"merges\.txt, line 3: .*0xff at offset 18"),
    "no line break at the end": ({"merges.txt": b"#version: 0.2\na a\naa b"}, r"merges\.txt, line 3: .*complete copy"),
    "a blank line": (small("a a\n\naa b\n"), r"merges\.txt, line 3, is ''"),
    "an unknown token": (small("a a\naa b\naa aa\n"), r'merges\.txt, line 4, .*"aaaa" is not a token'),
    "a header in the middle": (small("a a\n#version: 0.2\naa b\n"), r"merges\.txt, line 3, .*header"),
    "merges of characters": (small("a a\naa b\n漢 字\n", 漢=300, 字=301, 漢字=302), "over characters"),
}


@pytest.mark.parametrize("label", DAMAGED)
def test_damage_is_named_with_its_place(label: str, tmp_path: Path) -> None:
    files, expected = DAMAGED[label]
    for name, data in (small() | files).items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises((UnreadableModel, UnsupportedModel), match=expected) as caught:
        gpt2_merges.read(tmp_path)
    assert len(str(caught.value)) < 400


def test_a_byte_without_a_token_is_named() -> None:
    table = {key: token_id for key, token_id in (BYTES | {"aa": 256, "aab": 257}).items() if key != "Ġ"}
    with pytest.raises(UnsupportedModel, match="no token for the byte 0x20"):
        from_files(small() | {"vocab.json": compact(table)})


# ---- Paths


def test_paths(tmp_path: Path) -> None:
    model = awkward_model("plain")
    assert gpt2_merges.write(model, tmp_path / "new") == tmp_path / "new" / "vocab.json"
    assert gpt2_merges.write(model, tmp_path / "vocab.bpe") == tmp_path / "encoder.json"
    assert gpt2_merges.write(model, str(tmp_path / "new" / "my-merges.txt")) == tmp_path / "new" / "my-vocab.json"
    assert sorted(each.name for each in (tmp_path / "new").iterdir()) == [
        *("merges.txt", "my-merges.txt", "my-vocab.json", "vocab.json")
    ]
    for path in ("new", "new/vocab.json", "new/merges.txt", "new/my-vocab.json", "encoder.json", "."):
        assert gpt2_merges.read(tmp_path / path) == model
    (tmp_path / "alone").mkdir()
    with pytest.raises(FolderGiven, match="without vocab"):
        gpt2_merges.read(tmp_path / "alone")
    (tmp_path / "alone" / "vocab.json").write_bytes(b"{}")
    with pytest.raises(MissingFile, match=r"no merges\.txt"):
        gpt2_merges.read(tmp_path / "alone")
    for read_from in ("missing", "missing/vocab.json"):
        with pytest.raises(MissingFile):
            gpt2_merges.read(tmp_path / read_from)
    for name in ("x.json", "a\0b", None, b"vocab.json"):
        with pytest.raises(UnusablePath):
            gpt2_merges.write(model, tmp_path / name if name == "x.json" else name)  # type: ignore[operator, arg-type]
    with pytest.raises(MissingFile):
        gpt2_merges.write(model, tmp_path / "missing" / "folder")


class _Stop(BaseException):
    """An exception like KeyboardInterrupt, which no handler of errors catches."""


@pytest.mark.parametrize("old", ["plain", "another"])
@pytest.mark.parametrize("new", ["plain", "own config"])
@pytest.mark.parametrize("steps", range(5))
def test_a_crash_between_two_files_is_noticed(
    old: str, new: str, steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any step the old model is read, or the new one, or the reader refuses what does not belong together."""
    records: dict[str, gpt2_merges.Model] = {
        "plain": BytePairModel([(97, 97), (256, 98)], pattern=R50K_PATTERN),
        "own config": BytePairModel([(99, 99), (256, 98)], pattern=R50K_PATTERN, special_tokens={"ab": 258}),
        "another": BytePairModel([(100, 100)], pattern=R50K_PATTERN),
    }
    gpt2_merges.write(records[old], tmp_path)
    left = iter(range(steps))

    def counted(call):
        def one(*args, **options):
            if next(left, None) is None:
                raise _Stop
            return call(*args, **options)

        return one

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", counted(os.replace))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        with contextlib.suppress(_Stop):
            gpt2_merges.write(records[new], tmp_path)
    with contextlib.suppress(UnreadableModel, MissingFile):
        assert gpt2_merges.read(tmp_path) in (records[old], records[new])
    if old == new:
        assert gpt2_merges.read(tmp_path) == records[new]
    gpt2_merges.write(records[new], tmp_path)
    assert gpt2_merges.read(tmp_path) == records[new]
