"""Run the verb of a command line, print the help of all verbs, and suggest what a mistyped word may have meant."""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
import textwrap
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

import minbpe_course
from minbpe_course.cli.compiling import explain_compiling
from minbpe_course.cli.exit_codes import FAILURE, guarded
from minbpe_course.cli.terminal import say, tell

NAME = "minbpe-course"
# Each verb is a file in this folder. Only the file of the verb that was typed is imported.
GROUPS = {
    "take the course": ("learn", "check", "hint", "progress", "show", "playground"),
    "work on files": ("train", "encode", "decode", "count", "convert", "inspect"),
    "build a tokenizer of your own": ("conform", "leaderboard"),
    "teach": ("grade", "release", "gradescope"),
    "write exercises": (
        "new-assignment",
        "new-exercise",
        "check-exercises",
    ),
    "this machine": ("doctor", "warm-up", "completion"),
}
VERBS = tuple(verb for group in GROUPS.values() for verb in group)
WIDTH = 78


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code, one of those in ``exit_codes``."""
    typed = sys.argv[1:] if arguments is None else list(arguments)
    verb = typed[0] if typed and typed[0] in VERBS else None
    return guarded(f"{NAME} {verb}" if verb else NAME, lambda: _run(verb, typed), program=arguments is None)


def _run(verb: str | None, typed: list[str]) -> int:
    if verb is None:
        return _run_without_verb(typed)
    module = module_of(verb)
    parser = parser_of(verb)
    # Files may come between options.
    args, unknown = parser.parse_known_intermixed_args(typed[1:])
    if unknown:
        parser.error(f"{' '.join(unknown)}: not understood{_suggestion(unknown[0], parser.names())}")
    if verb != "warm-up":  # which shows each kernel
        explain_compiling()
    return int(module.run(args))


def _run_without_verb(typed: list[str]) -> NoReturn:
    parser = TopParser()
    named = next((word for word in typed if not word.startswith("-")), None)
    if named in VERBS:
        parser.error(f"the verb comes first: {NAME} {named} ...")
    if named is not None:
        parser.error(f"there is no verb {named}{_suggestion(named, dict(zip(VERBS, VERBS)))}")
    parser.parse_args(typed)
    # Here the line was empty.
    parser.exit(FAILURE, parser.format_help())


def _suggestion(word: str, meant: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(word.partition("=")[0], meant, n=1, cutoff=0.5)
    return f". Did you mean {meant[near[0]]}?" if near else "."


def module_of(verb: str) -> ModuleType:
    """Import and return the module of a verb."""
    return importlib.import_module(f"minbpe_course.cli.{verb.replace('-', '_')}")


class Parser(argparse.ArgumentParser):
    """The parser of one verb; its errors look like every other message."""

    def __init__(self, **options: Any) -> None:
        # An abbreviation would change its meaning with the next option that is added.
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Print the message and the usage, and exit with code 2."""
        self.exit(FAILURE, f"{self.prog}: {message}\n{self.format_usage()}")

    def _print_message(self, message: str, file: Any = None) -> None:
        (say if file is sys.stdout else tell)(message, end="")

    def names(self) -> dict[str, str]:
        """Return each option by its names, and by what it takes: ``--token`` may mean ``--find TOKEN``."""
        takes = {
            f"--{str(each.metavar).lower()}": each.option_strings[-1] for each in self._actions if each.option_strings
        }
        return takes | {name: name for name in self._option_string_actions}


class TopParser(Parser):
    """The parser of a line without a verb; its help is the list of all verbs."""

    def __init__(self) -> None:
        super().__init__(prog=NAME)
        self.add_argument("--version", action="version", version=f"{NAME} {minbpe_course.__version__}")

    def format_usage(self) -> str:
        """Return the line that shows where a verb goes."""
        return f"usage: {NAME} VERB ...       all verbs: {NAME} --help\n"

    def format_help(self) -> str:
        """Return the verbs in their groups, each with one line about it."""
        lines = [
            f"usage: {NAME} VERB ...",
            "",
            *textwrap.wrap(
                "Tokenizers from scratch: a course in notebooks, and the package it builds, which reads and writes the "
                "files of tiktoken, Hugging Face, SentencePiece and others.",
                WIDTH,
            ),
        ]
        column = max(map(len, VERBS)) + 4
        for group, verbs in GROUPS.items():
            lines += ["", f"{group}:"]
            for verb in verbs:
                lines += textwrap.wrap(
                    summary(module_of(verb)),
                    WIDTH,
                    initial_indent=f"  {verb:<{column - 2}}",
                    subsequent_indent=" " * column,
                )
        lines += [
            "",
            f"{NAME} VERB --help      every option of a verb, with examples",
            f"{NAME} --version        which version this is",
        ]
        return "\n".join(lines) + "\n"


def summary(module: ModuleType) -> str:
    """Return the first line of a verb's docstring."""
    import ast
    import inspect

    # -OO removes docstrings; the file still has it.
    whole = module.__doc__ or ast.get_docstring(ast.parse(inspect.getsource(module))) or ""
    return whole.splitlines()[0]


def parser_of(verb: str) -> Parser:
    """Return the parser of a verb, with examples at the end of its help."""
    return _filled(Parser(prog=f"{NAME} {verb}"), module_of(verb))


def tree() -> Parser:
    """Return one parser with all verbs as subcommands, for shell completion and for tests."""
    parser = TopParser()
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=Parser)
    for verb in VERBS:
        _filled(verbs.add_parser(verb, help=summary(module_of(verb))), module_of(verb))
    return parser


def _filled(parser: Parser, module: ModuleType) -> Parser:
    parser.description = textwrap.fill(summary(module), WIDTH)
    parser.epilog = "examples:\n" + textwrap.indent(module.EXAMPLES, "  ")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    module.add_args(parser)
    return parser
