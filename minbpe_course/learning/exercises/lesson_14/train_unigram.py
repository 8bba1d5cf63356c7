"""Exercise 14.train_unigram: a vocabulary with probabilities, learned from sentences without spaces.

    learned   every other sentence of a section of the course text, letters only, a to z exchanged at random
    held      the sentences between them, in the same letters, which the answer does not see
    cost      minus the logarithm of the probability of the best cut of the held sentences
    metric    how much of it is saved, in percent of what a plain trainer saves (expectation and maximization, then
              pruning), which is the answer of the course

Without spaces the answer has to find out where words begin. The Unigram method is made for that; byte pair encoding
with the same counts does it less well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from string import ascii_lowercase

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.exercises.lesson_13.lattices import Scores
from minbpe_course.learning.judge.exercise import Case, Exercise

TEXT = "a text without spaces"
SIZE = 100
STORIES = 12  # the sections of the course text that are English prose
SECTION = 2  # always this one, so that luck has no say
# The cost of its held sentences, for any letters; a test works both out again.
WITH_LETTERS, TRAINED = 4362.046060938516, 3432.291620070205
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


def exchanged(sentences: Sequence[str], letters: str) -> list[str]:
    """Return sentences with each letter from a to z exchanged for another.

    >>> exchanged(["cab"], "bca" + ascii_lowercase[3:])
    ['abc']
    """
    table = str.maketrans(ascii_lowercase, letters)
    return [one.translate(table) for one in sentences]


def sentence_cases(random: Random) -> Iterator[Case]:
    """Yield the sentences of the section, with the letters exchanged at random."""
    letters = "".join(random.sample(ascii_lowercase, len(ascii_lowercase)))
    learned, held = (exchanged(some, letters) for some in sections()[SECTION])
    yield Case(TEXT, (learned, SIZE), held=held)


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
    """Return how much cheaper the held sentences become, in percent of what the plain trainer saves."""
    # The sentences of the shown case are public, so they do not count.
    yours = sum(cost(case.held, answer) for case, answer in zip(cases, answers) if case.held)
    return 100 * (WITH_LETTERS - yours) / (WITH_LETTERS - TRAINED), None


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
    levels=((88.0, 4), (66.0, 2)),
    smaller_is_better=False,
    unit="percent of what a plain Unigram trainer saves",
)
