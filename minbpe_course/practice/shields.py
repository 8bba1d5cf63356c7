"""What an answer could break for the whole notebook while it is checked, and cannot.

    no_exit()              ``exit()`` asks the kernel to end after the cell; here it raises SystemExit, as in a script
    with_builtins(answer)  what an answer changes in ``builtins`` is changed back after each of its calls

Limits: mistakes, not malice. What an answer does to other modules stays done, and so does what its cell does when it
is run. ``exit`` is looked after in IPython's shells; elsewhere it is an exception already.
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
    """Within this, asking the shell to exit raises SystemExit and nothing else.

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
            del shell.ask_exit  # the method of its class shows again


def _shell() -> Any:
    # Only where IPython runs already: nothing is imported for it.
    loaded = sys.modules.get("IPython")
    return loaded.get_ipython() if loaded is not None else None


def with_builtins(answer: Callable[..., Any], *, of_class: bool = False) -> Callable[..., Any]:
    """Return the same function, after each call of which the builtins are as they are now.

    of_class : it makes an object, and the methods of that are called too.

    >>> def rude():
    ...     import builtins
    ...     builtins.len = None
    >>> with_builtins(rude)()
    >>> len("ab")
    2
    """
    # Nothing but a method of a dict is called to mend: every builtin may be broken by then.
    mend = functools.partial(vars(builtins).update, dict(vars(builtins)))

    def call(*args: Any) -> Any:
        try:
            made = answer(*args)
        finally:
            mend()
        return _Made(made, mend) if of_class else made

    return call


class _Made:
    """An object of the learner's class, whose methods leave the builtins as they were."""

    def __init__(self, made: Any, mend: Callable[[], None]) -> None:
        self._made, self._mend = made, mend

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._made, name)

        def call(*args: Any) -> Any:
            try:
                return found(*args)
            finally:
                self._mend()

        return call
