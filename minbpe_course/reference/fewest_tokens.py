"""Two ways to encode a word without merges: the fewest tokens possible, and the longest token first.

    word      a b c d e       tokens   abc  ab  cde  and all bytes
    longest   abc | d | e     the longest token that fits, then the longest that fits there, and so on
    fewest    ab | cde        a shorter token first leaves room for a longer one

``longest_match`` never looks ahead; ``fewest_tokens`` compares all ways. A vocabulary trained by BPE may be used with
either, and with neither of them are the ids those of its merges (``reference.encoding``).

If several ways have the fewest tokens, the one whose last token is the longest wins, then the one whose token before
that is the longest. That is PathPiece's own rule (its other one draws lots), and it makes the ids depend on nothing but
the word and the vocabulary.

Limits: words. The work grows with the square of the length.

Source: Schmidt et al., "Tokenization Is More Than Compression" (2024), https://arxiv.org/abs/2402.18376, and its
program https://github.com/kensho-technologies/pathpiece. The longest token first is the rule of WordPiece.
"""

from __future__ import annotations

from collections.abc import Mapping

from minbpe_course.errors import UnknownToken


def fewest_tokens(word: bytes, vocabulary: Mapping[bytes, int]) -> list[int]:
    """Return the ids of the fewest tokens that make a word.

    vocabulary : token -> id. Raises UnknownToken if its tokens cannot make the word; all 256 bytes make every word.

    >>> vocabulary = {b"a": 0, b"b": 1, b"c": 2, b"d": 3, b"e": 4, b"ab": 5, b"abc": 6, b"cde": 7}
    >>> fewest_tokens(b"abcde", vocabulary)
    [5, 7]
    >>> fewest_tokens(b"abc", {b"a": 0, b"c": 1, b"ab": 2, b"bc": 3})      # a|bc and ab|c: the longer last token wins
    [0, 3]
    """
    fewest: list[float] = [0]  # tokens in word[:end], for every end
    begins = [0]  # where the last of those tokens begins
    for end in range(1, len(word) + 1):
        ways = [(fewest[begin] + 1, begin) for begin in range(end) if word[begin:end] in vocabulary]
        tokens, begin = min(ways, default=(float("inf"), 0))
        fewest.append(tokens)
        begins.append(begin)
    if fewest[-1] == float("inf"):
        raise _no_way(word)
    ids = []
    end = len(word)
    while end:
        ids.append(vocabulary[word[begins[end] : end]])
        end = begins[end]
    return ids[::-1]


def longest_match(word: bytes, vocabulary: Mapping[bytes, int]) -> list[int]:
    """Return the ids of a word from left to right, always of the longest token that fits.

    Raises UnknownToken if no token fits; all 256 bytes fit everywhere.

    >>> vocabulary = {b"a": 0, b"b": 1, b"c": 2, b"d": 3, b"e": 4, b"ab": 5, b"abc": 6, b"cde": 7}
    >>> longest_match(b"abcde", vocabulary)
    [6, 3, 4]
    """
    ids = []
    begin = 0
    while begin < len(word):
        end = next((end for end in range(len(word), begin, -1) if word[begin:end] in vocabulary), None)
        if end is None:
            raise _no_way(word)
        ids.append(vocabulary[word[begin:end]])
        begin = end
    return ids


def _no_way(word: bytes) -> UnknownToken:
    return UnknownToken(f"the tokens of the vocabulary do not make {word!r}. Put all 256 bytes into the vocabulary.")
