"""Exercise 09.stays_apart: whether two tokens side by side are the encoding of their joined bytes.

An answer that forgets one step is right for most pairs. So each drawn vocabulary contributes one pair for every way in
which the known mistakes agree or differ: some drawn case exposes each mistake under every seed. And since the exercise
is about the border, the last tokens are too long to be encoded again.
"""

from itertools import product

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


def stays_apart(left, right, ranks):
    """Return whether the two tokens are the encoding of their joined bytes.

    This is the heart of the backtracking encoder. You are given two tokens and all merges. If byte pair encoding starts
    from the bytes of both, does it end with exactly these two tokens?

    * **In:** two ids, `left` and `right`, and `ranks`, a dict from a pair of ids to the id that it becomes. Smaller ids
      merge first, equal ones from left to right. Ids below 256 are bytes. Every other id is made from one pair of
      smaller ids, and comes out if its own bytes are merged. A token may have millions of bytes.
    * **Out:** `True` or `False`.

    With `ranks = {(97, 97): 256, (97, 98): 257}`, the tokens 256 and 257 are `aa` and `ab`. `stays_apart(256, 98,
    ranks)` is `True`, since `aab` becomes `aa` and `b`. `stays_apart(97, 257, ranks)` is `False`: `a` and `ab` have the
    same letters, so they would become `aa` and `b`, too.
    """
    made_of = {new_id: pair for pair, new_id in ranks.items()}
    limit = float("inf")
    while ranks.get((left, right), limit) >= limit:
        if left in made_of and left > right:
            limit, left = left, made_of[left][1]
        elif right in made_of:
            limit, right = right + 1, made_of[right][0]
        else:
            return True
    return False


BYTES = "two bytes"
DIRECT = "two tokens that merge"
DUE = "a merge across the border was due"
LATE = "nothing was due in time"
LONG = "very long tokens"
DOUBLED = {(97, 97): 256} | {(token, token): token + 1 for token in range(256, 278)}  # the last has 2**23 letters


def cases(random):
    yield BYTES, 97, 98, {}
    yield DUE, 257, 258, {(98, 99): 256, (97, 98): 257, (99, 100): 258}
    # Each known mistake is wrong somewhere in these, under every seed.
    yield from pairs(random, [b"aaaaaaab", b"aab", b"abab"], 4)
    for size in range(3, 15):
        words = ["".join(random.choices("aaabbc", k=random.randint(3, 9))).encode() for _ in range(8)]
        yield from pairs(random, words, size)
    for token in random.sample(range(260, 278), 2):
        yield LONG, 278, token, DOUBLED
        yield LONG, token, 278, DOUBLED


def pairs(random, words, size):
    ranks = {step.pair: step.new_id for step in train_steps(words, 256 + size)}
    known = [97, 98, 99, *ranks.values()]
    answers = [stays_apart, *(mistake.like for mistake in EXERCISE.mistakes if mistake.like)]
    chosen = {}
    for pair in random.sample([*product(known, repeat=2)], len(known) ** 2):
        chosen.setdefault(tuple(answer(*pair, ranks) for answer in answers), pair)
    for pair in chosen.values():
        apart = LATE if stays_apart(*pair, ranks) else DUE
        yield DIRECT if pair in ranks else BYTES if max(pair) < 256 else apart, *pair, ranks


def two_come_out(left, right, ranks):
    return len(encode_word(bytes_of_both(left, right, ranks), ranks)) == 2


def from_the_left(left, right, ranks):
    found = []
    for byte in bytes_of_both(left, right, ranks):
        found.append(byte)
        while made := ranks.get(tuple(found[-2:])):
            found[-2:] = [made]
    return found == [left, right]


def bytes_of_both(left, right, ranks):
    """Return the bytes of two tokens, none if they are very long."""
    halves = {made: pair for pair, made in ranks.items()}
    found = [] if ranks == DOUBLED else [left, right]
    while any(token in halves for token in found):
        found = [half for token in found for half in halves.get(token, [token])]
    return found


EXERCISE = Exercise(
    "09.stays_apart",
    "Can these two be neighbors?",
    "match",
    answer=stays_apart,
    picture="""
from minbpe_course.learning.charts.encoding import draw_border

tokens = {97: b"a", 98: b"b", 257: b"ab"}
steps = [((97,), (257,), None, float("inf")), ((97,), (97, 98), 256, 258)]
draw_border(steps, tokens, "Can a and ab be neighbors? No: undo ab, and a + a merges first")
""",
    difficulty=4,
    minutes=20,
    points=4,
    hints=(
        "Undo the later of the two last merges, and look at the border again. Which merges across it count now?",
        "Lesson 09 walks through this with ` rain` and `ed`, and never looks further than the border.",
        "before = infinity; while the two at the border have no merge below `before`: undo the larger id that is a "
        "merge (if they are equal, the right one); the left token becomes its right half, the right token its left "
        "half; `before` becomes the undone id (plus one on the right). Nothing left to undo: True",
    ),
    shown=(
        (BYTES, 97, 98, {}),
        (DIRECT, 97, 98, {(97, 98): 256}),
        (LATE, 256, 98, {(97, 97): 256, (97, 98): 257}),
        (DUE, 97, 257, {(97, 97): 256, (97, 98): 257}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "encodes-again",
            "A token may have millions of bytes, so there is no time to encode them. Which tokens meet at the border?",
            when=lambda case, outcome, wanted: case.category == LONG and outcome.state == "too slow",
        ),
        Mistake(
            "equal-merges",
            "The same merge is possible across the border and inside the right token. Which of the two is further "
            "left?",
            like=("right + 1", "right"),
        ),
        Mistake(
            "left-first",
            "Time runs backwards for both tokens at once: the *later* of their merges is undone first.",
            like=(" and left > right", ""),
        ),
        Mistake(
            "no-time",
            "There is a merge across the border, but it was learned too late: by then both tokens were complete.",
            like=("ranks.get((left, right), limit) >= limit", "(left, right) not in ranks"),
        ),
        Mistake("any-two", "Two tokens come out here, but are they these two?", like=two_come_out),
        Mistake(
            "from-the-left",
            "You merge from the left whatever can be merged. Byte pair encoding goes by something else.",
            like=from_the_left,
        ),
        Mistake(
            "only-the-two",
            "These two have no merge of their own, but parts of them at the border had one, earlier.",
            like=lambda left, right, ranks: (left, right) not in ranks,
        ),
    ),
)
