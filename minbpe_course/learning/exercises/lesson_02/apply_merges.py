"""Exercise 02.apply_merges: repair an encoder that applies the merges in the wrong order.

All drawn merges come from training, so a loop over the merges by rank is as right as taking the lowest rank each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

from minbpe_course.learning.exercises.lesson_02.samples import SCRIPTS, drawn_words
from minbpe_course.learning.exercises.lesson_02.train_merges import train
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.pairs import Pair, merge


def apply_merges(ids, merges):
    """Return ids after all merges that are possible.

    This encoder has been in use for a while. Every text survived the round trip, so no one complained until a user
    compared its ids with those of another program. Find out what is wrong with the encoder, and repair it.

    * **In:** `ids`, the ids of the bytes of a text (a list or a `bytes` object); `merges`, a dict from pair to new id.
      The lower the new id, the earlier the merge was learned. The dict may be in any order, and the id of a byte may
      differ from its value, as in GPT-4's vocabulary.
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


Merges = Mapping[Pair, int]


def _leftmost_first(ids: Sequence[int], merges: Merges) -> list[int]:
    now = list(ids)
    while found := [(at, merges[pair]) for at, pair in enumerate(pairwise(now)) if pair in merges]:
        at, new_id = found[0]
        now[at : at + 2] = [new_id]
    return now


def _in_the_order_of_the_dict(ids: Sequence[int], merges: Merges) -> list[int]:
    now = list(ids)
    for pair, new_id in merges.items():
        now = merge(now, pair, new_id)
    return now


def _longest_token_first(ids: Sequence[int], merges: Merges) -> list[int]:
    token: dict[int, tuple[int, ...]] = {}
    for (left, right), new_id in sorted(merges.items(), key=lambda item: item[1]):
        token[new_id] = token.get(left, (left,)) + token.get(right, (right,))
    at, out = 0, []
    while at < len(ids):
        fits = [(len(parts), new_id) for new_id, parts in token.items() if tuple(ids[at : at + len(parts)]) == parts]
        size, new_id = max(fits, default=(1, ids[at]))
        out.append(new_id)
        at += size
    return out


def _one_merge(ids: Sequence[int], merges: Merges) -> list[int]:
    possible = [pair for pair in pairwise(ids) if pair in merges]
    if not possible:
        return list(ids)
    pair = min(possible, key=lambda pair: merges[pair])
    return merge(ids, pair, merges[pair])


def _trained(random: Random, letters: str, number: int) -> tuple[list[Pair], list[bytes]]:
    words = drawn_words(random, 6, 9, letters, 9)
    return train(words, number), list(words)


def _apply_cases(random: Random) -> Iterator[Case]:
    yield Case("nothing to merge", ([], {(97, 98): 256}))
    yield Case("nothing to merge", (list(b"abc"), {}))
    yield Case("a single id", ([97], {(97, 97): 256}))
    # Here the lowest rank, the highest rank and the longest token all give different ids.
    one, other = random.sample(range(256), 2)
    ids = [one] * 5 + [other] * 2
    yield Case("a later merge that stands first", (ids, {(one, one): 256, (one, other): 257, (256, one): 258}))
    for size in range(2, 12):
        learned, words = _trained(random, random.choice(SCRIPTS[:3]), 2 * size)
        merges = {pair: new_id for new_id, pair in enumerate(learned, 256)}
        text = [byte for word in random.choices(words, k=4) for byte in word][: 3 * size]
        random.shuffle(text)
        yield Case("a later merge that stands first", (text, merges))
        given = list(merges.items())
        random.shuffle(given)
        yield Case("merges noted in another order", (text, dict(given)))
        run = list(b"a" * (size + 2))
        yield Case("overlapping pairs", (run, {(97, 97): 256, (256, 256): 257, (97, 98): 258, (256, 97): 259}))
        yield Case("a word of the training text", (list(random.choice(words)), merges))
        learned, words = _trained(random, random.choice(SCRIPTS[3:]), size)
        order = random.sample(range(256), 256)
        renamed = {(_named(left, order), _named(right, order)): at for at, (left, right) in enumerate(learned, 256)}
        text = [order[byte] for word in words for byte in word][: 3 * size]
        yield Case("bytes with other numbers", (text, renamed))


def _named(token: int, order: Sequence[int]) -> int:
    return order[token] if token < 256 else token


EXERCISE = Exercise(
    key="02.apply_merges",
    answer=apply_merges,
    title="The encoder that survives the round trip",
    kind="repair",
    difficulty=3,
    minutes=10,
    points=2,
    hints=(
        "Run it on the example by hand. Two merges are possible. Which of them does it make, and why that one?",
        "of all the places where a merge is possible, take one whose new id is the lowest; if there are "
        "several, the leftmost",
        "Lesson 02, where you write the encoder: encoding replays the training, in the same order.",
    ),
    wanted=encode_word,
    shown=(
        Case("a later merge that stands first", ([97, 98, 99], {(98, 99): 256, (97, 98): 257})),
        Case("overlapping pairs", ([97, 97, 97], {(97, 97): 256})),
        Case("a word of the training text", ([97, 98, 99], {(97, 98): 256, (256, 99): 257})),
        Case("merges noted in another order", ([97, 98, 99], {(98, 99): 257, (97, 98): 256})),
    ),
    drawn=_apply_cases,
    mistakes=(
        Mistake(
            "in-the-order-of-the-dict",
            "The order of the dict means nothing: the new id is the rank.",
            like=_in_the_order_of_the_dict,
        ),
        Mistake(
            "last-learned-first",
            "You begin with the merge that was learned last. Begin with the one that was learned first.",
            like=edited(_leftmost_first, ("found[0]", "max(found, key=lambda place: place[1])")),
        ),
        Mistake(
            "longest-token-first",
            "Taking the longest token that fits gives ids that decode well, but they are not those of the training.",
            like=_longest_token_first,
        ),
        Mistake(
            "from-the-right",
            "The merge is right, the place is wrong: in 97 97 97 the first two become one.",
            like=edited(_leftmost_first, ("found[0]", "min(found, key=lambda place: (place[1], -place[0]))")),
        ),
        Mistake("one-merge-only", "A merge may make another one possible: look again after each.", like=_one_merge),
    ),
)
