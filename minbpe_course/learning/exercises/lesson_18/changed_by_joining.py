"""Exercise 18.changed_by_joining: the pairs of texts whose ids change when the texts are joined."""

from itertools import product

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.encoding import encode_word


def changed_by_joining(alone, joined):
    """Return the pairs of texts whose ids change when you join the two texts.

    * **In:** `alone`, a dict from each text to its ids; `joined`, a dict from a pair of these texts, `(a, b)`, to the
      ids of `a + b`.
    * **Out:** a list of the pairs for which the ids of `a + b` are not those of `a` followed by those of `b`, in the
      order of `joined`.

    With `alone = {"a": [97], "b": [98]}` and `joined = {("a", "b"): [256], ("b", "a"): [98, 97]}` the answer is
    `[("a", "b")]`.
    """
    return [(a, b) for (a, b), ids in joined.items() if alone[a] + alone[b] != ids]


def tried(category, letters, merges, *texts):
    """Return a case: the ids of these texts and of all pairs of them."""

    def encode(text):
        return encode_word(text.encode("utf-8"), merges)

    pairs = {(a, b): encode(a + b) for a, b in product(texts, repeat=2)}
    return category, {text: encode(text) for text in texts}, pairs


def cases(random):
    for size in range(2, 8):
        x, y, z = random.sample(range(97, 123), 3)
        merges = {(x, y): 256, (y, x): 257, (256, z): 258, (257, 256): 259}
        texts = ["".join(map(chr, random.choices([x, y, z], k=random.randint(1, size)))) for _ in range(size)]
        yield tried("texts that can merge", "xyz", merges, *texts, "")
        yield tried("few pairs change", "xyz", {(x, y): 256}, *texts[:2], chr(x), chr(y))


A, B = 97, 98
EXERCISE = Exercise(
    "18.changed_by_joining",
    "Where two texts meet",
    "write",
    answer=changed_by_joining,
    difficulty=1,
    minutes=3,
    hints=(
        "What would the ids of a + b be if the place where they meet did not matter?",
        "Lesson 18, on the gap between two texts: encode(a + b) and encode(a) + encode(b).",
        "go through joined.items(); keep the pair if alone[a] + alone[b] differs from its ids",
    ),
    shown=(
        ("two letters", {"a": [97], "b": [98]}, {("a", "b"): [256], ("b", "a"): [98, 97]}),
        tried("few pairs change", "ab", {(A, B): 256}, "a", "b", "ab"),
        # As many ids as apart, but others.
        ("as many ids as before", {"ab": [256], "c": [99]}, {("ab", "c"): [97, 257], ("c", "ab"): [99, 256]}),
        ("no pairs", {"a": [97]}, {}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "counts-only",
            "The number of ids can stay the same while the ids change. Compare the ids.",
            like=("alone[a] + alone[b] != ids", "len(alone[a] + alone[b]) != len(ids)"),
        ),
        Mistake(
            "the-unchanged",
            "Those are the pairs whose ids stay the same.",
            like=("!= ids", "== ids"),
        ),
        Mistake(
            "other-order",
            "The ids of a come first, then those of b.",
            like=("alone[a] + alone[b]", "alone[b] + alone[a]"),
        ),
        Mistake(
            "joined-texts",
            "Return the pairs, (a, b), not the joined texts.",
            like=("[(a, b) for", "[a + b for"),
        ),
    ),
)
