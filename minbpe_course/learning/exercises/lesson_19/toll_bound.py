"""Exercise 19.toll_bound: a number of tokens that no vocabulary can go below."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.vocabulary_bound import toll_bound as reference_toll_bound


def toll_bound(words, tolls, number):
    """Return a number of tokens that no vocabulary of this size can go below.

    Every part of a word with two or more bytes is a *place* where a token could be used. A place can have a toll.

    * **In:** `words`, a dict from word (bytes) to how often it occurs; `tolls`, a dict from word to a dict from place
      `(begin, end)` to toll, 0 or more. A word or a place that is missing has no tolls. `number`, how many
      tokens the vocabulary has besides the bytes.
    * **Out:** a float, the cost of all words minus what the best `number` tokens collect.
      * The **cost** of a word is that of its cheapest path: cut the word into parts, any parts. Each part costs 1 and
        the toll of its place. A word that occurs five times costs five times as much.
      * A token **collects** the tolls of all its places, in all words, each times the word's count. The token of the
        place `(begin, end)` is `word[begin:end]`.

    ```
    words = {b"ab": 5, b"abc": 1}
    tolls = {b"ab": {(0, 2): 0.25}, b"abc": {(0, 2): 0.5, (0, 3): 1.0}}
    toll_bound(words, {}, 1)       ->  6.0
    toll_bound(words, tolls, 1)    ->  6.5
    ```

    In the second call, each `ab` costs 1.25. `abc` costs 2.0, whether whole or as `a|bc`. That's 8.25 in all. The
    token `ab` collects 5 · 0.25 + 0.5 = 1.75, and `abc` only 1.0.
    """
    paid, collected = 0.0, {}
    for word, count in words.items():
        own = tolls.get(word, {})
        cheapest = [0.0]
        for end in range(1, len(word) + 1):
            cheapest.append(min(cheapest[begin] + 1 + own.get((begin, end), 0) for begin in range(end)))
        paid += count * cheapest[-1]
        for (begin, end), toll in own.items():
            collected[word[begin:end]] = collected.get(word[begin:end], 0) + count * toll
    return paid - sum(sorted(collected.values(), reverse=True)[:number])


NONE, ONE, SHARED, LONG = "no tolls", "one word", "tokens in several words", "longer words"


def drawn(random, letters, size, many, fraction=0.7):
    words = {bytes(random.choices(letters, k=random.randint(2, size))): random.randint(2, 9) for _ in range(many)}
    tolls = {
        word: {
            (begin, end): random.randint(1, 12) / 8  # sums are exact
            for end in range(2, len(word) + 1)
            for begin in range(end - 1)
            if random.random() < fraction
        }
        for word in words
    }
    return words, tolls, random.randint(1, 3)


def cases(random):
    for size in range(3, 9):
        yield NONE, drawn(random, b"abc", size, size)[0], {}, 2
        yield ONE, *drawn(random, b"abcd", size, 1)
        yield SHARED, *drawn(random, b"ab", 4, size)
        yield SHARED, *drawn(random, b"abc", 5, size)
        yield LONG, *drawn(random, b"abc", 12, 4)
        yield LONG, *drawn(random, b"abc", 40, 2, 0.99)


EXERCISE = Exercise(
    "19.toll_bound",
    "A bound for every vocabulary",
    "write",
    answer=toll_bound,
    difficulty=4,
    minutes=15,
    points=4,
    hints=(
        "Take one word. Suppose you know the cheapest way to every earlier position. What does the way to the next one "
        "cost?",
        "Lesson 13 finds the best path through a lattice like this. The lesson on the frontier says what is collected.",
        "for each word: cheapest = [0]; for each end, append the least of cheapest[begin] + 1 + toll over all begins; "
        "add count times the last one. Then add count * toll of every place to the sum of its token. Subtract the "
        "largest sums, `number` of them",
    ),
    shown=(
        (NONE, {b"ab": 5, b"abc": 1}, {}, 1),
        (ONE, {b"abc": 2}, {b"abc": {(0, 2): 0.5, (0, 3): 1.5}}, 1),
        (SHARED, {b"ab": 5, b"abc": 1}, {b"ab": {(0, 2): 0.25}, b"abc": {(0, 2): 0.5, (0, 3): 1.0}}, 1),
    ),
    wanted=reference_toll_bound,
    drawn=cases,
    mistakes=(
        Mistake(
            "whole-words",
            "You take each word whole. If its toll is high, several parts may be cheaper.",
            like=("cheapest[-1]", "(1 + own.get((0, len(word)), 0))"),
        ),
        Mistake(
            "each-word-once",
            "A word that occurs five times pays five times, and its places collect five times.",
            like=(("paid += count * ", "paid += "), ("+ count * toll", "+ toll")),
        ),
        Mistake(
            "collects-once",
            "A token collects at each occurrence of a word: multiply its tolls by the word's count, too.",
            like=("+ count * toll", "+ toll"),
        ),
        Mistake(
            "one-place",
            "A token collects at *all* its places: add up the tolls of the same bytes in all words.",
            like=("collected.get(word[begin:end], 0) + count * toll", "count * toll"),
        ),
        Mistake(
            "gives-all-back",
            "Only the `number` tokens that collect the most count. You subtract all tolls.",
            like=("[:number])", ")"),
        ),
    ),
)
