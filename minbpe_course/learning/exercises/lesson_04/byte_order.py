"""Exercise 04.byte_order: read the order of the single bytes from the ranks."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_04.vocabularies import all_bytes, any_order, in_another_order, publish, toy
from minbpe_course.learning.judge.equality import same
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER


def byte_order(ranks):
    """Return the byte (a number) that each of the ids 0, 1, 2 and so on stands for.

    A vocabulary was published as ranks: a dict from the bytes of each token to its id. Which byte does the id 0 stand
    for, which byte the id 1, and so on?

    * **In:** `ranks`, a dict from `bytes` to int. It may list its tokens in any order. Besides the single bytes it may
      contain merged tokens, which have higher ids.
    * **Out:** a list of the bytes, as numbers, in the order of their ids.

    ```
    byte_order({b"a": 1, b"b": 2, b"c": 0})   ->  [99, 97, 98]
    ```

    Tried: the natural order, two bytes swapped, bytes rotated in a ring, merged tokens as well, a dictionary in another
    order, and all 256 bytes. The picture shows the result for GPT-4.
    """
    singles = [token for token in ranks if len(token) == 1]
    return [token[0] for token in sorted(singles, key=ranks.get)]


def complaint(case, answer):
    """Accept bytes as well as a list."""
    listed = list(answer) if isinstance(answer, bytes) else answer
    return None if same(listed, byte_order(*case.args)) else ""


def cases(random):
    yield "the natural order", {b"a": 0, b"b": 1, b"c": 2}
    for size in range(2, 8):
        order = sorted(random.sample(range(97, 123), size))
        first, second = random.sample(range(size), 2)
        order[first], order[second] = order[second], order[first]
        yield "two bytes swapped", publish([], order, 0).ranks
        order = sorted(random.sample(range(97, 123), size + 1))
        turn = random.randrange(1, size + 1)
        yield "a ring of bytes", publish([], order[turn:] + order[:turn], 0).ranks
        yield "merged tokens as well", toy(random, size, 5).ranks
        yield "a dictionary in another order", in_another_order(random, toy(random, size, 3).ranks)
    yield "all 256 bytes, GPT-4's order", publish([], PRINTABLE_ORDER, 0).ranks
    for _ in range(5):
        ranks = all_bytes(random, any_order(random), 4).ranks
        yield "all 256 bytes, any order", in_another_order(random, ranks)


EXERCISE = Exercise(
    "04.byte_order",
    "Read the shuffle",
    "write",
    answer=byte_order,
    picture="""
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER
from minbpe_course.learning.charts.maps import draw_bytes

letters = [chr(byte) if 0x20 < byte < 0x7F else f"{byte:02x}" for byte in PRINTABLE_ORDER]
kinds = ["prints in ASCII" if 0x20 < byte < 0x7F else "in hexadecimal" for byte in PRINTABLE_ORDER]
draw_bytes(letters, kinds, "The bytes of cl100k_base, in the order of their ids", "id")
""",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "The ids contain the order. Sort the single bytes by something.",
        "Lesson 04, section 1: the map of the bytes is drawn from exactly this list.",
        "take the tokens of length 1; sort them by ranks[token]; from each take its only byte, token[0]",
    ),
    wanted=byte_order,
    accept=complaint,
    shown=(
        ("three bytes", {b"a": 1, b"b": 2, b"c": 0}),
        ("merged tokens as well", {b"b": 0, b"c": 1, b"a": 2, b"bc": 3}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "byte-to-id",
            "That is the table for the other direction: the id of each byte. Return the byte of each id.",
            like=lambda ranks: [ranks[token] for token in sorted(ranks) if len(token) == 1],
        ),
        Mistake(
            "dictionary-order",
            "You follow the order in which the dictionary lists its tokens. Sort by their rank.",
            like=lambda ranks: [token[0] for token in ranks if len(token) == 1],
        ),
        Mistake(
            "by-byte",
            "You sort by the bytes themselves, which gives the natural order every time. Sort by rank.",
            like=lambda ranks: sorted(token[0] for token in ranks if len(token) == 1),
        ),
        Mistake(
            "tokens-not-bytes",
            "These are tokens of one byte. The byte itself, a number, is token[0].",
            like=lambda ranks: [token for token in sorted(ranks, key=ranks.get) if len(token) == 1],
        ),
    ),
)
