"""Exercise 08.find_borders: repair a search for special tokens in a file that is read in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


def read(data, at, size):
    """Return at most size bytes, starting at an offset, as reading a file does."""
    return data[at : at + size]


def find_borders(data, number, token, size):
    """Return the offset at which each share begins, and the one at which the last share ends.

    Many workers will count the words of one large file. A special token separates the documents, and each worker gets a
    share that begins with one. To find the shares, guess where each should begin, and search from there for the next
    token. The file is larger than the memory, so we read it in chunks and search each chunk. This function does that,
    but now and then a border is not where it should be. Repair it.

    * **In:** `data`, the file as `bytes`, which you may read only with `read`; `number`, how many shares are wanted;
      `token`, the special token as `bytes`; `size`, how many bytes are read at a time, always more than the length of
      the token.
    * **Out:** an ascending list of offsets: 0, the end of the file, and for each guess the first token that begins
      there or after it. Two guesses may find the same token, or none.

    For example, `find_borders(b"one<|end|>two, and a little more<|end|>three", 2, b"<|end|>", 12)` has to be `[0, 32,
    44]`.

    The check tries chunks barely longer than the token, tokens made of one repeated letter, more shares than documents,
    a file without any token, and an empty file.
    """
    borders = {0, len(data)}
    for share in range(1, number):
        at = len(data) * share // number
        while at < len(data):
            found = read(data, at, size).find(token)
            if found >= 0:
                borders.add(at + found)
                break
            ### BEGIN SOLUTION
            at += size - (len(token) - 1)  # read the possible beginning of a token again
            ### INSTEAD
            # at += size
            ### END SOLUTION
    return sorted(borders)


def reference_find_borders(data: bytes, number: int, token: bytes, size: int) -> list[int]:
    """Return where each of ``number`` shares of the data begins: at a token. ``size`` is not used.

    >>> find_borders(b"one|two|three", 2, b"|", 4)
    [0, 7, 13]
    """
    found = [data.find(token, len(data) * share // number) for share in range(1, number)]
    return sorted({0, len(data), *(at for at in found if at >= 0)})


def search_in_pieces(data: bytes, number: int, token: bytes, size: int) -> list[int]:
    """Search in pieces of ``size`` bytes, which may cut a token: the planted bug.

    >>> search_in_pieces(b"one two<>", 2, b"<>", 5), search_in_pieces(b"one two<>", 2, b"<>", 4)
    ([0, 7, 9], [0, 9])
    """
    borders = {0, len(data)}
    for share in range(1, number):
        at = len(data) * share // number
        while at < len(data):
            found = data[at : at + size].find(token)
            if found >= 0:
                borders.add(at + found)
                break
            at += size
    return sorted(borders)


def _documents(random: Random, number: int, token: bytes, longest: int) -> bytes:
    return token.join(bytes(random.choices(b"ab <|>e", k=random.randint(0, longest))) for _ in range(number))


_END = b"<|end|>"


def _border_cases(random: Random) -> Iterator[Case]:
    yield Case("no data", (b"", 3, _END, 10))
    yield Case("no token at all", (b"one long document and nothing else", 4, _END, 10))
    for number in range(2, 8):
        size = len(_END) + random.randint(2, 6)
        yield Case("many documents", (_documents(random, 6 * number, _END, 12), number, _END, 200))
        yield Case("small pieces", (_documents(random, 4 * number, _END, 14), number, _END, size))
        # The token begins in the first piece after the guess and ends in the second one.
        half = size - random.randint(1, len(_END) - 1)
        text = b"a" * (half + 40) + _END + b"b" * 9
        text += b"c" * max(0, 80 - len(text))
        yield Case("a token between two pieces", (text.ljust(80 + number, b"d"), 2, _END, size))
        yield Case("a token between two pieces", (_documents(random, 2, _END, 60), 2, _END, size))
        yield Case("more shares than documents", (_documents(random, 3, _END, 9), 5 + number, _END, size))
        yield Case("a token of equal letters", (_documents(random, 9, b"aa", 5), number, b"aa", 3))


EXERCISE = Exercise(
    key="08.find_borders",
    answer=find_borders,
    title="The border that stays hidden",
    kind="repair",
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "The function searches each chunk by itself. Write down two neighboring chunks and a token that "
        "is in neither of them, although it is in the file.",
        "the next chunk has to begin so early that it contains the whole token if only its last byte was missing",
        "Lesson 08, on cuts in the wrong place: there the counts show the effect.",
    ),
    wanted=reference_find_borders,
    shown=(
        Case("many documents", (b"one<|end|>two<|end|>three<|end|>four", 2, _END, 40)),
        Case("a token between two pieces", (b"one<|end|>two, and a little more<|end|>three", 2, _END, 12)),
        Case("more shares than documents", (b"a<|end|>b", 4, _END, 10)),
    ),
    drawn=_border_cases,
    mistakes=(
        Mistake(
            "one-byte-too-far",
            "Almost: a token that lacks only its last byte in one chunk lacks its first byte in the next.",
            like=edited(search_in_pieces, ("+= size", "+= size - len(token) + 2")),
        ),
        Mistake(
            "gives-up",
            "There may be no token in the first chunk but one in the next.",
            like=edited(search_in_pieces, ("at += size", "break")),
        ),
        Mistake(
            "wherever-it-falls",
            "A share begins with a token, not just anywhere.",
            like=edited(
                reference_find_borders, ("data.find(token, len(data) * share // number)", "len(data) * share // number")
            ),
        ),
        Mistake(
            "behind-the-token",
            "The border is before the token: the share that begins there begins with it.",
            like=edited(reference_find_borders, ("(at for at", "(at + len(token) for at")),
        ),
    ),
)
