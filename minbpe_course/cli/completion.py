"""Print a script with which your shell completes verbs, options, names and files at the Tab key."""

from __future__ import annotations

import argparse
import shlex
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
ENCODINGS, TOKENIZERS = ("ENCODING",), ("NAME_OR_PATH",)
PATTERNS = ("NAME_OR_REGEX",)
EXERCISES = ("KEY",)


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
    from minbpe_course.vocabularies import names

    parser = tree()
    kinds = {
        FILES: _words(shell, "file", (), files=True),
        FOLDERS: shtab.DIRECTORY,
        ENCODINGS: _words(shell, "encoding", names()),
        TOKENIZERS: _words(shell, "tokenizer_file", names(), files=True),
        PATTERNS: _words(shell, "pattern", _patterns()),
        EXERCISES: _words(shell, "exercise", _exercises()),
    }
    for action in _actions(parser):
        name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
        found = next((how for words, how in kinds.items() if name in words), None)
        if found is None and action.type is Path:
            found = kinds[FILES]
        if found is not None and action.choices is None and action.nargs != 0:
            action.complete = found  # type: ignore[attr-defined]
    made: str = shtab.complete(parser, shell)
    return made.rstrip("\n") + "\n"


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    found = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += [each for branch in action.choices.values() for each in _actions(branch)]
        else:
            found.append(action)
    return found


def _patterns() -> tuple[str, ...]:
    from minbpe_course.text.patterns import PATTERNS

    return tuple(PATTERNS)


def _exercises() -> tuple[str, ...]:
    from minbpe_course.learning.judge import catalogue

    return tuple(exercise.key for exercise in catalogue.exercises())


def _words(shell: str, name: str, words: tuple[str, ...], *, files: bool = False) -> dict[str, Any]:
    """Return how each shell completes one of ``words``, and optionally a file; no word has a space or a quote."""
    listed, function = shlex.join(words), f"_minbpe_course_{name}"
    bash = [f'  compgen -W "{listed}" -- "$1"'] * bool(words) + ['  compgen -f -- "$1"'] * files
    zsh = [f"  compadd -- {listed}"] * bool(words) + ["  _files"] * files
    power = [f'  {", ".join(map(_quoted, words))} | Where-Object {{ $_ -like "$WordToComplete*" }}'] * bool(words)
    power += ["  _shtab_powershell_compgen_files $WordToComplete"] * files
    paths = "(__fish_complete_path (commandline -ct))"
    return {
        "bash": function,
        "zsh": function,
        "fish": " ".join([listed] * bool(words) + [paths] * files),
        "powershell": function,
        "preamble": {
            "bash": "\n".join([f"{function}() {{", *bash, "}"]),
            "zsh": "\n".join([f"{function}() {{", *zsh, "}"]),
            "powershell": "\n".join([f"function {function} {{", "  param([string]$WordToComplete)", *power, "}"]),
        },
    }


def _quoted(word: str) -> str:
    return f"'{word}'"
