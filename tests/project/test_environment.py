"""environment.yml and pyproject.toml ask for the same things, and what is installed here is what they ask for."""

from __future__ import annotations

import ast
import importlib.metadata
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from rattler import MatchSpec

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest installs it where the standard library lacks it

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIRED = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(line) for line in lines] for name, lines in PROJECT["optional-dependencies"].items()}
# "test" asks for the other extras by the project's own name, so that each package is in one list only.
TEST = [wanted for lines in EXTRAS.values() for wanted in lines if wanted.name != PROJECT["name"]]
# Their next major release no longer does what is needed here: see pyproject.toml.
HELD_BACK = {"tokenizers", "jupyter-book"}

ENVIRONMENT: dict[str, Any] = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA = [line for line in ENVIRONMENT["dependencies"] if isinstance(line, str)]
PIP = next(line["pip"] for line in ENVIRONMENT["dependencies"] if isinstance(line, dict))
FROM_PYPI = [Requirement(line) for line in PIP if not line.startswith("-e")]
# Conda's names where they are not PyPI's. Its "dask" is everything that has to do with Dask; "distributed" is what
# "dask[distributed]" is here.
CONDA_NAMES = {"python-build": "build", "distributed": "dask"}
NO_PROJECT_OF_OURS = {"python", "pip"}


def conda_name(line: str) -> str:
    name = str(MatchSpec(line)).split()[0]
    return CONDA_NAMES.get(name, canonicalize_name(name))


def test_the_environment_is_the_project() -> None:
    conda = {conda_name(line) for line in CONDA} - NO_PROJECT_OF_OURS
    pip = {canonicalize_name(requirement.name) for requirement in FROM_PYPI}
    assert conda & pip == set()
    assert conda | pip == {canonicalize_name(requirement.name) for requirement in [*REQUIRED, *TEST]}
    assert "-e .[test]" in PIP


def test_the_test_tools_bring_every_other_extra() -> None:
    ours = [wanted for wanted in EXTRAS["test"] if wanted.name == PROJECT["name"]]
    assert [wanted.extras for wanted in ours] == [set(EXTRAS) - {"test"}]


def test_a_bare_installation_is_three_packages() -> None:
    assert {wanted.name for wanted in REQUIRED} == {"numpy", "numba", "regex"}


@pytest.mark.medium
def test_messages_name_the_extra_that_has_the_package() -> None:
    """``needed("Parquet", "pyarrow", extra="parquet")``."""
    packages = {
        extra: {name for wanted in lines for name in (wanted.name, *wanted.extras)} for extra, lines in EXTRAS.items()
    }
    seen = set()
    for path in (ROOT / "minbpe_course").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.With) and isinstance(call := node.items[0].context_expr, ast.Call):
                if ast.unparse(call.func) != "needed":
                    continue
                options = {
                    option.arg: ast.literal_eval(option.value) for option in call.keywords if option.arg == "extra"
                }
                names = {ast.literal_eval(name) for name in call.args[1:]}
                assert names <= packages[options.get("extra", "course")], (path, names)
                seen |= names
    assert seen >= {"babel", "distributed", "matplotlib", "protobuf", "pyarrow", "shtab", "zstandard"}


def test_the_packages_the_course_is_about_come_from_conda() -> None:
    named = {conda_name(line) for line in CONDA}
    assert {"jupyterlab", "numba", "regex", "matplotlib", "sentencepiece", "tiktoken", "nbval"} <= named


def test_the_environment_is_portable() -> None:
    assert set(ENVIRONMENT) == {"name", "channels", "dependencies"}
    assert ENVIRONMENT["name"] == PROJECT["name"]
    assert ENVIRONMENT["channels"] == ["conda-forge", "nodefaults"]


@pytest.mark.parametrize("line", CONDA)
def test_every_conda_line_is_a_match_spec_without_a_build(line: str) -> None:
    spec = MatchSpec(line)
    assert spec.build is None
    assert spec.channel is None
    if conda_name(line) != "python":
        assert "==" not in line
        assert spec.version is None or spec.version.startswith((">=", "<")), "bounds only, no pins"


def test_conda_never_demands_more_than_the_project() -> None:
    """pip brings what conda-forge does not have yet; a conda line that asked for more could not be met."""
    wanted = {
        canonicalize_name(requirement.name): lower_bound(requirement.specifier) for requirement in [*REQUIRED, *TEST]
    }
    for line in CONDA:
        version = MatchSpec(line).version
        if version and conda_name(line) in wanted:
            assert lower_bound(SpecifierSet(version)) <= wanted[conda_name(line)], line


def test_the_python_of_the_environment_is_supported() -> None:
    version = next(MatchSpec(line).version for line in CONDA if conda_name(line) == "python")
    assert SpecifierSet(PROJECT["requires-python"]).contains(version.replace(".*", ""))
    assert f"Programming Language :: Python :: {version.replace('.*', '')}" in PROJECT["classifiers"]


@pytest.mark.parametrize("requirement", [*REQUIRED, *TEST], ids=lambda requirement: requirement.name)
def test_requirements_are_lower_bounds_and_met_here(requirement: Requirement) -> None:
    operators = {specifier.operator for specifier in requirement.specifier}
    assert operators == ({">=", "<"} if requirement.name in HELD_BACK else {">="})
    if requirement.marker and not requirement.marker.evaluate():
        pytest.skip(f"not wanted here: {requirement.marker}")
    assert requirement.specifier.contains(importlib.metadata.version(requirement.name))


def lower_bound(specifiers: SpecifierSet) -> Version:
    bounds = [Version(specifier.version) for specifier in specifiers if specifier.operator == ">="]
    return max(bounds, default=Version("0"))
