"""Exercise 12.cache_name: the name under which a downloaded file is cached."""

import hashlib

from minbpe_course.learning.judge.exercise import Exercise, Mistake


def cache_name(address):
    """Return the name under which tiktoken caches the file at an address.

    tiktoken keeps each file it downloads under a name that tells you nothing. Which name will the file from this
    address get?

    * **In:** `address`, a str.
    * **Out:** a str of forty hexadecimal digits.

    The address of `cl100k_base.tiktoken` gives `9b5ad71b2ce5302211f9c61530b329a4922fc6a4`. One line is missing.
    """
    return hashlib.sha1(address.encode("utf-8")).hexdigest()


ASCII, OTHER = "an address in ASCII", "an address with other letters"


def cases(random):
    for number in range(6):
        name = "".join(random.choices("abcdefghijklmnop", k=4 + number))
        yield ASCII, f"https://example.org/{name}/{number}00k_base.tiktoken"
        yield OTHER, f"https://example.org/{name}/größe{number}_词表.tiktoken"


EXERCISE = Exercise(
    "12.cache_name",
    "The name in the cache",
    "fill",
    answer=cache_name,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "Which hash is it, and of what: the file, its name, or its whole address?",
        "encode the address, hash the bytes with SHA-1, and take the hexadecimal digits",
        "Lesson 12, on the folder of strange names, computes them.",
    ),
    shown=(
        (ASCII, "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"),
        (OTHER, "https://example.org/größe.tiktoken"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "other-hash",
            "SHA-256 checks the content of the file. The name is made with the older SHA-1, which has forty digits.",
            like=("sha1", "sha256"),
        ),
        Mistake(
            "last-part",
            "That is the hash of the file name only. Two addresses may have files of the same name.",
            like=lambda address: cache_name(address.rpartition("/")[2]),
        ),
        Mistake(
            "raw",
            "These are the twenty bytes of the hash. A file name needs them as hexadecimal digits.",
            like=("hexdigest", "digest"),
        ),
    ),
)
