"""The interface of CS336: training against the readable trainer, encoding against tiktoken, memory against a limit."""

from __future__ import annotations

import json
import pickle
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import regex
import tiktoken

from minbpe_course import (
    convert,
    get_tokenizer,
    load_tokenizer,
    run_train_bpe,
    use_bundled_vocabularies,
    vocabularies,
)
from minbpe_course.corpus.texts import course_text
from minbpe_course.engines import workers as worker
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.errors import (
    InvalidModel,
    InvalidSpecialToken,
    InvalidVocabularySize,
    MissingFile,
    TrainingStoppedEarly,
    UnknownToken,
    UnreadableInput,
    UnsupportedModel,
)
from minbpe_course.reference.training import train_steps
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN
from tests.shared.cases import hostile_texts

pytestmark = pytest.mark.medium

END = "<|endoftext|>"


def trained_by_reference(text: str, size: int, specials: list[str]) -> tuple[dict[int, bytes], list[tuple[bytes, ...]]]:
    """The vocabulary and the merges of the handout: special tokens, bytes, and the readable trainer's tokens."""
    border = "|".join(map(re.escape, sorted(specials, key=len, reverse=True)))
    parts = re.split(border, text) if border else [text]
    words = Counter(word.encode() for part in parts for word in regex.findall(GPT2_SPLIT_PATTERN, part))
    steps = list(train_steps(words, size - len(specials), tie_break="greatest-bytes"))
    tokens = [*(bytes([byte]) for byte in range(256)), *(step.token for step in steps)]
    merges = [tuple(tokens[half] for half in step.pair) for step in steps]
    return dict(enumerate([*(each.encode() for each in specials), *tokens])), merges


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(text.encode("utf-8"))
    return path


@pytest.fixture(scope="module")
def gpt2() -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    model = vocabularies.load("gpt2")
    tokens = dict(model.token_bytes)
    merges = [(tokens[left], tokens[right]) for left, right in model.merges]
    return tokens | {50256: END.encode()}, merges


# ----------------------------------------------------------------------------------------------------
# Training


@pytest.mark.parametrize("specials", [[], [END], ["<|a|>", "<|a|><|b|>", " x ", END]])
def test_training_is_the_handouts(specials: list[str], tmp_path: Path) -> None:
    rng = random.Random(3)
    parts = [course_text()[:6000].replace("\r", ""), *hostile_texts(11, 12), "aaaa aaa aa ab ba"]
    text = "".join(part + rng.choice(specials or [""]) for part in parts)
    size = 256 + len(specials) + 80
    vocab, merges = run_train_bpe(written(tmp_path, text), size, specials)
    assert (vocab, merges) == trained_by_reference(text, size, specials)
    assert list(vocab) == list(range(size))
    assert all(type(token) is bytes for token in vocab.values())
    assert all(type(pair) is tuple and type(pair[0]) is bytes for pair in merges)


def test_a_text_that_runs_out_of_pairs_gives_fewer(tmp_path: Path) -> None:
    with pytest.warns(TrainingStoppedEarly, match="has 258 tokens, not 1000"):
        vocab, merges = run_train_bpe(written(tmp_path, "ab"), 1000, [END])
    assert (len(vocab), merges) == (258, [(b"a", b"b")])
    with pytest.warns(TrainingStoppedEarly):
        assert run_train_bpe(written(tmp_path, ""), 300, [])[1] == []


def test_what_cannot_be_trained_on(tmp_path: Path) -> None:
    path = written(tmp_path, "text")
    for size, specials, error in (
        (255, [], InvalidVocabularySize),
        (256, [END], InvalidVocabularySize),
        (300, END, InvalidSpecialToken),
        (300, [""], InvalidSpecialToken),
    ):
        with pytest.raises(error):
            run_train_bpe(path, size, specials)
    with pytest.raises(MissingFile):
        run_train_bpe(tmp_path / "nowhere.txt", 300, [])
    path.write_bytes(b"caf\xe9")
    with pytest.raises(UnreadableInput, match="byte 3"):
        run_train_bpe(path, 300, [])


# ----------------------------------------------------------------------------------------------------
# Encoding


def test_gpt2s_vocabulary_gives_tiktokens_ids(gpt2: Any) -> None:
    use_bundled_vocabularies()
    theirs = tiktoken.get_encoding("gpt2")
    tokenizer = get_tokenizer(*gpt2, [END])
    for text in [*hostile_texts(21, 200), course_text()[:9000], "", END, f"a{END}{END} b", "s", "🙃"]:
        ids = tokenizer.encode(text)
        assert ids == theirs.encode(text, allowed_special={END})
        assert tokenizer.decode(ids) == text
        assert list(tokenizer.encode_iterable(text.splitlines(keepends=True))) == ids


def test_the_longest_special_token_counts_and_new_ones_are_appended(gpt2: Any) -> None:
    tokenizer = get_tokenizer(*gpt2, [END, END + END, "<|new one|>"])
    assert tokenizer.encode(f"x{END}{END}y{END}<|new one|>") == [87, 50257, 88, 50256, 50258]
    assert tokenizer.decode([50257, 50258]) == END + END + "<|new one|>"
    assert 50257 not in gpt2[0], "what is given is not changed"


def test_any_ids(tmp_path: Path) -> None:
    text = course_text()[:8000]
    vocab, merges = run_train_bpe(written(tmp_path, text), 600, [END])
    places = random.Random(1).sample(range(10**6), len(vocab))
    moved = {places[token_id]: token for token_id, token in vocab.items()}
    one, other = get_tokenizer(vocab, merges, [END]), get_tokenizer(moved, merges, [END])
    for piece in [text, *hostile_texts(31, 200), f"{END}a"]:
        assert other.encode(piece) == [places[token_id] for token_id in one.encode(piece)]
        assert other.decode(other.encode(piece)) == piece


def test_a_vocabulary_that_lacks_bytes() -> None:
    vocab = dict(enumerate([b" ", b"a", b"c", b"e", b"h", b"t", b"th", b" c", b" a", b"the", b" at"]))
    merges = [(b"t", b"h"), (b" ", b"c"), (b" ", b"a"), (b"th", b"e"), (b" a", b"t")]
    tokenizer = get_tokenizer(vocab, merges)
    assert tokenizer.encode("the cat ate") == [9, 7, 1, 5, 10, 3]
    assert tokenizer.decode([9, 7, 1, 5, 10, 3]) == "the cat ate"
    with pytest.raises(UnknownToken, match="b'x'"):
        tokenizer.encode("the x")
    with pytest.raises(UnknownToken, match="b'x'"):
        list(tokenizer.encode_iterable(["the x"]))
    with pytest.raises(KeyError):
        tokenizer.decode([11])
    with pytest.raises(UnsupportedModel, match="0x00"):
        tokenizer.model  # noqa: B018


@pytest.mark.parametrize(
    ("vocab", "merges", "says"),
    [
        ({0: b"a", 1: b"a"}, [], "twice"),
        ({-1: b"a"}, [], "whole numbers"),
        ({0: b"a"}, [(b"a", b"b")], "not in vocab"),
        ({0: b"a", 1: b"b"}, [(b"a", b"b")], "merge 0"),
    ],
)
def test_what_is_no_vocabulary(vocab: Any, merges: Any, says: str) -> None:
    with pytest.raises(InvalidModel, match=says):
        get_tokenizer(vocab, merges)


def test_a_special_token_that_is_a_byte() -> None:
    vocab = {0: b"a"} | {1 + byte: bytes([byte]) for byte in range(256)}
    assert get_tokenizer(vocab, [], ["a"]).encode("ab") == [0, 99]
    assert get_tokenizer(vocab | {300: b"ab"}, [(b"a", b"b")], ["a", "b"]).encode("ab") == [0, 99]


# ----------------------------------------------------------------------------------------------------
# Files, copies, records


def test_a_copy_and_the_record_of_a_trained_tokenizer(tmp_path: Path) -> None:
    vocab, merges = run_train_bpe(written(tmp_path, course_text()[:8000]), 500, [END])
    tokenizer = get_tokenizer(vocab, merges, [END])
    texts = [*hostile_texts(41, 100), f"x{END}y"]
    ids = [tokenizer.encode(text) for text in texts]
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert [copy.encode(text) for text in texts] == ids
    # To vocab.json and merges.txt: GPT-2's words are what their readers take.
    folder = convert(tokenizer, f"{tmp_path / 'gpt2'}/")
    assert json.loads((folder / "vocab.json").read_text(encoding="utf-8"))[END] == 0
    assert [load_tokenizer(folder).encode(text, allowed_special="all") for text in texts] == ids


def test_where_memory_is_short_the_caches_stay_small_and_the_ids_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    text = " ".join("".join(rng.choices("abcdefghijklmnop", k=rng.choice([5, 9, 20, 40]))) for _ in range(10_000))
    model = vocabularies.load("gpt2")
    wanted = BytePairEngine.from_model(model, proven=True).encode_list(text)
    short = BytePairEngine.from_model(model, proven=True)
    short.encode_list("a")

    def none(size: int) -> Any:
        raise MemoryError

    monkeypatch.setattr(worker, "zeros", none)
    assert [short.encode_list(text), short.encode_list(text)] == [wanted, wanted]
