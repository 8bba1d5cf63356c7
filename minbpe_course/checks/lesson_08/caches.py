"""The exercises of lesson 08 about caches: what one answers, and which word has to go when a new one comes.

cache_hits            how many words of a text a cache of its commonest words answers
cache_cases           texts as rows of words: a few common ones, some that are in fashion for a while, some only once
complaint, measured   whether the rules were kept, and how many words were answered, in percent of what the best
                      cache answers that knows the future (Belady, 1966)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.checks.equality import shown
from minbpe_course.checks.exercise import Case, Outcome

TEXT = "a text"
SIZES = (12, 24, 12, 24, 12, 24)
LENGTH, FASHION = 900, 120
COMMON, IN_FASHION = 300, 6


def cache_hits(words: Sequence[str], size: int) -> int:
    """Return how many of the words are among the ``size`` commonest.

    >>> cache_hits(["a", "b", "a", "c"], 1)
    2
    """
    return sum(sorted(Counter(words).values(), reverse=True)[:size])


def hit_cases(random: Random) -> Iterator[Case]:
    """Yield short texts, and caches that hold nothing, something, everything."""
    yield Case("no words", ([], 3))
    for length in range(2, 22, 2):
        words = [random.choice("abcdefgh"[: 2 + length // 3]) for _ in range(length)]
        words += [min(words)] * 2
        yield Case("a cache for some of the words", (words, random.randint(1, 3)))
        yield Case("a cache for some of the words", (words[::-1], max(1, len(set(words)) - 1)))
    yield Case("a cache for nothing", (words, 0))
    yield Case("a cache for all words", (words, len(words) + 1))


# ----------------------------------------------------------------------------------------------------
# Which word has to go


def cache_cases(random: Random) -> Iterator[Case]:
    """Yield a few words for a cache of one, and the long texts that are measured."""
    yield asked("a cache for one word", 1, ["a", "a", "b", "a", "b", "b"])
    yield asked("few words", 3, random.choices("abcde", k=12))
    for size in SIZES:
        yield asked(TEXT, size, text_words(random))


def asked(category: str, size: int, words: Sequence[str]) -> Case:
    """Return the case of a cache that is asked for these words, one after the other."""
    return Case(category, (size,), script=tuple(("ask", (word,)) for word in words))


def text_words(random: Random) -> list[str]:
    """Return the words of a text as Zipf has them, with fashions that change, and many words that come once.

    >>> len(text_words(Random(0)))
    900
    """
    letters = list("abcdefghijklmnopqrstuvwxyz")
    random.shuffle(letters)
    common = [f"{letters[at % 26]}{at}" for at in range(COMMON)]
    weights = [1 / rank for rank in range(1, COMMON + 1)]
    words: list[str] = []
    for at in range(LENGTH):
        if at % FASHION == 0:
            fashion = [f"{random.choice(letters)}-{random.randrange(10**6)}" for _ in range(IN_FASHION)]
        drawn = random.random()
        if drawn < 0.55:
            words += random.choices(common, weights)
        elif drawn < 0.75:
            words.append(random.choice(fashion))
        else:
            words.append(f"{random.choice(letters)}_{random.randrange(10**6)}")
    return words


def hits_of(size: int, words: Sequence[str], answers: Sequence[Any]) -> tuple[int, str | None]:
    """Return how many words were answered, and the first rule that was broken.

    >>> hits_of(1, ["a", "a", "b", "b"], [None, None, "a", None])
    (2, None)
    >>> hits_of(1, ["a", "b"], [None, None])[1]
    "at word 1, 'b': the cache is full, so a word has to go; you named none"
    """
    held: set[str] = set()
    hits = 0
    for at, (word, goes) in enumerate(zip(words, answers)):
        place = f"at word {at}, {word!r}"
        if goes is not None and not isinstance(goes, str):
            return hits, f"{place}: a word or None is wanted; you said {shown(goes, 60)}"
        if word in held:
            hits += 1
            if goes is not None:
                return hits, f"{place}: the cache holds it, so nothing goes; you said {shown(goes, 60)}"
        elif goes is None:
            if len(held) == size:
                return hits, f"{place}: the cache is full, so a word has to go; you named none"
            held.add(word)
        elif goes != word:
            if goes not in held:
                return hits, f"{place}: you said {shown(goes, 60)}, which the cache does not hold"
            held.remove(goes)
            held.add(word)
    return hits, None


def _words(case: Case) -> list[str]:
    return [args[0] for _, args in case.script]


def complaint(case: Case, answer: Any) -> str | None:
    """Return None when every answer keeps the rules, else the first one that does not.

    >>> complaint(asked("", 2, ["a", "b"]), [None, None]) is None
    True
    """
    if not isinstance(answer, (list, tuple)) or len(answer) != len(case.script):
        return f"{len(case.script)} answers, one to each word"
    return hits_of(case.args[0], _words(case), answer)[1]


def most_hits(size: int, words: Sequence[str]) -> int:
    """Return what a cache answers that knows the future: the word that comes again last has to go.

    >>> most_hits(1, ["a", "b", "a", "a"])
    2
    """
    comes_again: list[int] = []
    next_place: dict[str, int] = {}
    for at in range(len(words) - 1, -1, -1):
        comes_again.append(next_place.get(words[at], len(words)))
        next_place[words[at]] = at
    held: dict[str, int] = {}
    hits = 0
    for word, again in zip(words, reversed(comes_again)):
        hits += word in held
        held[word] = again
        if len(held) > size:
            del held[max(held, key=held.__getitem__)]
    return hits


def measured(cases: tuple[Case, ...], answers: list[Any]) -> tuple[float, str | None]:
    """Return the words answered in all long texts, in percent of the best; there is never a complaint here.

    >>> measured((asked(TEXT, 1, ["a", "b", "a", "a"]),), [[None, "a", "b", None]])
    (50.0, None)
    """
    yours = best = 0
    for case, answer in zip(cases, answers):
        if case.category == TEXT:
            yours += hits_of(case.args[0], _words(case), answer)[0]
            best += most_hits(case.args[0], _words(case))
    return 100 * yours / max(1, best), None


def _first_broken(case: Case, outcome: Outcome) -> str:
    answer = outcome.value if outcome.state == "value" and isinstance(outcome.value, (list, tuple)) else []
    return hits_of(case.args[0], _words(case), answer)[1] or ""


def names_none(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a full cache was to take one word more."""
    return "you named none" in _first_broken(case, outcome)


def names_one_for_nothing(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a word was to go although the word asked for was there."""
    return "so nothing goes" in _first_broken(case, outcome)


def names_a_stranger(case: Case, outcome: Outcome, wanted: Any) -> bool:
    """Tell whether a word was to go that is not there."""
    return "does not hold" in _first_broken(case, outcome)
