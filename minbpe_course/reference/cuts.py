"""Safe cuts: places inside a word that no token crosses, so that both sides can be encoded alone.

    东京タワー      some token holds 东京, none holds 京タ          东京 | タワー

BPE joins neighbours. A merge across a place makes a token that holds the characters on both sides of it. If the
vocabulary has no such token, the place is a border between tokens in every text. The two characters that meet there
decide:

    X | Y       safe when no token holds the character X followed by the character Y ...
    x | y       ... and no token that was cut inside X or inside Y holds X's last byte x followed by Y's first byte y

The second line is for tokens that begin or end in the middle of a character. It compares single bytes, so it sometimes
calls a safe place unsafe; that costs a cut, never an id.

Limits: words are UTF-8, and the rule is about merging. An encoder that first looks whether a whole word is a token, as
tiktoken does, must not ask that about a part: with hand-made tokens that no merges reach, the answers would differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from minbpe_course.errors import InvalidText


class Neighbours(NamedTuple):
    """The neighbours inside the tokens of a vocabulary.

    characters : pairs of whole characters · cut_bytes : pairs of bytes where two characters meet and the token holds
    only a part of one of them, or of both.
    """

    characters: frozenset[tuple[str, str]]
    cut_bytes: frozenset[tuple[int, int]]


def neighbours_in(tokens: Iterable[bytes]) -> Neighbours:
    """Return the neighbours that some token holds.

    >>> neighbours_in(["né".encode(), b"t\\xc3", b"\\xa9s"])
    Neighbours(characters=frozenset({('n', 'é')}), cut_bytes=frozenset({(116, 195), (169, 115)}))
    """
    characters, cut_bytes = set(), set()
    for token in tokens:
        for left, right in pairwise(characters_of(token)):
            x, y = whole_character(left), whole_character(right)
            if x is None or y is None:
                cut_bytes.add((left[-1], right[0]))
            else:
                characters.add((x, y))
    return Neighbours(frozenset(characters), frozenset(cut_bytes))


def characters_of(token: bytes) -> list[bytes]:
    """Cut bytes where a character of UTF-8 begins. The first and the last part may be a part of a character only.

    >>> characters_of(b"\\xa9s\\xc3")
    [b'\\xa9', b's', b'\\xc3']
    """
    begins = [at for at, byte in enumerate(token) if at == 0 or not 0x80 <= byte < 0xC0]
    return [token[begin:end] for begin, end in pairwise([*begins, len(token)])]


def whole_character(part: bytes) -> str | None:
    """Return the character that ``part`` spells, or None when it is only a part of one.

    >>> whole_character(b"\\xc3\\xa9"), whole_character(b"\\xc3")
    ('é', None)
    """
    try:
        return part.decode("utf-8")
    except UnicodeDecodeError:
        return None


def safe_cuts(word: bytes, neighbours: Neighbours) -> list[int]:
    """Return where ``word`` may be cut, as numbers of bytes from its beginning. Raises InvalidText: no UTF-8.

    >>> safe_cuts("東né".encode(), neighbours_in(["né".encode()]))
    [3]
    """
    try:
        text = word.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidText(
            f"byte {error.start} of {word!r:.80} does not belong to UTF-8. Safe cuts lie between whole "
            "characters, so give the bytes of a whole word: text.encode('utf-8')."
        ) from error
    cuts = []
    at = 0
    for x, y in pairwise(text):
        left = x.encode("utf-8")
        at += len(left)
        if (x, y) not in neighbours.characters and (left[-1], word[at]) not in neighbours.cut_bytes:
            cuts.append(at)
    return cuts


def cut_word(word: bytes, neighbours: Neighbours) -> list[bytes]:
    """Return the parts of ``word`` between its safe cuts: encoded one by one they give the ids of the whole.

    >>> cut_word(b"abcab", neighbours_in([b"ab"]))
    [b'ab', b'c', b'ab']
    """
    if not word:
        return []
    return [word[begin:end] for begin, end in pairwise([0, *safe_cuts(word, neighbours), len(word)])]
