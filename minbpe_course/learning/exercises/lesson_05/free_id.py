"""Exercise 05.free_id: find the smallest unused id."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_05.samples import END, PAD


def free_id(vocab, special_tokens):
    """Return the smallest id that neither an ordinary token nor a special token has.

    A new special token needs an id that no other token has. The quick way is to *count*: `cl100k_base` has 100,256
    ordinary tokens and 5 special ones, so the next id is 100,261. It is free. Look at the ids and make a prediction. If
    you keep adding tokens this way, one day two tokens will share an id. Which of your tokens will it be, and which
    token will it collide with?

    Return the **smallest** free id. A gap is a good place, because the model's embedding table already has a row for
    it.

    * **In:** `vocab`, a dict from id to bytes, and `special_tokens`, a dict from name to id. Both may have gaps
      and be in any order; `special_tokens` may be empty.
    * **Out:** an int, 0 or greater.

    `free_id({0: b"a", 1: b"b"}, {"<|end|>": 2, "<|pad|>": 4})` is `3`. One line is missing.
    """
    taken = {*vocab, *special_tokens.values()}
    ### BEGIN SOLUTION
    return min(set(range(len(taken) + 1)) - taken)
    ### INSTEAD
    # return ...
    ### END SOLUTION


def cases(random):
    for number in range(36):
        size, more = 1 + number // 3, number % 4
        category, ids = (
            ("no gap", range(size, size + number % 5)),
            (
                "a gap between the special tokens",
                [size, size + 3 + more, *random.sample(range(size + 1, size + 3 + more), more)],
            ),
            ("a gap below the special tokens", range(size + 1, size + 2 + more)),
        )[number % 3]
        names = random.sample([END, PAD, "<|user|>", "<|fim|>", "<s>", "</s>", "[INST]", "🛑"], len(ids))
        letters = {at: bytes([97 + at]) for at in range(size)}
        yield category, letters, dict(zip(names, random.sample(ids, len(ids))))
    yield "no special token yet", {0: b"a", 1: b"b"}, {}
    yield "an ordinary id is missing", {0: b"a", 2: b"c"}, {END: 3}
    yield "an ordinary id is missing", {1: b"a", 2: b"c"}, {END: 3}
    yield "a special token in the middle", {0: b"a", 1: b"b", 3: b"c"}, {END: 2}


EXERCISE = Exercise(
    "05.free_id",
    "An id that isn't taken",
    "fill",
    answer=free_id,
    picture="""
from minbpe_course import GPT4Tokenizer

gpt4 = GPT4Tokenizer()
print("counting says", len(gpt4.model.token_bytes) + len(gpt4.special_tokens))
print("ids of the special tokens:", sorted(gpt4.special_tokens.values()))
""",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "How large can the answer be? Of n + 1 numbers, at least one is missing from n taken ones.",
        "Lesson 05 adds special tokens to a published vocabulary. Look at the ids that are taken there.",
        "of the numbers 0, 1, 2, ... len(taken): the smallest that is not in taken",
    ),
    shown=(
        ("no special token yet", {0: b"a", 1: b"b"}, {}),
        ("an ordinary id is missing", {1: b"a", 2: b"c"}, {END: 3}),
        ("no gap", {0: b"a", 1: b"b", 2: b"ab"}, {END: 3}),
        ("a gap between the special tokens", {0: b"a", 1: b"b"}, {END: 2, "<|pad|>": 4}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "counts-instead-of-looking",
            "The number of used ids is the first free one only while there is no gap. Look at the ids themselves.",
            like=lambda vocab, special_tokens: len(vocab) + len(special_tokens),
        ),
        Mistake(
            "beyond-the-last",
            "That id is free, and so is a smaller one. Is there a gap between the ids, or before the first?",
            like=lambda vocab, special_tokens: max([*vocab, *special_tokens.values()]) + 1,
        ),
        Mistake(
            "special-tokens-forgotten",
            "Special tokens have ids as well, and one of them has yours.",
            like=lambda vocab, special_tokens: max(vocab) + 1,
        ),
    ),
)
