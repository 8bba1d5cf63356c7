"""One vocabulary, ready to run: its tables, its splitter, its workers, and the calls into the kernels.

    text --splitter--> words --kernels.encoding--> ids

The classes that people use are thin coats around this; special tokens are theirs, not the engine's.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from minbpe_course import packing
from minbpe_course.corpus.words import Splitter, Words, repaired, utf8
from minbpe_course.errors import InvalidText, NotText
from minbpe_course.model import BytePairModel
from minbpe_course.text import patterns, unicode_tables
from minbpe_course.tokenizers.vocabulary_tables import VocabularyTables
from minbpe_course.tokenizers.worker import OUT_SLACK, Worker

# Below this many bytes a batch is not worth a second thread.
BYTES_A_THREAD = 1 << 17


class BytePairEngine:
    """Encodes ordinary text with one vocabulary.

    Make one with ``from_model`` or ``from_ranks``. Threads may share one: each call works with a worker of its own.
    """

    def __init__(self, tables: VocabularyTables, splitter: Splitter, repair: bool) -> None:
        from minbpe_course.kernels import lists

        self.tables = tables
        self.splitter = splitter
        self.repair = repair
        self._classes = None
        if splitter.family is not None:
            assert splitter.pattern is not None
            self._classes = unicode_tables.character_classes(patterns.engine_of(splitter.pattern))
        # Whether compiled code may open a str and make a list here; see kernels.objects.
        self._calls: Any = None
        self._objects = 0
        self._lists = lists
        if splitter.family is not None and lists.objects_work():
            from minbpe_course.kernels import calls

            self._calls = calls
            self._objects = lists.block(int(tables.ids[-1]) + 1)
        self._workers = [self._new_worker()]
        self.encode_list = self._list_encoder()

    @classmethod
    def from_model(cls, model: BytePairModel, repair: bool = False, *, proven: bool = False) -> BytePairEngine:
        """Prepare a model. Pairs merge exactly as its merges say, so this is minbpe's meaning of encoding.

        repair : replace lone surrogates as tiktoken does, in place of raising InvalidText. proven : every token of the
        model is known to be what merging its own bytes gives, which is tested otherwise.
        """
        return cls(VocabularyTables.from_model(model, proven=proven), Splitter(model.pattern), repair)

    @classmethod
    def from_ranks(cls, ranks: Mapping[bytes, int], pattern: str) -> BytePairEngine:
        """Prepare tiktoken's meaning of encoding: two neighbours merge when their joined bytes are a token, lowest id
        first.

        ``ranks`` maps bytes to ids and holds all 256 single bytes.
        """
        return cls(VocabularyTables.from_ranks(ranks), Splitter(pattern, keep_all=False), repair=True)

    def clear_caches(self) -> None:
        """Forget the words of earlier texts; only the speed of the next calls depends on them."""
        taken = []
        # Taken away first, one by one: another thread must not be lent what is being cleared.
        with contextlib.suppress(IndexError):
            while True:
                taken.append(self._workers.pop())
        for worker in taken:
            worker.clear()
        self._workers.extend(taken)

    def encode(self, text: str) -> np.ndarray:
        """Return the ids of ordinary text, uint32[n]. Raises NotText, InvalidText, InvalidPattern."""
        if self.splitter.family is None:
            return self._matched(text)
        worker = self._lend()
        try:
            size, kept = self._place(text, worker)
            out = np.empty(size + OUT_SLACK, dtype=packing.ID)
            used = worker.encode(out)
            del kept
        finally:
            self._workers.append(worker)
        out.resize(used, refcheck=False)
        return out

    def encode_many(self, texts: Iterable[str], num_threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts one behind the other, uint32, and int64[n + 1]: where each text's ids begin.

        num_threads : how many texts at a time, at most; as many as there are cores if None.
        """
        # Our own list: its texts live, and stay in place, while threads read them.
        listed = list(texts)
        if self._calls is None:
            parts = [self.encode(text) for text in listed]
            offsets = np.zeros(len(parts) + 1, dtype=np.int64)
            np.cumsum([part.size for part in parts], out=offsets[1:])
            return np.concatenate(parts) if parts else np.empty(0, dtype=packing.ID), offsets
        places = self._place_all(listed)
        return self._encode_places(places, num_threads or os.cpu_count() or 1)

    def encode_lists(self, texts: Iterable[str], num_threads: int | None = None) -> list[list[int]]:
        """Return the ids of many texts, a list each; num_threads as for ``encode_many``."""
        return self._lists.lists_from(*self.encode_many(texts, num_threads))

    def encode_run(self, run: Words) -> np.ndarray:
        """Return the ids of words that are already split, uint32[n]."""
        if not run.number:
            return np.empty(0, dtype=packing.ID)
        ends = np.ascontiguousarray(run.ends[: run.number]) - run.start
        out = np.empty(int(ends[-1]) + OUT_SLACK, dtype=packing.ID)
        begin = run.text.ctypes.data
        worker = self._lend()
        try:
            used = worker.encode_given(begin + run.start, ends, begin + 8 * run.words.size, out)
        finally:
            self._workers.append(worker)
        out.resize(used, refcheck=False)
        return out

    def _list_encoder(self) -> Callable[[str], list[int]]:
        """Make ``encode_list``: the ids of ordinary text as a list. It raises as ``encode`` does.

        For a short text the way to the kernel is most of the time, so everything on it is a local name.
        """
        encode, list_from = self.encode, self._lists.list_from
        if self._calls is None:
            return lambda text: list_from(encode(text))
        kernel, pop, push, new_worker = (
            self._calls.encode_list,
            self._workers.pop,
            self._workers.append,
            self._new_worker,
        )

        def encode_list(text: str) -> list[int]:
            if type(text) is str:
                try:
                    worker = pop()
                except IndexError:
                    worker = new_worker()
                made = kernel(id(text), worker.address)
                push(worker)
                if type(made) is list:
                    return made
            return list_from(encode(text))

        return encode_list

    def _lend(self) -> Worker:
        try:
            return self._workers.pop()
        except IndexError:
            return self._new_worker()

    def _new_worker(self) -> Worker:
        return Worker(self.tables, self.splitter.family, self._classes, self._objects)

    def _matched(self, text: str) -> np.ndarray:
        """Encode with a pattern that only ``regex`` can run."""
        try:
            parts = [self.encode_run(run) for run in self.splitter.runs(text)]
        except InvalidText:
            if not self.repair:
                raise
            parts = [self.encode_run(run) for run in self.splitter.runs(repaired(text))]
        return np.concatenate(parts) if parts else np.empty(0, dtype=packing.ID)

    def _place(self, text: str, worker: Worker) -> tuple[int, object]:
        """Tell the worker where the bytes of a text are; return how many, and what must be kept meanwhile."""
        if self._calls is not None and type(text) is str:
            size = self._calls.place_text(id(text), worker.address)
            if size >= 0:
                return size, text
        try:
            data = utf8(text)
        except InvalidText:
            if not self.repair:
                raise
            data = utf8(repaired(text))
        array = np.frombuffer(data, dtype=np.uint8)
        worker.place(array.ctypes.data, array.size)
        return array.size, array

    def _place_all(self, texts: list[str]) -> np.ndarray:
        """Where the bytes of each text are, int64[n, 2]. Texts that have no bytes of their own are replaced in the
        list."""
        pointers = np.fromiter(map(id, texts), dtype=np.int64, count=len(texts))
        places = np.empty((len(texts), 2), dtype=np.int64)
        done = 0
        while True:
            done = self._calls.place_texts(pointers.ctypes.data, done, len(texts), id(str), places.ctypes.data)
            if done == len(texts):
                return places
            text = texts[done]
            if isinstance(text, str) and type(text) is not str:
                text = str.__str__(text)
            try:
                utf8(text)
            except InvalidText as error:
                if not self.repair:
                    raise InvalidText(f"text {done} of the batch: {error}") from None
                text = repaired(text)
            except NotText as error:
                raise NotText(f"text {done} of the batch: {error}") from None
            texts[done] = text
            pointers[done] = id(text)

    def _encode_places(self, places: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray]:
        number = len(places)
        total = int(places[:, 1].sum())
        threads = max(1, min(threads, number, total // BYTES_A_THREAD))
        offsets = np.zeros(number + 1, dtype=np.int64)
        # Each thread writes where its texts would begin if every byte became an id; then the parts are moved together.
        ahead = np.concatenate([[0], np.cumsum(places[:, 1])])
        borders = np.searchsorted(ahead, [total * k // threads for k in range(threads + 1)])
        borders[0], borders[-1] = 0, number
        out = np.empty(total + OUT_SLACK * threads, dtype=packing.ID)

        def encode(thread: int) -> tuple[int, int]:
            begin, end = int(borders[thread]), int(borders[thread + 1])
            home = int(ahead[begin]) + OUT_SLACK * thread
            return home, self._encode_part(places, begin, end, out[home:], offsets)

        if threads == 1:
            _, used = encode(0)
        else:
            with ThreadPoolExecutor(threads) as pool:
                used = 0
                for thread, (home, size) in enumerate(pool.map(encode, range(threads))):
                    out[used : used + size] = out[home : home + size]
                    offsets[int(borders[thread]) + 1 : int(borders[thread + 1]) + 1] += used
                    used += size
        out.resize(used, refcheck=False)
        return out, offsets

    def _encode_part(self, places: np.ndarray, begin: int, end: int, out: np.ndarray, offsets: np.ndarray) -> int:
        """Encode the texts ``begin`` to ``end`` one behind the other; return how many ids they have."""
        from minbpe_course.kernels import layout

        worker = self._lend()
        try:
            block = worker.block
            first = block[layout.OUT] = out.ctypes.data
            again = 0
            while True:
                begin = self._calls.encode_many(
                    worker.address, places.ctypes.data, begin, end, offsets.ctypes.data, first, again
                )
                if begin == end:
                    return (block[layout.OUT] - first) >> 2
                worker.mend(block[layout.REASON])
                again = 1
        finally:
            self._workers.append(worker)
