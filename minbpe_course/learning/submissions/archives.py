"""List what is in an untrusted zip file or folder, without unpacking anything.

Nothing is written to disk: a name from an archive is only compared, never used as a path, so ``..`` and links cannot
lead anywhere. They are still refused, each by name, because they are not handed in by mistake. Only notebooks and zip
files are decompressed, one at a time, up to their limit, however well they are packed.

Limits: zip only; a note names other kinds of archive. Zips inside zips are read to a depth of three.
"""

from __future__ import annotations

import io
import os
import re
import stat
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from minbpe_course.errors import TooLargeToRead, UnreadableSubmission, UnusablePath
from minbpe_course.learning.submissions.notebook_cells import LARGEST_NOTEBOOK

LARGEST_ARCHIVE = 256 * 2**20  # of one learner, packed
LARGEST_DIRECTORY = 2 * 2**20  # the list of entries of a learner's archive
MOST_ENTRIES = 10_000
MOST_ENTRIES_OF_A_CLASS = 200_000
MOST_UNPACKED = 512 * 2**20  # notebooks of one learner's archive together
DEEPEST_ZIP, DEEPEST_FOLDER = 3, 16
LONGEST_NAME = 1_000

# Control characters, lone surrogates, and characters that change the direction of writing.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
# A percent sign before what would read as one of them is written out too, so that different names stay different.
_LIKE_WRITTEN = re.compile("%(?=25|[01][0-9a-f]|7f|[89][0-9a-f]|20[0-6]|feff|d[89a-f])")
_OTHER_ARCHIVES = (".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar", ".zst")
# Folders that file managers, editors and version control leave next to a learner's work.
_IGNORED = {"__macosx", ".ipynb_checkpoints", "__pycache__", ".git", ".venv", "venv", "node_modules"}


@dataclass(frozen=True)
class Member:
    """A file that may be read. ``path`` has "/" between its parts; it is a name, not a place on disk.

    when : when it was last changed, in UTC and ISO 8601, or "". A zip has no zone, so that of this machine is taken.
    """

    path: str
    size: int
    read: Callable[[], bytes] = field(compare=False)
    when: str = field(default="", compare=False)


@dataclass(frozen=True)
class Refusal:
    """An entry that is not read, and why. The path is the archive's, made printable."""

    path: str
    why: str


@dataclass
class Contents:
    """The members of an archive or folder in the order of their names, and the refused entries."""

    members: list[Member] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    """Folders without a file that counts, each with a "/" at its end: a learner may have handed in nothing."""
    clones: set[str] = field(default_factory=set)
    """Folders that contain .git, with a "/" at the end, too. The files in .git are not listed."""

    def refuse(self, path: str, why: str) -> None:
        """Add a refusal."""
        self.refusals.append(Refusal(printable(path), why))


def in_folder(folder: Path) -> Contents:
    """Return the files below a folder. Links, devices and pipes are refused by name, not followed or opened.

    Raises UnreadableSubmission when there are too many to list, rather than leave a learner out.
    """
    found = Contents()
    waiting = [(folder, "")]
    paths: list[str] = []
    while waiting:
        here, prefix = waiting.pop()
        try:
            with os.scandir(here) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            found.refuse(prefix, f"cannot be listed: {error.strerror}")
            continue
        if prefix and all(entry.name.lower() in _IGNORED for entry in listed):
            found.empty.append(printable(prefix, 4_000))
        for entry in listed:
            path = prefix + entry.name
            paths.append(path)
            if len(paths) > MOST_ENTRIES_OF_A_CLASS:
                raise _too_many(str(folder), paths, MOST_ENTRIES_OF_A_CLASS)
            if entry.name.lower() in _IGNORED:
                if entry.name == ".git":
                    found.clones.add(printable(prefix, 4_000))
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError as error:
                found.refuse(path, f"cannot be examined: {error.strerror}")
                continue
            if why := _odd(path, status.st_mode):
                found.refuse(path, why)
            elif stat.S_ISDIR(status.st_mode):
                waiting.append((Path(entry.path), path + "/"))
            else:
                when = _when(datetime.fromtimestamp, status.st_mtime)
                _take(found, path, status.st_size, file_reader(Path(entry.path)), when)
    return _in_order(found)


def in_zip(source: Path | bytes, name: str) -> Contents:
    """Return the files of a zip archive.

    source : the path of the teacher's own download, which may be large; or the bytes of a learner's archive, which have
    been read within their limit.

    Raises UnreadableSubmission when it is not a zip archive, is damaged, or is too large as a whole.
    """
    of_a_class = isinstance(source, Path)
    file = (
        source if isinstance(source, Path) else _Bounded(source, f"{name} lists more entries than a learner's work has")
    )
    try:
        archive = zipfile.ZipFile(file)
    except UnreadableSubmission:
        raise
    except Exception as error:  # zipfile raises many kinds of exceptions on hostile bytes
        raise UnreadableSubmission(
            f"{name} is not a readable zip archive: {str(error) or type(error).__name__}"
        ) from None
    if isinstance(file, _Bounded):
        file.most = LARGEST_ARCHIVE
    infos = archive.infolist()
    most = MOST_ENTRIES_OF_A_CLASS if of_a_class else MOST_ENTRIES
    if len(infos) > most:
        raise _too_many(name, [info.filename for info in infos], most)
    unpacked = sum(info.file_size for info in infos if info.filename.lower().endswith((".ipynb", ".zip")))
    if not of_a_class and unpacked > MOST_UNPACKED:
        raise TooLargeToRead(
            f"{name} would unpack to {unpacked / 2**20:,.0f} MB; more than {MOST_UNPACKED // 2**20} MB are not read"
        )
    found = Contents()
    latest: dict[str, zipfile.ZipInfo] = {}
    folders: list[str] = []
    lock = threading.Lock()
    for info in infos:
        path = _plain_path(info.filename)
        parts = path.split("/")
        ignored = next((at for at, part in enumerate(parts) if part.lower() in _IGNORED), None)
        if ignored is not None:
            path = "".join(f"{part}/" for part in parts[:ignored])
            if parts[ignored] == ".git":
                found.clones.add(printable(path, 4_000))
            if not path:
                continue
        if path.endswith("/"):
            if not _unwanted(info, path.rstrip("/")):
                folders.append(path)
            continue
        if why := _unwanted(info, path):
            found.refuse(path, why)
            continue
        if path in latest:
            found.refuse(path, "is there twice; the last one counts")
        latest[path] = info
    filled = {path[: at + 1] for path in latest for at, letter in enumerate(path) if letter == "/"}
    found.empty = [printable(path, 4_000) for path in folders if path not in filled]
    for path, info in latest.items():
        _take(found, path, info.file_size, _zip_reader(archive, info, lock), _when(datetime, *info.date_time))
    return _in_order(found)


def printable(name: str, longest: int = 300) -> str:
    r"""Return a name that is safe in terminals and files. Different names stay different.

    >>> printable("a\x1b[31m\udcff")
    'a%1b[31m%dcff'
    >>> printable("a%1b"), printable("100 %")
    ('a%251b', '100 %')
    """
    if "%" in name:
        name = _LIKE_WRITTEN.sub("%25", name)
    return _UNPRINTABLE.sub(lambda match: f"%{ord(match[0]):02x}", name)[:longest]


def _in_order(found: Contents) -> Contents:
    found.members.sort(key=lambda member: member.path)
    return found


def _when(make: Callable[..., datetime], *numbers: float) -> str:
    with suppress(ValueError, OverflowError, OSError):
        made = make(*numbers).astimezone(timezone.utc)
        # A zip writes its first year, 1980, where a time is unknown.
        return made.isoformat(timespec="seconds") if made.year > 1980 else ""
    return ""


def _take(found: Contents, path: str, size: int, read: Callable[[], bytes], when: str) -> None:
    if path.lower().endswith(_OTHER_ARCHIVES):
        found.refuse(path, "is an archive of a kind that is not read; hand in a zip file, or the notebook itself")
    else:
        found.members.append(Member(printable(path, 4_000), size, read, when))


def _plain_path(name: str) -> str:
    """Return the path of an entry without empty and "." parts: "./ada//02.ipynb" is ada's as well."""
    name = name.replace("\\", "/")
    kept = "/".join(part for part in name.split("/") if part not in ("", "."))
    return ("/" if name.startswith("/") else "") + kept + ("/" if name.endswith("/") and kept else "")


def _too_many(name: str, paths: Sequence[str], most: int) -> UnreadableSubmission:
    (place, count), *_ = Counter(tuple(path.split("/")[:-1][:2]) for path in paths).most_common(1)
    where = f", {count:,} of them in {printable('/'.join(place))}/. Remove it, and run the same again" if place else ""
    return UnreadableSubmission(f"{name} has more than {most:,} entries, which are not read{where}.")


def _odd(path: str, mode: int) -> str:
    """Return why something of this kind is not read in this place, "" when it may be."""
    if stat.S_ISLNK(mode):
        return "is a link, which is not followed"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is not an ordinary file but a pipe, a socket or a device"
    return f"is more than {DEEPEST_FOLDER} folders deep" if path.count("/") >= DEEPEST_FOLDER else ""


def _unwanted(info: zipfile.ZipInfo, path: str) -> str:
    """Return why an entry is not read, "" when it may be."""
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "names an absolute path"
    if ".." in path.split("/"):
        return "leads out of the archive"
    if len(path) > LONGEST_NAME:
        return f"has a name of {len(path):,} characters"
    if info.flag_bits & 0x1:
        return "is encrypted"
    # LZMA may need gigabytes before the first byte comes out.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed by a method that is not read; use an ordinary zip program"
    return _odd(path, info.external_attr >> 16)


def limit(path: str) -> int:
    """Return how many bytes of a file are read at most, by its name."""
    return LARGEST_ARCHIVE if path.lower().endswith(".zip") else LARGEST_NOTEBOOK


def _require_size(name: str, size: int) -> None:
    most = limit(name)
    if size > most:
        raise TooLargeToRead(f"{printable(name)} has {size / 2**20:,.0f} MB; more than {most // 2**20} MB are not read")


def _zip_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo, lock: threading.Lock) -> Callable[[], bytes]:
    def read() -> bytes:
        _require_size(info.filename, info.file_size)
        try:
            with lock, archive.open(info) as file:
                # One byte more than it claims to have: reading to the end checks the checksum.
                return file.read(info.file_size + 1)
        except MemoryError:
            raise UnusablePath(f"{printable(info.filename)} cannot be read: there is not enough memory") from None
        except Exception as error:  # as in in_zip: an offset beyond any file, an unsupported method
            raise UnreadableSubmission(
                f"{printable(info.filename)} is damaged: {str(error) or type(error).__name__}"
            ) from None

    return read


def file_reader(path: Path) -> Callable[[], bytes]:
    """Return what reads an ordinary file up to its limit; reading raises UnusablePath, or UnreadableSubmission."""

    def read() -> bytes:
        shown = printable(path.name)
        # The file may have become a pipe since it was listed; opening one must not wait for a writer.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            with open(os.open(path, flags), "rb") as file:  # noqa: PTH123
                now = os.fstat(file.fileno())
                if not stat.S_ISREG(now.st_mode):
                    raise UnreadableSubmission(f"{shown} is not an ordinary file")
                _require_size(path.name, now.st_size)
                return file.read(limit(path.name))
        except OSError as error:
            raise UnusablePath(f"{shown} cannot be read: {error.strerror}") from None

    return read


class _Bounded(io.BytesIO):
    """An archive in memory that refuses to be read in pieces of more than ``most`` bytes.

    zipfile reads the list of entries in one piece. Only that read shows its length: an archive states the length in
    several places, and any of them may be wrong.
    """

    def __init__(self, data: bytes, complaint: str) -> None:
        super().__init__(data)
        self.most = LARGEST_DIRECTORY
        self._complaint = complaint

    def read(self, size: int | None = -1, /) -> bytes:
        """Read like a file. Raises UnreadableSubmission for more than ``most`` bytes at once."""
        left = max(self.getbuffer().nbytes - self.tell(), 0)
        if (left if size is None or size < 0 else min(size, left)) > self.most:
            raise UnreadableSubmission(self._complaint)
        return super().read(size)
