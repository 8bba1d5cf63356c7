"""The tables that one byte-level vocabulary is encoded with, made once and shared by all threads.

    merges or ranks  -->  last merges  -->  pairs, whole words, cuts  -->  a block of addresses for kernels.encoding

There are three rules of encoding. A **model** of byte pairs lists its merges, and as in minbpe the oldest possible one
happens first; a word may be looked up whole only if merging its bytes gives that token, and a list written by hand can
break this. The **merges** of a vocabulary do the same with a rank for each pair, as in Hugging Face's files. With
**ranks**, two neighbours merge when their joined bytes are a token, and a word that is a token stays whole, as in
tiktoken.

One fact holds for all three. While merging made a token, no merge crossed its ends; so inside it the same happened that
happens when its bytes are merged alone. A token is therefore always made from one pair, its last merge when it is
merged alone, and no other way to make it ever happens. These last merges are found once, tokens are numbered by their
ranks, and every vocabulary becomes one of byte pairs, with a few tokens left over that no merge makes:

    numbers    0 ... 255        256 ...                  WHOLE_ONLY ...
               the bytes        by rank of last merge    made by no merge: found as whole words, or never

After that, words may always be cut (``kernels.cuts``). If both parts of every token are older than the token, as in all
vocabularies that were trained, long words are encoded in linear time as well (``kernels.backtracking``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minbpe_course.errors import InvalidModel
from minbpe_course.kernels.common.memory import ID, TOKEN_SLACK, Block, slots_for
from minbpe_course.kernels.lazy import BUILDING, backtracking, cuts, decoding, layout, machine, merging, tables
from minbpe_course.model import BytePairModel, VocabularyModel

NO_RANK = (1 << 32) - 1


class Merges(NamedTuple):
    """Merges of numbers of tokens, uint32 each: ``made[k]`` from ``lefts[k]`` and ``rights[k]``, with ``ranks[k]``."""

    lefts: np.ndarray
    rights: np.ndarray
    made: np.ndarray
    ranks: np.ndarray

    def taken(self, which: np.ndarray) -> Merges:
        """Return the merges at ``which``, in that order."""
        return Merges(*(np.ascontiguousarray(part[which]) for part in self))


class VocabularyTables:
    """One vocabulary as arrays. Tokens have numbers; ``ids[number]`` is the id.

    token_text, token_start : the bytes of the tokens, and where each one begins, by number · ids : uint32[v] · words :
    uint32, the tokens that a cache may begin with · block : the addresses, at the places of ``kernels.layout`` ·
    whole_only : the first number of a token that no merge makes.
    """

    def __init__(
        self,
        token_text: np.ndarray,
        token_start: np.ndarray,
        ids: np.ndarray,
        byte_numbers: np.ndarray,
        whole_only: int | None = None,
    ) -> None:
        count = len(ids)
        if count > tables.MOST_TOKENS:
            raise InvalidModel(f"a vocabulary of {count:,} tokens; the most is {tables.MOST_TOKENS:,}.")
        self.token_text, self.token_start, self.ids = token_text, token_start, ids
        self.block = block = Block(layout.BLOCK)
        block.tokens = count
        block.whole_only = count if whole_only is None else whole_only
        block.small_pieces = merging.SMALL
        block.token_text = token_text
        block.token_starts = token_start
        block.token_ids = ids
        block.byte_numbers = byte_numbers.astype(np.uint32)
        words = slots_for(count)
        block.words = np.full(words, tables.FREE, dtype=np.uint32)
        block.word_mask = words - 1

    @classmethod
    def from_model(cls, model: BytePairModel, *, proven: bool = False) -> VocabularyTables:
        """Lay out a model. proven : skip the test whether merging the bytes of each token gives that token."""
        made = np.asarray(model.merge_ids, dtype=np.int64)
        token_text, token_start = _lay_model(model, made)
        count = len(token_start) - 1
        byte_numbers = np.frombuffer(model.byte_ids, dtype=np.uint8)
        tables = cls(token_text, token_start, np.arange(count, dtype=ID), byte_numbers)
        pairs = np.ascontiguousarray(model.pairs.T, dtype=np.uint32)
        merged = made.astype(np.uint32)
        if not proven:
            pairs, merged = _last_of_each(pairs, merged)
        tables._enter_pairs(pairs[0], pairs[1], merged)
        filled = np.flatnonzero(np.diff(token_start)).astype(np.uint32)
        words = filled if proven else tables._reachable()[0]
        tables._enter_words(words)
        if len(words) < len(filled):
            # Not earlier: of two tokens with the same bytes, only one can be a part of others.
            found = tables._reachable()[1]
            return tables._by_last_merges(found.taken(np.argsort(found.ranks)), whole_words=False)
        tables._allow_cuts()
        tables._allow_linear_time()
        tables._settle()
        return tables

    @classmethod
    def from_vocabulary(cls, model: VocabularyModel) -> VocabularyTables:
        """Lay out a vocabulary by its merges, or by ranks if it has no merges."""
        plain = cls.plain(model)
        found = plain.last_merges(plain.merges_of(model))
        return plain._by_last_merges(found, model.whole_words)

    # ---- With tokens numbered by id, to find the last merges

    @classmethod
    def plain(cls, model: VocabularyModel) -> VocabularyTables:
        """Lay out the tokens alone, numbered by id: enough for ``merges_of``, ``every_split`` and ``last_merges``.

        The bytes without a token have the ids after all others.
        """
        lacking = len(model.lacking)
        text = np.frombuffer(model.token_text + model.lacking + bytes(TOKEN_SLACK), dtype=np.uint8)
        starts = np.concatenate([model.token_starts, model.token_starts[-1] + np.arange(1, lacking + 1)])
        ids = np.concatenate([model.ids, model.vocab_size + np.arange(lacking)]).astype(ID)
        return cls._by_ids(text, starts, ids)

    def merges_of(self, model: VocabularyModel) -> Merges:
        """Return every merge that ``model`` allows, by numbers; of equal pairs the last one counts."""
        if model.merge_table is None:
            return self.every_split()
        count = len(model.merge_table)
        if count >= tables.NOTHING_MADE:
            raise InvalidModel(f"a vocabulary of {count:,} merges; the most is {tables.NOTHING_MADE - 1:,}.")
        # In reverse: of two merges of one pair, the kernel keeps the first.
        places = model.merge_table[::-1]
        if self.ids[-1] != len(self.ids) - 1:
            places = np.searchsorted(self.ids, places).astype(np.uint32)
        ranks = np.arange(count, dtype=np.uint32)[::-1]
        return Merges(*(np.ascontiguousarray(part) for part in (*places.T, ranks)))

    def every_split(self) -> Merges:
        """Return every way to cut a token into two tokens: the merges that the rule of ranks allows.

        The highest id of all, 2**32 - 1, is tiktoken's "no rank": nothing merges into it.
        """
        lefts, rights, made = all_splits(self.block, self.token_start)
        if self.ids[-1] == NO_RANK:
            lefts, rights, made = (part[made != len(self.ids) - 1] for part in (lefts, rights, made))
        return Merges(lefts, rights, made, made)

    def last_merges(self, merges: Merges) -> Merges:
        """Return the last merge of each token when its own bytes are merged alone, lowest rank first.

        Single bytes have no last merge, nor do tokens whose bytes do not merge into one token.
        """
        if merges.made is not merges.ranks:
            made_by = np.zeros(int(merges.ranks.max(initial=0)) + 1, dtype=np.uint32)
            made_by[merges.ranks] = merges.made
            self.block.made_by = made_by
        self._enter_pairs(merges.lefts, merges.rights, merges.ranks)
        found = self._reachable()[1]
        return found.taken(np.argsort(found.ranks))

    # ---- Private

    @classmethod
    def _by_ids(cls, token_text: np.ndarray, token_start: np.ndarray, ids: np.ndarray) -> VocabularyTables:
        single = np.flatnonzero(np.diff(token_start) == 1)
        byte_numbers = np.empty(256, dtype=np.int64)
        byte_numbers[token_text[token_start[single]]] = single
        tables = cls(token_text, token_start, ids, byte_numbers)
        tables._enter_words(np.arange(len(ids), dtype=np.uint32))
        return tables

    def _by_last_merges(self, found: Merges, whole_words: bool) -> VocabularyTables:
        """Lay out the same vocabulary again: the bytes, then the tokens that merges make, by rank, then the others."""
        count, merged = len(self.ids), 256 + len(found.made)
        byte_numbers = self.block.kept["byte_numbers"]
        rest = np.ones(count, dtype=bool)
        rest[byte_numbers] = rest[found.made] = False
        order = np.concatenate([np.sort(byte_numbers), found.made, np.flatnonzero(rest)])
        number_of = np.empty(count, dtype=np.uint32)
        number_of[order] = np.arange(count, dtype=np.uint32)
        token_text, token_start = in_order(self.token_text, self.token_start, order)
        tables = VocabularyTables(token_text, token_start, self.ids[order], number_of[byte_numbers], merged)
        lefts, rights, made = (number_of[part] for part in found[:3])
        tables._enter_pairs(lefts, rights, made)
        tables._enter_words(np.arange(count if whole_words else merged, dtype=np.uint32))
        # A cache answers for words and for parts of words, so it begins with tokens that are the same for both.
        tables._begin_caches_with(np.arange(merged, dtype=np.uint32))
        tables._allow_cuts()
        # In linear time, merges must happen in the order of their numbers.
        if ((lefts < made) & (rights < made)).all():
            tables._allow_linear_time()
        else:
            tables.block.characters = 0
            del tables.block.kept["characters"]
        tables._settle()
        return tables

    def _settle(self) -> None:
        """Settle the block, and keep its arrays only, not those that they were copied from."""
        self.block.settle()
        for mine, name in (("token_text", "token_text"), ("token_start", "token_starts"), ("ids", "token_ids")):
            array = self.block.kept[name]
            # Numba compiles a kernel once for arrays that may be written and once for those that may not.
            array.setflags(write=getattr(self, mine).flags.writeable)
            setattr(self, mine, array)

    def build_trie(self) -> None:
        """Make the trie for ``kernels.backtracking``: some megabytes that few texts need."""
        with BUILDING:
            if self.block.trie:
                return
            count = len(self.ids)
            room = len(self.token_text) + 1
            work = self.block.copy()
            work.trie = np.full(slots_for(room), 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
            work.trie_mask = slots_for(room) - 1
            work.node_tokens = np.full(room, tables.FREE, dtype=np.uint32)
            work.prefixes = np.empty(count, dtype=np.uint32)
            work.last_merges = np.empty((count, 2), dtype=np.uint32)
            machine.run(backtracking.build_trie.address, work.address)
            # The trie comes last: a thread that sees it also sees the rest.
            self.block.take(work, "trie_mask", "node_tokens", "prefixes", "last_merges", "trie")

    def _enter_pairs(self, lefts: np.ndarray, rights: np.ndarray, made: np.ndarray) -> None:
        block = self.block
        set_pair_table(block, len(made))
        block.byte_pairs = _made_of_bytes(block.kept["byte_numbers"], lefts, rights, made, len(self.ids))
        block.lefts, block.rights = np.ascontiguousarray(lefts), np.ascontiguousarray(rights)
        block.made = made
        block.pair_count = len(made)
        machine.run(tables.enter_pairs.address, block.address)

    def _enter_words(self, words: np.ndarray) -> None:
        self._begin_caches_with(words)
        machine.run(tables.enter_words.address, self.block.address)

    def _begin_caches_with(self, words: np.ndarray) -> None:
        self.words = words
        self.block.wanted, self.block.wanted_count = words, len(words)

    def _reachable(self) -> tuple[np.ndarray, Merges]:
        """Return the numbers of the tokens that merging their own bytes gives, and the last merge of each.

        Single bytes have no merge. This looks up parts by their bytes, so enter the words first.
        """
        work = self.block.copy()
        longest = int(np.diff(self.token_start).max())
        work.out = np.empty(longest + 4, dtype=np.uint32)
        work.scratch = np.empty(longest * merging.HEAP_BYTES + 4096, dtype=np.uint8)
        work.wanted = found = np.empty(len(self.ids), dtype=np.uint32)
        merges = Merges(*(np.empty(len(self.ids), dtype=np.uint32) for _ in range(4)))
        work.lefts, work.rights, work.made, work.last_ranks = merges
        number = machine.run(merging.reachable_tokens.address, work.address)
        return found[:number].copy(), merges.taken(np.arange(work.pair_count))

    def _allow_cuts(self) -> None:
        """Allow the kernels to cut words: merging reaches every token below WHOLE_ONLY."""
        block = self.block
        block.cuts = np.zeros(1 << cuts.PAIR_BITS - 6, dtype=np.uint64)
        block.cut_bytes = np.zeros(1 << 10, dtype=np.uint64)
        block.characters = np.full(1 << 16, tables.FREE, dtype=np.uint32)
        machine.run(cuts.note_cuts.address, block.address)

    def _allow_linear_time(self) -> None:
        """Encode long words in linear time, unless the trie would have too many nodes."""
        size = len(self.token_text)
        self.block.heap_first = size if size < backtracking.MOST_NODES else 0


def all_splits(block: Block, token_start: np.ndarray) -> list[np.ndarray]:
    """Return every way to cut a token of ``block`` into two tokens: numbers of left, right and whole, uint32 each."""
    sizes = np.diff(token_start)
    room = int(np.maximum(sizes - 1, 0).sum())
    known = np.zeros(int(sizes.max(initial=0)) + 1, dtype=np.uint8)
    known[sizes] = 1
    splits = [np.empty(room, dtype=np.uint32) for _ in range(3)]
    work = block.copy()
    work.lefts, work.rights, work.made = splits
    work.known_sizes = known
    found = machine.run(tables.all_splits.address, work.address)
    return [part[:found] for part in splits]


def set_pair_table(block: Block, pairs: int) -> None:
    """Give a block an empty hash table for so many pairs."""
    # Fuller than other tables: half the size is worth a second look, which is mostly in the same cache line.
    slots = 1 << max(4, (5 * pairs // 4).bit_length())
    block.pairs = np.full(slots, tables.FREE_PAIR, dtype=np.uint64)
    block.pair_mask = slots - 1
    block.filter = np.zeros(1 << tables.FILTER_BITS - 6, dtype=np.uint64)


def _made_of_bytes(
    byte_numbers: np.ndarray, lefts: np.ndarray, rights: np.ndarray, made: np.ndarray, count: int
) -> np.ndarray:
    """Return what each two bytes become, uint32[65536]; of a pair that is listed twice, the first counts."""
    byte_of = np.full(count, 256)
    byte_of[byte_numbers] = np.arange(256)
    first, second = byte_of[lefts], byte_of[rights]
    of_bytes = np.flatnonzero((first < 256) & (second < 256))[::-1]
    answers = np.full(1 << 16, tables.NOTHING_MADE, dtype=np.uint32)
    answers[first[of_bytes] << 8 | second[of_bytes]] = made[of_bytes]
    return answers


def _last_of_each(pairs: np.ndarray, made: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Drop each pair that occurs again later: in ``model.ranks`` and in minbpe the last one counts."""
    packed = pairs[0].astype(np.uint64) << np.uint64(32) | pairs[1]
    last = len(packed) - 1 - np.unique(packed[::-1], return_index=True)[1]
    if len(last) == len(packed):
        return pairs, made
    last.sort()
    return np.ascontiguousarray(pairs[:, last]), made[last]


def in_order(token_text: np.ndarray, token_start: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the tokens laid out in another order."""
    sizes = np.diff(token_start)[order]
    start = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(sizes, out=start[1:])
    text = np.zeros(int(start[-1]) + TOKEN_SLACK, dtype=np.uint8)
    text[: start[-1]] = token_text[np.arange(start[-1]) + np.repeat(token_start[:-1][order] - start[:-1], sizes)]
    # Read-only like the others: Numba compiles a kernel once for arrays that may be written and once for those that
    # may not.
    text.setflags(write=False)
    return text, start


def _lay_model(model: BytePairModel, made: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    number = int(made[-1]) + 1 if len(made) else 256
    token_start = np.empty(number + 1, dtype=np.int64)
    token_start[:257] = np.arange(257)
    size = decoding.lay_merges(model.pairs, made, token_start, np.empty(0, dtype=np.uint8))
    token_text = np.zeros(size + TOKEN_SLACK, dtype=np.uint8)
    token_text[:256] = np.frombuffer(model.byte_order, dtype=np.uint8)
    decoding.lay_merges(model.pairs, made, token_start, token_text)
    token_text.setflags(write=False)
    return token_text, token_start
