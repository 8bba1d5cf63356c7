"""From a str to ids in one call: where the text lies, who encodes it, and how many threads do.

    str --place--> address --worker--> ids            one text, as an array or as a list
    many --places--> addresses --workers, threads--> ids and where each text's begin

What a worker does with the bytes is told by the engines built on this: ``engine.BytePairEngine`` and
``sentencepiece_engine.PieceEngine``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from minbpe_course.engines.text_worker import OUT_SLACK, TextWorker
from minbpe_course.errors import InvalidText, NotText
from minbpe_course.kernels.common import memory as packing
from minbpe_course.kernels.lazy import calls, lists
from minbpe_course.splitting.words import repaired, utf8

# Below this many bytes a batch is not worth a second thread.
BYTES_A_THREAD = 1 << 17


class TextEngine:
    """Encodes ordinary text; threads may share one, since each call works with a worker of its own.

    vocab_size : one more than the largest id · repair : replace lone surrogates as tiktoken does, in place of raising
    InvalidText · direct : whether the workers find the words of a text themselves, so that a call may go straight from
    a str to a list.
    """

    def __init__(self, vocab_size: int, repair: bool, direct: bool) -> None:
        self.repair = repair
        # Whether compiled code may open a str and make a list here; see kernels.objects.
        self._calls: Any = None
        self._objects = 0
        self._lists = lists
        if direct and lists.objects_work():
            self._calls = calls
            self._objects = lists.block(vocab_size)
        self._workers = [self._new_worker()]
        self.encode_list = self._list_encoder()

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

    def encode(self, text: Any) -> np.ndarray:
        """Return the ids of ordinary text, uint32[n]. Raises NotText, InvalidText."""
        worker = self._lend()
        if self._calls is not None and type(text) is str:
            number = self._calls.encode_short(id(text), worker.address)
            if number >= 0:
                # Copied before another thread may be lent the worker.
                short: np.ndarray = worker.short_out[:number].copy()
                self._workers.append(worker)
                return short
        try:
            size, kept = self._place(text, worker)
            out = worker.encode(np.empty(size + OUT_SLACK, dtype=packing.ID))
            del kept
        finally:
            self._workers.append(worker)
        return out

    def encode_many(self, texts: Iterable[Any], num_threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
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

    def encode_lists(self, texts: Iterable[Any], num_threads: int | None = None) -> list[list[int]]:
        """Return the ids of many texts, a list each; num_threads as for ``encode_many``."""
        return self._lists.lists_from(*self.encode_many(texts, num_threads))

    # ---- For the engines built on this

    def _new_worker(self) -> TextWorker:
        raise NotImplementedError

    def _lend(self) -> TextWorker:
        try:
            return self._workers.pop()
        except IndexError:
            return self._new_worker()

    def _bytes_of(self, text: Any) -> bytes:
        """The UTF-8 of something that is no plain str, or has no UTF-8 form as it is."""
        try:
            return utf8(text)
        except InvalidText:
            if not self.repair:
                raise
            return utf8(repaired(text))

    # ---- Private

    def _list_encoder(self) -> Callable[[Any], list[int]]:
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

        def encode_list(text: Any) -> list[int]:
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

    def _place(self, text: Any, worker: TextWorker) -> tuple[int, object]:
        """Tell the worker where the bytes of a text are; return how many, and what must be kept meanwhile."""
        if self._calls is not None and type(text) is str:
            size = self._calls.place_text(id(text), worker.address)
            if size >= 0:
                return size, text
        array = np.frombuffer(self._bytes_of(text), dtype=np.uint8)
        worker.place(array.ctypes.data, array.size)
        return array.size, array

    def _place_all(self, texts: list[Any]) -> np.ndarray:
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
                text = self._bytes_of(text).decode("utf-8")
            except InvalidText as error:
                raise InvalidText(f"text {done} of the batch: {error}") from None
            except NotText as error:
                raise NotText(f"text {done} of the batch: {error}") from None
            texts[done] = text
            pointers[done] = id(text)

    def _encode_places(self, places: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray]:
        number = len(places)
        total = int(places[:, 1].sum())
        threads = max(1, min(threads, number, total // BYTES_A_THREAD))
        offsets = np.zeros(number + 1, dtype=np.int64)
        ahead = np.concatenate([[0], np.cumsum(places[:, 1])])
        borders = np.searchsorted(ahead, [total * k // threads for k in range(threads + 1)])
        borders[0], borders[-1] = 0, number

        def encode(thread: int) -> np.ndarray:
            return self._encode_part(places, int(borders[thread]), int(borders[thread + 1]), offsets)

        if threads == 1:
            return encode(0), offsets
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(encode, range(threads)))
        used = 0
        for thread, part in enumerate(parts):
            offsets[int(borders[thread]) + 1 : int(borders[thread + 1]) + 1] += used
            used += part.size
        return np.concatenate(parts), offsets

    def _encode_part(self, places: np.ndarray, begin: int, end: int, offsets: np.ndarray) -> np.ndarray:
        """Encode the texts ``begin`` to ``end`` one behind the other; return their ids."""
        worker = self._lend()
        try:
            out = np.empty(int(places[begin:end, 1].sum()) + OUT_SLACK, dtype=packing.ID)
            return worker.encode_places(self._calls.encode_many, places, begin, end, offsets, out)
        finally:
            self._workers.append(worker)
