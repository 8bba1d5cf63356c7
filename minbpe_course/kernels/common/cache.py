"""Compiled kernels on disk, in the files of Numba's own cache.

Numba's cache would notice a change of one source file only, and kernels call functions of other files. ``STAMP`` covers
all of them, so any change in this package compiles everything again.

Numba would also choose a folder that it can write. Here each of ``FOLDERS`` is read, so one ``minbpe-course warm-up``
by an administrator serves all users who may read the package. New kernels go to the first writable one. There, one
process compiles at a time, and the others load what it kept.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from numba import __version__, config
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys

from minbpe_course.file_lock import lock_file
from minbpe_course.kernels import on_compile

_log = logging.getLogger("minbpe_course.kernels")
_HERE = Path(__file__).parents[1]
_NEXT_TO_PACKAGE = _HERE.parents[1] / "__pycache__" / "minbpe_course"
_PATIENCE = 60.0  # seconds; no kernel takes as long


def stamp_of(sources: Path) -> str:
    """Return a digest of the names and contents of all Python files in ``sources``."""
    stamp = hashlib.sha256()
    for path in sorted(sources.rglob("*.py")):
        stamp.update(f"{path.relative_to(sources).as_posix()} {path.stat().st_size}\n".encode() + path.read_bytes())
    return stamp.hexdigest()


def _folders() -> list[Path]:
    """Return the folders to search for compiled kernels; new ones go to the first writable folder."""
    install = "minbpe-course-" + hashlib.sha256(os.fsencode(_HERE)).hexdigest()[:16]
    if config.CACHE_DIR:
        return [Path(config.CACHE_DIR, install)]
    # Next to the package: files in it would outlive ``pip uninstall``, and could still be imported.
    found = [_NEXT_TO_PACKAGE]
    # By the XDG rules, a relative path is invalid: each folder in which Python starts would get its kernels.
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    with contextlib.suppress(RuntimeError):  # raised when this user has no home
        found.append((xdg if xdg.is_absolute() else Path.home() / ".cache") / install)
    return found


STAMP, FOLDERS = stamp_of(_HERE), _folders()
# The kernels that this process compiled and could not keep.
UNKEPT: list[str] = []


def folder() -> Path | None:
    """Return the folder for new kernels; None if no folder is writable, so that each process compiles them."""
    for each in FOLDERS:
        with contextlib.suppress(OSError):
            each.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=each).close()
            return each
    return None


def kept_in() -> Path | None:
    """Return the folder that has compiled kernels of these sources, or else the one for new ones, if there is any."""
    return next((each for each in FOLDERS if any(each.glob(f"*-{STAMP[:16]}.*"))), None) or folder()


def _tell_unkept(kernel: str, reason: object) -> None:
    """Log the first kernel that could not be kept. Without any set-up, Python shows that as one line on stderr."""
    if not UNKEPT:
        _log.warning(
            "compiled kernels cannot be kept in %s (%s), so each new process compiles them again, which takes some "
            "seconds. Set NUMBA_CACHE_DIR to a folder with room that may be written.",
            " nor ".join(map(str, FOLDERS)),
            reason,
        )
    UNKEPT.append(kernel)


def _tidy(place: Path, name: str) -> None:
    """Delete the code of earlier sources, and let all who may read the package read this one."""
    for path in place.glob(f"{glob.escape(name[:-16])}*"):
        with contextlib.suppress(OSError):
            if not path.name.startswith(name):
                path.unlink()
            elif place == _NEXT_TO_PACKAGE:
                path.chmod(path.stat().st_mode | (Path(__file__).stat().st_mode & 0o044))
    if place == _NEXT_TO_PACKAGE:
        for made in (place.parent, place):
            with contextlib.suppress(OSError):
                made.chmod(made.stat().st_mode | (_HERE.stat().st_mode & 0o055))


class _Turn:
    """The right of this process to compile, held until its outermost compilation ends. Needs the compiler's lock."""

    def __init__(self) -> None:
        self.patience = _PATIENCE
        self._depth = 0
        self._file: BinaryIO | None = None

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if self._file and not self._depth:
            self._file.close()
            self._file = None

    def take(self) -> bool:
        """Return whether this process may compile: also where no file can be locked, and when its patience is over."""
        place = None if self._file or self.patience < 0 else folder()
        if place is not None:
            with contextlib.suppress(OSError):
                file = (place / "lock").open("ab")
                if lock_file(file.fileno()) is False:
                    file.close()
                    return False
                self._file = file
        return True


_TURN = _Turn()


def in_turn(compile: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the ``compile`` of a dispatcher that gives the turn back, however it ends."""

    def compile_in_turn(signature: Any) -> Any:
        with global_compiler_lock, _TURN:
            return compile(signature)

    return compile_in_turn


class _Place:
    """Stands in for Numba's choice of a folder, which would be the first that can be written."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, function: Callable, file: str) -> _Place:
        return cls(Path(file).parent.name)

    def get_cache_path(self) -> str:
        return str(FOLDERS[0])

    def get_source_stamp(self) -> str:
        return STAMP

    def get_disambiguator(self) -> str:
        return self._folder

    def ensure_cache_path(self) -> None:
        pass


class _Code(FunctionCache._impl_class):
    """Numba's way from compiled code to bytes and back."""

    _locator_classes = (_Place,)


class KernelCache(FunctionCache):
    """Numba's cache of one kernel, in our folders. Whatever fails, the kernel is compiled instead."""

    _impl_class = _Code

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        self.kernel = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._kind = type(self._cache_file)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature, or None when it is this process's turn to compile."""
        found = self._find(signature, target_context)
        begun = time.monotonic()
        while found is None:
            mine = _TURN.take()
            # Whoever had the turn may have kept it in between.
            found = self._find(signature, target_context)
            if found is None and mine:
                for tell in list(on_compile):
                    tell(self.kernel)
                break
            time.sleep(0.05)
            if time.monotonic() > begun + _TURN.patience:
                _TURN.patience = -1.0
        return found

    def _find(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled code that one of the folders has, or None."""
        name = self._file_name(target_context.codegen())
        for place in FOLDERS:
            self._cache_file = self._kind(str(place), name, STAMP)
            try:
                # Numba's own code would also prepare the compiler here, which takes a third of a second.
                rtsys.initialize(target_context)
                found = self._load_overload(signature, target_context)
            except Exception as error:
                _log.debug("%s is compiled again: %s", self.kernel, error)
                with contextlib.suppress(Exception):
                    self.flush()
                continue
            # Of processes that compile at the same moment, one may have replaced the file of another.
            if found is not None and found.signature.args == tuple(getattr(signature, "args", signature)):
                return found
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the compiled code in the first folder where that works."""
        name = self._file_name(result.codegen)
        reason: object = ""
        for place in FOLDERS:
            self._cache_file = self._kind(str(place), name, STAMP)
            try:
                place.mkdir(parents=True, exist_ok=True)
                # ``super().save_overload`` ignores on Windows that a folder cannot be written to.
                self._save_overload(signature, result)
                _tidy(place, name)
                return
            except Exception as error:
                reason = getattr(error, "strerror", None) or error
        _tell_unkept(self.kernel, reason)

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        # Without the bytecode, which ``python -O`` changes: the stamp covers the sources.
        *key, (_, variables) = super()._index_key(signature, codegen)
        return (*key, variables)

    def _file_name(self, codegen: Any) -> str:
        """Return a name that says for which sources, processor and Numba the code is.

        Numba writes the index before the code that it names. With one name for all, a full disk in between would leave
        the new index with the old code.
        """
        target = hashlib.sha256(repr((codegen.magic_tuple(), __version__)).encode()).hexdigest()[:8]
        return f"{self._impl.filename_base}-{target}-{STAMP[:16]}"
