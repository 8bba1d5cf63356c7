"""Exercise 02.apply_merges: repair an encoder that applies the merges in the wrong order.

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
    """Return ids after all merges that are possible.

    This encoder has been in use for a while. Every text survived the round trip, so no one complained until a user
    compared its ids with those of another program. Find out what is wrong with the encoder, and repair it.

    * **In:** `ids`, the ids of the bytes of a text (a list or a `bytes` object); `merges`, a dict from pair to new id.
      The lower the new id, the earlier the merge was learned. The dict may be in any order, and `ids`
      may be any numbers: only compare them.
    * **Out:** a list of ids.

    For example, with `merges = {(98, 99): 256, (97, 98): 257}`, `apply_merges([97, 98, 99], merges)` has to be `[97,
    256]`.

    Tried: merges that overlap or get in each other's way, dicts in another order, bytes with other ids, no ids. The
    picture below your answer shows one word, encoded by the package's tokenizer and by your `apply_merges`.
    """
    ids = list(ids)
    while True:
        possible = [(at, merges[pair]) for at, pair in enumerate(zip(ids, ids[1:])) if pair in merges]
        if not possible:
            return ids
        ### BEGIN SOLUTION
        at, new_id = min(possible, key=lambda found: found[1])
        ### INSTEAD
        # at, new_id = min(possible)
        ### END SOLUTION
        ids[at : at + 2] = [new_id]


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
    "The encoder that survives the round trip",
    "repair",
    answer=apply_merges,
    difficulty=3,
    minutes=10,
    points=2,
    hints=(
        "Run it on the example by hand. Two merges are possible. Which of them does it make, and why that one?",
        "Lesson 02, where you write the encoder: encoding replays the training, in the same order.",
        "of all the places where a merge is possible, take one whose new id is the lowest; if there are several, the "
        "leftmost",
    ),
    wanted=encode_word,
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
            like=("min(possible, key", "max(possible, key"),
        ),
        Mistake(
            "longest-token-first",
            "Taking the longest token that fits gives ids that decode well, but they are not those of the training.",
            like=longest_token_first,
        ),
        Mistake(
            "from-the-right",
            "The merge is right, the place is wrong: in 97 97 97 the first two become one.",
            like=("found[1]", "(found[1], -found[0])"),
        ),
        Mistake(
            "one-merge-only",
            "A merge may make another one possible: look again after each.",
            like=("ids[at : at + 2] = [new_id]", "return merge(ids, ids[at : at + 2], new_id)"),
        ),
    ),
)
