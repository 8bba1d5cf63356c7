"""The package's own encoding and trainer with the methods of the learner's class."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from minbpe_course.errors import TrainingStoppedEarly
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.trainers.byte_pair import train as learn


class Ours:
    """The package's own encoding and trainer with the methods of a tokenizer of the course.

    >>> ranks = {bytes([byte]): byte for byte in range(256)}
    >>> Ours.from_ranks(ranks, r"\\S+|\\s+", {"<|a|>": 300}).encode("a<|a|>", "all")
    [97, 300]
    >>> Ours.train("aaab aaab", 258, r"\\S+|\\s+", {}).merges
    {(97, 97): 256, (256, 97): 257}
    """

    def __init__(self, encoding: Any, merges: Mapping[tuple[int, int], int] | None = None) -> None:
        self.encoding = encoding
        self.merges = dict(merges or {})

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int], pattern: str, special_tokens: Mapping[str, int]) -> Any:
        """Rebuild a tokenizer from its ranks."""
        return cls(
            Encoding("rebuilt", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens=dict(special_tokens))
        )

    def encode(self, text: str, allowed_special: Any = "none_raise") -> list[int]:
        """Return the ids; a special token that is not allowed raises unless it is to be ordinary text."""
        if allowed_special == "none_raise":
            ids: list[int] = self.encoding.encode(text)
        else:
            allowed = set() if allowed_special == "none" else allowed_special
            ids = self.encoding.encode(text, allowed_special=allowed, disallowed_special=())
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text."""
        text: str = self.encoding.decode(ids)
        return text

    @classmethod
    def train(
        cls, text: str, vocab_size: int, pattern: str, special_tokens: Mapping[str, int] = MappingProxyType({})
    ) -> Any:
        """Learn merges from a text."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingStoppedEarly)
            # The trainer counts special tokens as part of the vocabulary; the learner's class does not.
            model = learn(text, vocab_size + len(special_tokens), pattern=pattern, special_tokens=tuple(special_tokens))
        ranks = {model.token_bytes[number]: number for number in range(256 + len(model.merges))}
        made = cls.from_ranks(ranks, pattern, special_tokens)
        made.merges = {pair: 256 + at for at, pair in enumerate(model.merges)}
        return made
