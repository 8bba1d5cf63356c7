"""Compare the answers of lessons 13 and 14 with sentencepiece."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest
import sentencepiece

from minbpe_course.formats import sentencepiece_proto
from minbpe_course.learning.exercises.lesson_14 import learn_pieces
from minbpe_course.model import NORMAL, NormalizerRules, PieceModel
from minbpe_course.text.normalize import Charsmap
from tests.shared.lesson_code import cases_under, solved
from tests.shared.piece_cases import course_lines, hostile_bytes, train

pytestmark = pytest.mark.medium

AS_IT_IS = NormalizerRules(add_dummy_prefix=False, remove_extra_whitespaces=False)


def loaded(model: PieceModel) -> Any:
    return sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_proto.to_bytes(model))


@pytest.fixture(scope="module")
def unigram() -> PieceModel:
    """A model that sentencepiece has trained."""
    lines = random.Random(1).choices(course_lines(), k=200)
    options = {"character_coverage": 0.99, "normalization_rule_name": "nmt_nfkc", "hard_vocab_limit": False}
    return sentencepiece_proto.from_bytes(train(lines, model_type="unigram", vocab_size=900, **options))


def strings(seed: int, number: int) -> Iterator[str]:
    """Texts without spaces, in which known pieces, letters and all of Unicode are mixed."""
    rng = random.Random(seed)
    lines = [line.replace(" ", "▁") for line in course_lines()]
    for at in range(number):
        line = rng.choice(lines)
        begin = rng.randrange(len(line))
        strange = hostile_bytes(rng).decode("utf-8", "ignore").replace(" ", "▁") if at % 2 else ""
        yield line[begin : begin + rng.randint(0, 40)] + strange + rng.choice(["", "9" * 50, "???", "▁" * at])[:60]


def test_the_answers_cut_like_sentencepiece(unigram: PieceModel) -> None:
    """The best path and its tokens, with offsets, with byte pieces and without, on many strings."""
    best_path, to_tokens = solved("13")["best_path"], solved("13")["to_tokens"]
    plain = unigram.replace(normalizer=AS_IT_IS)
    scores = {piece: score for piece, score, kind in zip(plain.pieces, plain.scores, plain.kinds) if kind == NORMAL}
    for model in (plain, plain.with_byte_fallback()):
        theirs = loaded(model)
        ids = {piece: at for piece, at in model.piece_ids.items() if piece in scores or piece.startswith("<0x")}
        for text in strings(2, 1_000):
            found = to_tokens(best_path(text, scores), ids, model.unk_id)
            wanted = [(one.id, one.begin, one.end) for one in theirs.encode(text, out_type="proto").pieces]
            assert found == wanted, text


def test_a_rule_is_found_in_the_table_of_a_real_file(unigram: PieceModel) -> None:
    """The answer walks through sentencepiece's own nmt_nfkc, a quarter of a megabyte of it."""
    blob = unigram.normalizer.charsmap
    (size,) = struct.unpack_from("<I", blob)
    units, values = struct.unpack_from(f"<{size // 4}I", blob, 4), blob[4 + size :]
    table, found = Charsmap(blob), 0
    for text in strings(3, 300):
        data = (text + "ﬁÅｶﾞ①\u3000").encode("utf-8")
        for at in range(len(data)):
            wanted = table.longest_rule(data, at)
            rule = solved("13")["longest_rule"](units, data, at)
            if rule is None:
                assert wanted is None, (data, at)
            else:
                length, value = rule
                assert (length, values[value : values.index(b"\0", value)]) == wanted, (data, at)
                found += 1
    assert found > 1000


def test_pieces_are_learned_in_the_order_of_spm_train() -> None:
    learned, compared = solved("14")["learn_pieces"], 0
    for case in cases_under(4, "14.learn_pieces"):
        words, number, longest = case.args
        wanted = learn_pieces.learn_pieces(words, number, longest)
        if not words or len(wanted) < number:
            continue
        marked = {"▁" + word.lstrip("▁"): count for word, count in words.items()}
        wanted = learn_pieces.learn_pieces(marked, number, longest)
        if len(wanted) < number:
            continue
        lines = [word[1:] for word, count in marked.items() for _ in range(count)]
        size = 3 + len(wanted) + len(set("".join(marked)))
        options = {"normalization_rule_name": "identity", "character_coverage": 1.0, "vocab_size": size}
        options |= {"max_sentencepiece_length": longest, "split_by_unicode_script": False}
        file = sentencepiece_proto.from_bytes(train(lines, **options))
        assert list(file.pieces[3 : 3 + number]) == wanted == learned(marked, number, longest), case
        compared += 1
    assert compared > 60
