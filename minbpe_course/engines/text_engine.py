"""From a str to ids in one call: the address of the text, the worker that encodes it, the threads of a batch.

    str    --place-->   address    --worker-->              ids             one text, as an array or as a list
    texts  --places-->  addresses  --workers, threads-->    ids, offsets    ids[offsets[k]:offsets[k + 1]] is text k

``BytePairEngine`` and the engines of SentencePiece models are built on this and say which worker encodes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import numpy as np

from minbpe_course.engines.stretches import Stretches, borders_of
from minbpe_course.engines.workers import OUT_SLACK, TextWorker
from minbpe_course.errors import InvalidText, NotText
from minbpe_course.kernels.common.memory import ID
from minbpe_course.kernels.lazy import calls, lists
from minbpe_course.resources.threads import in_order
from minbpe_course.resources.worker_memory import WORKER_MEMORY
from minbpe_course.splitting.splitter import repaired, utf8

# A batch with fewer bytes than this is not worth a second thread.
BYTES_A_THREAD = 1 << 17
# Threads take about so many bytes of a batch at a time. The ids of a stretch are still in the processor's cache when
# they are copied to their place, and threads that are interrupted leave the stretches that follow to the others.
STRETCH = 1 << 17

Worker = TypeVar("Worker", bound=TextWorker)


class TextEngine(Generic[Worker]):
    """Encodes ordinary text. Threads may share an engine: each call borrows a separate worker.

    vocab_size : one more than the largest id · repair : replace lone surrogates as tiktoken does instead of raising
    InvalidText · direct : whether the workers split text themselves, so that one call may go from a str to a list.
    """

    def __init__(self, vocab_size: int, repair: bool, direct: bool) -> None:
        self.repair = repair
        # Whether compiled code may read a str and make a list here; see kernels.objects.
        self._direct = direct and lists.objects_work()
        self._objects = lists.block(vocab_size) if self._direct else 0
        self._encode_short: Callable[..., int] | None = calls.encode_short if self._direct else None
        self._place_text: Callable[..., int] | None = calls.place_text if self._direct else None
        self._begin_workers()

    def clear_caches(self) -> None:
        """Forget the words of earlier texts; only the speed of the next calls depends on them."""
        self._workers.clear()
        self._workers.append(self._new_worker())

    def encode(self, text: Any) -> np.ndarray:
        """Return the ids of ordinary text, uint32[n]. Raises NotText, InvalidText."""
        worker = self._borrow_worker()
        if self._encode_short is not None and type(text) is str:
            number = self._encode_short(id(text), worker.address)
            if number >= 0:
                # Copy before another thread may borrow the worker.
                short: np.ndarray = worker.short_out[:number].copy()
                self._workers.append(worker)
                return short
        try:
            size, kept = self._place(text, worker)
            out = worker.encode(np.empty(size + OUT_SLACK, dtype=ID))
            del kept
        finally:
            self._workers.append(worker)
        return out

    def count(self, text: Any) -> int:
        """Return how many ids ``encode`` gives, without an array of them."""
        worker = self._borrow_worker()
        try:
            if self._encode_short is not None and type(text) is str:
                number = self._encode_short(id(text), worker.address)
                if number >= 0:
                    return number
            size, kept = self._place(text, worker)
            number = worker.count(size)
            del kept
            return number
        finally:
            self._workers.append(worker)

    def count_many(self, texts: Iterable[Any], num_threads: int) -> np.ndarray:
        """Return how many ids ``encode`` gives for each text, int64[n]."""
        listed = list(texts)
        if not self._direct:
            return np.fromiter(map(self.count, listed), np.int64, len(listed))
        places = self._place_all(listed)
        counts, offsets = np.zeros(len(places), np.int64), np.zeros(len(places) + 1, np.int64)
        borders, sizes = borders_of(places, max(1, int(places[:, 1].sum()) // STRETCH))

        def count(stretch: tuple[int, int, int]) -> None:
            begin, end, size = stretch
            worker = self._borrow_worker()
            try:
                if end - begin == 1:
                    worker.place(*places[begin].tolist())
                    counts[begin] = worker.count(size)
                else:
                    worker.encode_places(places, begin, end, offsets, worker.room(size + OUT_SLACK))
                    counts[begin:end] = np.diff(offsets[begin + 1 : end + 1], prepend=0)
            finally:
                self._workers.append(worker)

        stretches = zip(borders.tolist(), borders[1:].tolist(), sizes.tolist())
        for _ in in_order(count, stretches, max(1, min(num_threads, sizes.size))):
            pass
        return counts

    def encode_many(self, texts: Iterable[Any], num_threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of many texts, uint32, one text after the other, and where those of each begin, int64[n + 1].

        num_threads : at most so many texts at a time; None for as many as there are cores.
        """
        # A list of our own keeps the texts alive, and in place, while threads read them.
        listed = list(texts)
        if not self._direct:
            return join_ids([self.encode(text) for text in listed])
        places = self._place_all(listed)
        return self.encode_places(places, num_threads or os.cpu_count() or 1)

    def encode_lists(self, texts: Iterable[Any], num_threads: int | None = None) -> list[list[int]]:
        """Return the ids of many texts, one list for each; num_threads as for ``encode_many``."""
        made: list[list[int]] = lists.lists_from(*self.encode_many(texts, num_threads))
        return made

    # ---- For the engines built on this

    def _new_worker(self) -> Worker:
        raise NotImplementedError

    def _begin_workers(self) -> None:
        self._workers = [self._new_worker()]
        WORKER_MEMORY.lend(self, self._workers)
        self.encode_list = self._list_encoder()

    def _borrow_worker(self) -> Worker:
        try:
            return self._workers.pop()
        except IndexError:
            return self._new_worker()

    def _bytes_of(self, text: Any) -> bytes:
        """Return the UTF-8 of a text that is not a plain str or that has no UTF-8 form as it is."""
        try:
            return utf8(text)
        except InvalidText:
            if not self.repair:
                raise
            return utf8(repaired(text))

    # ---- Private

    def _list_encoder(self) -> Callable[[Any], list[int]]:
        """Make ``encode_list``: return the ids of ordinary text as a list. It raises as ``encode`` does.

        For a short text, reaching the kernel takes most of the time, so every name on the way is local.
        """
        encode, list_from = self.encode, lists.list_from
        if not self._direct:
            return lambda text: list_from(encode(text))
        kernel, pop, push, new_worker = calls.encode_list, self._workers.pop, self._workers.append, self._new_worker

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
        """Tell the worker where the bytes of a text are; return how many, and the object that must stay alive."""
        if self._place_text is not None and type(text) is str:
            size = self._place_text(id(text), worker.address)
            if size >= 0:
                return size, text
        array = np.frombuffer(self._bytes_of(text), dtype=np.uint8)
        worker.place(array.ctypes.data, array.size)
        return array.size, array

    def _place_all(self, texts: list[Any]) -> np.ndarray:
        """Return the address and the size of each text's bytes, int64[n, 2].

        A text whose bytes cannot be read where they are is replaced in the list.
        """
        places = np.empty((len(texts), 2), dtype=np.int64)
        done = 0
        while True:
            done = calls.place_texts(id(texts), done, id(str), places.ctypes.data, self._objects)
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

    def encode_places(self, places: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray]:
        """Encode many texts, given as the addresses and the sizes of their UTF-8, int64[n, 2]."""
        number = len(places)
        total = int(places[:, 1].sum())
        threads = max(1, min(threads, number, total // BYTES_A_THREAD))
        stretches = min(number, -(-total // STRETCH))
        if stretches <= 1:
            offsets = np.zeros(number + 1, dtype=np.int64)
            worker = self._borrow_worker()
            try:
                # A copy, since the next call writes to the same memory.
                ids = worker.encode_places(places, 0, number, offsets, worker.room(total + OUT_SLACK)).copy()
            finally:
                self._workers.append(worker)
            return ids, offsets
        work = Stretches(places, stretches)

        def encode() -> None:
            # A thread keeps its worker, so that the worker's caches stay with one core.
            worker = self._borrow_worker()
            try:
                work.encode(worker)
            finally:
                self._workers.append(worker)

        if threads == 1:
            encode()
        else:
            # This thread works too: it already has a core and its memory.
            with ThreadPoolExecutor(threads - 1) as pool:
                started = [pool.submit(encode) for _ in range(threads - 1)]
                encode()
                for each in started:
                    each.result()
        return work.finish()


def join_ids(parts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return all parts in one uint32 array, and where each begins and the last one ends, int64[n + 1]."""
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([part.size for part in parts], out=offsets[1:])
    return np.concatenate(parts) if parts else np.empty(0, dtype=ID), offsets
