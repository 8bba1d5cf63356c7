"""Print a script with which your shell completes verbs, options, names and files at the Tab key."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from minbpe_course.cli.terminal import say
from minbpe_course.extras import needed

EXAMPLES = """\
minbpe-course completion bash > ~/.local/share/bash-completion/completions/minbpe-course
minbpe-course completion zsh > ~/.zfunc/_minbpe-course
minbpe-course completion fish > ~/.config/fish/completions/minbpe-course.fish
minbpe-course completion powershell >> $PROFILE
  A new shell loads it. For bash, install the package bash-completion, or add this to
  ~/.bashrc: source FILE. For zsh: fpath+=~/.zfunc before compinit, in ~/.zshrc.
"""
SHELLS = ("bash", "zsh", "fish", "powershell")

# The kinds of arguments, by their names in the help.
FILES = ("FILE", "NEW_FILE", "NOTEBOOK", "ZIP", "SUBMISSIONS")
FOLDERS = ("DIR", "FOLDER")


def add_args(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that you type in")


def run(args: argparse.Namespace) -> int:
    """Print the script and return 0."""
    say(script(args.shell), end="")
    return 0


def script(shell: str) -> str:
    """Return the script for a shell."""
    with needed("a completion script", "shtab"):
        import shtab

    from minbpe_course.cli.main import tree
    from minbpe_course.learning.judge import catalogue
    from minbpe_course.text.patterns import PATTERNS
    from minbpe_course.vocabularies import names

    words = {
        "ENCODING": names(),
        "NAME_OR_REGEX": tuple(PATTERNS),
        "KEY": tuple(exercise.key for exercise in catalogue.exercises()),
    }
    kinds = {"NAME_OR_PATH": _tokenizers(names()), **dict.fromkeys(FOLDERS, shtab.DIRECTORY)}
    parser = tree()
    for action in _actions(parser):
        name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        if action.choices is not None or action.nargs == 0:
            continue
        action.choices = words.get(name)
        if name in (*kinds, *FILES) or action.type is Path:
            action.complete = kinds.get(name, shtab.FILE)  # type: ignore[attr-defined]
    made: str = shtab.complete(parser, shell)
    return made.rstrip("\n") + "\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for branch in action.choices.values():
                yield from _actions(branch)
        else:
            yield action


def _tokenizers(names: Sequence[str]) -> dict[str, Any]:
    """Return how each shell completes a name or a file; no name has a space or a quote."""
    listed, function = " ".join(names), "_minbpe_course_tokenizers"
    quoted = ", ".join(map(repr, names))
    return {
        "bash": function,
        "zsh": function,
        "fish": f"{listed} (__fish_complete_path (commandline -ct))",
        "powershell": function,
        "preamble": {
            "bash": f'{function}() {{\n  compgen -W "{listed}" -- "$1"\n  compgen -f -- "$1"\n}}',
            "zsh": f"{function}() {{\n  compadd -- {listed}\n  _files\n}}",
            "powershell": f"function {function} {{\n  param([string]$WordToComplete)\n"
            f'  {quoted} | Where-Object {{ $_ -like "$WordToComplete*" }}\n'
            "  _shtab_powershell_compgen_files $WordToComplete\n}",
        },
    }
