"""Training by counting everything again after every merge, with the four tie-break rules of the field.

    words with counts      low 5   lower 2   newest 6
    the commonest pair     (w, e) 8 times
    merge it everywhere    low 5   lo we r 2   ne we st 6       ... and count again

Slow on purpose: nothing is remembered between steps, so each step can be read on its own. ``kernels.training`` finds
the same merges without recounting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from minbpe_course.errors import InvalidOption
from minbpe_course.reference.counting import count_words
from minbpe_course.reference.pairs import Pair, get_stats, merge
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER


@dataclass(frozen=True)
class MergeStep:
    """One step of training: ``pair`` occurred ``count`` times and became ``new_id``.

    ``token`` is what the new id stands for, ``tied`` are all pairs that had this count, in the order in which they
    were first seen. Where ``tied`` holds more than one pair, the tie-break rule decided.
    """

    pair: Pair
    new_id: int
    count: int
    token: bytes
    tied: tuple[Pair, ...]


HUGGINGFACE_ORDER = [PRINTABLE_ORDER.index(byte) for byte in range(256)]
"""The number that Hugging Face gives to each byte: bytes that print come first, then the others."""


def huggingface_number(token_id: int) -> int:
    """Return the number by which Hugging Face breaks ties.

    >>> huggingface_number(ord("!")), huggingface_number(300)
    (0, 300)
    """
    return HUGGINGFACE_ORDER[token_id] if token_id < 256 else token_id


Chooser = Callable[[list[Pair], list[bytes]], Pair]

# Each rule gets the pairs that share the highest count, in the order first seen, and the bytes of every id.
TIE_BREAKS: dict[str, Chooser] = {
    "first-seen": lambda tied, tokens: tied[0],
    "greatest-bytes": lambda tied, tokens: max(tied, key=lambda pair: (tokens[pair[0]], tokens[pair[1]])),
    "smallest-pair": lambda tied, tokens: min(tied),
    "huggingface": lambda tied, tokens: min(
        tied, key=lambda pair: (huggingface_number(pair[0]), huggingface_number(pair[1]))
    ),
}


def chooser(tie_break: str) -> Chooser:
    """Return the rule of that name. Raises InvalidOption."""
    if tie_break not in TIE_BREAKS:
        raise InvalidOption(f"no tie-break rule {tie_break!r}. The rules are: {', '.join(map(repr, TIE_BREAKS))}.")
    return TIE_BREAKS[tie_break]


def train_steps(
    words: Mapping[bytes, int] | Iterable[bytes],
    vocab_size: int,
    *,
    tie_break: str = "first-seen",
    min_frequency: int = 1,
    after: Sequence[Pair] = (),
) -> Iterator[MergeStep]:
    """Yield the merges that grow 256 bytes into ``vocab_size`` tokens; stop early when no pair is left.

    ``words`` are byte strings with how often each occurs, or just byte strings in the order of the text. No merge
    crosses the border of a word. ``after`` are merges that are made already: the steps that follow them are yielded.

    >>> [step.token for step in train_steps([b"aaabdaaabac"], 259)]
    [b'aa', b'aaa', b'aaab']
    >>> next(train_steps({b"low": 5, b"lower": 2, b"newest": 6}, 257)).count
    8
    >>> [step.token for step in train_steps([b"aaabdaaabac"], 259, after=[(97, 97)])]
    [b'aaa', b'aaab']
    """
    choose = chooser(tie_break)
    counted = words if isinstance(words, Mapping) else count_words(words)
    sequences = [(list(word), count) for word, count in counted.items()]
    tokens = [bytes([byte]) for byte in range(256)]
    for new_id, pair in enumerate(after, 256):
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        sequences = [(merge(ids, pair, new_id), count) for ids, count in sequences]

    for new_id in range(256 + len(after), vocab_size):
        counts: dict[Pair, int] = {}
        for ids, count in sequences:
            get_stats(ids, counts, count)
        highest = max(counts.values(), default=0)
        if highest < max(min_frequency, 1):
            return
        tied = [pair for pair, count in counts.items() if count == highest]
        pair = choose(tied, tokens)
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        sequences = [(merge(ids, pair, new_id), count) for ids, count in sequences]
        yield MergeStep(pair, new_id, highest, tokens[new_id], tuple(tied))
