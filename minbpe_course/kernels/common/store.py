"""The files of compiled kernels: one small file for each kernel, named after everything it depends on.

    kernels/__pycache__/encoding.encode_words.cpython-311-5f0c…-93ab….kernel
                        file     function     Python      │     └ argument types, processor, byte code
                                                          └ stamp: every source file of kernels/, Numba, llvmlite

    a file      "minbpe-course kernel\\n" | digest of the rest, 16 bytes | Numba's serialized code

Numba has a cache too, but it checks one source file only, and kernels call functions of other files: after a change in
one of those it would continue with old code. Here one changed byte in any source gives all files new names. A file is
written under another name and renamed, and contains its digest. So two processes that compile at the same time write
the same file twice, and a partial file is ignored. Files never change in place, so no lock is needed.

Folders, the first that can be written: ``NUMBA_CACHE_DIR`` when it is set; ``__pycache__`` of the sources; the user's
cache folder of Numba. Files in ``__pycache__`` are read even if they cannot be written, so one ``minbpe-course
warm-up`` by the administrator serves all users.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

MAGIC = b"minbpe-course kernel\n"
SUFFIX = ".kernel"
_DIGEST = 16

# A logger and not a warning: a note about folders may never become an exception in the middle of a call. Without any
# set-up Python shows it as one line on stderr; logging.getLogger("minbpe_course.kernels") is the switch.
notes = logging.getLogger("minbpe_course.kernels")


class KernelStore:
    """The compiled kernels of one folder of sources.

    sources : that folder · versions : anything else the compiled code depends on · chosen : the folder that the user
    named, or None · shared : the folder of the user's caches. Raises nothing: a kernel that cannot be kept is compiled
    again next time, and a note says so once.
    """

    def __init__(self, sources: Path, versions: Iterable[str], chosen: str | None, shared: str) -> None:
        self.stamp = stamp_of(sources, versions)
        self._tag = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
        # The same name that Numba would take in such a folder: readable, and different for every install.
        own = f"{sources.name}_{hashlib.sha256(os.fsencode(sources)).hexdigest()[:20]}"
        beside, elsewhere = sources / "__pycache__", Path(shared, own)
        self.beside = beside
        self._candidates = [Path(chosen, own), beside, elsewhere] if chosen else [beside, elsewhere]
        self._read_from = self._candidates
        self.folder: Path | None = None  # the one that is written to, once something was written
        self._gave_up = False
        if chosen and _refusal(self._candidates[0]) is None:
            # A user who names a folder wants only that one, even if it is empty.
            self.folder, self._read_from = self._candidates[0], self._candidates[:1]

    def can_write(self) -> bool:
        """Whether there is a folder in which kernels can be kept."""
        return any(_refusal(folder) is None for folder in self._candidates)

    def holds_any(self) -> bool:
        """Whether any kernel of this state of the sources was kept."""
        names = f"*.{self._tag}-{self.stamp[:12]}-*{SUFFIX}"
        with contextlib.suppress(OSError):
            return any(next(folder.glob(names), None) is not None for folder in self._read_from)
        return False

    def read(self, kernel: str, key: str) -> bytes | None:
        """Return what was kept for ``kernel`` under ``key``, or None when there is nothing whole."""
        name = self._name(kernel, key)
        for folder in self._read_from:
            try:
                data = (folder / name).read_bytes()
            except OSError:
                continue
            start = len(MAGIC) + _DIGEST
            if data.startswith(MAGIC) and data[len(MAGIC) : start] == _digest(data[start:]):
                return data[start:]
        return None

    def write(self, kernel: str, key: str, content: bytes) -> None:
        """Keep ``content``, and remove the files that older sources left for this kernel."""
        if self._gave_up:
            return
        try:
            if self.folder is None:
                self.folder = self._first_writable()
            if self.folder is not None:
                self._write(self.folder, self._name(kernel, key), content)
                self._drop_older(self.folder, kernel)
        except OSError as error:
            self._gave_up = True
            notes.warning("a compiled kernel could not be kept in %s: %s.", self.folder, error.strerror or error)

    def _name(self, kernel: str, key: str) -> str:
        return f"{kernel}.{self._tag}-{self.stamp[:12]}-{hashlib.sha256(key.encode()).hexdigest()[:20]}{SUFFIX}"

    def _first_writable(self) -> Path | None:
        refused = []
        for folder in self._candidates:
            known = folder.is_dir()
            refusal = _refusal(folder)
            if refusal is not None:
                refused.append(f"{folder} ({refusal})")
                continue
            if refused and not known:
                notes.warning(
                    "compiled kernels cannot be kept in %s. They are kept in %s from now on, which is as good; "
                    "to choose another folder, set NUMBA_CACHE_DIR. This is said once.",
                    " nor ".join(refused),
                    folder,
                )
            return folder
        self._gave_up = True
        notes.warning(
            "compiled kernels cannot be kept in %s, so each new process compiles them again, which takes some seconds. "
            "Set NUMBA_CACHE_DIR to a folder that may be written.",
            " nor ".join(refused),
        )
        return None

    def _write(self, folder: Path, name: str, content: bytes) -> None:
        beside = folder / f".{secrets.token_hex(8)}.part"
        try:
            beside.write_bytes(MAGIC + _digest(content) + content)
            os.replace(beside, folder / name)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            # Windows refuses to replace a file that another process reads; its content is the same.
            if not (folder / name).is_file():
                raise

    def _drop_older(self, folder: Path, kernel: str) -> None:
        for path in folder.glob(f"{kernel}.{self._tag}-*{SUFFIX}"):
            if not path.name.startswith(f"{kernel}.{self._tag}-{self.stamp[:12]}-"):
                with contextlib.suppress(OSError):
                    path.unlink()


def stamp_of(sources: Path, versions: Iterable[str]) -> str:
    """Return a digest of the names and contents of all Python files in ``sources``, and of ``versions``.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> before = stamp_of(folder, ["1.0"])
    >>> _ = (folder / "new.py").write_text("", encoding="utf-8")
    >>> stamp_of(folder, ["1.0"]) == before
    False
    """
    stamp = hashlib.sha256("\n".join(versions).encode())
    for path in sorted(sources.rglob("*.py")):
        stamp.update(
            f"\n{path.relative_to(sources).as_posix()}\n".encode() + hashlib.sha256(path.read_bytes()).digest()
        )
    return stamp.hexdigest()


def _refusal(folder: Path) -> str | None:
    """Why nothing can be written to ``folder``, which is made if need be; None when something can."""
    probe = folder / f".probe-{secrets.token_hex(6)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return None


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
