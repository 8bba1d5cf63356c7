"""Exercise 14.train_unigram: a vocabulary with probabilities, learned from sentences without spaces.

    learned   sentences of an invented language, letters only
    held      other sentences of the language, which the answer does not see
    cost      minus the logarithm of the probability of the best segmentation of the held sentences
    metric    how much of it is saved, compared with single letters, in percent of what the pieces of byte pair
              encoding save when their probabilities are their shares

Without spaces the answer has to find out where words begin. The Unigram method is made for that; byte pair encoding
with the same counts does it less well.
"""

import math
import re
from collections import Counter
from functools import cache
from string import ascii_lowercase

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning import Case, Exercise
from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.exercises.lesson_14.expected_counts import expected_counts
from minbpe_course.learning.exercises.lesson_14.paths import likeliest
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


def train_unigram(sentences, size):
    """Return at most size pieces with their scores, a dict from str to float.

    This one is open-ended. You get some sentences in a language that is written without spaces. Choose its pieces, and
    give each a probability. We then split other sentences of the same language, which you do not see, with your pieces.

    * **In:** `sentences`, a list of str, letters from a to z only, at most 200 in each; `size`, how many pieces there
      may be.
    * **Out:** a dict from piece to score: at most `size` pieces of 1 to 20 letters, single letters included. A score is
      the logarithm (`math.log`) of a probability, and all the probabilities together add up to 1 or less.

    Your result is the sum of scores of the best segmentations of the unseen sentences: the nearer to 0, the better. A
    letter that is not a piece costs 25, so keep a little for letters that happened not to occur. We measure what your
    pieces save, compared with single letters, in percent of what the pieces of lesson 02 save, with their shares of the
    text as probabilities: 115 or more earns all four points, 85 or more earns two. Your function has to finish within
    two seconds.

    You may use `likeliest` from the next cell, a simple form of lesson 13's `best_path`. For example, the letters
    alone, with their frequencies as probabilities, are allowed, and save nothing: 0 percent. Byte pair encoding alone
    reaches 100. The cell below the check shows what you have found in English. In all the cases that count, the
    language is invented for the check.
    """
    letters = "abcdefghijklmnopqrstuvwxyz"

    def scored(counts):
        whole = sum(counts.values())
        return {piece: math.log(count / whole) for piece, count in counts.items()}

    stretches = Counter()
    for sentence in sentences:
        for begin in range(len(sentence)):
            stretches.update(sentence[begin:end] for end in range(begin + 2, min(begin + 8, len(sentence)) + 1))
    promising = sorted(stretches, key=lambda piece: (-stretches[piece] * len(piece), piece))[:500]
    seeds = {piece: stretches[piece] for piece in promising if stretches[piece] > 1}
    scores = scored({**seeds, **{letter: 1 + "".join(sentences).count(letter) for letter in letters}})
    while True:
        counts = expected_counts(Counter(sentences), scores)
        kept = {piece: count for piece, count in counts.items() if count > 0.5 and len(piece) > 1}
        scores = scored({**kept, **{letter: max(counts[letter], 0.3) for letter in letters}})
        if len(scores) <= size:
            return scores
        used = Counter(piece for sentence in sentences for piece in likeliest(sentence, scores))
        missed = {}
        for piece in kept:
            own = scores.pop(piece)
            missed[piece] = used[piece] * (own - sum(scores[part] for part in likeliest(piece, scores)))
            scores[piece] = own
        fewer = max(size - len(letters), len(missed) // 2)
        for piece in sorted(missed, key=missed.get, reverse=True)[fewer:]:
            del scores[piece]


TEXT, SIZE = "a text without spaces", 100
UNKNOWN = -25.0  # cost of a letter that is not a piece: 36 bits


@cache
def english():
    """Return different sentences without spaces, from the sections that are English prose."""
    prose = [text.partition("\n")[2] for text in list(course_sections().values())[:12]]
    spelled = [re.sub("[^a-z]", "", part.lower()) for part in re.split(r"[.!?:;]\s", "\n".join(prose))]
    return [sentence for sentence in dict.fromkeys(spelled) if 11 <= len(sentence) <= 200]


def sentence_cases(random):
    """Yield sentences of invented languages, each with other sentences of the language held."""
    for _ in range(4):
        language = InventedLanguage(random)
        sentences = ["".join(language.sentence()) for _ in range(140)]
        yield Case(TEXT, (sentences[:80], SIZE), held=sentences[80:])


def from_pairs(sentences, size):
    """Return letters and the pieces of byte pair encoding, with their shares in the sentences as probabilities.

    >>> list(from_pairs(["abab", "ab"], 27))[-1]
    'ab'
    """
    words = [sentence.encode() for sentence in sentences]
    steps = [*train_steps(words, 256 + size - 26)]
    ranks = {step.pair: step.new_id for step in steps}
    counts = Counter(token for word in words for token in encode_word(word, ranks))
    often = {letter: counts[ord(letter)] or 0.5 for letter in ascii_lowercase}
    often |= {step.token.decode(): counts[step.new_id] or 0.5 for step in steps}
    whole = sum(often.values())
    return {piece: math.log(count / whole) for piece, count in often.items()}


def cost(sentences, scores):
    """Return minus the sum of the scores of the best segmentations.

    >>> cost(["ab", "az"], {"a": -1.0, "b": -3.0, "ab": -2.0})
    28.0
    """
    scores = scores | {letter: max(UNKNOWN, scores.get(letter, UNKNOWN)) for letter in ascii_lowercase}
    return -sum(scores[piece] for sentence in sentences for piece in likeliest(sentence, scores))


def complaint(case, yours):
    """Return why a vocabulary is not allowed, or None."""
    if not isinstance(yours, dict) or not all(isinstance(piece, str) for piece in yours):
        return "a dict from pieces, each a str, to scores"
    if len(yours) > case.args[1]:
        return f"at most {case.args[1]} pieces, including single letters; you return {len(yours)}"
    if not all(0 < len(piece) <= 20 for piece in yours):
        return "pieces of 1 to 20 letters"
    if not all(type(score) in (int, float) and -1e6 <= score <= 0 for score in yours.values()):
        return "a score is the logarithm of a probability: a number from -1000000 to 0"
    whole = math.fsum(math.exp(score) for score in yours.values())
    if whole > 1 + 1e-6:  # they were added up with rounding
        return f"probabilities that add up to 1 or less; yours, exp of each score, add up to {whole:.4f}"
    return None


def saving(cases, answers):
    """Return how much cheaper the held sentences become, in percent of what the pieces of pairs save."""
    yours = pairs = 0.0
    for case, answer in zip(cases, answers):
        if case.held:  # the sentences of the shown case are public, so they do not count
            letters, plain = (cost(case.held, from_pairs(case.args[0], size)) for size in (26, case.args[1]))
            yours += letters - cost(case.held, answer)
            pairs += letters - plain
    return 100 * yours / pairs, None


EXERCISE = Exercise(
    "14.train_unigram",
    "A vocabulary for a language without spaces",
    "design",
    answer=train_unigram,
    difficulty=5,
    minutes=45,
    points=4,
    hints=(
        "Begin with far too many pieces: every substring that occurs twice. Then alternate. How often is each piece "
        "really used, and which pieces can go at little cost?",
        "Lesson 14: from far too many pieces to few, by estimating and pruning in turn.",
        "counts of all substrings up to 8 letters; scores = log(count / sum of counts). Repeat: two rounds of "
        "expected_counts and new scores; then, for each piece of several letters, its loss = how often the best "
        "segmentations use it * (its score - the best sum for its letters without it); drop the quarter with the "
        "lowest loss. Stop at `size`. Keep a little for every letter from a to z, even one that never occurred",
    ),
    accept=complaint,
    shown=((TEXT, english()[:12], SIZE),),
    drawn=sentence_cases,
    measure=saving,
    levels=((115.0, 4), (85.0, 2)),
    smaller_is_better=False,
    unit="percent of what the pieces of byte pair encoding save",
)
