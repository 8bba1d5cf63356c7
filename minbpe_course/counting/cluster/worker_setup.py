"""What each worker process of a local cluster does before its first task; Dask calls ``dask_setup``."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C to the process that started the workers: it ends them, and they have nothing to say."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
