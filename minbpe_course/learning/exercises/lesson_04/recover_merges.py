"""Exercise 04.recover_merges: recover the merges from the ranks."""

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_04.tests_of_recover import WRONG_BY_NAME
from minbpe_course.learning.exercises.lesson_04.vocabularies import (
    all_bytes,
    any_order,
    in_another_order,
    runs,
    toy,
)
from minbpe_course.learning.judge.equality import same
from minbpe_course.reference.recovery import split_token


def merges_from_ranks(ranks):
    """Return the merges, a dict from pair of ids to id, in the order of their ranks.

    This is the heart of the lesson: from the ranks alone, find out which two tokens each token was merged from.

    * **In:** `ranks`, a dict from the bytes of each token to its id, made by training. It may list its tokens in any
      order.
    * **Out:** the merges: a dict from pair of ids to the id of the merged token, in the order of these ids.

    ```
    merges_from_ranks({b"b": 0, b"a": 1, b"ab": 2})   ->  {(1, 0): 2}
    merges_from_ranks({b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4, b"ab": 5})
                                                      ->  {(0, 1): 3, (2, 3): 4, (2, 0): 5}
    ```

    In the second example, you could cut `abc` into `ab` + `c`, because both are tokens. But `ab` came later. Even if
    both sides of a cut are older than the token, training may never have made that cut.

    Your merges are compared with those that training really made, on vocabularies you have not seen: two different
    bytes, runs of one byte, several bytes, tokens that can be cut into old tokens in several ways, all 256 bytes in any
    order, a dictionary in another order, no merges. The picture is the tree of `abc`.
    """
    recovered = {}
    for token in sorted(ranks, key=ranks.get):
        pieces = [bytes([byte]) for byte in token]
        while len(pieces) > 2:
            ages = [ranks.get(left + right, ranks[token]) for left, right in zip(pieces, pieces[1:])]
            if min(ages) == ranks[token]:
                raise ValueError(f"{token!r} does not come from training: {pieces} are left")
            spot = ages.index(min(ages))
            pieces[spot : spot + 2] = [pieces[spot] + pieces[spot + 1]]
        if len(pieces) == 2:
            recovered[ranks[pieces[0]], ranks[pieces[1]]] = ranks[token]
    return recovered


def misleading(random, number):
    """Publish a vocabulary in which some token is not cut into its oldest parts."""
    for _ in range(200):  # at least one in ten is such a vocabulary
        published = toy(random, 2, number)
        if WRONG_BY_NAME["oldest-parts"](published.ranks) != published.merges:
            break
    return published


def trained(ranks):
    merged = (token for token in sorted(ranks, key=ranks.get) if len(token) > 1)
    return {tuple(map(ranks.get, split_token(token, ranks))): ranks[token] for token in merged}


def complaint(case, answer):
    right = trained(*case.args)
    if not same(answer, right):
        return ""
    return None if list(answer) == list(right) else "the same merges, in the order of their ids"


def cases(random):
    yield "no merges", toy(random, 3, 0).ranks
    for number in range(1, 9):
        yield "two different bytes", toy(random, 2, number).ranks
        yield "runs of one byte", runs(random, number + 2).ranks
        yield "a few different bytes", toy(random, random.randint(3, 6), 2 * number).ranks
        yield "a dictionary in another order", in_another_order(random, toy(random, 3, 2 * number).ranks)
    for number in (8, 12, 16, 20):
        yield "several cuts into old tokens", misleading(random, number).ranks
    for number in (10, 25, 40):
        yield "all 256 bytes, any order", all_bytes(random, any_order(random), number).ranks


EXERCISE = Exercise(
    "04.recover_merges",
    "Recover the merges",
    "match",
    answer=merges_from_ranks,
    entry="merges_from_ranks",
    also=("04.merges_from_ranks",),
    picture="""
from minbpe_course.reference.recovery import merge_tree
from minbpe_course.learning.charts.merges import draw_merge_forest

tiny = {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4, b"ab": 5}
draw_merge_forest([merge_tree(b"abc", tiny)], "How abc came to be")
""",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "Do not cut the token. Build it up from its bytes, with nothing that was learned later than itself.",
        "Lesson 04, section 3: the order of the ids is the answer.",
        "for each token by rank: start from its bytes; as long as more than two parts are left, join the pair whose "
        "joined bytes have the lowest rank, the leftmost of equals; then the ids of the two parts, and the token's own",
    ),
    wanted=trained,
    accept=complaint,
    shown=(
        ("one merge", {b"b": 0, b"a": 1, b"ab": 2}),
        ("two cuts are possible", {b"b": 0, b"c": 1, b"a": 2, b"bc": 3, b"abc": 4, b"ab": 5}),
        ("two cuts are possible", {b"c": 0, b"b": 1, b"cb": 2, b"cbc": 3, b"cbcbc": 4}),
        ("a run of one byte", {b"a": 0, b"aa": 1, b"aaa": 2, b"aaaa": 3}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "first-cut",
            "You take the first cut into two older tokens. Several may be possible, and training made only one.",
            like=WRONG_BY_NAME["first-cut"],
        ),
        Mistake(
            "last-cut",
            "You take the longest token on the left. Several cuts may be possible, and training made only one.",
            like=WRONG_BY_NAME["last-cut"],
        ),
        Mistake(
            "leftmost-first",
            "You replay from left to right. Training merged by rank, wherever in the token the pair was.",
            like=(
                ("ages.index(min(ages))", "next(at for at, age in enumerate(ages) if age < ranks[token])"),
                ('raise ValueError(f"{token!r} does not come from training: {pieces} are left")', "break"),
                ("len(pieces) == 2:", "len(pieces) > 1:"),
            ),
        ),
        Mistake(
            "last-of-equals",
            "In a run like aaa two pairs are equally old. Merging goes from left to right.",
            like=WRONG_BY_NAME["last-of-equals"],
        ),
        Mistake(
            "oldest-parts",
            "Of the possible cuts you take the one with the oldest parts. Training did not choose by that.",
            like=WRONG_BY_NAME["oldest-parts"],
        ),
        Mistake(
            "youngest-pair",
            "You join the pair with the highest rank first. Training began with the lowest.",
            like=WRONG_BY_NAME["youngest-pair"],
        ),
        Mistake(
            "bytes-are-ids",
            "A byte is not its own id here. ranks has the id of every part, also of a single byte.",
            like=WRONG_BY_NAME["bytes-are-ids"],
        ),
        Mistake(
            "merges-from-256",
            "A vocabulary may have fewer than 256 bytes. How else does a token show that it was merged?",
            like=("if len(pieces) == 2:", "if ranks[token] >= 256:"),
        ),
        Mistake(
            "dictionary-order",
            "The merges belong in the order of their ranks, not in the order of the dictionary.",
            when=lambda case, outcome, wanted: same(outcome.value, wanted),
        ),
        Mistake(
            "bytes-for-ids",
            "These are the two parts as bytes. Return their ids.",
            like=("[ranks[pieces[0]], ranks[pieces[1]]]", "[tuple(pieces)]"),
        ),
        Mistake(
            "not-two-parts",
            "A merge has two parts. A single byte has none, and a token must not be joined completely: only merges "
            "older than itself count.",
            when=lambda case, outcome, wanted: outcome.error == "ValueError" and "unpack" in outcome.message,
        ),
    ),
)
