"""Exercise 19.own_change: byte pair encoding with a change of the learner's own, compared with plain BPE.

The class learns from a text of an invented language, and then encodes texts of that language that it has not seen. It
names its tokens before it sees those texts, so they cannot depend on them. The metric is how many tokens it needs, in
percent of those of plain BPE with the same size.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from minbpe_course.learning.exercises.lesson_18.choose_tokens import hidden_words, language
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps

FEW, SPOKEN = "few words", "an invented language"
PATTERN = r" ?\w+| ?[^\w\s]+|\s+"
SIZES = (340, 380, 360, 350, 370)
SEEN, UNSEEN = 420, 80  # words and phrases of the text to learn from, and of each of the others
PHRASES = 12


def change_cases(random: Random) -> Iterator[Case]:
    """Yield texts to learn from with sizes; the script encodes other texts."""
    yield _case(FEW, "low lower lowest low lower", "slow lowers, lowest", size=260)
    for size in SIZES:
        counts = language(random)
        words = {word.decode(): count for word, count in counts.items()}
        new = [word.decode() for word in hidden_words(random, counts)]
        phrases = [" ".join(_drawn(random, words, random.choice((2, 2, 3)))) for _ in range(PHRASES)]
        yield _case(
            SPOKEN, *(_text(random, words, phrases, new, number) for number in (SEEN, UNSEEN, UNSEEN)), size=size
        )


def _drawn(random: Random, words: Mapping[str, int], number: int) -> list[str]:
    return random.choices(list(words), list(words.values()), k=number)


def _case(category: str, seen: str, *unseen: str, size: int) -> Case:
    return Case(category, (), (("learn", (seen, size)), *(("encode", (text,)) for text in unseen)))


def _text(random: Random, words: Mapping[str, int], phrases: Sequence[str], new: Sequence[str], number: int) -> str:
    """Return sentences: half of common phrases, the other half of words, of which one in five has not been seen."""
    made = []
    for _ in range(number):
        kind = random.random()
        if kind < 0.5:
            made.append(phrases[min(int(random.expovariate(0.3)), len(phrases) - 1)])
        else:
            made += _drawn(random, words, 1) if kind < 0.9 else [random.choice(new)]
        if random.random() < 0.12:
            made[-1] += random.choice((".", ",", ".\n"))
    return " ".join(made)


def complaint(case: Case, answer: Any) -> str | None:
    """Return the rule that the tokens or the ids break, or None."""
    (_, (_, size)), *encoded = case.script
    if not isinstance(answer, list) or len(answer) != len(case.script):
        return "an answer to every call"
    tokens, *rows = answer
    if not isinstance(tokens, (list, tuple)) or not all(isinstance(token, bytes) and token for token in tokens):
        return "`learn` to return a list of tokens: bytes, none of them empty"
    if len(tokens) > size:
        return f"at most {size} tokens; these are {len(tokens):,}"
    for (_, (text,)), ids in zip(encoded, rows):
        if not isinstance(ids, (list, tuple)) or not all(type(one) is int and 0 <= one < len(tokens) for one in ids):
            return "`encode` to return a list of ids: places in the list of tokens"
        data = text.encode("utf-8")
        if sum(len(tokens[one]) for one in ids) != len(data) or b"".join(tokens[one] for one in ids) != data:
            return "ids whose tokens make the text again"
    return None


def measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    """Return the tokens of all unseen texts, in percent of those of plain BPE."""
    yours = plain = 0
    for case, (_, *rows) in zip(cases, answers):
        if case.category == SPOKEN:
            (_, (seen, size)), *encoded = case.script
            yours += sum(map(len, rows))
            plain += _tokens_of_plain(seen, size, tuple(text for _, (text,) in encoded))
    return 100 * yours / max(1, plain), None


@lru_cache(maxsize=256)
def _tokens_of_plain(seen: str, size: int, unseen: tuple[str, ...]) -> int:
    words = Counter(word.encode() for word in re.findall(PATTERN, seen))
    ranks = {step.pair: step.new_id for step in train_steps(words, size)}
    counts = Counter(word.encode() for text in unseen for word in re.findall(PATTERN, text))
    return sum(count * len(encode_word(word, ranks)) for word, count in counts.items())


EXERCISE = Exercise(
    key="19.own_change",
    title="Your own idea",
    kind="design",
    entry="YourTokenizer",
    difficulty=5,
    minutes=45,
    points=4,
    hints=(
        "Where does plain BPE waste tokens here? Print how it cuts a text, and look for what comes again and again.",
        "let some merges cross the space between two words: learn inside words first; then split into longer parts, "
        "encode those with the merges you have, and go on merging",
        "Lesson 19, on merges across words, and its table: which idea saved tokens, and which saved none?",
    ),
    accept=complaint,
    shown=(_case(FEW, "low lower lowest low lower", "slow lowers, lowest", size=260),),
    drawn=change_cases,
    mistakes=(
        Mistake(
            "too-many",
            "The 256 bytes count, too: `learn` may return at most `size` tokens altogether.",
            when=breaks(complaint, "at most"),
        ),
        Mistake(
            "another-text",
            "Join the tokens of your ids for a short text, and compare. Does a space or a comma get lost?",
            when=breaks(complaint, "make the text again"),
        ),
        Mistake(
            "no-such-place",
            "An id is a place in the list that `learn` returned, from 0 on.",
            when=breaks(complaint, "places in the list"),
        ),
        Mistake(
            "no-tokens",
            "The check needs your tokens to read your ids. Return them from `learn`, also if you inherit the rest.",
            when=breaks(complaint, "none of them empty"),
        ),
    ),
    measure=measured,
    levels=((84.0, 4), (93.0, 2)),
    unit="percent of the tokens of plain BPE",
)
