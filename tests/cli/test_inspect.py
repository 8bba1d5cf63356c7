"""minbpe-course inspect and convert: content of a tokenizer file, merges of a token, equal ids in other formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minbpe_course import load_tokenizer, train
from minbpe_course.cli.main import main
from minbpe_course.formats.any_format import FORMATS, read_model, write_model
from minbpe_course.inspecting import anatomy
from minbpe_course.inspecting.token_tree import Node, tree
from minbpe_course.model import BytePairModel, VocabularyModel
from tests.shared.cases import MISTRAL

TEXT = "the cat in the hat said naïve things to that other cat, then the cat sat. " * 3


@pytest.fixture(scope="module")
def trained() -> BytePairModel:
    return train(TEXT, 280, pattern="gpt2", special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def vocabulary() -> VocabularyModel:
    """Unordered ids, merges in another order, and a token that no merge reaches."""
    tokens = {1000 + byte: bytes([byte]) for byte in range(256)} | {7: b"ab", 3: b"abc", 5: b"bc", 9: b"zz"}
    merges = [(1098, 1099, 5), (1097, 1098, 7), (1097, 5, 3)]
    return VocabularyModel(tokens, merges, whole_words=True, special_tokens={"<|end|>": 0}, pattern=r"\w+|\W+")


def told(capsys: pytest.CaptureFixture[str], *typed: str, code: int = 0) -> str:
    assert main(list(typed)) == code
    return capsys.readouterr().out


def nodes(node: Node) -> list[Node]:
    return [node, *(each for part in node.parts for each in nodes(part))]


def leaves(node: Node) -> list[Node]:
    return [each for each in nodes(node) if not each.parts]


def inner(node: Node) -> list[Node]:
    return [each for each in nodes(node) if each.parts]


def test_every_tree_is_made_of_merges_of_the_model(trained: BytePairModel) -> None:
    for token_id, token in trained.token_bytes.items():
        made = tree(trained, token_id)
        assert (made.token_id, made.token) == (token_id, token)
        assert b"".join(leaf.token for leaf in leaves(made)) == token
        for node in inner(made):
            left, right = node.parts
            assert trained.merges[int(node.rank or 0)] == (left.token_id, right.token_id)
            assert trained.merge_ids[int(node.rank or 0)] == node.token_id


def test_merges_in_an_order_of_their_own(vocabulary: VocabularyModel) -> None:
    assert [part.token for part in tree(vocabulary, 3).parts] == [b"a", b"bc"], "bc is preferred to ab"
    # No merge makes zz: it is taken whole, and its parts are what merges would leave.
    whole = tree(vocabulary, 9)
    assert (whole.rank, [part.token for part in whole.parts]) == (None, [b"z", b"z"])
    with pytest.raises(Exception, match="no merges make 9"):
        tree(vocabulary.replace(whole_words=False), 9)


def test_counts_equal_those_of_the_library(trained: BytePairModel, vocabulary: VocabularyModel) -> None:
    facts = anatomy.anatomy(trained)
    assert facts["tokens"] == {
        "vocab_size": 280, "ordinary": 279, "merges": 23, "special": 1, "unused_ids": 0
    }  # fmt: skip
    assert facts["pattern_names"][0] == "gpt2"
    assert facts["byte_order"] == "the id of a byte is its value"
    facts = anatomy.anatomy(vocabulary)
    assert facts["tokens"]["unused_ids"] == 1256 - 256 - 4 - 1
    assert facts["byte_order"] == "ids between 1000 and 1255"
    assert not facts["compiled_splitter"]
    assert anatomy.longest(vocabulary, 2) == [3, 5]
    assert len(anatomy.not_utf8(vocabulary)) == 128


def test_tokens_that_their_own_text_does_not_give() -> None:
    # The pattern parts a from b, so no text becomes ab.
    model = BytePairModel([(97, 98), (97, 97)], pattern=r"a+|[^a]+")
    encoding = load_tokenizer(model)
    assert anatomy.unreached(model, encoding.encode_batch_to_array) == [256]


@pytest.mark.medium
def test_everything_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(told(capsys, "inspect", "gpt2", "--format", "json", "--tokens", "3", "--unreached"))
    assert facts["tokens"]["ordinary"] == 50256
    assert len(facts["longest"]) == 3
    assert facts["unreached"] == {"count": 0, "tokens": []}
    assert set(facts["convertible"]) == set(FORMATS)
    assert facts["files"][0]["sha256"].startswith("1ce16647")
    pieces = json.loads(told(capsys, "inspect", MISTRAL, "--format", "json"))
    assert pieces["tokens"]["kinds"]["BYTE"] == 256


def test_a_token_that_is_not_there_is_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "inspect", "gpt2", "--id", "50257", "--find", "xyzzy plugh", code=1)
    assert "no token has the id 50257; ids go from 0 to 50256" in out
    assert "'xyzzy plugh' is not a token by itself." in out


def test_nothing_in_a_token_reaches_the_terminal_raw(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    escape = {"\x1b[31m": 256, "\u202e": 257}
    path = write_model(BytePairModel([], special_tokens=escape), tmp_path / "mine.json")
    for typed in ([], ["--list"], ["--id", "256"], ["--id", "27"]):
        page = told(capsys, "inspect", str(path), *typed)
        assert all(each == "\n" or each == "\t" or each.isprintable() for each in page), page


def test_a_file_that_does_not_say_how_text_is_split(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, trained: BytePairModel
) -> None:
    path = write_model(trained, tmp_path / "mine.tiktoken")
    beside = path.with_name(path.name + ".json")
    assert "pattern     gpt2" in told(capsys, "inspect", str(path))
    beside.unlink()
    assert "does not say how text is split" in told(capsys, "inspect", str(path))
    assert main(["inspect", str(path), "--unreached"]) == 2
    assert "say it with --pattern" in capsys.readouterr().err
    assert "unreached   0 tokens" in told(capsys, "inspect", str(path), "--unreached", "--pattern", "gpt2")
    assert main(["convert", str(path), str(tmp_path / "other.model")]) == 2
    said = ["--pattern", "gpt2", "--special", "<|end|>=279"]
    told(capsys, "convert", str(path), str(tmp_path / "other.model"), *said)
    assert read_model(tmp_path / "other.model") == trained


@pytest.mark.parametrize("special", ["<|end|>", "=5", "<|end|>=-1", "x=²"])
def test_an_unknown_special_token_is_refused(capsys: pytest.CaptureFixture[str], special: str) -> None:
    assert main(["inspect", "gpt2", "--special", special]) == 2
    assert "TEXT=ID" in capsys.readouterr().err
