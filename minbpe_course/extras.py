"""Import optional packages, and say what to install where one is missing.

    with needed("Parquet", "pyarrow", extra="parquet"):
        import pyarrow

The package runs with NumPy, Numba and regex alone. ``pyproject.toml`` lists the rest in extras; ``course`` has what the
lessons need.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from minbpe_course.errors import MissingPackage

PROJECT = "minbpe-course"


@contextlib.contextmanager
def needed(purpose: str, *packages: str, extra: str = "course", otherwise: str = "") -> Iterator[None]:
    """Import optional packages in a ``with`` block. Raises MissingPackage with the command that installs them.

    purpose : the feature that needs them, the beginning of the message · packages : their names for pip ·
    extra : the extra of this project that contains them · otherwise : what to do without them.

    >>> with needed("a flying carpet", "carpet", otherwise="Without it: walk."):
    ...     import carpet
    Traceback (most recent call last):
        ...
    minbpe_course.errors.MissingPackage: a flying carpet needs carpet, which is not installed:
    pip install "minbpe-course[course]"    (or: pip install carpet)
    Without it: walk.
    """
    try:
        yield
    except ImportError as problem:
        missing = isinstance(problem, ModuleNotFoundError)
        several = "are" if len(packages) > 1 else "is"
        why = f"which {several} not installed" if missing else f"which cannot be imported ({problem})"
        raise MissingPackage(
            f"{purpose} needs {' and '.join(packages)}, {why}:\n"
            f"{install_command(extra)}    (or: pip install {' '.join(packages)})" + ("\n" + otherwise) * bool(otherwise)
        ) from problem


def install_command(extra: str) -> str:
    """Return what to type to install an extra.

    >>> install_command("course")
    'pip install "minbpe-course[course]"'
    """
    return f'pip install "{PROJECT}[{extra}]"'


def missing_packages(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed, by their names for pip.

    A package that runs from its sources, without having been installed, does not know its extras: the list is empty.

    >>> missing_packages("no such extra")
    []
    """
    from importlib.metadata import PackageNotFoundError, distribution

    def is_missing(package: str) -> bool:
        try:
            distribution(package)
        except PackageNotFoundError:
            return True
        return False

    if is_missing(PROJECT):
        return []
    wanted = [line for line in distribution(PROJECT).requires or () if re.search(rf"extra == (['\"]){extra}\1", line)]
    return sorted(package for line in wanted for package in re.findall(r"^[\w.-]+", line) if is_missing(package))
