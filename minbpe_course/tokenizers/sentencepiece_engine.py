"""Between the friendly SentencePiece class and the kernels: pack the model once, lend buffers, call, cut to size.

    bytes of texts  --kernels.normalize-->  normalised bytes  --kernels.pieces-->  ids

Each thread has its own cache of stretches and its own scratch memory; the tables are shared and never change.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from minbpe_course.model import UNUSED, NormalizerRules, PieceModel
from minbpe_course.packing_pieces import RuleTables, pack_pieces, pack_rules
from minbpe_course.reference.pieces import Merger, split_symbols, take_apart
from minbpe_course.text.normalize import Charsmap, LongestMatch

CACHE_SLOTS = 1 << 16  # 64 bytes each
FIRST_SCRATCH = 7 * 4096
SMALL_BATCH = 1 << 16  # bytes; less than this is not worth a second thread

_NOTHING = np.empty(0, np.int64)
_NO_SPANS = np.empty(0, np.int32)


class Encoded(NamedTuple):
    """Some encoded texts.

    ids : uint32 of all texts · ends : int64, where each text's ids end · spans : int32, how many bytes of
    ``normalized`` each id stands for (empty unless asked for) · normalized : uint8 · normalized_ends : int64 ·
    positions : see ``PieceEngine``.
    """

    ids: np.ndarray
    ends: np.ndarray
    spans: np.ndarray
    normalized: np.ndarray
    normalized_ends: np.ndarray
    positions: np.ndarray


class PieceEngine:
    """One model, packed.

    >>> engine = PieceEngine(PieceModel(("<unk>", "a", "aa"), (0.0, -1.0, -0.0), (2, 1, 1)))
    >>> engine.encode([b"aaa"]).ids.tolist(), engine.normalize(b"a a").decode()
    ([0, 2, 1], '▁a▁a')
    """

    def __init__(self, model: PieceModel) -> None:
        from minbpe_course.kernels.piece_tables import enter_neighbours, enter_pairs

        self.model = model
        user_defined = {piece.encode("utf-8"): model.piece_ids[piece] for piece in model.user_defined}
        self.rules = _packed_rules(model.normalizer, user_defined, model.treat_whitespace_as_suffix)
        self.denormalizer: RuleTables | None = None
        if model.denormalizer.charsmap:
            self.denormalizer = _packed_rules(model.denormalizer, {}, False)
        self.tables, pairs = pack_pieces(model.mergeable, model.scores, _unused_leaves(model), model.byte_ids)
        enter_pairs(*pairs[:4], self.tables.pair_keys, self.tables.pair_values)
        enter_neighbours(*pairs[4:], self.tables.neighbours)
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
        """Encode texts on this thread."""
        from minbpe_course.kernels.pieces import encode_texts

        alone = len(texts) == 1
        ends = (
            np.array([len(texts[0])], np.int64) if alone else np.cumsum([len(text) for text in texts], dtype=np.int64)
        )
        joined = texts[0] if alone else b"".join(texts)
        normalized, normalized_ends, places = _normalize(self.rules, joined, ends, positions)

        lent = self._buffers()
        out = np.empty(normalized.size, np.uint32)
        out_spans = np.empty(normalized.size, np.int32) if spans else _NO_SPANS
        out_ends = np.empty(ends.size, np.int64)
        while True:
            used = encode_texts(
                normalized,
                normalized_ends,
                *self.rules[:4],
                *self.tables,
                self.model.unk_id,
                *lent.cache,
                lent.scratch,
                out,
                out_spans,
                out_ends,
            )
            if used >= 0:
                break
            lent.scratch = np.empty(14 * (-1 - used), np.int64)
        if lent.scratch.size > 64 * FIRST_SCRATCH:
            lent.scratch = np.empty(FIRST_SCRATCH, np.int64)
        # A copy, where the ids are few: a slice would keep the whole buffer alive.
        ids = out[:used].copy() if used * 2 < out.size else out[:used]
        return Encoded(ids, out_ends, out_spans[:used], normalized, normalized_ends, places)

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

    def _buffers(self) -> threading.local:
        lent = self._lent
        if not hasattr(lent, "scratch"):
            lent.scratch = np.empty(FIRST_SCRATCH, np.int64)
            lent.cache = (np.zeros((CACHE_SLOTS, 4), np.uint64), np.zeros((CACHE_SLOTS, 8), np.uint32))
        return lent


def _shares(sizes: Sequence[int], number: int) -> list[slice]:
    ends = np.cumsum(sizes)
    cuts = [0, *np.searchsorted(ends, ends[-1] * np.arange(1, number) / number).tolist(), len(sizes)]
    return [slice(begin, end) for begin, end in pairwise(cuts) if begin < end]


def _packed_rules(rules: NormalizerRules, user_defined: dict[bytes, int], suffix: bool) -> RuleTables:
    charsmap = Charsmap(rules.charsmap)
    flags = (rules.add_dummy_prefix, rules.remove_extra_whitespaces, rules.escape_whitespaces, suffix)
    return pack_rules(charsmap.units, charsmap.strings, user_defined, flags)


def _normalize(
    rules: RuleTables, text: bytes, ends: np.ndarray, positions: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (normalised bytes, where each text ends in them, positions or nothing)."""
    from minbpe_course.kernels.normalize import normalize_texts

    data = np.frombuffer(text, np.uint8)
    out_ends = np.empty(ends.size, np.int64)
    # Most text grows by a third; broken bytes and single spaces grow threefold, rules further still.
    room = 2 * data.size + 6 * ends.size + 16
    while True:
        out = np.empty(room, np.uint8)
        places = np.empty(room + 1, np.int64) if positions else _NOTHING
        used = normalize_texts(data, ends, *rules, out, places, out_ends)
        if used >= 0:
            return out[:used], out_ends, places
        room = 2 * room


def _unused_leaves(model: PieceModel) -> dict[int, list[tuple[int, int]]]:
    """For every UNUSED piece, the (id, bytes) that come out in its place; the id is -1 for what is no piece at all.

    How a piece was joined does not depend on the text around it, so it can be looked up once.
    """
    leaves: dict[int, list[tuple[int, int]]] = {}
    if UNUSED not in model.kinds:
        return leaves
    nothing = LongestMatch()
    for piece, piece_id in model.mergeable.items():
        if model.kinds[piece_id] == UNUSED:
            merger = Merger(split_symbols(piece, nothing), model.mergeable, model.scores)
            while merger.merge_next() is not None:
                pass
            parts = take_apart(piece, model, merger.cuts)
            leaves[piece_id] = [(leaf_id, len(leaf.encode("utf-8"))) for leaf, leaf_id in parts]
    return leaves
