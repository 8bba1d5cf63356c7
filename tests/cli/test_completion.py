"""Scripts for the Tab key, asked in the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from minbpe_course import vocabularies
from minbpe_course.cli.completion import SHELLS, script
from minbpe_course.cli.main import VERBS
from tests.shared.patience import PATIENCE

# Input and expected completions: exactly these, or among others.
ASKED = {
    "": set(VERBS),
    "insp": {"inspect"},
    "show --format ": {"ansi", "text", "html"},
    "show --encoding o200": {"o200k_base", "o200k_harmony"},
    "inspect cl100": {"cl100k_base"},
    "completion ": set(SHELLS),
    "hint 02.m": {"02.merge"},
}
AMONG = {
    "doctor --": {"--json", "--help"},
    "inspect ": {"a file.txt", "b.tiktoken", *vocabularies.names()},
    "convert gpt2 b": {"b.tiktoken"},
}

BASH = """
source ./script
line="minbpe-course $1"
read -ra COMP_WORDS <<< "$line"
[[ "$line" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_shtab_minbpe_course
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed")
    for name in ("a file.txt", "b.tiktoken"):
        (folder / name).write_bytes(b"")
    return folder


def offered(shell: str, folder: Path, line: str) -> set[str]:
    """Return the completions of a shell for a line; skip without that shell."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    (folder / "script").write_text(script(shell), encoding="utf-8")
    if shell == "fish":
        command = ["fish", "--no-config", "-c", "source ./script; complete -C $argv[1]", f"minbpe-course {line}"]
    else:
        command = ["bash", "--norc", "-c", BASH, "-", line]
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "TERM": "dumb"}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=PATIENCE, check=False)
    # fish adds a description after a tab.
    return {each.partition("\t")[0] for each in run.stdout.decode("utf-8", "replace").splitlines()} - {""}


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_what_the_shell_offers(shell: str, folder: Path) -> None:
    for line, wanted in ASKED.items():
        assert offered(shell, folder, line) == wanted, line
    for line, wanted in AMONG.items():
        assert wanted <= offered(shell, folder, line), line
