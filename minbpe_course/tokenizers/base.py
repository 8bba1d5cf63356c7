"""The common base of the byte-level tokenizers: special tokens around an engine, and decoding in all its forms.

Subclasses define how special tokens are allowed; see ``minbpe_base`` and ``encoding``.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder, ids_array
from minbpe_course.errors import NotText
from minbpe_course.kernels.common.memory import ID
from minbpe_course.model.copies import Copied
from minbpe_course.resources.threads import threads_of
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.splitter import must_be_batch, repaired
from minbpe_course.text.added_tokens import AddedTokens
from minbpe_course.text.special_places import common_prefix, find_mark
from minbpe_course.tokenizers.special_tokens import split_on_special_tokens


class ByteLevelTokenizer(Copied):
    """Encodes text with special tokens and decodes ids; a base class."""

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
        """The common beginning of all special tokens, None without any: a text without it contains no special token."""
        if not self._specials:
            return None
        if self._added_tokens is not None and self._added_tokens.late:
            # Normalization may turn any text into such a token.
            return ""
        return common_prefix(self._specials)

    @property
    def _added_tokens(self) -> AddedTokens | None:
        """The search for special tokens, if some of them depend on the text around them."""
        return None

    def _cut(self, text: str, allowed: Mapping[str, int]) -> Iterator[tuple[str, int | None]]:
        """Cut a text at its special tokens; with ``_added_tokens`` the text between them comes back normalized."""
        if self._added_tokens is not None:
            return self._added_tokens.cut(text, allowed)
        return split_on_special_tokens(text, allowed)

    # Encoding

    def clear_caches(self) -> None:
        """Forget the words of earlier texts. Only the speed of the next calls depends on them.

        Each thread that encodes remembers words, in up to 32 MB of memory, which this call frees.
        """
        self._engine.clear_caches()

    def _holds_no_special(self, text: str) -> bool:
        mark = self._mark
        if mark is None or mark == "":
            return mark is None
        if not mark.isascii() and self._engine.repair:
            # Two surrogates in this text may be a character of a special token.
            text = repaired(text)
        return find_mark(text, mark) < 0

    def _encode(self, text: str, allowed: Mapping[str, int]) -> np.ndarray:
        """Return the ids of ``text``, uint32[n], in which the special tokens ``allowed`` stand for themselves."""
        if not allowed or self._holds_no_special(text):
            return self._engine.encode(text)
        return np.array(self._encode_to_list(text, allowed), dtype=ID)

    def _encode_to_list(self, text: str, allowed: Mapping[str, int]) -> list[int]:
        """Return the ids of ``text`` as a list."""
        engine = self._engine
        if not allowed or self._holds_no_special(text):
            return engine.encode_list(text)
        if engine.repair:
            text = repaired(text)
        ids: list[int] = []
        for part, token_id in self._cut(text, allowed):
            if token_id is not None:
                ids.append(token_id)
            elif self._added_tokens is None:
                ids += engine.encode_list(part)
            else:
                ids += engine.encode(part, normalized=True).tolist()
        return ids

    def _encode_many(
        self,
        texts: Iterable[str],
        choose: Callable[[str], Mapping[str, int]],
        num_threads: int | None,
        ask: bool | None = True,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, uint32, and where those of each text begin, int64[n + 1].

        choose : returns the special tokens that stand for themselves in a text, or raises · ask : True to call it for
        every text, False only for a text that may contain a special token, None for no text.
        """
        listed = list(must_be_batch(texts))
        threads = threads_of(num_threads)
        if ask is None:
            return self._engine.encode_many(listed, threads)
        # Calling ``choose`` takes longer than encoding a short text.
        ordinary = [not ask and type(text) is str and self._holds_no_special(text) for text in listed]
        if all(ordinary):
            return self._engine.encode_many(listed, threads)
        parts: list[str] = []
        special_ids: list[int] = []
        # The number of parts and of special tokens up to the end of each text; the part after each special token.
        part_ends, special_ends, places = np.zeros(len(listed) + 1, dtype=np.int64), [0], []
        for number, text in enumerate(listed):
            if not isinstance(text, str):
                raise NotText(f"text {number} of the batch must be a str, got {type(text).__name__}.")
            allowed = {} if ordinary[number] else choose(text)
            if self._added_tokens is None and (not allowed or self._holds_no_special(text)):
                parts.append(text)
            else:
                # Two surrogates in this text may be a character of a special token.
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
            ids = np.insert(ids, offsets[places], np.array(special_ids, dtype=ID))
        return ids, offsets[part_ends] + np.array(special_ends)

    def _encode_chunks(self, chunks: Iterable[str], choose: Callable[[str], Mapping[str, int]]) -> Iterator[int]:
        """Yield the ids of a text that comes in chunks, without the whole text in memory.

        ``splitting.long_texts`` decides which part of it later chunks cannot change. choose : as in ``_encode_many``.
        """
        engine = self._engine
        text = LongText(engine.splitter, self._specials, composed=engine.composes)
        for piece in _pieces([chunks] if isinstance(chunks, str) else chunks, text, engine.repair):
            for part, token_id in split_on_special_tokens(piece, choose(piece)):
                if token_id is None:
                    yield from engine.encode(part).tolist()
                else:
                    yield token_id

    # Decoding

    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        """Return the bytes of ``ids``, of special tokens those of their text. Raises InvalidTokenId."""
        return self._decoder.bytes_of(ids)

    def decode(self, ids: Sequence[int] | np.ndarray) -> str:
        """Return the text of ``ids``; bytes that are not UTF-8 become U+FFFD. Raises InvalidTokenId."""
        return self._decoder.text_of(ids)

    def decode_tokens_bytes(self, ids: Sequence[int] | np.ndarray) -> list[bytes]:
        """Return the bytes of each id separately. Raises InvalidTokenId."""
        return self._decoder.tokens_of(ids)

    def decode_with_offsets(self, ids: Sequence[int] | np.ndarray) -> tuple[str, list[int]]:
        """Return the text and, for each id, the index of the first character that its bytes belong to.

        A token that begins inside a character gets that character's index. Raises InvalidTokenId, and
        UnicodeDecodeError when the ids are not whole text.
        """
        if not isinstance(ids, (list, tuple, np.ndarray)):
            # An iterator could be read only once, and the ids are read twice.
            ids = ids_array(ids)
        offsets = self._decoder.offsets_of(ids)
        return self._decoder.text_of(ids, "strict"), offsets

    def decode_stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Yield the text of each id as it comes; the bytes of an unfinished character wait for the rest.

        Joined, the texts are the result of ``decode`` for all ids. Raises InvalidTokenId.
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        for token_id in ids:
            text = decoder.decode(self._decoder.bytes_of([token_id]))
            if text:
                yield text
        rest = decoder.decode(b"", final=True)
        if rest:
            yield rest


def _pieces(chunks: Iterable[str], text: LongText, repair: bool) -> Iterator[str]:
    held = ""
    for chunk in chunks:
        if not isinstance(chunk, str):
            raise NotText(
                f"chunks must be str, got {type(chunk).__name__}; open files as text: open(path, encoding='utf-8')."
            )
        if repair and (chunk := held + chunk):
            # The first half of a surrogate pair waits for the second.
            split = len(chunk) - ("\ud800" <= chunk[-1] <= "\udbff")
            held, chunk = chunk[split:], repaired(chunk[:split])
        if piece := text.add(chunk):
            yield piece
    yield text.add(repaired(held)) + text.finish()
