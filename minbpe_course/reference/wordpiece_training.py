"""Learning the tokens of WordPiece, readable: in two ways.

    count         the commonest pair is merged, as in BPE             what `tokenizers` does
    likelihood    the pair with the best count(pair) / (count(left) * count(right)) is merged

Google never published its trainer. Schuster and Nakajima (https://research.google/pubs/pub37842, 2012) say that the
merge is made that raises the likelihood of the text most, and the formula above is how
https://huggingface.co/learn/llm-course/chapter6/6 reads that: rare symbols that are always together go first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise


def learn_tokens(
    words: Mapping[str, int],
    vocab_size: int,
    special_tokens: Iterable[str] = (),
    *,
    score: str = "count",
    min_frequency: int = 1,
    mark: str = "##",
    continuing: Iterable[str] = (),
) -> list[str]:
    """Return the tokens in the order of their ids: special ones, characters, marked characters, merges.

    words : word -> how often · continuing : marked characters that come before the others. There, `tokenizers` has the
    order of a hash table, which is another one in each process; here they are in the order of the characters.

    >>> learn_tokens({"low": 5, "lower": 2, "newest": 6}, 18, ["[UNK]"])[-3:]
    ['##we', 'lo', 'ne']
    >>> learn_tokens({"low": 5, "lower": 2, "newest": 6}, 18, ["[UNK]"], score="likelihood")[-3:]
    ['##st', 'lo', 'low']
    """
    tokens = list(dict.fromkeys([*special_tokens, *sorted(set("".join(words)))]))
    marked = sorted({mark + character for word in words for character in word[1:]})
    tokens = list(dict.fromkeys([*tokens, *continuing, *marked]))
    split = {word: [word[0], *(mark + character for character in word[1:])] for word in words}
    while len(tokens) < vocab_size:
        pairs: Counter[tuple[str, str]] = Counter()
        alone: Counter[str] = Counter()
        for word, parts in split.items():
            for part in parts:
                alone[part] += words[word]
            for pair in pairwise(parts):
                pairs[pair] += words[word]
        pairs = Counter({pair: count for pair, count in pairs.items() if count >= min_frequency})
        if not pairs:
            break
        ids = {token: place for place, token in enumerate(tokens)}

        def worth(pair: tuple[str, str]) -> tuple[Fraction, int, int]:
            left, right = pair
            by = alone[left] * alone[right] if score == "likelihood" else 1  # noqa: B023
            return Fraction(pairs[pair], by), -ids[left], -ids[right]  # noqa: B023

        left, right = max(pairs, key=worth)
        made = left + right.removeprefix(mark)
        if made not in ids:
            tokens.append(made)
        split = {word: _merged(parts, left, right, made) for word, parts in split.items()}
    return tokens


def _merged(parts: list[str], left: str, right: str, made: str) -> list[str]:
    found: list[str] = []
    for part in parts:
        if found and found[-1] == left and part == right:
            found[-1] = made
        else:
            found.append(part)
    return found
