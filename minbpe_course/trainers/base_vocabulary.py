"""A vocabulary that exists already, to learn more tokens on top of it or to take some out.

    text  --its words-->  " lower" 2   " newest" 6  --its tokens-->  [" low", "er"] 2   [" new", "est"] 6

Its tokens are numbered for that: the 256 bytes by their values, then the others by their ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.count_words import Source
from minbpe_course.counting.sources import texts
from minbpe_course.counting.word_counts import WordCounts
from minbpe_course.counting.word_table import WordTable
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.errors import InvalidOption, InvalidSource, UnsupportedModel
from minbpe_course.formats.sources import record_from
from minbpe_course.kernels.common.memory import padded
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.resources.threads import in_order
from minbpe_course.splitting.splitter import Splitter, Words, must_be_text
from minbpe_course.text.patterns import engine_of
from minbpe_course.text.special_places import Finder
from minbpe_course.trainers.phrases import is_text
from minbpe_course.trainers.training_words import TrainingWords, counts_file_of, words_of

Model: TypeAlias = BytePairModel | VocabularyModel


class BaseVocabulary:
    """A byte-level vocabulary with numbered tokens.

    record : of what was given · ids : int64[n], the id of each number · sizes : int64[n], the bytes of each ·
    byte_order : the bytes by ascending id · cut_by_pattern : whether one pattern cuts unchanged text into its words.

    Raises what ``record_from`` raises, and UnsupportedModel for a model without byte-level tokens.
    """

    def __init__(self, given: Any) -> None:
        record = record_from(given).record
        if isinstance(record, PieceModel):
            raise UnsupportedModel(
                "its tokens are pieces of text, as SentencePiece's are, and only byte-level vocabularies can be "
                "extended or pruned. To add pieces to a PieceModel: model.with_pieces([...])."
            )
        self.record: Model = record
        self.cut_by_pattern = True
        if isinstance(record, BytePairModel):
            self._engine = BytePairEngine.from_model(record)
        else:
            if record.lacking:
                raise UnsupportedModel(
                    f"{record.only_in_huggingface}, and only complete ones can be extended or pruned."
                )
            if record.word_end:
                raise UnsupportedModel(
                    f"its words end with {record.word_end!r}, and no vocabulary with such marks can be extended or "
                    "pruned."
                )
            self._engine = BytePairEngine.from_vocabulary(record)
            self.cut_by_pattern = not (record.normalization or record.prefix_space or record.split_steps) and (
                record.pattern is None or record.pattern_engine in (None, engine_of(record.pattern))
            )
        # By ascending id; a token without bytes never comes from a text.
        tokens = {token_id: token for token_id, token in record.token_bytes.items() if token}
        by_id = np.array(sorted(tokens), dtype=np.int64)
        single = np.array([len(tokens[token_id]) == 1 for token_id in by_id.tolist()])
        self.byte_order = b"".join(tokens[token_id] for token_id in by_id[single].tolist())
        self.ids = np.concatenate([by_id[single][np.argsort(list(self.byte_order))], by_id[~single]])
        self.tokens = [tokens[token_id] for token_id in self.ids.tolist()]
        self.sizes = np.array(list(map(len, self.tokens)), dtype=np.int64)

    def id_of(self, number: int) -> int:
        """Return the id of a token, or that of one that was learned since."""
        new = number - len(self.ids)
        return int(self.ids[number]) if new < 0 else self.record.vocab_size + new

    def numbers_of(self, ids: np.ndarray) -> np.ndarray:
        """Return the numbers of tokens with these ids, int64."""
        order = np.argsort(self.ids)
        return order[np.searchsorted(self.ids, ids, sorter=order)]

    def words_of(
        self, source: Source, special_tokens: Sequence[str], num_threads: int | None, **options: Any
    ) -> TrainingWords:
        """Count the words of a source as this vocabulary cuts them, or return the counts that it contains.

        special_tokens : no word reaches across them, nor across those of the vocabulary · options : as of
        ``training_words.words_of``, which lists the errors.
        """
        pattern, counted = self.record.pattern, counts_file_of(source)
        if counted is not None and counted.pattern != pattern:
            raise InvalidSource(
                f"the words of {counted.path} were cut with the pattern {counted.pattern!r}, and the base has "
                f"{pattern!r}. Give the text, or count it again with that pattern."
            )
        specials = [] if counted else list(dict.fromkeys([*self.record.special_tokens, *special_tokens]))
        if counted or self.cut_by_pattern or isinstance(source, Mapping):
            return words_of(source, pattern, specials, num_threads, **options)
        bounds = {name: each for name, each in options.items() if name != "progress" and each is not None}
        if bounds:
            raise InvalidOption(
                f"{min(bounds)}= needs a base that cuts unchanged text with one pattern, and this one has other steps. "
                "Leave it out."
            )
        warn_if_path(source)
        finder, table = Finder(specials), WordTable(Splitter(None))
        for text in map(must_be_text, texts(source, None, specials)):
            for begin, end in finder.between(text):
                for run in self._engine.splitter.runs(self._engine.prepared(text[begin:end])):
                    table.add(run, run.start)
        return TrainingWords(WordCounts(*table.arrays()), pattern, specials)

    def encode(self, words: WordCounts, threads: int) -> np.ndarray:
        """Return the numbers of the tokens of all words, end to end, uint32."""
        data = words.text.tobytes()
        text, rows = padded(data)
        starts = np.concatenate([[0], words.ends])
        cuts = np.unique(np.linspace(0, len(words), 4 * threads + 1).astype(np.int64)).tolist()
        runs = (
            Words(text, rows, int(starts[begin]), words.ends[begin:end], end - begin) for begin, end in pairwise(cuts)
        )
        encode = self._engine.encode_run if is_text(data, words) else self._engine.encode_parts
        ids = [np.empty(0, dtype=np.int64), *in_order(encode, runs, threads)]
        return self.numbers_of(np.concatenate(ids)).astype(np.uint32)

    def repeated(self, pairs: np.ndarray) -> int:
        """Return how many of the new merges make a token that the vocabulary has, but that no merge made so far."""
        return len(pairs) - len(self._made(pairs)[1])

    def extended(self, pairs: np.ndarray, special_tokens: Sequence[str]) -> Model:
        """Return the record with more merges, int[n, 2] of numbers, and with more special tokens.

        New tokens take the ids after the last one, then the special tokens.
        """
        record = self.record
        rows, new = self._made(pairs)
        first = record.vocab_size
        specials = {**record.special_tokens, **{text: first + len(new) + k for k, text in enumerate(special_tokens)}}
        if isinstance(record, BytePairModel):
            gap = range([255, *record.merge_ids[-1:]][-1] + 1, first) if len(rows) else ()
            merges = np.concatenate([record.pairs, rows[:, :2]])
            return record.replace(merges=merges, skipped_ids=(*record.skipped_ids, *gap), special_tokens=specials)
        merges = None if record.merge_table is None else np.concatenate([record.merge_table, rows])
        return record.replace(token_bytes={**record.token_bytes, **new}, merges=merges, special_tokens=specials)

    def _made(self, pairs: np.ndarray) -> tuple[np.ndarray, dict[int, bytes]]:
        """Return the merges as (left id, right id, made id), int64[n, 3], and id -> bytes of the new tokens."""
        ids, tokens, new = self.ids.tolist(), list(self.tokens), dict[int, bytes]()
        known = {} if isinstance(self.record, BytePairModel) else dict(zip(tokens, ids))
        rows = []
        for left, right in pairs.tolist():
            token = tokens[left] + tokens[right]
            made = known.get(token, self.record.vocab_size + len(new))
            if token not in known:
                new[made] = token
            rows.append((ids[left], ids[right], made))
            ids.append(made)
            tokens.append(token)
        return np.array(rows, dtype=np.int64).reshape(-1, 3), new
