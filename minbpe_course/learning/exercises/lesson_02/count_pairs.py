"""Exercise 02.count_pairs: count the pairs of words that occur more than once."""

from minbpe_course.learning.judge.equality import same
from minbpe_course.learning.judge.exercise import Exercise, Mistake


def count_pairs(words):
    """Return how often each pair occurs, in the order in which the pairs are first seen.

    The lesson counts the pairs of a single text. Real trainers first split the text into words and keep each different
    word once, together with its count. "the" may occur ten thousand times, but the trainer looks at it only once.

    * **In:** `words`, a list of `(ids, count)`: the ids of a word, and how often this word occurs.
    * **Out:** a dict from pair to count, in the order in which the pairs are first seen.

    One line is missing. For example, `count_pairs([([1, 2], 5), ([3, 1, 2], 2)])` is `{(1, 2): 7, (3, 1): 2}`.

    Tried: words that occur often, pairs that occur in several words, overlapping pairs, words of one id, and no words.
    """
    counts = {}
    for ids, count in words:
        for pair in zip(ids, ids[1:]):
            ### BEGIN SOLUTION
            counts[pair] = counts.get(pair, 0) + count
            ### END SOLUTION
    return counts


def complaint(case, answer):
    wanted = count_pairs(*case.args)
    if not same(answer, wanted):
        return ""
    return None if list(answer) == list(wanted) else "the same counts, in the order in which the pairs are first seen"


def draw_words(random, number, longest, letters, most):
    sizes = [random.randint(1, longest) for _ in range(number)]
    return [(random.choices(range(97, 97 + letters), k=size), random.randint(1, most)) for size in sizes]


def cases(random):
    yield "no words", []
    yield "words of one id", draw_words(random, 3, 1, 3, 9)
    for number in range(2, 9):
        yield "words that occur once", draw_words(random, number, 5, 4, 1)
        yield "words that occur often", draw_words(random, number, 5, 9, 50)
        yield "one pair in several words", draw_words(random, number, 4, 2, 9)
        run = [random.randrange(256)] * random.randint(3, 7)
        yield "overlapping pairs", [*draw_words(random, number, 4, 3, 9), (run, random.randint(2, 9))]


EXERCISE = Exercise(
    "02.count_pairs",
    "Count by word",
    "fill",
    answer=count_pairs,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "A word that occurs five times contains each of its pairs five times.",
        "new count of this pair = its count so far, 0 if it is new, + how often this word occurs",
        "Lesson 02, where you count the pairs of a single text: that function has the same line, but there everything "
        "occurs once.",
    ),
    wanted=count_pairs,
    accept=complaint,
    shown=(
        ("words that occur often", [([1, 2, 3], 5)]),
        ("one pair in several words", [([1, 2], 5), ([3, 1, 2], 2)]),
        ("overlapping pairs", [([7, 7, 7], 2)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "forgets-the-count",
            "You counted each pair of a word once, however often the word occurs.",
            like=("+ count", "+ 1"),
        ),
        Mistake(
            "keeps-only-the-last",
            "A pair may be in several words, or twice in one: add to its earlier count instead of replacing it.",
            like=("counts.get(pair, 0) + count", "count"),
        ),
        Mistake(
            "new-pairs-count-one",
            "When a pair is met for the first time, its word does not occur just once.",
            like=("counts.get(pair, 0) + count", "counts[pair] + count if pair in counts else 1"),
        ),
        Mistake(
            "new-pairs-count-twice",
            "When a pair is new, your code counts its word twice: once as the default, and then again.",
            like=("pair, 0", "pair, count"),
        ),
        Mistake(
            "starts-at-one",
            "How often has a pair been seen before you see it for the first time?",
            like=("pair, 0", "pair, 1"),
        ),
        Mistake(
            "counts-once-a-word",
            "7 7 7 contains the pair (7, 7) twice: pairs may overlap when they are counted.",
            like=("zip(ids, ids[1:])", "dict.fromkeys(zip(ids, ids[1:]))"),
        ),
        Mistake(
            "another-order",
            "The counts are right, but the pairs are not in the order in which they are first seen.",
            when=lambda case, outcome, wanted: same(outcome.value, wanted),
        ),
    ),
)
