"""Programs that conflict with the packages of the tests: installed into a folder of their own, and run as processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.shared.patience import PATIENCE


def fetched(requirement: str, folder: Path) -> Path:
    """Install one package, without what it requires, into ``folder``; skip the test where that cannot be done."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target"]
    run = subprocess.run(
        [*command, str(folder), requirement], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    if run.returncode:
        pytest.skip(f"{requirement} cannot be fetched: {run.stderr.strip()[-300:]}")
    return folder


def asked(folder: Path, program: str, question: Any) -> Any:
    """Run a program with the packages in ``folder``: a question in JSON on its stdin, the answer on its stdout."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONUTF8": "1"}
    run = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
        timeout=PATIENCE,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)
