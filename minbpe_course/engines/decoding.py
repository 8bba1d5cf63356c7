"""From ids to bytes and text: one table entry for each id of a vocabulary, and the calls into the kernels.

    list or tuple             --one call-->  str, bytes, or a list             kernels.decoding_objects
    array, range, iterator    --NumPy-->  int64  --kernels.decoding-->  bytes  also where the first way is not available

Both ways give the same. The first leaves everything it cannot read (a float, a negative number, an unknown id) to the
second, which names the problem.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minbpe_course.errors import InvalidTokenId, NotTokenIds, TokenIdOutOfRange, quoted
from minbpe_course.kernels.common.memory import Block, lay_tokens
from minbpe_course.kernels.lazy import decoding, decoding_objects, lists
from minbpe_course.splitting.splitter import repaired

Ids = Sequence[int] | np.ndarray

# The table may have so many empty entries for each token, and so many more.
MOST_HOLES, FEW = 1, 4096

# Ids are unsigned numbers of 32 bits.
MOST_IDS = 1 << 32

# The kind of result, as in ``kernels.decoding_objects``.
AS_BYTES, AS_TEXT = 0, 1


class Decoder:
    """The bytes and the text of every id of one vocabulary.

    token_text, token_start : the bytes of ordinary tokens, as ``lay_tokens`` lays them out · ids : the id of each, in
    any order · specials : id -> text of the special tokens; a lone surrogate in one becomes U+FFFD, since it has no
    bytes. A decoder never changes, so threads may share it.

    >>> text, start = lay_tokens({0: b"to", 1: b"ken", 2: b" "}, 3)
    >>> decoder = Decoder(text, start, np.arange(3), {2**31: "<|end|>"})
    >>> decoder.text_of([0, 1, 2, 2**31]), decoder.tokens_of((1, 0))
    ('token <|end|>', [b'ken', b'to'])
    """

    def __init__(
        self, token_text: np.ndarray, token_start: np.ndarray, ids: np.ndarray, specials: Mapping[int, str]
    ) -> None:
        self._made_from = token_text, token_start, ids, dict(specials)
        bounds = np.stack([token_start[:-1], token_start[1:]])
        there = bounds[0] != bounds[1]
        ordinary = np.asarray(ids, dtype=np.int64)
        if not there.all():
            ordinary, bounds = ordinary[there], np.ascontiguousarray(bounds[:, there])
        # Where an ordinary and a special token share an id, the ordinary one wins. No id is below 0.
        asked = np.fromiter(specials, dtype=np.int64, count=len(specials))
        free = ~np.isin(asked, ordinary, kind="sort") & (asked >= 0)
        ordered = sorted((each, repaired(specials[each]).encode("utf-8")) for each in asked[free].tolist())
        special_ids = np.array([token_id for token_id, _ in ordered], dtype=np.int64)
        special_text, special_start = lay_tokens(
            {place: token for place, (_, token) in enumerate(ordered)}, len(ordered)
        )
        self.largest = int(max(ordinary.max(initial=-1), special_ids.max(initial=-1)))

        every = np.sort(np.concatenate([ordinary, special_ids]))
        dense = _dense(every)
        far = every[every >= dense]
        entries = np.zeros((dense + len(far), decoding.ENTRY), dtype=np.uint8)
        entries[:, decoding.IN_ENTRY] = decoding.HOLE
        for which, text, start in (
            (ordinary, token_text, bounds),
            (special_ids, special_text, np.stack([special_start[:-1], special_start[1:]])),
        ):
            places = np.where(which < dense, which, dense + np.searchsorted(far, which)) if len(far) else which
            decoding.lay_entries(places, text, start, entries)

        self._block = block = Block(decoding.BLOCK)
        block.entries, block.far_ids = entries, far
        block.dense, block.far = dense, len(far)
        # The entry of a long token has its address, so the text must stay alive.
        self._texts = token_text, special_text
        self._address = block.address
        self._fast = False
        if lists.objects_work():
            block.objects = lists.block(0)
            self._fast = True
            self._decode_list, self._decode_numbers = decoding_objects.decode_list, decoding_objects.decode_numbers
            self._tokens_of_list, self._offsets_of_list = (
                decoding_objects.tokens_of_list,
                decoding_objects.offsets_of_list,
            )

    def __reduce__(self) -> tuple:
        # The table holds addresses, which mean nothing in a copy or in another process.
        return Decoder, self._made_from

    def text_of(self, ids: Ids, errors: str = "replace") -> str:
        """Return the text of ``ids``; errors : how to treat bytes that are not UTF-8, as for ``bytes.decode``.

        Raises InvalidTokenId, and UnicodeDecodeError where ``errors`` is "strict".
        """
        if self._fast and (errors == "replace" or errors == "strict"):
            made = self._decode_list(id(ids), AS_TEXT, id(errors), self._address)
            return made if type(made) is str else self._decode_array(ids, AS_TEXT, errors)
        return self.bytes_of(ids).decode("utf-8", errors=errors)

    def bytes_of(self, ids: Ids) -> bytes:
        """Return the bytes of ``ids``. Raises InvalidTokenId."""
        if self._fast:
            made = self._decode_list(id(ids), AS_BYTES, 0, self._address)
            return made if type(made) is bytes else self._decode_array(ids, AS_BYTES, "strict")
        array = ids_array(ids)
        size = decoding.decode_array(array, np.empty(0, dtype=np.uint8), self._address)
        if size < 0:
            raise self._no_token(array, -1 - size)
        out = np.empty(size, dtype=np.uint8)
        decoding.decode_array(array, out, self._address)
        return out.tobytes()

    def tokens_of(self, ids: Ids) -> list[bytes]:
        """Return the bytes of each id separately. Raises InvalidTokenId."""
        if self._fast:
            made = self._tokens_of_list(id(ids), self._address)
            if type(made) is list:
                return made
        array = ids_array(ids)
        ends = np.empty(array.size, dtype=np.int64)
        wrong = decoding.ends_of_array(array, ends, self._address)
        if wrong < 0:
            raise self._no_token(array, -1 - wrong)
        data, begin, tokens = self.bytes_of(array), 0, []
        for end in ends.tolist():
            tokens.append(data[begin:end])
            begin = end
        return tokens

    def offsets_of(self, ids: Ids) -> list[int]:
        """Return, for each id, the index of the first character that its bytes belong to. Raises InvalidTokenId."""
        if self._fast:
            made = self._offsets_of_list(id(ids), self._address)
            if type(made) is list:
                return made
        array = ids_array(ids)
        offsets = np.empty(array.size, dtype=np.uint32)
        wrong = decoding.offsets_of_array(array, offsets, self._address)
        if wrong < 0:
            raise self._no_token(array, -1 - wrong)
        return offsets.tolist()

    def _decode_array(self, ids: Ids, form: int, errors: str) -> Any:
        array = ids_array(ids)
        made = self._decode_numbers(array, form, id(errors), self._address)
        if type(made) is int:
            raise self._no_token(array, -2 - made)
        return made

    def _no_token(self, ids: np.ndarray, at: int) -> InvalidTokenId:
        kind = InvalidTokenId if ids.min() >= 0 and ids.max() < MOST_IDS else TokenIdOutOfRange
        return kind(
            f"unknown id: no token has id {ids[at]} (number {at} of the ids given); "
            f"the ids of this vocabulary go up to {self.largest}."
        )


def ids_array(ids: Ids) -> np.ndarray:
    """Return ids as int64[n]. Raises NotTokenIds for an item that is not a whole number, and TokenIdOutOfRange."""
    try:
        if isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, Sequence, np.ndarray)):
            ids = list(ids)
        array = np.asarray(ids)
        if array.size == 0 and array.ndim == 1:
            return np.empty(0, dtype=np.int64)
        if array.ndim == 1 and array.dtype.kind in "iu" and array.dtype != np.uint64:
            return np.ascontiguousarray(array, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        pass
    return _one_by_one(ids)


def must_iterate(ids: Iterable[Any]) -> Iterable[Any]:
    """Return ``ids``, ids or lists of ids, unless they cannot be iterated. Raises NotTokenIds."""
    try:
        iter(ids)
    except TypeError:
        raise NotTokenIds(f"expected a list, got {quoted(ids)}.") from None
    return ids


def _one_by_one(ids: Ids) -> np.ndarray:
    """Convert ids that NumPy cannot: bytes, numbers of several types, objects with ``__index__``."""
    wrong = f"ids must be a list of whole numbers from 0 to 2**32 - 1, got {quoted(ids)}"
    if isinstance(ids, str) or not isinstance(ids, Iterable) or (isinstance(ids, np.ndarray) and ids.ndim == 0):
        raise NotTokenIds(f"{wrong}. For one id: decode([id]).")
    found = []
    for place, each in enumerate(ids):
        try:
            found.append(operator.index(each))
        except TypeError:
            raise NotTokenIds(f"{wrong}; number {place} is {quoted(each, 40)}. For one id: decode([id]).") from None
        if not -(1 << 63) <= found[-1] < 1 << 63:
            raise TokenIdOutOfRange(f"{wrong}; number {place} is {quoted(each, 40)}.")
    return np.array(found, dtype=np.int64)


def _dense(ids: np.ndarray) -> int:
    """Return the id below which every id gets a table entry. ids : int64[n], ascending."""
    enough = np.flatnonzero(ids < (1 + MOST_HOLES) * np.arange(1, ids.size + 1) + FEW)
    return int(ids[enough[-1]]) + 1 if enough.size else 0
