"""Find the exercises that an author edits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.lessons import checkout
from minbpe_course.errors import InvalidOption, MissingFile

if TYPE_CHECKING:
    from minbpe_course.learning.judge.catalogue import Collection


def authored(args: argparse.Namespace, *, new: bool = False) -> Collection:
    """Return the collection to edit: the folder of ``--exercises``, or the current one if it has ``checks``.

    In a checkout it is the course otherwise. new : whether the folder may be missing.

    Raises MissingFile, InvalidOption.
    """
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.judge.catalogue import COURSE, Collection, add_collection

    folders = args.exercises or ["."] * Path("checks").is_dir()
    if len(folders) > 1:
        raise InvalidOption("give --exercises once: this verb edits one folder.")
    if folders:
        known = Path(folders[0], "checks").is_dir() or not new
        return add_collection(folders[0], "--exercises homework") if known else Collection.in_folder(folders[0])
    if checkout() is None:
        raise MissingFile(
            "whose exercises? Name the folder of yours: --exercises homework. Make one: minbpe-course new-assignment "
            "homework"
        )
    return COURSE


def from_here(path: Path) -> str:
    """Return a path as one would type it: relative to the current folder, if it is in there."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
