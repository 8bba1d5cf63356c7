"""The vocabulary and the merges of a large tokenizer.json as arrays, read by kernels from the bytes of the file.

    {"version": ..., "model": {"type": "BPE", "vocab": {200,000 names}, "merges": [200,000 merges]}}
                                                      |                           |
                                                      read by kernels, and the rest of the file by ``json``

Only files in the usual form are read: names and ids are distinct, and every merge joins two names to a third one. For
all others ``scan`` returns None, and ``vocabulary.read_vocabulary`` reads the file, or says what is wrong and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.engines.vocabulary_tables import in_order
from minbpe_course.errors import UnreadableModel
from minbpe_course.formats.json_text import LARGEST_ID, Value, read_value
from minbpe_course.kernels.common.memory import TOKEN_SLACK, Block, slots_for
from minbpe_course.kernels.lazy import layout, machine, tables, vocabulary_json
from minbpe_course.text.byte_alphabet import BYTE_OF

_NAMES, _MERGES = re.compile(rb'"vocab"\s*:\s*\{'), re.compile(rb'"merges"\s*:\s*\[')
_BYTE_OF = np.full(max(map(ord, BYTE_OF)) + 1, -1, dtype=np.int16)
_BYTE_OF[[ord(character) for character in BYTE_OF]] = list(BYTE_OF.values())


class Names(Mapping[str, int]):
    """The names of a vocabulary and their ids, by ascending id.

    ids : uint32[n], ascending · text, starts : uint8, int64[n + 1], the names · tokens, token_starts : the bytes that
    they spell · spelled : bool[n], whether a name spells bytes · distinct : whether no name and no id is there twice.
    """

    def __init__(self, ids: np.ndarray, names: tuple, tokens: tuple, spelled: np.ndarray) -> None:
        self.ids, self.spelled = ids, spelled
        self.text, self.starts = names
        self.tokens, self.token_starts = tokens
        self._block = block = Block(layout.BLOCK)
        slots = slots_for(len(ids))
        words = np.full(slots, tables.FREE, dtype=np.uint32)
        numbers = np.arange(len(ids), dtype=np.uint32)
        block.token_text, block.token_starts = self.text, self.starts
        block.words, block.word_mask = words, slots - 1
        block.wanted, block.wanted_count = numbers, len(ids)
        machine.run(tables.enter_words.address, block.address)
        self.distinct = np.count_nonzero(words != tables.FREE) == len(ids) and bool((ids[1:] > ids[:-1]).all())

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        data, starts = self.text.tobytes(), self.starts.tolist()
        return (data[begin:end].decode("utf-8") for begin, end in pairwise(starts))

    def __getitem__(self, name: str) -> int:
        data = name.encode("utf-8")
        text = np.frombuffer(data + bytes(TOKEN_SLACK), dtype=np.uint8)
        place = int(self.places(text, np.zeros(1, dtype=np.int64), np.full(1, len(data)))[0])
        if place == tables.FREE:
            raise KeyError(name)
        return int(self.ids[place])

    def without(self, ids: np.ndarray) -> dict[str, int]:
        """Return the names whose ids are not among ``ids``."""
        others = np.flatnonzero(~np.isin(self.ids, ids, assume_unique=True))
        return {self.name(place): int(self.ids[place]) for place in others.tolist()}

    def name(self, place: int) -> str:
        """Return one name."""
        return self.text[self.starts[place] : self.starts[place + 1]].tobytes().decode("utf-8")

    def places(self, text: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Return the place of each of the names ``text[begins[k]:ends[k]]``, uint32, FREE for none."""
        work = self._block.copy()
        found = np.empty(len(begins), dtype=np.uint32)
        work.lefts, work.rights, work.made = begins + text.ctypes.data, ends + text.ctypes.data, found
        work.pair_count = len(begins)
        machine.run(vocabulary_json.find_words.address, work.address)
        return found


class OtherNames(dict):
    """The names of a vocabulary without some of them, to which others are added: a dict for ``enter_specials``."""

    def __init__(self, names: Names, without: Mapping[str, int]) -> None:
        super().__init__()
        self._names, self._without = names, without

    def __len__(self) -> int:
        return len(self._names) - len(self._without) + super().__len__()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (name in self._names and name not in self._without)

    def __missing__(self, name: str) -> int:
        return self._names[name]

    def get(self, name: Any, default: Any = None) -> Any:
        """Return the id of a name."""
        return self[name] if name in self else default  # noqa: SIM401


class Scanned(NamedTuple):
    """A file: its document, with an empty vocabulary and no merges, its names, and merges of places, uint32[n, 3].

    lists : whether a merge is a list of two strings in the file, not one string.
    """

    document: Value
    names: Names
    merges: np.ndarray
    lists: bool


def scan(data: bytes, name: str) -> Scanned | None:
    """Read a file in the usual form; None for any other. ``name`` is what errors call the file."""
    at, after = _NAMES.search(data), _MERGES.search(data)
    if at is None or after is None:
        return None
    begin, begin_merges = at.end() - 1, after.end() - 1
    array = np.frombuffer(data, dtype=np.uint8)
    end, end_merges = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    # Memory that is not written to is not used.
    text, tokens, parts = (np.empty(len(data) + TOKEN_SLACK, dtype=np.uint8) for _ in range(3))
    most = len(data) // vocabulary_json.SHORTEST_NAME + 1
    starts, token_starts, ids = (np.empty(most + 1, dtype=np.int64) for _ in range(3))
    spelled = np.empty(most + 1, dtype=np.uint8)
    bounds = np.empty(2 * (len(data) // vocabulary_json.SHORTEST_MERGE) + 3, dtype=np.int64)
    count = vocabulary_json.read_names(array, begin, _BYTE_OF, text, starts, ids, tokens, token_starts, spelled, end)
    pairs = vocabulary_json.read_merges(array, begin_merges, parts, bounds, end_merges)
    if count <= 0 or pairs < 0 or count >= tables.MOST_TOKENS or ids[:count].max() > LARGEST_ID:
        return None
    document = _rest(data, (begin, int(end[0])), (begin_merges, int(end_merges[0])), name)
    if document is None:
        return None
    ids, spelled, starts, token_starts = ids[:count], spelled[:count], starts[: count + 1], token_starts[: count + 1]
    if (ids[1:] <= ids[:-1]).any():
        order = np.argsort(ids)
        ids, spelled = ids[order], spelled[order]
        text, starts = in_order(text, starts, order)
        tokens, token_starts = in_order(tokens, token_starts, order)
    names = Names(ids.astype(np.uint32), (text, starts), (tokens, token_starts), spelled.astype(bool))
    begins, middles, ends = bounds[: 2 * pairs : 2], bounds[1 : 2 * pairs : 2], bounds[2 : 2 * pairs + 1 : 2]
    columns = [names.places(parts, *each) for each in ((begins, middles), (middles, ends), (begins, ends))]
    merges = np.stack(columns, axis=1)
    if not names.distinct or (merges == tables.FREE).any():
        return None
    return Scanned(document, names, merges, bool(end_merges[1]))


def _rest(data: bytes, vocab: tuple[int, int], merges: tuple[int, int], name: str) -> Value | None:
    """Return the document without the parts that were read; None if they are not the vocabulary and the merges."""
    (first, mark), (second, other) = sorted([(vocab, "vocab"), (merges, "merges")])
    if second[0] < first[1]:
        return None
    # NUL is in no tokenizer.json, so these two strings are only where the parts were.
    marks = {key: f"\0{key}" for key in (mark, other)}
    shown = [json.dumps(marks[key]).encode() for key in (mark, other)]
    rest = data[: first[0]] + shown[0] + data[first[1] : second[0]] + shown[1] + data[second[1] :]
    if rest.count(b"\\u0000") != 2:
        return None
    try:
        document = read_value(rest, name)
    except UnreadableModel:
        return None
    model = document.value.get("model") if isinstance(document.value, dict) else None
    if not isinstance(model, dict) or any(model.get(key) != marks[key] for key in marks):
        return None
    model["vocab"], model["merges"] = {}, []
    return document
