"""What the exercises of lesson 04 are tried on: small vocabularies, trained from a seed, published like GPT-4's.

    words            ab ab abc bc               drawn from a seed
    training         ab, then abc               reference.training, lesson 02's rule for ties
    published        c 0, a 1, b 2, ab 3, abc 4     with an order of the bytes that is nobody's

A vocabulary may know fewer than 256 bytes: then ids, tables and failing cases stay short enough to be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from minbpe_course.checks.exercise import Case
from minbpe_course.checks.lesson_04.impostors import IMPOSTORS
from minbpe_course.reference.training import train_steps
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER, printable_bytes

_WORDS = (
    "the then this that other there their weather the the to too toto banana bananas tokens tokenization "
    "für über größer naïve café wörter привет прибыль привычка 日本語 日本 本日 עברית שלום สวัสดี नमस्ते 👋🏽 👋 🤷🏽"
)
WORDS = _WORDS.split(" ")
RARITIES = (
    "\x00",
    "e\u0301",
    "\u200d\u200d",
    "\u202eabc",
    "\ufeffthe",
    "\U0010ffff",
    "\uffff",
    "Ġthe",
    "🏳️‍🌈🏳️‍🌈",
    "தமிழ்",
)


@dataclass(frozen=True)
class Published:
    """A vocabulary: the byte of each of the first ids, the merges as pairs of ids, and the ranks, as published."""

    order: list[int]
    merges: list[tuple[int, int]]
    ranks: dict[bytes, int]

    @property
    def tokens(self) -> list[bytes]:
        """The merged tokens by rank, without the single bytes."""
        return list(self.ranks)[len(self.order) :]


def publish(words: Sequence[bytes], order: Sequence[int], number: int) -> Published:
    """Train up to ``number`` merges on words, and number bytes and merges by ``order``.

    >>> publish([b"ab", b"ab", b"abc"], b"cab", 5)
    Published(order=[99, 97, 98], merges=[(1, 2), (3, 0)], ranks={b'c': 0, b'a': 1, b'b': 2, b'ab': 3, b'abc': 4})
    """
    ids = {byte: place for place, byte in enumerate(order)}
    ids |= {256 + rank: len(order) + rank for rank in range(number)}
    steps = list(train_steps(words, 256 + number))
    tokens = [bytes([byte]) for byte in order] + [step.token for step in steps]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert len(ranks) == len(tokens), "training makes no token twice"
    return Published(list(order), [(ids[step.pair[0]], ids[step.pair[1]]) for step in steps], ranks)


def toy(random: Random, letters: int, number: int) -> Published:
    """Publish a vocabulary over a few bytes in random order, trained on random words.

    >>> toy(Random(1), 3, 4).merges == toy(Random(1), 3, 4).merges
    True
    """
    order = random.sample([*b"abcdefghijklmnopqrstuvwxyz #\n", *range(128, 256)], letters)
    words = [bytes(random.choices(order, k=random.randint(2, 9))) for _ in range(40)]
    return publish(words, order, number)


def runs(random: Random, number: int) -> Published:
    """Publish a vocabulary of runs: two bytes, each repeated, as in white space or in lines of dashes."""
    order = random.sample(range(256), 2)
    words = [bytes([random.choice(order)]) * random.randint(2, 12) for _ in range(20)]
    return publish(words, order, number)


def misleading(random: Random, number: int) -> Published:
    """Publish a vocabulary in which even the cut with the oldest parts is sometimes not the one that training made."""
    for _ in range(200):  # one in ten, or more, is such a one
        published = toy(random, 2, number)
        if IMPOSTORS["oldest-parts"](published.ranks) != published.merges:
            break
    return published


def full(random: Random, order: Sequence[int], number: int) -> Published:
    """Publish a vocabulary with all 256 bytes, trained on words of many scripts."""
    words = [word.encode() for word in random.choices(WORDS, k=60)]
    return publish(words, order, number)


def any_order(random: Random) -> list[int]:
    """Return the 256 bytes in random order."""
    return random.sample(range(256), 256)


def unsorted(random: Random, ranks: dict[bytes, int]) -> dict[bytes, int]:
    """Return the same ranks in a dictionary that lists its tokens in another order."""
    return dict(random.sample(list(ranks.items()), len(ranks)))


def order_cases(random: Random) -> Iterator[Case]:
    """Draw vocabularies from which the order of the bytes is to be read."""
    yield Case("the natural order", ({b"a": 0, b"b": 1, b"c": 2},))
    for size in range(2, 8):
        order = sorted(random.sample(range(256), size))
        first, second = random.sample(range(size), 2)
        order[first], order[second] = order[second], order[first]
        yield Case("two bytes exchanged", (publish([], order, 0).ranks,))
    for size in range(3, 9):
        order = sorted(random.sample(range(256), size))
        turn = random.randrange(1, size)
        yield Case("a ring of bytes", (publish([], order[turn:] + order[:turn], 0).ranks,))
    for size in range(2, 8):
        yield Case("merged tokens as well", (toy(random, size, 5).ranks,))
    for size in range(2, 8):
        yield Case("a dictionary in another order", (unsorted(random, toy(random, size, 3).ranks),))
    yield Case("all 256 bytes, GPT-4's order", (publish([], PRINTABLE_ORDER, 0).ranks,))
    for _ in range(5):
        yield Case("all 256 bytes, any order", (unsorted(random, full(random, any_order(random), 4).ranks),))


def alphabet_cases(random: Random) -> Iterator[Case]:
    """Draw orders in which somebody listed the bytes: visible ones ascending, then the others ascending."""
    yield Case("no bytes", ([],))
    yield Case("nothing is hidden", (sorted(random.sample(range(256), 5)),))
    for size in range(2, 14):
        known = sorted(random.sample(range(256), size))
        hidden = set(random.sample(known[:-1], random.randint(1, size - 1)))
        yield Case("a few bytes", ([byte for byte in known if byte not in hidden] + sorted(hidden),))
    for number in (1, 2, 5, 40, 100, 200):
        gone = set(random.sample(range(255), number))
        category = "all 256, one hidden" if number == 1 else "all 256, another choice of hidden bytes"
        yield Case(category, ([byte for byte in range(256) if byte not in gone] + sorted(gone),))
    yield Case("all 256, GPT-4's order", (list(PRINTABLE_ORDER),))


def encode_cases(random: Random) -> Iterator[Case]:
    """Draw words with the order and the merges of a vocabulary."""
    published = publish([], b"ba", 0)
    yield Case("an empty word", ("", published.order, published.merges))
    yield Case("no merges", ("ab", published.order, published.merges))
    for length in range(2, 16):
        order = random.sample(b"abcdefgh", 2 + length % 3)
        words = [bytes(random.choices(order, k=random.randint(2, 8))) for _ in range(30)]
        published = publish(words, order, 2 + length // 2)
        word = "".join(map(chr, random.choices(order, k=length)))
        yield Case("merges that compete", (word, published.order, published.merges))
    for length in range(2, 9):
        published = publish([b"-" * random.randint(2, 9) for _ in range(9)], b"-", 4)
        yield Case("a run of one letter", ("-" * length, published.order, published.merges))
    natural = full(random, range(256), 40)
    shuffled = [full(random, any_order(random), 40) for _ in range(4)] + [full(random, PRINTABLE_ORDER, 40)]
    yield Case("all 256 bytes in natural order", (random.choice(WORDS), natural.order, natural.merges))
    for number in range(10):
        published = shuffled[number % len(shuffled)]
        pool, category = (RARITIES, "rare characters") if number % 2 else (WORDS, "letters of many scripts")
        yield Case(category, (random.choice(pool), published.order, published.merges))


def file_cases(random: Random) -> Iterator[Case]:
    """Draw files of merges, with and without a header and a last line break."""
    alphabet = printable_bytes()

    def case(category: str, published: Published, header: bool, ended: bool) -> Case:
        spelled = {byte: alphabet[byte] for byte in published.order}
        return Case(category, (merges_file(published, header=header, ended=ended), spelled))

    for header, ended in ((True, True), (True, False), (False, False)):
        yield case("no merges", publish([], b"ba", 0), header, ended)
    for size in range(2, 9):
        yield case("header and last line break", toy(random, size, size), True, True)
        yield case("no line break at the end", toy(random, size, size), True, False)
        yield case("no header", toy(random, size, size), False, bool(size % 2))
    for size in range(2, 9):
        words = [bytes(random.choices(b"## a", k=random.randint(2, 9))) for _ in range(20)]
        published = publish(words, random.sample(b"# a", 3), size)
        yield case("merges with number signs", published, bool(size % 2), bool(size % 3))
    for header in (True, False):
        # The line "#version: 0.2" is one of the merges, and not the first.
        words = [b"#version:"] * 5 + [b"0.2"] * 4 + [b"#version:0.2"] * 3 + [b"#version"] * random.randint(1, 9)
        published = publish(words, random.sample(b"#version:0.2", 12), 20)
        yield case("merges that look like a header", published, header, True)
    for header in (True, False):
        published = full(random, any_order(random), 30)
        yield case("all 256 bytes", published, header, header)


def merges_file(published: Published, *, header: bool = True, ended: bool = True) -> str:
    """Return the merges as GPT-2's ``vocab.bpe`` writes them.

    >>> merges_file(publish([b" a", b" ab"], b"ab ", 2))
    '#version: 0.2\\n\u0120 a\\n\u0120a b\\n'
    """
    alphabet = printable_bytes()
    spelled = ["".join(alphabet[byte] for byte in token) for token in published.ranks]
    lines = ["#version: 0.2"] * header + [f"{spelled[left]} {spelled[right]}" for left, right in published.merges]
    return "\n".join(lines) + "\n" * (ended and bool(lines))


def recover_cases(random: Random) -> Iterator[Case]:
    """Draw ranks whose merges are to be found."""
    yield Case("no merges", (toy(random, 3, 0).ranks,))
    for number in range(1, 9):
        yield Case("two different bytes", (toy(random, 2, number).ranks,))
    for number in range(3, 9):
        yield Case("runs of one byte", (runs(random, number).ranks,))
    for number in range(2, 20, 2):
        yield Case("a few different bytes", (toy(random, random.randint(3, 6), number).ranks,))
    for number in range(3, 18, 3):
        yield Case("a dictionary in another order", (unsorted(random, toy(random, 3, number).ranks),))
    for number in (8, 12, 16, 20):
        yield Case("several cuts into old tokens", (misleading(random, number).ranks,))
    for number in (10, 25, 40):
        yield Case("all 256 bytes, any order", (full(random, any_order(random), number).ranks,))


def text_cases(random: Random) -> Iterator[Case]:
    """Draw the merged tokens of vocabularies for which a small text is to be found."""
    for number in range(2, 12):
        yield Case("a vocabulary of mixed tokens", (toy(random, random.randint(2, 6), number).tokens,))
    for number in (3, 5, 7):
        yield Case("a vocabulary of runs", (runs(random, number).tokens,))
