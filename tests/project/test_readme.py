"""Every Python block of the README runs, in order, and prints exactly what the comments under it say."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def promised_after(lines: list[str], statement: ast.stmt) -> str:
    """Return the text of the comment lines that follow a statement at once: what it is said to print."""
    promised = []
    for line in lines[(statement.end_lineno or 0) :]:
        if not line.startswith("#"):
            break
        promised.append(line.removeprefix("#").removeprefix(" ") + "\n")
    return "".join(promised)


def run_block(source: str, names: dict[str, object]) -> int:
    """Execute a block statement by statement, compare what each prints with its promise; return how many promised."""
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
    # A cache folder that another test or program named must not decide what the README shows.
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    assert run_block(source, {}) >= 1, "a block that shows no result"


@pytest.mark.parametrize(
    "source", ["print(1 + 1)\n# 3\n", "print(1)\n", "x = 1\n# 1\n", "print('a\\nb')\n# a\n"], ids=repr
)
def test_a_wrong_promise_is_noticed(source: str) -> None:
    with pytest.raises(AssertionError, match="says otherwise after"):
        run_block(source, {})


def test_the_readme_begins_with_the_commands_and_a_program() -> None:
    beginning = README.partition("\n## ")[0]
    assert "make learn" in beginning
    assert "make test" in beginning
    assert BLOCKS[0] in beginning


def test_the_table_names_every_lesson() -> None:
    listed = re.findall(r"^\| `(\d\d_\w+)` \|.*\| (\d+) \|$", README, re.MULTILINE)
    assert [name for name, _ in listed] == [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    assert all(20 <= int(minutes) <= 45 for _, minutes in listed)


def test_a_lesson_takes_as_long_as_it_says_itself() -> None:
    for name, minutes in re.findall(r"^\| `(\d\d_\w+)` \|.*\| (\d+) \|$", README, re.MULTILINE):
        first = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"][0]
        said = re.findall(r"(\d+) minutes", "".join(first["source"]))
        assert said in ([], [minutes]), name


def test_every_local_link_leads_somewhere() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        links = re.findall(r"\]\((?!https?://)([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
        assert not [link for link in links if not (ROOT / link).exists()], page


def test_the_make_targets_named_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"\bmake ([a-z]+)\b", (ROOT / page).read_text(encoding="utf-8"))) - {"it"}
        assert not [target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)], page


def test_the_rooms_drawn_are_there() -> None:
    house = re.search(r"^```\n(notebooks/.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert house
    inside = ROOT
    for line in house.group(1).splitlines():
        indented = line.startswith(" ")
        names = re.findall(r"(?:^|\s)(\w+/|\w+\.py)(?=\s|$)", line)
        assert names, line
        for name in names:
            assert ((inside if indented else ROOT) / name).exists(), line
        if not indented:
            inside = ROOT / names[0]
