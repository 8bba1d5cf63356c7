"""Work on a Dask cluster: of this machine or of many, brought by the caller. The only file that imports Dask.

    cluster       what a command line names: "local", or the address of a scheduler
    run_parts     a function for each part of a corpus, results as they come
    count_parts   the counts of each part, merged among the workers, stored run by run

Only a few parts for each thread of the cluster are in its hands at a time, so that its memory and that of the scheduler
are bounded however long the corpus is. A part whose worker dies is done again, by Dask or from here; so is everything
when the scheduler forgets it. What cannot go on ends with ``ClusterProblem``, and what is stored then stays stored.
"""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minbpe_course.counting.cluster import worker_setup
from minbpe_course.counting.cluster.count_parts import Counting, PartsCounted
from minbpe_course.counting.cluster.tasks import PATIENCE, Lost, Tasks
from minbpe_course.errors import ClusterProblem, InvalidOption, MissingPackage, WrongOptionType
from minbpe_course.resources.memory import keep_buffers

if TYPE_CHECKING:
    from minbpe_course.corpus.parts import Part
    from minbpe_course.counting.run_store import RunStore
    from minbpe_course.counting.spill_to_disk import CountingPlan


# Seconds in which a scheduler has to answer.
_ANSWERS = 10


def _dask() -> Any:
    try:
        import distributed
    except ImportError as problem:
        raise MissingPackage(
            'work on a cluster needs Dask, which is not installed: pip install "minbpe-course[cluster]"\n'
            "Without it everything works on this machine, in threads: leave engine= or --dask away."
        ) from problem
    return distributed


@contextlib.contextmanager
def cluster(spec: str, *, workers: int | None = None) -> Iterator[Any]:
    """Give a Dask client for what a command line names, and close everything that was started for it.

    spec : "local" starts a worker process for each core (or ``workers``) of this machine, which listen to this machine
    only; ``tcp://host:8786`` is a scheduler that runs already, which stays as it is.

    A program of yours that calls this with "local" has to begin with ``if __name__ == "__main__":``, since each worker
    imports it. Raises MissingPackage, InvalidOption, ClusterProblem.
    """
    if spec != "local" and not spec.startswith(("tcp://", "tls://")):
        raise InvalidOption(
            f"{spec!r} is no cluster: say local for the cores of this machine, or the address of a Dask scheduler, "
            "such as tcp://127.0.0.1:8786."
        )
    distributed = _dask()
    with contextlib.ExitStack() as opened:
        try:
            where: Any = spec
            if spec == "local":
                where = opened.enter_context(_local_cluster(distributed, workers))
            client = opened.enter_context(distributed.Client(where, timeout=_ANSWERS, set_as_default=False))
        except (OSError, TimeoutError, RuntimeError, ValueError) as problem:
            if spec == "local":
                raise ClusterProblem(
                    f"no workers could be started on this machine: {problem}\n"
                    'A program that starts them has to begin with: if __name__ == "__main__":'
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
        preload=[worker_setup.__name__],
        host="127.0.0.1",
        # Without bokeh there are no pictures, but there is a server, and unless told all clusters want one port.
        dashboard_address="127.0.0.1:0",
        # A worker that dies is no news: what it did is done again. What ends the work is said by an exception.
        silence_logs=logging.CRITICAL,
    )


@contextlib.contextmanager
def client_of(engine: Any) -> Iterator[Any]:
    """Give the client of ``engine``: a Dask client as it is, or one made for a cluster and closed afterwards.

    Raises WrongOptionType, MissingPackage, ClusterProblem.
    """
    distributed = _dask()
    if isinstance(engine, distributed.Client):
        if engine.asynchronous:
            raise WrongOptionType("engine must be an ordinary Dask client, and this one is asynchronous.")
        yield engine
    elif isinstance(engine, distributed.deploy.Cluster):
        try:
            client = distributed.Client(engine, set_as_default=False)
        except (OSError, TimeoutError, RuntimeError, ValueError) as problem:
            raise ClusterProblem(f"the cluster does not answer: {problem}") from problem
        with client:
            yield client
    else:
        raise WrongOptionType(
            f"engine must be a Dask client or cluster, got {type(engine).__name__}. For this machine:\n"
            "from distributed import Client, LocalCluster\n"
            "engine = Client(LocalCluster(threads_per_worker=1))"
        )


def run_parts(
    engine: Any,
    function: Callable[..., Any],
    parts: Sequence[Any],
    *given: Any,
    name: str,
    patience: float = PATIENCE,
) -> Generator[tuple[int, Any], None, None]:
    """Yield ``number, function(parts[number], *given)`` for each part, in the order in which they are done.

    function : of a module that the workers can import; its results come here, so they should be small. given : what is
    the same for all parts and goes to each worker once, however large. name : what the tasks are called on Dask's
    dashboard. patience : seconds without a worker until this gives up.

    What the function raises is raised. Raises ClusterProblem, WrongOptionType, MissingPackage as well.
    """
    with client_of(engine) as client, Tasks(_dask(), client, patience) as tasks:
        todo = deque(range(len(parts)))
        shared = None
        while todo or tasks:
            while todo and tasks.room():
                if shared is None or shared.status in ("cancelled", "lost", "error"):
                    shared = tasks.submit(f"given-to-{name}", _given, given)
                number = todo.popleft()
                tasks.ask(name, number, _applied, function, parts[number], shared)
            try:
                number, future = tasks.next()
                result = tasks.result(number, future)
            except Lost as lost:
                todo.extendleft(reversed(tasks.again(lost, [lost.item])))
                continue
            yield number, result


def _given(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return given


def _applied(function: Callable[..., Any], part: Any, given: tuple[Any, ...]) -> Any:
    keep_buffers()
    return function(part, *given)


def count_parts(
    engine: Any,
    parts: Sequence[Part],
    plan: CountingPlan,
    store: RunStore,
    progress: Callable[[PartsCounted], None] | None = None,
    *,
    patience: float = PATIENCE,
) -> None:
    """Count the words of all parts that ``store`` does not have yet, and store their runs.

    Each worker counts parts as ``run_of_parts`` of ``spilling`` does; neighbouring runs are merged where they are,
    until one is large enough to come here. How much may wait among the workers follows from the memory of the plan, not
    from the corpus.

    What counting raises is raised, InvalidSource with file and byte for example. Raises ClusterProblem,
    WrongOptionType, MissingPackage as well; what was stored then is stored.
    """
    with client_of(engine) as client, Tasks(_dask(), client, patience) as tasks:
        Counting(tasks, parts, plan, store, progress).run()
