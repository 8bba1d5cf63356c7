"""The exercises of lessons 13 and 14 and their answers against sentencepiece, every path, and their own rules."""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from string import ascii_lowercase
from typing import Any

import pytest
import sentencepiece

from minbpe_course.checks.catalogue import exercises, find
from minbpe_course.checks.judge import cases_of
from minbpe_course.checks.lesson_13 import (
    best_path,
    count_paths,
    draw_path,
    lattices,
    longest_rule,
    to_tokens,
)
from minbpe_course.checks.lesson_14 import expected_counts, learn_pieces, train_unigram
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import NORMAL, NormalizerRules, PieceModel
from minbpe_course.reference.unigram_training import model_of
from minbpe_course.text.normalize import Charsmap
from tests.checks.learners_answers import solution
from tests.shared.lesson_code import cases_under, names_after, solved
from tests.shared.piece_cases import course_lines, hostile_bytes, train

pytestmark = pytest.mark.medium

AS_IT_IS = NormalizerRules(add_dummy_prefix=False, remove_extra_whitespaces=False)
STRINGS = 2_000


cases = partial(cases_under, 4)


def loaded(model: PieceModel) -> Any:
    return sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_proto.to_bytes(model))


def processor(scores: dict[str, float]) -> Any:
    return loaded(model_of(scores).replace(normalizer=AS_IT_IS))


def every_path(text: str, pieces: Any) -> Iterator[list[str]]:
    if not text:
        yield []
    for piece in pieces:
        if text.startswith(piece):
            yield from ([piece, *rest] for rest in every_path(text[len(piece) :], pieces))


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


# ----------------------------------------------------------------------------------------------------
# Answers against sentencepiece


def test_the_answers_cut_like_sentencepiece(unigram: PieceModel) -> None:
    """The best path and its tokens, with offsets, with byte pieces and without, on many strings."""
    best_path, to_tokens = solved("13")["best_path"], solved("13")["to_tokens"]
    plain = unigram.replace(normalizer=AS_IT_IS)
    scores = {piece: score for piece, score, kind in zip(plain.pieces, plain.scores, plain.kinds) if kind == NORMAL}
    for model in (plain, plain.with_byte_fallback()):
        theirs = loaded(model)
        ids = {piece: at for piece, at in model.piece_ids.items() if piece in scores or piece.startswith("<0x")}
        for text in strings(2, STRINGS // 2):
            found = to_tokens(best_path(text, scores), ids, model.unk_id)
            wanted = [(one.id, one.begin, one.end) for one in theirs.encode(text, out_type="proto").pieces]
            assert found == wanted, text


def test_every_best_path_is_that_of_sentencepiece() -> None:
    for case in cases("13.best_path"):
        text, scores = case.args
        pieces = processor(scores).encode(text, out_type=str)
        path = best_path.best_path(text, scores)
        joined = [list(group) for _, group in itertools.groupby(path, key=scores.__contains__)]
        ours = [piece for group in joined for piece in (group if group[0] in scores else ["".join(group)])]
        assert ours == pieces, case


def test_tokens_are_those_of_sentencepiece() -> None:
    for case in cases("13.to_tokens"):
        path, piece_ids, unk_id = case.args
        pieces = [piece for piece in piece_ids if piece not in to_tokens.BYTE_IDS] or ["never there"]
        model = model_of(dict.fromkeys(pieces, -1.0))
        if "<0x00>" in piece_ids:
            model = model.with_byte_fallback()
        names = {model.piece_ids[piece]: number for piece, number in piece_ids.items()} | {model.unk_id: unk_id}
        found = loaded(model.replace(normalizer=AS_IT_IS)).encode("".join(path), out_type="proto").pieces
        assert [(names[one.id], one.begin, one.end) for one in found] == to_tokens.to_tokens(*case.args), case


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


def test_sentencepiece_reads_the_tables_of_the_cases() -> None:
    """The whole text rewritten rule by rule, by the answer and by sentencepiece, which loads the very same table."""
    walk = solved("13")["longest_rule"]
    rng = random.Random(4)
    for _ in range(60):
        rules = rng.sample(longest_rule._POOL, rng.randint(1, 12))
        texts = ["", *("".join(rng.choices("xyz▁é", k=rng.randint(1, 3))) for _ in rules)]
        strings_block = b"".join(text.encode("utf-8") + b"\0" for text in texts)
        offsets = [strings_block.index(b"\0" + text.encode("utf-8") + b"\0") + 1 for text in texts[1:]]
        units = longest_rule.units_of(dict(zip((rule.encode("utf-8") for rule in rules), offsets)))
        blob = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + strings_block
        rewriting = NormalizerRules(blob, add_dummy_prefix=False, remove_extra_whitespaces=False)
        theirs = loaded(model_of({"a": -1.0}).replace(normalizer=rewriting))
        for _ in range(20):
            text = "".join(rng.choices([*rules, *"abxé中.ef株式会社ｶA"], k=rng.randint(0, 8)))
            data, at, out = text.encode("utf-8"), 0, b""
            while at < len(data):
                found = walk(units, data, at)
                if found is None:
                    length = len(data[at:].decode("utf-8")[0].encode("utf-8"))
                    out += data[at : at + length]
                else:
                    length, value = found
                    out += strings_block[value : strings_block.index(b"\0", value)]
                at += length
            assert out.decode("utf-8") == theirs.normalize(text), (rules, text)


def test_sentencepiece_draws_with_the_same_shares() -> None:
    """Six ways to cut one word, drawn by the answer and by sentencepiece, compared with the exact shares."""
    scores = {"a": -1.0, "b": -1.25, "ab": -2.0, "ba": -1.5, "aba": -3.0}
    theirs, rng = processor(scores), random.Random(5)
    sentencepiece.set_random_generator_seed(7)
    for alpha in (0.2, 1.0, 2.0):
        ways = {tuple(path): math.exp(alpha * sum(map(scores.get, path))) for path in every_path("abab", scores)}
        assert len(ways) == 6
        drawn = 4_000
        ours = Counter(
            tuple(solved("13")["draw_path"]("abab", scores, alpha, [rng.random() for _ in range(4)]))
            for _ in range(drawn)
        )
        sampled = Counter(
            tuple(theirs.encode("abab", out_type=str, enable_sampling=True, alpha=alpha, nbest_size=-1))
            for _ in range(drawn)
        )
        for path, weight in ways.items():
            share = weight / sum(ways.values())
            # Six standard deviations: once in a thousand million draws.
            margin = 6 * math.sqrt(share * (1 - share) / drawn)
            assert abs(ours[path] / drawn - share) < margin, (alpha, path)
            assert abs(sampled[path] / drawn - share) < margin, (alpha, path)


def test_pieces_are_learned_in_the_order_of_spm_train() -> None:
    learned, compared = solved("14")["learn_pieces"], 0
    for case in cases("14.learn_pieces"):
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


# ----------------------------------------------------------------------------------------------------
# The same by looking at every path


def test_the_count_of_paths_is_the_length_of_their_list() -> None:
    for case in cases("13.count_paths"):
        text, pieces = case.args
        if len(text) < 14:
            assert count_paths.count_paths(text, pieces) == sum(1 for _ in every_path(text, pieces))
        elif case.category == count_paths.MANY:
            assert count_paths.count_paths(text, pieces) > 10**9


def test_expected_counts_are_those_of_all_paths() -> None:
    for case in cases("14.expected_counts"):
        words, scores = case.args
        if case.category == expected_counts.LONG:
            continue
        counts = dict.fromkeys(scores, 0.0)
        for word, times in words.items():
            ways = [(path, math.exp(sum(map(scores.__getitem__, path)))) for path in every_path(word, scores)]
            for path, weight in ways:
                for piece in path:
                    counts[piece] += times * weight / sum(weight for _, weight in ways)
        assert expected_counts.expected_counts(words, scores) == pytest.approx(counts, rel=1e-10, abs=1e-12)


def test_expected_counts_of_long_words_are_more_exact_than_required() -> None:
    """With fractions, which never vanish and are never rounded."""
    long = [case for case in cases("14.expected_counts") if case.category == expected_counts.LONG]
    for case in long[:3]:
        (((word, times),), scores) = case.args[0].items(), case.args[1]
        edges = lattices.edges_of(word, scores)
        chances = {piece: Fraction(math.exp(score)) for piece, score in scores.items()}
        forward, backward = [Fraction(1)] + [Fraction(0)] * len(word), [Fraction(0)] * len(word) + [Fraction(1)]
        for begin, end in edges:
            forward[end] += forward[begin] * chances[word[begin:end]]
        for begin, end in sorted(edges, reverse=True):
            backward[begin] += chances[word[begin:end]] * backward[end]
        counts = dict.fromkeys(scores, Fraction(0))
        for begin, end in edges:
            counts[word[begin:end]] += times * forward[begin] * chances[word[begin:end]] * backward[end] / forward[-1]
        assert float(forward[-1]) == 0
        assert expected_counts.expected_counts({word: times}, scores) == pytest.approx(counts, rel=1e-10, abs=1e-12)


# ----------------------------------------------------------------------------------------------------
# Cases


@pytest.mark.parametrize("exercise", [*exercises("13"), *exercises("14")], ids=lambda exercise: exercise.key)
def test_every_secret_draws_every_category(exercise: Any) -> None:
    seen = [{one.case.category for one in cases_of(exercise, secret) if one.drawn} for secret in "abcd"]
    assert all(categories == seen[0] for categories in seen)


def test_no_number_is_near_a_border() -> None:
    for case in cases("13.draw_path"):
        if case.args[0]:
            assert draw_path._drawn(*case.args)[1] > draw_path.MARGIN / 2 or case in find("13.draw_path").shown


def test_the_tables_contain_their_rules_and_no_others() -> None:
    rules = {rule.encode("utf-8"): at for at, rule in enumerate(longest_rule._POOL)}
    units = longest_rule.units_of(rules)
    rng = random.Random(6)
    for _ in range(5_000):
        text = "".join(rng.choices([*longest_rule._POOL, *"abxé中.ef株式会社ｶA"], k=3)).encode("utf-8")
        longest = max((rule for rule in rules if text.startswith(rule)), key=len, default=None)
        assert longest_rule.longest_rule(units, text, 0) == (longest and (len(longest), rules[longest])), text


def test_the_notebook_gives_the_table_of_the_shown_cases() -> None:
    assert {tuple(case.args[0]) for case in find("13.longest_rule").shown} == {tuple(solved("13")["UNITS"])}


def test_held_sentences_are_not_learned() -> None:
    for learned, held in train_unigram.sections():
        assert not set(learned) & set(held)
        assert max(map(len, (*learned, *held))) <= train_unigram.LONGEST


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([], "a dict"),
        ({1: -1.0}, "a dict"),
        ({"a": 0.5}, "a score"),
        ({"a": float("nan")}, "a score"),
        ({"a": -math.inf}, "a score"),
        ({"a": True}, "a score"),
        ({"": -1.0}, "pieces of"),
        ({"a" * 21: -1.0}, "pieces of"),
        ({"a": -0.5, "b": -0.6}, "add up to 1.1553"),
        ({f"{at:x}": -10.0 for at in range(101)}, "at most 100"),
    ],
    ids=repr,
)
def test_a_vocabulary_that_may_not_be_used(pieces: Any, said: str) -> None:
    case = find("14.train_unigram").shown[0]
    assert said in (train_unigram.complaint(case, pieces) or "")


def test_the_trainer_of_the_metric_learns_words() -> None:
    """Without spaces, it has found them: the commonest word of English is among its pieces, and pairs of letters."""
    learned, held = train_unigram.sections()[train_unigram.SECTION]
    answers = [solution(key) for key in ("14.expected_counts", "14.train_unigram")]
    scores = names_after(answers, dict(solved("13")))["train_unigram"](learned, train_unigram.SIZE)
    assert len(scores) <= train_unigram.SIZE
    assert "the" in scores
    assert math.fsum(map(math.exp, scores.values())) == pytest.approx(1.0)
    letters = Counter("".join([*learned, ascii_lowercase]))
    alone = {letter: math.log(count / letters.total()) for letter, count in letters.items()}
    found = [train_unigram.cost(held, alone), train_unigram.cost(held, scores)]
    assert found == pytest.approx([train_unigram.WITH_LETTERS, train_unigram.TRAINED])
