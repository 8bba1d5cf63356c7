"""Protect the notebook from an answer while it is checked.

Limits: this guards against mistakes, not malice. Changes to other modules stay, and so do those that the answer's cell
makes when it runs. ``exit`` is replaced in IPython's shells; elsewhere it raises SystemExit already.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn


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


def with_builtins(answer: Callable[..., Any], *, of_class: bool = False) -> Callable[..., Any]:
    """Return the function so that each call restores the builtins as they are now.

    of_class : it is a class, and the calls of its objects' methods restore them too.
    """
    # Only a method of a dict is called here: every builtin may be broken by then.
    restore = functools.partial(vars(builtins).update, dict(vars(builtins)))

    def restoring(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            try:
                return function(*args)
            finally:
                restore()

        return call

    call = restoring(answer)
    return (lambda *args: _RestoringObject(call(*args), restoring)) if of_class else call


class _RestoringObject:
    """An object of the learner's class whose methods restore the builtins."""

    def __init__(self, made: Any, restoring: Callable[..., Any]) -> None:
        self._made, self._restoring = made, restoring

    def __getattr__(self, name: str) -> Any:
        return self._restoring(getattr(self._made, name))
