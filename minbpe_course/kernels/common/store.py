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
warm-up`` by the administrator serves all users: whoever may read the sources may read the kernels, under any umask.

Loading a kernel runs what is in its file. So a file is read, and a folder used, only if nobody can have written it who
could not change the sources, too (``is_safe``). Otherwise the kernel is compiled as if it were absent, and a note says
so. Windows is not checked: its access lists have no such bits.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import stat
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
        self._sources = sources.stat()
        beside, elsewhere = sources / "__pycache__", Path(shared, own)
        self.beside = beside
        self._candidates = [Path(chosen, own), beside, elsewhere] if chosen else [beside, elsewhere]
        self._read_from = self._candidates
        self.folder: Path | None = None  # the one that is written to, once something was written
        self._gave_up = False
        self._noted = False
        if chosen and self._refusal(self._candidates[0]) is None:
            # A user who names a folder wants only that one, even if it is empty.
            self.folder, self._read_from = self._candidates[0], self._candidates[:1]

    def can_write(self) -> bool:
        """Whether there is a folder in which kernels can be kept."""
        return any(self._refusal(folder) is None for folder in self._candidates)

    def place(self) -> Path:
        """Return the first folder in which something can be kept, and the user's own if there is none."""
        return next((each for each in self._candidates if self._refusal(each) is None), self._candidates[-1])

    def holds_any(self) -> bool:
        """Whether any kernel of this state of the sources was kept."""
        names = f"*.{self._tag}-{self.stamp[:12]}-*{SUFFIX}"
        with contextlib.suppress(OSError):
            return any(
                is_safe(path.lstat(), self._sources) and is_safe(folder.stat(), self._sources)
                for folder in self._read_from
                for path in folder.glob(names)
            )
        return False

    def read(self, kernel: str, key: str) -> bytes | None:
        """Return what was kept for ``kernel`` under ``key``, or None when there is nothing whole."""
        name = self._name(kernel, key)
        refused = None
        for folder in self._read_from:
            try:
                data = self._read(folder / name)
            except OSError:
                continue
            if data is None:
                refused = folder
                continue
            start = len(MAGIC) + _DIGEST
            if data.startswith(MAGIC) and data[len(MAGIC) : start] == _digest(data[start:]):
                return data[start:]
        if refused is not None and not self._noted:
            self._noted = True
            notes.warning(
                "compiled kernels in %s are not used, because other users may have written them; they are compiled "
                "again. If the folder is yours: chmod -R go-w '%s'",
                refused,
                refused,
            )
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
            refusal = self._refusal(folder)
            if refusal is not None:
                refused.append(f"{folder} ({refusal})")
                continue
            if refused and not known and not self._noted:
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
            self._share(beside)
            os.replace(beside, folder / name)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            # Windows refuses to replace a file that another process reads; its content is the same.
            if not (folder / name).is_file():
                raise

    def _share(self, path: Path) -> None:
        """Take the right to write from others; in ``__pycache__``, let those read who may read the sources."""
        if os.name == "nt":
            return
        mode = stat.S_IMODE(path.stat().st_mode) & ~0o022
        if path.parent == self.beside:
            mode |= 0o044
            for source in self.beside.parent.rglob("*.py"):
                mode &= source.stat().st_mode | 0o700
            found = self.beside.stat()
            shared = stat.S_IMODE(found.st_mode | self._sources.st_mode & 0o055)
            if found.st_uid == os.geteuid() and shared != stat.S_IMODE(found.st_mode):
                self.beside.chmod(shared)
        path.chmod(mode)

    def _read(self, path: Path) -> bytes | None:
        """Return what is in a file; None if it is not a file that ``is_safe``. Raises OSError."""
        # Checked after it was opened, so that no other file can take its place. A link is not followed, and a named
        # pipe does not wait for a writer.
        flags = (getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"))
        with open(os.open(path, os.O_RDONLY | sum(flags)), "rb") as file:  # noqa: PTH123
            status = os.fstat(file.fileno())
            safe = stat.S_ISREG(status.st_mode) and is_safe(status, self._sources)
            return file.read() if safe and is_safe(path.parent.stat(), self._sources) else None

    def _refusal(self, folder: Path) -> str | None:
        """Why nothing can be kept in ``folder``, which is made if need be; None when something can."""
        probe = folder / f".probe-{secrets.token_hex(6)}"
        try:
            folder.mkdir(0o755, parents=True, exist_ok=True)
            if not is_safe(folder.stat(), self._sources):
                return "other users may write there"
            probe.touch()
            probe.unlink()
        except OSError as error:
            return error.strerror or str(error)
        return None

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


def is_safe(status: os.stat_result, sources: os.stat_result) -> bool:
    """Whether only people who can change the sources, too, can have written a file or can replace what is in a folder.

    sources : the status of the folder of sources. The owner must be this user, root, or the owner of the sources. No
    other user may write, except

    * the group that may also write in the folder of sources;
    * the owner's own group, which has the owner's name and no other members: the umask 002 of Debian and Fedora;
    * in a folder with the sticky bit, such as /tmp, where a user cannot replace the files of another one.

    The rights of the parents do not matter, since another folder put in the place of this one has another owner.
    """
    if os.name == "nt":
        return True
    if status.st_uid not in (os.geteuid(), 0, sources.st_uid):
        return False
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return True
    if status.st_mode & stat.S_IWOTH:
        return False
    if not status.st_mode & stat.S_IWGRP or (sources.st_mode & stat.S_IWGRP and status.st_gid == sources.st_gid):
        return True
    return _is_own_group(status.st_gid, status.st_uid)


def _is_own_group(group: int, user: int) -> bool:
    # Imported here, since Windows has neither, and few folders need it.
    import grp
    import pwd

    try:
        name, found = pwd.getpwuid(user).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == name and not set(found.gr_mem) - {name}


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
