"""NOTICE names every bundled file, and contains the licences of what others made."""

from __future__ import annotations

import fnmatch
import importlib.metadata
import re
from pathlib import Path

import pytest

from tests.project.test_house_rules import project_files
from tests.shared.page_blocks import ROOT

NOTICE = (ROOT / "NOTICE").read_text(encoding="utf-8")
NAMED = re.findall(r"^  (\S+)$", NOTICE.partition("====")[0], re.MULTILINE)
# Written by hand: programs, pages, lessons, and the lists of packages.
WRITTEN = {".py", ".md", ".ipynb"}
LISTS = {"benchmarks/requirements.txt", "benchmarks/requirements-next.txt", "benchmarks/scale/packages.txt"}


def bundled() -> list[str]:
    """Return the files in the folders of the project, other than what a person wrote for it."""
    found = [path.relative_to(ROOT).as_posix() for path in project_files(ROOT) if path.is_file()]
    return [
        name for name in found
        if "/" in name and not name.startswith(".") and Path(name).suffix not in WRITTEN and name not in LISTS
    ]  # fmt: skip


def test_every_bundled_file_is_named() -> None:
    files = bundled()
    assert len(files) > 50
    for name in files:
        # Each data file needs its own entry, because a pattern would also match files that are added later.
        patterns = [each for each in NAMED if "*" not in each] if "/data/" in name else NAMED
        assert any(fnmatch.fnmatchcase(name, each) for each in patterns), f"NOTICE does not name {name}"
    for each in NAMED:
        assert any(fnmatch.fnmatchcase(name, each) for name in files) or (ROOT / each).is_file(), each


def test_nothing_by_others_is_hidden_among_our_own_files() -> None:
    own = NOTICE[NOTICE.index("4. Written for this course") : NOTICE.index("====")]
    for each in re.findall(r"^  (\S+)$", own, re.MULTILINE):
        for path in ROOT.glob(each):
            if path.suffix not in (".png", ".txt"):
                found = re.search(
                    r"copyright|@license|licensed under|^/\*!|font-face", path.read_text("utf-8"), re.I | re.M
                )
                assert not found or path.name == "_config.yml", path


@pytest.mark.parametrize(
    "package", ["tiktoken", "babel"], ids=["the licence of tiktoken", "the licence of Unicode, from Babel"]
)
def test_the_texts_are_those_of_the_originals(package: str) -> None:
    names = {"tiktoken": "licenses/LICENSE", "babel": "locale-data/LICENSE.unicode"}
    files = importlib.metadata.distribution(package).files or ()
    (path,) = (file for file in files if str(file).endswith(names[package]))
    theirs = path.read_text(encoding="utf-8")
    # Unicode's years differ from publication to publication.
    assert re.sub(r"\d{4}-\d{4}", "years", theirs.strip()) in re.sub(r"\d{4}-\d{4}", "years", NOTICE)
    assert "Copyright (c) 2022 OpenAI, Shantanu Jain" in NOTICE
    assert "Software Copyright (c) 2019 OpenAI" in NOTICE
