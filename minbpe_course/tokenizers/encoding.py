"""tiktoken's shape: ``Encoding``, with the ids, the methods and the exceptions of tiktoken 0.14, offline.

``encoding_names.get_encoding`` makes the bundled ones. What goes further than tiktoken: ids may come from any iterable,
lists are taken where tiktoken wants sets, lone surrogates are replaced by all methods that encode (in tiktoken, by
``encode`` and ``encode_ordinary``), and ``encode_batch_to_array`` is the fastest way to encode many texts. What is left
out on purpose: a str is no batch of its letters, and a vocabulary without some byte is refused when it is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Literal

import numpy as np

from minbpe_course.engines.decoding import ids_array
from minbpe_course.errors import (
    LoneSurrogate,
    NotBytes,
    NotText,
    NotTokenIds,
    UnknownToken,
)
from minbpe_course.resources.threads import cores, threads_of
from minbpe_course.splitting.words import compile_pattern, must_be_text, repaired
from minbpe_course.tokenizers.base import list_from, lists_from
from minbpe_course.tokenizers.core_shape import CoreShape
from minbpe_course.tokenizers.encoding_state import EncodingState
from minbpe_course.tokenizers.special_tokens import allowed_for_tiktoken, split_on_special_tokens

AllowedSpecial = Literal["all"] | Set[str]
DisallowedSpecial = Literal["all"] | Collection[str]
Ids = Sequence[int] | np.ndarray

_NOTHING: frozenset[str] = frozenset()
_SETS = (set, frozenset)


class Encoding(EncodingState):
    """A byte-level BPE encoding: bytes -> ids by rank, a split pattern, special tokens.

    name : for people · pat_str : the split pattern · mergeable_ranks : bytes -> id, all 256 single bytes among them ·
    special_tokens : text -> id · explicit_n_vocab : when given, the number of tokens is checked against it.

    Raises InvalidRanks, InvalidModel, WrongSpecialTokens, InvalidPattern, ContradictoryVocabulary. The constructor and
    the methods are those of tiktoken 0.14.

    >>> from minbpe_course import get_encoding
    >>> enc = get_encoding("cl100k_base")
    >>> im = Encoding("cl100k_im", pat_str=enc._pat_str, mergeable_ranks=enc._mergeable_ranks,
    ...               special_tokens={**enc._special_tokens, "<|im_start|>": 100264})
    >>> im.encode("<|im_start|>hello", allowed_special={"<|im_start|>"})
    [100264, 15339]
    """

    # Encoding

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``, in which no special token is special."""
        return self._encode_list(text)

    def encode(
        self,
        text: str,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
    ) -> list[int]:
        """Return the ids of ``text``.

        allowed_special : the special tokens that stand for themselves, or "all". disallowed_special : those that raise
        DisallowedSpecialToken when they occur; "all" means all that are not allowed.
        """
        # Most texts hold no special token, and then nothing is to be asked.
        if (
            type(text) is str
            and (allowed_special is _NOTHING or (not allowed_special and type(allowed_special) in _SETS))
            and (disallowed_special == "all" or disallowed_special == ())
        ):
            mark = self._mark
            if mark is None or disallowed_special == () or (mark and mark not in text):
                return self._encode_list(text)
        return list_from(
            self.encode_to_numpy(text, allowed_special=allowed_special, disallowed_special=disallowed_special)
        )

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
    ) -> np.ndarray:
        """Return the ids of ``text`` as uint32[n]; the arguments are those of ``encode``."""
        return self._encode(text, self._allowed(text, allowed_special, disallowed_special))

    encode_to_array = encode_to_numpy

    def encode_ordinary_batch(self, text: Iterable[str], *, num_threads: int | None = 8) -> list[list[int]]:
        """Return the ids of many texts, in which no special token is special."""
        return self._engine.encode_lists(_batch(text), min(threads_of(num_threads), cores()))

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int | None = 8,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
    ) -> list[list[int]]:
        """Return the ids of many texts; the other arguments are those of ``encode``."""
        return lists_from(
            *self.encode_batch_to_array(
                text, num_threads=num_threads, allowed_special=allowed_special, disallowed_special=disallowed_special
            )
        )

    def encode_batch_to_array(
        self,
        text: Iterable[str],
        *,
        num_threads: int | None = 8,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts one behind the other, uint32[m], and where each text's begin, int64[n + 1].

        The fastest way to encode many texts: the ids of text k are ``ids[offsets[k]:offsets[k + 1]]``. The other
        arguments are those of ``encode``.

        >>> from minbpe_course import get_encoding
        >>> ids, offsets = get_encoding("cl100k_base").encode_batch_to_array(["hello world", "hi"])
        >>> ids.tolist(), offsets.tolist()
        ([15339, 1917, 6151], [0, 2, 3])
        """

        def choose(one: str) -> Mapping[str, int]:
            return allowed_for_tiktoken(one, allowed_special, disallowed_special, self._special_tokens)

        ask: bool | None = True
        if not allowed_special and disallowed_special == ():
            ask = None
        elif not allowed_special and disallowed_special == "all":
            ask = False
        return self._encode_many(text, choose, min(threads_of(num_threads), cores()), ask)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: AllowedSpecial = _NOTHING,
        disallowed_special: DisallowedSpecial = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """Return the ids that stay however the text goes on, and the lists of ids that may follow them.

        The arguments are those of ``encode``. Every list, decoded behind the ids that stay, begins with the text. The
        same lists as tiktoken's, sorted.

        >>> from minbpe_course import get_encoding
        >>> stay, ways = get_encoding("gpt2").encode_with_unstable("hello fanta")
        >>> stay, len(ways), ways[0]
        ([31373], 1432, [277, 4910])
        """
        allowed = self._allowed(text, allowed_special, disallowed_special)
        text = repaired(text)
        parts = list(split_on_special_tokens(text, allowed)) if allowed else [(text, None)]
        ids = list_from(self._encode(text, allowed))
        last, special = parts[-1] if parts else ("", None)
        if special is not None:
            return ids, []
        stay, unstable = self._unstable.split_off(ids, last)
        return stay, self._unstable.completions(unstable)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of exactly one token, special tokens included. Raises UnknownToken.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("gpt2").encode_single_token(" SolidGoldMagikarp")
        43453
        """
        token = _bytes_of(text_or_bytes)
        if token in self._token_ids:
            return self._token_ids[token]
        text = token.decode("utf-8", errors="backslashreplace")
        if text in self._special_tokens and text.encode("utf-8") == token:
            return self._special_tokens[text]
        raise UnknownToken(f"{text_or_bytes!r} is no single token of {self.name}; encode() gives its several ids.")

    # Decoding

    def decode(self, tokens: Ids, errors: str = "replace") -> str:
        """Return the text of ``tokens``; ``errors`` says what becomes of bytes that are no UTF-8. Raises
        InvalidTokenId."""
        return self._decoder.text_of(tokens, errors)

    def decode_bytes(self, tokens: Ids) -> bytes:
        """Return the bytes that ``tokens`` stand for; special tokens stand for their text. Raises InvalidTokenId."""
        return self._decoder.bytes_of(tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one id, special tokens included. Raises InvalidTokenId."""
        return self._decoder.tokens_of(ids_array([token]))[0]

    def decode_tokens_bytes(self, tokens: Ids) -> list[bytes]:
        """Return the bytes of each id by itself. Raises InvalidTokenId."""
        return self._decoder.tokens_of(tokens)

    def decode_with_offsets(self, tokens: Ids) -> tuple[str, list[int]]:
        """Return the text and, for each id, the index of the first character that its bytes belong to.

        A token that begins inside a character gets that character's index. Raises InvalidTokenId, and
        UnicodeDecodeError when the ids are not whole text.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("gpt2").decode_with_offsets([31373, 995])
        ('hello world', [0, 5])
        """
        return super().decode_with_offsets(tokens)

    def decode_batch(self, batch: Iterable[Ids], *, errors: str = "replace", num_threads: int | None = 8) -> list[str]:
        """Return the texts of many lists of ids."""
        threads_of(num_threads)
        return [self.decode(ids, errors) for ids in batch]

    def decode_bytes_batch(self, batch: Iterable[Ids], *, num_threads: int | None = 8) -> list[bytes]:
        """Return the bytes of many lists of ids."""
        threads_of(num_threads)
        return [self.decode_bytes(ids) for ids in batch]

    # Facts

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all ordinary tokens, sorted."""
        return sorted(self._token_ids)

    @property
    def eot_token(self) -> int:
        """The id of ``<|endoftext|>``. Raises KeyError when there is none."""
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether this id is a special token's. Raises NotTokenIds."""
        if not isinstance(token, (int, np.integer)):
            raise NotTokenIds(f"an id is a whole number, got {token!r:.80}.")
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the largest id.

        >>> from minbpe_course import get_encoding
        >>> get_encoding("o200k_base").n_vocab
        200019
        """
        return self.max_token_value + 1

    # What tiktoken keeps to itself and programs use all the same

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """Return the ids of one word, which is not split; special tokens are ordinary here."""
        return self._unstable.ids_of_word(_bytes_of(text_or_bytes))

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """Return the ids of ordinary text, split by ``regex`` with its own tables of what a letter is."""
        words = compile_pattern(self._pat_str).findall(must_be_text(text))
        return [token_id for word in words for token_id in self._encode_single_piece(word)]

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Return the ids of bytes; what is no UTF-8, and all behind it, belongs to the last word before it."""
        if isinstance(text, str):
            raise NotBytes("bytes are wanted, got a str; for text call encode_ordinary(text).")
        return self._unstable.encode_bytes(_bytes_of(text))

    @cached_property
    def _core_bpe(self) -> CoreShape:
        return CoreShape(self)

    def _allowed(self, text: str, allowed: AllowedSpecial, disallowed: DisallowedSpecial) -> Mapping[str, int]:
        must_be_text(text)
        return allowed_for_tiktoken(text, allowed, disallowed, self._special_tokens)


def _batch(texts: Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str):
        raise NotText("a batch is a list of texts, got one str; for one text call encode(text).")
    return texts


def _bytes_of(given: str | bytes) -> bytes:
    if isinstance(given, str):
        try:
            return str.encode(given, "utf-8")
        except UnicodeEncodeError as error:
            raise LoneSurrogate(*error.args) from None
    if not isinstance(given, (bytes, bytearray, memoryview)):
        raise NotBytes(f"bytes or a str are wanted, got {type(given).__name__}.")
    return bytes(given)
