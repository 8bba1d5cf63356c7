"""Exercise 12.cache_name: the files that tiktoken would download, and their names in its cache."""

import hashlib

from minbpe_course.learning import Exercise, Mistake


def to_download(addresses, names):
    """Return the files that the cache lacks, a dict from address to name.

    You prepare a computer that has no network. tiktoken keeps each file that it downloads under a name that tells you
    nothing: the SHA-1 of the file's address. Which files are still missing, and under which names do you have to put
    them into the cache folder?

    * **In:** `addresses`, a list of str; `names`, a list of str: the files that are already in the folder.
    * **Out:** a dict. Its keys are the addresses whose file is missing; the value is the name that the file must have,
      forty hexadecimal digits.

    `to_download(["abc"], [])` is `{"abc": "a9993e364706816aba3e25717850c26c9cd0d89d"}`.
    """
    wanted = {address: hashlib.sha1(address.encode("utf-8")).hexdigest() for address in addresses}
    return {address: name for address, name in wanted.items() if name not in names}


NONE, SOME, OTHER = "an empty cache", "some files are there", "addresses with other letters"


def cases(random):
    yield NONE, [], []
    for number in range(6):
        plain = [f"https://example.org/{random.random()}/{size}k_base.tiktoken" for size in range(number + 2)]
        there = [*to_download(plain, []).values(), "readme.txt"]
        yield NONE, plain, []
        yield SOME, plain, random.sample(there, 1 + number)
        yield OTHER, [f"https://example.org/{number}/größe.词表"], there


CL100K = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"

EXERCISE = Exercise(
    "12.cache_name",
    "What is not in the cache?",
    "write",
    answer=to_download,
    entry="to_download",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "The names cannot be turned back into addresses. So which name would each address get?",
        "Lesson 12, on the folder of strange names: its `cache_name` makes one name.",
        "for each address: encode it, hash the bytes with SHA-1, and take the hexadecimal digits; if that name is not "
        "in `names`, put both into the dict",
    ),
    shown=(
        (NONE, ["abc"], []),
        (SOME, [CL100K, "abc"], ["9b5ad71b2ce5302211f9c61530b329a4922fc6a4"]),
        (OTHER, ["https://example.org/größe.tiktoken"], []),
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
            "You hash the file name only. Two addresses may have files of the same name.",
            like=("address.encode", 'address.rpartition("/")[2].encode'),
        ),
        Mistake(
            "raw",
            "These are the twenty bytes of the hash. A file name needs them as hexadecimal digits.",
            like=("hexdigest", "digest"),
        ),
        Mistake(
            "all-of-them",
            "A file that is already in the folder need not be downloaded.",
            like=(" if name not in names", ""),
        ),
        Mistake(
            "the-others",
            "Those are the files that are already there.",
            like=("name not in names", "name in names"),
        ),
    ),
)
