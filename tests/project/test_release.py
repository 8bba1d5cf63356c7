"""All files of a release agree on its version, the Pythons that are tested, and the address of the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import minbpe_course
from tests.shared.page_blocks import ROOT, read_page
from tools import release

WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")}
# Every text in which a reader could find an address.
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CITATION.cff", "exercises/README.md"]
PAGES += [
    path.relative_to(ROOT).as_posix() for folder in ("docs", ".github") for path in (ROOT / folder).rglob("*.*m[ld]")
]


def test_the_versions_agree() -> None:
    version = minbpe_course.__version__
    assert release.entry(version)[1].startswith("The first version." if version == "0.1.0" else "###")
    assert yaml.safe_load(read_page("CITATION.cff"))["version"] == version
    extension = "minbpe_course/cli/jupyter/labextensions/minbpe-course/package.json"
    assert json.loads(read_page(extension))["version"] == version


def a_project(folder: Path, *, date: str = "2026-12-24", address: str = "https://host/it") -> Path:
    """The files that a release looks at."""
    (folder / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## [0.2.0] - {date}\n\n### Fixed\n\n- An id.\n\n## [0.1.0] - 2026-12-01\n\nOld.\n",
        encoding="utf-8",
    )
    (folder / "CITATION.cff").write_text(f"version: 0.2.0\ndate-released: {date}\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text(f'[project.urls]\nRepository = "{address}"\n', encoding="utf-8")
    return folder


def test_a_complete_release_has_no_problems(tmp_path: Path) -> None:
    root = a_project(tmp_path)
    assert release.problems("v0.2.0", "0.2.0", root) == []
    assert release.entry("0.2.0", root) == ("2026-12-24", "### Fixed\n\n- An id.\n")
    assert release.address(root) == "https://host/it"


@pytest.mark.parametrize(
    ("tag", "version", "change", "said"),
    [
        ("v0.2.1", "0.2.0", {}, "tag v0.2.0"),
        ("v0.3.0", "0.3.0", {}, "CHANGELOG.md"),
        ("v0.2.0", "0.2.0", {"date": "Unreleased"}, "CHANGELOG.md"),
        ("v0.1.0", "0.1.0", {}, "CITATION.cff"),
        ("v0.2.0", "0.2.0", {"address": ""}, "project.urls"),
    ],
)
def test_what_is_missing_is_said(tag: str, version: str, change: dict[str, str], said: str, tmp_path: Path) -> None:
    found = release.problems(tag, version, a_project(tmp_path, **change))
    assert any(said in problem for problem in found), found


def test_only_the_workflow_that_publishes_may_write() -> None:
    for name, text in WORKFLOWS.items():
        jobs = yaml.safe_load(text)
        assert jobs.get("permissions") == {"contents": "read"} or name == "site.yml"
        assert all("password" not in str(job) and "secrets." not in str(job) for job in jobs["jobs"].values()), name
