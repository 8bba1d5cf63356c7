"""Measure your tokenizer on a hidden corpus, and keep a leaderboard next to its file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from minbpe_course.cli.conform import caller_for
from minbpe_course.cli.grade import seed_of
from minbpe_course.cli.terminal import say
from minbpe_course.files import read_whole

if TYPE_CHECKING:
    from minbpe_course.learning.practice.contest import Refused
    from minbpe_course.learning.practice.hidden_corpus import HiddenCorpus
    from minbpe_course.learning.practice.leaderboard import Entry

LONGEST_NAME = 40
EXAMPLES = """\
minbpe-course leaderboard --baselines
minbpe-course leaderboard my_tokenizer.py --name mine --vocab-size 400
minbpe-course leaderboard design.py --entry build --name design --seed-file seed.txt
minbpe-course leaderboard design.py --texts essays/*.txt --parallel udhr/*.txt
"""


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("module", nargs="?", type=Path, metavar="FILE", help="for example my_tokenizer.py")
    parser.add_argument(
        "--entry", default="MyTokenizer", metavar="NAME", help="the class, or a function that returns a tokenizer"
    )
    parser.add_argument("--name", help="of the entry (default: the name of the file)")
    parser.add_argument("--vocab-size", type=int, default=400, help="for a class with train (default: 400)")
    parser.add_argument(
        "--baselines", action="store_true", help="measure gpt2, cl100k_base, ... on the same corpus too"
    )
    parser.add_argument("--seed-file", type=Path, help="a file with the secret from which the corpus is drawn")
    parser.add_argument("--seed", help="the secret itself, for a trial (default: practice, which is no secret)")
    parser.add_argument("--texts", nargs="+", metavar="FILE", help="texts of your own in place of those drawn")
    parser.add_argument("--parallel", nargs="+", metavar="FILE", help="one file a language, all of the same content")
    parser.add_argument("--board", type=Path, help="where the entries are kept (default: next to the file)")


def run(args: argparse.Namespace) -> int:
    """Measure, print the board, and return 0, or 1 if an entry was refused."""
    from minbpe_course.learning.judge.equality import one_line
    from minbpe_course.learning.practice.contest import baselines, measure
    from minbpe_course.learning.practice.leaderboard import NAME, Entry, enter
    from minbpe_course.learning.practice.views.standings import BoardView

    corpus = _corpus(args)
    path = args.board or (args.module.absolute().parent if args.module else Path.cwd()) / NAME
    name = one_line(args.name or "", LONGEST_NAME) or (args.module.stem if args.module else "")
    results: list[Entry | Refused] = []
    if args.module:
        results.append(_measured(args, name, corpus))
    if args.baselines:
        results += [measure(known, entry, corpus) for known, entry in baselines().items()]
    entries, notes = enter(path, [each for each in results if isinstance(each, Entry)])
    entries = [each for each in entries if each.corpus == corpus.name]
    caption = f"corpus {corpus.name}" + (
        "" if args.texts or _has_seed(args) else ", drawn from a seed that everybody has"
    )
    say(repr(BoardView(entries, {name}, caption, notes)))
    refused = [each for each in results if not isinstance(each, Entry)]
    for each in refused:
        say(f"{each.name} is not measured: {each.reason}")
    return 1 if refused else 0


def _measured(args: argparse.Namespace, name: str, corpus: HiddenCorpus) -> Entry | Refused:
    from minbpe_course.learning.judge.conformance import Candidate
    from minbpe_course.learning.practice.contest import measured

    # One process encodes and another decodes, so that only ids pass from one to the other.
    with caller_for(args.module, args.entry) as one, caller_for(args.module, args.entry) as other:
        return measured(Candidate(one, name), Candidate(other, name), corpus, args.vocab_size)


def _corpus(args: argparse.Namespace) -> HiddenCorpus:
    from minbpe_course.cli.sources import named_files
    from minbpe_course.learning.practice.hidden_corpus import hidden_corpus, own_corpus

    texts = [_text(path) for path in named_files(args.texts or ())]
    parallel = {path.stem: _text(path) for path in named_files(args.parallel or ())}
    if texts and parallel:
        return own_corpus(texts, parallel)
    drawn = hidden_corpus(seed_of(args, None) if _has_seed(args) else "practice")
    return own_corpus(texts or drawn.texts, parallel or drawn.parallel) if texts or parallel else drawn


def _has_seed(args: argparse.Namespace) -> bool:
    from minbpe_course.learning.grading.seeds import VARIABLE

    return args.seed is not None or args.seed_file is not None or VARIABLE in os.environ


def _text(path: Path) -> str:
    return read_whole(path).decode("utf-8-sig", "replace")
