"""Exercise 08.find_borders: repair a search for special tokens in a file that is read in pieces."""

from minbpe_course.learning import Exercise, Mistake


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

    For example, `find_borders(b"one<|end|>two, and a little more<|end|>three", 2, b"<|end|>", 12)` has to be
    `[0, 32, 44]`.

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


END = b"<|end|>"


def cases(random):
    yield "no data", b"", 3, END, 10
    yield "no token at all", b"one long document and nothing else", 4, END, 10
    for number in range(2, 8):
        size = len(END) + random.randint(2, 6)
        for category, token, documents, longest, shares, read_at_once in (
            ("many documents", END, 6 * number, 12, number, 200),
            ("small pieces", END, 4 * number, 14, number, size),
            ("a token between two pieces", END, 2, 60, 2, size),
            ("more shares than documents", END, 3, 9, 5 + number, size),
            ("a token of equal letters", b"aa", 9, 5, number, 3),
        ):
            texts = (bytes(random.choices(b"ab <|>e", k=random.randint(0, longest))) for _ in range(documents))
            yield category, token.join(texts), shares, token, read_at_once
        # The token begins in the first piece after the guess, byte 40, and ends in the second one.
        text = b"a" * (40 + size - random.randint(1, len(END) - 1)) + END
        yield "a token between two pieces", text.ljust(80, b"c"), 2, END, size


SAFE = "(len(token) - 1)"

EXERCISE = Exercise(
    "08.find_borders",
    "The border that stays hidden",
    "repair",
    answer=find_borders,
    difficulty=3,
    minutes=15,
    points=3,
    hints=(
        "The function searches each chunk by itself. Write down two neighboring chunks and a token that "
        "is in neither of them, although it is in the file.",
        "Lesson 08, on cuts in the wrong place: there the counts show the effect.",
        "the next chunk has to begin so early that it contains the whole token if only its last byte was missing",
    ),
    shown=(
        ("many documents", b"one<|end|>two<|end|>three<|end|>four", 2, END, 40),
        ("a token between two pieces", b"one<|end|>two, and a little more<|end|>three", 2, END, 12),
        ("more shares than documents", b"a<|end|>b", 4, END, 10),
    ),
    drawn=cases,
    avoid=("data.find", "data.index"),
    mistakes=(
        Mistake(
            "one-byte-too-far",
            "Almost: a token that lacks only its last byte in one chunk lacks its first byte in the next.",
            like=(SAFE, "(len(token) - 2)"),
        ),
        Mistake(
            "gives-up",
            "There may be no token in the first chunk but one in the next.",
            like=(f"at += size - {SAFE}", "break"),
        ),
        Mistake(
            "wherever-it-falls",
            "A share begins with a token, not just anywhere.",
            like=("read(data, at, size).find(token)", "0"),
        ),
        Mistake(
            "behind-the-token",
            "The border is before the token: the share that begins there begins with it.",
            like=("borders.add(at + found)", "borders.add(at + found + len(token))"),
        ),
    ),
)
