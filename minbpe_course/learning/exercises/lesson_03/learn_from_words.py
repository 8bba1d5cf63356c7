"""Exercise 03.learn_from_words: learn merges from words and their counts."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.count_pairs import count_pairs
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_02.train_merges import learn_merges
from minbpe_course.reference.training import train_steps


def learn_from_words(counts, number):
    """Return up to number merges, {pair: new id}, learned from {word: count}.

    This is `learn_merges` of lesson 02 for many words at once. Weight each word's pairs by the word's count: a pair
    that is in a word twice, and the word in the text five times, occurs ten times. Choose the most frequent pair, merge
    it in every word, and repeat. No pair crosses from one word to the next. Of tied pairs take the one that is seen
    first when you go through the words in order. When no pair is left, stop.

    * **In:** `counts`, a dict from word (bytes) to how often it occurs; `number`, how many merges to make.
    * **Out:** a dict from pair to new id. The first merge makes id 256, the second 257, and so on.
    * Don't change `counts`.

    ```
    learn_from_words({b"ab": 1, b"cd": 5}, 1)    ->  {(99, 100): 256}
    learn_from_words({b"abab": 2, b"cab": 1}, 2) ->  {(97, 98): 256, (256, 256): 257}
    ```

    Tried: counts that decide, pairs that are in a word twice, ties, overlapping pairs, pairs that would cross two
    words, more merges than there are pairs, no words at all.
    """
    words, merges = {word: list(word) for word in counts}, {}
    for new_id in range(256, 256 + number):
        pairs = {}
        for word, ids in words.items():
            for pair, times in count_pairs(ids).items():
                pairs[pair] = pairs.get(pair, 0) + times * counts[word]
        if not pairs:
            break
        pair = max(pairs, key=pairs.get)
        words = {word: merge(ids, pair, new_id) for word, ids in words.items()}
        merges[pair] = new_id
    return merges


def learned(counts, number):
    return {step.pair: step.new_id for step in train_steps(counts, 256 + number)}


def across_words(counts, number):
    return learn_merges(b"".join(word * times for word, times in counts.items()), number)


def with_old_pairs(counts, number):
    """Count the pairs of the words as they were at the beginning."""
    pairs = {}
    for word, times in counts.items():
        for pair in zip(word, word[1:]):
            pairs[pair] = pairs.get(pair, 0) + times
    best = sorted(pairs, key=pairs.get, reverse=True)[:number]
    return {pair: new_id for new_id, pair in enumerate(best, 256)}


def counts_of(random, letters, words, longest):
    found = {}
    for _ in range(words):
        found[bytes(random.choices(letters, k=random.randint(1, longest)))] = random.randint(1, 9)
    return found


def cases(random):
    yield "no words", {}, 3
    yield "no merges asked for", {b"ab": 3}, 0
    yield "no pairs", {b"a": 3, b"b": 2}, 2
    yield "a tie", {b"ab": 2, b"cd": 2}, 1
    yield "a tie", {b"zy": 2, b"ab": 1, b"cd": 2}, 3
    yield "counts that decide", {b"cab": 5, b"dab": 3, b"cad": 7}, 9
    yield "a pair twice in a word", {b"abcab": 2, b"bc": 1}, 1
    yield "overlapping pairs", {b"aaa": 3, b"ba": 4}, 3
    yield "pairs across two words", {b"ab": 1, b"ba": 1, b"aa": 3, b"b": 9}, 2
    yield "more merges than there are pairs", {b"abc": 1}, 5
    for size in range(2, 9):
        yield "counts that decide", counts_of(random, b"lower", size, 5), 1 + size // 2
        yield "a tie", dict.fromkeys(counts_of(random, b"abcd", 2 * size, 4), 1), size
        yield (
            "a pair twice in a word",
            {bytes(random.choices(b"no", k=2 * size)): size, **counts_of(random, b"no", 3, 5)},
            3,
        )
        yield "overlapping pairs", {b"a" * (size + 1): 2, **counts_of(random, b"ab", 3, 5)}, 3
        yield "pairs across two words", {**counts_of(random, b"xyz", size, 2), b"x": 30, b"y": 30}, 3
        yield "more merges than there are pairs", counts_of(random, b"ab", 2, 4), 20
        yield "any bytes", counts_of(random, range(250, 256), size, 6), size


EXERCISE = Exercise(
    "03.learn_from_words",
    "Learn from words",
    "write",
    answer=learn_from_words,
    difficulty=3,
    minutes=12,
    points=3,
    hints=(
        "Start from your `learn_merges`. Instead of one list of ids you have one for each word, so one step counts the "
        "pairs of all of them, and another merges in all of them.",
        "Lesson 03, section 4: in the toy text `(c, a)` occurs 5 + 7 times. Where do the 5 and the 7 come from?",
        "keep {word: list of its ids}; for each new id: for each word, add times * counts[word] for each pair of "
        "count_pairs(ids); no pairs: stop; take the pair with the highest sum; merge it in the ids of every word",
    ),
    wanted=learned,
    keeps_input=True,
    shown=(
        ("counts that decide", {b"ab": 1, b"cd": 5}, 1),
        ("a pair twice in a word", {b"abab": 2, b"cab": 1}, 2),
        ("counts that decide", {b"cab": 5, b"dab": 3, b"cad": 7}, 3),
        ("a tie", {b"ab": 2, b"cd": 2}, 1),
        ("more merges than there are pairs", {b"ab": 3, b"b": 1}, 2),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "ignores-the-counts",
            "You count each different word once. A word that occurs five times has its pairs five times.",
            like=("times * counts[word]", "times"),
        ),
        Mistake(
            "once-in-each-word",
            "A pair may be in a word more than once: in `abab` it is there twice. Multiply by how often it is in the "
            "word, too.",
            like=("times * counts[word]", "counts[word]"),
        ),
        Mistake(
            "overwrites-the-sum",
            "The same pair occurs in several words. Add to its sum instead of replacing it.",
            like=("pairs.get(pair, 0) + times", "times"),
        ),
        Mistake(
            "crosses-words",
            "Some of your pairs reach from one word into the next. Give each word a list of ids of its own.",
            like=across_words,
        ),
        Mistake(
            "last-of-the-tied",
            "Of pairs with the same count take the one that is seen first. `max` does, if your dict has the pairs in "
            "the order in which they are seen.",
            like=("max(pairs, ", "max(reversed(pairs), "),
        ),
        Mistake(
            "greatest-of-the-tied",
            "Of pairs with the same count take the one that is seen first, not the greatest.",
            like=("max(pairs, key=pairs.get)", "max(pairs, key=lambda one: (pairs[one], one))"),
        ),
        Mistake(
            "smallest-of-the-tied",
            "Of pairs with the same count take the one that is seen first, not the smallest.",
            like=("max(pairs, key=pairs.get)", "max(sorted(pairs), key=pairs.get)"),
        ),
        Mistake(
            "keeps-old-sums",
            "After a merge the pairs are different. Begin each step with an empty dict of pairs.",
            like=(("        pairs = {}\n", ""), ("in counts}, {}\n", "in counts}, {}\n    pairs = {}\n")),
        ),
        Mistake(
            "never-merges",
            "Every step finds the same pair, because the words are still as they were. Merge the pair in each word and "
            "keep the new ids.",
            like=("words = {word: merge(", "{word: merge("),
        ),
        Mistake(
            "counts-only-once",
            "You count the pairs only once, before the first merge. Each merge makes new pairs: count again after it.",
            like=with_old_pairs,
        ),
        Mistake(
            "does-not-stop",
            "When no pair is left, `max` has nothing to choose from. Stop, and return the merges you have.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError",
            like=("        if not pairs:\n            break\n", ""),
        ),
        Mistake(
            "number-is-the-size",
            "`number` is how many merges to make, not the size of the vocabulary.",
            like=("256 + number", "number"),
        ),
        Mistake(
            "ids-from-zero",
            "The ids up to 255 are the bytes. The first merge makes id 256.",
            like=("range(256, 256 + number)", "range(number)"),
        ),
        Mistake(
            "needs-two",
            "You stop at pairs that occur once. Here training goes on until no pair is left.",
            like=("if not pairs:", "if max(pairs.values(), default=0) < 2:"),
        ),
    ),
)
