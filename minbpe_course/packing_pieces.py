"""A SentencePiece model laid out as flat arrays, for ``kernels.normalize`` and ``kernels.pieces``; the dtypes are
chosen here.

A symbol is a number for a piece that text can become (its id), or for a character that is no piece but occurs in one
(numbers behind the pieces). Every way to cut a piece into two symbols is one entry of the pair table:

    piece "the" with the rank 7      (t, he) -> the, 7      (th, e) -> the, 7

so that merging needs no strings. A place between two characters that are neighbours in no piece is where every text
may be cut. Limits: plain data in and out; entering pairs into hash tables is the kernels' work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

FREE = -1
CODE_POINTS = 0x110000
LARGEST_NEIGHBOUR_TABLE = 1 << 22
MOST_SYMBOLS = 1 << 30


class RuleTables(NamedTuple):
    """The normaliser: what may begin with a byte, the trie of user-defined pieces, the trie of rules, four switches."""

    starts: np.ndarray
    trie_keys: np.ndarray
    trie_nodes: np.ndarray
    trie_ids: np.ndarray
    units: np.ndarray
    strings: np.ndarray
    flags: np.ndarray


class PieceTables(NamedTuple):
    """The encoder.

    char_symbols : int32[0x110000], the symbol of each character, -1 for one that is in no piece
    pair_keys, pair_values : int64, ``left << 32 | right`` and ``rank << 32 | made``; FREE until ``enter_pairs``
    neighbours : uint8[2**k], 1 where the hash of two code points falls that stand side by side in a piece
    takes : int32[symbols], -1 for a piece with an id, else which entry of ``leaf_start`` lists what comes out instead
    leaf_start : int64, leaf_ids : int32 (-1 unknown), leaf_bytes : int32
    byte_ids : int32[256], or empty without byte fallback
    """

    char_symbols: np.ndarray
    pair_keys: np.ndarray
    pair_values: np.ndarray
    neighbours: np.ndarray
    takes: np.ndarray
    leaf_start: np.ndarray
    leaf_ids: np.ndarray
    leaf_bytes: np.ndarray
    byte_ids: np.ndarray


class Pairs(NamedTuple):
    """What ``enter_pairs`` and ``enter_neighbours`` put into the tables: int32 symbols and ranks, int32 code points."""

    lefts: np.ndarray
    rights: np.ndarray
    made: np.ndarray
    ranks: np.ndarray
    neighbour_lefts: np.ndarray
    neighbour_rights: np.ndarray


def score_ranks(scores: Sequence[float]) -> np.ndarray:
    """Return int32[n]: 0 for the best score, equal numbers for equal scores. Order is that of the float32 bits.

    >>> score_ranks([-2.0, -0.0, 0.0, -2.0]).tolist()
    [2, 1, 0, 2]
    """
    bits = np.asarray(scores, dtype=np.float32).view(np.int32).astype(np.int64)
    order = np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF) - 1)
    return np.unique(-order, return_inverse=True)[1].reshape(-1).astype(np.int32)


def lay_trie(pieces: Mapping[bytes, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lay pieces into a hashed trie: keys int64 (``node << 8 | byte``), nodes int32, and each node's id, int32, -1 for
    none.

    >>> keys, nodes, ids = lay_trie({b"ab": 7})
    >>> ids.tolist(), sorted(key for key in keys.tolist() if key >= 0) == [ord("a"), 1 << 8 | ord("b")]
    ([-1, -1, 7], True)
    """
    children: dict[int, int] = {}
    ids = [-1]
    for piece, piece_id in pieces.items():
        node = 0
        for byte in piece:
            key = node << 8 | byte
            if key not in children:
                children[key] = len(ids)
                ids.append(-1)
            node = children[key]
        ids[node] = piece_id
    room = room_for(2 * len(children))
    keys = np.full(room, FREE, dtype=np.int64)
    nodes = np.full(room, FREE, dtype=np.int32)
    for key, node in children.items():
        slot = (key * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 40 & room - 1
        while keys[slot] != FREE:
            slot = slot + 1 & room - 1
        keys[slot] = key
        nodes[slot] = node
    return keys, nodes, np.array(ids, dtype=np.int32)


def pack_rules(
    units: Sequence[int], strings: bytes, user_defined: Mapping[bytes, int], flags: Sequence[bool]
) -> RuleTables:
    """Lay out a normaliser.

    units, strings : the two halves of an opened table of rules, empty for none. flags : add_dummy_prefix,
    remove_extra_whitespaces, escape_whitespaces, treat_whitespace_as_suffix.

    >>> pack_rules((), b"", {b"<a>": 3}, (True, False, True, False)).starts[ord("<")]
    np.uint8(1)
    """
    starts = np.zeros(256, dtype=np.uint8)
    for piece in user_defined:
        starts[piece[0]] |= 1
    if units:
        root = (units[0] >> 10) << ((units[0] & 0x200) >> 6)
        for byte in range(256):
            if root ^ byte < len(units) and units[root ^ byte] & 0x800000FF == byte:
                starts[byte] |= 2
    return RuleTables(
        starts,
        *lay_trie(user_defined),
        np.array(units, dtype=np.uint32),
        np.frombuffer(strings, dtype=np.uint8),
        np.array(flags, dtype=np.uint8),
    )


def pack_pieces(
    mergeable: Mapping[str, int],
    scores: Sequence[float],
    leaves: Mapping[int, Sequence[tuple[int, int]]],
    byte_ids: Sequence[int],
) -> tuple[PieceTables, Pairs]:
    """Lay out a BPE model; the hash tables are returned empty, with the pairs that belong in them.

    mergeable : piece -> id. leaves : id of an UNUSED piece -> the (id or -1, bytes) that come out in its place.

    >>> tables, pairs = pack_pieces({"a": 1, "aa": 2}, [0.0, -1.0, -0.0], {}, ())
    >>> pairs.lefts.tolist(), pairs.rights.tolist(), pairs.made.tolist()
    ([1], [1], [2])
    """
    symbols = dict(mergeable)
    next_symbol = len(scores)
    touching: set[str] = set()
    for piece in mergeable:
        touching.update(piece[at : at + 2] for at in range(len(piece) - 1))
        for character in piece:
            if character not in symbols:
                symbols[character] = next_symbol
                next_symbol += 1

    lefts: list[int] = []
    rights: list[int] = []
    made: list[int] = []
    find = symbols.get
    for piece, piece_id in mergeable.items():
        for cut in range(1, len(piece)):
            left = find(piece[:cut])
            if left is not None:
                right = find(piece[cut:])
                if right is not None:
                    lefts.append(left)
                    rights.append(right)
                    made.append(piece_id)

    characters = [(ord(text), symbol) for text, symbol in symbols.items() if len(text) == 1]
    char_symbols = np.full(CODE_POINTS, -1, dtype=np.int32)
    if characters:
        where, what = np.array(characters, dtype=np.int64).T
        char_symbols[where] = what

    takes = np.full(next_symbol, -1, dtype=np.int32)
    leaf_start, leaf_ids, leaf_bytes = [0], [], []
    for number, (piece_id, parts) in enumerate(leaves.items()):
        takes[piece_id] = number
        for leaf_id, size in parts:
            leaf_ids.append(leaf_id)
            leaf_bytes.append(size)
        leaf_start.append(len(leaf_ids))
    stray = [(symbol, len(text.encode("utf-8"))) for text, symbol in symbols.items() if symbol >= len(scores)]
    for number, (symbol, size) in enumerate(stray, start=len(leaves)):
        takes[symbol] = number
        leaf_ids.append(-1)
        leaf_bytes.append(size)
        leaf_start.append(len(leaf_ids))

    room = room_for(2 * len(lefts))
    neighbours = np.zeros(min(room_for(24 * len(touching)), LARGEST_NEIGHBOUR_TABLE), dtype=np.uint8)
    tables = PieceTables(
        char_symbols,
        np.full(room, FREE, dtype=np.int64),
        np.full(room, FREE, dtype=np.int64),
        neighbours,
        takes,
        np.array(leaf_start, dtype=np.int64),
        np.array(leaf_ids, dtype=np.int32),
        np.array(leaf_bytes, dtype=np.int32),
        np.array(byte_ids, dtype=np.int32),
    )
    ranks = score_ranks(scores)
    made_array = np.array(made, dtype=np.int32)
    touching_array = np.array([[ord(two[0]), ord(two[1])] for two in touching], dtype=np.int32).reshape(-1, 2)
    pairs = Pairs(
        np.array(lefts, dtype=np.int32),
        np.array(rights, dtype=np.int32),
        made_array,
        ranks[made_array] if len(made) else made_array,
        touching_array[:, 0].copy(),
        touching_array[:, 1].copy(),
    )
    return tables, pairs


def room_for(entries: int) -> int:
    """Return the power of two, at least 64, that is not below ``entries``.

    >>> room_for(100)
    128
    """
    return 1 << max(6, (max(entries, 1) - 1).bit_length())
