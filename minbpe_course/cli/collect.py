"""Join your answers to lessons 01 to 05 into one module of your own, my_tokenizer.py."""

from __future__ import annotations

import argparse
from pathlib import Path

from minbpe_course.cli.sources import exercise_notebooks, exercises_folder, must_be_exercises, named_files
from minbpe_course.cli.terminal import say
from minbpe_course.errors import ExercisesProblem
from minbpe_course.files import read_whole, write_whole

LESSONS = ("01", "02", "03", "04", "05")

EXAMPLES = """\
minbpe-course collect
minbpe-course collect exercises/0[1-5]*.ipynb
minbpe-course collect exercises/0[1-5]*.ipynb --out tokenizer_of_mine.py
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "notebooks",
        nargs="*",
        metavar="NOTEBOOK",
        help="for example exercises/0[1-5]*.ipynb (default: those that minbpe-course learn copied for you)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="the module to write (default: my_tokenizer.py, here; with no notebook named, next to exercises)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the module; return 0 if no answer is missing, 1 otherwise."""
    from minbpe_course.learning.grading.released import questions
    from minbpe_course.learning.judge.catalogue import COURSE
    from minbpe_course.learning.practice.collect_answers import collect, glue_for
    from minbpe_course.learning.submissions.notebook_cells import questions_in, read_notebook

    paths = named_files(args.notebooks) if args.notebooks else exercise_notebooks("0[1-5]_*.ipynb")
    out = args.out or (Path() if args.notebooks else _folder_of_module(exercises_folder())) / "my_tokenizer.py"
    notebooks = [read_notebook(read_whole(path), path.name) for path in paths]
    for path, notebook in zip(paths, notebooks):
        must_be_exercises(path, notebook)
    asked = [exercise for lesson in LESSONS for exercise in COURSE.exercises(lesson)]
    everything = questions(asked, untouched=False)
    chosen = questions_in(notebooks, everything)
    if not chosen:
        raise ExercisesProblem("no notebook here has an answer to lessons 01 to 05; name those in exercises/.")
    glue = glue_for({one.exercise.entry for one in chosen})
    made = collect(notebooks, chosen, glue)
    write_whole(out, made.source.encode("utf-8"))
    say(f"{out}: {made.summary()}")
    if not glue:
        left = [lesson for lesson in LESSONS if lesson not in {one.exercise.lesson for one in chosen}]
        say(f"It is not a tokenizer yet: name the notebooks of lessons {', '.join(left)} as well.")
    if made.blank or made.broken:
        say("Write what is missing, save the notebooks, and run the same command again.")
    elif glue:
        say(f"It is a tokenizer: from {out.stem} import MyTokenizer")
    return 1 if made.blank or made.broken else 0


def _folder_of_module(exercises: Path) -> Path:
    """Return the folder where lesson 18 looks for the module: the parent of the exercises."""
    return exercises.parent if exercises.name == "exercises" else exercises
