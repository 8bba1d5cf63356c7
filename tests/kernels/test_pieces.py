"""The kernels of SentencePiece agree with their reference implementations; the cache changes nothing."""

from __future__ import annotations

import os
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minbpe_course.engines.sentencepiece.bpe import PieceEngine
from minbpe_course.engines.sentencepiece.piece_decoding import decode_bytes
from minbpe_course.engines.sentencepiece.piece_layout import (
    score_ranks,
    segment_cuts,
)
from minbpe_course.kernels.common import layout, machine
from minbpe_course.kernels.common.memory import Block, lay_tokens, padded
from minbpe_course.kernels.sentencepiece import segments
from minbpe_course.model import NORMAL, UNKNOWN, UNUSED, USER_DEFINED, NormalizerRules, PieceModel
from minbpe_course.reference.pieces import encode_naive, encode_pieces, encode_steps, score_order
from minbpe_course.reference.segments import split_segments, touching_kinds
from minbpe_course.text.normalize import Charsmap, LongestMatch, normalize
from tests.shared.long_run import examples
from tests.shared.piece_cases import finish

pytestmark = pytest.mark.medium

# Plain Python is a hundred times slower, and is there to find what compiled code hides, not to search.
COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"
EXAMPLES = 100 if COMPILED else 25


def by_reference(model: PieceModel, text: bytes) -> tuple[bytes, list[int], list[int], list[int]]:
    """Normalised text, positions, ids and bytes of each id, the readable way."""
    rules = model.normalizer
    user_defined = LongestMatch(piece.encode() for piece in model.user_defined)
    normalized, positions = normalize(
        text,
        Charsmap(rules.charsmap),
        user_defined,
        add_dummy_prefix=rules.add_dummy_prefix,
        remove_extra_whitespaces=rules.remove_extra_whitespaces,
        escape_whitespaces=rules.escape_whitespaces,
        treat_whitespace_as_suffix=model.treat_whitespace_as_suffix,
    )
    tokens = encode_pieces(normalized.decode(), model, user_defined)
    spans = [1 if model.byte_fallback and token.id in model.byte_ids else len(token.text.encode()) for token in tokens]
    return normalized, positions, [token.id for token in tokens], spans


def check(model: PieceModel, texts: list[bytes]) -> None:
    check_with(PieceEngine(model), model, texts)
    engine = PieceEngine(model)
    finish(engine)
    check_with(engine, model, texts)


def check_with(engine: PieceEngine, model: PieceModel, texts: list[bytes]) -> None:
    together, offsets = engine.encode_many(texts, 1)
    for number, text in enumerate(texts):
        normalized, positions, ids, spans = by_reference(model, text)
        assert engine.normalize_with_positions(text) == (normalized, positions), text
        alone = engine.spell(text)
        assert (alone.ids.tolist(), alone.spans.tolist()) == (ids, spans), text
        assert engine.encode(text).tolist() == ids, text
        assert engine.encode_list(text) == ids, text
        if decode_bytes(text).encode() == text:
            assert engine.encode_list(text.decode()) == ids, text
        assert together[offsets[number] : offsets[number + 1]].tolist() == ids, text


# Few letters and few scores: overlaps, ties, stray letters and unused pieces everywhere.
@st.composite
def models(draw: st.DrawFn) -> PieceModel:
    pieces = draw(st.lists(st.text("ab ▁é", min_size=1, max_size=5), unique=True, max_size=25))
    kinds = [draw(st.sampled_from([NORMAL] * 6 + [UNUSED] * 3 + [USER_DEFINED])) for _ in pieces]
    scores = [draw(st.sampled_from([0.0, -0.0, -1.0, -2.0, -3.5, 7.0])) for _ in pieces]
    rules = NormalizerRules(
        add_dummy_prefix=draw(st.booleans()),
        remove_extra_whitespaces=draw(st.booleans()),
        escape_whitespaces=draw(st.booleans()),
    )
    suffix = draw(st.booleans())
    return PieceModel(
        ("<unk>", *pieces), (0.0, *scores), (UNKNOWN, *kinds), treat_whitespace_as_suffix=suffix, normalizer=rules
    )


# The second kind is long enough for windows of 64 bytes, which plain text is copied in.
texts_of_few = st.text("ab ▁éx1,\n", max_size=70) | st.lists(
    st.sampled_from(["a", "b ", "  ", "é", "▁", "ab" * 20, "a b " * 20, "世", ",1"])
).map(lambda parts: "".join(parts * 2))


@settings(max_examples=examples(2 * EXAMPLES))
@given(model=models(), texts=st.lists(texts_of_few, min_size=1, max_size=4))
def test_small_models(model: PieceModel, texts: list[str]) -> None:
    check(model, [text.encode() for text in texts])


@pytest.mark.parametrize(
    ("first", "second", "want"), [(-2.0, -1.0, "a bc"), (-1.0, -2.0, "ab c"), (-1.0, -1.0, "ab c")]
)
def test_small_scores_decide_and_then_places(first: float, second: float, want: str) -> None:
    # In either order of ids: the number of a piece decides nothing.
    letters = (("a", -5.0), ("b", -5.0), ("c", -5.0), ("▁", -5.0))
    for pair in ((("ab", first), ("bc", second)), (("bc", second), ("ab", first))):
        pieces, scores = zip(("<unk>", 0.0), *letters, *pair)
        model = PieceModel(pieces, scores, (UNKNOWN, *[NORMAL] * 6), normalizer=NormalizerRules(add_dummy_prefix=False))
        check(model, [b"abc", b"abc" * 30])
        assert [model.pieces[at] for at in PieceEngine(model).encode_list("abc")] == want.split()


@pytest.mark.parametrize("remove", [True, False])
def test_small_windows_and_their_borders(remove: bool) -> None:
    # Whatever lies across the end of a window of 64 bytes: characters, spaces, ▁ as the user typed it.
    model = PieceModel(
        ("<unk>", "▁", "a", "▁a", "é", "世"), (0.0, -1.0, -2.0, -0.0, -3.0, -4.0), (UNKNOWN, *[NORMAL] * 5),
        normalizer=NormalizerRules(remove_extra_whitespaces=remove),
    )  # fmt: skip
    across = ("é", "世", "😀", "  ", " ▁ ", "   a", "\u2580", "a  ")
    for rest in (10, 70) if COMPILED else (10,):
        check(model, [("a" * size + each + "a" * rest).encode() for size in range(59, 66) for each in across])


@settings(max_examples=examples(EXAMPLES))
@given(model=models(), text=st.text("ab▁é", max_size=20))
def test_small_naive_and_queue_are_the_same(model: PieceModel, text: str) -> None:
    *_, last = encode_steps(text, model)
    assert list(last.symbols) == encode_naive(text, model)


@settings(max_examples=examples(EXAMPLES))
@given(texts=st.lists(st.binary(max_size=12), min_size=1, max_size=4))
def test_small_any_bytes(texts: list[bytes]) -> None:
    model = PieceModel(("<unk>", "a", "aa", "�"), (0.0, -2.0, -0.0, -3.0), (UNKNOWN, NORMAL, NORMAL, USER_DEFINED))
    check(model, texts)


def test_long_stretches_take_the_heap() -> None:
    rng = random.Random(8)
    pieces = ["a", "b", "ab", "ba", "aa", "aab", "abab", "baab", "aabaab"]
    kinds = tuple(rng.choice([NORMAL, NORMAL, UNUSED]) for _ in pieces)
    model = PieceModel(
        ("<unk>", *pieces), (0.0, *(-float(rng.randrange(5)) for _ in pieces)), (UNKNOWN, *kinds),
        normalizer=NormalizerRules(add_dummy_prefix=False),
    )  # fmt: skip
    texts = ["".join(rng.choice("aab") for _ in range(size)).encode() for size in (47, 48, 49, 50, 97, 300, 9_000)]
    check(model, texts)


def test_small_ranks_follow_the_order_of_scores() -> None:
    scores = [0.0, -0.0, 1.5, -1.5, float("inf"), -float("inf"), 1e-45, -1e-45, 1e-46, -1e9]
    ranks = score_ranks(scores)
    for left, left_rank in zip(scores, ranks):
        for right, right_rank in zip(scores, ranks):
            assert (left_rank < right_rank) == (score_order(left) > score_order(right))


def test_small_no_more_than_64_nested_pieces() -> None:
    model = PieceModel(
        ("<unk>", *("a" * size for size in range(1, 81))),
        (0.0,) * 81,
        (UNKNOWN, *[USER_DEFINED] * 80),
        normalizer=NormalizerRules(add_dummy_prefix=False),
    )
    check(model, [b"a" * size for size in (64, 70, 200)])
    assert PieceEngine(model).encode_list("a" * 70) == [64, 6]


@settings(max_examples=examples(EXAMPLES))
@given(
    pieces=st.lists(st.text("ab1,. \né", min_size=1, max_size=4), max_size=6),
    text=st.text("abcd 12,.\n\té世", max_size=200),
    room=st.sampled_from([1, 3, 256]),
)
def test_small_segments_are_the_same(pieces: list[str], text: str, room: int) -> None:
    tokens = {number: piece.encode() for number, piece in enumerate(pieces)}
    cuts = segment_cuts(*lay_tokens(tokens, len(tokens)))
    data, words = padded(text.encode())
    ends = np.empty(room + 64, np.int64)
    block = Block(layout.BLOCK)
    block.segment_cuts, block.ends, block.room = cuts, ends, room
    begin = block.at = words.ctypes.data
    block.end = begin + data.size
    found = [begin]
    while found[-1] < begin + data.size:
        number = machine.run(segments.split_segments.address, block.address)
        found += ends[:number].tolist()
        assert found[-1] == block.at
    got = [text.encode()[first - begin : last - begin] for first, last in pairwise(found)]
    assert got == split_segments(text.encode(), touching_kinds(tokens.values()))
