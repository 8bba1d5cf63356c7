"""Exercise 09.word_cache: which word a full cache drops when a new one comes.

The cases are rows of words: a few common ones, some in fashion for a while, and many that occur once. The metric is the
number of words answered, in percent of the best cache that knows the future (Belady, 1966).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from string import ascii_lowercase
from typing import Any

from minbpe_course.learning.judge.equality import shown
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, breaks


class WordCache:
    """Decide which words a small cache holds.

    A cache has room for only a few words, but the text keeps coming. When a new word arrives and the cache is full, a
    word has to go. Which one?

    * `WordCache(size)`: how many words there is room for, 1 or more.
    * `ask(word)` is called for every word of a text, in order. It returns the word that leaves the cache:
      * `None` if the word is in the cache (then the cache answers it and nothing changes), or if there was room for it
    and you put it in;
      * otherwise a word that is in the cache, and the new word takes its place;
      * or the new word itself, which means that you don't put it in.

    We count the words that are in the cache at the moment `ask` is called, over four texts of 750 words, as a
    percentage of what a cache that *knows the future* answers. A result of 66 earns 4 points, 58 earns 3, and 50 earns
    2. In these texts, as in real ones, some words are frequent all the time, some are in fashion for a while, and many
    occur only once.

    Here is what a `WordCache(2)` that drops its oldest word does:

    | asked | returned | in the cache now |
    |---|---|---|
    | `"a"` | `None` | a |
    | `"b"` | `None` | a, b |
    | `"a"` | `None`, it was there | a, b |
    | `"c"` | `"a"` | b, c |
    """

    def __init__(self, size):
        self.size = size
        ### BEGIN SOLUTION
        self.inside, self.scores, self.clock = set(), {}, 0
        ### END SOLUTION

    def ask(self, word):
        """Record a word and return the word that leaves the cache, or None."""
        ### BEGIN SOLUTION
        self.clock += 1
        self.scores[word] = self.scores.get(word, 0.0) + 2.0 ** (self.clock / 150)
        if word in self.inside:
            return None
        self.inside.add(word)
        if len(self.inside) <= self.size:
            return None
        lowest = min(sorted(self.inside), key=self.scores.get)
        self.inside.remove(lowest)
        return lowest
        ### END SOLUTION


TEXT = "a text"
SIZES = (12, 24, 12, 24)
LENGTH, FASHION = 750, 120
COMMON, IN_FASHION = 300, 6


def cache_cases(random: Random) -> Iterator[Case]:
    """Yield a few words for a cache of one word, and the long texts that are measured."""
    yield asked("a cache for one word", 1, ["a", "a", "b", "a", "b", "b"])
    yield asked("few words", 3, random.choices("abcde", k=12))
    for size in SIZES:
        yield asked(TEXT, size, text_words(random))


def asked(category: str, size: int, words: Sequence[str]) -> Case:
    """Return a case that requests these words from a cache, one after the other."""
    return Case(category, (size,), script=tuple(("ask", (word,)) for word in words))


def text_words(random: Random) -> list[str]:
    """Return words with Zipf's frequencies, changing fashions, and many words that occur once.

    No word tells which of these it is.
    """

    def new_word() -> str:
        return "".join(random.choices(ascii_lowercase, k=6))

    common = [new_word() for _ in range(COMMON)]
    weights = [1 / rank for rank in range(1, COMMON + 1)]
    words: list[str] = []
    for at in range(LENGTH):
        if at % FASHION == 0:
            fashion = [new_word() for _ in range(IN_FASHION)]
        drawn = random.random()
        if drawn < 0.55:
            words += random.choices(common, weights)
        elif drawn < 0.75:
            words.append(random.choice(fashion))
        else:
            words.append(new_word())
    return words


def hits_of(size: int, words: Sequence[str], answers: Sequence[Any]) -> tuple[int, str | None]:
    """Return how many words the cache answered, and the first broken rule.

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
    """Return None if every answer keeps the rules, else what is wrong with the first that does not."""
    if not isinstance(answer, (list, tuple)) or len(answer) != len(case.script):
        return f"{len(case.script)} answers, one to each word"
    return hits_of(case.args[0], _words(case), answer)[1]


def most_hits(size: int, words: Sequence[str]) -> int:
    """Return the hits of a cache that knows the future and drops the word whose next use is last.

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
    """Return the words answered in all long texts, in percent of the best, without a complaint."""
    yours = best = 0
    for case, answer in zip(cases, answers):
        if case.category == TEXT:
            yours += hits_of(case.args[0], _words(case), answer)[0]
            best += most_hits(case.args[0], _words(case))
    return 100 * yours / max(1, best), None


EXERCISE = Exercise(
    key="09.word_cache",
    answer=WordCache,
    title="Which word has to go?",
    kind="design",
    entry="WordCache",
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "What do you know about a word that was asked for once? And about one that was asked for ten times, long ago?",
        "give every word a score; each request adds to it, and later requests add more (twice as much "
        "every hundred words or so); the word with the lowest score goes, even if it is the new one",
        "Lesson 09, on the long tail: most of its words occur once. They should not push out the others.",
    ),
    accept=complaint,
    shown=(asked("few words", 1, ["a", "a", "b", "b"]), asked("few words", 2, ["a", "b", "a", "c", "a", "b"])),
    drawn=cache_cases,
    mistakes=(
        Mistake(
            "overflows",
            "When the cache is full, a word has to go: return it, or the new word if that is not worth a place.",
            when=breaks(complaint, "you named none"),
        ),
        Mistake(
            "goes-for-nothing",
            "The word was in the cache, so nothing is added and nothing goes: return None.",
            when=breaks(complaint, "so nothing goes"),
        ),
        Mistake(
            "goes-twice",
            "The word that you drop is not in the cache. Keep your own data in step with what you return.",
            when=breaks(complaint, "does not hold"),
        ),
    ),
    measure=measured,
    levels=((66.0, 4), (58.0, 3), (50.0, 2)),
    smaller_is_better=False,
    unit="percent of what a cache answers that knows the future",
)
