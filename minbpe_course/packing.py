"""Vocabularies laid out as flat arrays: the one place where their dtypes are chosen.

    byte_ids     int32[256]      the id of each byte value
    token_text   uint8[t]        the bytes of all ordinary tokens, end to end
    token_start  int64[v + 1]    where each id's bytes begin; a skipped id has none
    pair_table   int64[2 x 2^k]  left << 32 | right, then what that pair becomes (smaller merges first); -1 = free
    word_ids     int32[2^m]      ids of whole words by the hash of their bytes, -1 = free
    word_table   uint64[4 x 2^m] the same for words of up to 15 bytes: key, key, id, nothing; 0 = free

Tables are filled by ``kernels.encoding``; here they are only sized and made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ID = np.uint32


class EncodingTables(NamedTuple):
    """The arrays that one vocabulary is encoded and decoded with, in the order in which kernels take them."""

    byte_ids: np.ndarray
    token_text: np.ndarray
    token_start: np.ndarray
    pair_table: np.ndarray
    word_ids: np.ndarray
    word_table: np.ndarray


def empty_tables(byte_ids: bytes, token_text: np.ndarray, token_start: np.ndarray, pairs: int) -> EncodingTables:
    """Return tables for ``pairs`` pairs with no pair and no word entered yet."""
    words = len(token_start) - 1
    return EncodingTables(
        np.frombuffer(byte_ids, dtype=np.uint8).astype(np.int32),
        token_text,
        token_start,
        np.full(2 * _room(pairs), -1, dtype=np.int64),
        np.full(_room(words), -1, dtype=np.int32),
        np.zeros(4 * _room(words), dtype=np.uint64),
    )


def padded(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes as uint8[n], and the same memory as uint64 with at least 80 zero bytes behind them."""
    words = np.frombuffer(data + bytes(88 - len(data) % 8), dtype=np.uint64)
    return words.view(np.uint8)[: len(data)], words


def lay_tokens(tokens: dict[int, bytes], number: int) -> tuple[np.ndarray, np.ndarray]:
    """Lay ``tokens`` (id -> bytes, any order) end to end; ids below ``number`` that have no token get no bytes."""
    lengths = np.zeros(number + 1, dtype=np.int64)
    ordered = sorted(tokens.items())
    for token_id, token in ordered:
        lengths[token_id + 1] = len(token)
    text = np.frombuffer(b"".join(token for _, token in ordered), dtype=np.uint8)
    return text, np.cumsum(lengths)


def _room(entries: int) -> int:
    """The number of slots for ``entries``: a power of two, at most three quarters full."""
    return 1 << max(4, (4 * entries // 3).bit_length())
