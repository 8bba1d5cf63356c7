"""Exercise 05.free_id: find the smallest unused id."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from random import Random

from minbpe_course.learning.exercises.lesson_05.samples import END, PAD
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake


def free_id(token_bytes, special_tokens):
    """Return the smallest id that neither an ordinary token nor a special token has.

    A new special token needs an id that no other token has. The quick way is to *count*: `cl100k_base` has 100,256
    ordinary tokens and 5 special ones, so the next id is 100,261. It is free. Look at the ids and make a prediction. If
    you keep adding tokens this way, one day two tokens will share an id. Which of your tokens will it be, and which
    token will it collide with?

    Return the **smallest** free id. A gap is a good place, because the model's embedding table already has a row for
    it.

    * **In:** `token_bytes`, a dict from id to bytes, and `special_tokens`, a dict from name to id. Both may have gaps
      and be in any order; `special_tokens` may be empty.
    * **Out:** an int, 0 or greater.

    `free_id({0: b"a", 1: b"b"}, {"<|end|>": 2, "<|pad|>": 4})` is `3`. One line is missing.
    """
    taken = {*token_bytes, *special_tokens.values()}
    ### BEGIN SOLUTION
    return min(set(range(len(taken) + 1)) - taken)
    ### INSTEAD
    # return ...
    ### END SOLUTION


def _free_id(token_bytes: Mapping[int, bytes], special_tokens: Mapping[str, int]) -> int:
    return next(number for number in itertools.count() if number not in {*token_bytes, *special_tokens.values()})


def _free_id_cases(random: Random) -> Iterator[Case]:
    for number in range(36):
        size = 1 + number // 3
        category, gaps, specials = (
            ("no gap", 0, number % 5),
            ("a gap between the special tokens", 2, 2 + number % 4),
            ("a gap below the special tokens", 1, 1 + number % 4),
        )[number % 3]
        first = size + (gaps if "below" in category else 0)
        ids = list(range(first, first + specials + (gaps if "between" in category else 0)))
        if "between" in category:
            ids = sorted({ids[0], ids[-1], *random.sample(ids[1:-1], specials - 2)})
        random.shuffle(ids)
        names = random.sample([END, PAD, "<|user|>", "<|fim|>", "<s>", "</s>", "[INST]", "🛑"], len(ids))
        letters = {at: bytes([97 + at]) for at in range(size)}
        yield Case(category, (letters, dict(zip(names, ids))))
    yield Case("no special token yet", ({0: b"a", 1: b"b"}, {}))
    yield Case("an ordinary id is missing", ({0: b"a", 2: b"c"}, {END: 3}))
    yield Case("an ordinary id is missing", ({1: b"a", 2: b"c"}, {END: 3}))
    yield Case("a special token in the middle", ({0: b"a", 1: b"b", 3: b"c"}, {END: 2}))


EXERCISE = Exercise(
    key="05.free_id",
    answer=free_id,
    picture="""
from minbpe_course import GPT4Tokenizer

gpt4 = GPT4Tokenizer()
print("counting says", len(gpt4.model.token_bytes) + len(gpt4.special_tokens))
print("ids of the special tokens:", sorted(gpt4.special_tokens.values()))
""",
    title="An id that isn't taken",
    kind="fill",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "How large can the answer be? Of n + 1 numbers, at least one is missing from n taken ones.",
        "of the numbers 0, 1, 2, ... len(taken): the smallest that is not in taken",
        "Lesson 05 adds special tokens to a published vocabulary. Look at the ids that are taken there.",
    ),
    wanted=_free_id,
    shown=(
        Case("no special token yet", ({0: b"a", 1: b"b"}, {})),
        Case("an ordinary id is missing", ({1: b"a", 2: b"c"}, {END: 3})),
        Case("no gap", ({0: b"a", 1: b"b", 2: b"ab"}, {END: 3})),
        Case("a gap between the special tokens", ({0: b"a", 1: b"b"}, {END: 2, "<|pad|>": 4})),
    ),
    drawn=_free_id_cases,
    mistakes=(
        Mistake(
            "counts-instead-of-looking",
            "The number of used ids is the first free one only while there is no gap. Look at the ids themselves.",
            like=lambda token_bytes, special_tokens: len(token_bytes) + len(special_tokens),
        ),
        Mistake(
            "beyond-the-last",
            "That id is free, and so is a smaller one. Is there a gap between the ids, or before the first?",
            like=lambda token_bytes, special_tokens: max([*token_bytes, *special_tokens.values()]) + 1,
        ),
        Mistake(
            "special-tokens-forgotten",
            "Special tokens have ids as well, and one of them has yours.",
            like=lambda token_bytes, special_tokens: max(token_bytes) + 1,
        ),
    ),
)
