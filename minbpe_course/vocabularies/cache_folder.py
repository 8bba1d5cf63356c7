"""Making plain tiktoken work offline: the published files, rebuilt into a folder that it reads before the network.

tiktoken looks for a file under the SHA-1 of its address in the folder that the environment variable
``TIKTOKEN_CACHE_DIR`` (or the older ``DATA_GYM_CACHE_DIR``) names. Which folder is used here:

    1. the one given                              made if it is missing
    2. the one that the environment names         right files stay untouched, missing ones are written beside them
    3. the per-user cache folder of the system    likewise
    4. tiktoken's own folder for temporary files  when nothing above may be written, then a new temporary folder

An empty ``TIKTOKEN_CACHE_DIR`` means "no cache" to tiktoken; whoever calls this function wants one, so it counts as not
set. Only the environment of this process (and of those that it starts later) is changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from minbpe_course.errors import UnusablePath
from minbpe_course.files import read_whole, write_whole
from minbpe_course.vocabularies.published_files import PublishedFile, published_files, rebuild_file

_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")  # in the order in which tiktoken asks for them
_PACKAGE = Path(__file__).resolve().parents[1]


def use_bundled_vocabularies(folder: str | os.PathLike[str] | None = None) -> Path:
    """Let ``tiktoken.get_encoding`` work without a network for all seven bundled names. Returns the folder in use.

    Files that are there already and have the right SHA-256 are left alone, a damaged one is replaced. Each file is
    written whole or not at all, so several processes may call this at once. The second call only checks.

    Raises UnusablePath when a ``folder`` was given and cannot be written, or lies inside this package.

    >>> import tiktoken
    >>> folder = use_bundled_vocabularies()
    >>> tiktoken.get_encoding("cl100k_base").encode("hello")
    [15339]
    """
    if folder is not None:
        chosen = Path(folder).expanduser().resolve()
        _fill(chosen)
        os.environ["TIKTOKEN_CACHE_DIR"] = str(chosen)
        return chosen

    refused = []
    for place in _places(os.environ):
        try:
            _fill(Path(place))
        except UnusablePath as error:
            refused.append(str(error))
            continue
        # As it was written in the environment, if it came from there: a relative folder stays relative.
        os.environ["TIKTOKEN_CACHE_DIR"] = place
        return Path(place).resolve()
    raise UnusablePath(
        "found no folder to write the vocabularies to. Name one: use_bundled_vocabularies('some/folder')\n"
        + "\n".join(refused)
    )


def user_cache_folder(platform: str = sys.platform, environ: Mapping[str, str] = os.environ) -> Path:
    """Return this package's cache folder of this user, the way each system wants it; the folder need not exist."""
    home = Path.home()
    if platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        # The XDG rules: a relative path here is invalid and counts as not set.
        xdg = Path(environ.get("XDG_CACHE_HOME", ""))
        base = xdg if xdg.is_absolute() else home / ".cache"
    return base / "minbpe-course" / "tiktoken"


def _places(environ: Mapping[str, str]) -> Iterator[str]:
    for variable in _VARIABLES:
        if variable in environ:
            # tiktoken reads the first variable that exists, even if it is empty, and never the second.
            if environ[variable]:
                yield environ[variable]
            break
    with contextlib.suppress(RuntimeError):  # raised when this user has no home folder
        yield str(user_cache_folder())
    yield str(Path(tempfile.gettempdir()) / "data-gym-cache")
    yield tempfile.mkdtemp(prefix="minbpe-course-")


def _fill(folder: Path) -> None:
    """Write the published files that ``folder`` lacks. Raises UnusablePath."""
    if folder.resolve().is_relative_to(_PACKAGE):
        raise UnusablePath(f"{folder} lies inside the package, which is never written to. Choose a folder of your own.")
    missing = [file for file in published_files() if not _holds(folder, file)]
    if not missing:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(f"cannot make the folder {folder}: {error.strerror}.") from error
    for file in missing:
        try:
            write_whole(folder / file.cache_name, rebuild_file(file))
        except UnusablePath:
            # Windows refuses to replace a file that another process is reading: fine, if that one is right.
            if not _holds(folder, file):
                raise


def _holds(folder: Path, file: PublishedFile) -> bool:
    try:
        data = read_whole(folder / file.cache_name)
    except UnusablePath:
        return False
    return hashlib.sha256(data).hexdigest() == file.sha256
