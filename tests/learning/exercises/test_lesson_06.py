"""Compare the files that an answer of lesson 06 writes with sentencepiece and with the package's own model records."""

from __future__ import annotations

import random
from typing import Any

import pytest
import sentencepiece

from minbpe_course.formats import sentencepiece_proto
from minbpe_course.learning.exercises.lesson_06.piece_tokenizer import PieceTokenizer
from minbpe_course.model import NORMAL, PieceModel
from tests.shared.lesson_code import solved
from tests.shared.piece_cases import AWKWARD, course_lines, hostile_bytes, mistral_files, train


def loaded(data: bytes) -> Any:
    return sentencepiece.SentencePieceProcessor(model_proto=data)


def models() -> dict[str, bytes]:
    lines = course_lines()[:120]
    made = {kind: train(lines, model_type=kind, vocab_size=600, hard_vocab_limit=False) for kind in ("bpe", "unigram")}
    return {**made, "mistral": mistral_files()["v1"].read_bytes()}


def some_pieces(model: PieceModel, number: int) -> list[str]:
    used = [piece for piece, kind in zip(model.pieces, model.kinds) if kind == NORMAL and len(piece) > 1]
    return random.Random(number).sample(used[:400], number)


@pytest.mark.parametrize("name", ["bpe", "unigram", "mistral"])
def test_retired_pieces_are_unused_in_the_package(name: str) -> None:
    data = models()[name]
    model = sentencepiece_proto.from_bytes(data)
    gone = some_pieces(model, 40)
    changed = solved("06")["retire_pieces"](data, gone)
    edited = model.with_kinds(dict.fromkeys(gone, "UNUSED"))
    assert sentencepiece_proto.from_bytes(changed) == edited
    ours, theirs = loaded(changed), loaded(sentencepiece_proto.to_bytes(edited))
    ids, rng = {model.piece_ids[piece] for piece in gone}, random.Random(3)
    assert any(ids & set(loaded(data).encode(line)) for line in course_lines())
    for text in [*course_lines()[:200], *(hostile_bytes(rng) for _ in range(100))]:
        found = ours.encode(text)
        assert found == theirs.encode(text)
        assert not ids & set(found)


@pytest.mark.parametrize("name", ["v1", "v3", "tables"])
def test_the_tokenizer_of_the_lesson_is_sentencepiece(name: str) -> None:
    data = mistral_files()["v1" if name == "tables" else name].read_bytes()
    if name == "tables":
        data = sentencepiece_proto.to_bytes(sentencepiece_proto.from_bytes(data).with_pieces(["<a>", "<a><b>", "[I"]))
    ours, theirs, rng = PieceTokenizer.from_model(data), loaded(data), random.Random(6)
    texts = [*course_lines()[:60], *("".join(rng.choices(AWKWARD, k=rng.randint(0, 9))) for _ in range(150))]
    assert [ours.encode(text) for text in texts] == theirs.encode(texts)
    some = [*range(300), *rng.choices(range(len(ours.pieces)), k=100), *map(theirs.piece_to_id, ["▁", "▁▁"])]
    rows = [rng.choices(some, k=rng.randint(0, 9)) for _ in range(2_000)] + theirs.encode(texts, add_bos=True)
    assert [ours.decode(ids) for ids in rows] == theirs.decode(rows)
