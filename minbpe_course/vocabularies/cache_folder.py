"""Making plain tiktoken work offline: rebuild the published files in the folder that it reads before the network.

tiktoken looks for a file under the SHA-1 of its address, in the folder that the environment variable
``TIKTOKEN_CACHE_DIR`` (or the older ``DATA_GYM_CACHE_DIR``) names. The folder used here is the first that works of:

    1. the one given                              made if it is missing
    2. the one in the environment                 correct files stay as they are, missing ones are added
    3. the per-user cache folder of the system    likewise
    4. tiktoken's own folder for temporary files  or else a new temporary folder

An empty ``TIKTOKEN_CACHE_DIR`` means "no cache" to tiktoken; here it counts as not set. Only the environment of this
process, and of those that it starts later, is changed.
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
    """Make ``tiktoken.get_encoding`` work offline for all seven bundled names; return the folder in use.

    Files with the right SHA-256 are left alone, damaged ones are replaced. Each file is written completely or not at
    all, so several processes may call this at once.

    Raises UnusablePath when the given ``folder`` cannot be written to, or is inside this package.

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
        # Unresolved: a relative folder from the environment stays relative.
        os.environ["TIKTOKEN_CACHE_DIR"] = place
        return Path(place).resolve()
    raise UnusablePath(
        "found no folder to write the vocabularies to. Name one: use_bundled_vocabularies('some/folder')\n"
        + "\n".join(refused)
    )


def user_cache_folder(platform: str = sys.platform, environ: Mapping[str, str] = os.environ) -> Path:
    """Return this user's cache folder for this package, by the rules of the system; it may be missing."""
    home = Path.home()
    if platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        # By the XDG rules, a relative path is invalid.
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
        raise UnusablePath(f"{folder} is inside the package, which is never written to. Choose another folder.")
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
            # Windows cannot replace a file that another process is reading. That is fine if the file is correct.
            if not _holds(folder, file):
                raise


def _holds(folder: Path, file: PublishedFile) -> bool:
    try:
        data = read_whole(folder / file.cache_name)
    except UnusablePath:
        return False
    return hashlib.sha256(data).hexdigest() == file.sha256
