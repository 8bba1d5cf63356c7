r"""rustbpe's Tokenizer: train from an iterator, hand the ranks to tiktoken.

    tokenizer = Tokenizer()
    tokenizer.train_from_iterator(texts, vocab_size=4096)
    tiktoken.Encoding("mine", pat_str=tokenizer.get_pattern(),
                      mergeable_ranks=dict(tokenizer.get_mergeable_ranks()), special_tokens={})

A program written for rustbpe (nanochat, for example) runs with only the import changed, and gets the same merges and
ids: ties go to the pair with the smallest ids, text between the matches of the pattern is dropped, and letters are
those of the Unicode tables of rustbpe and tiktoken.

Where rustbpe aborts, hangs or is silent, an error is raised here: for a vocabulary of fewer than 256, a ``buffer_size``
of 0, one str instead of a list, encoding before training, ids that are half a character. ``batch_encode`` and
``decode`` take any iterable, a tokenizer can be pickled, and ``model`` is its record.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from functools import cached_property
from typing import SupportsIndex

import numpy as np

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.word_counter import WordCounter
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder
from minbpe_course.errors import InvalidOption, InvalidVocabularySize, NotText, NotTrained
from minbpe_course.kernels.common.memory import lay_tokens
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.model.copies import Copied, forget_computed
from minbpe_course.splitting.splitter import Splitter, must_be_batch, must_be_text
from minbpe_course.text.patterns import GPT4_SPLIT_PATTERN, engine_of, named_pattern
from minbpe_course.trainers.byte_pair import check_vocab_size, learn_merges

# rustbpe and tiktoken have the same classes of characters, for every code point.
_TABLES = "tiktoken"


class Tokenizer(Copied):
    """Byte-level BPE with the interface of rustbpe.

    >>> tokenizer = Tokenizer()
    >>> tokenizer.train_from_iterator(["low lower lowest", "low and slow"], vocab_size=260)
    >>> tokenizer.get_mergeable_ranks()[256:]
    [(b'lo', 256), (b'low', 257), (b' low', 258), (b' lowe', 259)]
    >>> tokenizer.encode("slow lower"), tokenizer.decode([115, 257])
    ([115, 257, 259, 114], 'slow')
    """

    def __init__(self) -> None:
        self._pairs = BytePairModel()
        self._pattern = ""

    def __repr__(self) -> str:
        return f"Tokenizer(vocab_size={self.vocab_size:,})"

    @property
    def model(self) -> BytePairModel | VocabularyModel:
        """The frozen record, for ``convert`` and ``load_tokenizer``. Raises NotTrained."""
        self._must_be_trained()
        if engine_of(self._pattern) == _TABLES:
            return self._pairs
        return VocabularyModel.from_byte_pairs(self._pairs).replace(pattern_engine=_TABLES)

    @property
    def vocab_size(self) -> int:
        """256 plus the number of merges; smaller than requested if the texts ran out of pairs."""
        return 256 + len(self._pairs.pairs)

    def train_from_iterator(
        self,
        iterator: Iterable[str],
        vocab_size: SupportsIndex,
        buffer_size: SupportsIndex = 8192,
        pattern: str | None = None,
    ) -> None:
        """Learn ``vocab_size - 256`` merges from texts; no merge crosses from one text to the next.

        iterator : any iterable of str; it is read once, and only word counts are kept. buffer_size : how many texts
        rustbpe reads at a time; it changes nothing here. pattern : the split pattern or the name of a known one,
        GPT-4's by default. An error leaves the tokenizer unchanged.

        Raises InvalidVocabularySize, NotText, InvalidText, InvalidPattern, InvalidOption.
        """
        size = _whole("vocab_size", vocab_size)
        check_vocab_size(size)
        if _whole("buffer_size", buffer_size) < 1:
            raise InvalidOption(f"buffer_size={buffer_size!r} reads nothing; leave it out, or give at least 1.")
        if isinstance(iterator, str):
            raise NotText("give a list of texts: [text]. The iterator over one str gives single characters.")
        chosen = GPT4_SPLIT_PATTERN if pattern is None else named_pattern(must_be_text(pattern))
        counter = WordCounter(Splitter(chosen, keep_all=False, engine=_TABLES))
        if not isinstance(iterator, Iterable):
            raise NotText(f"expected an iterable of texts, got {type(iterator).__name__}.")
        warn_if_path(iterator)
        counter.add_all(iterator)
        merges = learn_merges(counter.counts(), size, tie_break="smallest-pair")
        self._pairs, self._pattern = BytePairModel(merges, pattern=chosen), chosen
        forget_computed(self)

    def get_pattern(self) -> str:
        """Return the split pattern; empty before training."""
        return self._pattern

    def get_mergeable_ranks(self) -> list[tuple[bytes, int]]:
        """Return the bytes and the id of every token, by id; tiktoken takes them as ``dict(...)``."""
        return [(token, token_id) for token_id, token in self._pairs.token_bytes.items()]

    def encode(self, text: str) -> list[int]:
        """Return the ids of ``text``. Raises NotText, InvalidText, NotTrained."""
        if isinstance(text, (list, tuple)):
            raise NotText(f"text must be a str, got {type(text).__name__}; for many texts call batch_encode(texts).")
        return self._engine.encode_list(must_be_text(text))

    def batch_encode(self, texts: Iterable[str]) -> list[list[int]]:
        """Return the ids of many texts, encoded in threads. Raises as ``encode`` does."""
        return self._engine.encode_lists(must_be_batch(texts))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ``ids``. Raises InvalidTokenId, and UnicodeDecodeError for parts of characters."""
        return self._decoder.text_of(list(ids), "strict")

    def batch_decode(self, batch_ids: Iterable[Iterable[int]]) -> list[str]:
        """Return the texts of many lists of ids. Raises as ``decode`` does."""
        return [self.decode(ids) for ids in batch_ids]

    def _must_be_trained(self) -> None:
        if not self._pattern:
            raise NotTrained("train first: tokenizer.train_from_iterator(texts, vocab_size=4096)")

    @cached_property
    def _engine(self) -> BytePairEngine:
        self._must_be_trained()
        model = VocabularyModel.from_byte_pairs(self._pairs).replace(pattern_engine=_TABLES)
        return BytePairEngine.from_vocabulary(model, keep_all=False)

    @cached_property
    def _decoder(self) -> Decoder:
        text, start = lay_tokens(self._pairs.token_bytes, self.vocab_size)
        return Decoder(text, start, np.arange(self.vocab_size), {})


def _whole(name: str, value: SupportsIndex) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidVocabularySize(f"{name} must be a whole number, got {value!r}.") from None
