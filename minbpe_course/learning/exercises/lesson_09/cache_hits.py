"""Exercise 09.cache_hits: how many words of a text a cache of its commonest words answers."""

from collections import Counter

from minbpe_course.learning import Exercise, Mistake


def cache_hits(words, size):
    """Return how many of the words a cache of the `size` most frequent ones answers.

    A cache holds the `size` most frequent words of a text. It was filled before you read the text. How many of the
    text's words does it answer when you read the text from the first word to the last?

    * **In:** `words`, a list of str, and `size`, an int, 0 or greater.
    * **Out:** an int.

    `cache_hits(["b", "a", "b", "c"], 1)` is `2`: the cache holds `"b"`, and `"b"` occurs twice. One line is missing.
    """
    counts = Counter(words)
    ### BEGIN SOLUTION
    return sum(count for _, count in counts.most_common(size))
    ### INSTEAD
    # return ...
    ### END SOLUTION


SOME = "a cache for some of the words"


def cases(random):
    yield "no words", [], 3
    for length in range(2, 22, 2):
        words = random.choices("abcdefgh"[: 2 + length // 3], k=length)
        words += [min(words)] * 2
        yield SOME, words, random.randint(1, 3)
        yield SOME, words[::-1], max(1, len(set(words)) - 1)
    yield "a cache for nothing", words, 0
    yield "a cache for all words", words, len(words) + 1


EXERCISE = Exercise(
    "09.cache_hits",
    "How many words does a cache answer?",
    "fill",
    answer=cache_hits,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "The cache answers a word every time it occurs. Which words are in it, and how often do they occur?",
        "Lesson 09 shows what a word cache answers, and how often the words of a text have occurred before.",
        "add up the counts of the `size` most frequent words; `most_common(size)` gives pairs of a word and its count",
    ),
    shown=(
        (SOME, ["b", "a", "b", "c"], 1),
        ("a cache for all words", ["a", "b"], 5),
        ("a cache for nothing", ["b", "a", "b"], 0),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "different-words",
            "That is how many words the cache holds. It answers each of them every time it occurs.",
            like=lambda words, size: min(size, len(set(words))),
        ),
        Mistake(
            "starts-empty",
            "This cache is filled before the text is read, so it answers a word the first time, too.",
            like=("sum(count for", "sum(count - 1 for"),
        ),
        Mistake(
            "any-words",
            "Those are the words that come *first*. The cache holds the most frequent ones.",
            like=lambda words, size: sum([*Counter(words).values()][:size]),
        ),
        Mistake(
            "rarest",
            "Those are the rarest words. The cache holds the most frequent ones.",
            like=lambda words, size: sum(sorted(Counter(words).values())[:size]),
        ),
        Mistake(
            "minus-zero",
            "A cache for no words answers none; yours answers all. If you slice from the end: `[-0:]` is everything.",
            like=lambda words, size: cache_hits(words, size or len(words)),
        ),
        Mistake(
            "never",
            "Your cache answers no word. If you look words up in `most_common`: it gives pairs, never a word alone.",
            like=lambda words, size: 0,
        ),
        Mistake(
            "the-others",
            "Those are the words that the cache does not answer.",
            like=lambda words, size: len(words) - cache_hits(words, size),
        ),
    ),
)
