"""The published byte-level vocabularies of OpenAI, bundled as merges.

    names()                      gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony
    load(name)                   the BytePairModel: merges, byte order, tiktoken's pattern, special tokens
    mergeable_ranks(name)        bytes -> id, as in tiktoken
    passport(name)               origin, licence, size and hashes
    tiktoken_file(name)          the published file, rebuilt byte for byte and checked against its SHA-256
    use_bundled_vocabularies()   afterwards tiktoken.get_encoding(name) needs no network

Three tables of merges give all seven encodings; ``tools/rebuild_vocabularies.py`` made them.
"""

from minbpe_course.vocabularies.bundle import load, mergeable_ranks, names, passport
from minbpe_course.vocabularies.cache_folder import use_bundled_vocabularies
from minbpe_course.vocabularies.published_files import tiktoken_file

__all__ = ["load", "mergeable_ranks", "names", "passport", "tiktoken_file", "use_bundled_vocabularies"]
