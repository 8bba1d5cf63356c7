"""The README and the pages of ``docs`` do what they say: blocks print what their comments promise, commands succeed."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from minbpe_course.corpus import course_text
from tests.shared.page_blocks import blocks, read_page, run_block

pytestmark = pytest.mark.medium


ALONE = [block for page in ("README.md", "docs/python.md") for block in blocks(read_page(page), "python")]


@pytest.mark.parametrize("source", ALONE, ids=lambda source: source[:40])
def test_a_block_of_the_readme_and_of_the_tour_runs_alone(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # A cache folder from the environment must not change the result.
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    assert run_block(source, {}) >= 1, "a block that shows no result"


PAGES = [
    ("teaching.md", 3),
    ("interchange.md", 12),
    ("counts-file.md", 4),
    ("chunks.md", 10),
    ("dataloader.md", 7),
    ("server.md", 5),
    ("transformers.md", 5),
]


@pytest.mark.parametrize(("page", "promises"), PAGES)
def test_the_blocks_of_a_page_run_in_order(
    page: str, promises: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block that imports a large library runs where that is installed; one that begins with its file's name is it."""
    pytest.importorskip("tokenizers")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    kept = 0
    for block in blocks(read_page(f"docs/{page}"), "python"):
        large = re.findall(r"^(?:import|from) (torch|transformers)\b", block, re.MULTILINE)
        if all(map(importlib.util.find_spec, large)):
            if name := re.match(r"# (\w+\.py)\n", block):
                (tmp_path / name[1]).write_text(block, encoding="utf-8")
            promised = run_block(block, names)
            kept += 0 if large else promised
    assert kept == promises


@pytest.mark.slow
def test_type_checkers_accept_the_programs(tmp_path: Path) -> None:
    """As in a program of a user, with the options of a user: mypy --strict."""
    alone = [block for block in blocks(read_page("docs/python.md"), "python") if "sys.modules" not in block]
    pages = ("interchange", "chunks", "dataloader", "server", "transformers")
    named, sources = {}, [*alone]
    for page in pages:
        own = blocks(read_page(f"docs/{page}.md"), "python")
        files = {name[1]: block for block in own if (name := re.match(r"# (\w+\.py)\n", block))}
        named |= files
        sources.append("\n".join(block for block in own if block not in files.values()))
    for name, source in named.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    for number, source in enumerate(sources):
        (tmp_path / f"program_{number}.py").write_text(source, encoding="utf-8")
    # These come without types, or are not installed.
    untyped = ",".join(f"{name}.*" for name in ("sentencepiece", "mistral_common", "torch", "transformers"))
    settings = f"[mypy]\nstrict = true\n[mypy-{untyped}]\nignore_missing_imports = true\n"
    (tmp_path / "mypy.ini").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *map(str, tmp_path.glob("*.py"))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the commands are written for sh")
def test_the_commands_succeed_in_order(tmp_path: Path) -> None:
    """Each block of the page about the command line, in one folder with the files that the page mentions."""
    text = course_text()
    for name in ("texts/one.txt", "texts/more/two.txt", "notes.txt", "data/day/one.jsonl.gz"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    documents = "".join(json.dumps({"text": line}) + "\n" for line in text.splitlines())
    (tmp_path / "data/day/one.jsonl.gz").write_bytes(gzip.compress(documents.encode("utf-8")))
    settings = os.environ | {"PATH": f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"}
    commands = blocks(read_page("docs/command-line.md"), "sh")
    assert len(commands) >= 7
    for block in commands:
        done = subprocess.run(
            ["sh", "-e", "-c", block], cwd=tmp_path, env=settings, capture_output=True, encoding="utf-8", check=False
        )
        assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), block + done.stdout + done.stderr
    for made in ("tokens.html", "page.html", "ids.npy", "sp.model", "mine.tiktoken", "corpus.counts", "tokens"):
        assert (tmp_path / made).exists(), made
