"""A tokenizer.json that is read and written again: `tokenizers` returns the same as before in every respect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from minbpe_course import Encoding, convert, load_tokenizer
from minbpe_course.formats.any_format import read_model
from tests.shared.huggingface_files import file_of_kind, kind_texts, kinds


def byte_level(**changes: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True, **changes}


def template(single: str, pair: str, ids: dict[str, Any]) -> dict[str, Any]:
    def row(said: str) -> list[dict[str, Any]]:
        pieces = [piece.partition(":") for piece in said.split()]
        return [
            {"Sequence" if name in "AB" else "SpecialToken": {"id": name, "type_id": int(kind or 0)}}
            for name, _, kind in pieces
        ]

    known = {name: {"id": name, "ids": [token_id], "tokens": [name]} for name, token_id in ids.items()}
    return {"type": "TemplateProcessing", "single": row(single), "pair": row(pair), "special_tokens": known}


# Each is made of two added tokens, (text, id).
PROCESSORS: dict[str, Any] = {
    "none": lambda a, b: None,
    "trimmed offsets": lambda a, b: byte_level(trim_offsets=True),
    "trimmed offsets, a prefix": lambda a, b: byte_level(trim_offsets=True, add_prefix_space=True, use_regex=False),
    "roberta": lambda a, b: {
        "type": "RobertaProcessing", "cls": list(a), "sep": list(b), "trim_offsets": True, "add_prefix_space": False
    },
    "roberta, offsets whole": lambda a, b: {
        "type": "RobertaProcessing", "cls": list(a), "sep": list(b), "trim_offsets": False, "add_prefix_space": True
    },
    "bert": lambda a, b: {"type": "BertProcessing", "cls": list(a), "sep": list(b)},
    "template with types": lambda a, b: template("x:3 A:2 y:1", "x:1 A:2 y:3 B:4 y:5 x", {"x": a[1], "y": b[1]}),
    "template, second text first": lambda a, b: template(f"A {b[0]}", f"B:1 {b[0]}:1 A", {b[0]: b[1]}),
    "template of two ids": lambda a, b: {
        **template("z A", "z A B", {"z": 0}),
        "special_tokens": {"z": {"id": "z", "ids": [a[1], b[1]], "tokens": [a[0], "other"]}},
    },
    "sequence": lambda a, b: {
        "type": "Sequence",
        "processors": [
            byte_level(trim_offsets=True),
            {"type": "Sequence", "processors": [template("A y", "A y B:1 y:1 y:1", {"y": b[1]})]},
            template("x A", "x A B:1", {"x": a[1]}),
        ],
    },
}  # fmt: skip


def rewritten(kind: str, processor: str, **changes: Any) -> dict[str, Any]:
    """The document of a kind of file, with another post_processor and other changes."""
    document = json.loads(file_of_kind(kind))
    tokens = [(token["content"], token["id"]) for token in document["added_tokens"]]
    document["post_processor"] = PROCESSORS[processor](tokens[0], tokens[-1])
    return document | changes


def behaviour(text: str, kind: str) -> list[Any]:
    """Everything that `tokenizers` returns for hostile texts and pairs of them."""
    witness = Tokenizer.from_str(text)
    found: list[Any] = [
        {token_id: (str(token), *vars_of(token)) for token_id, token in witness.get_added_tokens_decoder().items()},
        witness.get_vocab_size(with_added_tokens=True),
    ]
    texts = [*kind_texts(kind, 14), " a  b ", "x"]
    for one, other in [(each, None) for each in texts] + list(zip(texts, reversed(texts))):
        for special in (True, False):
            try:
                got = witness.encode(one, other, add_special_tokens=special)
            except BaseException as error:
                if type(error).__name__ != "PanicException":
                    raise
                continue
            found.append((got.ids, got.type_ids, got.offsets, got.special_tokens_mask, got.attention_mask, got.tokens))
            found += [witness.decode(got.ids, skip_special_tokens=skip) for skip in (True, False)]
    return found


def vars_of(token: Any) -> tuple[bool, ...]:
    return token.special, token.normalized, token.lstrip, token.rstrip, token.single_word


@pytest.mark.parametrize("place", range(len(PROCESSORS) + len(kinds())))
def test_tokenizers_returns_the_same_after_a_rewrite(place: int, tmp_path: Path) -> None:
    """Every kind of file and every post_processor, both in turn."""
    kind, processor = kinds()[place % len(kinds())], list(PROCESSORS)[place % len(PROCESSORS)]
    document = rewritten(kind, processor)
    if place % 3 == 0:
        document["decoder"] = None
    source = tmp_path / "tokenizer.json"
    source.write_text(json.dumps(document), encoding="utf-8")
    wanted = behaviour(source.read_text(encoding="utf-8"), kind)
    loaded = load_tokenizer(source)
    assert isinstance(loaded, Encoding)
    for src in (Tokenizer.from_file(str(source)), loaded, source):
        path = convert(src, tmp_path / f"{len(list(tmp_path.iterdir()))}.json")
        assert behaviour(path.read_text(encoding="utf-8"), kind) == wanted
        assert read_model(path) == read_model(source)
    parts = json.loads(path.read_bytes())
    assert {key: value for key, value in parts.items() if key != "model"} == {
        key: value for key, value in document.items() if key != "model"
    }
