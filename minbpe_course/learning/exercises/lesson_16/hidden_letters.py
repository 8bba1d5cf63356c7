"""Exercise 16.hidden_letters: how many letters of a text share their token with another letter."""

from minbpe_course.learning import Exercise, Mistake


def hidden_letters(tokens):
    """Return how many letters share their token with another letter.

    A model gets one id for a token and sees none of its letters. How many letters of a text are hidden in this way?

    * **In:** `tokens`, a list of str.
    * **Out:** an int: how many letters are in a token with **at least one other letter**. Don't count characters that
      are not letters (ask `str.isalpha`).

    `hidden_letters([" two", "12", "b-c"])` is `5`: three in ` two`, two in `b-c`.
    """
    sizes = [sum(map(str.isalpha, token)) for token in tokens]
    return sum(size for size in sizes if size > 1)


SHARED = "letters that share a token"
_ALPHABETS = ("abcde", "éßøñ", "яжщ", "Ωλ", "中文")


def letter_cases(random):
    """Yield tokens of letters in several scripts, of one letter, of none, and mixed ones."""
    yield "tokens without letters", []
    yield "tokens without letters", ["12", " ", "--", "3"]
    for size in range(1, 13):
        letters = _ALPHABETS[size % len(_ALPHABETS)]
        words = [
            " " * random.randint(0, 1) + "".join(random.choices(letters, k=random.randint(2, 6))) for _ in range(size)
        ]
        lone = [random.choice(["", " ", "-"]) + random.choice(letters) for _ in range(size % 4)]
        others = random.choices(["12", " ", "...", "7", "\n\n"], k=size % 3)
        mixed = [*words, *lone, *others, "a1b2"]
        random.shuffle(mixed)
        yield SHARED, mixed
        yield "letters that stand alone", [random.choice(letters), f" {random.choice(letters)}", *words[:1]]


EXERCISE = Exercise(
    "16.hidden_letters",
    "Letters the model can't see",
    "write",
    answer=hidden_letters,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "A letter is visible when it is the only letter of its token. All letters of the other tokens are hidden.",
        "Lesson 16, on spelling: which letters of ` strawberry` does a model see, if the word is one token?",
        "for each token: count the characters for which isalpha() is true; if there are two or more, add their number",
    ),
    shown=(
        (SHARED, ["The", " a"]),
        ("letters that stand alone", ["a", " b", "-c"]),
        (SHARED, [" two", "12", "b-c"]),
    ),
    drawn=letter_cases,
    mistakes=(
        Mistake("all-letters", "A letter that has a token of its own is not hidden.", like=(" if size > 1", "")),
        Mistake(
            "beside-a-sign",
            "A space or a sign beside a letter does not hide it. Another letter does.",
            like=("size in sizes if size > 1", "size, token in zip(sizes, tokens) if len(token) > 1"),
        ),
        Mistake(
            "all-characters",
            "The spaces, digits and signs of such a token are not letters.",
            like=("size for size in sizes", "len(token) for size, token in zip(sizes, tokens)"),
        ),
        Mistake(
            "the-others",
            "Those are the letters that one *can* see.",
            like=("size > 1", "size == 1"),
        ),
        Mistake(
            "tokens",
            "That is how many tokens hide letters. How many letters?",
            like=("sum(size for", "sum(1 for"),
        ),
        Mistake(
            "first-is-seen",
            "The first letter of a token is as hidden as the others: the model gets one id for all of them.",
            like=("sum(size for", "sum(size - 1 for"),
        ),
    ),
)
