"""The common base of the byte-level tokenizers: special tokens around an engine, and decoding in all its forms.

Subclasses define how special tokens are allowed; see ``minbpe_base`` and ``encoding``.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.engines.decoding import Decoder, ids_array
from minbpe_course.errors import NotText
from minbpe_course.kernels.common.memory import ID
from minbpe_course.kernels.lazy import built_once
from minbpe_course.model.copies import Copied
from minbpe_course.resources.threads import threads_of
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.splitter import must_be_batch, must_be_text, repaired
from minbpe_course.text.added_tokens import AddedTokens
from minbpe_course.text.special_places import common_prefix, find_mark
from minbpe_course.tokenizers.common_calls import CommonCalls, StreamDecoder, longest_prefix

_NONE: Mapping[str, int] = MappingProxyType({})


class ByteLevelTokenizer(Copied, CommonCalls):
    """Encodes text with special tokens and decodes ids; a base class."""

    @property
    def _engine(self) -> BytePairEngine:
        raise NotImplementedError

    @property
    def _specials(self) -> Mapping[str, int]:
        raise NotImplementedError

    @property
    def _plain(self) -> Mapping[str, int]:
        """The added tokens that are not special, and are found in every text."""
        return _NONE

    @property
    def _special_texts(self) -> Mapping[int, str]:
        return {token_id: text for text, token_id in {**self._specials, **self._plain}.items()}

    @built_once
    def _decoder(self) -> Decoder:
        tables = self._engine.tables
        return Decoder(tables.token_text, tables.token_start, tables.ids, self._special_texts)

    @cached_property
    def _mark(self) -> str | None:
        """The common beginning of all added tokens, None without any: a text without it contains no added token."""
        if not (self._specials or self._plain):
            return None
        # Normalization may turn any text into a token that is searched for in normalized text.
        return "" if self._added.normal_form else common_prefix({**self._specials, **self._plain})

    @cached_property
    def _added(self) -> AddedTokens:
        """The search for special and plain tokens."""
        return AddedTokens(self._specials, self._plain)

    # Encoding

    def clear_caches(self) -> None:
        """Forget the words of earlier texts. Only the speed of the next calls depends on them.

        All threads together remember words in at most as much memory as ``set_worker_memory`` allows. This call frees
        the memory that no other thread uses now.
        """
        self._engine.clear_caches()

    def _holds_no_added(self, text: str) -> bool:
        """Return True if no added token is in ``text``. This is fast, and may be wrong for False."""
        mark = self._mark
        if mark is None:
            return True
        if not mark.isascii() or not mark:
            if self._engine.repair:
                # Two surrogates in this text may be a character of an added token.
                text = repaired(text)
            if not mark:
                return not self._added.may_find(text)
        return find_mark(text, mark) < 0

    def _encode(self, text: str, allowed: Mapping[str, int]) -> np.ndarray:
        """Return the ids of ``text``, uint32[n], in which the special tokens ``allowed`` stand for themselves."""
        if not (allowed or self._plain) or self._holds_no_added(text):
            return self._engine.encode(text)
        return np.array(self._encode_to_list(text, allowed), dtype=ID)

    def _encode_to_list(self, text: str, allowed: Mapping[str, int]) -> list[int]:
        """Return the ids of ``text`` as a list."""
        engine, added = self._engine, self._added
        if not (allowed or self._plain) or self._holds_no_added(text):
            return engine.encode_list(text)
        if engine.repair:
            text = repaired(text)
        ids: list[int] = []
        for part in added.cut(text, allowed):
            if not isinstance(part, str):
                ids.append(part)
            elif added.flagged:
                ids += engine.encode(part, normalized=True).tolist()
            else:
                ids += engine.encode_list(part)
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
        every text, False only for a text that may contain an added token, None for no text.
        """
        listed = list(must_be_batch(texts))
        threads, added = threads_of(num_threads), self._added
        if ask is None and not self._plain:
            return self._engine.encode_many(listed, threads)
        # Calling ``choose`` takes longer than encoding a short text.
        ordinary = [not ask and type(text) is str and self._holds_no_added(text) for text in listed]
        if all(ordinary):
            return self._engine.encode_many(listed, threads)
        parts: list[str] = []
        special_ids: list[int] = []
        # The number of parts and of added tokens up to the end of each text; the part after each added token.
        part_ends, special_ends, places = np.zeros(len(listed) + 1, dtype=np.int64), [0], []
        for number, text in enumerate(listed):
            if not isinstance(text, str):
                raise NotText(f"text {number} of the batch must be a str, got {type(text).__name__}.")
            allowed = _NONE if ordinary[number] or ask is None else choose(text)
            whole = ordinary[number] or not (allowed or self._plain) or self._holds_no_added(text)
            if whole and not added.flagged:
                parts.append(text)
            else:
                # Two surrogates in this text may be a character of an added token.
                for part in added.cut(repaired(text) if self._engine.repair else text, allowed):
                    if isinstance(part, str):
                        parts.append(part)
                    else:
                        special_ids.append(part)
                        places.append(len(parts))
            part_ends[number + 1] = len(parts)
            special_ends.append(len(special_ids))
        ids, offsets = self._engine.encode_many(parts, threads, normalized=added.flagged)
        if special_ids:
            ids = np.insert(ids, offsets[places], np.array(special_ids, dtype=ID))
        return ids, offsets[part_ends] + np.array(special_ends)

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text``; special tokens in it are ordinary text. Raises NotText, InvalidText."""
        return self._encode_to_list(must_be_text(text), _NONE)

    def _count(self, text: str, allowed: Mapping[str, int]) -> int:
        """Return how many ids ``_encode`` gives."""
        engine, added = self._engine, self._added
        if not (allowed or self._plain) or self._holds_no_added(text):
            return engine.count(text)
        parts = added.cut(repaired(text) if engine.repair else text, allowed)
        return sum(engine.count(part, normalized=added.flagged) if isinstance(part, str) else 1 for part in parts)

    def _count_many(
        self,
        texts: Iterable[str],
        choose: Callable[[str], Mapping[str, int]],
        num_threads: int | None,
        ask: bool | None = True,
    ) -> np.ndarray:
        """Return how many ids each text has, int64[n]; choose, ask : as for ``_encode_many``."""
        listed = list(must_be_batch(texts))
        own = np.zeros(len(listed), dtype=np.int64)
        if ask is not None or self._plain:
            for number, text in enumerate(listed):
                if not ask and type(text) is str and self._holds_no_added(text):
                    continue
                if not isinstance(text, str):
                    raise NotText(f"text {number} of the batch must be a str, got {type(text).__name__}.")
                own[number] = self._count(text, _NONE if ask is None else choose(text))
                listed[number] = ""
        return own + self._engine.count_many(listed, threads_of(num_threads))

    def _frame_length(self, frame: bool) -> int:
        """Return how many ids the frame adds."""
        return sum(map(len, self._frame)) if frame else 0

    def _truncate(self, text: str, n: int, allowed: Mapping[str, int], added: int = 0) -> str:
        as_written = self._engine.keeps_text and not self._added.flagged
        return longest_prefix(
            *(text, n, partial(self._encode, allowed=allowed), partial(self._count, allowed=allowed)),
            self._decoder.tokens_of if as_written else None,
            added,
        )

    def _cut_special(self, text: str) -> Iterable[str | int]:
        return self._added.cut_as_written(repaired(text) if self._engine.repair else text, self._specials)

    def _encode_chunks(self, chunks: Iterable[str], choose: Callable[[str], Mapping[str, int]]) -> Iterator[int]:
        """Yield the ids of a text that comes in chunks, without the whole text in memory.

        ``splitting.long_texts`` decides which part of it later chunks cannot change. choose : as in ``_encode_many``.
        """
        engine, added = self._engine, self._added
        text = self._long_text({**self._specials, **self._plain})
        for piece in _pieces([chunks] if isinstance(chunks, str) else chunks, text, engine.repair):
            for part in added.cut(piece, choose(piece)):
                if isinstance(part, str):
                    yield from engine.encode(part, normalized=added.flagged).tolist()
                else:
                    yield part

    def _long_text(self, added_tokens: Collection[str], gather: int | None = None) -> LongText:
        """Return an object that cuts a long text into parts that may be encoded one by one."""
        engine = self._engine
        whole = self._needs_whole_texts
        return LongText(engine.splitter, added_tokens, composed=engine.composes, gather=gather, whole=whole)

    @property
    def _needs_whole_texts(self) -> bool:
        return self._engine.needs_whole_texts or self._added.flagged

    # Decoding

    def decode_bytes(self, ids: Sequence[int] | np.ndarray) -> bytes:
        """Return the bytes of ``ids``, of special tokens those of their text. Raises InvalidTokenId."""
        return self._decoder.bytes_of(ids)

    def decode(self, ids: Sequence[int] | np.ndarray, *, skip_special_tokens: bool = False) -> str:
        """Return the text of ``ids``; bytes that are not UTF-8 become U+FFFD. Raises InvalidTokenId.

        skip_special_tokens : leave out special tokens.
        """
        return self._decoder.text_of(self._without_special(ids) if skip_special_tokens else ids)

    def _without_special(self, ids: Sequence[int] | np.ndarray) -> np.ndarray:
        array = ids_array(ids)
        return array[~np.isin(array, [*self._skipped_ids])]

    @property
    def _skipped_ids(self) -> frozenset[int]:
        # As in tokenizers, which asks whether the text that it shows is that of a special token.
        specials, texts = self._specials, self._special_texts
        return frozenset(token_id for token_id in specials.values() if texts[token_id] in specials)

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

    def stream(self, prompt_ids: Iterable[int] = (), *, skip_special_tokens: bool = False) -> StreamDecoder:
        """Return a decoder with ``push(id) -> str`` and ``finish() -> str``, which turns ids into text as they arrive.

        prompt_ids : ids before the stream, whose text is not returned again, but whose last bytes may begin a
        character · skip_special_tokens : leave out special tokens. Raises InvalidTokenId.
        """
        utf8, decoder = codecs.getincrementaldecoder("utf-8")(errors="replace"), self._decoder
        special = self._skipped_ids if skip_special_tokens else frozenset()

        def push(token_id: int) -> str:
            data = decoder.bytes_of([token_id])
            return "" if token_id in special else utf8.decode(data)

        return StreamDecoder(push, lambda: utf8.decode(b"", final=True), prompt_ids)


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
