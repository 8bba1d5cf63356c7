"""Exercise 16.token_values: the value that each token contributes to a number."""

from minbpe_course.learning import Exercise, Mistake


def token_values(tokens):
    """Return what each token of a number is worth.

    This function computes what each token of a number is worth. Its author tested it on `1`, `275`: it returns 1000 and
    275, which add up to 1275. For GPT-4's tokens `127`, `5`, the same function returns 127,000 and 5.

    Repair it. The values must always add up to the number.

    * **In:** `tokens`, a list of str, each of one or more digits; joined, they are the number.
    * **Out:** a list of int, one for each token.

    | `tokens` | values |
    |---|---|
    | `["1", "275"]` | `[1000, 275]` |
    | `["127", "5"]` | `[1270, 5]` |
    | `["8", "041"]` | `[8000, 41]` |
    """
    ### BEGIN SOLUTION
    worth, power = [], 1
    for token in reversed(tokens):
        worth.insert(0, int(token) * power)
        power *= 10 ** len(token)
    return worth
    ### INSTEAD
    # values = []
    # for at, token in enumerate(tokens):
    #     values.append(int(token) * 1000 ** (len(tokens) - 1 - at))
    # return values
    ### END SOLUTION


THREES = "threes, counted from the right"


def value_cases(random):
    """Yield numbers cut from the right, from the left, anywhere, and with zeros at the beginning of tokens."""
    yield THREES, ["0"]
    for size in range(2, 12):
        digits = random.choice("123456789") + "".join(random.choices("0123456789", k=size + 2))
        yield THREES, _pieces(digits, [len(digits) % 3 or 3] + [3] * size)
        while len(digits) % 3 == 0:
            digits += random.choice("123456789")
        yield "threes, counted from the left", _pieces(digits, [3] * size)
        yield "tokens of any length", _pieces(digits, [2, *(random.randint(1, 4) for _ in digits)])
        yield (
            "tokens that begin with a zero",
            [digits[:2], "0" * random.randint(1, 2) + random.choice("123456789"), digits[2:]],
        )


def _pieces(digits, sizes):
    found = []
    for size in sizes:
        found.append(digits[:size])
        digits = digits[size:]
    return [*filter(None, found)]


EXERCISE = Exercise(
    "16.token_values",
    "What is a token worth?",
    "repair",
    answer=token_values,
    picture="""
from minbpe_course.learning.charts.merges import draw_merge_steps

rows = [("1275, from the right", [b"1", b"275"]), ("1275, from the left", [b"127", b"5"]),
        ("2048, from the right", [b"2", b"048"]), ("2048, from the left", [b"204", b"8"])]
draw_merge_steps(rows, "The same digits in different boxes")
""",
    minutes=15,
    hints=(
        "Add up the values for `127` and `5`. What should the sum be, and what is it? Which token is read incorrectly?",
        "Lesson 16, on numbers: the boxes in the picture of the sum, and which of them are aligned.",
        "a token is worth its number times ten to the power of *all digits after it*; go through the tokens from the "
        "right and count the digits, zeros included",
    ),
    shown=(
        ("threes, counted from the left", ["127", "5"]),
        (THREES, ["1", "275"]),
        ("tokens that begin with a zero", ["8", "041"]),
    ),
    drawn=value_cases,
    mistakes=(
        Mistake(
            "zeros-are-lost",
            "`041` is worth 41, and it still takes up three digits. Measure tokens by their characters.",
            like=("len(token)", "len(str(int(token)))"),
        ),
        Mistake(
            "from-the-left",
            "A digit is worth more the more digits come *after* it.",
            like=(("reversed(tokens)", "tokens"), ("insert(0, int(token) * power)", "append(int(token) * power)")),
        ),
        Mistake(
            "back-to-front",
            "The right values, but that of the last token comes first.",
            like=("insert(0, ", "append("),
        ),
        Mistake(
            "ten-for-each-token",
            "A token may have several digits. How many digits, not tokens, come after it?",
            like=("10 ** len(token)", "10"),
        ),
        Mistake(
            "own-digits",
            "The digits of the token itself do not come after it.",
            like=("int(token) * power", "int(token) * power * 10 ** len(token)"),
        ),
        Mistake(
            "no-places",
            "The token `127` of `1275` is worth 1270.",
            like=("int(token) * power", "int(token)"),
        ),
    ),
)
