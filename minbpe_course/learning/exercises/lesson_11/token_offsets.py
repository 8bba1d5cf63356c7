"""Exercise 11.token_offsets: in which character each token begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def token_offsets(tokens):
    r"""Return for each token the index of the character in which it begins.

    For each token, the function below returns the index of the character in which the token begins. It is right for
    English, but it begins to drift at the first chess piece. Every later offset is too large, and the highlighter that
    uses the offsets marks the wrong words.

    Repair it. A token that begins inside a character belongs to that character.

    * **In:** `tokens`, a list of bytes. No token is empty, and joined they are UTF-8.
    * **Out:** a list of int, one for each token.

    `token_offsets([b"a", b"\xe2\x99", b"\x9e", b"b"])` is `[0, 1, 1, 2]`: the two tokens in the middle are one knight.
    """
    ### BEGIN SOLUTION
    found, characters = [], 0
    for piece in tokens:
        inside = 0x80 <= piece[0] < 0xC0
        found.append(characters - inside)
        characters += sum(1 for byte in piece if not 0x80 <= byte < 0xC0)
    return found
    ### INSTEAD
    # offsets, length = [], 0
    # for token in tokens:
    #     offsets.append(length)
    #     length += len(token.decode("utf-8", errors="replace"))
    # return offsets
    ### END SOLUTION


LETTERS = "ab né Ωж♞中🙂"


def reference_token_offsets(tokens: Sequence[bytes]) -> list[int]:
    """Return for each token the index of the character in which it begins.

    >>> token_offsets([b"a", b"\\xe2\\x99", b"\\x9e", b"b"])
    [0, 1, 1, 2]
    """
    offsets, begun = [], 0
    for token in tokens:
        offsets.append(begun - (0x80 <= token[0] < 0xC0))
        begun += sum(not 0x80 <= byte < 0xC0 for byte in token)
    return offsets


def _drifting_offsets(tokens: Sequence[bytes]) -> list[int]:
    offsets, length = [], 0
    for token in tokens:
        offsets.append(length)
        length += len(token.decode("utf-8", errors="replace"))
    return offsets


def _offsets_in_bytes(tokens: Sequence[bytes]) -> list[int]:
    return [sum(map(len, tokens[:at])) for at in range(len(tokens))]


def _offsets_of_the_next(tokens: Sequence[bytes]) -> list[int]:
    text = b"".join(tokens)
    return [sum(not 0x80 <= byte < 0xC0 for byte in text[:at]) for at in _offsets_in_bytes(tokens)]


def offset_cases(random: Random) -> Iterator[Case]:
    """Yield texts cut between characters, inside them, and byte by byte."""
    yield Case("no token", ([],))
    for size in range(1, 11):
        text = "".join(random.choices(LETTERS, k=size))
        yield Case("tokens of whole characters", ([part.encode("utf-8") for part in _cut(random, text)],))
        inside = ("".join(random.choices("é♞中🙂", k=size)) + text).encode("utf-8")
        yield Case("tokens that begin inside a character", (_cut(random, inside),))
        yield Case("tokens of one byte", ([inside[at : at + 1] for at in range(len(inside))],))


def _cut(random: Random, whole: Any) -> list[Any]:
    places = sorted(random.sample(range(1, len(whole)), k=random.randint(0, len(whole) - 1)))
    return [whole[begin:end] for begin, end in zip([0, *places], [*places, len(whole)])]


EXERCISE = Exercise(
    key="11.token_offsets",
    answer=token_offsets,
    picture=r"""
from minbpe_course.learning.charts.encoding import draw_offsets

draw_offsets("a♞b", [b"a", b"\xe2\x99", b"\x9e", b"b"], [0, 1, 1, 2], "The target: a knight in two tokens")
""",
    title="Offsets that drift",
    kind="repair",
    difficulty=2,
    minutes=15,
    points=2,
    hints=(
        "How many characters does the function count in `♞` when it is spread over two tokens? Where does the "
        "error begin, and does it ever stop?",
        "count the characters that have begun; a token that starts with a byte from 0x80 to 0xBF is inside the "
        "last of them; every other byte begins a character",
        "Lesson 11 has a picture of the offsets, and lesson 01 shows which bytes begin a character.",
    ),
    wanted=reference_token_offsets,
    shown=(
        Case("tokens of whole characters", ([b"ab", b"c"],)),
        Case("tokens that begin inside a character", ([b"a", b"\xe2\x99", b"\x9e", b"b"],)),
    ),
    drawn=offset_cases,
    mistakes=(
        Mistake("bytes", "These count bytes. Python's texts count characters.", like=_offsets_in_bytes),
        Mistake(
            "next-character",
            "A token that begins inside a character belongs to that character, not to the next.",
            like=_offsets_of_the_next,
        ),
        Mistake(
            "broken-left-out",
            "Now a character that is spread over tokens is counted in none of them.",
            like=edited(_drifting_offsets, ('"replace"', '"ignore"')),
        ),
    ),
)
