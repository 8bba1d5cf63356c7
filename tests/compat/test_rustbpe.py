"""Our Tokenizer and rustbpe's: the same merges, ids, types and surface, and nanochat's way from one to tiktoken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from minbpe_course import Tokenizer
from minbpe_course.errors import (
    InvalidOption,
    InvalidPattern,
    InvalidText,
    InvalidTokenId,
    InvalidVocabularySize,
    NotText,
    NotTrained,
)
from tests.shared.cases import hostile_texts

rustbpe = pytest.importorskip("rustbpe")

NANOCHAT = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"""
    r"""|\s+(?!\S)|\s+"""
)
PATTERNS = [None, r"[a-zA-Z]+|[0-9]+|\s+", r"\S+|\s+", NANOCHAT]


def both(texts: list[str], size: int, pattern: str | None = None) -> tuple[Tokenizer, Any]:
    ours, theirs = Tokenizer(), rustbpe.Tokenizer()
    ours.train_from_iterator(iter(texts), size, pattern=pattern)
    theirs.train_from_iterator(iter(texts), size, pattern=pattern)
    return ours, theirs


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_same_merges_and_ids(pattern: str | None) -> None:
    for seed in range(2):
        texts = hostile_texts(seed, 40)
        ours, theirs = both(texts, 256 + 150, pattern)
        assert ours.get_mergeable_ranks() == theirs.get_mergeable_ranks()
        assert ours.get_pattern() == theirs.get_pattern()
        assert ours.vocab_size == theirs.vocab_size
        unseen = hostile_texts(seed + 100, 60)
        ids = theirs.batch_encode(unseen)
        assert ours.batch_encode(unseen) == ids == [ours.encode(text) for text in unseen]
        for one in ids:
            # Text that the pattern drops may split characters; theirs then raises without a reason.
            assert bytes_of(ours, one) == bytes_of(theirs, one)
            if is_text(bytes_of(ours, one)):
                assert ours.decode(one) == theirs.decode(one)


def bytes_of(tokenizer: Any, ids: list[int]) -> bytes:
    tokens = {token_id: token for token, token_id in tokenizer.get_mergeable_ranks()}
    return b"".join(tokens[token_id] for token_id in ids)


def is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_the_same_letters_for_every_code_point() -> None:
    """``regex`` knows some twenty thousand letters that rustbpe does not; here they are not letters either."""
    texts = [f"a{chr(point)}b" for point in range(0x80, 0x110000, 61) if not 0xD800 <= point < 0xE000]
    ours, theirs = both(texts, 400)
    assert ours.get_mergeable_ranks() == theirs.get_mergeable_ranks()
    assert ours.batch_encode(texts) == theirs.batch_encode(texts)


def test_before_training() -> None:
    ours, theirs = Tokenizer(), rustbpe.Tokenizer()
    assert ours.vocab_size == theirs.vocab_size == 256
    assert ours.get_pattern() == theirs.get_pattern() == ""
    assert ours.get_mergeable_ranks() == theirs.get_mergeable_ranks()
    assert ours.decode([104, 105]) == theirs.decode([104, 105]) == "hi"
    # Theirs gives no ids, and the text is lost.
    for ask in (lambda: ours.encode("hi"), lambda: ours.batch_encode(["hi"]), lambda: ours.model):
        with pytest.raises(NotTrained, match="train_from_iterator"):
            ask()


def test_texts_are_read_once_and_one_after_the_other() -> None:
    alive = 0

    def texts() -> Iterator[str]:
        nonlocal alive
        for _ in range(3000):
            alive += 1
            yield "the cat in the hat "

    tokenizer = Tokenizer()
    tokenizer.train_from_iterator(texts(), 262)
    assert alive == 3000
    tokenizer.train_from_iterator(iterator=["abab"], vocab_size=260, buffer_size=1, pattern=None)
    assert tokenizer.get_mergeable_ranks()[256:] == [(b"ab", 256), (b"abab", 257)]


def test_an_error_of_the_iterator_is_passed_on_and_changes_nothing() -> None:
    def broken() -> Iterator[str]:
        yield "abab"
        raise KeyError("boom")

    tokenizer = Tokenizer()
    tokenizer.train_from_iterator(["hello hello"], 260)
    before = tokenizer.get_mergeable_ranks()
    for iterator, error in (
        (broken(), KeyError),
        (["a", None], TypeError),
        ([b"a"], TypeError),
        (["a\ud800"], ValueError),
    ):
        with pytest.raises(error):
            tokenizer.train_from_iterator(iterator, 260)
    assert tokenizer.get_mergeable_ranks() == before


@pytest.mark.parametrize(
    ("arguments", "error", "theirs"),
    [
        ((["a"], 255), InvalidVocabularySize, None),  # theirs aborts with no Exception
        ((["a"], "260"), InvalidVocabularySize, None),
        ((["a"], 260, 0), InvalidOption, None),  # theirs never ends
        (("text", 260), NotText, None),  # theirs trains on single characters
        ((None, 260), NotText, TypeError),
        ((["a"], 260, 8192, "("), InvalidPattern, ValueError),
        ((["a"], 260, 8192, 5), NotText, TypeError),
    ],
)
def test_what_cannot_be_trained_on(arguments: tuple, error: type[Exception], theirs: type[Exception] | None) -> None:
    with pytest.raises(error):
        Tokenizer().train_from_iterator(*arguments)
    if theirs is not None:
        assert issubclass(error, theirs)
        with pytest.raises(theirs):
            rustbpe.Tokenizer().train_from_iterator(*arguments)


def test_what_cannot_be_encoded_or_decoded() -> None:
    ours, theirs = both(["hello hello"], 260)
    for text in (b"a", None, 5):
        for each in (ours, theirs):
            with pytest.raises(TypeError):
                each.encode(text)
            with pytest.raises(TypeError):
                each.batch_encode([text])
    for each in (ours, theirs):
        with pytest.raises(TypeError):
            each.batch_encode("text")
        with pytest.raises(ValueError, match="999"):
            each.decode([999])
        with pytest.raises(ValueError, match="surrogate"):
            each.encode("a\ud800b")
    with pytest.raises(InvalidText):
        ours.encode("a\ud800b")
    with pytest.raises(InvalidTokenId):
        ours.decode([-1])
    with pytest.raises(UnicodeDecodeError):
        ours.decode([0xE2])


@pytest.mark.parametrize("wrong", [256, 2**32 - 1])
def test_an_unknown_id_is_called_unknown(wrong: int) -> None:
    """rustbpe's own test looks for this word."""
    for ids in ([wrong], [97, wrong], (wrong,)):
        with pytest.raises(InvalidTokenId, match="unknown"):
            Tokenizer().decode(ids)
