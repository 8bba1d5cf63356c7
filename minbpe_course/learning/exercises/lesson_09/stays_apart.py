"""Exercise 09.stays_apart: whether two tokens side by side are the encoding of their joined bytes.

An answer that forgets one step is right for most pairs. So each drawn vocabulary contributes one pair for every way in
which the known mistakes agree or differ: some drawn case exposes each mistake under every seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from random import Random

from minbpe_course.learning.judge.callers import examples_of
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.training import train_steps


def stays_apart(left, right, ranks):
    """Return whether the two tokens are the encoding of their joined bytes.

    This is the heart of the backtracking encoder. You are given two tokens and all merges. If byte pair encoding starts
    from the bytes of both, does it end with exactly these two tokens?

    * **In:** two ids, `left` and `right`, and `ranks`, a dict from a pair of ids to the id that it becomes. Smaller ids
      merge first, equal ones from left to right. Ids below 256 are bytes. Merging the bytes of any single token gives
      that token.
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


Ranks = Mapping[tuple[int, int], int]


def reference_stays_apart(left: int, right: int, ranks: Ranks) -> bool:
    """Return whether ``left`` and ``right`` are the encoding of their joined bytes.

    >>> stays_apart(97, 257, {(97, 97): 256, (97, 98): 257}), stays_apart(256, 98, {(97, 97): 256, (97, 98): 257})
    (False, True)
    """
    halves = {token: pair for pair, token in ranks.items()}
    before = math.inf
    while ranks.get((left, right), math.inf) >= before:
        if left in halves and (right not in halves or left > right):
            before, left = left, halves[left][1]
        elif right in halves:
            before, right = right + 1, halves[right][0]
        else:
            return True
    return False


BYTES, DIRECT, DUE, LATE = (
    "two bytes",
    "two tokens that merge",
    "a merge across the border was due",
    "nothing was due in time",
)


def pair_cases(random: Random) -> Iterator[Case]:
    """Yield pairs of small trained vocabularies, the smallest vocabularies first."""
    yield Case(BYTES, (97, 98, {}))
    yield Case(DUE, (257, 258, {(98, 99): 256, (97, 98): 257, (99, 100): 258}))
    # Each known mistake is wrong somewhere in these, under every seed.
    yield from _pairs(random, [b"aaaaaaab", b"aab", b"abab"], 4)
    for size in range(3, 15):
        words = ["".join(random.choices("aaabbc", k=random.randint(3, 9))).encode() for _ in range(8)]
        yield from _pairs(random, words, size)


def _pairs(random: Random, words: list[bytes], size: int) -> list[Case]:
    ranks = {step.pair: step.new_id for step in train_steps(words, 256 + size)}
    known = [97, 98, 99, *ranks.values()]
    pairs = [(left, right) for left in known for right in known]
    random.shuffle(pairs)
    answers = [reference_stays_apart, *examples_of(EXERCISE)]
    if size > 4:  # these two encode, which takes long
        answers = [one for one in answers if one not in (_two_come_out, _from_the_left)]
    chosen: dict[tuple[bool, ...], tuple[int, int]] = {}
    for pair in pairs:
        chosen.setdefault(tuple(answer(*pair, ranks) for answer in answers), pair)
    return [Case(_category(*pair, ranks), (*pair, ranks)) for pair in chosen.values()]


def _category(left: int, right: int, ranks: Ranks) -> str:
    if (left, right) in ranks:
        return DIRECT
    if max(left, right) < 256:
        return BYTES
    return LATE if reference_stays_apart(left, right, ranks) else DUE


def _two_come_out(left: int, right: int, ranks: Ranks) -> bool:
    return len(encode_word([*_bytes_of(left, ranks), *_bytes_of(right, ranks)], ranks)) == 2


def _from_the_left(left: int, right: int, ranks: Ranks) -> bool:
    return merged_from_the_left([*_bytes_of(left, ranks), *_bytes_of(right, ranks)], ranks) == [left, right]


def merged_from_the_left(ids: Iterable[int], ranks: Ranks) -> list[int]:
    """Merge wrongly: whatever pair is leftmost, whatever its rank.

    >>> merged_from_the_left(b"abc", {(98, 99): 256, (97, 98): 257})
    [257, 99]
    """
    found, at = list(ids), 0
    while at < len(found) - 1:
        merged = ranks.get((found[at], found[at + 1]))
        if merged is None:
            at += 1
        else:
            found[at : at + 2], at = [merged], 0
    return found


def _bytes_of(token: int, ranks: Ranks) -> list[int]:
    pair = next((pair for pair, made in ranks.items() if made == token), ())
    return [byte for half in pair for byte in _bytes_of(half, ranks)] if pair else [token]


EXERCISE = Exercise(
    key="09.stays_apart",
    answer=stays_apart,
    picture="""
from minbpe_course.learning.charts.encoding import draw_border

tokens = {97: b"a", 98: b"b", 257: b"ab"}
steps = [((97,), (257,), None, float("inf")), ((97,), (97, 98), 256, 258)]
draw_border(steps, tokens, "Can a and ab be neighbors? No: undo ab, and a + a merges first")
""",
    title="Can these two be neighbors?",
    kind="match",
    difficulty=4,
    minutes=25,
    points=4,
    hints=(
        "Undo the later of the two last merges, and look at the border again. Which merges across it count now?",
        "before = infinity; while the two at the border have no merge below `before`: undo the larger id that is a "
        "merge (if they are equal, the right one); the left token becomes its right half, the right token its left "
        "half; `before` becomes the undone id (plus one on the right). Nothing left to undo: True",
        "Lesson 09 walks through this with ` rain` and `ed`. Or encode the bytes of both, as lesson 02 "
        "does, and compare.",
    ),
    wanted=reference_stays_apart,
    shown=(
        Case(BYTES, (97, 98, {})),
        Case(DIRECT, (97, 98, {(97, 98): 256})),
        Case(LATE, (256, 98, {(97, 97): 256, (97, 98): 257})),
        Case(DUE, (97, 257, {(97, 97): 256, (97, 98): 257})),
    ),
    drawn=pair_cases,
    mistakes=(
        Mistake(
            "equal-merges",
            "The same merge is possible across the border and inside the right token. Which of the two is further "
            "left?",
            like=edited(reference_stays_apart, ("right + 1", "right")),
        ),
        Mistake(
            "left-first",
            "Time runs backwards for both tokens at once: the *later* of their merges is undone first.",
            like=edited(reference_stays_apart, (" and (right not in halves or left > right)", "")),
        ),
        Mistake(
            "no-time",
            "There is a merge across the border, but it was learned too late: by then both tokens were complete.",
            like=edited(
                reference_stays_apart, ("ranks.get((left, right), math.inf) >= before", "(left, right) not in ranks")
            ),
        ),
        Mistake("any-two", "Two tokens come out here, but are they these two?", like=_two_come_out),
        Mistake(
            "from-the-left",
            "You merge from the left whatever can be merged. Byte pair encoding goes by something else.",
            like=_from_the_left,
        ),
        Mistake(
            "only-the-two",
            "These two have no merge of their own, but parts of them at the border had one, earlier.",
            like=lambda left, right, ranks: (left, right) not in ranks,
        ),
    ),
)
