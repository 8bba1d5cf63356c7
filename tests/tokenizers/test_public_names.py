"""Importing the package is fast and imports no heavy dependency; every public name can be imported."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

import minbpe_course
import minbpe_course.learning

HEAVY = {
    "numba", "llvmlite", "matplotlib", "dask", "distributed", "anywidget", "ipywidgets",
    "IPython", "jupyterlab", "nbformat", "mistral_common", "tiktoken", "sentencepiece", "pyarrow",
    "zstandard",
}  # fmt: skip

LIGHT_IMPORT = """
import json, sys
before = set(sys.modules)
import minbpe_course
print(json.dumps([name for name in sys.modules if name not in before]))
"""


def test_import_is_light() -> None:
    run = subprocess.run([sys.executable, "-c", LIGHT_IMPORT], capture_output=True, text=True, check=True)
    modules = json.loads(run.stdout)
    assert {name.partition(".")[0] for name in modules} & HEAVY == set()
    # The package imports none of its modules but the one that finds names later, and only the standard library.
    assert {name for name in modules if name.startswith("minbpe_course")} == {
        "minbpe_course",
        "minbpe_course.lazy_names",
    }
    assert {name.partition(".")[0] for name in modules} <= {"minbpe_course", *sys.stdlib_module_names}


def test_tokenizer_modules_import_no_numba() -> None:
    program = (
        "import importlib, pkgutil, sys, minbpe_course.tokenizers as t;"
        "[importlib.import_module(f'{t.__name__}.{m.name}') for m in pkgutil.iter_modules(t.__path__)];"
        "print('numba' in sys.modules, 'minbpe_course.engines.byte_pair' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("package", [minbpe_course, minbpe_course.learning])
def test_public_names_are_listed_once_for_everybody(package: types.ModuleType) -> None:
    """The list, the table of homes and the block that type checkers read name the same things in the same rooms."""
    source = ast.parse(Path(inspect.getfile(package)).read_text(encoding="utf-8"))
    block = next(node for node in source.body if isinstance(node, ast.If))
    for_checkers = {
        alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert for_checkers == package._HOMES
    assert sorted(package.__all__) == sorted(package._HOMES)
    assert set(package.__all__) <= set(dir(package))
    assert all(hasattr(package, name) for name in package.__all__)


def test_star_import_brings_exactly_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from minbpe_course import *", names)
    assert set(names) - {"__builtins__"} == set(minbpe_course.__all__)


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'GPT5Tokenizer'; it offers: BasicTokenizer, Corpus"):
        minbpe_course.GPT5Tokenizer  # noqa: B018
