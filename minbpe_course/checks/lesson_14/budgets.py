"""The open question of lesson 14: which tokens to take when only a few may be had, for words that are still hidden.

A learner sees words with their counts. The hidden words are made of beginnings and ends of those, so whoever takes
whole words has learnt them by heart. What is measured is how many pieces are left of a hundred bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from minbpe_course.checks.equality import shown
from minbpe_course.checks.exercise import Case

WORDS, FEW = "words of a language", "few words"
TEXTS, HIDDEN = 5, 120
BUDGETS = (16, 24, 16, 24, 20)


def pieces(word: bytes, tokens: Sequence[bytes]) -> int:
    """Return into how few pieces a word can be cut: tokens and single bytes.

    >>> pieces(b"lowest", [b"low", b"est"])
    2
    """
    known = set(tokens)
    fewest = [0]
    for end in range(1, len(word) + 1):
        fewest.append(1 + min(fewest[at] for at in range(end) if end - at == 1 or word[at:end] in known))
    return fewest[-1]


def budget_cases(dice: Random) -> Iterator[Case]:
    """Yield words of made-up languages, each with a budget."""
    yield Case(FEW, ({b"low": 3, b"lower": 2, b"lowest": 1}, 2))
    for budget in BUDGETS[:TEXTS]:
        yield Case(WORDS, (language(dice), budget))


def language(dice: Random) -> dict[bytes, int]:
    """Return the words of a made-up language: stems and endings, common ones and rare ones.

    >>> len(language(Random(1))) > 40
    True
    """

    def syllables(number: int) -> str:
        return "".join(dice.choice("bdfgklmnprst") + dice.choice("aeiou") for _ in range(number))

    stems = [syllables(2) + dice.choice(["", "n", "r", "st"]) for _ in range(14)]
    endings = [syllables(1) + dice.choice(["", "s", "t", "nd"]) for _ in range(8)]
    counts: dict[bytes, int] = {}
    for at in range(90):
        stem = stems[min(int(dice.expovariate(0.22)), 13)]
        ending = endings[min(int(dice.expovariate(0.4)), 7)]
        word = (stem + ending).encode()
        counts[word] = counts.get(word, 0) + dice.randint(1, 1 + 400 // (at + 10))
    return counts


def hidden_words(words: Mapping[bytes, int]) -> list[bytes]:
    """Return words made of beginnings and ends of these; always the same ones for the same words."""
    dice = Random(repr(sorted(words.items())))
    known = sorted(words)
    weights = [words[word] for word in known]
    made = []
    for _ in range(HIDDEN):
        one, other = dice.choices(known, weights, k=2)
        made.append(one[: dice.randint(2, max(2, len(one) - 2))] + other[-dice.randint(2, max(2, len(other) - 2)) :])
    return made


def complaint(case: Case, answer: Any) -> str | None:
    """Return which rule a list of tokens breaks."""
    _, budget = case.args
    if not isinstance(answer, (list, tuple)) or not all(isinstance(token, bytes) for token in answer):
        return "a list of tokens, which are bytes"
    if len(answer) > budget:
        return f"at most {budget} tokens; these are {len(answer):,}"
    short = [token for token in answer if len(token) < 2]
    if short:
        return f"tokens of at least two bytes: single bytes are there anyway, and {shown(short[0])} is none"
    return f"tokens that are all different; {shown(answer[0], 60)} ..." if len(set(answer)) < len(answer) else None


def measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    """Return the pieces of a hundred bytes of the hidden words, all languages together."""
    left = size = 0
    for case, tokens in zip(cases, answers):
        if case.category == WORDS:
            for word in hidden_words(case.args[0]):
                left += pieces(word, [token[:64] for token in tokens])
                size += len(word)
    return 100 * left / max(1, size), None


def too_many(case: Case, outcome: Any, wanted: Any) -> bool:
    """Tell whether more tokens came back than the budget has."""
    return isinstance(outcome.value, (list, tuple)) and len(outcome.value) > case.args[1]


def singles(case: Case, outcome: Any, wanted: Any) -> bool:
    """Tell whether single bytes are among the tokens."""
    value = outcome.value
    return isinstance(value, (list, tuple)) and any(isinstance(token, bytes) and len(token) < 2 for token in value)


def twice(case: Case, outcome: Any, wanted: Any) -> bool:
    """Tell whether a token is named twice."""
    value = outcome.value
    if not isinstance(value, (list, tuple)) or not all(isinstance(token, bytes) for token in value):
        return False
    return len(set(value)) < len(value)
