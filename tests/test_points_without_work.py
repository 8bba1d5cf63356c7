"""Points without work: what takes no understanding earns nothing, whatever the teacher's secret is.

Constants, echoes, what was handed out, the first idea for an open question, tests that accept all, reject all, or toss
a coin. And the other way round: luck of the draw. A right answer has all points under every secret, a wrong one under
none, so that no two learners with the same answer get different marks.
"""

from __future__ import annotations

import collections
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import pytest
from lesson_code import EXERCISES, names_after, notebook_of, parts_of, solution_of, solved, wrong_answers

from minbpe_course.checks import catalogue
from minbpe_course.checks.callers import InProcess, run_case
from minbpe_course.checks.exercise import Case, Exercise, Outcome, Verdict
from minbpe_course.checks.judge import cases_of, judge
from minbpe_course.checks.lesson_02 import fairness
from minbpe_course.practice import check
from minbpe_course.practice.check import _Timed

SECRETS = ["practice", "spring", "autumn"]
RIGHT_SECRETS, WRONG_SECRETS = 25, 5

ALL = catalogue.exercises()
SHELF = wrong_answers()
each_exercise = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.key)
each_answered = pytest.mark.parametrize(
    "exercise", [one for one in ALL if one.kind != "test"], ids=lambda exercise: exercise.key
)
each_test = pytest.mark.parametrize(
    "exercise", [one for one in ALL if one.kind == "test"], ids=lambda exercise: exercise.key
)


def worth(exercise: Exercise, answer: Callable[..., Any]) -> list[Verdict]:
    return [judge(exercise, InProcess(answer, exercise.subject), secret, reveal=False) for secret in SECRETS]


def is_a_class(exercise: Exercise) -> bool:
    return bool(exercise.shown and exercise.shown[0].script)


class _AsRight:
    """Answers as the reference does to cases of some categories, and with one of their answers to all others."""

    def __init__(self, exercise: Exercise, cases: tuple[Any, ...]) -> None:
        self.wanted = [one.wanted for one in cases if one.wanted is not None]

    def constants(self) -> Iterator[Outcome]:
        seen: list[str] = []
        for wanted in self.wanted:
            if repr((wanted.value, wanted.error)) not in seen:
                seen.append(repr((wanted.value, wanted.error)))
                yield wanted


class Says:
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def call(self, case: Case) -> Outcome:
        return self.outcome

    def try_test(self, implementation: str) -> Outcome:
        return self.outcome


# ----------------------------------------------------------------------------------------------------
# Constants and echoes


@each_answered
def test_no_right_answer_to_one_case_is_right_for_all(exercise: Exercise) -> None:
    """The likeliest constants are those that are wanted somewhere; a wanted exception is one, too."""
    cases = cases_of(exercise, SECRETS[1])
    for outcome in _AsRight(exercise, cases).constants():
        verdict = judge(exercise, Says(outcome), SECRETS[1])
        assert verdict.points == 0, outcome


def _pick(place: int) -> Callable[..., Any]:
    return lambda *arguments: arguments[place] if place < len(arguments) else None


def _listed(*arguments: Any) -> Any:
    return list(arguments[0]) if isinstance(arguments[0], (str, bytes, list, dict)) else arguments


def _emptied(*arguments: Any) -> Any:
    return type(arguments[0])()


ECHOES: dict[str, Callable[..., Any]] = {
    "the first argument": _pick(0),
    "the second": _pick(1),
    "the last": lambda *arguments: arguments[-1],
    "all of them": lambda *arguments: arguments,
    "none of it": _emptied,
    "its items": _listed,
    "sorted": lambda *arguments: sorted(_listed(*arguments), key=repr),
    "reversed": lambda *arguments: arguments[0][::-1],
    "its length": lambda *arguments: len(arguments[0]),
    "as text": lambda *arguments: str(arguments[0]),
    "as bytes": lambda *arguments: bytes(arguments[0]),
    "the first of it": lambda *arguments: arguments[0][:1],
    "raises": lambda *arguments: 1 / 0,
    "raises ValueError": lambda *arguments: int("x"),
}


@each_answered
def test_an_echo_is_worth_nothing(exercise: Exercise) -> None:
    for name, echo in ECHOES.items():
        answer = _as_class(exercise, echo) if is_a_class(exercise) else echo
        assert [verdict.points for verdict in worth(exercise, answer)] == [0] * len(SECRETS), name


def _as_class(exercise: Exercise, method: Callable[..., Any]) -> type:
    methods = {name: (lambda self, *rest: method(*(rest or [""]))) for name, _ in exercise.shown[0].script}
    return type(exercise.entry, (), {"__init__": lambda self, *arguments: None, **methods})


@each_exercise
def test_what_was_handed_out_is_worth_nothing(exercise: Exercise) -> None:
    """The released cell, as it is; and for a fault to be found, the same without an error and with any result."""
    parts = parts_of(notebook_of(exercise.lesson, EXERCISES))
    sources = [source for other, role, source in parts if other.key == exercise.key and role in ("given", "answer")]
    released = names_after(sources)[exercise.entry]
    for verdict in worth(exercise, released):
        assert (verdict.points, verdict.state) == (0, "not started")


# ----------------------------------------------------------------------------------------------------
# The first idea for an open question


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _by_number(text: str) -> bytes:
    """ASCII as it is, everything else one by one: right, and longer than UTF-8."""
    pieces = (
        bytes([ord(c)]) if ord(c) < 14 or 17 < ord(c) < 128 else b"\x10" + ord(c).to_bytes(3, "big") for c in text
    )
    return b"".join(pieces)


def _pairs_of(text: Any, most: int) -> list[Any]:
    return [pair for pair, _ in collections.Counter(itertools.pairwise(text)).most_common(most)]


def _in_one(texts: dict[str, bytes], number: int) -> list[tuple[int, int]]:
    return _pairs_of(b"".join(texts.values()), number)


def _in_one_by_one(texts: dict[str, bytes], number: int) -> list[tuple[int, int]]:
    share = number // len(texts)
    return [pair for text in texts.values() for pair in _pairs_of(text, share)]


ENGLISH = "▁t he in er an re on at en nd ▁a ▁s or ▁w es is it ou ▁the ing ▁o ▁c ▁b ed al ▁f ▁p ▁m le ar st ▁and ▁to ▁of"


class _Stream:
    def __init__(self, special_tokens: dict[str, int]) -> None:
        self.special_tokens, self.text = special_tokens, ""

    def feed(self, chunk: str) -> list[Any]:
        self.text += chunk
        return []

    def finish(self) -> list[Any]:
        from minbpe_course.checks.lesson_05.cases import split_on_special

        return split_on_special(self.text, self.special_tokens)


class _EachChunk(_Stream):
    def feed(self, chunk: str) -> list[Any]:
        self.text = chunk
        return _Stream.finish(self)

    def finish(self) -> list[Any]:
        return []


class _NeverTakes:
    def __init__(self, size: int) -> None:
        self.size, self.words = size, list[str]()

    def ask(self, word: str) -> str | None:
        return word


class _KeepsTheFirst(_NeverTakes):
    def ask(self, word: str) -> str | None:
        if word in self.words:
            return None
        self.words.append(word)
        return self.words.pop() if len(self.words) > self.size else None


class _OldestGoes(_NeverTakes):
    def ask(self, word: str) -> str | None:
        if word in self.words:
            return None
        self.words.append(word)
        return self.words.pop(0) if len(self.words) > self.size else None


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _as_scores(counts: dict[str, int]) -> dict[str, float]:
    return {piece: math.log(count / sum(counts.values())) for piece, count in counts.items()}


def _stretches(sentences: list[str], size: int, lengths: Iterable[int]) -> dict[str, float]:
    counts = collections.Counter(
        one[at : at + length] for one in sentences for length in lengths for at in range(len(one))
    )
    covered = sorted(counts, key=lambda piece: -counts[piece] * (len(piece) - 1))[: size - 26]
    return _as_scores(collections.Counter("".join([LETTERS, *sentences])) | {piece: counts[piece] for piece in covered})


FIRST_IDEAS: dict[str, dict[str, Callable[..., Any]]] = {
    "01.encode_pages": {"UTF-8": _bytes_of, "one by one": _by_number, "UTF-16": lambda text: text.encode("utf-16")},
    "02.fair_merges": {
        "none": lambda texts, number: [],
        "one pair": lambda texts, number: [(101, 32)],
        "one pair many times": lambda texts, number: [(101, 32)] * number,
        "the commonest pairs of all": _in_one,
        "the commonest pairs of English": lambda texts, number: _pairs_of(texts["English"], number),
        "pairs in a row": lambda texts, number: [(at, at + 1) for at in range(97, 97 + number)],
    },
    "03.code_words": {
        "one word": lambda text: [text] if text else [],
        "characters": list,
        "lines": lambda text: text.splitlines(keepends=True),
        "white space and the rest": lambda text: re.findall(r"\s+|\S+", text),
        "letters and the rest": lambda text: re.findall(r"\w+|\W+", text),
        "letters and single signs": lambda text: re.findall(r"\w+|\W", text),
    },
    "04.training_text": {
        "each token once": lambda tokens: tokens,
        "the youngest first": lambda tokens: tokens[::-1],
        "all in one": lambda tokens: [b"".join(tokens)],
        "the older, the more often": lambda tokens: [t for at, t in enumerate(tokens) for _ in tokens[at:]],
        "twice as often each": lambda tokens: [t for at, t in enumerate(tokens[::-1]) for _ in range(2**at)][::-1],
    },
    "05.special_stream": {"all at the end": _Stream, "each chunk": _EachChunk},
    "06.choose_pieces": {
        "none": lambda text, budget: [],
        "a list for English": lambda text, budget: ENGLISH.split(" ")[:budget],
        "every letter behind a blank": lambda text, budget: [f"▁{chr(97 + at)}" for at in range(26)][:budget],
        "the first pairs": lambda text, budget: list(dict.fromkeys(map("".join, itertools.pairwise(text))))[:budget],
        "whole words": lambda text, budget: [
            word for word, _ in collections.Counter(re.findall("▁[^▁]+", text)).most_common(budget)
        ],
        "the beginning": lambda text, budget: [text[:40]],
    },
    "07.safe_cuts": {
        "never": lambda windows: [None] * len(windows),
        "in the middle": lambda windows: [len(window) // 2 for window in windows],
        "at the last blank": lambda windows: [window.rfind(b" ") if b" " in window[1:] else None for window in windows],
        "behind a line break": lambda windows: [window.find(b"\n") + 1 or None for window in windows],
        "at the beginning": lambda windows: [1] * len(windows),
    },
    "08.word_cache": {"never takes one": _NeverTakes, "the first ones": _KeepsTheFirst, "the oldest goes": _OldestGoes},
    "10.train_unigram": {
        "none": lambda sentences, size: {},
        "letters alike": lambda sentences, size: _as_scores(collections.Counter(LETTERS)),
        "letters": lambda sentences, size: _as_scores(collections.Counter("".join([LETTERS, *sentences]))),
        "the commonest pairs": lambda sentences, size: _stretches(sentences, size, [2]),
        "the commonest stretches": lambda sentences, size: _stretches(sentences, size, range(2, 9)),
        "whole sentences": lambda sentences, size: {one[:20]: -math.log(size) for one in sentences[:size]},
        "a list for English": lambda sentences, size: _as_scores(
            collections.Counter(
                [*LETTERS, "the", "and", "ing", "of", "to", "in", "that", "ed", "er", "was", "he", "re"]
            )
        ),
    },
    "11.cheat": {
        "none": lambda counts, halves, most: [],
        "the first ones": lambda counts, halves, most: list(halves)[:most],
        "the last ones": lambda counts, halves, most: list(halves)[-most:],
        "the commonest": lambda counts, halves, most: sorted(halves, key=lambda t: -counts.get(t, 0))[:most],
        "the rarest": lambda counts, halves, most: sorted(halves, key=lambda t: counts.get(t, 0))[:most],
    },
}


def test_there_is_a_first_idea_for_every_open_question() -> None:
    assert set(FIRST_IDEAS) == {exercise.key for exercise in ALL if exercise.kind == "design"}


@pytest.mark.parametrize(
    ("key", "name"), [(key, name) for key, ideas in FIRST_IDEAS.items() for name in ideas], ids=lambda value: value
)
def test_a_first_idea_is_worth_nothing(key: str, name: str) -> None:
    exercise = catalogue.find(key)
    for verdict in worth(exercise, FIRST_IDEAS[key][name]):
        assert verdict.points == 0, verdict


@pytest.mark.parametrize("key", FIRST_IDEAS)
def test_a_good_answer_to_other_cases_is_worth_nothing(key: str) -> None:
    """What was worked out once, for texts of another draw, and written into the answer as a constant."""
    exercise = catalogue.find(key)
    for one in cases_of(exercise, "last year")[-4:]:
        outcome = run_case(solution_of(exercise), one.case)
        for secret in SECRETS:
            assert judge(exercise, Says(outcome), secret).points == 0


def test_a_list_for_all_the_languages_of_the_course_is_worth_nothing() -> None:
    """The text of the course is public: whoever trains on all of it has a good list, but not in these letters."""
    exercise = catalogue.find("02.fair_merges")
    everything = {name: "".join(fairness._sentences(name)).encode("utf-8") for name in fairness.LANGUAGES}
    everything["English"] = fairness._stories()[:3000].encode("utf-8")
    merges = fairness._for_the_poorest(everything, fairness.MERGES)
    assert [verdict.points for verdict in worth(exercise, lambda texts, number: merges)] == [0] * len(SECRETS)


# ----------------------------------------------------------------------------------------------------
# Tests without a test in them


TESTS: dict[str, Callable[[Random], Callable[[Any], Any]]] = {
    "accepts all": lambda random: lambda subject: None,
    "rejects all": lambda random: lambda subject: 1 / 0,
    "asserts nothing": lambda random: lambda subject: "assert False",
    "rejects by a coin": lambda random: lambda subject: 1 / (random.random() < 0.5),
    "rejects now and then": lambda random: lambda subject: 1 / (random.random() < 0.9),
    "rejects mostly": lambda random: lambda subject: 1 / (random.random() < 0.1),
    "accepts the first": lambda random: _counting(lambda count: count <= 1),
    "accepts the first four": lambda random: _counting(lambda count: count <= 4),
    "accepts every other": lambda random: _counting(lambda count: count % 2 == 1),
    "rejects what has another name": lambda random: lambda subject: 1 / (subject.__name__ != ""),
    "accepts what it met before": lambda random: _met([]),
}


def _counting(accepts: Callable[[int], bool]) -> Callable[[Any], Any]:
    turns = itertools.count(1)
    return lambda subject: 1 / accepts(next(turns))


def _met(seen: list[bytes]) -> Callable[[Any], Any]:
    def test(subject: Any) -> None:
        seen.append(subject.__code__.co_code)
        assert len(set(seen)) == 1

    return test


@each_test
@pytest.mark.parametrize("name", TESTS)
def test_a_test_that_tests_nothing_is_worth_nothing(exercise: Exercise, name: str) -> None:
    for turn in range(12):
        answer = TESTS[name](Random(turn))
        verdict = judge(exercise, InProcess(answer, exercise.subject), f"{SECRETS[0]} {turn}")
        assert verdict.points == 0, (turn, verdict)


# ----------------------------------------------------------------------------------------------------
# Luck of the draw


@each_exercise
def test_a_right_answer_has_all_points_under_every_secret(exercise: Exercise) -> None:
    answer = solution_of(exercise)
    for turn in range(RIGHT_SECRETS):
        verdict = judge(exercise, InProcess(answer, exercise.subject), f"secret {turn}")
        assert (verdict.state, verdict.points) == ("done", exercise.points), (turn, verdict)


@each_exercise
def test_a_wrong_answer_has_the_same_points_under_every_secret(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "LONGEST_CALL", 0.5)
    for wrong in [wrong for wrong in SHELF if wrong.key == exercise.key]:
        answer = names_after([wrong.code], dict(solved(exercise.lesson)))[exercise.entry]
        for turn in range(1 if wrong.hint == "too slow" else WRONG_SECRETS):
            caller = _Timed(InProcess(answer, exercise.subject))
            verdict = judge(exercise, caller, f"secret {turn}", reveal=False)
            assert (verdict.state, verdict.points) == (wrong.state, wrong.points), (wrong.name, turn, verdict)
            if exercise.kind not in ("test", "design") and verdict.hidden:
                # A single drawn case that fails is luck, unless it is drawn every time; then it may as well be shown.
                assert sum(verdict.failures.values()) > 1, (wrong.name, turn, verdict)
