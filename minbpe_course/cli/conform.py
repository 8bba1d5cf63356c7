"""Try the rules of the conformance suite on a tokenizer of your own, in a sandbox."""

from __future__ import annotations

import argparse
import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minbpe_course.cli.terminal import say
from minbpe_course.errors import InvalidOption
from minbpe_course.files import read_whole

if TYPE_CHECKING:
    from minbpe_course.learning.grading.running import RemoteCaller

EXAMPLES = """\
minbpe-course conform my_tokenizer.py
minbpe-course conform my_tokenizer.py --only earliest-merge-first ids-of-gpt2
minbpe-course conform design.py --entry build
minbpe-course conform --rules
"""
SECONDS, WHOLE = 25.0, 400.0  # per call and in total: rebuilding 200,000 tokens in plain Python takes five seconds
MEMORY, RESULT = 1 << 30, 4 << 20
PACKAGES = ("regex", "numpy")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("module", nargs="?", type=Path, metavar="FILE", help="for example my_tokenizer.py")
    parser.add_argument(
        "--entry",
        default="MyTokenizer",
        metavar="NAME",
        help="a class as in minbpe: T(pattern), train, register_special_tokens; or a function that returns a tokenizer",
    )
    parser.add_argument("--only", nargs="+", metavar="RULE", help="try these rules and no others")
    parser.add_argument("--seed", default="practice", help="seed of the random texts (default: practice)")
    parser.add_argument("--rules", action="store_true", help="print the rules with their reasons, and try nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of texts")


def run(args: argparse.Namespace) -> int:
    """Print the verdicts; return 0 if no rule is broken, 1 otherwise."""
    from minbpe_course.learning.judge.conformance import RULES, Candidate, report_on
    from minbpe_course.learning.practice.conform import ReportView

    if args.rules:
        say("\n".join(f"{rule.name}\n    {rule.title}.\n    {rule.why}" for rule in RULES))
        return 0
    if args.module is None:
        raise InvalidOption("name the file with your tokenizer: minbpe-course conform my_tokenizer.py")
    caller = caller_for(args.module, args.entry)
    with caller:
        report = ReportView(**vars(report_on(Candidate(caller, args.module.name), args.seed, args.only)))
    if args.json:
        say(json.dumps(_as_json(report, caller)))
    else:
        say(repr(report))
        say(f"sandbox: {caller.sandbox.name}")
        for note in caller.notes:
            say(f"note: {note}")
    return 0 if report else 1


def _as_json(report: Any, caller: RemoteCaller) -> dict[str, Any]:
    rules = []
    for verdict in report.verdicts:
        rules.append({"rule": verdict.rule.name, "state": verdict.state, "note": verdict.note})
        if verdict.finding:
            rules[-1] |= {name: getattr(verdict.finding, name) for name in ("given", "got", "wanted")}
    return {"passed": bool(report), "sandbox": caller.sandbox.name, "rules": rules}


def caller_for(path: Path, entry: str) -> RemoteCaller:
    """Return a caller that runs the tokenizer of a file, each time in a new process; close it afterwards.

    Raises InvalidOption for an entry that is not a name or not in the file, and for a file that is not Python.
    """
    from minbpe_course.learning.grading.running import Limits, Program, RemoteCaller
    from minbpe_course.learning.judge.conformance import program_around

    if not entry.isidentifier():
        raise InvalidOption(f"--entry {entry!r} does not name a class or a function; for example: --entry MyTokenizer")
    source = read_whole(path).decode("utf-8-sig", "replace")
    _require(entry, source, path.name)
    driver, name = program_around(entry)
    program = Program((driver, source), name, packages=PACKAGES)
    limits = Limits(seconds=SECONDS, whole=WHOLE, memory=MEMORY, result_bytes=RESULT)
    return RemoteCaller(program, limits=limits)


def _require(entry: str, source: str, file: str) -> None:
    """Raise InvalidOption if the file cannot define the entry; otherwise every rule would report it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as problem:
        raise InvalidOption(f"{file} is not Python: {problem}.") from None
    if entry in source:
        return
    kinds = (ast.ClassDef, ast.FunctionDef)
    found = ", ".join(node.name for node in tree.body if isinstance(node, kinds)) or "no class and no function"
    raise InvalidOption(f"{file} has no {entry}. It defines {found}; name yours: --entry NAME")
