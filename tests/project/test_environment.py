"""environment.yml and pyproject.toml ask for the same things, and what is installed here is what they ask for."""

from __future__ import annotations

import ast
import importlib.metadata
import sys
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec

from tests.shared.page_blocks import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest installs it where the standard library lacks it

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
    # The environment has a Python for which some requirements are not needed.
    needed = [
        one for one in [*REQUIRED, *TEST] if one.marker is None or one.marker.evaluate({"python_version": "3.12"})
    ]
    assert conda | pip == {canonicalize_name(requirement.name) for requirement in needed}
    assert "-e .[test]" in PIP


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


@pytest.mark.parametrize("requirement", [*REQUIRED, *TEST], ids=lambda requirement: requirement.name)
def test_requirements_are_lower_bounds_and_met_here(requirement: Requirement) -> None:
    operators = {specifier.operator for specifier in requirement.specifier}
    assert operators == ({">=", "<"} if requirement.name in HELD_BACK else {">="})
    if requirement.marker and not requirement.marker.evaluate():
        pytest.skip(f"not wanted here: {requirement.marker}")
    assert requirement.specifier.contains(importlib.metadata.version(requirement.name))
