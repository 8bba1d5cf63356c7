"""``tekken.json`` against mistral-common, whose wheel carries two.

The library's class ``Tekkenizer`` runs tiktoken on the ranks of the file.
"""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import mistral_common
import pytest
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

from minbpe_course.errors import MissingFile, UnreadableModel, UnsupportedModel
from minbpe_course.formats import tekken_json
from minbpe_course.formats.tekken_json import UNLISTED_SPECIALS, VERSIONS, TekkenModel, from_bytes, to_bytes
from minbpe_course.model import VocabularyModel
from tests.formats.awkward_models import assert_theirs, awkward_model, engine_of, texts_for

pytestmark = pytest.mark.medium


DATA = Path(mistral_common.__file__).parent / "data"
CARRIED = ("tekken_240718.json", "tekken_240911.json")
PATTERN = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s*[\r\n]+|\s+(?!\S)|\s+"


@cache
def carried(name: str) -> VocabularyModel:
    return tekken_json.read(DATA / name)


@cache
def their_own() -> Tekkenizer:
    return Tekkenizer.from_file(DATA / CARRIED[0])


def ids_in(theirs: Tekkenizer) -> Callable[[str], list[int]]:
    return lambda text: theirs.encode(text, bos=False, eos=False)


def document(**changes: Any) -> dict[str, Any]:
    """A small file, as a plain document: the bytes, "ab", " ab", half of é twice; two special tokens."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b" ab", b"\xc3\xc3", b"abab"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": tekken_json._text(token)}
        for rank, token in enumerate(tokens)
    ]
    config = {
        **{"pattern": PATTERN, "num_vocab_tokens": 260, "default_vocab_size": 262},
        **{"default_num_special_tokens": 2, "version": "v7"},
    }
    listed = [{"rank": at, "token_str": text, "is_control": True} for at, text in enumerate(["<unk>", "<s>"])]
    return {"config": config, "vocab": vocab, "special_tokens": listed} | changes


def as_bytes(changed: Mapping[str, Any]) -> bytes:
    return json.dumps(changed).encode()


def load_theirs(data: bytes, folder: Path) -> Tekkenizer:
    (folder / "tekken.json").write_bytes(data)
    return Tekkenizer.from_file(folder / "tekken.json")


# ---- Files of others


def test_the_files_that_mistral_common_carries() -> None:
    model, other = map(carried, CARRIED)
    assert model == other
    theirs = their_own()
    assert model.vocab_size == theirs.n_words == 131_072
    assert all(theirs.get_special_token(text) == at for text, at in model.special_tokens.items())
    assert len(model.special_tokens) == theirs.num_special_tokens
    assert all(
        theirs.id_to_byte_piece(token_id) == model.token_bytes[token_id] for token_id in range(1000, 131_072, 17)
    )


def test_one_of_them_is_written_byte_for_byte() -> None:
    """The other was written by another program, with characters where this one has escapes."""
    model = carried(CARRIED[1])
    assert to_bytes(model) == (DATA / CARRIED[1]).read_bytes()
    assert isinstance(model, TekkenModel)
    assert model.beyond["others"] == {"image": {"image_patch_size": 16, "max_image_size": 1024}}
    assert json.loads(to_bytes(carried(CARRIED[0]))) == json.loads((DATA / CARRIED[0]).read_bytes())


def test_the_special_tokens_of_a_file_that_lists_none() -> None:
    assert tuple(each["token_str"] for each in Tekkenizer.DEPRECATED_SPECIAL_TOKENS) == UNLISTED_SPECIALS


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version(version: str, tmp_path: Path) -> None:
    made = document()
    made["config"] |= {"version": version, "default_num_special_tokens": 4, "default_vocab_size": 263}
    data = as_bytes(made)
    model, theirs = from_bytes(data), load_theirs(data, tmp_path)
    assert (theirs.version.value, theirs.n_words) == (version, model.vocab_size)
    assert dict(model.special_tokens) == {"<unk>": 0, "<s>": 1, "<SPECIAL_2>": 2, "<SPECIAL_3>": 3}
    assert b"abab" not in model.token_bytes.values()
    assert_theirs(model, ids_in(theirs), texts_for(model, 100))
    assert json.loads(to_bytes(model)) == json.loads(data)
    assert load_theirs(to_bytes(model), tmp_path).encode("abab ab", False, False) == [260, 260, 261]


# ---- What we write


def test_a_record_with_merges_that_come_to_the_same(tmp_path: Path) -> None:
    for label in ("merges, specials first", "whole words that change nothing"):
        model = awkward_model(label)
        assert tekken_json.read(tekken_json.write(model, tmp_path / "tekken.json")) == model
    for label in ("a token never made", "no whole words"):
        model = awkward_model(label).replace(special_tokens={})
        assert "would come out otherwise" in str(tekken_json.why_not(model))
        ranks = VocabularyModel(model.token_bytes, pattern=model.pattern)
        theirs = Tekkenizer.from_file(tekken_json.write(ranks, tmp_path / "tekken.json"))
        assert theirs.encode("abc", False, False) != engine_of(model).encode("abc").tolist()


def test_other_fields_of_a_file_are_kept() -> None:
    made = document(image={"image_patch_size": 16, "max_image_size": 1024}, later=[1, {"a": None}])
    made["special_tokens"][1] |= {"is_control": False, "note": "x"}
    made["vocab"][256]["token_str"] = "something else"
    made["config"]["remark"] = "kept"
    model = from_bytes(as_bytes(made))
    assert json.loads(to_bytes(model)) == made
    assert isinstance(model, TekkenModel)
    assert model == from_bytes(as_bytes(document()))
    assert pickle.loads(pickle.dumps(model)).beyond == model.beyond
    assert json.loads(to_bytes(model.replace(pattern=r"\s+|\S+")))["image"] == made["image"]
    fewer = {token_id: token for token_id, token in model.token_bytes.items() if len(token) == 1}
    assert json.loads(to_bytes(model.replace(token_bytes=fewer)))["config"]["default_vocab_size"] == 258


# ---- Damage


GONE = object()


def changed(*changes: tuple[str, Any], **sizes: int) -> bytes:
    """Return the small file with other values at some places ("vocab 7 rank"); sizes : of the config."""
    made = document()
    for place, value in changes:
        holder: Any = made
        *steps, last = (int(step) if step.isdigit() else step for step in place.split())
        for step in steps:
            holder = holder[step]
        if value is GONE:
            del holder[last]
        else:
            holder[last] = value
    for name, size in sizes.items():
        made["config"][f"default_{name}"] = size
    return as_bytes(made)


DAMAGED: Mapping[str, tuple[bytes, str]] = {
    "no pattern": (changed(("config pattern", GONE)), r"\$\.config\.pattern"),
    "a broken pattern": (changed(("config pattern", "(")), r"\$\.config\.pattern: .*not a regular"),
    "a pattern for nothing": (changed(("config pattern", "a*|.")), r"\$\.config\.pattern: .*can match the empty text"),
    "an unknown version": (changed(("config version", "v8")), r"\$\.config\.version: \"v8\""),
    "no list, and a late version": (
        changed(("config version", "v11"), ("special_tokens", GONE)), r"\$\.special_tokens: missing"
    ),
    "too small": (changed(vocab_size=257), r"default_vocab_size: .* 255 others"),
    "too large": (changed(vocab_size=263), r"default_vocab_size: .* 261 others"),
    "a billion special tokens": (
        changed(num_special_tokens=10**9, vocab_size=10**9 + 260), r"\$\.config\.default_num_special_tokens"
    ),
    "less than no special tokens": (
        changed(num_special_tokens=-1, vocab_size=259), r"default_num_special_tokens: expected a whole number from 0"
    ),
    "too few special tokens": (
        changed(num_special_tokens=1, vocab_size=261), r"default_num_special_tokens: is 1, and there are 2"
    ),
    "another rank": (changed(("vocab 7 rank", 8)), r"\$\.vocab\[7\]\.rank: expected 7"),
    "a member too many": (changed(("vocab 7 x", 1)), r"\$\.vocab\[7\]: expected rank"),
    "no base64": (changed(("vocab 256 token_bytes", "YW!I=")), r"\$\.vocab\[256\]\.token_bytes"),
    "an empty token": (changed(("vocab 256 token_bytes", "")), r"vocab\[256\]\.token_bytes"),
    "another byte": (changed(("vocab 7 token_bytes", "CA==")), r"vocab\[7\]\.token_bytes.*0x07"),
    "a token twice": (changed(("vocab 257 token_bytes", "YWI=")), r"vocab\[257\].*rank 256"),
    "a special token twice": (
        changed(("special_tokens 1 token_str", "<unk>")), r"\$\.special_tokens\[1\]: \"<unk>\" is also"
    ),
    "a special token like a filler": (
        changed(("special_tokens 1 token_str", "<SPECIAL_2>"), num_special_tokens=3, vocab_size=263),
        r"\$\.special_tokens\[2\]: \"<SPECIAL_2>\" is also",
    ),
    "an empty special token": (changed(("special_tokens 1 token_str", "")), r"special_tokens\[1\]"),
    "settings in an early version": (changed(("model_settings_builder", {"a": 1})), r"\$\.model_settings_builder"),
    "cut off": (changed()[:-9], r"line 1 column \d+"),
}  # fmt: skip


@pytest.mark.parametrize("label", DAMAGED)
def test_damage_is_named_with_its_path(label: str) -> None:
    data, expected = DAMAGED[label]
    with pytest.raises((UnreadableModel, UnsupportedModel), match=expected) as caught:
        from_bytes(data)
    assert str(caught.value).startswith("tekken.json, ")
    assert len(str(caught.value)) < 400


def test_the_document_is_whole_before_it_is_damaged(tmp_path: Path) -> None:
    data = as_bytes(document())
    assert type(from_bytes(data)) is VocabularyModel
    assert_theirs(from_bytes(data), ids_in(load_theirs(data, tmp_path)), ["abab ab", "é\xc3"])
    with pytest.raises(MissingFile):
        tekken_json.read(tmp_path / "missing.json")


REFUSED: Mapping[str, tuple[dict[str, Any], str]] = {
    "specials behind": ({"special_tokens": {"<s>": 300}}, "they come first"),
    "an id shared": ({"special_tokens": {"<s>": 0, "<t>": 0}, "token_bytes": None}, "share an id"),
    "no pattern": ({"pattern": None}, "no split pattern"),
    "a pattern for nothing": ({"pattern": r"\w*|\W+", "pattern_engine": "tiktoken"}, "can match the empty text"),
    "words not whole": ({"whole_words": False}, "whole"),
    "a frame": ({"special_tokens": {"<s>": 0}, "token_bytes": None, "frame": ((0,), ())}, "around every text"),
    "tokens that stay": (
        {"special_tokens": {"<s>": 0}, "token_bytes": None, "plain_tokens": {"<s>"}},
        "stays in a text",
    ),
}


def test_the_most_special_tokens_that_are_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    model = from_bytes(as_bytes(document()))
    monkeypatch.setattr(tekken_json, "MOST_SPECIALS", 2)
    assert tekken_json.why_not(model) is None
    assert from_bytes(to_bytes(model)) == model
    monkeypatch.setattr(tekken_json, "MOST_SPECIALS", 1)
    assert "1 is the most" in str(tekken_json.why_not(model))


@pytest.mark.parametrize("label", REFUSED)
def test_models_that_do_not_fit_are_refused_with_the_reason(label: str, tmp_path: Path) -> None:
    changes, expected = REFUSED[label]
    plain = awkward_model("ranks, no special")
    if "token_bytes" in changes and changes["token_bytes"] is None:
        changes = changes | {"token_bytes": {1 + at: token for at, token in plain.token_bytes.items()}}
    with pytest.raises(UnsupportedModel, match=expected):
        tekken_json.write(plain.replace(**changes), tmp_path / "tekken.json")
    assert list(tmp_path.iterdir()) == []


def test_base64_that_is_not_canonical_is_refused() -> None:
    tokens = {3 + byte: bytes([byte]) for byte in range(256)}
    specials = {"<unk>": 0, "<s>": 1, "</s>": 2}
    data = to_bytes(VocabularyModel(tokens, pattern=r"\S+|\s+", pattern_engine="tiktoken", special_tokens=specials))
    with pytest.raises(UnreadableModel, match="base64"):
        from_bytes(data.replace(b'"AA=="', b'"AB=="'))


def test_how_a_file_lists_its_special_tokens_is_kept() -> None:
    tokens = {3 + byte: bytes([byte]) for byte in range(256)}
    specials = {"<unk>": 0, "<SPECIAL_1>": 1, "<SPECIAL_2>": 2}
    beyond = {"special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": False}]}
    model = TekkenModel(tokens, pattern=".", pattern_engine="tiktoken", special_tokens=specials, beyond=beyond)
    assert model.replace(token_bytes={**tokens, 259: b"ab"}).beyond == beyond
