"""Exercise 18.id_bits: the bits of all ids when each is as wide as the highest one needs."""

from minbpe_course.learning import Exercise, Mistake


def id_bits(ids):
    """Return how many bits the ids take if all have the same width.

    To measure compression in bits, we write every id with the same whole number of bits: as many as the *highest* of
    them needs. How many bits do all the ids take?

    * **In:** `ids`, a list of int, 0 or greater; it may be empty.
    * **Out:** an int. An id takes at least one bit.

    `id_bits([5, 0, 3])` is `9`: 5 is `101`, so three bits for each of three ids. One line is missing.
    """
    highest = max(ids, default=0)
    ### BEGIN SOLUTION
    return max(1, highest.bit_length()) * len(ids)
    ### INSTEAD
    # return ...
    ### END SOLUTION


NOTHING = "only zeros, or no ids"
WIDTH = "max(1, highest.bit_length())"


def bit_cases(dice):
    """Yield short lists of ids: around powers of two, others, zeros, and none."""
    yield NOTHING, []
    yield NOTHING, [0] * dice.randint(2, 5)
    for width in range(1, 9):
        high = (1 << width) - dice.choice((0, 0, 1))
        row = [dice.randrange(high) for _ in range(dice.randint(1, 4))]
        yield "ids around a power of two", [*row, high, high]
    for size in range(3, 12):
        most = dice.choice((300, 5_000, 60_000, 250_000))
        yield "some ids", [dice.randrange(most) for _ in range(size)] + [0]


EXERCISE = Exercise(
    "18.id_bits",
    "As wide as the highest id",
    "fill",
    answer=id_bits,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "How many bits does the highest id need? Every other id takes just as many.",
        "Lesson 18, on the roads it does not take: bits instead of tokens.",
        "the width is `highest.bit_length()`, or 1 where that is 0; there are `len(ids)` ids",
    ),
    shown=(
        ("some ids", [5, 0, 3]),
        ("ids around a power of two", [8, 1]),
        (NOTHING, [0, 0]),
        (NOTHING, []),
    ),
    drawn=bit_cases,
    mistakes=(
        Mistake(
            "one-too-few",
            "The ids begin with 0, so 0 to 8 are nine ids, and three bits distinguish only eight.",
            like=("highest.bit_length()", "(highest - 1).bit_length()"),
        ),
        Mistake(
            "own-widths",
            "If each id had a width of its own, a reader could not tell where one ends and the next begins.",
            like=(f"{WIDTH} * len(ids)", "sum(max(1, number.bit_length()) for number in ids)"),
        ),
        Mistake(
            "rounded-down",
            "8 is 2 to the power of 3, and takes four bits: 1000. Rounded down, a logarithm is one too few.",
            like=("highest.bit_length()", "highest.bit_length() - 1"),
        ),
        Mistake(
            "one-id",
            "That is the width of one id. How many are there?",
            like=("* len(ids)", "* bool(ids)"),
        ),
        Mistake(
            "two-more",
            "Each id is two bits too wide. If you used `bin`: it writes `0b` in front.",
            like=(WIDTH, "len(bin(highest))"),
        ),
        Mistake(
            "one-bit-for-all",
            "Each id takes at least one bit, not all of them together: two zeros take two, and no ids take none.",
            like=(f"{WIDTH} * len(ids)", "max(1, highest.bit_length() * len(ids))"),
        ),
        Mistake(
            "different-ids",
            "The highest id decides, not the number of different ids: ids that do not occur here still need their "
            "numbers.",
            like=("highest.bit_length()", "(len(set(ids)) - 1).bit_length()"),
        ),
        Mistake(
            "no-width",
            "An id takes at least one bit, even if it is 0.",
            like=(WIDTH, "highest.bit_length()"),
        ),
    ),
)
