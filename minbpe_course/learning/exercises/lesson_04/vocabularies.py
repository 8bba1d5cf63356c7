"""Small vocabularies, trained from a seed and published as GPT-4's is, for the exercises of lesson 04.

    words            ab ab abc bc               drawn from a seed
    training         ab, then abc               ties go to the pair seen first
    published        c 0, a 1, b 2, ab 3, abc 4     with a random order of the bytes

A vocabulary may have fewer than 256 bytes, which keeps ids, tables and failing cases short enough to read.
"""

from dataclasses import dataclass

from minbpe_course.reference.training import train_steps

_WORDS = (
    "the then this that other there their weather the the to too toto banana bananas tokens tokenization für über "
    "größer naïve café wörter привет прибыль привычка 日本語 日本 本日 עברית שלום สวัสดี नमस्ते 👋🏽 👋 🤷🏽"
)
WORDS = _WORDS.split(" ")


@dataclass(frozen=True)
class Published:
    """A vocabulary: the byte of each of the first ids, the merges (pair -> id), and the ranks, as published."""

    order: list[int]
    merges: dict[tuple[int, int], int]
    ranks: dict[bytes, int]

    @property
    def tokens(self):
        """The merged tokens by rank, without the single bytes."""
        return list(self.ranks)[len(self.order) :]


def publish(words, order, number):
    """Train up to ``number`` merges on words, with ids that follow ``order``.

    >>> publish([b"ab", b"ab", b"abc"], b"cab", 5)
    Published(order=[99, 97, 98], merges={(1, 2): 3, (3, 0): 4}, ranks={b'c': 0, b'a': 1, b'b': 2, b'ab': 3, b'abc': 4})
    """
    ids = {byte: place for place, byte in enumerate(order)}
    ids |= {256 + rank: len(order) + rank for rank in range(number)}
    steps = list(train_steps(words, 256 + number))
    tokens = [bytes([byte]) for byte in order] + [step.token for step in steps]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert len(ranks) == len(tokens), "training makes no token twice"
    merges = {(ids[step.pair[0]], ids[step.pair[1]]): ids[step.new_id] for step in steps}
    return Published(list(order), merges, ranks)


def toy(random, letters, number):
    """Publish a vocabulary over a few bytes in random order, trained on random words.

    >>> from random import Random
    >>> toy(Random(1), 3, 4).merges == toy(Random(1), 3, 4).merges
    True
    """
    order = random.sample([*b"abcdefghijklmnopqrstuvwxyz #\n", *range(128, 256)], letters)
    words = [bytes(random.choices(order, k=random.randint(2, 9))) for _ in range(40)]
    return publish(words, order, number)


def runs(random, number):
    """Publish a vocabulary of runs: two bytes, each repeated, like spaces or dashes."""
    order = random.sample(range(256), 2)
    words = [bytes([random.choice(order)]) * random.randint(2, 12) for _ in range(20)]
    return publish(words, order, number)


def all_bytes(random, order, number):
    """Publish a vocabulary with all 256 bytes, trained on words of many scripts."""
    return publish([word.encode() for word in random.choices(WORDS, k=60)], order, number)


def any_order(random):
    """Return the 256 bytes in random order."""
    return random.sample(range(256), 256)


def in_another_order(random, ranks):
    """Return the same ranks in a dictionary with another order."""
    return dict(random.sample(list(ranks.items()), len(ranks)))
