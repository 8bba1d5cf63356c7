"""``tiktoken._educational``: merging that prints each step, with the same results and output.

``visualise`` is "colour", "simple" or None. Nothing else in this library prints; these functions do because tiktoken's
do. The same algorithms without output are ``reference.rank_merging`` and ``reference.training``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.machinery import PathFinder
from itertools import pairwise
from typing import Any, NamedTuple

from minbpe_course.errors import InvalidTokenId, InvalidVocabularySize, MissingPackage, UnknownToken
from minbpe_course.reference.rank_merging import rank_merge_steps
from minbpe_course.splitting.splitter import compile_pattern, must_be_text
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN
from minbpe_course.tokenizers.encoding_names import get_encoding

_COLOURS = ("colour", "color")
# Numbers of a terminal's 256 colours.
_BACKGROUNDS = (167, 179, 185, 77, 80, 68, 134)
_WORDS_IN_COLOUR, _WORDS_IN_A_LIST = 50, 20


class SimpleBytePairEncoding:
    """A byte-level encoding in plain Python that prints its merges as it encodes.

    Raises InvalidPattern.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256, b"ll": 257}
    >>> encoding = SimpleBytePairEncoding(pat_str=r"\\S+|\\s+", mergeable_ranks=ranks)
    >>> encoding.encode("hello", visualise="simple")
    [b'h', b'e', b'l', b'l', b'o']
    [b'he', b'l', b'l', b'o']
    [b'he', b'll', b'o']
    <BLANKLINE>
    [256, 257, 111]
    """

    def __init__(self, *, pat_str: str, mergeable_ranks: Mapping[bytes, int]) -> None:
        self.pat_str = pat_str
        self.mergeable_ranks = mergeable_ranks
        self._decoder = {rank: token for token, rank in mergeable_ranks.items()}
        self._pat = compile_pattern(pat_str)

    def encode(self, text: str, visualise: str | None = "colour") -> list[int]:
        """Return the ids of ``text``. Raises NotText, UnknownToken."""
        words = self._pat.findall(must_be_text(text))
        return [token for word in words for token in bpe_encode(self.mergeable_ranks, word.encode("utf-8"), visualise)]

    def decode_bytes(self, tokens: Iterable[int]) -> bytes:
        """Return the bytes of ids. Raises InvalidTokenId."""
        return b"".join(self.decode_tokens_bytes(tokens))

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of ids; bytes that are not UTF-8 become U+FFFD. Raises InvalidTokenId."""
        return self.decode_bytes(tokens).decode("utf-8", errors="replace")

    def decode_tokens_bytes(self, tokens: Iterable[int]) -> list[bytes]:
        """Return the bytes of each id separately. Raises InvalidTokenId."""
        try:
            return [self._decoder[token] for token in tokens]
        except KeyError as error:
            raise InvalidTokenId(f"unknown id: no token has the id {error.args[0]!r}.") from None

    @staticmethod
    def train(training_data: str, vocab_size: int, pat_str: str) -> SimpleBytePairEncoding:
        """Train on a text, print every merge, and return the encoding. Raises as ``bpe_train`` does."""
        ranks = bpe_train(data=training_data, vocab_size=vocab_size, pat_str=pat_str)
        return SimpleBytePairEncoding(pat_str=pat_str, mergeable_ranks=ranks)

    @staticmethod
    def from_tiktoken(encoding: Any) -> SimpleBytePairEncoding:
        """Return the encoding with this name, or of an ``Encoding`` of ours or tiktoken's. Raises UnknownEncoding."""
        if isinstance(encoding, str):
            encoding = get_encoding(encoding)
        return SimpleBytePairEncoding(pat_str=encoding._pat_str, mergeable_ranks=encoding._mergeable_ranks)


def bpe_encode(mergeable_ranks: Mapping[bytes, int], input: bytes, visualise: str | None = "colour") -> list[int]:
    """Return the ids of one word and print its parts before the first merge and after each. Raises UnknownToken.

    >>> bpe_encode({b"a": 0, b"b": 1, b"ab": 2}, b"aba", visualise=None)
    [2, 0]
    """
    parts: list[bytes] = []
    for parts in rank_merge_steps(input, mergeable_ranks):
        if visualise in _COLOURS:
            visualise_tokens(parts)
        elif visualise == "simple":
            print(parts)
    if visualise:
        print()
    try:
        return [mergeable_ranks[part] for part in parts]
    except KeyError as error:
        raise UnknownToken(f"the vocabulary has no token {error.args[0]!r}.") from None


def bpe_train(data: str, vocab_size: int, pat_str: str, visualise: str | None = "colour") -> dict[bytes, int]:
    """Return bytes -> rank of the 256 bytes and of a token for each merge, and print the merges.

    Of the most frequent pairs, the one that occurs first in the text is merged.

    Raises InvalidVocabularySize when the size is below 256 or the text has no pairs for it, NotText, InvalidPattern.

    >>> bpe_train("aaab ab", 258, "\\\\S+", visualise=None)[b"ab"]
    257
    """
    if vocab_size < 256:
        raise InvalidVocabularySize(f"vocab_size must be at least 256, one for each byte, got {vocab_size!r}.")
    ranks = {bytes([byte]): byte for byte in range(256)}
    words = [_letters(word.encode("utf-8")) for word in compile_pattern(pat_str).findall(must_be_text(data))]
    while len(ranks) < vocab_size:
        step = _next_merge(words)
        if step is None:
            raise InvalidVocabularySize(
                f"the text has no pair left after {len(ranks)} tokens, so vocab_size={vocab_size} cannot be reached.\n"
                f"Give more text, or ask for vocab_size={len(ranks)}."
            )
        words = step.words
        ranks[step.token] = len(ranks)
        if visualise:
            _tell(step, len(ranks), visualise)
    return ranks


def visualise_tokens(token_values: Sequence[bytes]) -> None:
    """Print tokens in a line, neighbours on backgrounds of different colours."""
    print("".join(_coloured(token_values)) + "\x1b[0m")


def train_simple_encoding() -> SimpleBytePairEncoding:
    """Train 600 tokens on the source of tiktoken's ``_educational``, show a first encoding, and return the encoding.

    Raises MissingPackage if that source is not installed.
    """
    # On the search path itself: sys.modules may have this package's module under the name.
    name = "tiktoken._educational"
    package = PathFinder.find_spec("tiktoken")
    found = package and PathFinder.find_spec(name, package.submodule_search_locations)
    source = getattr(found and found.loader, "get_source", lambda name: None)(name)
    if source is None:
        raise MissingPackage("tiktoken is installed without its sources; train on a text of your own: bpe_train(...).")
    encoding = SimpleBytePairEncoding.train(source, vocab_size=600, pat_str=GPT2_SPLIT_PATTERN)
    print("This is the sequence of merges performed in order to encode 'hello world':")
    encoding.encode("hello world")
    return encoding


class _Merge(NamedTuple):
    """A pair that was merged, the token that it made, and the words after the merge."""

    pair: tuple[bytes, bytes]
    token: bytes
    words: list[list[bytes]]


def _next_merge(words: list[list[bytes]]) -> _Merge | None:
    counts = Counter(pair for word in words for pair in pairwise(word))
    if not counts:
        return None
    # The first of the most frequent: a Counter keeps the order in which the pairs were counted.
    pair = max(counts, key=counts.__getitem__)
    return _Merge(pair, b"".join(pair), [_merged(word, pair) for word in words])


def _merged(word: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    made: list[bytes] = []
    at = 0
    while at < len(word):
        there = tuple(word[at : at + 2]) == pair
        made.append(b"".join(pair) if there else word[at])
        at += 1 + there
    return made


def _letters(word: bytes) -> list[bytes]:
    return [word[at : at + 1] for at in range(len(word))]


def _tell(step: _Merge, tokens: int, visualise: str) -> None:
    left, right = step.pair
    print(f"The current most common pair is {left!r} + {right!r}")
    print(f"So we made {step.token!r} our {tokens}th token")
    if visualise in _COLOURS:
        print("Now the first fifty words in our training data look like:")
        visualise_tokens([token for word in step.words[:_WORDS_IN_COLOUR] for token in word])
    elif visualise == "simple":
        print("Now the first twenty words in our training data look like:")
        for word in step.words[:_WORDS_IN_A_LIST]:
            print(word)
    print("\n")


def _coloured(tokens: Iterable[bytes]) -> Iterator[str]:
    characters, last = 0, -1
    for token in tokens:
        text = token.decode("utf-8", errors="replace")
        place = characters % len(_BACKGROUNDS)
        if place == last:
            place = (place + 1) % len(_BACKGROUNDS)
        last = place
        characters += len(text)
        yield f"\x1b[48;5;{_BACKGROUNDS[place]}m{text}"
