"""``minbpe.base``: the base class for your own tokenizers, and the functions next to it."""

from __future__ import annotations

import os
import unicodedata
from abc import ABCMeta
from collections.abc import Sequence
from typing import Any

from minbpe_course.errors import UnsupportedModel
from minbpe_course.formats import minbpe_text
from minbpe_course.model import BytePairModel
from minbpe_course.reference import pairs
from minbpe_course.reference.pairs import Pair, get_stats
from minbpe_course.tokenizers.minbpe_base import MinbpeShaped

__all__ = ["Tokenizer", "get_stats", "merge", "render_token", "replace_control_characters"]


class Tokenizer(metaclass=ABCMeta):
    """The base class of minbpe's exercise: a subclass writes ``train``, ``encode`` and ``decode``, and sets ``merges``.

    merges : pair -> id, 256 for the first · vocab : id -> bytes · pattern : the split pattern, empty for none ·
    special_tokens : text -> id. ``BasicTokenizer`` and the others count as subclasses.

    >>> tokenizer = Tokenizer()
    >>> tokenizer.merges = {(97, 97): 256}
    >>> tokenizer._build_vocab()[256], isinstance(MinbpeShaped(), Tokenizer)
    (b'aa', True)
    """

    merges: dict[Pair, int]
    vocab: dict[int, bytes]
    pattern: str
    special_tokens: dict[str, int]

    def __init__(self) -> None:
        self.merges, self.pattern, self.special_tokens = {}, "", {}
        self.vocab = self._build_vocab()

    def train(self, text: str, vocab_size: int, verbose: bool = False) -> Any:
        """Learn merges; a subclass writes it."""
        raise NotImplementedError

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; a subclass writes it."""
        raise NotImplementedError

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids; a subclass writes it."""
        raise NotImplementedError

    def save(self, file_prefix: str | os.PathLike[str]) -> None:
        """Write ``file_prefix.model`` for ``load``, and ``file_prefix.vocab`` for people.

        Raises UnusablePath, and UnsupportedModel if ``load`` would give other ids: minbpe's file has only the order of
        the merges, so the bytes must have the ids 0 to 255, and the merges those from 256 on.
        """
        model = BytePairModel(self.merges, pattern=self.pattern, special_tokens=self.special_tokens)
        in_order = list(self.merges.values()) == list(range(256, 256 + len(self.merges)))
        if not in_order or not self.vocab.items() <= self._build_vocab().items():
            raise UnsupportedModel(
                "minbpe's .model cannot hold this tokenizer: the ids 0 to 255 must be the bytes, and the merges must "
                "have the ids from 256 on, in order.\n"
                "Override save and load in your class, and store there what this file has no line for."
            )
        minbpe_text.write(model, file_prefix)

    def load(self, model_file: str | os.PathLike[str]) -> None:
        """Take over what was saved to ``model_file``. Raises UnreadableModel, UnusablePath."""
        model = minbpe_text.read(model_file)
        self.merges, self.pattern = dict(model.ranks), model.pattern or ""
        self.special_tokens = dict(model.special_tokens)
        self.vocab = self._build_vocab()

    def _build_vocab(self) -> dict[int, bytes]:
        vocab = {byte: bytes([byte]) for byte in range(256)}
        for (left, right), token_id in self.merges.items():
            vocab[token_id] = vocab[left] + vocab[right]
        return vocab | {token_id: text.encode("utf-8") for text, token_id in self.special_tokens.items()}


Tokenizer.register(MinbpeShaped)


def merge(ids: Sequence[int], pair: Pair, idx: int) -> list[int]:
    """Return ``ids`` with every occurrence of ``pair``, taken from left to right, replaced by ``idx``.

    >>> merge([1, 2, 3, 1, 2], (1, 2), idx=4)
    [4, 3, 4]
    """
    return pairs.merge(ids, pair, idx)


def replace_control_characters(s: str) -> str:
    r"""Return text in which control characters (Unicode's category C) are written as escapes.

    >>> replace_control_characters("a\n\u200bb")
    'a\\u000a\\u200bb'
    """
    return "".join(f"\\u{ord(one):04x}" if unicodedata.category(one).startswith("C") else one for one in s)


def render_token(t: bytes) -> str:
    r"""Return the bytes of a token as one line of text; bytes that are not UTF-8 become U+FFFD.

    >>> render_token(b"caf\xc3\n")
    'caf\ufffd\\u000a'
    """
    return replace_control_characters(t.decode("utf-8", errors="replace"))
