"""Between the friendly SentencePiece class and the kernels of Unigram: pack the model once, lend memory, call.

    bytes of texts  --kernels.unigram (kernels.normalizing within)-->  ids

Each thread has a cache of words and scratch memory of its own; the tables are shared and never change.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import UNUSED, PieceModel
from minbpe_course.packing import TEXT_SLACK, Block
from minbpe_course.packing_pieces import RuleTables
from minbpe_course.packing_unigram import pack_classes, pack_unigram
from minbpe_course.reference.lattice import LATEST, Scores, float32
from minbpe_course.tokenizers.sentencepiece_engine import SMALL_BATCH, Encoded, _normalize, _packed_rules, _shares

CACHE_ENTRIES = 1 << 16  # 128 bytes each
FIRST_NORMALIZED, FIRST_WORD, FIRST_OUT = 1 << 14, 1 << 10, 1 << 14  # bytes, bytes, ids
LARGEST_KEPT = 1 << 22  # bytes of scratch memory that a thread keeps from one call to the next

_NOTHING = np.empty(0, np.int64)
_NO_SPANS = np.empty(0, np.int32)
_NO_BYTES = np.empty(0, np.uint8)


class UnigramEngine:
    """One Unigram model, packed.

    compat : the release of sentencepiece to follow.

    >>> model = PieceModel(("<unk>", "▁a", "a", "aa"), (0.0, -1.0, -1.5, -2.0), (2, 1, 1, 1), "unigram")
    >>> engine = UnigramEngine(model)
    >>> engine.encode([b"aaa a"]).ids.tolist(), engine.normalize(b"a a").decode()
    ([1, 3, 1], '▁a▁a')
    """

    def __init__(self, model: PieceModel, compat: str = LATEST) -> None:
        from minbpe_course.kernels import unigram

        self._kernel = unigram
        self.model = model
        self.compat = compat
        user_defined = {piece.encode("utf-8"): model.piece_ids[piece] for piece in model.user_defined}
        self.rules = _packed_rules(model.normalizer, user_defined, model.treat_whitespace_as_suffix)
        self.denormalizer: RuleTables | None = None
        if model.denormalizer.charsmap:
            self.denormalizer = _packed_rules(model.denormalizer, {}, False)
        self._block = _block(model, compat, self.rules)
        self._lent = threading.local()

    def normalize(self, text: bytes) -> bytes:
        """Return the normalised text."""
        out, _, _ = _normalize(self.rules, text, np.array([len(text)], np.int64), False)
        return out.tobytes()

    def normalize_with_positions(self, text: bytes) -> tuple[bytes, list[int]]:
        """Return the normalised text and, for each of its bytes and its end, where in ``text`` it comes from."""
        out, _, positions = _normalize(self.rules, text, np.array([len(text)], np.int64), True)
        return out.tobytes(), [] if positions[out.size] < 0 else positions[: out.size + 1].tolist()

    def denormalize(self, text: str) -> str:
        """Return the text after the model's denormaliser, if it has one."""
        if self.denormalizer is None:
            return text
        data = text.encode("utf-8")
        out, _, _ = _normalize(self.denormalizer, data, np.array([len(data)], np.int64), False)
        return out.tobytes().decode("utf-8", "replace")

    def encode(self, texts: Sequence[bytes], spans: bool = False, positions: bool = False) -> Encoded:
        """Encode texts on this thread. Only with ``spans`` or ``positions`` the normalised text comes back too."""
        lent = self._memory()
        plain = not spans and not positions
        if plain and len(texts) == 1:
            # On the way of one short text every step counts.
            ids = lent.run_one(texts[0])
            return Encoded(ids, np.array([ids.size]), _NO_SPANS, _NO_BYTES, _NOTHING, _NOTHING)
        joined = b"".join(texts)
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        if plain:
            ids, out_ends, _ = lent.run(np.frombuffer(joined, np.uint8), ends, False, lent.normalized_at)
            return Encoded(ids, out_ends, _NO_SPANS, _NO_BYTES, _NOTHING, _NOTHING)
        normalized, normalized_ends, places = _normalize(self.rules, joined, ends, positions)
        padded = np.zeros(normalized.size + TEXT_SLACK, np.uint8)
        padded[: normalized.size] = normalized
        ids, out_ends, out_spans = lent.run(padded[: normalized.size], normalized_ends, spans, 0)
        return Encoded(ids, out_ends, out_spans, normalized, normalized_ends, places)

    def encode_in_threads(self, texts: Sequence[bytes], threads: int | None, spans: bool = False) -> Iterator[Encoded]:
        """Encode texts in order, on several threads; a thread takes neighbouring texts of about the same total size."""
        if not texts:
            return
        size = sum(map(len, texts))
        threads = (os.cpu_count() or 1) if threads is None else max(1, threads)
        threads = min(threads, len(texts), 1 + size // SMALL_BATCH)
        if threads == 1:
            yield self.encode(texts, spans)
            return
        shares = _shares([len(text) for text in texts], threads)
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(self.encode, [texts[share] for share in shares], [spans] * len(shares))

    def _memory(self) -> _Memory:
        lent: _Memory | None = getattr(self._lent, "memory", None)
        if lent is None:
            lent = self._lent.memory = _Memory(self._block, self._kernel)
        return lent


class _Memory:
    """What one thread has of its own: a copy of the block, the cache, scratch memory, and room for ids."""

    def __init__(self, shared: Block, kernel: Any) -> None:
        self.kernel = kernel
        self.block = shared.copy()
        self.numbers = self.block.numbers
        self.address = self.block.address
        self.block[kernel.CACHE] = np.zeros((CACHE_ENTRIES, kernel.ENTRY), np.uint8)
        self.block[kernel.CACHE_MASK] = CACHE_ENTRIES - 1
        # TEXT, ENDS, TEXTS, OUT_ENDS; then NORMALIZED, OUT, OUT_LIMIT, SPANS
        self.call = self.numbers[kernel.TEXT >> 3 : kernel.NORMALIZED >> 3]
        self.room = self.numbers[kernel.NORMALIZED >> 3 : kernel.CACHE >> 3]
        # Where one text ends, and where its ids end.
        self.one_end = np.zeros(2, np.int64)
        self.one_end_at = self.one_end.ctypes.data
        self.grow_normalized(FIRST_NORMALIZED)
        self.grow_word(FIRST_WORD)
        self.grow_out(FIRST_OUT)

    def run_one(self, text: bytes) -> np.ndarray:
        """``run`` for one text that is not normalised; returns its ids."""
        data = np.frombuffer(text, np.uint8)
        self.one_end[0] = data.size
        self.call[0] = self.kernel.address_of(data)
        self.call[1], self.call[2], self.call[3] = self.one_end_at, 1, self.one_end_at + 8
        return self.again(data.size, False, self.normalized_at)[0]

    def run(
        self, text: np.ndarray, ends: np.ndarray, spans: bool, normalized_at: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Call the kernel until there is room enough. Returns ids, where each text's ids end, spans."""
        out_ends = np.empty(ends.size, np.int64)
        self.call[:] = text.ctypes.data, ends.ctypes.data, ends.size, out_ends.ctypes.data
        ids, out_spans = self.again(text.size, spans, normalized_at)
        return ids, out_ends, out_spans

    def again(self, size: int, spans: bool, normalized_at: int) -> tuple[np.ndarray, np.ndarray]:
        """Call the kernel until there is room enough for what ``call`` says; return ids and spans."""
        kernel = self.kernel
        while True:
            room = self.out.size >> spans
            self.room[0], self.room[1], self.room[2] = normalized_at, self.out_at, self.out_at + 4 * room
            self.room[3] = 4 * room if spans else 0
            used = kernel.encode_texts(self.address)
            if used >= 0:
                break
            if used == kernel.NEEDS_OUT:
                self.grow_out(2 * max(self.out.size, size))
            elif used == kernel.NEEDS_NORMALIZED:
                self.grow_normalized(2 * max(self.normalized.size, size))
                normalized_at = self.normalized_at
            else:
                self.grow_word(2 * int(self.numbers[kernel.LONGEST_WORD >> 3]))
        ids = self.out[:used].copy()
        out_spans = self.out[room : room + used].astype(np.int32) if spans else _NO_SPANS
        if self.large:
            self.shrink()
        return ids, out_spans

    def grow_normalized(self, size: int) -> None:
        """Make room for a normalised text of so many bytes, and what may be read behind it."""
        self.normalized = np.empty(size + TEXT_SLACK, np.uint8)
        self.normalized_at = self.normalized.ctypes.data
        self.block[self.kernel.NORMALIZED] = self.normalized
        self.block[self.kernel.NORMALIZED_LIMIT] = self.normalized_at + size
        self.large = True

    def grow_word(self, size: int) -> None:
        """Make room to search a word of so many bytes."""
        self.longest = size
        self.block[self.kernel.BEST] = np.empty(2 * size + 2, np.uint64)
        self.block[self.kernel.PATH] = np.empty(size + 1, np.uint32)
        self.block[self.kernel.LONGEST_WORD] = size
        self.large = True

    def grow_out(self, size: int) -> None:
        """Make room for so many ids."""
        self.out = np.empty(size, np.uint32)
        self.out_at = self.out.ctypes.data
        self.large = True

    def shrink(self) -> None:
        """Let go of what an unusually long text needed."""
        if self.normalized.size > LARGEST_KEPT:
            self.grow_normalized(FIRST_NORMALIZED)
        if 20 * self.longest > LARGEST_KEPT:
            self.grow_word(FIRST_WORD)
        if 4 * self.out.size > LARGEST_KEPT:
            self.grow_out(FIRST_OUT)
        self.large = False


def _block(model: PieceModel, compat: str, rules: RuleTables) -> Block:
    """The tables of a model and where they lie."""
    from minbpe_course.kernels import normalizing, unigram
    from minbpe_course.kernels.unigram_trie import MOST_NODES, build_trie

    scores = Scores(model, compat)
    pieces = {piece: i for piece, i in model.mergeable.items() if model.kinds[i] != UNUSED}
    special = {}
    for piece in model.user_defined:
        size = len(piece.encode("utf-8"))
        # What is 0.1 less in the old releases is made so by the kernel, which has double precision for it.
        of_bytes = size * scores.best if scores.old else scores.of_user_defined(size)
        special[piece] = float32(of_bytes), float32(scores.of_user_defined(len(piece)))
    tables = pack_unigram(pieces, model.scores, special)
    count = tables.piece_ids.size
    work = np.empty(256 + 32 * (count + 2), np.uint8)
    room = (tables.text.size // 256 + 4) * 256
    while True:
        if room > MOST_NODES:
            raise UnsupportedModel(f"{count:,} pieces of {tables.text.size:,} bytes are more than the trie can hold.")
        nodes, nexts = np.empty(room, np.uint64), np.empty(room + 1, np.uint32)
        bases = np.zeros(room, np.uint8)
        lying = [each.ctypes.data for each in (tables.text, tables.starts, tables.piece_ids)]
        made = [each.ctypes.data for each in (nodes, nexts, bases)]
        used = build_trie(*lying, count, *made, room, work.ctypes.data)
        if used >= 0:
            break
        room *= 2
    block = Block(unigram.SIZE)
    block[unigram.NODES] = nodes[:used].copy()
    block[unigram.SCORES] = tables.scores
    block[unigram.LENGTHS] = tables.lengths
    if model.byte_ids:
        block[unigram.BYTE_IDS] = np.array(model.byte_ids, np.uint32)
    block[unigram.UNK_ID] = model.unk_id
    block[unigram.UNKNOWN_SCORE] = int(np.float32(scores.unknown).view(np.uint32))
    block[unigram.LONGEST] = tables.longest
    block[unigram.CUTS] = tables.cuts
    block[unigram.OLD] = int(scores.old)
    block[normalizing.CLASSES] = pack_classes(rules.starts, rules.units)
    for place, table in (
        (normalizing.TRIE_KEYS, rules.trie_keys), (normalizing.TRIE_NODES, rules.trie_nodes),
        (normalizing.TRIE_IDS, rules.trie_ids), (normalizing.UNITS, rules.units), (normalizing.STRINGS, rules.strings),
    ):  # fmt: skip
        block[place] = table
    block[normalizing.TRIE_MASK] = rules.trie_keys.size - 1
    block[normalizing.UNIT_COUNT] = rules.units.size
    block[normalizing.STRING_BYTES] = rules.strings.size
    for place, flag in zip(range(normalizing.DUMMY, normalizing.RULES, 8), rules.flags.tolist()):
        block[place] = flag
    return block
