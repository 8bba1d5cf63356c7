"""Exercise 15.probability: Witten and Bell's estimate, from short contexts to long ones."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.ngrams import ByteContextModel


def probability(counts, size, before, token):
    """Return the probability of a token after the bytes ``before``.

    The model has counted which tokens followed each context of 0, 1, 2, 4 and 8 bytes. Begin without any knowledge,
    where all tokens are equally likely, `1 / size`. Then take the contexts from the shortest to the longest. Each one
    improves the probability *p* that you have so far:

    *p* becomes (how often the token came + *kinds* · *p*) / (how often any token came + *kinds*)

    *Kinds* is how many different tokens came after this context. If much has been new here, more will be.

    * **In:** `counts`, a dict from context (bytes) to a dict from token to how often it came there; `size`, how many
      tokens there are; `before`, bytes, at most 8; `token`.
    * **Out:** a number. Stop at the first context that is longer than `before` or was never seen.

    With `counts = {b"": {7: 3, 9: 1}, b"b": {9: 1}}` and 4 tokens, `probability(counts, 4, b"ab", 9)` is `0.625`: first
    1/4, then (1 + 2 · 1/4) / (4 + 2) = 1/4 after no bytes, then (1 + 1 · 1/4) / (1 + 1) after `b`.
    """
    chance = 1 / size
    for length in (0, 1, 2, 4, 8):
        context = before[len(before) - length :]
        if length > len(before) or context not in counts:
            break
        seen = counts[context]
        chance = (seen.get(token, 0) + len(seen) * chance) / (sum(seen.values()) + len(seen))
    return chance


def by_the_package(counts, size, before, token):
    """Return the same from the package's model: the witness."""
    model = ByteContextModel([], [], size)
    model.counts = counts
    model._totals = {context: sum(seen.values()) for context, seen in counts.items()}
    return model.probability(before, token)


def counted(tokens):
    """Return how often each token came after each context of 0, 1, 2, 4 and 8 bytes; ids are places in ``SPELLED``."""
    return ByteContextModel([tokens], SPELLED, len(SPELLED)).counts


SPELLED = [b"a", b"b", b" ", b"ab", b"ba ", b"bab", b" ab"]
SOME, NEW, SHORT, NEVER = "contexts that were seen", "a token that is new here", "few bytes before", "nothing counted"
SMALL = {b"": {7: 3, 9: 1}, b"b": {9: 1}}


def cases(random):
    for size in range(3, 11):
        tokens = random.choices(range(6), k=4 * size)
        counts, data = counted(tokens), b"".join(SPELLED[token] for token in tokens)
        at = random.randrange(8, len(data))
        yield SOME, counts, 7, data[at - 8 : at], random.choice(tokens)
        yield NEW, counts, 7, data[at - 8 : at], 6
        yield SHORT, counts, 7, data[at - size % 8 : at], random.choice(tokens)
        yield NEVER, {}, random.randint(2, 999), data[:4], 0


EXERCISE = Exercise(
    "15.probability",
    "A model that counts",
    "write",
    answer=probability,
    difficulty=3,
    minutes=12,
    points=3,
    hints=(
        "What do you know about the next token before you look at any context? What does one context change?",
        "Lesson 15, on the model that counts, works through the example.",
        "chance = 1 / size; for each length: stop if before is shorter, or if the last length bytes are not in counts; "
        "otherwise chance = (count of the token + kinds * chance) / (sum of all counts + kinds)",
    ),
    wanted=by_the_package,
    shown=(
        (NEVER, {}, 4, b"", 7),
        (SOME, SMALL, 4, b"ab", 9),
        (NEW, SMALL, 4, b"ab", 7),
        (SHORT, {b"": {7: 3, 9: 1}}, 4, b"", 7),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "minus-nothing",
            "`before[-0:]` is all of `before`, because -0 is 0. The shortest context is empty.",
            like=("before[len(before) - length :]", "before[-length:]"),
        ),
        Mistake(
            "from-the-front",
            "The context is at the end of `before`, right in front of the token.",
            like=("before[len(before) - length :]", "before[:length]"),
        ),
        Mistake(
            "only-the-longest",
            "Each context improves the probability from the shorter one. Don't begin again at 1 / size.",
            like=("len(seen) * chance", "len(seen) / size"),
        ),
        Mistake(
            "unseen-is-impossible",
            "A token that never came after this context is still possible: the shorter contexts say how likely it is.",
            like=("seen.get(token, 0) + len(seen) * chance", "seen.get(token, 0)"),
        ),
        Mistake(
            "kinds-are-counts",
            "Kinds is the number of *different* tokens after the context, `len(...)`.",
            like=("+ len(seen) * chance) / (sum(seen.values()) + len(seen))",
                  "+ sum(seen.values()) * chance) / (2 * sum(seen.values()))"),
        ),
    ),
)  # fmt: skip
