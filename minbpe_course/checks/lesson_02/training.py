"""Lesson 02, training and encoding: merges from word counts, and merges replayed on ids.

Both are compared with ``reference.training`` and ``reference.encoding``. Every list of merges that is drawn here came
from training, so whoever loops over the merges by rank is as right as whoever asks for the lowest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

from minbpe_course.checks.exercise import Case, Exercise, Mistake, Outcome
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.pairs import Pair, get_stats, merge
from minbpe_course.reference.training import train_steps

# From the fourth on not only ASCII: letters that share their first byte, an emoji of seven code points, broken UTF-8.
SCRIPTS = ("ab", "abc", "lower ", "aαβ", "éèê", "日本語", "👩‍👩‍👧‍👦", "\udcff\udcfea")


def drawn_words(random: Random, number: int, longest: int, letters: str, most: int) -> dict[bytes, int]:
    """Return up to ``number`` words over these letters with a count for each.

    >>> drawn_words(Random(0), 2, 3, "ab", 9)
    {b'ba': 5, b'bbb': 8}
    """
    words: dict[bytes, int] = {}
    for _ in range(number):
        word = "".join(random.choice(letters) for _ in range(random.randint(1, longest)))
        words[word.encode("utf-8", "surrogateescape")] = random.randint(1, most)
    return words


# ----------------------------------------------------------------------------------------------------
# 02.train_merges


def _train(words: Mapping[bytes, int], number: int) -> list[Pair]:
    return [step.pair for step in train_steps(words, 256 + number)]


Choice = Callable[[dict[Pair, int]], "Pair | None"]


def _first_of_the_best(counts: dict[Pair, int]) -> Pair | None:
    return max(counts, key=lambda pair: counts[pair], default=None)


def _training(
    choose: Choice = _first_of_the_best, weighted: bool = True, joined: bool = False
) -> Callable[[Mapping[bytes, int], int], list[Pair]]:
    """Return a trainer in which one thing may be otherwise."""

    def train_merges(words: Mapping[bytes, int], number: int) -> list[Pair]:
        now = [(list(word), count if weighted else 1) for word, count in words.items()]
        if joined:
            now = [([byte for word, count in words.items() for byte in word * count], 1)]
        merges: list[Pair] = []
        for new_id in range(256, 256 + number):
            counts: dict[Pair, int] = {}
            for ids, count in now:
                get_stats(ids, counts, count)
            pair = choose(counts)
            if pair is None:
                break
            merges.append(pair)
            now = [(merge(ids, pair, new_id), count) for ids, count in now]
        return merges

    return train_merges


def _at_least_twice(counts: dict[Pair, int]) -> Pair | None:
    pair = _first_of_the_best(counts)
    return None if pair is None or counts[pair] < 2 else pair


def _dies(case: Case, outcome: Outcome, wanted: list[Pair]) -> bool:
    return outcome.state == "raised" and outcome.error != "NameError" and len(wanted) < case.args[1]


def _train_cases(random: Random) -> Iterator[Case]:
    yield Case("no words at all", ({}, 3))
    yield Case("no merges asked for", ({b"abc": 2}, 0))
    yield Case("words too short for a pair", ({b"a": 3, b"b": 1}, 2))
    yield Case("an empty word", ({b"": 7, b"ab": 1}, 1))
    yield Case("counts that decide", ({b"ab": 1, b"ac": 1, b"bc": 9}, 1))
    for size in range(2, 8):
        for letters in SCRIPTS[:3]:
            category = "ties" if letters == "abc" else "counts that decide"
            yield Case(category, (drawn_words(random, size, size, letters, 3 if category == "ties" else 99), size))
        yield Case("overlapping pairs", ({b"a" * (size + 1): random.randint(1, 9), b"ba": 5, b"aaab": 2}, 5))
        yield Case("more merges than there are pairs", (drawn_words(random, 3, 4, "ab", 5), 40))
    for letters in SCRIPTS[3:]:
        for size in (3, 5):
            yield Case("words in other scripts", (drawn_words(random, size, 4, letters, 4), 8))


TRAIN_MERGES = Exercise(
    key="02.train_merges",
    title="Train on words",
    kind="match",
    entry="train_merges",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Keep each word once, as a list of ids with its count, and change these lists after every merge.",
        "repeat number times: count by word; none left? stop; take the first pair with the highest count; "
        "note it; merge it in every word",
        'Lesson 02, "Training" has the loop, "When the pairs run out" its end, "Ties are a decision" the rule.',
    ),
    wanted=_train,
    shown=(
        Case("counts that decide", ({b"low": 5, b"lower": 2, b"newest": 6}, 2)),
        Case("ties", ({b"aaabdaaabac": 1}, 3)),
        Case("more merges than there are pairs", ({b"abc": 1}, 5)),
    ),
    drawn=_train_cases,
    mistakes=(
        Mistake(
            "dies-when-pairs-run-out",
            "When every word has become a single id there is nothing left to choose from: stop quietly, "
            "with the merges made so far.",
            when=_dies,
        ),
        Mistake(
            "ignores-counts",
            "A word that occurs six times counts six times. Yours looks at each word once.",
            like=_training(weighted=False),
        ),
        Mistake(
            "crosses-words",
            "The end of one word and the beginning of the next are no pair.",
            like=_training(joined=True),
        ),
        Mistake(
            "takes-the-last-of-the-tied",
            "Of several pairs with the same count, the one that was seen first wins, not the one seen last.",
            like=_training(lambda counts: max(reversed(counts), key=lambda pair: counts[pair], default=None)),
        ),
        Mistake(
            "takes-the-greatest-of-the-tied",
            "In a tie you let the ids of the pair decide. Here the pair wins that stands first in the words.",
            like=_training(lambda counts: max(counts, key=lambda pair: (counts[pair], pair), default=None)),
        ),
        Mistake(
            "takes-the-smallest-of-the-tied",
            "In a tie you let the ids of the pair decide. Here the pair wins that stands first in the words.",
            like=_training(lambda counts: max(sorted(counts), key=lambda pair: counts[pair], default=None)),
        ),
        Mistake(
            "stops-at-pairs-that-occur-once",
            "Merges of pairs that occur only once are of little use, but here they were asked for.",
            like=_training(_at_least_twice),
        ),
    ),
)

# ----------------------------------------------------------------------------------------------------
# 02.apply_merges

Merges = Mapping[Pair, int]


def _apply_merges(ids: Sequence[int], merges: Merges) -> list[int]:
    return encode_word(ids, merges)


def _applying(rank: Callable[[int, int], float]) -> Callable[[Sequence[int], Merges], list[int]]:
    """Return an encoder that merges, one place at a time, where ``rank(new_id, place)`` is lowest."""

    def apply_merges(ids: Sequence[int], merges: Merges) -> list[int]:
        now = list(ids)
        while True:
            found = [
                (rank(merges[pair], at), at, merges[pair]) for at, pair in enumerate(pairwise(now)) if pair in merges
            ]
            if not found:
                return now
            _, at, new_id = min(found)
            now[at : at + 2] = [new_id]

    return apply_merges


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
    return _train(words, number), list(words)


def _apply_cases(random: Random) -> Iterator[Case]:
    yield Case("nothing to merge", ([], {(97, 98): 256}))
    yield Case("nothing to merge", (list(b"abc"), {}))
    yield Case("a single id", ([97], {(97, 97): 256}))
    # Here the lowest, the highest and the longest all part.
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


APPLY_MERGES = Exercise(
    key="02.apply_merges",
    title="The encoder that survives the round trip",
    kind="repair",
    entry="apply_merges",
    difficulty=3,
    minutes=10,
    points=2,
    hints=(
        "Run it on the example by hand. Two merges are possible: which of them does it make, and why this one?",
        "of all places where a merge is possible, take one whose new id is the lowest; if it has several, the leftmost",
        'Lesson 02, "Encoding": what it means to replay the training, and "Why the two ways agree".',
    ),
    wanted=_apply_merges,
    shown=(
        Case("a later merge that stands first", ([97, 98, 99], {(98, 99): 256, (97, 98): 257})),
        Case("overlapping pairs", ([97, 97, 97], {(97, 97): 256})),
        Case("a word of the training text", ([97, 98, 99], {(97, 98): 256, (256, 99): 257})),
        Case("merges noted in another order", ([97, 98, 99], {(98, 99): 257, (97, 98): 256})),
    ),
    drawn=_apply_cases,
    planted=_applying(lambda new_id, at: at),
    mistakes=(
        Mistake(
            "in-the-order-of-the-dict",
            "The order in which the dict was filled says nothing: the new id is the rank.",
            like=_in_the_order_of_the_dict,
        ),
        Mistake(
            "last-learned-first",
            "You begin with the merge that was learned last. Training began at the other end.",
            like=_applying(lambda new_id, at: -new_id),
        ),
        Mistake(
            "longest-token-first",
            "The longest token that fits gives ids that decode well, but not those that the training made.",
            like=_longest_token_first,
        ),
        Mistake(
            "from-the-right",
            "The merge is the right one, the place is not: in 97 97 97 the first two become one.",
            like=_applying(lambda new_id, at: new_id - at / 1000),
        ),
        Mistake(
            "one-merge-only",
            "A merge may make the next one possible: look again after each.",
            like=_one_merge,
        ),
    ),
)
