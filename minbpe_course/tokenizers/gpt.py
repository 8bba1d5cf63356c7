"""OpenAI's published tokenizers with minbpe's interface, from the bundled vocabularies."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NoReturn

from minbpe_course import vocabularies
from minbpe_course.errors import NotTrainable
from minbpe_course.tokenizers.minbpe_base import MinbpeShaped


class PublishedTokenizer(MinbpeShaped):
    """A tokenizer with a published vocabulary; it encodes, decodes, saves and loads, but does not train."""

    _encoding_name = ""
    _repair = True

    def __init__(self) -> None:
        super().__init__(vocabularies.load(self._encoding_name))
        self._proven = True

    @cached_property
    def byte_shuffle(self) -> dict[int, int]:
        """byte -> its id: in published vocabularies byte 0 does not have the id 0.

        >>> GPT4Tokenizer().byte_shuffle[ord("a")]
        64
        """
        return dict(enumerate(self.model.byte_ids))

    @cached_property
    def inverse_byte_shuffle(self) -> dict[int, int]:
        """id -> its byte."""
        return dict(enumerate(self.model.byte_order))

    def train(self, text: str | Iterable[str], vocab_size: int, verbose: bool = False, **options: object) -> NoReturn:
        """Raise NotTrainable: the vocabulary is published. Train a RegexTokenizer instead."""
        raise NotTrainable(
            f"{type(self).__name__} has the published vocabulary {self._encoding_name} and is not trained.\n"
            f"To train with the same split pattern: RegexTokenizer({self._encoding_name!r}).train(text, {vocab_size!r})"
        )


class GPT4Tokenizer(PublishedTokenizer):
    """The tokenizer of GPT-4 and GPT-3.5 (cl100k_base); the same ids as tiktoken.

    >>> tokenizer = GPT4Tokenizer()
    >>> tokenizer.encode("hello world")
    [15339, 1917]
    >>> tokenizer.encode("<|endoftext|>", allowed_special="all")
    [100257]
    """

    _encoding_name = "cl100k_base"


class GPT2Tokenizer(PublishedTokenizer):
    """The tokenizer of GPT-2; the same ids as tiktoken.

    >>> GPT2Tokenizer().encode("Hello World!")
    [15496, 2159, 0]
    """

    _encoding_name = "gpt2"
