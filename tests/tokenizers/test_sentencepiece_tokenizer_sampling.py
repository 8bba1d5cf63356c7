"""Sampled encodings and N-best lists: equal to sentencepiece's where that is possible, else equally likely."""

from __future__ import annotations

import math
import pickle
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import sentencepiece

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import NotAvailable
from minbpe_course.model import PieceModel
from tests.shared.piece_cases import hostile_bytes, trained
from tests.shared.random_pieces import SEED
from tests.text.piece_rules import Rule, file_of
from tests.tokenizers.piece_differences import Both

pytestmark = pytest.mark.medium

DRAWS = 3_000
PLAIN = {"add_dummy_prefix": False, "remove_extra_whitespaces": False}

BEST_SUM = Rule("unigram", "a -1|b -2|ab -2.5|c -1|bc -1.5|abc -9", (), PLAIN)

# The second has ties and stale keys that look alike.
DROPPED = {
    "ranks": Rule("bpe", "a -9|b -9|ab -1|aab -2|abab -3", ("aababab",), PLAIN),
    "ties": Rule("bpe", "a -9|aa -1|aaa -1|aaaa -1|aaaaa -1", ("aaaaaa",), PLAIN),
    "words and symbols": Rule("bpe", "▁ -9|a -8|b -7|▁a -1|▁ab -2|<a> 0 u|ab -3", ("ab ab<a>ab",), {}),
}


def shares(draw: Callable[[], Any], number: int = DRAWS) -> Counter[tuple[int, ...]]:
    return Counter(tuple(draw()) for _ in range(number))


def distance(one: Counter[Any], other: Counter[Any]) -> float:
    """Half of the sum of differences of shares: 0 for the same, 1 for nothing in common."""
    first, second = one.total(), other.total()
    return sum(abs(one[each] / first - other[each] / second) for each in one | other) / 2


def alike(one: Counter[Any], other: Counter[Any]) -> bool:
    """Whether they differ by no more than two samples of one source do, and half as much again."""
    both = one + other
    each = 1 / one.total() + 1 / other.total()
    noise = sum(math.sqrt(count / both.total() * each) for count in both.values()) / math.sqrt(2 * math.pi)
    return distance(one, other) < 1.5 * noise + 0.01


@pytest.mark.parametrize("name", DROPPED)
@pytest.mark.parametrize("alpha", [0.4])
def test_dropout_is_as_likely_as_sentencepieces(name: str, alpha: float) -> None:
    data, text = file_of(DROPPED[name]), DROPPED[name].texts[0]
    ours, theirs = SentencePieceTokenizer(model_proto=data, seed=1), Both.witness(data)
    sentencepiece.SetRandomGeneratorSeed(1)
    wanted = shares(lambda: theirs.encode(text, enable_sampling=True, alpha=alpha))
    assert len(wanted) > 3
    found = shares(lambda: ours.encode(text, enable_sampling=True, alpha=alpha))
    assert alike(found, wanted)
    other = shares(lambda: ours.encode(text, enable_sampling=True, alpha=alpha + 0.2))
    assert not alike(other, wanted)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_any_text_at_the_ends_of_alpha(kind: str) -> None:
    rng = random.Random(SEED)
    for name in ("as it comes", "suffix, spaces kept, bytes", "symbols"):
        both = Both(f"MINBPE_COURSE_SEED={SEED} {kind} {name}", trained(f"{kind} {name}"))
        for _ in range(25):
            text = hostile_bytes(rng)
            pieces = both.ours.encode(text, out_type=str, enable_sampling=True, alpha=0.3)
            if kind == "bpe":
                both.same("encode", text, enable_sampling=True, alpha=0.0)
                both.same("encode", text, enable_sampling=True, alpha=1.0)
                both.same("encode", text, enable_sampling=True, alpha=7, out_type="serialized_proto")
            if "bytes" not in name:
                assert "".join(pieces) == both.ours.normalize(text).decode()
            placed = both.ours.encode(text, out_type="proto", enable_sampling=True, alpha=0.3).pieces
            assert [piece.end for piece in placed] == sorted(piece.end for piece in placed)
            assert all(0 <= piece.begin <= piece.end <= len(text) for piece in placed)


@pytest.mark.parametrize("nbest_size", [-1, 8])
@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.5])
def test_unigram_samples_are_as_likely_as_sentencepieces(nbest_size: int, alpha: float) -> None:
    data = file_of(Rule("unigram", "a -1|b -2|ab -2.5|ba -2|aba -3.5|<a> 0 u|▁ -3", ("",), PLAIN))
    ours, theirs = SentencePieceTokenizer(model_proto=data, seed=3), Both.witness(data)
    options = dict(enable_sampling=True, nbest_size=nbest_size, alpha=alpha)
    sentencepiece.SetRandomGeneratorSeed(3)
    for text in ("ababa", "ab x<a>ba"):
        found = shares(lambda text=text: ours.encode(text, **options), 2_000)
        wanted = shares(lambda text=text: theirs.encode(text, **options), 10_000)
        assert len(wanted) > 3
        assert alike(found, wanted), text


def test_a_seed_says_it_all() -> None:
    data = file_of(DROPPED["ranks"])
    one, same = (SentencePieceTokenizer(model_proto=data, seed=11) for _ in range(2))
    draws = [one.sample_encode_as_ids("aababab", alpha=0.5) for _ in range(30)]
    assert draws == [same.sample_encode_as_ids("aababab", alpha=0.5) for _ in range(30)]
    same.set_random_generator_seed(11)
    assert draws == [same.SampleEncodeAsIds("aababab", -1, 0.5) for _ in range(30)]
    assert len({tuple(ids) for ids in draws}) > 3
    unseeded = [SentencePieceTokenizer(model_proto=data) for _ in range(2)]
    assert len({str([each.sample_encode_as_ids("aababab" * 9, alpha=0.5) for _ in range(9)]) for each in unseeded}) == 2
    assert pickle.loads(pickle.dumps(one)).encode("aab") == one.encode("aab")


def test_sampling_by_default_and_in_batches() -> None:
    data = file_of(DROPPED["ranks"])
    ours = SentencePieceTokenizer(model_proto=data, enable_sampling=True, alpha=0.5, seed=2)
    assert len({str(ours.encode("aababab" * 5)) for _ in range(20)}) > 3
    batch = ours.encode(["aababab" * 5] * 20)
    assert len(set(map(str, batch))) > 3
    assert ours.encode("aabab", enable_sampling=False) == Both.witness(data).encode("aabab")
    assert ours.parallel_encode("aabab", chunk_len=3) == Both.witness(data).encode("aabab")


def test_n_best_lists_with_every_option() -> None:
    both = Both("the best sum", file_of(BEST_SUM))
    for options in (
        dict(add_bos=True),
        dict(reverse=True, emit_unk_piece=True),
        dict(out_type=str),
        dict(add_eos=True),
    ):
        both.same("nbest_encode", "ab a▁bx", nbest_size=4, **options)
    both.same("nbest_encode", "abab", nbest_size=20, out_type="serialized_proto")
    both.same("nbest_encode", "ab", nbest_size=600)
    both.same("nbest_encode_as_pieces", ["ab", "", b"a\xff"], nbest_size=3)


def test_what_cannot_be_drawn_is_named() -> None:
    char = SentencePieceTokenizer(model=PieceModel(("<unk>", "a"), (0.0, -1.0), (2, 1), model_type="char"))
    with pytest.raises(NotAvailable, match="nothing to sample"):
        char.encode("a", enable_sampling=True)
    unigram = SentencePieceTokenizer(model_proto=file_of(BEST_SUM))
    with pytest.raises(NotAvailable, match="512"):
        unigram.nbest_encode("a", nbest_size=513)
