"""The exercises of lesson 12 about letters and digits: which letters no token shows alone, what each token is worth.

hidden_letters   letters of a text that share their token with another letter
token_values     what each token of a number contributes to it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from minbpe_course.checks.exercise import Case

SHARED, ALONE, NO_LETTERS = "letters that share a token", "letters that stand alone", "tokens without letters"
_ALPHABETS = ("abcde", "éßøñ", "яжщ", "Ωλ", "中文")


def hidden_letters(tokens: Sequence[str]) -> int:
    """Return how many letters are in tokens with at least one other letter.

    >>> hidden_letters(["The", " a", ".", "12", "b-c"])
    5
    """
    sizes = [sum(map(str.isalpha, token)) for token in tokens]
    return sum(size for size in sizes if size > 1)


def all_letters(tokens: Sequence[str]) -> int:
    """Count every letter."""
    return sum(sum(map(str.isalpha, token)) for token in tokens)


def lone_letters(tokens: Sequence[str]) -> int:
    """Count the letters that do stand alone."""
    return all_letters(tokens) - hidden_letters(tokens)


def hiding_tokens(tokens: Sequence[str]) -> int:
    """Count tokens, not letters."""
    return sum(sum(map(str.isalpha, token)) > 1 for token in tokens)


def all_but_the_first(tokens: Sequence[str]) -> int:
    """Take the first letter of each token for visible."""
    return sum(max(0, sum(map(str.isalpha, token)) - 1) for token in tokens)


def all_characters(tokens: Sequence[str]) -> int:
    """Count characters of any kind."""
    return sum(len(token) for token in tokens if len(token) > 1)


def letter_cases(random: Random) -> Iterator[Case]:
    """Yield tokens of letters in several scripts, of one letter, of none, and mixed ones."""
    yield Case(NO_LETTERS, ([],))
    yield Case(NO_LETTERS, (["12", " ", "--", "3"],))
    for size in range(1, 13):
        letters = _ALPHABETS[size % len(_ALPHABETS)]
        words = [
            " " * random.randint(0, 1) + "".join(random.choices(letters, k=random.randint(2, 6))) for _ in range(size)
        ]
        lone = [random.choice(["", " ", "-"]) + random.choice(letters) for _ in range(size % 4)]
        others = random.choices(["12", " ", "...", "7", "\n\n"], k=size % 3)
        mixed = [*words, *lone, *others, "a1b2"]
        random.shuffle(mixed)
        yield Case(SHARED, (mixed,))
        yield Case(ALONE, ([random.choice(letters), f" {random.choice(letters)}", *words[:1]],))


# ----------------------------------------------------------------------------------------------------
# What a token of a number is worth

THREES, FROM_THE_LEFT, TORN, ZEROS = (
    "threes, counted from the right",
    "threes, counted from the left",
    "digits that met by chance",
    "tokens that begin with a zero",
)


def token_values(tokens: Sequence[str]) -> list[int]:
    """Return what each token of a number is worth; the values add up to the number.

    >>> token_values(["127", "5"]), token_values(["8", "041"])
    ([1270, 5], [8000, 41])
    """
    values, behind = [], 0
    for token in reversed(tokens):
        values.append(int(token) * 10**behind)
        behind += len(token)
    return values[::-1]


def values_in_threes(tokens: Sequence[str]) -> list[int]:
    """The faulty function that is handed out: it takes every token behind for three digits."""
    return [int(token) * 1000 ** (len(tokens) - 1 - at) for at, token in enumerate(tokens)]


def values_by_number(tokens: Sequence[str]) -> list[int]:
    """Measure a token by its number, so that zeros in front are lost."""
    values, behind = [], 0
    for token in reversed(tokens):
        values.append(int(token) * 10**behind)
        behind += len(str(int(token)))
    return values[::-1]


def values_from_the_left(tokens: Sequence[str]) -> list[int]:
    """Count the digits before a token, not those behind it."""
    before = 0
    values = []
    for token in tokens:
        values.append(int(token) * 10**before)
        before += len(token)
    return values


def values_with_own_digits(tokens: Sequence[str]) -> list[int]:
    """Count the digits of the token itself as well."""
    return [value * 10 ** len(token) for value, token in zip(token_values(tokens), tokens)]


def bare_values(tokens: Sequence[str]) -> list[int]:
    """Forget the places."""
    return [int(token) for token in tokens]


def value_cases(random: Random) -> Iterator[Case]:
    """Yield numbers cut from the right, from the left, anywhere, and with zeros at the beginning of tokens."""
    yield Case(THREES, (["0"],))
    for size in range(2, 12):
        digits = random.choice("123456789") + "".join(random.choices("0123456789", k=size + 2))
        head = len(digits) % 3
        yield Case(THREES, ([*([digits[:head]] if head else []), *_pieces(digits[head:], [3] * size)],))
        while len(digits) % 3 == 0:
            digits += random.choice("123456789")
        yield Case(FROM_THE_LEFT, (_pieces(digits, [3] * size),))
        yield Case(TORN, (_pieces(digits, [2, *(random.randint(1, 4) for _ in digits)]),))
        yield Case(ZEROS, ([digits[:2], "0" * random.randint(1, 2) + random.choice("123456789"), digits[2:]],))


def _pieces(digits: str, sizes: Sequence[int]) -> list[str]:
    found, at = [], 0
    for size in sizes:
        found.append(digits[at : at + size])
        at += size
    return [piece for piece in found if piece]
