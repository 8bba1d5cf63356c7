"""Run the tests of the core with every other Python of this machine, from 3.10 on.

    python -m tools.other_pythons            each version once, in an environment in build/pythons
    python -m tools.other_pythons --list     name them only

A Python that cannot install what these tests need, for example without a network, is skipped with a sentence.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ["tests/kernels", "tests/engines", "tests/tokenizers", "tests/compat", "tests/learning/grading"]
# The packages that these tests import, of the extras "course" and "test".
NEEDED = {"hypothesis", "mistral-common", "protobuf", "psutil", "pytest", "pytest-xdist", "rustbpe", "sentencepiece"}
NEEDED |= {"matplotlib", "tiktoken", "tokenizers"}
MARKS = "not slow and not browser"
PYTEST = ["-m", "pytest", "-q", "-p", "no:nbval", "-n", "logical", "--maxprocesses", "4", "--dist", "loadfile"]
INSTALL = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"]
VERSION = "import sys; print('{}.{}'.format(*sys.version_info)); sys.exit(sys.version_info < (3, 10))"


def others() -> dict[str, Path]:
    """Return a program for each other version of Python on the path, or installed by pyenv."""
    folders = [*map(Path, os.get_exec_path()), *sorted(Path.home().glob(".pyenv/versions/3.*/bin"))]
    programs = [
        program for folder in folders for program in sorted(folder.glob("python3.[0-9]*")) if _is_plain(program)
    ]
    found: dict[str, Path] = {}
    for program in programs:
        asked = subprocess.run([program, "-c", VERSION], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            found.setdefault(asked.stdout.strip(), program)
    found.pop("{}.{}".format(*sys.version_info), None)
    return found


def _is_plain(program: Path) -> bool:
    return program.name.removeprefix("python3.").isdigit()


def installed(version: str, program: Path) -> Path | None:
    """Return the Python of an environment with what the tests need, or None where it cannot be installed."""
    folder = ROOT / "build" / "pythons" / version
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    commands: list[list[str | Path]] = [
        [program, "-m", "venv", folder],
        [python, *INSTALL, "-e", ".[cluster,parquet]", *_needed()],
    ]
    for command in commands:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            told = (done.stderr or done.stdout).strip().rpartition("\n")[2]
            print(f"Python {version} is skipped, because the packages cannot be installed: {told}")
            return None
    return python


def _needed() -> list[str]:
    lines = {line.partition(";")[0].strip() for line in importlib.metadata.requires("minbpe-course") or ()}
    # JupyterLab, which brings IPython along elsewhere, is large.
    return ["ipython", *(line for line in sorted(lines) if re.split(r"[^\w.-]", line)[0] in NEEDED)]


def main(arguments: list[str] | None = None) -> int:
    """Run the tests with each version; return 1 if one fails."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.other_pythons", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--list", action="store_true", help="only name the versions and their programs")
    asked = parser.parse_args(arguments)
    found = others()
    if not found:
        print("There is no other Python from 3.10 on here, so the tests run with this one only.")
    failed = False
    for version, program in sorted(found.items(), key=lambda pair: int(pair[0].partition(".")[2])):
        print(f"Python {version}: {program}", flush=True)
        if asked.list:
            continue
        python = installed(version, program)
        if python:
            done = subprocess.run([python, *PYTEST, "-m", MARKS, *TESTS], cwd=ROOT, check=False)
            failed |= done.returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
