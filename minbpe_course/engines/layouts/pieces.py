"""A SentencePiece model laid out as flat arrays for ``kernels.normalize``, ``segments``, ``pieces`` and ``documents``;
the dtypes are chosen here.

Inside the engine text has one byte for ▁, a space, where the model escapes spaces: no other space is left then. So do
the pieces. ``outside`` gives text back the way people see it.

    "▁the"  -> b" the"  (inside)        b" the"  -> "▁the".encode()  (outside)

Limits: plain data in and out; hash tables are filled by kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

FREE = -1
CODE_POINTS = 0x110000
SPACE_MARK = "▁".encode()
NO_ID = 0xFFFFFFFF


def inside(piece: str, escape: bool) -> bytes | None:
    """Return a piece as the engine has it, or None for one that no normalised text can hold.

    >>> inside("▁the", True), inside("a b", True), inside("▁", False) == "▁".encode()
    (b' the', None, True)
    """
    data = piece.encode("utf-8", "surrogateescape")
    if not escape:
        return data
    return None if b" " in data else data.replace(SPACE_MARK, b" ")


def outside(text: bytes, escape: bool) -> bytes:
    """Return the engine's text as people see it.

    >>> outside(b" a", True).decode()
    '▁a'
    """
    return text.replace(b" ", SPACE_MARK) if escape else text


def outside_positions(text: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return ``positions``, one for each byte of ``text`` and one for its end, for the bytes of ``outside(text)``.

    >>> outside_positions(np.frombuffer(b" a", np.uint8), np.array([0, 1, 2])).tolist()
    [0, 0, 0, 1, 2]
    """
    return np.repeat(positions, np.append(np.where(text == 0x20, 3, 1), 1))


def score_ranks(scores: Sequence[float]) -> np.ndarray:
    """Return int32[n]: 0 for the best score, equal numbers for equal scores. Order is that of the float32 bits.

    >>> score_ranks([-2.0, -0.0, 0.0, -2.0]).tolist()
    [2, 1, 0, 2]
    """
    bits = np.asarray(scores, dtype=np.float32).view(np.int32).astype(np.int64)
    order = np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF) - 1)
    return np.unique(-order, return_inverse=True)[1].reshape(-1).astype(np.int32)


class Trie(NamedTuple):
    """Pieces as a hashed trie: keys int64 (``node << 8 | byte``), nodes int32, each node's id, int32, -1 for none."""

    keys: np.ndarray
    nodes: np.ndarray
    ids: np.ndarray


def lay_trie(pieces: Mapping[bytes, int]) -> Trie:
    """Lay out pieces, which are not empty, and their ids.

    >>> keys, nodes, ids = lay_trie({b"ab": 7})
    >>> ids.tolist(), sorted(key for key in keys.tolist() if key >= 0) == [ord("a"), 1 << 8 | ord("b")]
    ([-1, -1, 7], True)
    """
    # In order, a piece shares the beginning with the one before it, and every byte behind that is a new node.
    path = np.zeros(max(map(len, pieces), default=0) + 1, dtype=np.int64)
    keys, before, count = [np.empty(0, dtype=np.int64)], np.empty(0, dtype=np.int64), 1
    ends = []
    for piece in sorted(pieces):
        data = np.frombuffer(piece, dtype=np.uint8).astype(np.int64)
        common = min(len(data), len(before))
        differs = data[:common] != before[:common]
        shared = int(differs.argmax()) if differs.any() else common
        path[shared + 1 : len(data) + 1] = np.arange(count, count + len(data) - shared)
        keys.append(path[shared : len(data)] << 8 | data[shared:])
        ends.append((path[len(data)], pieces[piece]))
        count += len(data) - shared
        before = data
    ids = np.full(count, -1, dtype=np.int32)
    for node, piece_id in ends:
        ids[node] = piece_id
    return Trie(*_hashed(np.concatenate(keys)), ids)


def _hashed(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Enter keys, of which number k leads to node k + 1, into a hash table with linear probing: keys and nodes."""
    room = room_for(2 * len(keys))
    table, nodes = np.full(room, FREE, dtype=np.int64), np.full(room, FREE, dtype=np.int32)
    slots = (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)).astype(np.int64) & room - 1
    waiting = np.arange(len(keys))
    while len(waiting):
        free = waiting[table[slots[waiting]] == FREE]
        taken, first = np.unique(slots[free], return_index=True)
        table[taken], nodes[taken] = keys[free[first]], free[first] + 1
        # Who was not the first there finds the place taken, and goes on to the next.
        waiting = np.setdiff1d(waiting, free[first], assume_unique=True)
        slots[waiting] = slots[waiting] + 1 & room - 1
    return table, nodes


class RuleTables(NamedTuple):
    """The normaliser: starts uint8[256], units uint32, strings uint8, loud int64[3, 2]; see ``kernels.normalize``.

    high : whether bytes above ASCII can begin something that matters.
    """

    starts: np.ndarray
    units: np.ndarray
    strings: np.ndarray
    loud: np.ndarray
    high: bool


def pack_rules(units: Sequence[int], strings: bytes, user_defined: Iterable[bytes]) -> RuleTables:
    """Lay out a normaliser: the two halves of an opened table of rules, empty for none, and the pieces that are copied.

    >>> tables = pack_rules((), b"", [b"<a>"])
    >>> int(tables.starts[ord("<")]), tables.loud.tolist(), tables.high
    (1, [[60, 1], [0, 0], [0, 0]], False)
    """
    starts = np.zeros(256, dtype=np.uint8)
    table = np.array(units, dtype=np.uint32)
    for piece in user_defined:
        starts[piece[0]] |= 1
    loud = (starts[:128] & 1).astype(bool)
    if len(table):
        root = _children(table, 0)
        starts[root >= 0] |= 2
        for byte in np.flatnonzero(root[:128] >= 0).tolist():
            # A rule of this byte alone, or of it and more ASCII: what one byte says is not enough to copy it.
            unit = int(root[byte])
            loud[byte] |= bool(int(table[unit]) >> 8 & 1) or bool((_children(table, unit)[:128] >= 0).any())
    high = len(table) > 0 or bool((starts[128:] & 1).any())
    return RuleTables(starts, table, np.frombuffer(strings or b"\0", dtype=np.uint8), _ranges(loud), high)


# What ``kernels.normalize`` may do with a character: ask further; copy it; copy it unless what follows can go on with a
# rule; treat it as a space.
ASK, COPY, COPY_ALONE, SPACE_KIND = range(4)
MOST_KINDS = 0x10000


def character_kinds(units: np.ndarray, user_defined: Iterable[bytes]) -> np.ndarray:
    """Return uint8[0x10000 + 256]: the kind of each character below 0x10000, then 1 for each byte with which the second
    character of a rule can begin.

    >>> kinds = character_kinds(pack_rules((), b"", ()).units, [b"<a>"])
    >>> kinds[[ord("<"), ord("a"), ord(" "), ord("▁"), ord("中")]].tolist()
    [0, 1, 3, 0, 1]
    """
    kinds = np.full(MOST_KINDS + 256, COPY, dtype=np.uint8)
    kinds[MOST_KINDS:] = 0
    if len(units):
        root = _children(units, 0)
        for lead in np.flatnonzero(root >= 0).tolist():
            size = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3
            if lead < 0xF0:
                _note_kinds(units, int(root[lead]), lead & (0x7F, 0x1F, 0x0F)[size - 1], size - 1, kinds)
    kinds[ord("▁")] = ASK
    kinds[ord(" ")] = SPACE_KIND if kinds[ord(" ")] == COPY else ASK
    for piece in user_defined:
        first = piece[:3].decode("utf-8", "ignore")[:1]
        kinds[ord(first) if first else slice(MOST_KINDS)] = ASK
    return kinds


def _note_kinds(units: np.ndarray, at: int, code: int, more: int, kinds: np.ndarray) -> None:
    """Note the kinds of all characters whose first bytes lead to the node at ``at``; ``more`` bytes are missing."""
    children = _children(units, at)
    ends = int(units[at]) >> 8 & 1
    if more == 0:
        goes_on = np.flatnonzero(children >= 0)
        kinds[code] = ASK if ends else COPY_ALONE if len(goes_on) else COPY
        kinds[MOST_KINDS + goes_on] = 1
    elif ends:
        kinds[code << 6 * more : code + 1 << 6 * more] = ASK
    else:
        for byte in np.flatnonzero(children[0x80:0xC0] >= 0).tolist():
            _note_kinds(units, int(children[0x80 + byte]), code << 6 | byte, more - 1, kinds)


def _children(units: np.ndarray, at: int) -> np.ndarray:
    """For each byte the place of the child of the node whose unit is at ``at``, -1 for none."""
    unit = int(units[at])
    places = (at ^ (unit >> 10) << ((unit & 0x200) >> 6)) ^ np.arange(256)
    found = np.full(256, -1, dtype=np.int64)
    inside_table = places < len(units)
    places = np.where(inside_table, places, 0)
    fits = inside_table & (units[places] & 0x800000FF == np.arange(256))
    found[fits] = places[fits]
    return found


def _ranges(loud: np.ndarray) -> np.ndarray:
    """Up to three ranges (first, how many) of the bytes that are True, int64[3, 2]; -1 in the first for more."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]])))
    begins, ends = edges[::2], edges[1::2]
    found = np.zeros((3, 2), dtype=np.int64)
    if len(begins) > 3:
        found[0, 0] = -1
    else:
        found[: len(begins), 0] = begins
        found[: len(begins), 1] = ends - begins
    return found


def is_text(piece: str) -> bool:
    r"""Whether every byte of the piece was UTF-8: a bad byte is kept as a lone surrogate.

    >>> is_text("é"), is_text("\udcff")
    (True, False)
    """
    return not any("\ud800" <= character <= "\udfff" for character in piece)


def segment_cuts(token_text: np.ndarray, token_start: np.ndarray) -> np.ndarray:
    """Return uint64[6, 6] for ``kernels.segments``: where no token holds two bytes of these classes side by side.

    >>> cuts = segment_cuts(np.frombuffer(b" a12", np.uint8), np.array([0, 2, 4]))
    >>> int(cuts[0, 2]), int(cuts[2, 0]) > 0, int(cuts[1, 1])
    (0, True, 0)
    """
    classes = np.full(256, 5, dtype=np.int64)
    classes[:128] = 4
    classes[:0x20] = 3
    classes[0x20] = 2
    classes[0x30:0x3A] = 1
    classes[0x41:0x5B] = classes[0x61:0x7B] = 0
    cuts = np.full((6, 6), 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
    # Bytes of one character are never cut.
    cuts[5, 5] = 0
    size = int(token_start[-1])
    kind = classes[token_text[:size]]
    inner = np.ones(max(size - 1, 0), dtype=bool)
    borders = token_start[1:-1]
    inner[borders[(borders > 0) & (borders < size)] - 1] = False
    cuts[kind[1:][inner], kind[:-1][inner]] = 0
    return cuts


def user_starts(users: Iterable[bytes]) -> np.ndarray:
    """Return uint64[1024], a bit for each two bytes, first | second << 8, with which one of the pieces can begin.

    >>> bits = user_starts([b"ab"])
    >>> at = ord("a") | ord("b") << 8
    >>> int(bits[at >> 6]) == 1 << (at & 63)
    True
    """
    wanted = np.zeros(1 << 16, dtype=np.uint8)
    for piece in users:
        if len(piece) == 1:
            wanted[piece[0] :: 256] = 1
        else:
            wanted[piece[0] | piece[1] << 8] = 1
    return np.packbits(wanted, bitorder="little").view(np.uint64)


def room_for(entries: int) -> int:
    """Return the power of two, at least 64, that is not below ``entries``.

    >>> room_for(100)
    128
    """
    return 1 << max(6, (max(entries, 1) - 1).bit_length())
