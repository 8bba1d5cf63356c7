"""Exercise 14.pair_scores: how much more often two tokens are neighbours than chance would have it."""

from collections import Counter

from minbpe_course.learning import Exercise, Mistake


def pair_scores(words):
    """Return the score of each pair of neighbors: count(pair) / (count(left) * count(right)).

    BPE takes the most frequent pair. This score takes a pair that occurs often *for how rare its parts are*.

    * **In:** `words`, a list of `(tokens, times)`: a word as the list of its tokens, and how often it occurs.
    * **Out:** a dict from pair `(left, right)` to its score, a float. A count is the number of places in all words,
      each weighted by `times`. The count of a token includes the places where it has no neighbor.

    With `[(["h", "##u", "##g"], 10), (["p", "##u", "##g"], 5), (["p"], 1)]`, the pair `("##u", "##g")` has 15 / (15 *
    15), and `("p", "##u")` has 5 / (6 * 15).

    The check tries words that occur once, words that occur often, tokens that occur several times in a word, and words
    of one token.
    """
    alone = Counter()
    pairs = Counter()
    for tokens, times in words:
        for token in tokens:
            alone[token] += times
        for pair in zip(tokens, tokens[1:]):
            pairs[pair] += times
    return {(left, right): count / (alone[left] * alone[right]) for (left, right), count in pairs.items()}


def of_arrays(words):
    """Compute the same from a list of all places."""
    singles = [token for tokens, times in words for token in tokens * times]
    pairs = [pair for tokens, times in words for pair in [*zip(tokens[:-1], tokens[1:])] * times]
    return {(a, b): pairs.count((a, b)) / singles.count(a) / singles.count(b) for a, b in {*pairs}}


ONCE, OFTEN, TWICE, SINGLE = (
    "words that occur once",
    "words that occur often",
    "a token that occurs twice in a word",
    "a word of one token",
)


def cases(random):
    yield ONCE, []
    for size in range(2, 9):
        for category in (ONCE, OFTEN, TWICE, SINGLE):
            letters = random.choice(("ab", "abcd", "é中"))
            words = []
            for _ in range(size):
                word = random.choices(letters, k=random.randint(2, 6))
                words.append(([word[0], *("##" + one for one in word[1:])], random.randint(2, 9)))
            if category == ONCE:
                words = [(tokens, 1) for tokens, _ in words]
            elif category == TWICE:
                words = [([*tokens, tokens[-1], tokens[-1]], times) for tokens, times in words]
            elif category == SINGLE:
                words += [([letter], random.randint(1, 9)) for letter in letters]
            yield category, words


EXERCISE = Exercise(
    "14.pair_scores",
    "More often than chance",
    "write",
    answer=pair_scores,
    wanted=of_arrays,
    difficulty=2,
    minutes=6,
    points=2,
    hints=(
        "You need two tables of counts, one for tokens and one for pairs. How much does a word add to each?",
        "Lesson 14, the notebook on WordPiece, section 4: the formula, and the five words.",
        "for each (tokens, times): add times to the count of each token, and to the count of each pair of neighbors; "
        "then divide each pair's count by the product of its two tokens' counts",
    ),
    shown=(
        (ONCE, [(["a", "##b"], 1), (["a", "##c"], 1)]),
        (OFTEN, [(["h", "##u", "##g"], 10), (["p", "##u", "##g"], 5)]),
        (TWICE, [(["a", "##b", "##b"], 1)]),
        (SINGLE, [(["a", "##b"], 1), (["a"], 3)]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "without-times",
            "Each word counts as often as it occurs: add `times`, not 1.",
            like=lambda words: pair_scores([(tokens, 1) for tokens, _ in words]),
        ),
        Mistake(
            "divides-by-the-sum",
            "Divide by the *product* of the two counts, not by their sum.",
            like=("alone[left] * alone[right]", "alone[left] + alone[right]"),
        ),
        Mistake(
            "only-in-pairs",
            "Count a token at all its places, also at the end of a word and where it is the whole word.",
            like=("for token in tokens:", "for token in tokens[:-1] or tokens[:0]:"),
        ),
        Mistake(
            "only-counts",
            "That's the count of the pair, which BPE takes. Divide it by the counts of both tokens.",
            like=("count / (alone[left] * alone[right])", "float(count)"),
        ),
    ),
)
