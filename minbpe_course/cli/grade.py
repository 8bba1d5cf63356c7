"""Grade a class: from a folder or zip of submissions to a gradebook and reports; run it again to continue."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone, tzinfo
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.options import NEXT_TO_THE_FILE, add_exercises_arg, refuse, typed_text, use_exercises_arg
from minbpe_course.cli.terminal import ProgressLine, say, tell
from minbpe_course.errors import (
    GradingProblem,
    InvalidOption,
    MinbpeCourseError,
    UnusablePath,
)
from minbpe_course.files import write_whole
from minbpe_course.resources.threads import cores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from minbpe_course.learning.assignments.assignment import Assignment
    from minbpe_course.learning.grading.asked import Asked
    from minbpe_course.learning.grading.gradebook import Gradebook
    from minbpe_course.learning.grading.present import Row
    from minbpe_course.learning.grading.sandbox.base import Sandbox
    from minbpe_course.learning.submissions.intake import Intake
    from minbpe_course.learning.submissions.notebook_cells import Question

LINES_SAID = 20
EXAMPLES = """\
minbpe-course grade submissions/ --out marks --seed-file seed.txt
minbpe-course grade moodle_download.zip --out marks --seed-file seed.txt --only 02 03.split
minbpe-course grade submissions/ --out marks --seed-file seed.txt --jobs 2 --fresh
minbpe-course grade submissions/ --out marks --assignment homework/hw1.toml
minbpe-course grade --out marks --set ada 02.merge 1.5 --comment "the idea is right"
minbpe-course grade --out marks --export moodle --roster Grades.csv --to upload.csv
minbpe-course grade --out marks --seed-file seed.txt --merge their_marks
minbpe-course grade submissions/ --out marks --seed-file seed.txt --explain ada 02.merge
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "submissions",
        nargs="?",
        type=Path,
        metavar="SUBMISSIONS",
        help="a folder for each learner; or the bulk zip of a platform; nothing to change or export marks in --out",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where gradebook and reports go")
    add_seed_args(parser)
    parser.add_argument(
        "--assignment", type=Path, metavar="FILE", help="what is asked, and for how many points: hw1.toml"
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="lessons (02) and questions (02.merge)")
    add_exercises_arg(parser)
    parser.add_argument(
        "--late", type=_moment, metavar="DUE", help="when answers are late: 2026-10-12, or 2026-10-12T18:00:00+02:00"
    )
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="at once (default: one more than cores)")
    parser.add_argument("--rung", metavar="NAME", help="the sandbox to use (default: the best; see doctor)")
    parser.add_argument(
        "--allow-unsandboxed", action="store_true", help="run answers even where nothing protects this machine"
    )
    parser.add_argument(
        "--patience",
        type=_factor,
        default=1.0,
        metavar="FACTOR",
        help="let cells run so many times as long (default: 1)",
    )
    parser.add_argument("--fresh", action="store_true", help="throw earlier marks in DIR away and begin again")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of sentences")
    parser.add_argument(
        "--explain",
        nargs=2,
        metavar=("LEARNER", "KEY"),
        help="for your eyes: run this answer again, and show the case that fails; mark and write nothing",
    )
    later = parser.add_argument_group("after grading", "with --out alone; the reports are written again")
    later.add_argument(
        "--set",
        nargs=3,
        metavar=("LEARNER", "KEY", "POINTS"),
        help="give points by hand, which stay when the answer is graded again; POINTS may be 'graded' to undo it",
    )
    about = "with --set: what the learner reads about it"
    later.add_argument("--comment", type=typed_text, default="", metavar="TEXT", help=about)
    later.add_argument(
        "--set-from", type=Path, metavar="FILE", help="the same for each row with points of --export written"
    )
    later.add_argument("--by", default="", metavar="NAME", help="with both: who says so (default: your user name)")
    later.add_argument(
        "--handed-in",
        nargs=2,
        metavar=("LEARNER", "TIME"),
        help="when the answers were handed in whose time is not known, or all",
    )
    later.add_argument("--drop", nargs="+", default=[], metavar="LEARNER", help="learners who have left the class")
    later.add_argument("--restore", nargs="+", default=[], metavar="LEARNER", help="take dropped learners back")
    later.add_argument(
        "--merge", type=Path, metavar="DIR", help="take in the marks of another grader, made with the same seed"
    )
    out = later.add_mutually_exclusive_group()
    out.add_argument(
        "--export",
        choices=("canvas", "moodle", "gradescope", "csv", "written"),
        help="write one table: a row for a learner, a column for a question or for the total; or the texts to mark",
    )
    later.add_argument(
        "--roster", type=Path, metavar="FILE", help="with --export canvas or moodle: what it exported, to be filled"
    )
    out.add_argument("--feedback", choices=("canvas", "moodle"), help="write a zip of all reports to upload there")
    later.add_argument(
        "--to", type=Path, metavar="FILE", help="with --export or --feedback: the file to write (default: in --out)"
    )


def _moment(text: str, zone: tzinfo | None = None) -> str:
    with suppress(ValueError):
        # Before 3.11, Python does not read a Z. A date without a time is the end of that day.
        whole = datetime.fromisoformat(re.sub("Z$", "+00:00", text) if len(text) > 10 else f"{text}T23:59:59")
        return (whole if whole.tzinfo else whole.replace(tzinfo=zone) if zone else whole.astimezone()).isoformat()
    raise argparse.ArgumentTypeError(f"{text!r} is not a date; type 2026-10-12, or 2026-10-12T18:00:00+02:00")


def _factor(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0; for twice the time: --patience 2")


def add_seed_args(parser: argparse.ArgumentParser) -> None:
    """Declare the ways to give the secret seed."""
    parser.add_argument("--seed", metavar="SECRET", help="seed of the hidden cases; other users can see it here")
    parser.add_argument(
        "--seed-file", type=Path, metavar="FILE", help="a file with the seed; or set MINBPE_COURSE_SEED"
    )


def run(args: argparse.Namespace) -> int:
    """Grade, or change what was graded; write the reports, and say where they are.

    Return 1 if an answer in the reports could not be graded, or a learner is missing from an export, else 0.
    """
    refuse({"--comment": args.comment and not args.set}, "{} goes with --set LEARNER KEY POINTS.")
    refuse({"--exercises": args.assignment and args.exercises}, NEXT_TO_THE_FILE)
    refuse({"--to": args.to and not (args.export or args.feedback)}, "{} goes with --export or --feedback.")
    refuse({"--by": args.by and not (args.set or args.set_from)}, "{} goes with --set and --set-from.")
    changes = (args.set, args.set_from, args.handed_in, args.drop, args.restore, args.merge)
    later = any((*changes, args.export, args.feedback))
    if later if args.submissions is not None else not (later or args.assignment):
        raise InvalidOption(
            "name the folder or the zip of submissions to grade, also with --explain; or, for the marks in --out, one "
            "of --set, --set-from, --handed-in, --drop, --restore, --merge, --export and --feedback; or --assignment "
            "FILE after changing it."
        )
    if args.submissions is None or args.explain:
        grading = {"--only": args.only, "--fresh": args.fresh, "--json": args.json, "--jobs": args.jobs}
        grading["--late"] = args.late and (args.explain or not args.assignment)
        grading["--explain"] = args.explain and args.submissions is None
        refuse(grading, "{} goes with the submissions to grade, and changes nothing here. Leave it out.")
    if (args.export in ("canvas", "moodle")) != (args.roster is not None):
        raise InvalidOption(
            "--roster FILE goes with --export canvas (the file of Grades > Export) and --export moodle (the file of "
            "Download grading worksheet): that file is filled."
        )
    try:
        return _change(args) if args.submissions is None else _explain(args) if args.explain else _run(args)
    except OSError as error:
        if isinstance(error, MinbpeCourseError) or error.filename is None:
            raise
        raise UnusablePath(
            f"{str(error.filename)[:300]}: {error.strerror}. Marks made so far are kept: fix it, and run it again."
        ) from error


def _run(args: argparse.Namespace) -> int:
    # Imported here, so that the other verbs start without the exercises.
    from minbpe_course.learning.grading.asked import ABOUT, Asked, restored
    from minbpe_course.learning.grading.batch import grade, sandboxed
    from minbpe_course.learning.grading.gradebook import Gradebook
    from minbpe_course.learning.grading.handed_in import lesson_of
    from minbpe_course.learning.grading.mark_rules import rules_of
    from minbpe_course.learning.grading.marking import BY_HAND
    from minbpe_course.learning.grading.reports.writing import write_class, write_learner
    from minbpe_course.learning.grading.sandbox.base import Limits
    from minbpe_course.learning.submissions.intake import read_submissions

    use_exercises_arg(args)
    refuse({"--only": args.assignment and args.only}, "{} cannot go with --assignment, which names the questions.")
    folders = tuple(str(Path(folder).absolute()) for folder in args.exercises)
    asked = Asked(
        tuple(args.only), str(args.assignment.absolute()) if args.assignment else "", folders, args.late or ""
    )
    seed = seed_of(args, asked.file)
    if args.submissions.is_dir() and args.out.resolve() == args.submissions.resolve():
        raise GradingProblem(
            f"{args.out} holds the submissions, and reports would be written into the folders of learners. "
            f"Name another folder, for example --out {args.out.with_name('marks')}."
        )
    limits = Limits().with_patience(args.patience)
    sandbox = _sandbox(args)
    known = asked.known
    # The names of all notebooks, also of those that are not asked for: "ada_week2" must not become a learner.
    intake = read_submissions(args.submissions, {lesson_of(question) for question in known})
    _say_some([f"not read: {refusal.path} {refusal.why}" for refusal in intake.refusals])
    if intake.base:
        _say(f"the learners are those in {intake.base} ({intake.layout})")
    found = str(args.submissions.resolve()) if args.submissions.is_dir() else ""
    with Gradebook(args.out, seed, fresh=args.fresh) as gradebook:
        before = restored(gradebook.recall(ABOUT) or Asked().stored())
        _require_same(before, asked, args.out)
        if not asked.questions:
            asked = replace(asked, names=_the_lesson(intake, gradebook, known))
        left_out = []
        if not asked.questions:
            left_out.append(
                "No answer to any question was found in these notebooks. Exercises of your own are named with "
                "--exercises FOLDER, and a class without notebooks with --only LESSON."
            )
        questions = asked.questions
        present = asked.present(gradebook)
        dropped = {one.id for one in gradebook.everyone() if one.gone == "dropped"}
        submissions = [one for one in intake.submissions if one.owner.id not in dropped]
        if out := dropped & {one.owner.id for one in intake.submissions}:
            left_out.append(f"Dropped before, so not graded: {', '.join(sorted(out))}. To take one back: --restore")
        with ProgressLine() as line:
            done = grade(
                submissions,
                questions,
                rules_of(questions),
                gradebook,
                seed,
                open_caller=sandboxed(sandbox, limits),
                sandbox=sandbox.name,
                seconds=limits.notebook,
                known=known,
                found=found,
                # A job waits for its processes again and again.
                jobs=args.jobs or cores() + 1,
                progress=lambda done: line.show(f"{done.learners} of {done.of} learners"),
                finished=lambda id: write_learner(args.out, present.row(id), asked.exercises),
            )
        here = {submission.owner.id for submission in submissions}
        gone = [one.id for one in gradebook.learners() if found and one.found == found and one.id not in here]
        gradebook.let_go(gone, "missing")
        if gone:
            left_out.append(f"No longer in {args.submissions}, so not in the reports: {', '.join(gone)}")
        about = {
            "sandbox": sandbox.name,
            "guarantees": sandbox.guarantees,
            "refusals": [(one.path, one.why) for one in intake.refusals],
            "left_out": left_out,
        }
        gradebook.remember(ABOUT, asked.stored())
        gradebook.remember("report", json.dumps(about))
        _say_some(left_out)
        rows = write_class(args.out, asked, gradebook, about, written=here)
        everyone = [row.learner for row in rows if row.learner.id in here]
        _say_some([f"{learner.id}: {problem}" for learner in everyone for problem in learner.problems])
        _say_about(rows)
    open = [one.mark.reason == BY_HAND for row in rows for one in row.marks if one.mark.state == "not graded"]
    by_hand, not_graded = open.count(True), open.count(False)
    problems = sum(bool(learner.problems) for learner in everyone)
    said = {
        "learners": done.learners, "questions": len(questions), "seconds": round(done.seconds, 2),
        "sandbox": sandbox.name, "layout": intake.layout, "marked": done.marked, "kept": done.kept,
        "not_graded": not_graded, "by_hand": by_hand, "problems": problems, "refused": len(intake.refusals),
        "left_out": left_out, "out": str(args.out),
    }  # fmt: skip
    say(json.dumps(said) if args.json else _sentences(said))
    return 1 if not_graded or not questions else 0


def _sentences(said: Mapping[str, Any]) -> str:
    """Return what was done, how many problems there are, and where to look."""
    made = [
        f"Learners: {said['learners']}, questions: {said['questions']}, answers graded: {said['marked']}, as before: "
        f"{said['kept']}, in {said['seconds']:.0f} seconds and the sandbox {said['sandbox']}."
    ]
    if said["not_graded"]:
        made.append(
            f"Not graded: {said['not_graded']}. These scores are empty, and summary.html says why. Run the same "
            "command again to try them, with --patience 2 if cells took too long."
        )
    if said["by_hand"]:
        made.append(
            f"To be marked by hand: {said['by_hand']}. For each: --set LEARNER KEY POINTS, or all: --export written"
        )
    if said["problems"]:
        made.append(f"Learners with something odd about their files: {said['problems']}.")
    return "\n".join([*made, f"Look at: {Path(said['out']) / 'summary.html'}"])


def seed_of(args: argparse.Namespace, assignment: Assignment | None) -> str:
    """Return the seed that the options, the assignment or the environment give; tell if it is short."""
    from minbpe_course.learning.grading.seeds import find_seed

    seed_file = args.seed_file or (assignment.seed_file if assignment is not None and not args.seed else None)
    seed, warning = find_seed(args.seed, seed_file, os.environ)
    if warning:
        tell(f"minbpe-course: {warning}")
    return seed


def _explain(args: argparse.Namespace) -> int:
    """Show what happens to one answer."""
    from minbpe_course.learning.grading.afterwards import open_marks
    from minbpe_course.learning.grading.batch import sandboxed
    from minbpe_course.learning.grading.explain import explain
    from minbpe_course.learning.grading.handed_in import lesson_of
    from minbpe_course.learning.grading.sandbox.base import Limits
    from minbpe_course.learning.submissions.intake import read_submissions

    use_exercises_arg(args)
    with open_marks(args.out) as (gradebook, asked, _):
        seed = seed_of(args, asked.file)
        gradebook.check_seed(seed)
        sandbox = _sandbox(args)
        opened = sandboxed(sandbox, Limits().with_patience(args.patience))
        delivered = read_submissions(args.submissions, {lesson_of(question) for question in asked.known}).submissions
        learner, key = args.explain
        say(explain(gradebook, asked, delivered, learner, key, seed, opened))
    return 0


def _change(args: argparse.Namespace) -> int:
    """Carry out the options that change or export marks after grading, and write the reports again."""
    from minbpe_course.learning.grading.afterwards import merge_marks, open_marks, set_from, set_points
    from minbpe_course.learning.grading.asked import ABOUT
    from minbpe_course.learning.grading.reports.feedback import feedback
    from minbpe_course.learning.grading.reports.pages import lateness
    from minbpe_course.learning.grading.reports.tables import table
    from minbpe_course.learning.grading.reports.writing import write_class

    problems: list[str] = []
    with open_marks(args.out) as (gradebook, asked, about):
        if args.assignment:
            before, due = asked, args.late or ""
            asked = replace(before, names=(), assignment=str(args.assignment.absolute()), due=due)
            _require_same(before, asked, args.out)
            gradebook.remember(ABOUT, asked.stored())
            points = sum(one.points for one in asked.exercises.values())
            say(f"Asked now, for {points:g} points: {', '.join(asked.exercises)}")
        who = _who(args) if args.set or args.set_from else ""
        if args.set:
            learner, key, points = args.set
            say(set_points(gradebook, asked, learner, key, points, comment=args.comment, who=who))
        if args.set_from:
            said, problems = set_from(gradebook, asked, args.set_from, who)
            say("\n".join(said) or f"No row of {args.set_from} has points.")
        if args.handed_in:
            try:
                zone = due.tzinfo if (due := asked.present(gradebook).due) else None  # the teacher's time zone
                when = datetime.fromisoformat(_moment(args.handed_in[1], zone)).astimezone(timezone.utc).isoformat()
            except argparse.ArgumentTypeError as problem:
                raise InvalidOption(f"--handed-in: {problem}") from None
            id = gradebook.learner(args.handed_in[0]).id
            gradebook.date(id, when)
            say(f"{id}: handed in at {when}. {lateness(asked.present(gradebook).row(id))}".rstrip())
        if args.merge:
            seed = seed_of(args, asked.file)
            gradebook.check_seed(seed)
            with open_marks(args.merge) as (other, _, _):
                other.check_seed(seed)
                say("\n".join(merge_marks(gradebook, asked, other)))
        for names, why in ((args.drop, "dropped"), (args.restore, "")):
            ids = [gradebook.learner(name).id for name in names]
            gradebook.let_go(ids, why)
            if ids:
                say(f"{why or 'taken back'}: {', '.join(ids)}")
        rows = write_class(args.out, asked, gradebook, about)
        _say_about(rows)
        say(f"Written again: {args.out / 'summary.html'}, grades.csv and the reports")
        if args.export:
            data, more = table(args.export, rows, asked, args.roster)
            problems += more
            to = args.to or args.out / ("texts.csv" if args.export == "written" else "grades.export.csv")
            if args.export == "written" and to.exists():
                raise UnusablePath(f"{to} exists, and may hold your points. Give it to --set-from, and then delete it.")
            say(f"Written: {write_whole(to, data)}")
        elif args.feedback:
            data, more = feedback(args.feedback, rows, asked.exercises)
            problems += more
            say(f"Written: {write_whole(args.to or args.out / 'feedback.zip', data)}")
    _say_some(problems)
    return 1 if problems else 0


def _require_same(before: Asked, asked: Asked, out: Path) -> None:
    """Refuse to write the marks of one assignment into the folder of another."""
    from minbpe_course.learning.assignments.assignment import name_of

    if asked.file is not None and before.assignment and name_of(Path(before.assignment)) != asked.file.name:
        raise GradingProblem(
            f"{out} holds the marks of {before.assignment}. Give each assignment its own folder: "
            f"--out {out}_{asked.file.name}"
        )


def _who(args: argparse.Namespace) -> str:
    with suppress(OSError, KeyError, ImportError):  # a container may run as a user without a name
        return str(args.by or getuser())
    raise InvalidOption("the name of this user is not known. Say who gives the points: --by NAME")


def _say_about(rows: Sequence[Row]) -> None:
    """Name the learners who share a name, and those who may have been late: the time of their work is unknown."""
    ids: dict[str, list[str]] = {}
    for row in rows:
        ids.setdefault(row.learner.name.casefold(), []).append(row.learner.id)
    same = [group for group in ids.values() if len(group) > 1]
    _say_some([f"{', '.join(group)} have the same name. If they are one, --drop one" for group in same])
    if undated := [row.learner.id for row in rows if row.undated]:
        _say(
            f"not known when it was handed in, so nothing is taken off: {', '.join(undated)}. "
            "To say when: --handed-in LEARNER TIME"
        )


def _the_lesson(intake: Intake, gradebook: Gradebook, known: Sequence[Question]) -> tuple[str, ...]:
    """Return the one lesson that this class works in, according to this and earlier deliveries."""
    from minbpe_course.learning.grading.asked import the_lesson
    from minbpe_course.learning.grading.handed_in import handed_in

    worked = {learner.id: set(learner.worked) for learner in gradebook.learners()}
    handed = []
    for submission in intake.submissions:
        looked = [handed_in(notebook, known) for notebook in submission.read().notebooks]
        worked.setdefault(submission.owner.id, set()).update(*(one.worked for one in looked))
        handed.append(set().union(*(one.handed for one in looked)))
    return the_lesson(list(worked.values()) if any(worked.values()) else handed, known)


def _sandbox(args: argparse.Namespace) -> Sandbox:
    """Return the sandbox that was asked for, or the best one; the last rung only with ``--allow-unsandboxed``."""
    from minbpe_course.learning.grading.sandbox.bare import Bare
    from minbpe_course.learning.grading.sandbox.choose_sandbox import best, by_name

    sandbox = by_name(args.rung) if args.rung else best()
    if sandbox.name == Bare.name and not args.allow_unsandboxed:
        raise GradingProblem(
            f"the sandbox {sandbox.name!r} may not keep an answer from your files and the network, and it was chosen "
            "with --rung or is the only one that works here.\nSee what can be done: minbpe-course doctor\n"
            "If you trust every submission, or this machine has nothing to lose: --allow-unsandboxed"
        )
    return sandbox


def _say_some(lines: Sequence[str]) -> None:
    for line in lines[:LINES_SAID]:
        _say(line)
    if len(lines) > LINES_SAID:
        _say(f"and {len(lines) - LINES_SAID} more of this kind; see summary.html")


def _say(line: str) -> None:
    tell(f"minbpe-course grade: {line}")
