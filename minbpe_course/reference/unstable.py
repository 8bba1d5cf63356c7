"""Find the tokens that may cross the end of a text once the text continues.

    end   h t t p s :        tokens   : ://  s:  https  https:  …
    the last place           ://      begins with ":" and goes beyond it
    the place before         (none)   "s:" goes beyond nothing
    the first place          (none)   so does "https:"

A text that stops inside such a token is cut in another way than the finished text will be: its last ids are unstable.
In a sorted vocabulary the tokens with a common beginning stand side by side, so two bisections find them all.

tiktoken's ``encode_with_unstable`` answers with the ids that stay (all but those of the last word) and, for the rest,
with every sequence of ids that may come in their place:

    unstable " fant"   ->   a token that begins with it            " fanta" (token), " fantastic", …
                            " fan" and a token with "t…"           cut again, kept until the end is reached
                            the last space as a separate word      the next word may take it along
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from minbpe_course.reference.rank_merging import merge_by_rank
from minbpe_course.text.unicode_tables import WHITE_SPACE as WHITE_SPACE


@dataclass(frozen=True)
class Crossing:
    """The tokens that begin at ``at``, agree with the text up to its end, and are longer."""

    at: int
    tokens: tuple[bytes, ...]


def longer_tokens(beginning: bytes, tokens: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the tokens that begin with ``beginning`` and are longer. ``tokens`` are sorted, without repetition.

    >>> longer_tokens(b"ab", [b"a", b"ab", b"abc", b"abd", b"b"])
    (b'abc', b'abd')
    """
    places = tokens_beginning_with(beginning, tokens)
    return tuple(tokens[place] for place in places if tokens[place] != beginning)


def crossing_tokens(end: bytes, tokens: Sequence[bytes]) -> Iterator[Crossing]:
    """Yield, for every place of ``end`` from the first on, the tokens that may stand from there across the end.

    end : the last bytes of a text; tokens that begin before them are not found. tokens : sorted, each once.

    >>> [(one.at, one.tokens) for one in crossing_tokens(b"xab", [b"a", b"ab", b"abc", b"b", b"bc", b"xa"])]
    [(1, (b'abc',)), (2, (b'bc',))]
    """
    for at in range(len(end)):
        found = longer_tokens(end[at:], tokens)
        if found:
            yield Crossing(at, found)


def tokens_beginning_with(beginning: bytes, tokens: Sequence[bytes]) -> range:
    """Return the places of the tokens that begin with ``beginning``, itself included. ``tokens`` are sorted, each once.

    >>> tokens_beginning_with(b"ab", [b"a", b"ab", b"abc", b"abd", b"b"])
    range(1, 4)
    """
    # Byte strings are compared byte by byte, so all that begin alike follow the beginning itself without a gap.
    first = bisect_left(tokens, beginning)
    return range(first, bisect_left(tokens, True, lo=first, key=lambda token: not token.startswith(beginning)))


def unstable_count(ids: Sequence[int], of_last_word: int, is_space: Callable[[int], bool]) -> int:
    """Return how many of the last ids are unstable.

    of_last_word : how many ids the last word has · is_space : whether an id is only spaces, tabs and line ends. If the
    last word begins with such an id, the same ids before it count as well: once the text continues, a pattern may make
    one word of them.

    >>> unstable_count([1, 10, 10, 10], 1, lambda token_id: token_id == 10)
    3
    """
    count = of_last_word
    if count and is_space(ids[-count]):
        while count < len(ids) and is_space(ids[-count - 1]):
            count += 1
    return count


def completions(
    unstable: bytes, tokens: Sequence[bytes], ranks: Mapping[bytes, int], encode: Callable[[str], Sequence[int]]
) -> set[tuple[int, ...]]:
    """Return the sequences of ids that may replace ``unstable`` once the text continues, as tiktoken finds them.

    tokens : sorted, each once · ranks : their ids · encode : from an ordinary text to ids.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"abc": 257, b"bc": 258}
    >>> sorted(completions(b"ab", sorted(ranks), ranks, lambda text: merge_by_rank(text.encode(), ranks)))
    [(256,), (257,)]
    """
    if not unstable:
        return set()
    found: set[tuple[int, ...]] = {(ranks[tokens[place]],) for place in tokens_beginning_with(unstable, tokens)}
    bytes_of = {token_id: token for token, token_id in ranks.items()}
    for at in range(1, len(unstable)):
        for place in tokens_beginning_with(unstable[at:], tokens):
            possible = unstable[:at] + tokens[place]
            try:
                ids = encode(possible.decode("utf-8"))
            except UnicodeDecodeError:
                # Part of a character: no pattern can be asked, so it is taken for one word.
                ids = merge_by_rank(possible, ranks)
            kept, size = [], 0
            for token_id in ids:
                kept.append(token_id)
                size += len(bytes_of[token_id])
                if size >= len(unstable):
                    break
            found.add(tuple(kept))
    text = unstable.decode("utf-8")
    if len(text) > 1 and text[-1] in WHITE_SPACE:
        last = len(text[-1].encode("utf-8"))
        found.add((*merge_by_rank(unstable[:-last], ranks), *merge_by_rank(unstable[-last:], ranks)))
    return found
