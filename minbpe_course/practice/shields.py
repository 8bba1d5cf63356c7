"""Protect the notebook from an answer while it is checked.

    no_exit()              ``exit()`` asks the kernel to end after the cell; here it raises SystemExit, as in a script
    with_builtins(answer)  changes of an answer to ``builtins`` are undone after each of its calls

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
    """Make ``exit()`` raise SystemExit instead of ending the kernel.

    >>> with no_exit():
    ...     "checked"
    'checked'
    """
    shell = _shell()
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


def _shell() -> Any:
    # IPython is not imported for this.
    loaded = sys.modules.get("IPython")
    return loaded.get_ipython() if loaded is not None else None


def with_builtins(answer: Callable[..., Any], *, of_class: bool = False) -> Callable[..., Any]:
    """Return the function so that each call restores the builtins as they are now.

    of_class : it is a class, and the calls of its objects' methods restore them too.

    >>> def rude():
    ...     import builtins
    ...     builtins.len = None
    >>> with_builtins(rude)()
    >>> len("ab")
    2
    """
    # Only a method of a dict is called here: every builtin may be broken by then.
    restore = functools.partial(vars(builtins).update, dict(vars(builtins)))

    def call(*args: Any) -> Any:
        try:
            made = answer(*args)
        finally:
            restore()
        return _RestoringObject(made, restore) if of_class else made

    return call


class _RestoringObject:
    """An object of the learner's class whose methods restore the builtins."""

    def __init__(self, made: Any, restore: Callable[[], None]) -> None:
        self._made, self._restore = made, restore

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._made, name)

        def call(*args: Any) -> Any:
            try:
                return found(*args)
            finally:
                self._restore()

        return call
