"""Keep an answer that calls ``exit`` from ending the kernel.

``exit`` is replaced in IPython's shells; elsewhere it raises SystemExit already.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import NoReturn


@contextlib.contextmanager
def no_exit() -> Iterator[None]:
    """Make ``exit()`` raise SystemExit, as in a script, instead of asking the kernel to end after the cell."""
    loaded = sys.modules.get("IPython")  # IPython is not imported for this
    shell = loaded.get_ipython() if loaded is not None else None
    if shell is None:
        yield
        return

    def refuse() -> NoReturn:
        raise SystemExit

    shell.ask_exit = refuse
    try:
        yield
    finally:
        with contextlib.suppress(AttributeError):
            del shell.ask_exit  # uncovers the method of its class
