"""What is in the hands of a cluster: giving out, waiting, fetching, and giving out again what was lost.

It knows Dask only by the client that it is given; ``dask_engine`` opens the door.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from queue import Empty, Queue
from typing import Any

from minbpe_course.errors import ClusterProblem

# Parts in the hands of the cluster for each of its threads: one is worked on, the next is there already.
WINDOW = 3
# So often a part is given out again whose workers died, each time several of them: see distributed.scheduler
# .allowed-failures.
TRIES = 2
# Seconds without any worker, or without the scheduler, until we give up.
PATIENCE = 60.0
_LOOK = 1.0

_SAFE = "What is finished is kept where a checkpoint or folder was named, and the same call continues there."


class Lost(Exception):
    """What was asked for has to be asked for again, since workers died or the scheduler forgot it."""

    def __init__(self, item: Any, why: BaseException | str) -> None:
        super().__init__(item, why)
        self.item = item
        self.why = why


class Tasks:
    """What is in the hands of the cluster. ``item`` stands for whatever the caller wants to know a task by."""

    def __init__(self, distributed: Any, client: Any, patience: float) -> None:
        self._distributed = distributed
        self._client = client
        self._patience = patience
        self._token = secrets.token_hex(4)
        self._number = 0
        self._futures: dict[str, tuple[Any, Any]] = {}
        self._done: Queue[str] = Queue()
        self._tries: Counter[Any] = Counter()
        self._seen = time.monotonic()
        self._looked = -_LOOK
        self.threads = 1
        # The item of which the function itself raised.
        self.failed: Any = None

    def __enter__(self) -> Tasks:
        self._look()
        self._same_program()
        return self

    def __exit__(self, *problem: object) -> None:
        futures = [future for future, _ in self._futures.values()]
        self._futures = {}
        # After an error, or Ctrl-C, nobody wants them any more; a client that is gone has nothing to cancel.
        with contextlib.suppress(Exception):
            if futures:
                self._client.cancel(futures, force=True)

    def __len__(self) -> int:
        return len(self._futures)

    def room(self, window: int = WINDOW) -> bool:
        """Whether the cluster can take more, when ``window`` for each of its threads are enough."""
        return len(self._futures) < window * self.threads

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any, priority: int = 0) -> Any:
        """Have something done; its result stays where it is."""
        self._number += 1
        with self.told():
            return self._client.submit(
                function, *arguments, key=f"{name}-{self._token}-{self._number}", pure=False, priority=priority
            )

    def ask(self, name: str, item: Any, function: Callable[..., Any], *arguments: Any, priority: int = 0) -> None:
        """Have something done that ``next`` will tell of."""
        future = self.submit(name, function, *arguments, priority=priority)
        self._futures[future.key] = future, item
        future.add_done_callback(lambda done: self._done.put(done.key))

    def next(self) -> tuple[Any, Any]:
        """Wait until something is done; return its item and its future. Raises Lost, and what a task raised."""
        while True:
            if time.monotonic() - self._looked > _LOOK:
                self._look()
            try:
                key = self._done.get(timeout=_LOOK)
            except Empty:
                continue
            if key in self._futures:
                future, item = self._futures.pop(key)
                if future.status != "finished":
                    self.result(item, future)
                return item, future

    def result(self, item: Any, future: Any) -> Any:
        """Fetch what came out. Raises Lost, and what the task raised."""
        timeout = 30.0
        while True:
            try:
                return future.result(timeout=timeout)
            except (self._distributed.scheduler.KilledWorker, CancelledError) as problem:
                raise Lost(item, problem) from None
            except (self._distributed.comm.CommClosedError, TimeoutError) as problem:
                if future.status == "error":
                    self.failed = item
                    raise
                if isinstance(problem, self._distributed.comm.CommClosedError) or future.cancelled():
                    raise Lost(item, problem) from None
                # It is on its way, or being made again.
                self._look()
                timeout *= 2
            except Exception:
                self.failed = item
                raise

    def again(self, lost: Lost, numbers: Sequence[int]) -> Sequence[int]:
        """Return the numbers of parts that are to be given out once more. Raises ClusterProblem when that was often."""
        self._look()
        for number in numbers:
            self._tries[number] += 1
            if self._tries[number] > TRIES:
                raise ClusterProblem(
                    f"part {number} was given out {TRIES + 1} times, and each time its workers died: {lost.why}\n"
                    "The logs of the workers say why; mostly their memory was too small. " + _SAFE
                )
        return numbers

    def tried(self, number: int) -> bool:
        """Whether a part was lost before."""
        return number in self._tries

    def _look(self) -> None:
        """See that there is a scheduler, and how many threads work for it. Raises ClusterProblem."""
        began = time.monotonic()
        while True:
            self._looked = time.monotonic()
            why = f"it is {self._client.status}"
            if self._client.status == "running":
                with self.told():
                    threads = sum(self._client.nthreads().values())
                self._revive()
                if threads:
                    self.threads, self._seen = threads, self._looked
                elif self._looked - self._seen > self._patience:
                    raise ClusterProblem(
                        f"the cluster had no worker for {self._patience:.0f} seconds. Start some: dask worker "
                        f"{self._client.scheduler.address}\n{_SAFE}"
                    )
                return
            if self._client.status == "closed" or self._looked - began > self._patience:
                raise ClusterProblem(f"the connection to the scheduler of the cluster is lost: {why}. {_SAFE}")
            time.sleep(_LOOK / 4)

    def _revive(self) -> None:
        """Start those workers again that a cluster of this process has given up.

        It does so with one that dies twice within distributed.deploy.lost-worker-timeout, and never looks again.
        """
        cluster: Any = getattr(self._client, "cluster", None)
        wanted, there = (getattr(cluster, name, ()) for name in ("worker_spec", "workers"))
        if len(there) < len(wanted):
            with contextlib.suppress(Exception):
                cluster.scale(len(wanted))

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Say of an error of the connection what it means."""
        try:
            yield
        except (OSError, TimeoutError, CancelledError) as problem:
            raise ClusterProblem(f"the scheduler of the cluster does not answer: {problem}. {_SAFE}") from problem

    def _same_program(self) -> None:
        """See that the workers have this package, and in this version: others might count in another way."""
        package = __name__.partition(".")[0]
        with self.told():
            found = self._client.get_versions(packages=[package])
        ours = found["client"]["packages"].get(package)
        for address, worker in found["workers"].items():
            theirs = worker["packages"].get(package) if isinstance(worker, dict) else ours
            if theirs != ours:
                has = "has no minbpe_course" if theirs is None else f"has minbpe_course {theirs}"
                raise ClusterProblem(
                    f"the worker {address} {has}, and here it is {ours}.\n"
                    f'Install the same on each machine: pip install "minbpe-course=={ours}"'
                )
