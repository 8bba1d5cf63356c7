"""Unigram models for the tests: trained on the spot, edited at random, and small ones whose paths can be listed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2

from minbpe_course.model import NORMAL, UNKNOWN, UNUSED, USER_DEFINED, NormalizerRules, PieceModel
from minbpe_course.reference.lattice import Edge, Lattice
from tests.shared.piece_cases import course_lines, train

SYMBOLS = ["<a>", "<a><b>", "▁▁", "foo bar", " x", "ing", "th", "ab", "a", "é"]
TRAINED: dict[str, dict[str, Any]] = {
    "plain": {},
    "bytes": dict(byte_fallback=True, remove_extra_whitespaces=False, allow_whitespace_only_pieces=True),
    "symbols": dict(user_defined_symbols=SYMBOLS),
    "nmt_nfkc": dict(normalization_rule_name="nmt_nfkc"),
    "symbols nmt_nfkc": dict(user_defined_symbols=SYMBOLS, byte_fallback=True, normalization_rule_name="nmt_nfkc"),
    "suffix": dict(treat_whitespace_as_suffix=True, remove_extra_whitespaces=False),
    "across words": dict(split_by_whitespace=False, normalization_rule_name="nfkc_cf"),
    "no dummy": dict(add_dummy_prefix=False, split_digits=True, normalization_rule_name="nfkc"),
}


@cache
def trained(name: str) -> bytes:
    """The file of a model."""
    options = {"normalization_rule_name": "identity", "character_coverage": 0.98, **TRAINED[name]}
    return train(course_lines()[:700], vocab_size=1500, model_type="unigram", **options)


def edited(data: bytes, rng: random.Random, how: str) -> bytes:
    """Change the kinds of some pieces, and their scores: "tied", "random", "decimal" (sums that are equal but for
    rounding), "wild" (so large that sums are set back again and again), or "kept"."""
    proto = sentencepiece_model_pb2.ModelProto.FromString(data)
    scores = {
        "tied": lambda: rng.choice([-1.0, -2.0, -3.0]),
        "random": lambda: rng.uniform(-9, 9),
        "decimal": lambda: -rng.randint(1, 40) / 10,
        "wild": lambda: rng.choice([1e30, -1e9, 3.0, -3.4e38]),
    }
    for piece in proto.pieces:
        if piece.type == NORMAL:
            if how != "decimal":
                piece.type = rng.choices([NORMAL, UNUSED, USER_DEFINED, 3], [60, 30, 6, 4])[0]
            if how in scores:
                piece.score = scores[how]()
    return proto.SerializeToString()


# Few letters and few scores: overlaps, ties, stray letters and unused pieces everywhere.
@st.composite
def small_models(draw: st.DrawFn, finite: bool = False) -> PieceModel:
    """A model; ``finite`` for one with a normal piece: without any, the unknown piece scores the largest float."""
    pieces = draw(st.lists(st.text("ab ▁é", min_size=1, max_size=5), unique=True, min_size=1, max_size=25))
    kinds = [draw(st.sampled_from([NORMAL] * 6 + [UNUSED] * 2 + [USER_DEFINED])) for _ in pieces]
    if finite and NORMAL not in kinds:
        kinds[0] = NORMAL
    scores = [draw(st.sampled_from([0.0, -0.0, -1.0, -1.1, -2.2, -0.1, -3.3, 7.0])) for _ in pieces]
    rules = NormalizerRules(
        add_dummy_prefix=draw(st.booleans()),
        remove_extra_whitespaces=draw(st.booleans()),
        escape_whitespaces=draw(st.booleans()),
    )
    return PieceModel(
        ("<unk>", *pieces), (0.0, *scores), (UNKNOWN, *kinds), "unigram",
        treat_whitespace_as_suffix=draw(st.booleans()), normalizer=rules,
    )  # fmt: skip


def model_of(scores: dict[str, float]) -> PieceModel:
    """A model of normal pieces, with text as it is."""
    rules = NormalizerRules(add_dummy_prefix=False, remove_extra_whitespaces=False)
    kinds = (UNKNOWN, *[NORMAL] * len(scores))
    return PieceModel(("<unk>", *scores), (0.0, *scores.values()), kinds, "unigram", normalizer=rules)


def all_paths(made: Lattice, at: int = 0) -> Iterator[tuple[Edge, ...]]:
    """Every path from a place to the end."""
    if at == len(made.text):
        yield ()
        return
    for edge in made.beginning[at]:
        for rest in all_paths(made, edge.end):
            yield (edge, *rest)
