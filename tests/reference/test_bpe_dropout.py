"""BPE-dropout by its definition, on thousands of small cases, and compared with sentencepiece.

A comparison of draws cannot fail by bad luck: by the inequality of Bretagnolle, Huber and Carol, the chance that n
draws over k outcomes are farther than d from their source is at most 2**k * exp(-2 * n * d**2), here 1e-17.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product

import pytest
import sentencepiece

from minbpe_course.errors import InvalidOption
from minbpe_course.reference.bpe_dropout import encode_with_dropout, segmentation_chances
from minbpe_course.reference.pairs import Pair
from tests.text.piece_rules import Rule, file_of

pytestmark = pytest.mark.medium

Chances = Mapping[tuple[int, ...], float]
DRAWS, NEAR = 20_000, 0.04

# After ab and cd have merged, bc is still in the queues of programs that keep one.
MERGES = {
    (97, 98): 256, (99, 100): 257, (98, 99): 258, (256, 257): 259, (100, 101): 260, (259, 101): 261,
}  # fmt: skip


def distance(one: Chances, other: Chances) -> float:
    """Half of the sum of differences: 0 for the same chances, 1 for nothing in common."""
    return sum(abs(one.get(ids, 0) - other.get(ids, 0)) for ids in {*one, *other}) / 2


def drawn(encodings: Iterable[Sequence[int]]) -> dict[tuple[int, ...], float]:
    counts = Counter(map(tuple, encodings))
    return {ids: count / counts.total() for ids, count in counts.items()}


def small_cases(number: int, longest: int) -> Iterator[tuple[bytes, dict[Pair, int]]]:
    """Words of two or three letters, and merges of any parts of the word, in any order."""
    rng = random.Random(number)
    for _ in range(number):
        letters = rng.choice([b"ab", b"abc"])
        word = bytes(rng.choices(letters, k=rng.randint(0, longest)))
        merges, texts = {}, {byte: bytes([byte]) for byte in letters}
        for _ in range(rng.randint(0, 40)):
            pair = rng.choice(list(texts)), rng.choice(list(texts))
            text = texts[pair[0]] + texts[pair[1]]
            if text in word and pair not in merges and len(merges) < 7:
                merges[pair] = rng.choice(sorted({*range(256, 270)} - set(texts)))
                texts[merges[pair]] = text
        yield word, merges


def by_all_decisions(ids: tuple[int, ...], merges: Mapping[Pair, int], dropout: float) -> Counter[tuple[int, ...]]:
    """The definition of the paper, read literally: every subset of the possible merges may be the one that is kept."""
    chances: Counter[tuple[int, ...]] = Counter()
    places = [at for at, pair in enumerate(pairwise(ids)) if pair in merges]
    for keeps in product((True, False), repeat=len(places)):
        chance = (1 - dropout) ** keeps.count(True) * dropout ** keeps.count(False)
        kept = [(merges[ids[at], ids[at + 1]], at) for at, keep in zip(places, keeps) if keep]
        if kept:
            new_id, at = min(kept)
            for found, share in by_all_decisions((*ids[:at], new_id, *ids[at + 2 :]), merges, dropout).items():
                chances[found] += chance * share
        else:
            chances[ids] += chance
    return chances


def by_all_decisions_once(word: bytes, merges: Mapping[Pair, int], dropout: float) -> Counter[tuple[int, ...]]:
    """The rule of sentencepiece, with tokens as (id, begin, end): each pair of tokens is drawn once."""
    chances: Counter[tuple[int, ...]] = Counter()

    def decide(tokens: tuple[tuple[int, int, int], ...], asked: frozenset, chance: float) -> None:
        waiting = [
            (merges[left[0], right[0]], at, (left, right))
            for at, (left, right) in enumerate(pairwise(tokens))
            if (left[0], right[0]) in merges and (left, right) not in asked
        ]
        if not waiting:
            chances[tuple(token[0] for token in tokens)] += chance
            return
        new_id, at, (left, right) = min(waiting)
        decide(tokens, asked | {(left, right)}, chance * dropout)
        merged = (new_id, left[1], right[2])
        decide((*tokens[:at], merged, *tokens[at + 2 :]), asked, chance * (1 - dropout))

    decide(tuple((byte, at, at + 1) for at, byte in enumerate(word)), frozenset(), 1.0)
    return chances


class Script(random.Random):
    """A generator that gives what is written, then 0.75 for ever, and writes down what it gave."""

    def __init__(self, script: Sequence[float]) -> None:
        super().__init__()
        self.script, self.given = list(script), []

    def random(self) -> float:
        at = len(self.given)
        self.given.append(self.script[at] if at < len(self.script) else 0.75)
        return self.given[-1]


def by_all_draws(word: bytes, merges: Mapping[Pair, int], dropout: float, *, once: bool) -> Counter[tuple[int, ...]]:
    """The chances of ``encode_with_dropout`` itself: 0.25 is "dropped", 0.75 is "kept"."""
    chances: Counter[tuple[int, ...]] = Counter()
    scripts: list[list[float]] = [[]]
    while scripts:
        script = scripts.pop()
        luck = Script(script)
        ids = tuple(encode_with_dropout(word, merges, 0.5, luck, once=once))
        drops = luck.given.count(0.25)
        chances[ids] += dropout**drops * (1 - dropout) ** (len(luck.given) - drops)
        scripts += [[*luck.given[:at], 0.25] for at in range(len(script), len(luck.given))]
    return chances


@pytest.mark.parametrize("once", [False, True])
def test_small_words_by_the_definition(once: bool) -> None:
    for word, merges in small_cases(2_000, 5):
        dropout = random.Random(len(word) + len(merges)).random()
        found = segmentation_chances(word, merges, dropout, once=once)
        ids = tuple(word)
        wanted = by_all_decisions_once(word, merges, dropout) if once else by_all_decisions(ids, merges, dropout)
        assert found == pytest.approx(wanted, abs=1e-12), (word, merges)
        assert found == pytest.approx(by_all_draws(word, merges, dropout, once=once), abs=1e-12), (word, merges)


def test_dropout_zero_drops_nothing_whatever_is_drawn() -> None:
    assert encode_with_dropout(b"ab", {(97, 98): 256}, 0.0, Script([0.0])) == [256]


@pytest.mark.parametrize("dropout", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_has_a_name(dropout: float) -> None:
    with pytest.raises(InvalidOption, match="from 0 to 1"):
        encode_with_dropout(b"ab", {}, dropout, random.Random(0))


# ----------------------------------------------------------------------------------------------------
# Other programs


@pytest.mark.parametrize(("word", "dropout"), [("abcde", 0.1), ("abcdabcd", 0.5)])
def test_once_is_the_rule_of_sentencepiece(word: str, dropout: float) -> None:
    texts = {byte: chr(byte) for byte in b"abcde"}
    for (left, right), new_id in MERGES.items():
        texts[new_id] = texts[left] + texts[right]
    pieces = [f"{text} {-token_id}" for token_id, text in texts.items()]
    rules = {"add_dummy_prefix": False, "remove_extra_whitespaces": False}
    theirs = sentencepiece.SentencePieceProcessor(model_proto=file_of(Rule("bpe", "|".join(pieces), (word,), rules)))
    ids = {theirs.piece_to_id(text): token_id for token_id, text in texts.items()}
    # SentencePiece merges any two pieces whose text is a piece.
    merges = {
        (left, right): new_id
        for (left, one), (right, two), (new_id, text) in product(texts.items(), repeat=3)
        if one + two == text
    }
    sentencepiece.SetRandomGeneratorSeed(4)
    seen = drawn([ids[one] for one in theirs.encode(word, enable_sampling=True, alpha=dropout)] for _ in range(DRAWS))
    assert distance(seen, segmentation_chances(word.encode(), merges, dropout, once=True)) < NEAR
    assert distance(seen, segmentation_chances(word.encode(), merges, dropout)) > 2 * NEAR
