"""Give every test its own record of progress."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the path of the record, which does not exist yet."""
    path = tmp_path / "progress.json"
    monkeypatch.setenv("MINBPE_COURSE_PROGRESS", str(path))
    return path
