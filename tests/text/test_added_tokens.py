"""Added tokens, special and plain, against `tokenizers`, in every way to encode."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from minbpe_course import Encoding, SentencePieceTokenizer, load_tokenizer
from minbpe_course.errors import DisallowedSpecialToken, UnreadableModel, UnsupportedModel
from minbpe_course.formats import huggingface_json
from minbpe_course.text.added_tokens import AddedTokens
from minbpe_course.token_files.any_tokenizer import any_tokenizer
from tests.shared import added_token_files as files

SEEDS, TEXTS = 5, 40


def encoded(witness: Tokenizer, text: str) -> Any:
    """The encoding in `tokenizers`, None where it panics: a token that begins in the space that another has taken."""
    try:
        return witness.encode(text, add_special_tokens=False)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None


@pytest.mark.parametrize("shape", files.SHAPES)
def test_ids_and_offsets_are_those_of_tokenizers(shape: str, capfd: pytest.CaptureFixture[str]) -> None:
    read = compared = 0
    for seed in range(SEEDS if shape.startswith("random") else 1):
        document = files.document(shape, seed)
        try:
            loaded = load_tokenizer(huggingface_json.from_json(json.dumps(document)))
        except (UnreadableModel, UnsupportedModel):
            continue
        read += 1
        witness = files.witness(document)
        texts = files.texts(document, random.Random(f"{shape} {seed}"), TEXTS if shape.startswith("random") else 200)
        stripping = any(token["lstrip"] or token["rstrip"] for token in document["added_tokens"])
        for specials in (True,) if isinstance(loaded, SentencePieceTokenizer) else (False, True):
            witness.encode_special_tokens = not specials
            wanted = [encoded(witness, text) for text in texts]
            for text, each in zip(texts, wanted):
                if each is None:
                    continue
                ids = in_every_way(loaded, text, specials)
                assert ids == each.ids, (seed, text)
                compared += 1
                if isinstance(loaded, Encoding) and not stripping and loaded.decode(ids) == text:
                    assert loaded.decode_with_offsets(ids)[1] == [begin for begin, _ in each.offsets]
    assert read >= (SEEDS - 2 if shape.startswith("random") else 1)
    assert compared > 150
    capfd.readouterr()


def in_every_way(loaded: Encoding | SentencePieceTokenizer, text: str, specials: bool) -> list[int]:
    """The ids of a text, which every method gives."""
    if isinstance(loaded, SentencePieceTokenizer):
        assert loaded.encode([text, text]) == [loaded.encode(text)] * 2
        return loaded.encode(text)
    options: dict[str, Any] = {"allowed_special": "all"} if specials else {"disallowed_special": ()}
    ids = loaded.encode(text, **options)
    assert loaded.encode_batch([text, "", text], **options) == [ids, [], ids]
    assert loaded.encode_to_numpy(text, **options).tolist() == ids
    if not specials:
        assert loaded.encode_ordinary(text) == ids
        assert loaded.encode_ordinary_batch([text, text]) == [ids, ids]
    for batch in ([text], [text, text]):
        found, offsets = any_tokenizer(loaded, specials="all" if specials else "none").encode(batch)
        assert np.split(found, offsets[1:-1])[0].tolist() == ids
    return ids


def phi_2() -> Encoding:
    return Encoding.from_model(huggingface_json.from_json(json.dumps(files.document("phi-2"))), "phi-2")


def test_plain_tokens_are_not_special() -> None:
    encoding = phi_2()
    # An ordinary token has the same bytes.
    (four,) = encoding.encode("    ")
    assert encoding.encode("x    y")[1] == four
    assert encoding.encode_single_token(" " * 31) == encoding.encode(" " * 31)[0]
    assert not encoding.is_special_token(four)
    assert encoding.special_tokens_set == {"<|endoftext|>"}
    assert encoding._special_tokens.keys() == encoding.special_tokens_set
    assert encoding.decode([four]) == "    "
    assert encoding.encode_with_unstable("x    y")[0][:2] == encoding.encode("x    ")
    assert encoding.encode_with_unstable("x    ") == (encoding.encode("x    "), [])
    for options in ({}, {"allowed_special": {"    "}}):
        with pytest.raises(DisallowedSpecialToken, match="endoftext"):
            encoding.encode("    <|endoftext|>", **options)
    with pytest.raises(DisallowedSpecialToken):
        encoding.encode("    ", disallowed_special={"    "})
    assert any_tokenizer(encoding).id_of("    ") == four


# Few letters, so that the tokens overlap.
NAMES = st.lists(st.text("ab<", min_size=1, max_size=4), unique=True, max_size=3)


@given(st.text("ab<", max_size=16), NAMES, NAMES, NAMES)
def test_some_special_tokens_are_allowed(text: str, allowed: list[str], ignored: list[str], plain: list[str]) -> None:
    """Against a plain search. Without plain tokens, tiktoken's rule; without allowed ones, that of `tokenizers`."""
    kinds = dict.fromkeys(plain, "plain") | dict.fromkeys(ignored, "ignored") | dict.fromkeys(allowed, "allowed")
    ids = {name: number for number, name in enumerate(kinds)}
    special = {name: each for name, each in ids.items() if kinds[name] != "plain"}
    plain_ids = {name: each for name, each in ids.items() if kinds[name] == "plain"}
    chosen = {name: each for name, each in ids.items() if kinds[name] == "allowed"}
    expected: list[str | int] = []
    ordinary, at, hidden = "", 0, 0
    while at < len(text):
        here = max((name for name in ids if text.startswith(name, at)), key=len, default="")
        if at < hidden or (here and kinds[here] == "ignored"):
            hidden = max(hidden, at + len(here)) if at >= hidden else hidden
            here = max((name for name in chosen if text.startswith(name, at)), key=len, default="")
        if here:
            expected += [ordinary, ids[here]] if ordinary else [ids[here]]
            ordinary, at = "", at + len(here)
            hidden = at
        else:
            ordinary, at = ordinary + text[at], at + 1
    expected += [ordinary] if ordinary else []
    assert list(AddedTokens(special, plain_ids).cut(text, chosen)) == expected
