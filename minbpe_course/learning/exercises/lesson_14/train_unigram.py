"""Exercise 14.train_unigram: a vocabulary with probabilities, learned from sentences without spaces.

    learned   sentences of an invented language, letters only
    held      other sentences of the language, which the answer does not see
    cost      minus the logarithm of the probability of the best cut of the held sentences
    metric    how much of it is saved, compared with single letters, in percent of what the pieces of byte pair
              encoding save when their probabilities are their shares

Without spaces the answer has to find out where words begin. The Unigram method is made for that; byte pair encoding
with the same counts does it less well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from string import ascii_lowercase

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.exercises.lesson_13.lattices import Scores
from minbpe_course.learning.judge.exercise import Case, Exercise

TEXT = "a text without spaces"
SIZE = 100
STORIES = 12  # the sections of the course text that are English prose
LANGUAGES, LEARNED, HELD = 4, 80, 60  # sentences of each
SHORTEST, LONGEST = 11, 200  # letters of a sentence: up to here the product of its probabilities is above 0
LONGEST_PIECE = 20
UNKNOWN = -25.0  # cost of a letter that is not a piece: 36 bits
ROUNDING = 1e-6  # probabilities that were added up may be so much above 1
Sentences = tuple[str, ...]


@cache
def sections() -> tuple[tuple[Sentences, Sentences], ...]:
    """Return the sentences to learn from and the held ones of every section."""
    found = []
    seen: set[str] = set()
    for text in list(course_sections().values())[:STORIES]:
        _, _, prose = text.partition("\n")
        spelled = [re.sub("[^a-z]", "", part.lower()) for part in re.split(r"[.!?:;]\s", prose.replace("\n", " "))]
        # A repeated sentence would be both held and learned.
        sentences = tuple(one for one in dict.fromkeys(spelled) if SHORTEST <= len(one) <= LONGEST and one not in seen)
        seen.update(sentences)
        found.append((sentences[::2], sentences[1::2]))
    return tuple(found)


def sentence_cases(random: Random) -> Iterator[Case]:
    """Yield sentences of invented languages, each with other sentences of the language held."""
    for _ in range(LANGUAGES):
        language = InventedLanguage(random)
        sentences = ["".join(language.sentence()) for _ in range(LEARNED + HELD)]
        yield Case(TEXT, (sentences[:LEARNED], SIZE), held=sentences[LEARNED:])


def from_pairs(sentences: Sequence[str], size: int) -> dict[str, float]:
    """Return letters and the pieces of byte pair encoding, with their shares in the sentences as probabilities.

    >>> list(from_pairs(["abab", "ab"], 27))[-1]
    'ab'
    """
    now = "\n".join(sentences)
    spelled = {letter: letter for letter in ascii_lowercase}
    while len(spelled) < size:
        pairs = Counter(left + right for left, right in pairwise(now) if "\n" not in (left, right))
        if not pairs:
            break
        best = max(pairs, key=lambda pair: pairs[pair])
        sign = chr(256 + len(spelled))
        spelled[sign] = spelled[best[0]] + spelled[best[1]]
        now = now.replace(best, sign)
    counts = {piece: now.count(sign) or 0.5 for sign, piece in spelled.items()}
    whole = sum(counts.values())
    return {piece: math.log(count / whole) for piece, count in counts.items()}


def cost(sentences: Sequence[str], scores: Scores) -> float:
    """Return minus the sum of the scores of the best cuts.

    >>> cost(["ab", "a?"], {"a": -1.0, "b": -3.0, "ab": -2.0})
    28.0
    """
    longest = max(map(len, scores), default=0)
    return -sum(_best(sentence, scores, longest) for sentence in sentences)


def _best(text: str, scores: Scores, longest: int) -> float:
    """Return the best sum of the scores of pieces that make up a text."""
    best = [0.0] + [-math.inf] * len(text)
    for begin in range(len(text)):
        best[begin + 1] = max(best[begin + 1], best[begin] + UNKNOWN)
        for end in range(begin + 1, min(len(text), begin + longest) + 1):
            score = scores.get(text[begin:end])
            if score is not None and best[begin] + score > best[end]:
                best[end] = best[begin] + score
    return best[-1]


def complaint(case: Case, yours: object) -> str | None:
    """Return why a vocabulary is not allowed, or None."""
    if not isinstance(yours, dict) or not all(isinstance(piece, str) for piece in yours):
        return "a dict from pieces, each a str, to scores"
    if len(yours) > case.args[1]:
        return f"at most {case.args[1]} pieces, including single letters; you return {len(yours)}"
    if not all(0 < len(piece) <= LONGEST_PIECE for piece in yours):
        return f"pieces of 1 to {LONGEST_PIECE} letters"
    if not all(type(score) in (int, float) and -1e6 <= score <= 0 for score in yours.values()):
        return "a score is the logarithm of a probability: a number from -1000000 to 0"
    whole = math.fsum(math.exp(score) for score in yours.values())
    if whole > 1 + ROUNDING:
        return f"probabilities that add up to 1 or less; yours, exp of each score, add up to {whole:.4f}"
    return None


def shown_sentences() -> list[str]:
    """Return the sentences of the shortest section, in plain English, for the shown case."""
    shortest, _ = min(sections(), key=lambda halves: len(halves[0]))
    return list(shortest)


def saving(cases: tuple[Case, ...], answers: list[dict[str, float]]) -> tuple[float, str | None]:
    """Return how much cheaper the held sentences become, in percent of what the pieces of pairs save."""
    yours = pairs = 0.0
    for case, answer in zip(cases, answers):
        if case.held:  # the sentences of the shown case are public, so they do not count
            letters, plain = (cost(case.held, from_pairs(case.args[0], size)) for size in (26, case.args[1]))
            yours += letters - cost(case.held, answer)
            pairs += letters - plain
    return 100 * yours / pairs, None


EXERCISE = Exercise(
    key="14.train_unigram",
    title="A vocabulary for a language without spaces",
    kind="design",
    difficulty=5,
    minutes=45,
    points=4,
    hints=(
        "Begin with far too many pieces: every substring that occurs twice. Then alternate. How often is "
        "each piece really used, and which pieces can go at little cost?",
        "counts of all substrings up to 8 letters; scores = log(count / sum of counts). Repeat: two "
        "rounds of expected_counts and new scores; then, for each piece of several letters, its loss = "
        "how often the best paths use it * (its score - the best sum for its letters without it); drop "
        "the quarter with the lowest loss. Stop at `size`. Keep a little for every letter from a to z, "
        "even one that never occurred",
        "Lesson 14: from far too many pieces to few, by estimating and pruning in turn.",
    ),
    accept=complaint,
    shown=(Case(TEXT, (shown_sentences(), SIZE)),),
    drawn=sentence_cases,
    measure=saving,
    levels=((115.0, 4), (85.0, 2)),
    smaller_is_better=False,
    unit="percent of what the pieces of byte pair encoding save",
)
