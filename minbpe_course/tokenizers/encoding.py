"""tiktoken's shape: ``get_encoding(name)`` and ``Encoding``, with the same ids from the bundled vocabularies, offline.

Not yet here: ``encode_with_unstable``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cache, cached_property
from typing import Literal

import numpy as np

from minbpe_course import vocabularies
from minbpe_course.errors import InvalidModel, InvalidSpecialToken, InvalidTokenId, NotText, UnknownToken
from minbpe_course.tokenizers.base import ByteLevelTokenizer, list_from, lists_from
from minbpe_course.tokenizers.engine import BytePairEngine
from minbpe_course.tokenizers.special_tokens import allowed_for_tiktoken

AllowedSpecial = Literal["all"] | Set[str]
DisallowedSpecial = Literal["all"] | Collection[str]


def list_encoding_names() -> list[str]:
    """The names that ``get_encoding`` knows.

    >>> "o200k_base" in list_encoding_names()
    True
    """
    return list(vocabularies.names())


@cache
def get_encoding(name: str) -> Encoding:
    """Return a bundled encoding; the same object each time. Raises UnknownEncoding.

    >>> get_encoding("o200k_base").encode("hello world")
    [24912, 2375]
    """
    model = vocabularies.load(name)
    encoding = Encoding.__new__(Encoding)
    encoding.name = name
    encoding._pat_str = model.pattern or ""
    encoding._special_tokens = dict(model.special_tokens)
    encoding._bundled = True
    return encoding


class Encoding(ByteLevelTokenizer):
    """A byte-level BPE encoding: bytes -> ids by rank, a split pattern, special tokens.

    name : for people · pat_str : the split pattern · mergeable_ranks : bytes -> id, all 256 single bytes among them ·
    special_tokens : text -> id · explicit_n_vocab : when given, the number of tokens is checked against it.

    Raises InvalidModel, InvalidSpecialToken. The constructor and the methods are those of tiktoken 0.14.

    >>> enc = get_encoding("cl100k_base")
    >>> im = Encoding("cl100k_im", pat_str=enc._pat_str, mergeable_ranks=enc._mergeable_ranks,
    ...               special_tokens={**enc._special_tokens, "<|im_start|>": 100264})
    >>> im.encode("<|im_start|>hello", allowed_special={"<|im_start|>"})
    [100264, 15339]
    """

    name: str
    _pat_str: str
    _special_tokens: dict[str, int]
    _bundled: bool

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        self.name = name
        self._pat_str = pat_str
        self._special_tokens = dict(special_tokens)
        self._bundled = False
        self._mergeable_ranks = dict(mergeable_ranks)
        _must_be_ids(self._mergeable_ranks, self._special_tokens)
        missing = [byte for byte in range(256) if bytes([byte]) not in self._mergeable_ranks]
        if missing:
            raise InvalidModel(
                f"mergeable_ranks has no token for byte {missing[0]:#04x}; all 256 single bytes are needed."
            )
        if explicit_n_vocab is not None:
            found = len(self._mergeable_ranks) + len(self._special_tokens)
            if found != explicit_n_vocab or self.max_token_value != explicit_n_vocab - 1:
                raise InvalidModel(
                    f"explicit_n_vocab={explicit_n_vocab}, but there are {found} tokens "
                    f"with ids up to {self.max_token_value}."
                )

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce__(self) -> tuple:
        if self._bundled:
            return get_encoding, (self.name,)
        return _rebuild, (self.name, self._pat_str, self._mergeable_ranks, self._special_tokens)

    # Encoding

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``, in which no special token is special."""
        return self._encode_list(text)

    def encode(
        self,
        text: str,
        *,
        allowed_special: AllowedSpecial = frozenset(),
        disallowed_special: DisallowedSpecial = "all",
    ) -> list[int]:
        """Return the ids of ``text``.

        allowed_special : the special tokens that stand for themselves, or "all". disallowed_special : those that raise
        DisallowedSpecialToken when they occur; "all" means all that are not allowed.
        """
        # Most texts hold no special token, and then nothing is to be asked.
        if type(text) is str and not allowed_special and (disallowed_special == "all" or disallowed_special == ()):
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
        allowed_special: AllowedSpecial = frozenset(),
        disallowed_special: DisallowedSpecial = "all",
    ) -> np.ndarray:
        """Return the ids of ``text`` as uint32[n]; the arguments are those of ``encode``."""
        if not isinstance(text, str):
            raise NotText(f"text must be a str, got {type(text).__name__}; decode bytes first: data.decode('utf-8').")
        allowed = allowed_for_tiktoken(text, allowed_special, disallowed_special, self._special_tokens)
        return self._encode(text, allowed)

    encode_to_array = encode_to_numpy

    def encode_ordinary_batch(self, text: Iterable[str], *, num_threads: int = 8) -> list[list[int]]:
        """Return the ids of many texts, in which no special token is special."""
        return self._engine.encode_lists(_batch(text), min(num_threads, os.cpu_count() or 1))

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int = 8,
        allowed_special: AllowedSpecial = frozenset(),
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
        num_threads: int = 8,
        allowed_special: AllowedSpecial = frozenset(),
        disallowed_special: DisallowedSpecial = "all",
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts one behind the other, uint32[m], and where each text's begin, int64[n + 1].

        The fastest way to encode many texts: the ids of text k are ``ids[offsets[k]:offsets[k + 1]]``. The other
        arguments are those of ``encode``.

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
        return self._encode_many(text, choose, min(num_threads, os.cpu_count() or 1), ask)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of exactly one token, special tokens included. Raises UnknownToken.

        >>> get_encoding("gpt2").encode_single_token(" SolidGoldMagikarp")
        43453
        """
        token = text_or_bytes.encode("utf-8") if isinstance(text_or_bytes, str) else bytes(text_or_bytes)
        if token in self._mergeable_ranks:
            return self._mergeable_ranks[token]
        text = token.decode("utf-8", errors="replace")
        if text in self._special_tokens:
            return self._special_tokens[text]
        raise UnknownToken(f"{text_or_bytes!r} is no single token of {self.name}; encode() gives its several ids.")

    # Decoding (decode_bytes, decode_tokens_bytes and decode_with_offsets are inherited)

    def decode(self, tokens: Sequence[int] | np.ndarray, errors: str = "replace") -> str:
        """Return the text of ``tokens``; ``errors`` says what becomes of bytes that are no UTF-8. Raises
        InvalidTokenId."""
        return self._decoder.text_of(tokens, errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one id, special tokens included. Raises InvalidTokenId."""
        if isinstance(token, bool) or not isinstance(token, (int, np.integer)):
            raise InvalidTokenId(f"an id is a whole number, got {token!r}.")
        return self.decode_tokens_bytes([int(token)])[0]

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Return the texts of many lists of ids."""
        return [self.decode(ids, errors) for ids in batch]

    def decode_bytes_batch(self, batch: Iterable[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """Return the bytes of many lists of ids."""
        return [self.decode_bytes(ids) for ids in batch]

    # Facts

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all ordinary tokens, sorted."""
        return sorted(self._mergeable_ranks)

    @property
    def eot_token(self) -> int:
        """The id of ``<|endoftext|>``. Raises KeyError when there is none."""
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether this id is a special token's."""
        return token in self._special_texts

    @property
    def n_vocab(self) -> int:
        """One more than the largest id.

        >>> get_encoding("o200k_base").n_vocab
        200019
        """
        return self.max_token_value + 1

    @cached_property
    def max_token_value(self) -> int:
        """The largest id, special tokens included."""
        ordinary = int(self._engine.tables.ids[-1]) if self._bundled else max(self._mergeable_ranks.values())
        return max([ordinary, *self._special_tokens.values()])

    # Private

    @cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        return dict(vocabularies.mergeable_ranks(self.name))

    @cached_property
    def _engine(self) -> BytePairEngine:
        if self._bundled:
            # Every token of the bundled vocabularies is reached by its merges, so both meanings of encoding agree.
            return BytePairEngine.from_model(vocabularies.load(self.name), repair=True, proven=True)
        return BytePairEngine.from_ranks(self._mergeable_ranks, self._pat_str)

    @cached_property
    def _encode_list(self) -> Callable[[str], list[int]]:
        return self._engine.encode_list

    @property
    def _specials(self) -> Mapping[str, int]:
        return self._special_tokens

    @cached_property
    def _special_texts(self) -> Mapping[int, str]:
        return {token_id: text for text, token_id in self._special_tokens.items()}


def _batch(texts: Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str):
        raise NotText("a batch is a list of texts, got one str; for one text call encode(text).")
    return texts


def _must_be_ids(ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]) -> None:
    """See that all are ids, 0..2**32 - 1, and no two tokens share one; special tokens may. Raises InvalidModel."""
    for token, token_id in ranks.items():
        if not isinstance(token, bytes):
            raise InvalidModel(f"mergeable_ranks maps bytes to ids, but holds {token!r}; encode it: b'...'.")
        if not _is_id(token_id):
            raise InvalidModel(f"the rank of {token!r} is {token_id!r}; an id is a whole number from 0 to 2**32 - 1.")
    if len(set(ranks.values())) < len(ranks):
        first: dict[int, bytes] = {}
        for token, token_id in ranks.items():
            if first.setdefault(token_id, token) != token:
                raise InvalidModel(
                    f"{first[token_id]!r} and {token!r} have the same rank, {token_id}; each needs its own."
                )
    for name, token_id in special_tokens.items():
        if not _is_id(token_id):
            raise InvalidSpecialToken(
                f"the id of the special token {name!r} is {token_id!r}; an id is a whole number from 0 to 2**32 - 1."
            )


def _is_id(value: object) -> bool:
    return (type(value) is int or isinstance(value, np.integer)) and 0 <= int(value) < 1 << 32


def _rebuild(name: str, pat_str: str, ranks: dict[bytes, int], special_tokens: dict[str, int]) -> Encoding:
    return Encoding(name, pat_str=pat_str, mergeable_ranks=ranks, special_tokens=special_tokens)
