"""Byte pair encoding for the lessons, and drop-in replacements for minbpe, tiktoken and sentencepiece.

    >>> from minbpe_course import BasicTokenizer
    >>> tokenizer = BasicTokenizer().train("aaabdaaabac", 259)
    >>> tokenizer.encode("aaab")
    [258]

Every public name is here. Each is imported when it is first used, so importing the package is fast and imports neither
Numba nor matplotlib.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.lazy_names import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from minbpe_course.compat.cs336 import get_tokenizer, run_train_bpe
    from minbpe_course.compat.rustbpe import Tokenizer
    from minbpe_course.corpus.reading import Corpus
    from minbpe_course.counting.count_words import count_words
    from minbpe_course.counting.counts_file.merging import merge_counts, prune_counts
    from minbpe_course.counting.counts_file.reading import CountsFile, open_counts
    from minbpe_course.counting.counts_file.writing import write_counts
    from minbpe_course.learning.judge.catalogue import use_exercises
    from minbpe_course.learning.practice.check import check
    from minbpe_course.learning.practice.hint_ladder import hint
    from minbpe_course.learning.practice.progress import progress
    from minbpe_course.playground_page.widget import playground
    from minbpe_course.resources.worker_memory import set_worker_memory
    from minbpe_course.showing import show
    from minbpe_course.token_files.shards import encode_corpus, open_shards
    from minbpe_course.tokenizers.basic import BasicTokenizer
    from minbpe_course.tokenizers.encoding import Encoding
    from minbpe_course.tokenizers.encoding_names import (
        encoding_for_model,
        encoding_name_for_model,
        get_encoding,
        list_encoding_names,
        offer_to_tiktoken,
    )
    from minbpe_course.tokenizers.gpt import GPT2Tokenizer, GPT4Tokenizer
    from minbpe_course.tokenizers.id_map import id_map
    from minbpe_course.tokenizers.loading import convert, load_tokenizer
    from minbpe_course.tokenizers.regex_bpe import RegexTokenizer
    from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer
    from minbpe_course.tokenizers.text_tokenizer import TextTokenizer
    from minbpe_course.tokenizers.warm_up import warm_up
    from minbpe_course.trainers.byte_pair import train
    from minbpe_course.trainers.piece_training import train_sentencepiece
    from minbpe_course.trainers.pruning import prune
    from minbpe_course.trainers.wordpiece import train_wordpiece
    from minbpe_course.vocabularies import use_bundled_vocabularies

__all__ = [
    "BasicTokenizer",
    "Corpus",
    "CountsFile",
    "Encoding",
    "GPT2Tokenizer",
    "GPT4Tokenizer",
    "RegexTokenizer",
    "SentencePieceTokenizer",
    "TextTokenizer",
    "Tokenizer",
    "check",
    "convert",
    "count_words",
    "encode_corpus",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "get_tokenizer",
    "hint",
    "id_map",
    "list_encoding_names",
    "load_tokenizer",
    "merge_counts",
    "offer_to_tiktoken",
    "open_counts",
    "open_shards",
    "playground",
    "progress",
    "prune",
    "prune_counts",
    "run_train_bpe",
    "set_worker_memory",
    "show",
    "train",
    "train_sentencepiece",
    "train_wordpiece",
    "use_bundled_vocabularies",
    "use_exercises",
    "warm_up",
    "write_counts",
]

# tests/tokenizers/test_public_names.py compares this table with the list above and the block for type checkers.
_HOMES = {
    "BasicTokenizer": "minbpe_course.tokenizers.basic",
    "Corpus": "minbpe_course.corpus.reading",
    "CountsFile": "minbpe_course.counting.counts_file.reading",
    "Encoding": "minbpe_course.tokenizers.encoding",
    "GPT2Tokenizer": "minbpe_course.tokenizers.gpt",
    "GPT4Tokenizer": "minbpe_course.tokenizers.gpt",
    "RegexTokenizer": "minbpe_course.tokenizers.regex_bpe",
    "SentencePieceTokenizer": "minbpe_course.tokenizers.sentencepiece_tokenizer",
    "TextTokenizer": "minbpe_course.tokenizers.text_tokenizer",
    "Tokenizer": "minbpe_course.compat.rustbpe",
    "check": "minbpe_course.learning.practice.check",
    "convert": "minbpe_course.tokenizers.loading",
    "count_words": "minbpe_course.counting.count_words",
    "encode_corpus": "minbpe_course.token_files.shards",
    "encoding_for_model": "minbpe_course.tokenizers.encoding_names",
    "encoding_name_for_model": "minbpe_course.tokenizers.encoding_names",
    "get_encoding": "minbpe_course.tokenizers.encoding_names",
    "get_tokenizer": "minbpe_course.compat.cs336",
    "hint": "minbpe_course.learning.practice.hint_ladder",
    "id_map": "minbpe_course.tokenizers.id_map",
    "list_encoding_names": "minbpe_course.tokenizers.encoding_names",
    "load_tokenizer": "minbpe_course.tokenizers.loading",
    "merge_counts": "minbpe_course.counting.counts_file.merging",
    "offer_to_tiktoken": "minbpe_course.tokenizers.encoding_names",
    "open_counts": "minbpe_course.counting.counts_file.reading",
    "open_shards": "minbpe_course.token_files.shards",
    "playground": "minbpe_course.playground_page.widget",
    "progress": "minbpe_course.learning.practice.progress",
    "prune": "minbpe_course.trainers.pruning",
    "prune_counts": "minbpe_course.counting.counts_file.merging",
    "run_train_bpe": "minbpe_course.compat.cs336",
    "set_worker_memory": "minbpe_course.resources.worker_memory",
    "show": "minbpe_course.showing",
    "train": "minbpe_course.trainers.byte_pair",
    "train_sentencepiece": "minbpe_course.trainers.piece_training",
    "train_wordpiece": "minbpe_course.trainers.wordpiece",
    "use_bundled_vocabularies": "minbpe_course.vocabularies",
    "use_exercises": "minbpe_course.learning.judge.catalogue",
    "warm_up": "minbpe_course.tokenizers.warm_up",
    "write_counts": "minbpe_course.counting.counts_file.writing",
}


if not Path(__path__[0]).is_dir():
    raise ImportError(
        f"minbpe_course cannot be used from inside an archive ({__path__[0]}): it reads files of its own. "
        "Install it with pip, or unpack the archive."
    )

# The submodules of tiktoken and minbpe are found here too: ``import minbpe_course as tiktoken; tiktoken.core`` and
# ``from minbpe_course.core import Encoding`` work.
_SUBMODULES = ("base", "basic", "core", "gpt4", "load", "regex", "registry")
__path__ += [str(Path(__path__[0], "compat", library)) for library in ("tiktoken", "minbpe")]


_lazy, __dir__ = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name, or a submodule of tiktoken or minbpe, when it is first used."""
    return importlib.import_module(f"{__name__}.{name}") if name in _SUBMODULES else _lazy(name)
