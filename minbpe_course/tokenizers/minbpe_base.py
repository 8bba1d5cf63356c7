"""The interface of minbpe's classes, on this package's engine.

A program written for minbpe runs with only the import changed. Where minbpe loses something or crashes, this works or
raises a named error: a pattern or special token with spaces survives a file, ``load`` replaces the pattern, training
past the last pair stops.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Literal, TypeVar

import numpy as np

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.word_counter import WordCounter
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.errors import InvalidSpecialToken, TrainingStoppedEarly, quoted
from minbpe_course.formats import minbpe_text
from minbpe_course.kernels.lazy import lists
from minbpe_course.model import BytePairModel
from minbpe_course.model.copies import forget_computed
from minbpe_course.splitting.splitter import Splitter, must_be_text
from minbpe_course.tokenizers.base import ByteLevelTokenizer
from minbpe_course.tokenizers.special_tokens import allowed_for_minbpe
from minbpe_course.trainers.byte_pair import Progress, check_vocab_size, learn_merges

Self = TypeVar("Self", bound="MinbpeShaped")
AllowedSpecial = Literal["all", "none", "none_raise"] | Collection[str]


class MinbpeShaped(ByteLevelTokenizer):
    """Train, encode, decode, save and load as in minbpe; the base of ``BasicTokenizer`` and others."""

    _repair = False

    # Whether merging the bytes of each token is known to give that token, as after training.
    _proven = False

    def __init__(self, model: BytePairModel | None = None) -> None:
        self._model = BytePairModel() if model is None else model

    @classmethod
    def from_model(cls: type[Self], model: BytePairModel) -> Self:
        """Return a tokenizer of this class for a record, for example one that ``train`` returned."""
        tokenizer = cls()
        tokenizer._set_model(model)
        return tokenizer

    @property
    def model(self) -> BytePairModel:
        """The frozen record, from which everything else is computed."""
        return self._model

    @property
    def merges(self) -> dict[tuple[int, int], int]:
        """pair -> id, in the order learned."""
        return dict(self._model.ranks)

    @property
    def vocab(self) -> dict[int, bytes]:
        """id -> bytes, special tokens included."""
        specials = {token_id: text.encode("utf-8") for text, token_id in self._model.special_tokens.items()}
        return dict(self._model.token_bytes) | specials

    @property
    def pattern(self) -> str:
        """The split pattern; empty when text is not split."""
        return self._model.pattern or ""

    @property
    def special_tokens(self) -> dict[str, int]:
        """text -> id."""
        return dict(self._model.special_tokens)

    @property
    def inverse_special_tokens(self) -> dict[int, str]:
        """id -> text."""
        return {token_id: text for text, token_id in self._model.special_tokens.items()}

    def __repr__(self) -> str:
        model = self._model
        return f"{type(self).__name__}({len(model.pairs):,} merges, {len(model.special_tokens)} special tokens)"

    # Training

    def train(
        self: Self,
        text: str | Iterable[str],
        vocab_size: int,
        verbose: bool = False,
        *,
        tie_break: str = "first-seen",
        min_frequency: int = 1,
        progress: Progress | None = None,
        num_threads: int | None = None,
    ) -> Self:
        """Learn ``vocab_size - 256`` merges from text and return the tokenizer itself.

        text : a str, or an iterable of str; no merge crosses from one to the next. verbose : print a line for each
        merge, as minbpe does. The other arguments are those of ``minbpe_course.train``. If the text runs out of pairs,
        the vocabulary is smaller, and the TrainingStoppedEarly warning has its size.

        Warns with TextNamesFiles when a str names an existing file. Raises InvalidVocabularySize, NotText, InvalidText,
        InvalidSpecialToken, UnknownTieBreak.
        """
        check_vocab_size(vocab_size)
        for special, token_id in self._model.special_tokens.items():
            if token_id < vocab_size:
                raise InvalidSpecialToken(
                    f"{special!r} has id {token_id}, which training up to vocab_size={vocab_size} needs for a merge.\n"
                    f"Register it again with an id from {vocab_size} up."
                )
        warn_if_path(text)
        counter = WordCounter(Splitter(self._model.pattern), num_threads=num_threads)
        counter.add_all([text] if isinstance(text, str) else _texts(text))
        pairs = learn_merges(
            counter.counts(),
            vocab_size,
            tie_break=tie_break,
            min_frequency=min_frequency,
            progress=progress or (print if verbose else None),
        )
        if len(pairs) < vocab_size - 256:
            reached = 256 + len(pairs)
            warnings.warn(
                f"the text ran out of pairs after {len(pairs)} merges: "
                f"the vocabulary has {reached} tokens, not {vocab_size}.",
                TrainingStoppedEarly,
                stacklevel=2,
            )
        self._set_model(BytePairModel(pairs, pattern=self._model.pattern, special_tokens=self._model.special_tokens))
        self._proven = True
        return self

    def register_special_tokens(self, special_tokens: Mapping[str, int] | Iterable[str]) -> None:
        """Replace the special tokens. A dict gives their ids; a list of texts gets the next free ids.

        Raises InvalidSpecialToken when an id is taken or a text is empty.

        >>> from minbpe_course import BasicTokenizer
        >>> tokenizer = BasicTokenizer().train("aaab", 257)
        >>> tokenizer.register_special_tokens(["<|endoftext|>"])
        >>> tokenizer.encode("aa<|endoftext|>", allowed_special="all")
        [256, 257]
        """
        if isinstance(special_tokens, str):
            raise InvalidSpecialToken(f"give a dict or a list of special tokens: [{special_tokens!r}]")
        if not isinstance(special_tokens, Mapping):
            try:
                special_tokens = list(dict.fromkeys(special_tokens))
            except TypeError:
                raise InvalidSpecialToken(
                    f"give a dict or a list of special tokens, got {quoted(special_tokens)}."
                ) from None
            first = self._model.replace(special_tokens={}).vocab_size
            special_tokens = {text: first + at for at, text in enumerate(special_tokens)}
        proven = self._proven
        self._set_model(self._model.replace(special_tokens=special_tokens))
        self._proven = proven

    # Encoding

    def encode(self, text: str, allowed_special: AllowedSpecial = "none_raise") -> list[int]:
        """Return the ids of ``text``.

        allowed_special : which special tokens in the text stand for themselves. "all"; "none", they are ordinary text;
        "none_raise", they raise DisallowedSpecialToken; or a set of them, the others being ordinary text.

        Raises NotText, InvalidText, DisallowedSpecialToken, InvalidSpecialToken.
        """
        if self._ignores_special(text, allowed_special):
            return self._engine.encode_list(text)
        return self._encode_to_list(text, self._allowed(text, allowed_special))

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``; special tokens in it are ordinary text. Raises NotText, InvalidText."""
        return self._engine.encode_list(text)

    def encode_to_array(self, text: str, allowed_special: AllowedSpecial = "none_raise") -> np.ndarray:
        """Return the ids of ``text`` as uint32[n], faster than a list. Raises as ``encode`` does."""
        if self._ignores_special(text, allowed_special):
            return self._engine.encode(text)
        return self._encode(text, self._allowed(text, allowed_special))

    def encode_batch(
        self, texts: Iterable[str], *, num_threads: int | None = None, allowed_special: AllowedSpecial = "none_raise"
    ) -> list[list[int]]:
        """Return the ids of many texts, encoded in threads (by default one for each core)."""
        batch = self.encode_batch_to_array(texts, num_threads=num_threads, allowed_special=allowed_special)
        found: list[list[int]] = lists.lists_from(*batch)
        return found

    def encode_batch_to_array(
        self, texts: Iterable[str], *, num_threads: int | None = None, allowed_special: AllowedSpecial = "none_raise"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, uint32[m], and where those of each text begin, int64[n + 1].

        The fastest way to encode many texts: the ids of text k are ``ids[offsets[k]:offsets[k + 1]]``.

        >>> from minbpe_course import GPT4Tokenizer
        >>> ids, offsets = GPT4Tokenizer().encode_batch_to_array(["hello world", "hi"])
        >>> ids.tolist(), offsets.tolist()
        ([15339, 1917, 6151], [0, 2, 3])
        """
        choose = partial(self._allowed, allowed_special=allowed_special)
        return self._encode_many(texts, choose, num_threads, ask=not _is_known(allowed_special))

    def encode_iterable(
        self, chunks: Iterable[str], *, allowed_special: AllowedSpecial = "none_raise"
    ) -> Iterator[int]:
        """Yield the ids of a text that comes in chunks, the same as for the whole text.

        Memory is bounded for the known split patterns. Any other pattern may look ahead without limit, so its ids come
        at the end.
        """
        return self._encode_chunks(chunks, partial(self._allowed, allowed_special=allowed_special))

    # Files

    def save(self, file_prefix: str | os.PathLike[str]) -> None:
        """Write ``file_prefix.model`` for ``load``, and ``file_prefix.vocab`` for people. Raises UnusablePath."""
        minbpe_text.write(self._model, file_prefix)

    def save_vocab(self, vocab_file: str | os.PathLike[str]) -> None:
        """Write the list of tokens, for people, to ``vocab_file``. Raises UnusablePath."""
        minbpe_text.write_vocab(self._model, vocab_file)

    def load(self: Self, model_file: str | os.PathLike[str]) -> Self:
        """Become the tokenizer that was saved to ``model_file``; return it. Raises UnreadableModel, UnusablePath."""
        self._set_model(minbpe_text.read(model_file))
        return self

    # Private

    def _ignores_special(self, text: str, allowed_special: AllowedSpecial) -> bool:
        """Return whether ``allowed_special`` is valid and makes no difference for this text."""
        return _is_known(allowed_special) and isinstance(text, str) and self._holds_no_added(text)

    def _allowed(self, text: str, allowed_special: AllowedSpecial) -> Mapping[str, int]:
        return allowed_for_minbpe(must_be_text(text), allowed_special, self._model.special_tokens)

    def _set_model(self, model: BytePairModel) -> None:
        self._model = model
        self._proven = False
        forget_computed(self)

    @property
    def _specials(self) -> Mapping[str, int]:
        return self._model.special_tokens

    @cached_property
    def _engine(self) -> BytePairEngine:
        return BytePairEngine.from_model(self._model, self._repair, proven=self._proven)


def _is_known(allowed_special: AllowedSpecial) -> bool:
    return isinstance(allowed_special, str) and allowed_special in ("none_raise", "all", "none")


def _texts(source: Iterable[str]) -> Iterator[str]:
    if isinstance(source, (bytes, bytearray)) or not isinstance(source, Iterable):
        must_be_text(source)
    for part in source:
        must_be_text(part)
        yield part
