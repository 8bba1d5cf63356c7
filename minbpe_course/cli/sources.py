"""Read the files, patterns and standard input that a command line names, and write to the output that it names.

Patterns are expanded here too, because a Windows shell passes them on unexpanded.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.lessons import DEFAULT_FOLDER, checkout, default_folder
from minbpe_course.cli.terminal import tell, visible
from minbpe_course.errors import ExercisesProblem, InvalidSource, MissingFile
from minbpe_course.files import atomic_file

if TYPE_CHECKING:
    from minbpe_course.learning.judge.catalogue import Collection
    from minbpe_course.learning.submissions.notebook_cells import Notebook

# Bytes read at a time.
BLOCK = 1 << 20


def sources(names: Iterable[str], verb: str, *, must_exist: bool = True) -> list[str]:
    """Return what to read, in the order given: patterns become files, each real file counts once, and "-" stays.

    No name means standard input, unless that is a terminal. Raises InvalidSource, MissingFile, FolderGiven; with
    ``must_exist=False`` the last only when the source is opened, and MissingFile only for a pattern.
    """
    found = _expanded(names)
    if not found:
        if sys.stdin is None or sys.stdin.isatty():
            raise InvalidSource(f"name a file: minbpe-course {verb} notes.txt, or - to read standard input.")
        found = ["-"]
    if must_exist:
        must_be_files(found)
    return found


def named_files(names: Iterable[str]) -> list[Path]:
    """Return the files, each once, in the order given; a pattern gives its matches. Raises MissingFile, FolderGiven."""
    found = _expanded(names)
    must_be_files(found)
    return list(map(Path, found))


def _expanded(names: Iterable[str]) -> list[str]:
    from minbpe_course.corpus.file_names import each_once, is_pattern, matches

    found: list[str] = []
    for name in names:
        files = matches(name) if name != "-" and is_pattern(name) else [name]
        if not files:
            raise MissingFile(f"no file matches {name}. You are in {Path.cwd()}: give a path from there.")
        found += files
    return each_once(found)


def must_be_files(names: Iterable[str]) -> None:
    """Raise MissingFile or FolderGiven unless each name can be read; a named pipe can."""
    from minbpe_course.corpus.opening import unreadable

    for path in (Path(name) for name in names if name != "-"):
        if path.is_dir() or not path.exists():
            raise unreadable(path, IsADirectoryError() if path.is_dir() else FileNotFoundError())


def is_plain(name: str) -> bool:
    """Return whether a source is a regular file of uncompressed text, which may be read from any place on."""
    from minbpe_course.corpus.opening import compression_of

    path = Path(name)
    # The system makes up these files while they are read, so they have no positions and no true size.
    if name == "-" or path.absolute().parts[1:2] in (("dev",), ("proc",), ("sys",)):
        return False
    return path.is_file() and path.suffix.lower() != ".parquet" and compression_of(path) is None


def shown(name: str) -> str:
    """Return what to call a source in a message or a table, on one line.

    >>> shown("-"), shown("notes.txt")
    ('standard input', 'notes.txt')
    """
    return "standard input" if name == "-" else visible(name, one_line=True)


@contextlib.contextmanager
def opened(name: str) -> Iterator[Any]:
    """Open a source for reading bytes; standard input stays open afterwards.

    Raises InvalidSource, UnusablePath; at the end of the block, too, if a file was written to or cut short meanwhile.
    """
    from minbpe_course.corpus.opening import unchanged, unreadable

    if name == "-":
        if sys.stdin is None:
            raise InvalidSource("standard input is closed: name a file, or give it a text with < notes.txt")
        given = getattr(sys.stdin, "buffer", None) or sys.stdin
        with unchanged(shown(name), given):
            yield given
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise unreadable(Path(name), error) from error
    with file, unchanged(name, file):
        yield file


def blocks_of(name: str, file: Any) -> Iterator[bytes]:
    """Yield blocks of at most BLOCK bytes as soon as they arrive. Raises UnusablePath."""
    from minbpe_course.corpus.opening import unreadable

    read = getattr(file, "read1", file.read)
    try:
        while block := read(BLOCK):
            yield block
    except OSError as error:
        raise unreadable(Path(shown(name)), error) from error


def unpacked_blocks(name: str, file: Any) -> Iterator[bytes]:
    """Yield the blocks of a source, decompressed if its name or its first bytes say gz, bz2, xz or zst.

    Standard input is recognised by its first bytes too: no text in UTF-8 begins like that. Raises UnusablePath,
    UnreadableInput, MissingPackage.
    """
    from minbpe_course.corpus.compressed import unpacked
    from minbpe_course.corpus.opening import stem_and_compression

    return unpacked(blocks_of(name, file), stem_and_compression(name)[1], shown(name))


# ---- Output


@contextlib.contextmanager
def output(name: str | None, *, large: bool = False) -> Iterator[Any]:
    """Open an output for bytes: a file that appears only when it is complete, or standard output.

    large : as for ``atomic_file``. Raises UnusablePath; an error of standard output is left to ``exit_codes``.
    """
    if name is not None and name != "-":
        with atomic_file(name, large=large) as file:
            yield file
        return
    # Text printed earlier comes first.
    sys.stdout.flush()
    stream = getattr(sys.stdout, "buffer", None) or sys.stdout
    yield stream
    stream.flush()


# ---- Notebooks of exercises


def exercises_folder(teachers: Iterable[Collection] = ()) -> Path:
    """Return the folder of the learner's exercises, relative to the current folder.

    teachers : the collections that ``--exercises`` names; the exercises of the first that has some are meant.

    Otherwise that is the current folder if it has notebooks of exercises; else the copies that ``minbpe-course learn``
    made; else ``exercises``, if the lessons were copied here; else the current folder.
    """
    for collection in teachers:
        if collection.released.is_dir():
            return collection.released
    here = Path.cwd()
    if any(here.glob("[0-9][0-9]_*.ipynb")):
        return here
    copies = [default_folder()] if here == checkout() else [here, here / DEFAULT_FOLDER]
    return next((each / "exercises" for each in [*copies, here] if (each / "exercises").is_dir()), here)


def exercise_notebooks(teachers: Sequence[Collection] = ()) -> list[Path]:
    """Return the learner's notebooks of exercises, or the teachers' that ``--exercises`` names.

    Raises MissingFile if there are no such notebooks.
    """
    if teachers:
        folder, how = teachers[0].released, f"write them first: minbpe-course release --exercises {teachers[0].name}"
        found = [path for collection in teachers for path in sorted(collection.released.glob("*.ipynb"))]
    else:
        folder, how = exercises_folder(), "copy the exercises first: minbpe-course learn --no-open"
        found = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    if not found:
        raise MissingFile(f"there is no notebook of exercises in {folder}. Name yours, or {how}")
    return found


def must_be_exercises(path: Path, notebook: Notebook) -> None:
    """Raise ExercisesProblem for a lesson: its functions have the names of answers but are not the learner's."""
    if not any(cell.grade_id or "answer" in cell.tags or "check(" in cell.source for cell in notebook.cells):
        raise ExercisesProblem(
            f"{path} is not a notebook of exercises: it contains no check. Those are in the folder exercises, "
            "for example exercises/02_naive_bpe.ipynb"
        )
    root = checkout()
    copy = default_folder() / "exercises" / path.name
    if root is not None and path.absolute().parent == root / "exercises" and copy.is_file():
        tell(f"{path} is the original; your copy is {copy}")
