"""Exercise 14.train_unigram: a vocabulary with probabilities, learned from sentences without spaces.

    learned   every other sentence of some sections of the course text, letters only, a to z exchanged at random
    held      the sentences between them, in the same letters, which the answer does not see
    cost      minus the logarithm of the probability of the best cut of the held sentences
    metric    how much of it is saved, in percent of what ``train`` saves (expectation and maximization, then pruning)

Without spaces the answer has to find out where words begin. The Unigram method is made for that; byte pair encoding
with the same counts does it less well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from random import Random
from string import ascii_lowercase

from minbpe_course.checks.exercise import Case, Exercise
from minbpe_course.checks.lesson_13.lattices import Scores, edges_of
from minbpe_course.corpus.texts import course_sections

TEXT = "a text without spaces"
SIZE = 100
STORIES = 12  # the sections of the course text that are English prose
GROUPS = ((0, 1), (2, 4))  # whose sentences are learned from together; always these, so that luck has no say
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
    """Yield sentences of some sections, with the letters exchanged differently in each case."""
    for chosen in GROUPS:
        letters = "".join(random.sample(ascii_lowercase, len(ascii_lowercase)))
        learned, held = (exchanged(some, letters) for some in _sentences(chosen))
        yield Case(TEXT, (learned, SIZE), held=(chosen, held))


def _sentences(chosen: Sequence[int]) -> tuple[list[str], list[str]]:
    """Return the sentences of these sections to learn from, and the held ones."""
    learned, held = zip(*(sections()[at] for at in chosen))
    return [*chain(*learned)], [*chain(*held)]


def cost(sentences: Sequence[str], scores: Scores) -> float:
    """Return minus the sum of the scores of the best cuts.

    >>> cost(["ab", "a?"], {"a": -1.0, "b": -3.0, "ab": -2.0})
    28.0
    """
    return -sum(_best(sentence, scores)[0] for sentence in sentences)


def _best(text: str, scores: Scores, without: str = "") -> tuple[float, list[str]]:
    """Return the best sum and its pieces, without the piece ``without``."""
    longest = max(map(len, scores), default=0)
    best, came = [0.0] + [-math.inf] * len(text), [0] * (len(text) + 1)
    for begin in range(len(text)):
        if best[begin] + UNKNOWN > best[begin + 1]:
            best[begin + 1], came[begin + 1] = best[begin] + UNKNOWN, begin
        for end in range(begin + 1, min(len(text), begin + longest) + 1):
            piece = text[begin:end]
            if piece in scores and piece != without and best[begin] + scores[piece] > best[end]:
                best[end], came[end] = best[begin] + scores[piece], begin
    path, end = [], len(text)
    while end:
        path.append(text[came[end] : end])
        end = came[end]
    return best[-1], path


def train(sentences: Sequence[str], size: int) -> dict[str, float]:
    """Return pieces with scores: start with many substrings, then alternate better counts and fewer pieces.

    The letters are always among them, so ``size`` is 26 or more.

    >>> scores = train(["thecat", "thedog", "thecow", "thehen"] * 3, 30)
    >>> "thedog" in scores, len(scores)
    (True, 30)
    """
    counts: dict[str, float] = dict.fromkeys(ascii_lowercase, 0.3)
    for sentence in sentences:
        for begin in range(len(sentence)):
            for end in range(begin + 1, min(len(sentence), begin + 8) + 1):
                counts[sentence[begin:end]] = counts.get(sentence[begin:end], 0.0) + 1
    counts = {piece: count for piece, count in counts.items() if len(piece) == 1 or count >= 2}
    often = sorted(counts, key=lambda piece: (len(piece) > 1, -counts[piece] * len(piece)))
    scores = _logarithms({piece: counts[piece] for piece in often[:1000]})
    while True:
        for _ in range(2):
            found = _counted(sentences, scores)
            scores = _logarithms({one: count for one, count in found.items() if len(one) == 1 or count > 0.5})
        if len(scores) <= size:
            return scores
        used: dict[str, int] = {}
        for sentence in sentences:
            for piece in _best(sentence, scores)[1]:
                used[piece] = used.get(piece, 0) + 1
        # The loss without a piece: each use is replaced by the next best cut.
        loss = {
            piece: used.get(piece, 0) * (score - _best(piece, scores, without=piece)[0])
            for piece, score in scores.items()
            if len(piece) > 1
        }
        keep = max(size - (len(scores) - len(loss)), len(loss) * 3 // 4)
        going = set(sorted(loss, key=lambda piece: -loss[piece])[keep:])
        scores = {piece: score for piece, score in scores.items() if piece not in going}


def _counted(sentences: Sequence[str], scores: Scores) -> dict[str, float]:
    """Return how often each piece is expected, for single letters at least a little."""
    chances = {piece: math.exp(score) for piece, score in scores.items()}
    counts = {piece: 0.3 if len(piece) == 1 else 0.0 for piece in scores}
    for sentence in sentences:
        edges = edges_of(sentence, scores)
        forward, backward = [1.0] + [0.0] * len(sentence), [0.0] * len(sentence) + [1.0]
        for begin, end in edges:
            forward[end] += forward[begin] * chances[sentence[begin:end]]
        for begin, end in reversed(edges):
            backward[begin] += chances[sentence[begin:end]] * backward[end]
        for begin, end in edges:
            piece = sentence[begin:end]
            counts[piece] += forward[begin] * chances[piece] * backward[end] / forward[-1]
    return counts


def _logarithms(counts: Mapping[str, float]) -> dict[str, float]:
    whole = math.fsum(counts.values())
    return {piece: math.log(count / whole) for piece, count in counts.items()}


def single_letters(sentences: Sequence[str]) -> dict[str, float]:
    """Return the letters with the logarithms of their frequencies."""
    text = "".join(sentences)
    return _logarithms({letter: text.count(letter) + 0.3 for letter in ascii_lowercase})


@cache
def _borders(chosen: tuple[int, ...]) -> tuple[float, float]:
    """Return the cost of the held sentences with single letters and with ``train``; exchanged letters cost the same."""
    learned, held = _sentences(chosen)
    return cost(held, single_letters(learned)), cost(held, train(learned, SIZE))


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
    """Return how much cheaper the held sentences become, in percent of what ``train`` saves."""
    bare = trained = yours = 0.0
    for case, answer in zip(cases, answers):
        if case.held:  # the sentences of the shown case are public
            chosen, held = case.held
            bare, trained = (so_far + more for so_far, more in zip((bare, trained), _borders(chosen)))
            yours += cost(held, answer)
    return 100 * (bare - yours) / (bare - trained), None


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
