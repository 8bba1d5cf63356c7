"""The interface of minbpe's classes, on this package's engine.

A program written for minbpe runs with only the import changed. Where minbpe loses something or crashes, this works or
raises a named error: ``load`` replaces the pattern, training past the last pair stops, and ``save`` refuses what minbpe
would not read back, such as a special token with white space.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from minbpe_course.corpus.mistaken_paths import warn_if_path
from minbpe_course.counting.word_counter import WordCounter
from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder, Ids, ids_array
from minbpe_course.errors import (
    InvalidModel,
    InvalidSpecialToken,
    InvalidTokenId,
    NotAvailable,
    UnsupportedModel,
    quoted,
)
from minbpe_course.formats import minbpe_text
from minbpe_course.kernels.lazy import lists
from minbpe_course.model import BytePairModel
from minbpe_course.model.copies import forget_computed
from minbpe_course.splitting.splitter import Splitter, must_be_text
from minbpe_course.tokenizers.base import ByteLevelTokenizer
from minbpe_course.tokenizers.framing import EncodedPair, framed_pair
from minbpe_course.tokenizers.special_tokens import allowed_for_minbpe
from minbpe_course.trainers.byte_pair import Progress, check_vocab_size, learn_merges, warn_of_early_stop

Self = TypeVar("Self", bound="MinbpeShaped")
_ATTRIBUTES = ("merges", "vocab", "pattern", "special_tokens", "inverse_special_tokens")
# Comparing a larger dict before each text would take longer than encoding it.
MOST_COMPARED = 10_000
MOST_IDS = 1 << 24

AllowedSpecial = Literal["all", "none", "none_raise"] | Collection[str]


class _Seen:
    """The merges that the engine was made for, to notice a change."""

    def __init__(self, merges: dict[tuple[int, int], int]) -> None:
        self._merges, self._number = merges, len(merges)
        self._copy = dict(merges) if len(merges) <= MOST_COMPARED else None

    def is_still(self, merges: dict[tuple[int, int], int]) -> bool:
        same = merges is self._merges and len(merges) == self._number
        return same and (self._copy is None or merges == self._copy)


class MinbpeShaped(ByteLevelTokenizer):
    """Train, encode, decode, save and load as in minbpe; the base of ``BasicTokenizer`` and others.

    A class of your own, as in minbpe's exercise, writes some of these itself, and sets ``merges``.

    >>> tokenizer = MinbpeShaped()
    >>> tokenizer.merges = {(97, 97): 256}
    >>> tokenizer.encode("aab"), tokenizer.vocab[256]
    ([256, 98], b'aa')
    """

    _repair = False

    # Whether merging the bytes of each token certainly gives that token, as after training.
    _proven = False

    _seen = _Seen({})

    def __init__(self, model: BytePairModel | None = None) -> None:
        self._set_model(BytePairModel() if model is None else model)

    @classmethod
    def from_model(cls: type[Self], model: BytePairModel) -> Self:
        """Return a tokenizer of this class for a record, for example one that ``train`` returned."""
        tokenizer = cls()
        tokenizer._set_model(model)
        return tokenizer

    @property
    def model(self) -> BytePairModel:
        """The frozen record of the merges, the pattern and the special tokens."""
        self._refresh()
        return self._model

    # Ordinary attributes, as in minbpe: a program may replace them, and change the dicts in place.

    @cached_property
    def merges(self) -> dict[tuple[int, int], int]:
        """pair -> id, in the order learned.

        Of more than 10,000, an entry that comes or goes is noticed, but not another id for the same pair: assign a new
        dict then.
        """
        merges = dict(self._model.ranks)
        self._seen = _Seen(merges)
        return merges

    @cached_property
    def vocab(self) -> dict[int, bytes]:
        """id -> bytes, special tokens included. Once a program has asked for it, ids are decoded with it."""
        return self._build_vocab()

    def _build_vocab(self) -> dict[int, bytes]:
        specials = {token_id: text.encode("utf-8") for token_id, text in self._special_texts.items()}
        return dict(self.model.token_bytes) | specials

    @cached_property
    def pattern(self) -> str:
        """The split pattern; empty when text is not split."""
        return self._model.pattern or ""

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """text -> id."""
        return dict(self._model.special_tokens)

    @cached_property
    def inverse_special_tokens(self) -> dict[int, str]:
        """id -> text."""
        return dict(self._special_texts)

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self.model.vocab_size

    def __repr__(self) -> str:
        model = self.model
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
        InvalidSpecialToken, InvalidOption.
        """
        check_vocab_size(vocab_size)
        for special, token_id in self.model.special_tokens.items():
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
            warn_of_early_stop(256 + len(pairs), vocab_size)
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
                listed = list(dict.fromkeys(special_tokens))
            except TypeError:
                raise InvalidSpecialToken(
                    f"give a dict or a list of special tokens, got {quoted(special_tokens)}."
                ) from None
            first = self.model.replace(special_tokens={}).vocab_size
            special_tokens = {text: first + at for at, text in enumerate(listed)}
        self._replace(special_tokens=special_tokens)
        # A dict stays the caller's, who may change it, as in minbpe.
        self.special_tokens = special_tokens if isinstance(special_tokens, dict) else dict(special_tokens)
        self.inverse_special_tokens = dict(self._special_texts)
        if "vocab" in vars(self):
            self.vocab |= {token_id: text.encode("utf-8") for token_id, text in self._special_texts.items()}

    # Encoding

    # A file of minbpe names no ids around a text, so ``frame`` changes nothing. Code for any tokenizer may give it.

    def encode(self, text: str, allowed_special: AllowedSpecial = "none_raise", *, frame: bool = False) -> list[int]:
        """Return the ids of ``text``.

        allowed_special : which special tokens in the text stand for themselves. "all"; "none", they are ordinary text;
        "none_raise", they raise DisallowedSpecialToken; or a set of them, the others being ordinary text. frame :
        accepted as in ``Encoding``; nothing is put around a text.

        Raises NotText, InvalidText, DisallowedSpecialToken, InvalidSpecialToken.
        """
        self._refresh()
        if self._ignores_special(text, allowed_special):
            return self._engine.encode_list(text)
        return self._encode_to_list(text, self._allowed(text, allowed_special))

    def encode_pair(self, first: str, second: str, allowed_special: AllowedSpecial = "none_raise") -> EncodedPair:
        """Return the ids of two texts, one after the other, and the type id of each, 0 or 1; see ``Encoding``.

        >>> from minbpe_course import BasicTokenizer
        >>> BasicTokenizer().encode_pair("a", "b")
        EncodedPair(ids=[97, 98], type_ids=[0, 1])
        """
        encode = partial(self.encode, allowed_special=allowed_special)
        return framed_pair(self.model, type(self).__name__, encode, first, second)

    def encode_ordinary(self, text: str, *, frame: bool = False) -> list[int]:
        """Return the ids of ``text``; special tokens in it are ordinary text. Raises NotText, InvalidText."""
        self._refresh()
        return self._engine.encode_list(text)

    def encode_to_array(
        self, text: str, allowed_special: AllowedSpecial = "none_raise", *, frame: bool = False
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of ``text`` as uint32[n], faster than a list. Raises as ``encode`` does."""
        self._refresh_engine()
        if self._ignores_special(text, allowed_special):
            return self._engine.encode(text)
        return self._encode(text, self._allowed(text, allowed_special))

    def encode_batch(
        self,
        texts: Iterable[str],
        *,
        num_threads: int | None = None,
        allowed_special: AllowedSpecial = "none_raise",
        frame: bool = False,
    ) -> list[list[int]]:
        """Return the ids of many texts, encoded in threads (by default one for each core)."""
        batch = self.encode_batch_to_array(texts, num_threads=num_threads, allowed_special=allowed_special)
        found: list[list[int]] = lists.lists_from(*batch)
        return found

    def encode_batch_to_array(
        self,
        texts: Iterable[str],
        *,
        num_threads: int | None = None,
        allowed_special: AllowedSpecial = "none_raise",
        frame: bool = False,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the ids of many texts, uint32[m], and where those of each text begin, int64[n + 1].

        The fastest way to encode many texts: the ids of text k are ``ids[offsets[k]:offsets[k + 1]]``.

        >>> from minbpe_course import GPT4Tokenizer
        >>> ids, offsets = GPT4Tokenizer().encode_batch_to_array(["hello world", "hi"])
        >>> ids.tolist(), offsets.tolist()
        ([15339, 1917, 6151], [0, 2, 3])
        """
        self._refresh_engine()
        choose = partial(self._allowed, allowed_special=allowed_special)
        return self._encode_many(texts, choose, num_threads, ask=not _is_known(allowed_special))

    def count(self, text: str, allowed_special: AllowedSpecial = "none_raise", *, frame: bool = False) -> int:
        """Return how many ids ``encode`` gives, faster and without a list of them. Raises as ``encode`` does.

        >>> from minbpe_course import GPT4Tokenizer
        >>> GPT4Tokenizer().count("hello world")
        2
        """
        self._refresh_engine()
        return self._count(text, self._allowed(text, allowed_special))

    def count_batch(
        self,
        texts: Iterable[str],
        *,
        num_threads: int | None = None,
        allowed_special: AllowedSpecial = "none_raise",
        frame: bool = False,
    ) -> npt.NDArray[np.int64]:
        """Return how many ids each text has, int64[n], counted in threads (by default one for each core)."""
        self._refresh_engine()
        choose = partial(self._allowed, allowed_special=allowed_special)
        return self._count_many(texts, choose, num_threads, ask=not _is_known(allowed_special))

    def truncate(
        self, text: str, n: int, *, allowed_special: AllowedSpecial = "none_raise", frame: bool = False
    ) -> str:
        """Return the longest beginning of ``text`` that is whole tokens, ``n`` at most, and whole characters.

        Encoded with the same ``allowed_special``, it has at most ``n`` ids. Raises as ``encode`` does, and
        InvalidOption for ``n`` below 0.
        """
        self._refresh_engine()
        return self._truncate(text, n, self._allowed(text, allowed_special))

    def encode_iterable(
        self, chunks: Iterable[str], *, allowed_special: AllowedSpecial = "none_raise"
    ) -> Iterator[int]:
        """Yield the ids of a text that comes in chunks, the same as for the whole text.

        Memory is bounded for the known split patterns. Any other pattern may look ahead without limit, so its ids come
        at the end.
        """
        self._refresh_engine()
        return self._encode_chunks(chunks, partial(self._allowed, allowed_special=allowed_special))

    # Files

    def save(self, file_prefix: str | os.PathLike[str]) -> None:
        """Write ``file_prefix.model`` for ``load``, and ``file_prefix.vocab`` for people.

        Raises UnusablePath, and UnsupportedModel if the program has changed ``vocab``, for which the file has no place.
        """
        if "vocab" in vars(self) and not self.vocab.items() <= self._build_vocab().items():
            raise UnsupportedModel(
                "minbpe's .model cannot hold this tokenizer: its vocab has tokens that no merge makes.\n"
                "Override save and load in your class, and store there what this file has no line for."
            )
        minbpe_text.write(self.model, file_prefix)

    def save_vocab(self, vocab_file: str | os.PathLike[str]) -> None:
        """Write the list of tokens, for people, to ``vocab_file``. Raises UnusablePath."""
        minbpe_text.write_vocab(self.model, vocab_file)

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

    def _refresh(self) -> None:
        """Take over what the program has changed in its attributes since the last call."""
        mine, model = vars(self), self._model
        changes: dict[str, Any] = {}
        if "pattern" in mine and self.pattern != (model.pattern or ""):
            changes["pattern"] = self.pattern or None
        if "special_tokens" in mine and self.special_tokens != model.special_tokens:
            changes["special_tokens"] = self.special_tokens
        if "merges" in mine and not self._seen.is_still(self.merges):
            changes |= _fields_of(self.merges)
            self._seen = _Seen(self.merges)
        if changes:
            self._replace(**changes)

    def _refresh_engine(self) -> None:
        """Refresh, unless the program's own methods encode, which the engine would pass over."""
        if self._encodes_itself():
            raise NotAvailable(f"{type(self).__name__} encodes words with a method of its own; call encode(text).")
        self._refresh()

    def _encodes_itself(self) -> bool:
        return False

    def _replace(self, **changes: Any) -> None:
        """Replace fields of the record; the attributes that the program has seen stay the same objects."""
        model, proven = self._model.replace(**changes), self._proven and "merges" not in changes
        kept = _ATTRIBUTES if changes.keys() != {"special_tokens"} else (*_ATTRIBUTES, "_engine")
        seen = {name: value for name, value in vars(self).items() if name in kept}
        self._set_model(model)
        self._proven = proven
        vars(self).update(seen)

    def __getstate__(self) -> dict[str, Any]:
        self._refresh()
        mine = vars(self)
        # The others follow from the record.
        own = {name: mine[name] for name in ("vocab", "inverse_special_tokens") if name in mine}
        return super().__getstate__() | own

    @property
    def _specials(self) -> Mapping[str, int]:
        return self.model.special_tokens

    @property
    def _decoder(self) -> Decoder | _DictDecoder:
        mine = vars(self)
        if "vocab" in mine or "inverse_special_tokens" in mine:
            return _DictDecoder(self)
        self._refresh()
        return super()._decoder

    @cached_property
    def _engine(self) -> BytePairEngine:
        return BytePairEngine.from_model(self._model, self._repair, proven=self._proven)


class _DictDecoder:
    """Decodes with the dicts of a tokenizer, as minbpe does; the methods are those of ``Decoder``."""

    def __init__(self, tokenizer: MinbpeShaped) -> None:
        self._tokenizer = tokenizer

    def tokens_of(self, ids: Ids) -> list[bytes]:
        vocab = self._tokenizer.vocab
        try:
            return [vocab[token_id] for token_id in ids]
        except (KeyError, TypeError):
            return [self._token(token_id) for token_id in ids_array(ids).tolist()]

    def _token(self, token_id: int) -> bytes:
        tokenizer = self._tokenizer
        if token_id in tokenizer.vocab:
            return tokenizer.vocab[token_id]
        for texts in (tokenizer.inverse_special_tokens, tokenizer._special_texts):
            if token_id in texts:
                return texts[token_id].encode("utf-8")
        if token_id in tokenizer.model.token_bytes:
            return tokenizer.model.token_bytes[token_id]
        raise InvalidTokenId(f"unknown id: no token has id {token_id}.")

    def bytes_of(self, ids: Ids) -> bytes:
        return b"".join(self.tokens_of(ids))

    def text_of(self, ids: Ids, errors: str = "replace") -> str:
        return self.bytes_of(ids).decode("utf-8", errors=errors)

    def offsets_of(self, ids: Ids) -> list[int]:
        offsets, characters = [], 0
        for token in self.tokens_of(ids):
            begins = [byte & 0xC0 != 0x80 for byte in token]
            offsets.append(max(0, characters - (begins[:1] == [False])))
            characters += sum(begins)
        return offsets


def _fields_of(merges: Mapping[tuple[int, int], int]) -> dict[str, Any]:
    """Return the fields of the record for pair -> id; the lowest id merges first, in any order of the dict."""
    pairs = sorted(merges, key=merges.__getitem__)
    ids = [merges[pair] for pair in pairs]
    if ids and not (ids[0] > 255 and ids[-1] < MOST_IDS and len(set(ids)) == len(ids)):
        raise InvalidModel(f"each merge needs an id of its own, from 256 to {MOST_IDS - 1:,}.")
    skipped = sorted(set(range(256, ids[-1])) - set(ids)) if ids else []
    return {"merges": pairs, "skipped_ids": skipped}


def _is_known(allowed_special: AllowedSpecial) -> bool:
    return isinstance(allowed_special, str) and allowed_special in ("none_raise", "all", "none")


def _texts(source: Iterable[str]) -> Iterator[str]:
    if isinstance(source, (bytes, bytearray)) or not isinstance(source, Iterable):
        must_be_text(source)
    for part in source:
        must_be_text(part)
        yield part
