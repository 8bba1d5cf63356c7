"""One vocabulary, ready to run: its tables, its splitter, and the calls into the kernels.

    text --splitter--> words --kernels.encoding--> ids --tables--> bytes

The classes that people use are thin coats around this; special tokens are theirs, not the engine's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from minbpe_course import packing
from minbpe_course.corpus.words import Splitter, Words, repaired
from minbpe_course.errors import InvalidText, InvalidTokenId
from minbpe_course.model import BytePairModel


class BytePairEngine:
    """Encodes ordinary text and decodes ordinary ids of one vocabulary.

    Make one with ``from_model`` or ``from_ranks``. Engines are never changed after that, so threads may share one.
    """

    def __init__(self, tables: packing.EncodingTables, splitter: Splitter, repair: bool) -> None:
        self.tables = tables
        self.splitter = splitter
        self.repair = repair
        lengths = np.diff(tables.token_start)
        self.has_bytes = (lengths > 0).astype(np.uint8)

    @classmethod
    def from_model(cls, model: BytePairModel, repair: bool = False) -> BytePairEngine:
        """Prepare a model. Pairs merge exactly as its merges say, so this is minbpe's meaning of encoding.

        repair : replace lone surrogates as tiktoken does, in place of raising InvalidText.
        """
        from minbpe_course.kernels import encoding as kernel

        made = np.asarray(model.merge_ids, dtype=np.int32)
        token_text, token_start = _lay_model(model, made)
        tables = packing.empty_tables(model.byte_ids, token_text, token_start, len(made))
        pairs = model.pairs
        kernel.enter_pairs(pairs[:, 0].copy(), pairs[:, 1].copy(), made, tables.pair_table)

        # A word may skip merging only if merging its bytes would give that token; a hand-made merge list can break
        # this.
        flags = np.empty(len(token_start) - 1, dtype=np.uint8)
        longest = int(np.diff(token_start).max())
        kernel.reachable_tokens(
            token_text,
            token_start,
            tables.byte_ids,
            tables.pair_table,
            _scratch(longest),
            np.empty(longest, dtype=packing.ID),
            flags,
        )
        _enter_words(np.flatnonzero(flags), tables)
        return cls(tables, Splitter(model.pattern), repair)

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int], pattern: str) -> BytePairEngine:
        """Prepare tiktoken's meaning of encoding: two neighbours merge when their joined bytes are a token, lowest id
        first.

        ``ranks`` maps bytes to ids and holds all 256 single bytes.
        """
        from minbpe_course.kernels import encoding as kernel

        number = max(ranks.values()) + 1
        token_text, token_start = packing.lay_tokens({token_id: token for token, token_id in ranks.items()}, number)
        words = packing.empty_tables(bytes(256), token_text, token_start, 0)
        _enter_words(np.flatnonzero(np.diff(token_start)), words)

        room = int(np.maximum(np.diff(token_start) - 1, 0).sum())
        lefts, rights, made = (np.empty(room, dtype=np.int32) for _ in range(3))
        found = kernel.all_splits(token_text, token_start, words.word_ids, lefts, rights, made)
        tables = packing.empty_tables(bytes(256), token_text, token_start, found)
        kernel.enter_pairs(lefts[:found], rights[:found], made[:found], tables.pair_table)
        byte_ids = np.array([ranks[bytes([byte])] for byte in range(256)], dtype=np.int32)
        tables = tables._replace(byte_ids=byte_ids, word_ids=words.word_ids, word_table=words.word_table)
        return cls(tables, Splitter(pattern, keep_all=False), repair=True)

    def encode(self, text: str) -> np.ndarray:
        """Return the ids of ordinary text, uint32[n]. Raises NotText, InvalidText, InvalidPattern."""
        try:
            return self._encode(text)
        except InvalidText:
            if not self.repair:
                raise
            return self._encode(repaired(text))

    def decode(self, ids: np.ndarray) -> bytes | int:
        """Return the bytes of ``ids`` (int64[n]), or the index of the first one that no ordinary token has."""
        from minbpe_course.kernels import decoding as kernel

        tables = self.tables
        nothing = np.empty(0, dtype=np.uint8)
        size = kernel.decode_ids(ids, tables.token_text, tables.token_start, self.has_bytes, nothing)
        if size < 0:
            return -1 - size
        out = np.empty(size, dtype=np.uint8)
        kernel.decode_ids(ids, tables.token_text, tables.token_start, self.has_bytes, out)
        return out.tobytes()

    def token(self, token_id: int) -> bytes | None:
        """The bytes of one ordinary id, or None."""
        if not 0 <= token_id < self.has_bytes.size or not self.has_bytes[token_id]:
            return None
        begin, end = self.tables.token_start[token_id : token_id + 2]
        return self.tables.token_text[begin:end].tobytes()

    def encode_run(self, run: Words) -> np.ndarray:
        """Return the ids of words that are already split, uint32[n]."""
        size = int(run.ends[run.number - 1]) - run.start if run.number else 0
        out = np.empty(size + 1, dtype=packing.ID)
        return out[: self._encode_run(run, _cache(size), out, 0)].copy()

    def _encode(self, text: str) -> np.ndarray:
        out = np.empty(0, dtype=packing.ID)
        cache = before = out
        used = 0
        for run in self.splitter.runs(text):
            if run.text is not before:
                # A scanned run shares the text of the one before; a matched one has its own, and the cache points
                # into it.
                before, cache = run.text, _cache(run.text.size)
                # One id a byte at most, and one more that the kernel may touch.
                room = used + run.text.size + 1
                if room > out.size:
                    out = np.resize(out, 2 * room) if used else np.empty(room, dtype=packing.ID)
            used = self._encode_run(run, cache, out, used)
        return out[:used].copy()

    def _encode_run(self, run: Words, cache: np.ndarray, out: np.ndarray, used: int) -> int:
        from minbpe_course.kernels import encoding as kernel

        longest = kernel.SHORT
        if run.text.size > longest and run.number:
            longest = int(np.diff(run.ends[: run.number], prepend=run.start).max())
        return kernel.encode_words(
            run.text, run.words, run.start, run.ends, run.number, *self.tables, cache, _scratch(longest), out, used
        )


def ids_array(ids: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return ids as int64[n]. Raises InvalidTokenId when something in it is no whole number."""
    if isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, Sequence, np.ndarray)):
        ids = list(ids)
    try:
        array = np.asarray(ids)
        if array.size == 0:
            return np.empty(0, dtype=np.int64)
        if array.ndim == 1 and array.dtype.kind in "iu":
            return np.ascontiguousarray(array, dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    raise InvalidTokenId(f"ids must be a list of whole numbers, got {ids!r:.80}. For one id: decode([id]).")


def _scratch(longest: int) -> np.ndarray:
    from minbpe_course.kernels import encoding as kernel

    return np.empty(6 * max(longest, kernel.SHORT), dtype=np.int64)


def _cache(size: int) -> np.ndarray:
    """An empty word cache for a text of ``size`` bytes: one entry for each eight bytes or so, at most 1 MB."""
    return np.zeros(4 << min(15, max(4, (size >> 3).bit_length())), dtype=np.uint64)


def _enter_words(tokens: np.ndarray, tables: packing.EncodingTables) -> None:
    from minbpe_course.kernels import encoding as kernel

    _, token_words = packing.padded(tables.token_text.tobytes())
    kernel.enter_words(
        tokens.astype(np.int32), tables.token_text, token_words, tables.token_start, tables.word_ids, tables.word_table
    )


def _lay_model(model: BytePairModel, made: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from minbpe_course.kernels import decoding as kernel

    number = int(made[-1]) + 1 if len(made) else 256
    token_start = np.empty(number + 1, dtype=np.int64)
    token_start[:257] = np.arange(257)
    made = made.astype(np.int64)
    size = kernel.lay_merges(model.pairs, made, token_start, np.empty(0, dtype=np.uint8))
    token_text = np.empty(size, dtype=np.uint8)
    token_text[:256] = np.frombuffer(model.byte_order, dtype=np.uint8)
    kernel.lay_merges(model.pairs, made, token_start, token_text)
    # Numba compiles a kernel once for arrays that may be written and once for those that may not; one will do.
    token_text.setflags(write=False)
    return token_text, token_start
