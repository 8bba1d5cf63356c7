"""The published byte-level vocabularies, bundled as recovered merges that prove themselves.

    names()                      gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony
    load(name)                   the BytePairModel: merges, byte order, tiktoken's pattern, special tokens
    mergeable_ranks(name)        bytes -> id, as tiktoken keeps it
    passport(name)               where it comes from, its licence, its size, the hashes
    tiktoken_file(name)          the published file, rebuilt byte for byte and checked against its SHA-256
    use_bundled_vocabularies()   from then on plain tiktoken.get_encoding(name) needs no network

Three tables of merges give all seven; ``rebuild`` is the maintainer's tool that made them.
"""

from minbpe_course.vocabularies.bundle import load, mergeable_ranks, names, passport
from minbpe_course.vocabularies.cache_folder import use_bundled_vocabularies
from minbpe_course.vocabularies.published_files import tiktoken_file

__all__ = ["load", "mergeable_ranks", "names", "passport", "tiktoken_file", "use_bundled_vocabularies"]
