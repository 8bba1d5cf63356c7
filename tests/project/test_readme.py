"""The Python blocks of the README and of the docs print what their comments say, and the README names real things."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def promised_after(lines: list[str], statement: ast.stmt) -> str:
    """Return the text of the comment lines directly after a statement: its expected output."""
    promised = []
    for line in lines[(statement.end_lineno or 0) :]:
        if not line.startswith("#"):
            break
        promised.append(line.removeprefix("#").removeprefix(" ") + "\n")
    return "".join(promised)


def run_block(source: str, names: dict[str, object]) -> int:
    """Run a block, compare the output of each statement with the comment after it; return the number of comments."""
    lines = source.splitlines()
    kept = 0
    for statement in ast.parse(source).body:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module([statement], []), "README.md", "exec"), names)
        promised = promised_after(lines, statement)
        assert printed.getvalue() == promised, f"README.md says otherwise after: {lines[statement.lineno - 1]}"
        kept += bool(promised)
    return kept


@pytest.mark.parametrize("source", BLOCKS, ids=lambda source: source.splitlines()[0])
def test_the_block_prints_what_it_says(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # A cache folder from the environment must not change the result.
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    assert run_block(source, {}) >= 1, "a block that shows no result"


@pytest.mark.parametrize(("page", "promises"), [("teaching.md", 3), ("interchange.md", 8), ("counts-file.md", 4)])
def test_the_blocks_of_a_page_print_what_they_say(
    page: str, promises: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tokenizers")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert sum(run_block(block, names) for block in blocks) == promises


def test_the_readme_begins_with_the_commands_and_a_program() -> None:
    beginning = README.partition("\n## ")[0]
    assert "make learn" in beginning
    assert "make test" in beginning
    assert BLOCKS[0] in beginning


def test_the_table_names_every_lesson() -> None:
    listed = re.findall(r"^\| \**`(\d\d_\w+)`\** \|.*\| \d+ \| [\d–]+ \|$", README, re.MULTILINE)
    assert listed == [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]


def test_every_local_link_exists() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        links = re.findall(r"\]\((?!https?://)([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
        assert not [link for link in links if not (ROOT / link).exists()], page


def test_the_named_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"\bmake ([a-z]+)\b", (ROOT / page).read_text(encoding="utf-8"))) - {"it"}
        assert not [target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)], page


def test_the_listed_folders_exist() -> None:
    listed = re.search(r"^```\n(notebooks/.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert listed
    inside = ROOT
    for line in listed.group(1).splitlines():
        indented = line.startswith(" ")
        names = re.findall(r"(?:^|\s)(\w+/|\w+\.py)(?=\s|$)", line)
        assert names, line
        for name in names:
            assert ((inside if indented else ROOT) / name).exists(), line
        if not indented:
            inside = ROOT / names[0]
