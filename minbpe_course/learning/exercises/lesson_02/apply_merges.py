"""Exercise 02.apply_merges: replay the merges of the training.

All drawn merges come from training, so a loop over the merges by rank is as right as taking the lowest rank each time.
"""

from functools import reduce

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_02.merge import merge
from minbpe_course.learning.exercises.lesson_02.samples import SCRIPTS, draw_text
from minbpe_course.learning.exercises.lesson_02.train_merges import learn_merges
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.fewest_tokens import longest_match


def apply_merges(ids, merges):
    """Return the ids after all possible merges, always the one with the lowest new id first.

    Encode by replaying the training: of all merges that are possible, apply the one that was learned first. Repeat
    until no merge is possible.

    * **In:** `ids`, the ids of the bytes of a text (a list or a `bytes` object); `merges`, a dict from pair to new id.
      The lower the new id, the earlier the merge was learned. The dict may be in any order, and `ids`
      may be any numbers: only compare them. Leave both as they are.
    * **Out:** a new list of ids.

    For example, with `merges = {(98, 99): 256, (97, 98): 257}`, `apply_merges([97, 98, 99], merges)` is `[97, 256]`.

    Tried: merges that overlap or get in each other's way, dicts in another order, bytes with other ids, no ids.
    """
    ids = list(ids)
    while possible := [pair for pair in zip(ids, ids[1:]) if pair in merges]:
        pair = min(possible, key=merges.get)
        ids = merge(ids, pair, merges[pair])
    return ids


def leftmost_first(ids, merges):
    ids = list(ids)
    while possible := [at for at, pair in enumerate(zip(ids, ids[1:])) if pair in merges]:
        at = possible[0]
        ids[at : at + 2] = [merges[ids[at], ids[at + 1]]]
    return ids


def last_first(ids, merges):
    ids = list(ids)
    while possible := [(merges[pair], -at) for at, pair in enumerate(zip(ids, ids[1:])) if pair in merges]:
        new_id, at = max(possible)
        ids[-at : 2 - at] = [new_id]
    return ids


def longest_token_first(ids, merges):
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in sorted(merges, key=merges.get):
        tokens.append(tokens[left] + tokens[right])
    return longest_match(bytes(ids), {token: token_id for token_id, token in enumerate(tokens)})


def cases(random):
    yield "nothing to merge", [], {(97, 98): 256}
    yield "nothing to merge", list(b"abc"), {}
    yield "a single id", [97], {(97, 97): 256}
    # Here the lowest rank, the highest rank and the longest token all give different ids.
    one, other = random.sample(range(256), 2)
    ids = [one] * 5 + [other] * 2
    yield "a later merge that stands first", ids, {(one, one): 256, (one, other): 257, (256, one): 258}
    for size in range(2, 12):
        text = list(draw_text(random, random.choice(SCRIPTS[:3]), 8 * size))
        merges = learn_merges(text, 2 * size)
        shuffled = random.sample(text, 3 * size)
        yield "a later merge that stands first", shuffled, merges
        given = random.sample(list(merges.items()), len(merges))
        yield "merges noted in another order", shuffled, dict(given)
        yield "overlapping pairs", [97] * (size + 2), {(97, 97): 256, (256, 256): 257, (97, 98): 258, (256, 97): 259}
        yield "a part of the training text", text[size : 2 * size], merges
        text = draw_text(random, random.choice(SCRIPTS[3:]), 4 * size)
        order = [*random.sample(range(256), 256), *range(256, 300)]
        renamed = {(order[a], order[b]): new_id for (a, b), new_id in learn_merges(text, size).items()}
        yield "bytes with other numbers", [order[byte] for byte in text[: 3 * size]], renamed


EXERCISE = Exercise(
    "02.apply_merges",
    "Replay the merges",
    "write",
    answer=apply_merges,
    difficulty=3,
    minutes=6,
    points=2,
    hints=(
        "Do the example by hand. Two merges are possible. Which of them was learned first?",
        "Lesson 02, section 3: encoding replays the training. Your `count_pairs` and `merge` can do most of it.",
        "repeat: of the pairs in the ids, keep those that are in merges; none left? return the ids; take the one with "
        "the lowest new id, and merge it",
    ),
    wanted=encode_word,
    keeps_input=True,
    shown=(
        ("a later merge that stands first", [97, 98, 99], {(98, 99): 256, (97, 98): 257}),
        ("overlapping pairs", [97, 97, 97], {(97, 97): 256}),
        ("a part of the training text", [97, 98, 99], {(97, 98): 256, (256, 99): 257}),
        ("merges noted in another order", [97, 98, 99], {(98, 99): 257, (97, 98): 256}),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "in-the-order-of-the-dict",
            "The order of the dict means nothing: the new id is the rank.",
            like=lambda ids, merges: reduce(lambda now, item: merge(now, *item), merges.items(), list(ids)),
        ),
        Mistake(
            "last-learned-first",
            "You begin with the merge that was learned last. Begin with the one that was learned first.",
            like=last_first,
        ),
        Mistake(
            "last-learned-pair-first",
            "You begin with the merge that was learned last. Begin with the one that was learned first.",
            like=("min(possible, key", "max(possible, key"),
        ),
        Mistake(
            "nothing-left-to-merge",
            "`min` of nothing is an error. If no pair is in `merges`, or a single id is left, return the ids.",
            when=lambda case, outcome, wanted: outcome.error in ("ValueError", "KeyError"),
        ),
        Mistake(
            "longest-token-first",
            "Taking the longest token that fits gives ids that decode well, but they are not those of the training.",
            like=longest_token_first,
        ),
        Mistake(
            "leftmost-first",
            "You apply the first merge that you meet on the way from left to right. Look at all that are possible, and "
            "take the one with the lowest new id.",
            like=leftmost_first,
        ),
        Mistake(
            "leftmost-pair-first",
            "You apply the first merge that you meet on the way from left to right. Look at all that are possible, and "
            "take the one with the lowest new id.",
            like=("min(possible, key=merges.get)", "possible[0]"),
        ),
        Mistake(
            "from-the-right",
            "The merge is right, the place is wrong: in 97 97 97 the first two become one.",
            like=("merge(ids, pair, merges[pair])", "merge(ids[::-1], pair[::-1], merges[pair])[::-1]"),
        ),
        Mistake(
            "one-merge-only",
            "A merge may make another one possible: look again after each.",
            like=("ids = merge(", "return merge("),
        ),
    ),
)
