"""Taking the tokens out of a vocabulary that a text uses least, as ``reference.pruning`` does it.

hell 7                 goes first: no other token is made of it
he 3 + 7, ll 1 + 7     what the tokens of a merge are worth once it is gone
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from minbpe_course.counting.count_words import Source
from minbpe_course.engines.same_ids import merging_of
from minbpe_course.errors import InvalidVocabularySize
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.resources.threads import threads_of
from minbpe_course.trainers.base_vocabulary import BaseVocabulary
from minbpe_course.trainers.byte_pair import check_vocab_size


def prune(
    model: Any, source: Source, vocab_size: int, *, num_threads: int | None = None
) -> BytePairModel | VocabularyModel:
    """Return a smaller vocabulary: that of ``model`` without the tokens that ``source`` needs least.

    model : anything that ``load_tokenizer`` takes, with byte-level tokens · source : text, files or word counts, as
    ``train`` takes them · vocab_size : how many ids stay. The 256 bytes stay, special tokens, and tokens of which
    others that stay are made; of the rest, the rarest goes first, then the one with the larger id.

    The ids that stay keep their order and close ranks: 0 .. ``vocab_size`` - 1. ``id_map(model, result)`` maps the old
    ids to the new ones, for a table of embeddings. Every text still has an encoding; where a token has gone, the tokens
    that it was made of come in its place. Of a ``tokenizer.json``, parts that no field of the record describes go, too.

    Raises InvalidVocabularySize, UnsupportedModel, InvalidSource, and the errors of ``load_tokenizer``.

    >>> small = prune("gpt2", "hello world, hello", 1000)
    >>> small.vocab_size, b" world" in small.token_bytes.values(), dict(small.special_tokens)
    (1000, True, {'<|endoftext|>': 999})
    """
    base, threads = BaseVocabulary(model), threads_of(num_threads)
    record = base.record
    check_vocab_size(vocab_size)
    words = base.words_of(source, (), num_threads).counts
    tokens = base.encode(words, threads)
    # The counts of words, each as often as the word has tokens.
    ends = np.searchsorted(np.cumsum(base.sizes[tokens]), words.ends, side="right")
    counts = np.bincount(tokens, np.repeat(words.counts, np.diff(ends, prepend=0)), len(base.ids))

    fixed = _ids_that_stay(record)
    ids = np.union1d(base.ids, list(fixed))
    surplus = len(ids) - vocab_size
    if surplus < 0:
        raise InvalidVocabularySize(f"vocab_size={vocab_size}, but the vocabulary has only {len(ids):,} ids.")
    made, halves = _merges(record)
    free = [token_id for token_id in base.ids[256:].tolist() if token_id not in fixed]
    used = dict(zip(base.ids.tolist(), counts.astype(np.int64).tolist()))
    gone = _rarest(free, dict(zip(made, halves)), used, surplus)
    if len(gone) < surplus:
        raise InvalidVocabularySize(
            f"vocab_size={vocab_size} is too small: the 256 bytes, special tokens and what these are made of take "
            f"{len(ids) - len(gone):,} ids. Give that many or more."
        )
    return _with_ids(record, np.setdiff1d(ids, gone))


def _ids_that_stay(record: BytePairModel | VocabularyModel) -> set[int]:
    around = {part for part, _ in record.pair_frame or () if not isinstance(part, str)}
    return {*record.special_tokens.values(), *record.decode_only, *record.frame[0], *record.frame[1], *around}


def _merges(record: BytePairModel | VocabularyModel) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the ids that merges make, and of which two each is made."""
    if isinstance(record, BytePairModel):
        return list(record.merge_ids), list(record.merges)
    merges = merging_of(record).merges.astype(np.int64)
    return merges[:, 2].tolist(), list(map(tuple, merges[:, :2].tolist()))


def _rarest(free: list[int], halves: Mapping[int, tuple[int, ...]], counts: dict[int, int], number: int) -> list[int]:
    """Return the first ``number`` ids in the order of ``reference.pruning.rarest_first``, or all that may go."""
    users = dict.fromkeys(counts, 0)
    for pair in halves.values():
        for half in set(pair):
            users[half] += 1
    may_go = set(free)
    waiting = [(counts[token_id], -token_id) for token_id in free if not users[token_id]]
    heapify(waiting)
    gone: list[int] = []
    while waiting and len(gone) < number:
        token_id = -heappop(waiting)[1]
        gone.append(token_id)
        pair = halves.get(token_id, ())
        for half in pair:
            counts[half] += counts[token_id]
        for half in set(pair):
            users[half] -= 1
            if not users[half] and half in may_go:
                heappush(waiting, (counts[half], -half))
    return gone


def _with_ids(record: BytePairModel | VocabularyModel, kept: np.ndarray) -> BytePairModel | VocabularyModel:
    """Return the record with the ids in ``kept`` alone, ascending, which become 0, 1, 2, ..."""
    new = {token_id: at for at, token_id in enumerate(kept.tolist())}
    specials = {text: new[token_id] for text, token_id in record.special_tokens.items()}
    if isinstance(record, BytePairModel):
        merges = record.pairs[np.isin(record.merge_ids, kept)]
        holes = sorted({token_id for token_id in specials.values() if token_id > 255})
        return record.replace(
            merges=np.searchsorted(kept, merges), skipped_ids=holes, special_tokens=specials, source=""
        )
    table = record.merge_table
    if table is not None:
        table = np.searchsorted(kept, table[np.isin(table, kept).all(axis=1)])
    pair = None
    if record.pair_frame is not None:
        pair = [(part if isinstance(part, str) else new[part], kind) for part, kind in record.pair_frame]
    return record.replace(
        token_bytes={new[token_id]: token for token_id, token in record.token_bytes.items() if token_id in new},
        merges=table,
        special_tokens=specials,
        frame=tuple(tuple(new[token_id] for token_id in ids) for ids in record.frame),
        pair_frame=pair,
        decode_only={new[token_id]: text for token_id, text in record.decode_only.items()},
        source="",
    )
