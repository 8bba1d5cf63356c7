"""Every Python block of the pages for teachers, on other libraries and on counts files prints what is said under it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.test_readme import run_block

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(("page", "promises"), [("teaching.md", 3), ("interchange.md", 8), ("counts-file.md", 4)])
def test_the_blocks_of_a_page_print_what_they_say(
    page: str, promises: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tokenizers")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    kept = sum(
        run_block(block, names) for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    )
    assert kept == promises
