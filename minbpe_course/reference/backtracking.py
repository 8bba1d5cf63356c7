"""Encoding one word from left to right: take the longest token that fits, step back where nothing does.

    n a m e s        n a | m e s     the longest token that the word begins with
                     n a | m e       the longest that begins here ...
                     na  me | s      ... may it follow ``na``? One test on two tokens decides that.

Merging examines all pairs of a word for every merge. Backtracking examines each place a few times only, so the work
grows with the length of the word and not with its square. The ids are the same, for two reasons:

* Take tokens that are each the encoding of their bytes. They are the encoding of the whole word if, and only if, each
  two neighbours are the encoding of their joined bytes: the first merge across a border would happen between those two
  alone as well. ``fit`` is that test. It needs no merging: it undoes merges, the latest first.
* There is exactly one such sequence of tokens. So a search that steps back out of dead ends finds it.

Limits: every token must be reached by its own merges, as every trained token is. ``prepare`` tests that with ``fit``
and raises UnsupportedModel otherwise; a merge list with another token was written by hand.

Source: the crate ``bpe`` of GitHub's rust-gems. ``reference.encoding`` gives the same ids by merging.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from minbpe_course.errors import UnsupportedModel
from minbpe_course.reference.pairs import Pair

FITS = "fits"
DOES_NOT_FIT = "does not fit"
LEADS_NOWHERE = "leads nowhere"
TAKEN_BACK = "taken back"

NEVER = float("inf")


class BacktrackStep(NamedTuple):
    """One attempt: ``token`` at place ``at`` of the word, and the result.

    FITS            it is chosen for now; the search continues after it
    DOES_NOT_FIT    it may not follow its left neighbour
    LEADS_NOWHERE   the place after it is a known dead end
    TAKEN_BACK      nothing fits after it, so it is removed; a shorter token is tried next
    """

    at: int
    token: int
    verdict: str


class Tables(NamedTuple):
    """The tables that ``prepare`` derives from the merges, once per vocabulary.

    ranks : pair -> the id it becomes · halves : id -> the pair it was made of · lengths : id -> how many bytes, for
    the ids that merges make · shorter : id -> the next shorter token that it begins with · places and tokens : the
    trie; ``places[place, byte id]`` is where the next byte leads, ``tokens[place]`` the token that is complete there.
    """

    ranks: Mapping[Pair, int]
    halves: Mapping[int, Pair]
    lengths: Mapping[int, int]
    shorter: Mapping[int, int]
    places: Mapping[tuple[int, int], int]
    tokens: Sequence[int | None]


ROOT = 0


def prepare(ranks: Mapping[Pair, int]) -> Tables:
    """Return the tables of a vocabulary.

    ``ranks`` is pair -> new id, as ``BytePairModel.ranks`` gives it; ids that no merge makes are those of bytes.
    Raises UnsupportedModel when a token is not reached by its own merges.

    >>> tables = prepare({(97, 97): 256, (256, 98): 257})
    >>> tables.lengths[257], tables.shorter[257], tables.shorter[256]
    (3, 256, 97)
    >>> prepare({(97, 98): 256, (98, 99): 257, (97, 257): 258})  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    UnsupportedModel: token 258 = (97, 257) is not reached by its own merges
    """
    halves: dict[int, Pair] = {}
    spelled: dict[int, tuple[int, ...]] = {}
    for pair, token in sorted(ranks.items(), key=lambda item: item[1]):
        if token in halves or max(pair) >= token:
            raise UnsupportedModel(
                f"merge {pair} makes {token}, an id that is not new. The id of a merge must be larger than the ids it "
                "joins, and each merge must make its own."
            )
        halves[token] = pair
        spelled[token] = tuple(byte for half in pair for byte in spelled.get(half, (half,)))
        if not fit(*pair, ranks, halves, before=token):
            raise UnsupportedModel(
                f"token {token} = {pair} is not reached by its own merges: a merge with a smaller id joins the end of "
                "its left half to the beginning of its right half first.\n"
                "Such a merge list was not trained. reference.encoding encodes with it."
            )
    shorter: dict[int, int] = {}
    tables = Tables(ranks, halves, {token: len(ids) for token, ids in spelled.items()}, shorter, *_trie(spelled))
    shorter.update((token, longest_match(ids[:-1], 0, tables)) for token, ids in spelled.items())
    return tables


def fit(left: int, right: int, ranks: Mapping[Pair, int], halves: Mapping[int, Pair], *, before: float = NEVER) -> bool:
    """Return whether ``left`` and ``right`` stay side by side: whether no merge before ``before`` crosses the border.

    Time runs backwards here. The two tokens at the border were made by merges; undoing the later one brings back the
    moment before it, with two other tokens at the border. Had a merge of those two been due by then, it would have
    come first, and ``left`` or ``right`` would never have been made.

    >>> ranks = {(97, 97): 256, (97, 98): 257}
    >>> halves = {256: (97, 97), 257: (97, 98)}
    >>> fit(97, 257, ranks, halves), fit(256, 98, ranks, halves)     # a|ab: no, aa is due first. aa|b: yes
    (False, True)
    """
    while ranks.get((left, right), NEVER) >= before:
        # Of two equal tokens the right one was made later, because equal merges happen from left to right.
        if left in halves and (right not in halves or left > right):
            before, left = left, halves[left][1]
        elif right in halves:
            # subtle: the same merge across the border lies further left than the one inside ``right``, so it counts.
            before, right = right + 1, halves[right][0]
        else:
            return True
    return False


class BorderStep(NamedTuple):
    """The border at one moment: the tokens left and right of it, what the two at it would become, and by when.

    ``merged`` is None where no merge joins the two. They do not fit when it is smaller than ``before``.
    """

    lefts: tuple[int, ...]
    rights: tuple[int, ...]
    merged: int | None
    before: float


def border_steps(left: int, right: int, ranks: Mapping[Pair, int], halves: Mapping[int, Pair]) -> Iterator[BorderStep]:
    """Yield what ``fit`` looks at, up to the moment that decides.

    >>> ranks = {(97, 97): 256, (97, 98): 257}
    >>> for step in border_steps(97, 257, ranks, {256: (97, 97), 257: (97, 98)}):
    ...     print(*step)
    (97,) (257,) None inf
    (97,) (97, 98) 256 258
    """
    lefts, rights, before = [left], [right], NEVER
    while True:
        left, right = lefts[-1], rights[0]
        merged = ranks.get((left, right))
        yield BorderStep(tuple(lefts), tuple(rights), merged, before)
        if (merged is not None and merged < before) or not halves.keys() & {left, right}:
            return
        if left in halves and (right not in halves or left > right):
            before, lefts[-1:] = left, halves[left]
        else:
            before, rights[:1] = right + 1, halves[right]


def longest_match(ids: Sequence[int], at: int, tables: Tables) -> int:
    """Return the longest token with which ``ids[at:]`` begins; a byte is always one.

    >>> longest_match(b"baab", 1, prepare({(97, 97): 256, (256, 98): 257}))
    257
    """
    best, place = ids[at], ROOT
    for further in range(at, len(ids)):
        place = tables.places.get((place, ids[further]), ROOT)
        if place == ROOT:
            break
        token = tables.tokens[place]
        best = best if token is None else token
    return best


def backtracking_steps(ids: Sequence[int], tables: Tables) -> Iterator[BacktrackStep]:
    """Yield every attempt; ``encode_word`` shows how the steps make the ids.

    >>> tables = prepare({(97, 98): 256, (97, 97): 257, (257, 257): 258})     # ab, aa, aaaa
    >>> for at, token, verdict in backtracking_steps(b"aaaab", tables):
    ...     print(at, token, verdict)
    0 258 fits
    4 98 does not fit
    0 258 taken back
    0 257 fits
    2 257 leads nowhere
    2 97 fits
    3 256 fits
    """
    chosen: list[int] = []
    dead = set()
    at = 0
    while at < len(ids):
        token: int | None = longest_match(ids, at, tables)
        while token is not None:
            end = at + tables.lengths.get(token, 1)
            if end in dead:
                yield BacktrackStep(at, token, LEADS_NOWHERE)
            elif chosen and not fit(chosen[-1], token, tables.ranks, tables.halves):
                yield BacktrackStep(at, token, DOES_NOT_FIT)
            else:
                yield BacktrackStep(at, token, FITS)
                chosen.append(token)
                at = end
                break
            token = tables.shorter.get(token)
            while token is None and chosen:
                # Every sequence that reaches this place ends with the same token, so the place is dead for good.
                dead.add(at)
                back = chosen.pop()
                at -= tables.lengths.get(back, 1)
                yield BacktrackStep(at, back, TAKEN_BACK)
                token = tables.shorter.get(back)
        else:
            raise AssertionError("single bytes always make the word, so some sequence of tokens is its encoding")


def encode_word(ids: Sequence[int], tables: Tables) -> list[int]:
    """Return the ids of one word: those that ``reference.encoding.encode_word`` gives.

    ``ids`` are the ids of its bytes, as there; ``tables`` come from ``prepare``.

    >>> tables = prepare({(97, 97): 256, (256, 97): 257})
    >>> encode_word(b"aaab", tables), encode_word(b"", tables)
    ([257, 98], [])
    """
    encoded: list[int] = []
    for step in backtracking_steps(ids, tables):
        if step.verdict == FITS:
            encoded.append(step.token)
        elif step.verdict == TAKEN_BACK:
            encoded.pop()
    return encoded


def _trie(spelled: Mapping[int, tuple[int, ...]]) -> tuple[dict[tuple[int, int], int], list[int | None]]:
    places: dict[tuple[int, int], int] = {}
    tokens: list[int | None] = [None]
    for token, ids in spelled.items():
        place = ROOT
        for byte_id in ids:
            if (place, byte_id) not in places:
                places[place, byte_id] = len(tokens)
                tokens.append(byte_id if place == ROOT else None)
            place = places[place, byte_id]
        tokens[place] = token
    return places, tokens
