"""What an ``Encoding`` holds and how it is made, copied and pickled; what it does is in ``encoding``.

    Encoding(name, pat_str=..., mergeable_ranks=..., special_tokens=...)      as tiktoken's
    Encoding.from_model(record, name)                                         around a record of ours

Only what was given is kept and pickled; engine, decoder and tables are made from it when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder
from minbpe_course.engines.unstable_ends import UnstableEnds
from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.errors import NotText, UnsupportedModel
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.model.copies import added_to
from minbpe_course.splitting.words import Splitter
from minbpe_course.text.added_tokens import AddedTokens
from minbpe_course.text.normalizer_steps import normalizer
from minbpe_course.tokenizers.base import ByteLevelTokenizer
from minbpe_course.tokenizers.rank_checks import must_be_ranks, must_be_special_ids, must_have_size, why_no_ranks

Self = TypeVar("Self", bound="EncodingState")

# The pattern with which a whole text is one word.
ONE_WORD = r"(?s:.+)"


class EncodingState(ByteLevelTokenizer):
    """The vocabulary, the split pattern and the special tokens of an ``Encoding``; not used by itself."""

    name: str
    max_token_value: int
    _pat_str: str
    _special_tokens: dict[str, int]
    # Either ranks were given, or a record that says how its tokens merge.
    _ranks: dict[bytes, int]
    _record: BytePairModel | VocabularyModel | None = None
    # Whether every token of the record is known to be what merging its own bytes gives.
    _proven: bool = False

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        if not isinstance(pat_str, str):
            raise NotText(f"pat_str is a split pattern, a str, got {type(pat_str).__name__}.")
        self.name = name
        self._pat_str = pat_str
        self._ranks = must_be_ranks(mergeable_ranks)
        self._special_tokens = must_be_special_ids(special_tokens)
        # Reject an invalid pattern now, not at the first text.
        Splitter(pat_str, keep_all=False, engine="tiktoken")
        self.max_token_value = max([*self._ranks.values(), *self._special_tokens.values()])
        if explicit_n_vocab:
            must_have_size(self._ranks, self._special_tokens, explicit_n_vocab)

    @classmethod
    def from_model(cls: type[Self], record: BytePairModel | VocabularyModel, name: str | None = None) -> Self:
        """Return an encoding around a record: one that ``train`` returned, or that was read from a file of others.

        Its words become tokens as the record says. ``_mergeable_ranks`` is there when ranks say the same. The frame of
        a VocabularyModel is left to the caller, as tiktoken leaves it.

        >>> from minbpe_course import Encoding, train
        >>> Encoding.from_model(train("aaabdaaabac", 259, pattern=None), "tiny").encode("aaab")
        [258]
        """
        return cls._around(record, name or "encoding", proven=False)

    @classmethod
    def _around(cls: type[Self], record: BytePairModel | VocabularyModel, name: str, *, proven: bool) -> Self:
        Splitter(record.pattern, engine=getattr(record, "pattern_engine", None))
        encoding = cls.__new__(cls)
        encoding.name, encoding._record, encoding._proven = name, record, proven
        encoding._pat_str = ONE_WORD if record.pattern is None else record.pattern
        encoding._special_tokens = dict(record.special_tokens)
        encoding.max_token_value = record.vocab_size - 1
        return encoding

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        from minbpe_course.tokenizers import encoding_names

        named = isinstance(self.name, str) and encoding_names.ENCODINGS.get(self.name) is self
        # The name stands for the encoding alone, so one that carries more is copied as a whole.
        if named and not added_to(self):
            return encoding_names.get_encoding, (self.name,)
        return super().__reduce_ex__(protocol)

    # Made when it is first needed

    @cached_property
    def _special_token_values(self) -> set[int]:
        return set(self._special_tokens.values())

    @cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        if self._record is None:
            return self._ranks
        reason = None if self._proven else why_no_ranks(self._record)
        if reason is not None:
            raise UnsupportedModel(
                f"{self.name} has no mergeable ranks: {reason}.\nThe record it was made from says how its tokens merge."
            )
        return dict(self._token_ids)

    @cached_property
    def _token_ids(self) -> Mapping[bytes, int]:
        if self._record is None:
            return self._ranks
        found: dict[bytes, int] = {}
        for token_id, token in self._record.token_bytes.items():
            found.setdefault(token, token_id)
        return found

    @cached_property
    def _engine(self) -> BytePairEngine:
        if self._record is None:
            return BytePairEngine.from_ranks(self._ranks, self._pat_str)
        if isinstance(self._record, VocabularyModel):
            return BytePairEngine.from_vocabulary(self._record, repair=True)
        # Where every token is reached by its merges, both meanings of encoding agree.
        return BytePairEngine.from_model(self._record, repair=True, proven=self._proven)

    @cached_property
    def _encode_list(self) -> Callable[[str], list[int]]:
        return self._engine.encode_list

    @cached_property
    def _added_tokens(self) -> AddedTokens | None:
        record = self._record
        if not isinstance(record, VocabularyModel) or not record.special_flags:
            return None
        return AddedTokens(record.special_flags, normalizer(record.normalization_steps))

    @cached_property
    def _unstable(self) -> UnstableEnds:
        if isinstance(self._record, VocabularyModel) and (reason := self._record.only_in_huggingface) is not None:
            raise UnsupportedModel(
                f"the ids that may follow are known only for tiktoken's way to encode; {self.name} differs: {reason}."
            )
        if self._record is not None:
            return UnstableEnds(self._engine, self._record.token_bytes, self._token_ids)
        return UnstableEnds(self._engine, {rank: token for token, rank in self._token_ids.items()}, self._token_ids)

    @cached_property
    def _decoder(self) -> Decoder:
        tables = self._engine.tables
        if isinstance(self._record, VocabularyModel) and self._record.word_end:
            # The engine has a mark in place of the word's end.
            tables = VocabularyTables.plain(self._record)
        specials = dict(self._special_texts)
        if b"" in self._token_ids:
            # No card is laid for what has no bytes; as a special token it has one.
            specials[self._token_ids[b""]] = ""
        return Decoder(tables.token_text, tables.token_start, tables.ids, specials)

    @property
    def _specials(self) -> Mapping[str, int]:
        return self._special_tokens

    @cached_property
    def _special_texts(self) -> Mapping[int, str]:
        # As in tokenizers, a token that is found in normalized text is decoded to its normalized form.
        found = {} if self._added_tokens is None else self._added_tokens.normal_form
        decode_only = self._record.decode_only if isinstance(self._record, VocabularyModel) else {}
        specials = {token_id: found.get(text, text) for text, token_id in self._special_tokens.items()}
        return {**decode_only, **specials}
