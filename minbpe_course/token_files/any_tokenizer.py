"""Any tokenizer, or the name or file of one, as something that works through files of texts."""

from __future__ import annotations

from typing import Any

from minbpe_course.tokenizers.adapters import AnyTokenizer, ByteLevelAdapter, ForbiddenSpecial, SentencePieceAdapter
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.tokenizers.loading import load_tokenizer
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer

__all__ = ["AnyTokenizer", "ForbiddenSpecial", "any_tokenizer"]


def any_tokenizer(tokenizer: Any, name: str | None = None, specials: str = "none") -> AnyTokenizer:
    """Return the adapter of ``tokenizer``, which is one of this package or anything that ``load_tokenizer`` takes.

    specials : special tokens in a text: "raise", "none" (they are ordinary text) or "all" (they get their ids).

    >>> any_tokenizer("gpt2").encode(["hello", "world"])[0].tolist()
    [31373, 6894]
    """
    ours = isinstance(tokenizer, (Encoding, SentencePieceTokenizer))
    loaded = tokenizer if ours else load_tokenizer(tokenizer)
    adapter = SentencePieceAdapter if isinstance(loaded, SentencePieceTokenizer) else ByteLevelAdapter
    return adapter(name or str(getattr(loaded, "name", type(loaded).__name__)), loaded, specials)
