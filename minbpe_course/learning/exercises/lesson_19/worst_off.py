"""Exercise 19.worst_off: the language that needs the most ids, and the merge that helps it."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.parity_merges import worst_off as reference_worst_off


def worst_off(training, parallel):
    """Return the language that is worst off, and the pair that it should merge next.

    * **In:** `training`, a dict from language to its words, a list of `(ids, count)`; `parallel`, a dict from language
      to the words of the same sentences, a list of lists of ids. Both have the same languages.
    * **Out:** `(language, pair)`. The language is the one that needs the **most ids in `parallel`**; of equals, the
      one that comes first there. The pair is the one that occurs most often in **its own training words**, each word
      counted as often as it occurs; of equals, the first seen. If no pair of a language occurs at least twice, pass it
      over and look at the next worst off. Return `None` if no language is left.

    ```
    training = {"one": [([1, 2], 9)], "two": [([3, 4, 5], 2), ([4, 5], 1)]}
    parallel = {"one": [[1]], "two": [[3], [4, 5]]}
    worst_off(training, parallel)    ->  ("two", (4, 5))
    ```

    The pair `(1, 2)` occurs more often, but "one" needs a single id and "two" needs three.
    """
    for language in sorted(parallel, key=lambda name: -sum(len(word) for word in parallel[name])):
        counts = {}
        for ids, count in training[language]:
            for pair in zip(ids, ids[1:]):
                counts[pair] = counts.get(pair, 0) + count
        if counts and max(counts.values()) >= 2:
            return language, max(counts, key=counts.get)
    return None


CLEAR, EQUAL, OVER, NOBODY = "one is worst off", "equally badly off", "no pair occurs twice", "no language is left"


def drawn(random, size):
    names = random.sample(["Tamil", "Greek", "English", "Hindi", "Thai"], random.randint(2, 4))
    training, parallel = {}, {}
    for at, name in enumerate(names):
        ids = [10 * at + digit for digit in range(3)]
        training[name] = [(random.choices(ids, k=random.randint(1, size)), random.randint(1, 4)) for _ in range(size)]
        parallel[name] = [random.choices(ids, k=random.randint(1, size)) for _ in range(random.randint(1, 3))]
    return training, parallel


def poorest(parallel):
    return max(parallel, key=lambda name: sum(map(len, parallel[name])))


def cases(random):
    for size in range(2, 8):
        training, parallel = drawn(random, size)
        yield CLEAR, training, parallel
        # Many short words against few long ones; and the poorest is not the one with the commonest pair.
        yield CLEAR, {**training, "rich": [([90, 91], 99)]}, {**parallel, "rich": [[90]] * (size + 2)}
        training, parallel = drawn(random, size)
        same = [[1] * 4, [2] * size]
        yield EQUAL, training, dict.fromkeys(sorted(parallel, reverse=True), same)
        training, parallel = drawn(random, size)
        yield OVER, {**training, poorest(parallel): [([1, 2], 1), ([3], 7)]}, parallel
        yield OVER, {**training, poorest(parallel): []}, parallel
        yield NOBODY, {name: [([1, 2, 3], 1), ([4], 9)] for name in training}, parallel


EXERCISE = Exercise(
    "19.worst_off",
    "Who is worst off?",
    "write",
    answer=worst_off,
    difficulty=3,
    minutes=12,
    points=3,
    hints=(
        "First choose the language: which one needs the most ids for the same sentences? Only then count pairs.",
        "Lesson 02 counts pairs, and lesson 03 gives each word its weight. Here, count in one language only.",
        "sort the languages by their ids in parallel, most first; for each: count the pairs of its training words, "
        "each pair `count` times; if the largest count is at least 2, return the language and its pair. After the "
        "loop, return None",
    ),
    shown=(
        (CLEAR, {"one": [([1, 2], 9)], "two": [([3, 4, 5], 2), ([4, 5], 1)]}, {"one": [[1]], "two": [[3], [4, 5]]}),
        (EQUAL, {"b": [([1, 2], 2)], "a": [([3, 4], 5)]}, {"b": [[1, 2]], "a": [[3], [4]]}),
        (OVER, {"one": [([1, 2], 9)], "two": [([3, 4], 1)]}, {"one": [[1]], "two": [[3], [4]]}),
        (NOBODY, {"one": [([1], 9)], "two": []}, {"one": [[1]], "two": [[3]]}),
    ),
    wanted=reference_worst_off,
    drawn=cases,
    mistakes=(
        Mistake(
            "all-languages",
            "You count the pairs of all languages together, so the largest language decides. Count only those of the "
            "language that is worst off.",
            like=("in training[language]:", "in [each for words in training.values() for each in words]:"),
        ),
        Mistake(
            "counts-words",
            "Compare how many *ids* the sentences need. You compare how many words they have.",
            like=("sum(len(word) for word in parallel[name])", "len(parallel[name])"),
        ),
        Mistake(
            "best-off",
            "That's the language that needs the fewest ids. Help the one that needs the most.",
            like=("-sum(len", "sum(len"),
        ),
        Mistake(
            "each-word-once",
            "A word that occurs five times has each of its pairs five times.",
            like=("counts.get(pair, 0) + count", "counts.get(pair, 0) + 1"),
        ),
        Mistake(
            "stops",
            "If the poorest language has no pair that occurs twice, look at the next one. Return None only at the end.",
            like=(
                "            return language, max(counts, key=counts.get)\n",
                "            return language, max(counts, key=counts.get)\n        return None\n",
            ),
        ),
        Mistake(
            "rare-pairs",
            "A pair has to occur at least twice.",
            like=(" and max(counts.values()) >= 2", ""),
        ),
    ),
)
