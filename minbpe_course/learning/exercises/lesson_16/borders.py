"""Exercise 16.borders: where the tokens of a number begin and end, counted from its last digit."""

from minbpe_course.learning import Exercise, Mistake


def borders(pieces):
    """Return where one token of a number ends and the next begins, counted from the right.

    People add numbers digit by digit from the right, so what counts is how far a border between two tokens is from
    the **last** digit.

    * **In:** `pieces`, a list of str: the tokens of a number. Each has one or more digits.
    * **Out:** a list of int, ascending: for each border, how many digits are to the right of it.

    | `pieces` | borders |
    |---|---|
    | `["127", "5"]` | `[1]` |
    | `["1", "275"]` | `[3]` |
    | `["12", "34", "5"]` | `[1, 3]` |
    | `["804"]` | `[]` |
    """
    found, digits = [], 0
    for piece in reversed(pieces[1:]):
        digits += len(piece)
        found.append(digits)
    return found


ONE, TWO, MORE, ZEROS = "one token", "two tokens", "three or more tokens", "tokens that begin with a zero"


def cases(random):
    for size in range(1, 9):
        digits = "".join(random.choices("123456789", k=size))
        yield ONE, [digits]
        yield TWO, [digits, "".join(random.choices("0123456789", k=random.randint(1, 5)))]
        yield (
            MORE,
            [digits[:3], *("".join(random.choices("0123456789", k=random.randint(1, 4))) for _ in range(size + 1))],
        )
        yield ZEROS, [digits, *(random.choice(["0", "00", "007", "040"]) for _ in range(1 + size % 3))]


EXERCISE = Exercise(
    "16.borders",
    "Where the tokens of a number meet",
    "write",
    answer=borders,
    difficulty=2,
    minutes=6,
    hints=(
        "A number of two tokens has one border. How many digits are to the right of it?",
        "Lesson 16, on arithmetic: `127`, `5` has a border one digit from the right.",
        "digits = 0; for each piece from the last one to the second: add its length to digits, and append digits",
    ),
    shown=((TWO, ["127", "5"]), (ONE, ["804"]), (MORE, ["12", "34", "5"]), (ZEROS, ["8", "041"])),
    drawn=cases,
    mistakes=(
        Mistake(
            "from-the-left",
            "You count the digits to the left of each border. Count those to the right.",
            like=("reversed(pieces[1:])", "pieces[:-1]"),
        ),
        Mistake(
            "the-whole-number",
            "The beginning of the number is not a border: nothing ends there.",
            like=("pieces[1:]", "pieces"),
        ),
        Mistake(
            "sizes",
            "A border needs all digits to the right of it, not only those of the next token: add them up.",
            like=("digits += len", "digits = len"),
        ),
        Mistake(
            "counts-tokens",
            "You count the tokens to the right of each border. Count their digits.",
            like=("len(piece)", "1"),
        ),
        Mistake(
            "descending",
            "The right borders, in another order than asked for: the smallest comes first.",
            like=("return found", "return found[::-1]"),
        ),
    ),
)
