"""Random vocabularies of any ids, for the tests of the engine and of the formats: every quarrel in a few letters.

some_vocabulary(chance)    ids, tokens, merges in any order, several ways to a token, pairs twice, tokens without
some_words(chance, model)  its tokens, its tokens side by side, random words of its letters, short and long
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from minbpe_course.model import VocabularyModel

# Letters of one to four bytes that share first and last bytes.
ALPHABETS = (
    "ab", "abc", "aaaab", "ab\u00e9\u00e8\u4e2d\u4e3d\U0001f600", "\u4e2d\u65e5\u672c\u8a9e\u5e74a",
    "\u00e9\u00e8\u00ea",
)  # fmt: skip


def some_ids(chance: random.Random, count: int) -> list[int]:
    """Distinct ids: in order, downwards, shuffled, above 2**31, or far apart."""
    kind = chance.randrange(6)
    if kind == 0:
        return list(range(count))
    if kind == 1:
        return list(range(count))[::-1]
    if kind == 2:
        return [2**32 - 1 - k for k in range(count)]
    if kind == 3:
        return sorted(chance.sample(range(3 * count), count))
    return chance.sample(range(2**32 if kind == 4 else 2 * count), count)


def some_tokens(chance: random.Random, letters: str, most: int = 40) -> list[bytes]:
    """The 256 bytes and words of ``letters``, some grown from others, some cut inside of a character, in the order in
    which they came about."""
    tokens = [bytes([byte]) for byte in range(256)]
    known = {letter.encode() for letter in letters if len(letter.encode()) > 1}
    grown: list[bytes] = sorted(known) if chance.random() < 0.5 else []
    for _ in range(chance.randint(0, most)):
        parts = [*grown, *(letter.encode() for letter in letters)]
        token = chance.choice(parts) + chance.choice(parts)
        if chance.random() < 0.15:
            token = token[1:] if chance.random() < 0.5 else token[:-1]
        if 1 < len(token) <= 80:
            grown.append(token)
    return tokens + list(dict.fromkeys(token for token in grown if len(token) > 1))


def some_vocabulary(chance: random.Random, rule: str = "merges", letters: str | None = None) -> VocabularyModel:
    """A vocabulary by "merges" or by "ranks"."""
    tokens = some_tokens(chance, letters or chance.choice(ALPHABETS))
    if chance.random() < 0.5:
        chance.shuffle(tokens)
    ids = dict(zip(tokens, some_ids(chance, len(tokens))))
    whole = chance.random() < 0.5
    merges = None if rule == "ranks" else some_merges(chance, tokens, ids)
    return VocabularyModel({i: token for token, i in ids.items()}, merges, whole_words=whole)


def some_merges(chance: random.Random, tokens: Sequence[bytes], ids: dict[bytes, int]) -> list[tuple[int, int, int]]:
    """Merges of these tokens: all ways to make each, or some of them, or none, in the order of the tokens or in any."""
    share = chance.choice([1.0, 1.0, 0.6, 0.3])
    merges = []
    for token in tokens:
        ways = [(token[:at], token[at:]) for at in range(1, len(token)) if token[:at] in ids and token[at:] in ids]
        for left, right in ways:
            if chance.random() < share:
                merges.append((ids[left], ids[right], ids[token]))
    order = chance.randrange(4)
    if order == 0:
        chance.shuffle(merges)
    elif order == 1:
        merges.reverse()
    elif order == 2:
        # As a file that was edited by hand: a few are out of place.
        for _ in range(3):
            if merges:
                merges.insert(chance.randrange(len(merges)), merges.pop(chance.randrange(len(merges))))
    if merges and chance.random() < 0.3:
        merges += chance.sample(merges, min(3, len(merges)))
    return merges


def some_words(chance: random.Random, model: VocabularyModel, count: int) -> list[str]:
    """Words that are text."""
    grown = [token for token in model.token_bytes.values() if len(token) > 1] or [b"a"]
    letters = sorted({letter for token in grown for letter in token.decode("utf-8", "ignore")}) or ["a"]
    words = []
    for _ in range(count):
        kind = chance.random()
        if kind < 0.25:
            word = chance.choice(grown)
        elif kind < 0.6:
            word = b"".join(chance.choices(grown, k=chance.choice([2, 2, 3, 8, 30])))
        else:
            size = chance.choice([1, 2, 3, 4, 5, 8, 15, 16, 17, 40, 62, 63, 64, 150])
            word = "".join(chance.choices(letters, k=size)).encode()
        text = word.decode("utf-8", "ignore")
        if text:
            words.append(text)
    return words
