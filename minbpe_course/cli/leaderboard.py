"""Measure your tokenizer on held-out text, and keep a leaderboard next to its file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.conform import caller_for
from minbpe_course.cli.grade import seed_of
from minbpe_course.cli.terminal import say
from minbpe_course.errors import InvalidOption
from minbpe_course.files import read_whole

if TYPE_CHECKING:
    from minbpe_course.learning.practice.contest import Refused
    from minbpe_course.learning.practice.held_out import HeldOut
    from minbpe_course.learning.practice.leaderboard import Entry

LONGEST_NAME = 40
EXAMPLES = """\
minbpe-course leaderboard --baselines
minbpe-course leaderboard my_tokenizer.py --name mine
minbpe-course leaderboard my_tokenizer.py --model my_tokenizer.model --name mine --seed-file seed.txt
minbpe-course leaderboard design.py --entry build --texts essays/*.txt --parallel udhr/*.txt
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("module", nargs="?", type=Path, metavar="FILE", help="for example my_tokenizer.py")
    parser.add_argument(
        "--entry", default="MyTokenizer", metavar="NAME", help="the class, or a function that returns a tokenizer"
    )
    parser.add_argument("--name", help="of the entry (default: the name of the file)")
    parser.add_argument(
        "--model", type=Path, metavar="FILE", help="what a class has saved (default: the .model file next to FILE)"
    )
    parser.add_argument("--baselines", action="store_true", help="measure gpt2, cl100k_base, ... on the same texts too")
    parser.add_argument("--seed-file", type=Path, help="a file with the secret that decides which passages count")
    parser.add_argument("--seed", help="the secret itself, for a trial (without one: the texts of lesson 18)")
    parser.add_argument("--texts", nargs="+", metavar="FILE", help="texts of your own in place of those drawn")
    parser.add_argument("--parallel", nargs="+", metavar="FILE", help="one file a language, all of the same content")
    parser.add_argument("--board", type=Path, help="where the entries are kept (default: next to the file)")


def run(args: argparse.Namespace) -> int:
    """Measure, print the board, and return 0, or 1 if an entry was refused."""
    from minbpe_course.learning.judge.equality import one_line
    from minbpe_course.learning.practice.contest import baselines, measure
    from minbpe_course.learning.practice.leaderboard import NAME, Entry, enter
    from minbpe_course.learning.practice.views.standings import BoardView

    held = _held_out(args)
    path = args.board or (args.module.absolute().parent if args.module else Path.cwd()) / NAME
    name = one_line(args.name or "", LONGEST_NAME) or (args.module.stem if args.module else "")
    results: list[Entry | Refused] = []
    if args.module:
        results.append(_measured(args, name, held))
    if args.baselines:
        results += [measure(known, entry, held) for known, entry in baselines().items()]
    entries, notes = enter(path, [each for each in results if isinstance(each, Entry)])
    entries = [each for each in entries if each.texts == held.name]
    caption = f"texts {held.name}" + ("" if args.texts or _has_seed(args) else ", which everybody has")
    say(repr(BoardView(entries, {name}, caption, notes)))
    refused = [each for each in results if not isinstance(each, Entry)]
    for each in refused:
        say(f"{each.name} is not measured: {each.reason}")
    return 1 if refused else 0


def _measured(args: argparse.Namespace, name: str, held: HeldOut) -> Entry | Refused:
    from minbpe_course.learning.judge.conformance import Candidate
    from minbpe_course.learning.judge.conformance.recipes import ITSELF, saved
    from minbpe_course.learning.practice.contest import measured

    # One process encodes and another decodes, so that only ids pass from one to the other.
    with caller_for(args.module, args.entry) as one, caller_for(args.module, args.entry) as other:
        encoder, recipe = Candidate(one, name), ITSELF
        if "load" in encoder.abilities:
            path = args.model or args.module.with_suffix(".model")
            if not path.is_file():
                raise InvalidOption(f"{args.entry} has learned nothing yet: save it, then add --model FILE.")
            recipe = saved(_text(path))
        return measured(encoder, Candidate(other, name), held, recipe)


def _held_out(args: argparse.Namespace) -> HeldOut:
    from minbpe_course.cli.sources import named_files
    from minbpe_course.learning.practice.held_out import held_out, own_texts

    texts = {path.name: [_text(path)] for path in named_files(args.texts or ())}
    parallel = {path.stem: [_text(path)] for path in named_files(args.parallel or ())}
    if texts and parallel:
        return own_texts(texts, parallel)
    drawn = held_out(seed_of(args, None) if _has_seed(args) else None)
    return own_texts(texts or drawn.texts, parallel or drawn.parallel) if texts or parallel else drawn


def _has_seed(args: argparse.Namespace) -> bool:
    from minbpe_course.learning.grading.seeds import VARIABLE

    return args.seed is not None or args.seed_file is not None or VARIABLE in os.environ


def _text(path: Path) -> str:
    return read_whole(path).decode("utf-8-sig", "replace")
