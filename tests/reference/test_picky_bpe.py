"""PickyBPE by its definition, on thousands of small corpora, and compared with the program of the paper's authors."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest

from minbpe_course.reference.picky_bpe import Event, encode_picky, train_picky, vocabulary_after

pytestmark = pytest.mark.medium

Words = Mapping[bytes, int]
Parts = tuple[bytes, ...]
Told = tuple[bool, bytes, Parts]


def small_corpora(number: int) -> Iterator[tuple[Words, int, float]]:
    rng = random.Random(number)
    for _ in range(number):
        letters = rng.choice([b"ab", b"abc", b"abcd"])
        size = rng.randint(1, 7)
        lengths = range(1, rng.choice([5, 9]))
        words = {bytes(rng.choices(letters, k=rng.choice(lengths))): rng.randint(1, 6) for _ in range(size)}
        yield words, 256 + rng.randint(0, 12), rng.choice([0.0, 0.3, 0.5, 0.6, 0.75, 0.8, 0.9, 0.99, 1.0])


def replace(word: Parts, pattern: Parts, by: Parts) -> Parts:
    found: list[bytes] = []
    while word:
        here = word[: len(pattern)] == pattern
        found += by if here else word[:1]
        word = word[len(pattern) :] if here else word[1:]
    return tuple(found)


def by_definition(words: Words, vocab_size: int, threshold: float) -> tuple[list[Told], list[Parts], list[bool]]:
    """Count everything anew for each decision; tokens are their bytes. Return the events, the words as they are in the
    end, and for each merge whether its token was there already."""
    corpus = [(tuple(word[at : at + 1] for at in range(len(word))), count) for word, count in words.items()]
    alphabet = {bytes([byte]) for byte in range(256)}
    vocabulary, made_of = set(alphabet), {}
    events: list[Told] = []
    repeated: list[bool] = []

    def count(token: bytes) -> int:
        return sum(word.count(token) * weight for word, weight in corpus)

    def spelled(token: bytes) -> Parts:
        return (token,) if token in vocabulary else sum((spelled(half) for half in made_of[token]), ())

    while len(vocabulary) < vocab_size:
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for word, weight in corpus:
            for pair in pairwise(word):
                pairs[pair] += weight
        if not pairs:
            break
        pair = max(pairs, key=lambda pair: pairs[pair])  # the first of equal ones
        token = pair[0] + pair[1]
        repeated.append(token in vocabulary)
        made_of.setdefault(token, pair)
        vocabulary.add(token)
        length = sum(len(word) * weight for word, weight in corpus)
        corpus = [(replace(word, pair, (token,)), weight) for word, weight in corpus]
        merges = length - sum(len(word) * weight for word, weight in corpus)
        events.append((False, token, pair))
        for half in pair:
            if half in vocabulary - alphabet and merges / (count(half) + merges) > threshold:
                vocabulary.remove(half)
                events.append((True, half, spelled(half)))
                corpus = [(replace(word, (half,), spelled(half)), weight) for word, weight in corpus]
    return events, [word for word, _ in corpus], repeated


def told(events: list[Event]) -> list[Told]:
    tokens = {byte: bytes([byte]) for byte in range(256)} | {one.token_id: one.token for one in events}
    return [(one.removed, one.token, tuple(tokens[part] for part in one.parts)) for one in events]


def test_small_corpora_by_the_definition() -> None:
    seen: Counter[str] = Counter()
    for words, vocab_size, threshold in small_corpora(3_000):
        events = train_picky(words, vocab_size, threshold)
        wanted, corpus, repeated = by_definition(words, vocab_size, threshold)
        assert told(events) == wanted, (words, vocab_size, threshold)
        vocabulary = vocabulary_after(events)
        assert len(vocabulary) == len(set(vocabulary.values())) <= vocab_size
        tokens = vocabulary | {one.token_id: one.token for one in events}
        # Replaying leads each word of the corpus to where training left it.
        for word, parts in zip(words, corpus):
            ids = encode_picky(word, events)
            assert tuple(tokens[one] for one in ids) == parts
            assert set(ids) <= set(vocabulary)
        removed = [one.token for one in events if one.removed]
        assert all(threshold < one.share <= 1 for one in events if one.removed)
        seen["removed"] += bool(removed)
        seen["came back"] += any(token in vocabulary.values() for token in removed)
        seen["removed twice"] += len(removed) > len(set(removed))
        seen["second pair"] += any(repeated)
        seen["not enough pairs"] += len(vocabulary) < vocab_size
    # The cases are worth something only if all of this happens in them.
    assert min(seen.values()) >= 3, seen


# The events of the authors' program (github.com/pchizhov/picky_bpe, commit 55f3cd7) for these words, of equal pairs the
# first one in them: a plus for each merge, and the parts of a removed token with hyphens between them.
WORDS = (
    "the 30 then 9 there 11 these 7 other 8 mother 5 weather 4 hen 3 entucky 1 kentucky 12 tucked 2 lucky "
    "6 would 10 could 9 should 7 shoulder 2 "
)
THEIRS = {
    0.6: (
        "h+e t+he h-e the+r o+u ou+l o-u oul+d o-u-l u+c uc+k u-c uck+y u-c-k e+n o+ther en+t e-n ent+ucky "
        "e-n-t u-c-k-y k+entucky e-n-t-u-c-k-y ther+e the-r w+ould the+n u+c uc+k u-c c+ould s+h sh+ould s-h "
        "o-u-l-d the+s thes+e the-s uck+y u-c-k l+ucky u-c-k-y m+other w+e we+a w-e wea+the w-e-a weathe+r "
        "w-e-a-the e+n h+en e-n t+u tu+c t-u tuc+k t-u-c tuck+e t-u-c-k tucke+d t-u-c-k-e should+e shoulde+r "
        "should-e e+n en+t e-n ent+u e-n-t entu+c e-n-t-u entuc+k e-n-t-u-c entuck+y e-n-t-u-c-k "
    ),
    0.75: (
        "h+e t+he h-e the+r o+u ou+l o-u oul+d o-u-l u+c uc+k u-c uck+y u-c-k e+n o+ther en+t e-n ent+ucky "
        "e-n-t k+entucky e-n-t-ucky ther+e w+ould the+n c+ould s+h sh+ould s-h o-u-l-d the+s thes+e the-s "
        "l+ucky u-c-k-y m+other w+e we+a w-e wea+ther w-e-a the-r e+n h+en t+u tu+c t-u tuc+k t-u-c tuck+e "
        "tucke+d tuck-e should+e shoulde+r should-e en+tuck e-n t-u-c-k entuck+y e-n-t-u-c-k "
    ),
}


@pytest.mark.parametrize("threshold", THEIRS)
def test_events_of_the_authors_program(threshold: float) -> None:
    words = WORDS.split()
    counted = {word.encode(): int(count) for word, count in zip(words[::2], words[1::2])}
    events = told(train_picky(counted, 500, threshold))
    ours = [b"+-"[removed : removed + 1].join(parts).decode() for removed, _, parts in events]
    theirs = THEIRS[threshold].split()
    assert ours[: len(theirs)] == theirs
    assert len(theirs) >= 60


def test_nothing_to_learn() -> None:
    assert train_picky({}, 300, 0.8) == train_picky({b"": 3, b"a": 2}, 300, 0.8) == []
    assert train_picky({b"ab": 1}, 256, 0.8) == []
    assert encode_picky(b"", train_picky({b"ab": 1}, 257, 0.8)) == []
