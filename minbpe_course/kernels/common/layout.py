"""The block of numbers that one encoder works with: where its tables lie, and where it is in the text.

A compiled function that is reached by its address takes one number. For the encoder that number is the address of a
block of int64, and these are the places in it, in bytes. Who makes the arrays keeps them alive: ``packing``.

    the splitter's own    AT END LIMIT FAMILY CLASSES BASE ENDS ROOM         see ``split``
    the vocabulary        tables that are made once and shared by threads, see ``tables``
    the worker            caches, scratch and output of one thread, see ``encoding``
"""

from __future__ import annotations

# The first eight are those of ``split``.
AT, END, LIMIT, FAMILY, CLASSES, BASE, ENDS, ROOM = range(0, 64, 8)

# Where words come from: the address of ``split.split_words`` or ``split.given_words``, and what the latter gives.
SPLITTER, GIVEN, GIVEN_LEFT, GIVEN_BASE = range(64, 96, 8)

# The vocabulary. Tokens are numbered from 0 in the order of their ids; TOKEN_IDS says the id of each number.
TOKENS, TOKEN_IDS, TOKEN_TEXT, TOKEN_STARTS = range(96, 128, 8)
WORDS, WORD_MASK, PAIRS, PAIR_MASK, FILTER, BYTE_PAIRS, BYTE_NUMBERS = range(128, 184, 8)
CUTS, CUT_BYTES, TRIE, TRIE_MASK, NODE_TOKENS, PREFIXES, LAST_MERGES = range(184, 240, 8)

# The worker.
CACHE, CACHE_MASK, MISSES, RECORDS, KEY_MASKS, TAIL, OUT = range(240, 296, 8)
LONG, LONG_MASK, ARENA, ARENA_SIZE, ARENA_USED, SCRATCH, SCRATCH_SIZE, SCRATCH_WANTED = range(296, 360, 8)

# Made from pairs of numbers while tables are built: LEFTS, RIGHTS, MADE are uint32, PAIR_COUNT of them.
LEFTS, RIGHTS, MADE, PAIR_COUNT, WANTED, WANTED_COUNT = range(360, 408, 8)

# Whether a trie may be built when the first long word comes: the vocabulary allows ``backtracking``.
LINEAR = 408

# How many words the caches may learn before the encoder comes back to have them made larger.
GROW_AFTER, LONG_MISSES, LONG_GROW_AFTER, EPOCH = range(416, 448, 8)

# The second of the two tokens that the last merge of a word joined.
LAST_RIGHT = 448

# The number of the token that a character below 2**16 is, uint32[2^16], FREE where it is none.
CHARACTERS = 456

# The addresses of ``encoding.encode_text``, of room for the ids of a text of up to SHORT_BYTES, and of the block of
# ``kernels.objects``; and why the encoder of many texts came back.
ENCODER, SHORT_OUT, REASON, OBJECTS = range(464, 496, 8)
SHORT_BYTES, SHORT_IDS = 8192, 8192 + 64

# The address of a kernel for long pieces, the scratch it takes for each byte, and the piece that it is called for.
MERGER, MERGER_BYTES, PIECE, PIECE_LENGTH, PIECE_OUT = range(496, 536, 8)

# Pieces of a word of up to this many bytes are merged by ``merge_small``, longer ones by the MERGER.
SMALL_PIECES = 536

# SentencePiece. The normaliser: see ``normalize``. RAW_USERS and USERS are four places each, a trie of pieces.
RULE_STARTS, UNITS, UNIT_COUNT, STRINGS, STRINGS_SIZE, LOUD, FLAGS = range(544, 600, 8)
RAW_USERS, USERS = 600, 632
TEXT, TEXT_SIZE, TEXT_END, TEXT_WANTED, POSITIONS = range(664, 704, 8)

# From normalised text to ids: see ``segments``, ``pieces`` and ``documents``.
SEGMENT_CUTS, SYMBOLS, RANKS, LEAVES, LEAF_STARTS, LEAF_PARTS, BYTE_IDS, UNKNOWN = range(704, 768, 8)
ESCAPES, USER_STARTS, PART_ENCODER, FIRST_OUT, SPANS, FIRST_SPAN, OUT_END, IDS_A_BYTE = range(768, 832, 8)

NORMALIZER = 832

# Unigram: see ``unigram``.
NODES, SCORES, LENGTHS, UNKNOWN_SCORE, LONGEST, OLD, SUM = range(840, 896, 8)

# While tables are built: uint8 for each number of bytes, 1 where a token has so many; or 0.
KNOWN_SIZES = 896

# What the normaliser may copy, see ``normalize``.
CHARACTER_KINDS = 904

# BPE-dropout: how many of 2**32 merges are left out, and the state of the random numbers. See ``pieces``.
DROPOUT, LUCK = range(912, 928, 8)

# Tokens from this number on are made by no merge: only a whole word can be one of them. See ``encoding``.
WHOLE_ONLY = 928

# While tables are built, where the rank of a pair is not the number of what it makes: that number by rank, uint32.
# Then the rank of the last merge of a word, and those of all tokens, uint32. See ``merging.reachable_tokens``.
MADE_BY, LAST_RANK, LAST_RANKS = range(936, 960, 8)

# The number of the symbol that each merge of a SentencePiece model makes, uint32. See ``pieces``.
MERGED = 960

SIZE = 121

# An id that no piece has.
NO_ID = 0xFFFFFFFF

# Why the encoder came back.
DONE, NEEDS_SCRATCH, NEEDS_MERGER, NEEDS_CACHE, NEEDS_LONG, NEEDS_TEXT, NEEDS_OUT = range(7)
