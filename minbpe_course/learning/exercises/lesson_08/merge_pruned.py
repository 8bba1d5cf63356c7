"""Exercise 08.merge_pruned: add up counts and drop rare words."""

import math
from collections import Counter

from minbpe_course.learning import Exercise, Mistake


def merge_pruned(parts, least):
    """Return the words that occur at least `least` times in all parts together, and what was dropped.

    Several workers have counted words, and you drop the rare words to save memory.

    * **In:** `parts`, a list of dicts from word (`bytes`) to count, one from each worker; `least`, the smallest count
      that a word needs in order to be kept.
    * **Out:** `(kept, dropped)`. `kept` is a dict from word to its count in all parts together. `dropped` says what was
      lost, as `(words, occurrences, size)`: how many different words, how often they occurred, and how many bytes of
      the text they took up.

    For example, with `least` 2:

    ```
    merge_pruned([{b' the': 3, b' owl': 1}, {b' the': 2, b' owl': 1, b' eel': 1}], 2)
      ->  ({b' the': 5, b' owl': 2}, (1, 1, 4))
    ```

    The check tries words that are in many parts, one part, no parts, no words to drop, and no words left.
    """
    sums = Counter()
    for part in parts:
        sums.update(part)
    rare = {word: count for word, count in sums.items() if count < least}
    lost = sum(len(word) * count for word, count in rare.items())
    kept = {word: count for word, count in sums.items() if word not in rare}
    return kept, (len(rare), sum(rare.values()), lost)


def pruned_too_early(parts, least):
    kept, _ = merge_pruned([merge_pruned([part], least)[0] for part in parts], 0)
    rare = [{word: count for word, count in part.items() if count < least} for part in parts]
    return kept, merge_pruned(rare, math.inf)[1]


SCATTERED = "a little in each part"


def cases(random):
    yield "no parts", [], 2
    yield "nothing is left", [{b"a": 1}, {b"b": 1}], 2
    for size in range(1, 8):
        for category, number, most, least in (
            ("one part", 1, 5, random.randint(2, 4)),
            (SCATTERED, 4, 4, 4),
            (SCATTERED, 4, 4, 5),
            ("nothing is rare enough", 3, 4, 1),
            ("many parts", size + 3, 3, random.randint(3, 7)),
        ):
            parts = [{b"xyz": 1} if category == SCATTERED else {} for _ in range(number)]
            for part in parts:
                for _ in range(size):
                    part[bytes(random.choices(b"abc\xe9", k=random.randint(1, 3)))] = random.randint(1, most)
            yield category, parts, least


EXERCISE = Exercise(
    "08.merge_pruned",
    "Pruned too early",
    "write",
    answer=merge_pruned,
    hints=(
        "If a word occurs once in each of a hundred parts, is it rare?",
        "Lesson 08, on pruning and what it loses: it prints the same three numbers.",
        "add up all parts; then divide the words into kept and rare ones; of the rare ones: how many there are, the "
        "sum of their counts, the sum of count times length",
    ),
    shown=(
        (SCATTERED, [{b" the": 3, b" owl": 1}, {b" the": 2, b" owl": 1, b" eel": 1}], 2),
        ("one part", [{b"a": 2, b"ab": 1, b"b": 3}], 3),
        ("nothing is rare enough", [{b"a": 1}, {b"a": 1}], 1),
        ("no parts", [], 2),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "pruned-too-early",
            "A word may be rare in each part and common in all of them together. Only the sum can tell.",
            like=pruned_too_early,
            when=lambda case, outcome, wanted: outcome.value[0] == pruned_too_early(*case.args)[0] != wanted[0],
        ),
        Mistake(
            "drops-what-is-just-enough",
            "`least` is the smallest count that is kept.",
            like=lambda parts, least: merge_pruned(parts, least + 1),
        ),
        Mistake(
            "the-last-part-counts",
            "For a plain dict, `update` replaces a count by the last one. What should two workers' counts do?",
            like=("Counter()", "{}"),
        ),
        Mistake(
            "a-word-for-each-part",
            "A word that two workers have seen is still one different word.",
            like=("len(rare)", "sum(word in part for part in parts for word in rare)"),
        ),
        Mistake(
            "words-for-occurrences",
            "First the number of different words that are dropped, then how often they occur together.",
            like=("len(rare), sum(rare.values())", "sum(rare.values()), len(rare)"),
        ),
        Mistake(
            "each-word-once",
            "A dropped word that occurs twice takes its bytes out of the text twice.",
            like=("len(word) * count for", "len(word) for"),
        ),
    ),
)
