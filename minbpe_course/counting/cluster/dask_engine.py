"""Work on a Dask cluster, on this machine or on many. The only file that imports Dask.

The cluster only has a few tasks per thread at a time, so that its memory and that of the scheduler are bounded for a
corpus of any length. A task whose worker dies is repeated, by Dask or from here; so is everything that the scheduler
loses. ``ClusterProblem`` ends work that cannot continue; the results stored until then are kept.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from queue import Empty, Queue
from typing import Any

from minbpe_course.errors import ClusterProblem, InvalidOption
from minbpe_course.extras import needed
from minbpe_course.resources.memory import keep_buffers
from minbpe_course.start_python import safe_spawning

# Seconds in which a scheduler has to answer.
_ANSWERS = 10
# Tasks that the cluster has per thread: one in progress, and more that can start at once.
WINDOW = 3
# How often a part is submitted again whose workers died; each time several of them died, see
# distributed.scheduler.allowed-failures.
TRIES = 2
# Seconds without a worker, or without the scheduler, before the work is given up.
PATIENCE = 60.0
# Seconds between two looks at the state of the cluster.
_LOOK = 1.0

_SAFE = "What is finished is kept if a checkpoint or folder was named, and the same call continues there."


# ---- Clusters and clients


def _dask() -> Any:
    without = "To work in threads of this machine instead, leave out engine= or --dask."
    with needed("work on a cluster", "distributed", extra="cluster", otherwise=without):
        import distributed
    return distributed


@contextlib.contextmanager
def cluster(spec: str, *, workers: int | None = None) -> Iterator[Any]:
    """Yield a Dask client for what a command line names, and close everything that was started for it.

    spec : "local" starts a worker process for each core (or ``workers`` of them), which only accept connections from
    this machine; ``tcp://host:8786`` is a running scheduler, which is not stopped afterwards.

    A program that calls this with "local" must be protected by ``if __name__ == "__main__":``, since each worker
    imports it. Raises MissingPackage, InvalidOption, ClusterProblem.
    """
    if spec != "local" and not spec.startswith(("tcp://", "tls://")):
        raise InvalidOption(
            f"{spec!r} is not a cluster: give local for the cores of this machine, or the address of a Dask scheduler, "
            "such as tcp://127.0.0.1:8786."
        )
    distributed = _dask()
    with contextlib.ExitStack() as opened:
        try:
            where: Any = spec
            if spec == "local":
                opened.enter_context(safe_spawning())
                where = opened.enter_context(_local_cluster(distributed, workers))
            client = opened.enter_context(distributed.Client(where, timeout=_ANSWERS, set_as_default=False))
        except (OSError, TimeoutError, RuntimeError, ValueError) as problem:
            if spec == "local":
                raise ClusterProblem(
                    f"no workers could be started on this machine: {problem}\n"
                    'A program that starts them must be protected by: if __name__ == "__main__":'
                ) from problem
            raise ClusterProblem(
                f"no Dask scheduler answers at {spec}: {problem}\n"
                "Start one with: dask scheduler --host 127.0.0.1, and workers with: dask worker ADDRESS"
            ) from problem
        yield client


def _local_cluster(distributed: Any, workers: int | None) -> Any:
    from minbpe_course.resources.threads import cores

    return distributed.LocalCluster(
        n_workers=workers or cores(),
        threads_per_worker=1,
        processes=True,
        preload=[__name__],
        host="127.0.0.1",
        # Without this, all clusters would want the same port for their server.
        dashboard_address="127.0.0.1:0",
        # A worker that dies is not worth a message: its tasks are repeated. Exceptions report the rest.
        silence_logs=logging.CRITICAL,
    )


@contextlib.contextmanager
def client_of(engine: Any) -> Iterator[Any]:
    """Yield the client of ``engine``: a Dask client as it is, or one made for a cluster and closed afterwards.

    Raises InvalidOption, MissingPackage, ClusterProblem.
    """
    distributed = _dask()
    if isinstance(engine, distributed.Client):
        if engine.asynchronous:
            raise InvalidOption("engine must be a synchronous Dask client, but this one is asynchronous.")
        yield engine
    elif isinstance(engine, distributed.deploy.Cluster):
        try:
            client = distributed.Client(engine, set_as_default=False)
        except (OSError, TimeoutError, RuntimeError, ValueError) as problem:
            raise ClusterProblem(f"the cluster does not answer: {problem}") from problem
        with client:
            yield client
    else:
        raise InvalidOption(
            f"engine must be a Dask client or cluster, got {type(engine).__name__}. For this machine:\n"
            "from distributed import Client, LocalCluster\n"
            "engine = Client(LocalCluster(threads_per_worker=1))"
        )


def run_parts(
    engine: Any, function: Callable[..., Any], parts: Sequence[Any], *given: Any, name: str, patience: float = PATIENCE
) -> Generator[tuple[int, Any], None, None]:
    """Yield ``number, function(parts[number], *given)`` for each part, in the order in which they finish.

    function : from a module that the workers can import; its results come here, so they should be small. given : the
    same for all parts, sent to each worker once. name : of the tasks on Dask's dashboard. patience : seconds without a
    worker before giving up.

    Raises what the function raises, and ClusterProblem, InvalidOption, MissingPackage.
    """
    with client_of(engine) as client, Tasks(client, patience) as tasks:
        todo = deque(range(len(parts)))
        shared = None
        while todo or tasks:
            while todo and tasks.room():
                if shared is None or shared.status in ("cancelled", "lost", "error"):
                    shared = tasks.submit(f"given-to-{name}", _given, given)
                number = todo.popleft()
                tasks.ask(number, tasks.submit(name, _applied, function, parts[number], shared))
            try:
                yield tasks.next()
            except Lost as lost:
                tasks.count_try(lost)
                todo.appendleft(lost.number)


def _given(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return given


def _applied(function: Callable[..., Any], part: Any, given: tuple[Any, ...]) -> Any:
    keep_buffers()
    return function(part, *given)


# ---- Tasks


class Lost(Exception):
    """A part has to be submitted again, since workers died or the scheduler lost its task."""

    def __init__(self, number: int, why: BaseException | str) -> None:
        super().__init__(number, why)
        self.number = number
        self.why = why


class Tasks:
    """The tasks that the cluster has, each with the number of its part."""

    def __init__(self, client: Any, patience: float) -> None:
        self._distributed = _dask()
        self._client = client
        self._patience = patience
        self._token = secrets.token_hex(4)
        self._submitted = 0
        self._futures: dict[str, tuple[int, Any]] = {}
        self._done: Queue[str] = Queue()
        self._tries: Counter[int] = Counter()
        self._seen = time.monotonic()
        self._looked = -_LOOK
        self._threads = 1

    def __enter__(self) -> Tasks:
        self._look()
        self._same_program()
        return self

    def __exit__(self, *problem: object) -> None:
        futures = [future for _, future in self._futures.values()]
        self._futures = {}
        # Only after an error or Ctrl-C are there futures left; a client that is closed has nothing to cancel.
        with contextlib.suppress(Exception):
            if futures:
                self._client.cancel(futures, force=True)

    def __len__(self) -> int:
        return len(self._futures)

    def room(self) -> bool:
        """Return whether the cluster has fewer than WINDOW tasks per thread."""
        return len(self._futures) < WINDOW * self._threads

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Submit a task whose result stays on its worker."""
        self._submitted += 1
        with _explained():
            return self._client.submit(function, *arguments, key=f"{name}-{self._token}-{self._submitted}", pure=False)

    def ask(self, number: int, future: Any) -> None:
        """Have ``next`` return the result of a task."""
        self._futures[future.key] = number, future
        future.add_done_callback(lambda done: self._done.put(done.key))

    def next(self) -> tuple[int, Any]:
        """Wait until a task is finished; return the number of its part, and its result.

        Raises Lost, and what the task raised.
        """
        while True:
            if time.monotonic() - self._looked > _LOOK:
                self._look()
            with contextlib.suppress(Empty):
                key = self._done.get(timeout=_LOOK)
                if key in self._futures:
                    number, future = self._futures.pop(key)
                    return number, self._result(number, future)

    def _result(self, number: int, future: Any) -> Any:
        timeout = 30.0
        while True:
            try:
                return future.result(timeout=timeout)
            except (self._distributed.scheduler.KilledWorker, CancelledError) as problem:
                raise Lost(number, problem) from None
            except (self._distributed.comm.CommClosedError, TimeoutError) as problem:
                if future.status == "error":
                    raise
                if isinstance(problem, self._distributed.comm.CommClosedError) or future.cancelled():
                    raise Lost(number, problem) from None
                # The cluster is sending the result or computing it again.
                self._look()
                timeout *= 2

    def count_try(self, lost: Lost) -> None:
        """Count that a part was lost. Raises ClusterProblem after too many tries."""
        self._look()
        self._tries[lost.number] += 1
        if self._tries[lost.number] > TRIES:
            raise ClusterProblem(
                f"part {lost.number} was submitted {TRIES + 1} times, and each time its workers died: {lost.why}\n"
                "The logs of the workers say why; usually they had too little memory. " + _SAFE
            )

    def _look(self) -> None:
        """Check that there is a scheduler, and count its threads. Raises ClusterProblem."""
        began = time.monotonic()
        while True:
            self._looked = time.monotonic()
            why = f"it is {self._client.status}"
            if self._client.status == "running":
                with _explained():
                    threads = sum(self._client.nthreads().values())
                self._revive()
                if threads:
                    self._threads, self._seen = threads, self._looked
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
        """Restart workers that a cluster of this process has given up.

        It gives up one that dies twice within distributed.deploy.lost-worker-timeout, and never tries again.
        """
        cluster: Any = getattr(self._client, "cluster", None)
        wanted, there = (getattr(cluster, name, ()) for name in ("worker_spec", "workers"))
        if len(there) < len(wanted):
            with contextlib.suppress(Exception):
                cluster.scale(len(wanted))

    def _same_program(self) -> None:
        """Check that the workers have this version of the package: another one might count differently."""
        package = __name__.partition(".")[0]
        with _explained():
            found = self._client.get_versions(packages=[package])
        ours = found["client"]["packages"].get(package)
        for address, worker in found["workers"].items():
            theirs = worker["packages"].get(package) if isinstance(worker, dict) else ours
            if theirs != ours:
                has = "does not have minbpe_course" if theirs is None else f"has minbpe_course {theirs}"
                raise ClusterProblem(
                    f"the worker {address} {has}, but here it is {ours}.\n"
                    f'Install the same on each machine: pip install "minbpe-course=={ours}"'
                )


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Turn an error of the connection into ClusterProblem."""
    try:
        yield
    except (OSError, TimeoutError, CancelledError) as problem:
        raise ClusterProblem(f"the scheduler of the cluster does not answer: {problem}. {_SAFE}") from problem


def dask_setup(worker: Any) -> None:
    """Ignore Ctrl-C in a worker of a local cluster, since the process that started it will end it.

    Dask calls this function by its name, before the first task.
    """
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
