"""The protocol of every tokenizer of this package, for type checkers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from minbpe_course.tokenizers.common_calls import StreamDecoder
from minbpe_course.tokenizers.framing import EncodedPair


@runtime_checkable
class TextTokenizer(Protocol):
    """Names what every tokenizer of this package has; ``load_tokenizer`` returns one.

    The classes have more options, and more methods, than these: ``encode(text, *options)``.

    >>> from minbpe_course import SentencePieceTokenizer, get_encoding, load_tokenizer
    >>> def longest(tokenizer: TextTokenizer, texts: list[str]) -> int:
    ...     return int(tokenizer.count_batch(texts).max())
    >>> longest(load_tokenizer("gpt2"), ["low", "lower and lower"])
    3
    """

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""

    def encode(self, text: str, /, *options: Any, **named: Any) -> list[int]:
        """Return the ids of a text."""

    def encode_ordinary(self, text: str, /) -> list[int]:
        """Return the ids of a text; special tokens in it are ordinary text."""

    def encode_to_array(self, text: str, /, *options: Any, **named: Any) -> npt.NDArray[np.uint32]:
        """Return the ids of a text as an array."""

    def encode_batch(self, texts: Sequence[str], /, *options: Any, **named: Any) -> list[list[int]]:
        """Return the ids of many texts."""

    def encode_batch_to_array(
        self, texts: Sequence[str], /, *options: Any, **named: Any
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the ids of many texts in one array, and where each text begins and ends in it."""

    def encode_pair(self, first: str, second: str, /) -> EncodedPair:
        """Return the ids and the type ids of two texts."""

    def encode_segments(self, segments: Iterable[tuple[str, bool]], /, *, frame: bool = False) -> list[int]:
        """Return the ids of a text in segments, each with whether its special tokens count."""

    def count(self, text: str, /, *options: Any, **named: Any) -> int:
        """Return how many ids a text has."""

    def count_batch(self, texts: Sequence[str], /, *options: Any, **named: Any) -> npt.NDArray[np.int64]:
        """Return how many ids each text has."""

    def truncate(self, text: str, n: int, /, *options: Any, **named: Any) -> str:
        """Return the longest beginning of a text that is whole tokens, at most ``n``."""

    def decode(self, ids: Sequence[int] | npt.NDArray[np.integer[Any]], /, *options: Any, **named: Any) -> str:
        """Return the text of ids."""

    def decode_stream(self, ids: Iterable[int], /, *, skip_special_tokens: bool = False) -> Iterator[str]:
        """Yield the text of ids as they come."""

    def stream(self, prompt_ids: Iterable[int] = (), *, skip_special_tokens: bool = False) -> StreamDecoder:
        """Return a decoder that takes ids one by one."""

    def clear_caches(self) -> None:
        """Forget the words of earlier texts."""
