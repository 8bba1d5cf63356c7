"""Exercise 04.training_text: the smallest text from which training learns a vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any

from minbpe_course.learning.exercises.lesson_04.vocabularies import runs, toy
from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.reference.training import train_steps

LARGEST_TEXT = 5_000  # bytes


def _complaint(case: Case, words: object) -> str | None:
    """Return why training on these words does not give the vocabulary, or None when it does."""
    wanted = case.args[0]
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, bytes) for word in words):
        return "a list of words is wanted, each of them bytes"
    if sum(map(len, words)) > LARGEST_TEXT or len(words) > LARGEST_TEXT:
        return f"a text of at most {LARGEST_TEXT:,} bytes"
    made = _trained(tuple(words), len(wanted))
    for place, token in enumerate(wanted):
        if place == len(made):
            return f"training on your words stops after {place} merges, {len(wanted)} are wanted"
        if made[place] != token:
            which = "first" if place == 0 else f"as token number {place + 1}"
            return f"training on your words makes {shown(made[place], 60)} {which}, where {token!r} is wanted"
    return None


@lru_cache(maxsize=1024)
def _trained(words: tuple[bytes, ...], number: int) -> list[bytes]:
    return [step.token for step in train_steps(words, 256 + number)]


@lru_cache(maxsize=1024)
def _smallest_text(tokens: tuple[bytes, ...]) -> list[bytes]:
    """Return a small text for a vocabulary, built from its last token to its first.

    Later tokens do not change how earlier ones are learned, except as competition.
    """
    words: list[bytes] = []
    for at in reversed(range(len(tokens))):
        while _next_token(words, tokens[:at]) != tokens[at]:
            words.insert(0, tokens[at])
    return words


def _next_token(words: list[bytes], learned: tuple[bytes, ...]) -> bytes | None:
    counts = Counter(pair for word in words for pair in pairwise(_replayed(word, learned)))
    if not counts:
        return None
    left, right = max(counts, key=counts.__getitem__)
    return left + right


@lru_cache(maxsize=4096)
def _replayed(word: bytes, learned: tuple[bytes, ...]) -> list[bytes]:
    parts = [word[at : at + 1] for at in range(len(word))]
    for token in learned:
        at = 0
        while at + 1 < len(parts):
            if parts[at] + parts[at + 1] == token:
                parts[at : at + 2] = [token]
            at += 1
    return parts


def _percent_of_ours(cases: tuple[Case, ...], answers: list[list[bytes]]) -> tuple[float, str | None]:
    yours = sum(len(word) for words in answers for word in words)
    ours = sum(len(word) for case in cases for word in _smallest_text(tuple(case.args[0])))
    return 100 * yours / ours, None


def _text_cases(random: Random) -> Iterator[Case]:
    for number in range(2, 12):
        yield Case("a vocabulary of mixed tokens", (toy(random, random.randint(2, 6), number).tokens,))
    for number in (3, 5, 7):
        yield Case("a vocabulary of runs", (runs(random, number).tokens,))


def _has_strings(case: Case, outcome: Outcome, wanted: Any) -> bool:
    return isinstance(outcome.value, (list, tuple)) and any(isinstance(word, str) for word in outcome.value)


EXERCISE = Exercise(
    key="04.training_text",
    title="The smallest text behind a vocabulary",
    kind="design",
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "A token that is learned later cannot disturb an earlier one, but its words can: their pairs count too. "
        "So which token would you settle first?",
        "begin with no words; from the last token to the first: as long as next_merge(words, older tokens) is not "
        "this token, put one more copy of it in front of the words",
        "Lesson 04, on the order of the ids: at the moment when training makes a token, the text has it as two parts.",
    ),
    accept=_complaint,
    shown=(
        Case("two tokens", ([b"ab", b"abc"],)),
        Case("a token that has to be outvoted", ([b"bb", b"aa", b"baa"],)),
        Case("a token that has to be outvoted", ([b"ab", b"cd", b"cde", b"cdf"],)),
    ),
    drawn=_text_cases,
    mistakes=(
        Mistake(
            "each-token-once",
            "Each token once is nearly right. But a pair that is in several younger tokens outvotes the older "
            "one, which then needs another copy.",
            like=lambda tokens: tokens,
        ),
        Mistake(
            "youngest-first",
            "Of equally frequent pairs the first in the text wins, so put older tokens first.",
            like=lambda tokens: tokens[::-1],
        ),
        Mistake("strings", "The words have to be bytes, as the tokens are: b'ab', not 'ab'.", when=_has_strings),
    ),
    measure=_percent_of_ours,
    levels=((100.0, 4), (130.0, 3), (200.0, 2), (1000.0, 1)),
    unit="% of our own text",
)
