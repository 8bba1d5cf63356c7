"""What every byte-level tokenizer does: special tokens around an engine, and all the ways back from ids.

Subclasses decide how special tokens are asked for; see ``minbpe_shaped`` and ``encoding``.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from minbpe_course import packing
from minbpe_course.corpus.words import repaired
from minbpe_course.errors import NotText
from minbpe_course.tokenizers.decoding import Decoder, ids_array
from minbpe_course.tokenizers.engine import BytePairEngine
from minbpe_course.tokenizers.special_tokens import split_on_special_tokens

Answer = TypeVar("Answer")


class ByteLevelTokenizer:
    """Encodes text with special tokens and decodes ids; not used by itself."""

    @property
    def _engine(self) -> BytePairEngine:
        raise NotImplementedError

    @property
    def _specials(self) -> Mapping[str, int]:
        raise NotImplementedError

    @property
    def _special_texts(self) -> Mapping[int, str]:
        return {token_id: text for text, token_id in self._specials.items()}

    @cached_property
    def _decoder(self) -> Decoder:
        tables = self._engine.tables
        return Decoder(tables.token_text, tables.token_start, tables.ids, self._special_texts)

    # Encoding

    def _encode(self, text: str, allowed: Mapping[str, int]) -> np.ndarray:
        """Encode ``text`` where the special tokens ``allowed`` stand for themselves."""
        engine = self._engine
        if not allowed:
            return engine.encode(text)
        if engine.repair:
            # A special token may hold a character that this text spells as two surrogates.
            text = repaired(text)
        parts = []
        for part, token_id in split_on_special_tokens(text, allowed):
            parts.append(engine.encode(part) if token_id is None else np.array([token_id], dtype=packing.ID))
        return np.concatenate(parts) if parts else np.empty(0, dtype=packing.ID)

    # Decoding

    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        """Return the bytes that ``ids`` stand for; special tokens stand for their text. Raises InvalidTokenId."""
        return self._decoder.bytes_of(ids)

    def decode(self, ids: Sequence[int] | np.ndarray) -> str:
        """Return the text of ``ids``; bytes that are no UTF-8 become U+FFFD. Raises InvalidTokenId."""
        return self._decoder.text_of(ids)

    def decode_tokens_bytes(self, ids: Sequence[int] | np.ndarray) -> list[bytes]:
        """Return the bytes of each id by itself. Raises InvalidTokenId."""
        return self._decoder.tokens_of(ids)

    def decode_with_offsets(self, ids: Sequence[int] | np.ndarray) -> tuple[str, list[int]]:
        """Return the text and, for each id, the index of the first character that its bytes belong to.

        A token that begins inside a character gets that character's index. Raises InvalidTokenId, and
        UnicodeDecodeError when the ids are not whole text.
        """
        if not isinstance(ids, (list, tuple, np.ndarray)):
            # It is looked at twice.
            ids = ids_array(ids)
        offsets = self._decoder.offsets_of(ids)
        return self._decoder.text_of(ids, "strict"), offsets

    def decode_stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Yield text as ids come in, never a broken character: bytes of an unfinished one wait for the rest.

        The pieces joined are what ``decode`` gives for all ids. Raises InvalidTokenId.
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        for token_id in ids:
            text = decoder.decode(self._decoder.bytes_of([token_id]))
            if text:
                yield text
        rest = decoder.decode(b"", final=True)
        if rest:
            yield rest


def in_threads(call: Callable[[str], Answer], texts: Iterable[str], num_threads: int | None) -> list[Answer]:
    """Return ``call(text)`` for every text, in order; the kernels let go of the GIL, so threads run side by side."""
    if isinstance(texts, str):
        raise NotText("a batch is a list of texts, got one str; for one text call encode(text).")
    listed: list[Any] = list(texts)
    threads = num_threads or os.cpu_count() or 1
    if threads < 2 or len(listed) < 2:
        return [call(text) for text in listed]
    # One task a thread and not one a text: short texts would otherwise cost more to hand over than to encode.
    stride = -(-len(listed) // (4 * threads))
    blocks = [listed[at : at + stride] for at in range(0, len(listed), stride)]
    with ThreadPoolExecutor(threads) as pool:
        done = pool.map(lambda block: [call(text) for text in block], blocks)
        return [answer for block in done for answer in block]
