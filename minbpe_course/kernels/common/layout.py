"""The block of an encoder: where its tables lie, and where it is in the text.

A kernel that is called by its address takes one number. For the encoders that number is the address of a block of
int64, and ``block_at`` shows the numbers there under the names below:

    block = layout.block_at(address)
    block.out += 4

Python fills a ``memory.Block(layout.BLOCK)``, which has the same names and keeps the arrays alive. Many places hold the
address of a table; the file that reads a table says what is in it.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.kernels.common.machine import record_at


def int64_fields(names: str) -> np.dtype:
    """Return the dtype of a record of int64 with these names.

    >>> int64_fields("at end").names
    ('at', 'end')
    """
    return np.dtype([(name, np.int64) for name in names.split()])


BLOCK = int64_fields(
    # The text and the splitter, see ``splitting.split``. Bytes before ``limit`` may be read; ``base`` is subtracted
    # from the ends of the words; ``room`` is how many ends fit.
    "at end limit family classes base ends room "
    # Where words come from: the address of ``split.split_words`` or ``split.given_words``, and the ends for the latter.
    "splitter given given_left given_base "
    # The vocabulary, see ``encoding.tables``. Tokens are numbered from 0 in the order of their ids; token_ids has the
    # id of each number.
    "tokens token_ids token_text token_starts words word_mask pairs pair_mask filter byte_pairs byte_numbers "
    # Tables for long words, see ``encoding.cuts`` and ``encoding.backtracking``.
    "cuts cut_bytes trie trie_mask node_tokens prefixes last_merges "
    # One thread's cache, output and scratch memory, see ``encoding.word_cache`` and ``encoding.encoding``.
    "cache cache_mask misses records key_masks tail out "
    "long long_mask arena arena_size arena_used scratch scratch_size scratch_wanted "
    # Input and output of the kernels that build tables: pairs of numbers (uint32, pair_count of them) and tokens.
    "lefts rights made pair_count wanted wanted_count "
    # How many bytes of long words a heap merges before the trie for ``backtracking`` is built; 0 for any number.
    "heap_first "
    # How many words the caches may learn before the encoder comes back to have them made larger.
    "grow_after long_misses long_grow_after epoch "
    # The second of the two tokens that the last merge of a word joined.
    "last_right "
    # uint32[2^16]: the number of the token that a character below 2**16 is, or FREE.
    "characters "
    # The encoder's own address, an array for the ids of a short text, why the encoder of many texts came back, and the
    # address of the block of ``objects``.
    "encoder short_out reason objects "
    # A kernel for long pieces, the scratch memory that it takes for each byte, and the piece to merge.
    "merger merger_bytes piece piece_length piece_out "
    # ``merge_small`` merges pieces of up to this many bytes, the merger longer ones.
    "small_pieces "
    # SentencePiece's normalizer, see ``sentencepiece.normalize``.
    "rule_starts units unit_count strings strings_size loud flags "
    "raw_users users "
    "text text_size text_end text_wanted positions "
    # From normalized text to ids, see ``sentencepiece.segments``, ``pieces`` and ``documents``.
    "segment_cuts symbols ranks leaves leaf_starts leaf_parts byte_ids unknown "
    "escapes user_starts part_encoder first_out spans first_span out_end ids_a_byte normalizer "
    # Unigram, see ``sentencepiece.unigram``.
    "nodes scores lengths unknown_score longest sum "
    # uint8 for each number of bytes, 1 where a token has that length; or 0. Read while tables are built.
    "known_sizes "
    # BPE-dropout: how many of 2**32 merges are left out, and the state of the random numbers. See ``pieces``.
    "dropout luck "
    # Tokens from this number on are made by no merge: only a whole word can be one of them. See ``encoding``.
    "whole_only "
    # Only where the rank of a pair is not the number of its token: the number by rank, uint32. Then the rank of a
    # word's last merge, and these ranks for all tokens, uint32. See ``merging.reachable_tokens``.
    "made_by last_rank last_ranks "
    # uint32: the number of the symbol that each merge of a SentencePiece model makes. See ``pieces``.
    "merged "
    # The table of a split pattern, see ``splitting.table``: its rows, the kind of each character, the row in which
    # whole lines are read, the bytes that stay there, and the address of ``table.word_by_table``.
    "rows kinds row_starts end_kind long_row stays word_by_table "
    # A batch of words: where the first begins, the addresses of the ends of the first, of the next to encode, and after
    # the last; and the kernels that look them up, see ``encoding``.
    "batch_at batch_first batch_next batch_stop key_maker copier "
    # How many bytes the merger may still merge before a better one is chosen.
    "merger_left "
    # Where ids begin that are only counted, or 0, and the bytes of those that others have replaced. See ``encoding``.
    "count_from counted"
)

block_at = record_at(BLOCK)

# The state of threads that encode stretches of texts, shared and per thread: see ``encoding.stretches``.
QUEUE = int64_fields("places borders sizes number next counts offsets ids room")
SHARE = int64_fields("stretch text stop first inside room room_end held held_from held_to known start")
queue_at, share_at = record_at(QUEUE), record_at(SHARE)

# Facts about this Python process for compiled code, see ``objects``: the table of ready objects, and the addresses of
# three types.
OBJECTS = int64_fields("table table_size list_type tuple_type int_type")

# The length of a short text in bytes, and the room that its ids take.
SHORT_BYTES, SHORT_IDS = 8192, 8192 + 64

# An id that no piece has.
NO_ID = 0xFFFFFFFF

# A splitter may write SLACK entries after ``room``, and read AHEAD bytes after the beginning of a word. GAP is a bit of
# the end of text that is not a word.
SLACK, AHEAD, GAP = 64, 80, 1 << 62

# Why the encoder came back, and why the encoder of stretches did.
DONE, NEEDS_SCRATCH, NEEDS_MERGER, NEEDS_CACHE, NEEDS_LONG, NEEDS_TEXT, NEEDS_OUT = range(7)
NEEDS_ROOM, NEEDS_IDS, PAUSES = 7, 8, 9
