"""What is wanted in lesson 04, and what learners write in its place.

    order_of, recover, encode, alphabet_of, read_file       the references; a vocabulary may know fewer than 256 bytes
    encode_backwards, read_between, bytes_for_ids ...       each wrong in one way, for the hints
    text_complaint, smallest_text, text_size                a text that gives a vocabulary, and how large it is

``recover`` differs from ``reference.recovery.recover_merges`` in one thing: it does not insist on all 256 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from minbpe_course.checks.equality import shown
from minbpe_course.checks.exercise import Case
from minbpe_course.reference.encoding import encode_word
from minbpe_course.reference.recovery import split_token
from minbpe_course.reference.training import train_steps
from minbpe_course.text.byte_alphabet import printable_bytes

LARGEST_TEXT = 5_000  # bytes


def order_of(ranks: dict[bytes, int]) -> list[int]:
    """Return the bytes in the order of their ids.

    >>> order_of({b"ab": 2, b"a": 1, b"b": 0})
    [98, 97]
    """
    return [token[0] for token in sorted(ranks, key=ranks.__getitem__) if len(token) == 1]


def recover(ranks: dict[bytes, int]) -> list[tuple[int, int]]:
    """Return the pairs of ids in the order of their ranks.

    >>> recover({b"ab": 2, b"a": 1, b"b": 0})
    [(1, 0)]
    """
    merged = [token for token in sorted(ranks, key=ranks.__getitem__) if len(token) > 1]
    return [(ranks[left], ranks[right]) for left, right in (split_token(token, ranks) for token in merged)]


def alphabet_of(order: Sequence[int]) -> dict[int, str]:
    """Return byte -> character: up to the first descent a byte shows as itself, then characters are borrowed.

    >>> alphabet_of([65, 66, 10])
    {65: 'A', 66: 'B', 10: '\u0100'}
    """
    return _spelled(order, next((at for at in range(1, len(order)) if order[at] < order[at - 1]), len(order)))


def hides_after_a_gap(order: Sequence[int]) -> dict[int, str]:
    """Take the first byte that does not follow its predecessor for the first hidden one."""
    return _spelled(order, next((at for at in range(1, len(order)) if order[at] != order[at - 1] + 1), len(order)))


def _spelled(order: Sequence[int], visible: int) -> dict[int, str]:
    return {byte: chr(byte) if at < visible else chr(256 + at - visible) for at, byte in enumerate(order)}


def borrows_by_byte(order: Sequence[int]) -> dict[int, str]:
    """Borrow the character 256 above the byte."""
    spelled = alphabet_of(order)
    return {byte: sign if ord(sign) < 256 else chr(256 + byte) for byte, sign in spelled.items()}


def borrows_by_id(order: Sequence[int]) -> dict[int, str]:
    """Borrow the character 256 above the id."""
    spelled = alphabet_of(order)
    return {byte: sign if ord(sign) < 256 else chr(256 + at) for at, (byte, sign) in enumerate(spelled.items())}


def gpt2_always(order: Sequence[int]) -> dict[int, str]:
    """Spell every byte as GPT-2 does, whatever the order says."""
    return {byte: printable_bytes()[byte] for byte in order}


def encode(word: str, order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Return the ids of a word.

    >>> encode("aab", [98, 97], [(1, 1), (2, 0)])
    [3]
    """
    return _merged([order.index(byte) for byte in word.encode()], order, merges)


def encode_unshuffled(word: str, order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Take every byte for its own id."""
    return _merged(list(word.encode()), order, merges)


def encode_backwards(word: str, order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Ask the order for the id of a byte, where it knows the byte of an id."""
    return _merged([order[byte] for byte in word.encode()], order, merges)


def encode_characters(word: str, order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Look up characters, not bytes."""
    return _merged([order.index(ord(character)) for character in word], order, merges)


def encode_from_256(word: str, order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Number the merges from 256 on, however many bytes there are."""
    return _merged([order.index(byte) for byte in word.encode()], range(256), merges)


def encode_from_0(word: str, order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Number the merges from 0 on, as if there were no single bytes."""
    ids = [order.index(byte) for byte in word.encode()]
    made = {(left, right): rank for rank, (left, right) in enumerate(merges)}
    # One place at a time, since here it makes a difference: what was made may be the half of an older merge.
    while found := [(made[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in made]:
        rank, at = min(found)
        ids[at : at + 2] = [rank]
    return ids


def encode_by_place(word: str, order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Merge the leftmost pair that can merge, whatever its rank."""
    ids = [order.index(byte) for byte in word.encode()]
    ranks = {(left, right): len(order) + rank for rank, (left, right) in enumerate(merges)}
    while found := [at for at, pair in enumerate(zip(ids, ids[1:])) if pair in ranks]:  # noqa: RUF007
        ids[found[0] : found[0] + 2] = [ranks[ids[found[0]], ids[found[0] + 1]]]
    return ids


def _merged(ids: list[int], order: Sequence[int], merges: Sequence[Sequence[int]]) -> list[int]:
    return encode_word(ids, {(left, right): len(order) + rank for rank, (left, right) in enumerate(merges)})


def oldest_parts_first(ranks: dict[bytes, int]) -> list[tuple[int, int]]:
    """Cut every token where the younger part is oldest, at the first of such places.

    >>> oldest_parts_first({b"a": 0, b"aa": 1, b"aaa": 2})
    [(0, 0), (0, 1)]
    """
    merges = []
    for token in sorted(ranks, key=ranks.__getitem__):
        halves = [(ranks.get(token[:at]), ranks.get(token[at:])) for at in range(1, len(token))]
        cuts = [(left, right) for left, right in halves if left is not None and right is not None]
        merges += [min(cuts, key=max)] if cuts else []
    return merges


def bytes_for_ids(ranks: dict[bytes, int]) -> list[tuple[bytes, bytes]]:
    """Recover the merges, but as pairs of tokens."""
    by_id = {token_id: token for token, token_id in ranks.items()}
    return [(by_id[left], by_id[right]) for left, right in recover(ranks)]


# ----------------------------------------------------------------------------------------------------
# Reading a file of merges


def read_file(text: str, alphabet: dict[int, str]) -> dict[bytes, int]:
    """Return the ranks of a file of merges.

    >>> read_file("a b", {98: "b", 97: "a"})
    {b'b': 0, b'a': 1, b'ab': 2}
    """
    lines = text.split("\n")
    return _ranks_of(lines[1:] if lines[0].startswith("#version") else lines, alphabet)


def read_between(text: str, alphabet: dict[int, str]) -> dict[bytes, int]:
    """Drop the first and the last line, whatever they are: what GPT-2's own reader did, and tiktoken's still does."""
    return _ranks_of(text.split("\n")[1:-1], alphabet)


def read_without_comments(text: str, alphabet: dict[int, str]) -> dict[bytes, int]:
    """Take every line that begins with a number sign for a comment."""
    return _ranks_of([line for line in text.split("\n") if not line.startswith("#")], alphabet)


def read_all(text: str, alphabet: dict[int, str]) -> dict[bytes, int]:
    """Take the header for a merge."""
    return _ranks_of(text.split("\n"), alphabet)


def read_after_first(text: str, alphabet: dict[int, str]) -> dict[bytes, int]:
    """Drop the first line, whatever it is."""
    return _ranks_of(text.split("\n")[1:], alphabet)


def read_to_the_last(text: str, alphabet: dict[int, str]) -> dict[bytes, int]:
    """Know when there is a header, but drop the last line, whatever it is."""
    lines = text.split("\n")[:-1]
    return _ranks_of(lines[1:] if lines and lines[0].startswith("#version") else lines, alphabet)


def _ranks_of(lines: list[str], alphabet: dict[int, str]) -> dict[bytes, int]:
    byte_of = {character: byte for byte, character in alphabet.items()}
    ranks = {bytes([byte]): token_id for token_id, byte in enumerate(alphabet)}
    for line in filter(None, lines):
        left, right = line.split(" ")
        ranks[bytes(byte_of[character] for character in left + right)] = len(ranks)
    return ranks


# ----------------------------------------------------------------------------------------------------
# A text to train on


def text_complaint(case: Case, words: object) -> str | None:
    """Say why training on these words does not give the vocabulary, or None when it does.

    >>> text_complaint(Case("", ([b"ab", b"abc"],)), [b"abc"]) is None
    True
    >>> text_complaint(Case("", ([b"ab", b"abc"],)), [b"cab"])
    "training on your words makes b'ca' first, where b'ab' is wanted"
    """
    wanted = case.args[0]
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, bytes) for word in words):
        return "a list of words is wanted, each of them bytes"
    if sum(map(len, words)) > LARGEST_TEXT or len(words) > LARGEST_TEXT:
        return f"a text of at most {LARGEST_TEXT:,} bytes"
    made = trained(tuple(words), len(wanted))
    for place, token in enumerate(wanted):
        if place == len(made):
            return f"training on your words stops after {place} merges, {len(wanted)} are wanted"
        if made[place] != token:
            which = "first" if place == 0 else f"as token number {place + 1}"
            return f"training on your words makes {shown(made[place], 60)} {which}, where {token!r} is wanted"
    return None


@lru_cache(maxsize=1024)
def trained(words: tuple[bytes, ...], number: int) -> list[bytes]:
    """Return the first ``number`` tokens that training makes of words.

    >>> trained((b"ab", b"abc"), 2)
    [b'ab', b'abc']
    """
    return [step.token for step in train_steps(words, 256 + number)]


@lru_cache(maxsize=1024)
def smallest_text(tokens: tuple[bytes, ...]) -> list[bytes]:
    """Return a small text for a vocabulary, built from its last token to its first.

    What is learned later does not matter to what is learned earlier, except as competition.

    >>> smallest_text((b"ab", b"abc"))
    [b'abc']
    """
    words: list[bytes] = []
    for at in reversed(range(len(tokens))):
        while _next_token(words, tokens[:at]) != tokens[at]:
            words.insert(0, tokens[at])
    return words


def _next_token(words: list[bytes], learned: tuple[bytes, ...]) -> bytes | None:
    counts: dict[tuple[bytes, bytes], int] = {}
    for word in words:
        parts = _replayed(word, learned)
        for pair in zip(parts, parts[1:]):  # noqa: RUF007
            counts[pair] = counts.get(pair, 0) + 1
    if not counts:
        return None
    left, right = max(counts, key=counts.__getitem__)
    return left + right


@lru_cache(maxsize=4096)
def _replayed(word: bytes, learned: tuple[bytes, ...]) -> list[bytes]:
    parts = [word[at : at + 1] for at in range(len(word))]
    for token in learned:
        at = 0
        while at + 1 < len(parts):
            if parts[at] + parts[at + 1] == token:
                parts[at : at + 2] = [token]
            at += 1
    return parts


def text_size(cases: tuple[Case, ...], answers: list[list[bytes]]) -> tuple[float, str | None]:
    """Measure texts, all together, in per cent of the ones that ``smallest_text`` gives.

    >>> text_size((Case("", ([b"ab", b"abc"],)),), [[b"ab", b"abc"]])
    (166.66666666666666, None)
    """
    yours = sum(len(word) for words in answers for word in words)
    ours = sum(len(word) for case in cases for word in smallest_text(tuple(case.args[0])))
    return 100 * yours / ours, None
