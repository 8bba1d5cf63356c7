"""Find the exercises that an author edits, and say what changed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.lessons import checkout
from minbpe_course.cli.options import exercises_as_typed
from minbpe_course.cli.terminal import say
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


def say_changed(args: argparse.Namespace, paths: Iterable[Path], collection: Collection, *, gone: bool = True) -> None:
    """Print the files that changed, and what to type next; if the key is gone, also where it is still named."""
    from minbpe_course.learning.assignments.edit_exercises import mentions

    for path in paths:
        say(f"{from_here(path)}: {'written' if path.exists() else 'deleted'}")
    places = list(mentions(collection, args.key)) if gone else []
    if places:
        say("\n".join([f"Here {args.key} is still named:", *(f"  {from_here(Path(place))}" for place in places)]))
    say(f"Next: minbpe-course release{exercises_as_typed(args)}")
