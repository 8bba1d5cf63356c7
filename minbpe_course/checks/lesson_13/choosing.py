"""The open question of lesson 13: which merges of a vocabulary for many languages should stay, for the text of one.

choose_cases          vocabularies trained on four languages that were made up, and the words of one of them
complaint, measured   whether every merge that stays can still be made, and what share of the tokens is still saved
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case, Outcome
from minbpe_course.checks.lesson_13.dropping import Merges, Pair, drop_merges, ranks_of
from minbpe_course.reference import pruning
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps

LANGUAGE = "a language"
BUDGETS = (6, 9, 12)
MERGES, WORDS, LANGUAGES = 84, 40, 4


def choose_cases(random: Random) -> Iterator[Case]:
    """Yield the words of three languages with their counts, each with a vocabulary that was made for four."""
    yield Case("few merges", ({b"abab": 3, b"cc": 1}, [(97, 98), (99, 99), (256, 256)], 2))
    for budget in BUDGETS:
        languages = [_words(random) for _ in range(LANGUAGES)]
        together: dict[bytes, int] = {}
        for words in languages:
            for word, count in words.items():
                together[word] = together.get(word, 0) + count
        merges = [step.pair for step in train_steps(together, 256 + MERGES)]
        yield Case(LANGUAGE, (languages[random.randrange(LANGUAGES)], merges, budget))


def _words(random: Random) -> dict[bytes, int]:
    """The words of a language: its own syllables, and how often each word comes, as Zipf has it."""
    letters = random.sample("abcdefghijklmnopqrstuvwxyz", 9)
    syllables = ["".join(random.choices(letters, k=random.randint(2, 3))) for _ in range(12)]
    words = {"".join(random.choices(syllables, k=random.randint(1, 3))) for _ in range(WORDS)}
    shuffled = random.sample(sorted(words), len(words))
    return {word.encode(): 1 + 120 // rank for rank, word in enumerate(shuffled, start=1)}


def kept_problem(merges: Merges, budget: int, keep: Any) -> str | None:
    """Return what forbids to keep just these merges, or None.

    >>> kept_problem([(97, 98), (256, 256)], 2, [257])
    'merges that can still be made: 257 is made with 256, which does not stay'
    """
    if not isinstance(keep, (list, tuple, set)):
        return "a list of ids"
    stays = list(keep)
    if not all(type(one) is int and 256 <= one < 256 + len(merges) for one in stays):
        return f"ids of merges, from 256 to {255 + len(merges)}"
    if len(set(stays)) < len(stays):
        return "every id once"
    if len(stays) > budget:
        return f"at most {budget} ids; you keep {len(stays)}"
    for one in sorted(stays):
        for half in merges[one - 256]:
            if half > 255 and half not in stays:
                return f"merges that can still be made: {one} is made with {half}, which does not stay"
    return None


def complaint(case: Case, keep: Any) -> str | None:
    """Return None for merges that may be kept, else the first rule that is broken."""
    _, merges, budget = case.args
    return kept_problem(merges, budget, keep)


def tokens_of(words: Mapping[bytes, int], merges: Merges) -> int:
    """Return how many tokens the words are, each as often as it comes.

    >>> tokens_of({b"abab": 3}, [(97, 98)])
    6
    """
    ranks = ranks_of(merges)
    return sum(count * len(encode_word(list(word), ranks)) for word, count in words.items())


@lru_cache(maxsize=256)
def _saved_by_the_package(words: tuple[tuple[bytes, int], ...], merges: tuple[Pair, ...], budget: int) -> int:
    return saved(dict(words), merges, rarest_go(dict(words), merges, budget))


def saved(words: Mapping[bytes, int], merges: Merges, keep: Sequence[int]) -> int:
    """Return how many tokens these merges save, beside one token for each byte.

    >>> saved({b"abab": 3}, [(97, 98), (256, 256)], [256])
    6
    """
    gone = sorted(set(range(256, 256 + len(merges))) - set(keep))
    return tokens_of(words, []) - tokens_of(words, drop_merges(merges, gone))


def measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    """Return what the merges that stay save, in percent of what those of ``rarest_go`` save; never a complaint here."""
    yours = ours = 0
    for case, keep in zip(cases, answers):
        if case.category == LANGUAGE:
            words, merges, budget = case.args
            yours += saved(words, merges, keep)
            ours += _saved_by_the_package(tuple(words.items()), tuple(map(tuple, merges)), budget)
    return 100 * yours / max(1, ours), None


def rarest_go(words: Mapping[bytes, int], merges: Merges, budget: int) -> list[int]:
    """Keep what ``pruning.rarest_first`` gives up last.

    >>> rarest_go({b"abab": 3, b"cc": 1}, [(97, 98), (99, 99), (256, 256)], 2)
    [256, 258]
    """
    ranks = ranks_of(merges)
    counts: dict[int, int] = {}
    for word, count in words.items():
        for token in encode_word(list(word), ranks):
            counts[token] = counts.get(token, 0) + count
    order = list(pruning.rarest_first(ranks, counts))
    return sorted(order[len(order) - min(budget, len(order)) :])


def is_broken(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a merge stays that is made with one that goes."""
    return "which does not stay" in (complaint(case, outcome.value) or "")


def is_too_many(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether more merges stay than there is room for."""
    return "at most" in (complaint(case, outcome.value) or "")


def names_places(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether places of merges were returned in place of their ids."""
    keep: Sequence[Any] = outcome.value if isinstance(outcome.value, (list, tuple)) else []
    return bool(keep) and all(type(one) is int and 0 <= one < len(case.args[1]) for one in keep)
