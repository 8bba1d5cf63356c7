"""What every byte-level tokenizer does: special tokens around an engine, and all the ways back from ids.

Subclasses decide how special tokens are asked for; see ``minbpe_shaped`` and ``encoding``.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder, ids_array
from minbpe_course.errors import NotText
from minbpe_course.kernels.common import memory as packing
from minbpe_course.kernels.lazy import lists
from minbpe_course.model.copies import Copied
from minbpe_course.resources.threads import threads_of
from minbpe_course.splitting.words import repaired
from minbpe_course.text.added_tokens import AddedTokens
from minbpe_course.text.special_places import common_prefix
from minbpe_course.tokenizers.special_tokens import split_on_special_tokens


def list_from(ids: np.ndarray) -> list[int]:
    """Return ids as a list, in the fastest way that this Python allows."""
    return lists.list_from(ids)


def lists_from(ids: np.ndarray, offsets: np.ndarray) -> list[list[int]]:
    """Return ``ids`` cut at ``offsets`` as lists."""
    return lists.lists_from(ids, offsets)


class ByteLevelTokenizer(Copied):
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

    @cached_property
    def _mark(self) -> str | None:
        """What all special tokens begin with, None if there are none: a text without it holds no special token."""
        if not self._specials:
            return None
        if self._added_tokens is not None and self._added_tokens.late:
            # Normalization may make such a token of any text.
            return ""
        return common_prefix(self._specials)

    @property
    def _added_tokens(self) -> AddedTokens | None:
        """The search for special tokens, where some of them depend on the text around them."""
        return None

    def _cut(self, text: str, allowed: Mapping[str, int]) -> Iterator[tuple[str, int | None]]:
        """Cut a text at its special tokens; the text between them is normalized if some depend on what is around."""
        if self._added_tokens is not None:
            return self._added_tokens.cut(text, allowed)
        return split_on_special_tokens(text, allowed)

    # Encoding

    def clear_caches(self) -> None:
        """Forget the words of earlier texts. Only the speed of the next calls depends on them.

        Words that were seen before are known, up to some 32 MB for each thread that encodes; this frees the memory.
        """
        self._engine.clear_caches()

    def _holds_no_special(self, text: str) -> bool:
        mark = self._mark
        if mark is None or mark == "":
            return mark is None
        if not mark.isascii() and self._engine.repair:
            # What this text spells as two surrogates may be a part of a special token.
            text = repaired(text)
        return mark not in text

    def _encode(self, text: str, allowed: Mapping[str, int]) -> np.ndarray:
        """Encode ``text`` where the special tokens ``allowed`` stand for themselves."""
        if not allowed or self._holds_no_special(text):
            return self._engine.encode(text)
        return self._encode_many([text], lambda _: allowed, 1)[0]

    def _encode_many(
        self,
        texts: Iterable[str],
        choose: Callable[[str], Mapping[str, int]],
        num_threads: int | None,
        ask: bool | None = True,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Encode many texts in one call; return ids, uint32, and where each text's ids begin, int64[n + 1].

        choose : says which special tokens stand for themselves in a text, or raises · ask : True to ask it of every
        text, False to ask only where some text of the batch may hold a special token, None for never.
        """
        if isinstance(texts, str):
            raise NotText("a batch is a list of texts, got one str; for one text call encode(text).")
        threads = threads_of(num_threads)
        listed = list(texts)
        if ask is None or (not ask and all(type(text) is str and self._holds_no_special(text) for text in listed)):
            # Asking takes longer than encoding a short text.
            return self._engine.encode_many(listed, threads)
        parts: list[str] = []
        special_ids: list[int] = []
        # In how many parts and special tokens each text ends; and before which part each special token stands.
        part_ends, special_ends, places = np.zeros(len(listed) + 1, dtype=np.int64), [0], []
        for number, text in enumerate(listed):
            if not isinstance(text, str):
                raise NotText(f"text {number} of the batch must be a str, got {type(text).__name__}.")
            allowed = choose(text)
            if self._added_tokens is None and (not allowed or self._holds_no_special(text)):
                parts.append(text)
            else:
                # A special token may hold a character that this text spells as two surrogates.
                whole = repaired(text) if self._engine.repair else text
                for part, token_id in self._cut(whole, allowed):
                    if token_id is None:
                        parts.append(part)
                    else:
                        special_ids.append(token_id)
                        places.append(len(parts))
            part_ends[number + 1] = len(parts)
            special_ends.append(len(special_ids))
        ids, offsets = self._engine.encode_many(parts, threads, normalized=self._added_tokens is not None)
        if special_ids:
            ids = np.insert(ids, offsets[places], np.array(special_ids, dtype=packing.ID))
        return ids, offsets[part_ends] + np.array(special_ends)

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
