"""``minbpe.base``: the base class for your own tokenizers, and the functions next to it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from minbpe_course.reference import pairs
from minbpe_course.reference.pairs import Pair, get_stats
from minbpe_course.tokenizers.minbpe_base import MinbpeShaped as Tokenizer

__all__ = ["Tokenizer", "get_stats", "merge", "render_token", "replace_control_characters"]


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
