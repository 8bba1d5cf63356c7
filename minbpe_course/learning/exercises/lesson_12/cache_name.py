"""Exercise 12.cache_name: the name under which a downloaded file is cached."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake


def cache_name(address):
    """Return the name under which tiktoken caches the file at an address.

    tiktoken keeps each file it downloads under a name that tells you nothing. Which name will the file from this
    address get?

    * **In:** `address`, a str.
    * **Out:** a str of forty hexadecimal digits.

    The address of `cl100k_base.tiktoken` gives `9b5ad71b2ce5302211f9c61530b329a4922fc6a4`. One line is missing.
    """
    return hashlib.sha1(address.encode("utf-8")).hexdigest()


def reference_cache_name(address: str) -> str:
    """Return the name under which tiktoken caches the file at an address.

    >>> cache_name("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken")
    '9b5ad71b2ce5302211f9c61530b329a4922fc6a4'
    """
    return hashlib.sha1(address.encode("utf-8"), usedforsecurity=False).hexdigest()


ENGLISH_ADDRESS, OTHER_ADDRESS = "an address in ASCII", "an address with other letters"


def address_cases(random: Random) -> Iterator[Case]:
    """Yield addresses of invented vocabularies, some with letters outside ASCII."""
    for number in range(6):
        name = "".join(random.choices("abcdefghijklmnop", k=4 + number))
        yield Case(ENGLISH_ADDRESS, (f"https://example.org/{name}/{number}00k_base.tiktoken",))
        yield Case(OTHER_ADDRESS, (f"https://example.org/{name}/größe{number}_词表.tiktoken",))


EXERCISE = Exercise(
    key="12.cache_name",
    answer=cache_name,
    title="The name in the cache",
    kind="fill",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Which hash is it, and of what: the file, its name, or its whole address?",
        "encode the address, hash the bytes with SHA-1, and take the hexadecimal digits",
        "Lesson 12, on the folder of strange names, computes them.",
    ),
    wanted=reference_cache_name,
    shown=(
        Case(ENGLISH_ADDRESS, ("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",)),
        Case(OTHER_ADDRESS, ("https://example.org/größe.tiktoken",)),
    ),
    drawn=address_cases,
    mistakes=(
        Mistake(
            "other-hash",
            "SHA-256 checks the content of the file. The name is made with the older SHA-1, which has forty digits.",
            like=lambda address: hashlib.sha256(address.encode()).hexdigest(),
        ),
        Mistake(
            "last-part",
            "That is the hash of the file name only. Two addresses may have files of the same name.",
            like=lambda address: reference_cache_name(address.rpartition("/")[2]),
        ),
        Mistake(
            "raw",
            "These are the twenty bytes of the hash. A file name needs them as hexadecimal digits.",
            like=lambda address: hashlib.sha1(address.encode(), usedforsecurity=False).digest(),
        ),
    ),
)
