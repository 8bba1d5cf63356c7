"""Exercise 19.may_merge: merges that never put a whole character and a part of another into one token."""

from minbpe_course.learning import Exercise, Mistake


def may_merge(left, right):
    """Tell whether merging two tokens keeps characters whole.

    A token of bytes may consist of whole characters, or be a part of *one* character. Nothing else is allowed, such as
    a letter and half of the next one. And a character grows from its first byte: a part of one begins with its
    beginning, or is a single byte.

    * **In:** `left` and `right`, two tokens, bytes. Both are allowed: each consists of whole characters, or is the
      beginning of one character, or is a single byte of `80` to `bf`, a continuation byte.
    * **Out:** `True` if `left + right` is allowed, too: whole characters, or the beginning of one character.
      Otherwise, `False`.

    ```
    may_merge(b"a", b"b")                ->  True     ab, whole characters
    may_merge(b"\\xe0", b"\\xae")          ->  True     the first two bytes of a letter of three
    may_merge(b"\\xe0\\xae", b"\\x95")      ->  True     the letter is complete: க
    may_merge(b" ", b"\\xe0")             ->  False    a space, and the beginning of a letter
    may_merge(b"\\xae", b"\\x95")          ->  False    the end of a letter grows from its beginning
    ```

    The first byte of a character says how many it has: below `80` one, from `c0` two, from `e0` three, from `f0` four.
    All tokens come from valid UTF-8.
    """
    joined = left + right
    begins = [byte for byte in joined if not 0x80 <= byte < 0xC0]
    sizes = [1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4 for byte in begins]
    if 0x80 <= joined[0] < 0xC0:
        return False
    return sum(sizes) == len(joined) or (len(sizes) == 1 and len(joined) < sizes[0])


def by_decoding(left, right):
    """Ask Python's decoder: nothing is wrong, or what begins at 0 is not complete."""
    try:
        (left + right).decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start == 0 and error.reason == "unexpected end of data"
    return True


WHOLE, GROWS, MIXED, ENDS = "whole characters", "one character grows", "a character and a part", "ends of characters"


def cases(random):
    for _ in range(8):
        one, two, many = random.choice("aZ9 "), random.choice("éЖΩ"), random.choice("கअ中あ€")
        four = random.choice("🙂🚀𝒳")
        texts = [each.encode() for each in (one, two, many, four)]
        random.shuffle(texts)
        first, second, third, _ = texts
        yield WHOLE, first, second
        yield WHOLE, first + second, third
        for letter in (two, many, four):
            data = letter.encode()
            cut = random.randint(1, len(data) - 1)
            yield GROWS, data[:cut], data[cut : cut + 1]
            yield MIXED, first, data[:cut]
            yield MIXED, data[:1], data[:1]
            yield MIXED, data[:cut], first
            yield ENDS, data[-1:], first
            yield ENDS, data[-1:], data[:1]
        yield ENDS, many.encode()[-2:-1], many.encode()[-1:]
        yield ENDS, four.encode()[1:2], four.encode()[2:3]


EXERCISE = Exercise(
    "19.may_merge",
    "Whole characters only",
    "write",
    answer=may_merge,
    difficulty=3,
    minutes=8,
    points=3,
    hints=(
        "There are two ways to be allowed. When does `left + right` consist of whole characters?",
        "Lesson 01: the first byte of a character says how many bytes it has. Lesson 11 meets tokens that end within "
        "one.",
        "join the two; if they decode as UTF-8, return True; otherwise find out from the first byte how many bytes its "
        "character has (a continuation byte begins none), and return whether there are fewer than that",
    ),
    shown=(
        (WHOLE, b"a", "é".encode()),
        (GROWS, b"\xe0", b"\xae"),
        (GROWS, b"\xe0\xae", b"\x95"),
        (MIXED, b" ", b"\xe0"),
        (ENDS, b"\xae", b"\x95"),
    ),
    wanted=by_decoding,
    drawn=cases,
    mistakes=(
        Mistake(
            "only-whole",
            "Two of the three bytes of a letter are allowed, too. Without them, no letter would ever become a token.",
            like=(" or (len(sizes) == 1 and len(joined) < sizes[0])", ""),
        ),
        Mistake(
            "ends-grow",
            "A byte of 80 to bf continues a character. Nothing grows from it.",
            like=(("return False", "return True"),),
        ),
        Mistake(
            "two-beginnings",
            "It is short enough for its first character, but another one begins in it.",
            like=("len(sizes) == 1 and ", ""),
        ),
    ),
)
