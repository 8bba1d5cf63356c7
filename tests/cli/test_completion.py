"""Scripts for the Tab key, asked in the shells themselves."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from minbpe_course import vocabularies
from minbpe_course.cli.completion import SHELLS, script
from minbpe_course.cli.main import VERBS, main
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
    "bench ": {"a file.txt", "b.tiktoken"},
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
# zsh completes only at a terminal.
ZSH = (
    "PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source ./script; "
    "compdef _shtab_minbpe_course minbpe-course; LISTMAX=9999; print REA''DY\n"
)
# Input and the output of zsh: the rest of the word, or all candidates.
ZSH_ASKED = {
    "insp": ["inspect"],
    "show --encoding cl": ["cl100k_base"],
    "show --format ": ["ansi", "html", "text"],
    "hint 02.m": ["02.merge"],
    "convert gpt2 b": ["b.tiktoken"],
}


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


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh here")
def test_what_zsh_offers(folder: Path) -> None:
    import pty  # not on Windows, which also lacks zsh

    (folder / "script").write_text(script("zsh"), encoding="utf-8")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "HOME": str(folder), "TERM": "dumb"}
    zsh = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment,
        start_new_session=True,
    )  # fmt: skip
    try:
        os.write(ours, ZSH.encode())
        heard(ours, ["READY"])
        for line, wanted in ZSH_ASKED.items():
            # Back to an empty line; two tabs, for a list of choices.
            os.write(ours, b"\x15" + f"minbpe-course {line}\t\t".encode())
            heard(ours, wanted)
    finally:
        zsh.kill()
        zsh.wait()
        os.close(ours)
        os.close(theirs)


def heard(terminal: int, wanted: list[str]) -> None:
    """Read until all words have arrived; the echo of the input does not contain them whole."""
    said, until = "", time.monotonic() + PATIENCE
    while not all(word in said for word in wanted):
        assert time.monotonic() < until, (wanted, said)
        if select.select([terminal], [], [], 1)[0]:
            said += os.read(terminal, 4096).decode("utf-8", "replace")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_knows_every_verb_and_every_name(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert text == script(shell)
    for word in (*VERBS, *vocabularies.names(), "--tie-break" if "train" in VERBS else "--format", "02.merge"):
        # fish writes options without their dashes.
        assert word.lstrip("-") in text, word
