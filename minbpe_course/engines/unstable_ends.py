"""The end of a text that may still change: which ids stay when the text continues, and what may follow them.

    text "hello fanta"   --split-->   "hello" " fanta"     the last word is unstable
    bytes b"caf\\xc3"     --split-->   "caf" + b"\\xc3"       so are bytes that are not UTF-8, and all after them

``reference.unstable`` is the readable algorithm; here thousands of possible texts go through the engine at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import numpy as np

from minbpe_course.engines.byte_pair import BytePairEngine
from minbpe_course.text.unicode_tables import WHITE_SPACE

# How many bytes of possible texts are encoded at a time.
BYTES_AT_A_TIME = 1 << 22

_BLANKS = b" \n\t"


class UnstableEnds:
    """Finds the unstable ids and their possible continuations for one vocabulary.

    engine : encodes ordinary text · token_bytes : id -> bytes · ranks : bytes -> id; where several tokens have the same
    bytes, the id of one of them.
    """

    def __init__(self, engine: BytePairEngine, token_bytes: Mapping[int, bytes], ranks: Mapping[bytes, int]) -> None:
        self._engine, self._ranks = engine.without_trie(), ranks
        self._tokens = sorted(token for token in ranks if token)
        self._longest = max(map(len, self._tokens))
        self._blank_ids = {token_id for token_id, token in token_bytes.items() if token and not token.strip(_BLANKS)}
        self._token_bytes = token_bytes
        ids = np.fromiter(token_bytes, dtype=np.int64, count=len(token_bytes))
        sizes = np.fromiter(map(len, token_bytes.values()), dtype=np.int64, count=len(token_bytes))
        order = np.argsort(ids)
        self._ids, self._sizes = ids[order], sizes[order]

    def encode_bytes(self, data: bytes) -> list[int]:
        """Return the ids of bytes; from the first byte that is not UTF-8 on, all belong to the last word."""
        try:
            return self._engine.encode(data.decode("utf-8")).tolist()
        except UnicodeDecodeError as error:
            whole = data[: error.start].decode("utf-8")
            ids, unstable = self.split_off(self._engine.encode(whole).tolist(), whole)
            return ids + self.ids_of_word(unstable + data[error.start :])

    def split_off(self, ids: list[int], text: str) -> tuple[list[int], bytes]:
        """Return the ids that stay, and the bytes of the others; text : the ordinary text at the end of ``ids``."""
        word = self._last_word(text)
        count = len(self.ids_of_word(word))
        if count and ids[-count] in self._blank_ids:
            # If the text continues, a pattern may join several white-space words into one.
            while count < len(ids) and ids[-count - 1] in self._blank_ids:
                count += 1
        if not count:
            return ids, b""
        return ids[:-count], b"".join(map(self._token_bytes.__getitem__, ids[-count:]))

    def ids_of_word(self, word: bytes) -> list[int]:
        """Return the ids of one word, without splitting it."""
        return [self._ranks[word]] if word in self._ranks else self._engine.merge_word(word)

    def completions(self, unstable: bytes) -> list[list[int]]:
        """Return the lists of ids that the bytes ``unstable`` may become once the text continues, sorted, each once."""
        if not unstable:
            return []
        found = {
            np.uint32(self._ranks[self._tokens[at]]).tobytes() for at in _tokens_beginning_with(unstable, self._tokens)
        }
        texts: list[str] = []
        size = 0
        for rest in self._rests(unstable):
            possible = unstable + rest
            try:
                texts.append(possible.decode("utf-8"))
            except UnicodeDecodeError:
                # No pattern can split what stops inside a character.
                array = np.array(self._engine.merge_word(possible), dtype=np.uint32)
                found |= self._shortened(array, np.array([0, len(array)]), len(unstable))
                continue
            size += len(possible)
            if size > BYTES_AT_A_TIME:
                found |= self._shortened(*self._engine.encode_many(texts, 1), len(unstable))
                texts, size = [], 0
        found |= self._shortened(*self._engine.encode_many(texts, 1), len(unstable))
        return sorted(np.frombuffer(each, dtype=np.uint32).tolist() for each in found | self._last_space(unstable))

    def _rests(self, unstable: bytes) -> set[bytes]:
        """Return what is left of tokens that begin in ``unstable`` and reach its end."""
        return {
            self._tokens[place][len(unstable) - at :]
            for at in range(max(1, len(unstable) - self._longest), len(unstable))
            for place in _tokens_beginning_with(unstable[at:], self._tokens)
        }

    def _shortened(self, ids: np.ndarray, offsets: np.ndarray, least: int) -> set[bytes]:
        """Cut each list of ids after the id that brings it to ``least`` bytes."""
        ends = np.concatenate([[0], np.cumsum(self._sizes[np.searchsorted(self._ids, ids)])])
        last = np.minimum(np.searchsorted(ends, ends[offsets[:-1]] + least), offsets[1:])
        data = np.ascontiguousarray(ids, dtype=np.uint32).tobytes()
        return {data[4 * start : 4 * end] for start, end in zip(offsets[:-1].tolist(), last.tolist())}

    def _last_space(self, unstable: bytes) -> set[bytes]:
        text = unstable.decode("utf-8", errors="replace")
        if len(text) < 2 or text[-1] not in WHITE_SPACE:
            return set()
        cut = len(unstable) - len(text[-1].encode("utf-8"))
        return {
            np.array(
                self._engine.merge_word(unstable[:cut]) + self._engine.merge_word(unstable[cut:]), dtype=np.uint32
            ).tobytes()
        }

    def _last_word(self, text: str) -> bytes:
        word = b""
        for run in self._engine.splitter.runs(self._engine.prepared(text)):
            if run.number:
                start = int(run.ends[run.number - 2]) if run.number > 1 else run.start
                word = run.text[start : int(run.ends[run.number - 1])].tobytes()
        return word


def _tokens_beginning_with(beginning: bytes, tokens: Sequence[bytes]) -> range:
    """Return the places of the tokens that begin with ``beginning``; tokens : sorted, each once."""
    first = bisect_left(tokens, beginning)
    return range(first, bisect_left(tokens, True, lo=first, key=lambda token: not token.startswith(beginning)))
