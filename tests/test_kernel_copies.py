"""What two kernel files each have a copy of is the same in both."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[1] / "minbpe_course" / "kernels"
COPIES = {
    "_pop": ("encoding", "pieces"),
}


def code_of(file: str, name: str) -> str:
    """The function as code alone: comments, docstring and layout do not count."""
    tree = ast.parse((KERNELS / f"{file}.py").read_text(encoding="utf-8"))
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    function.decorator_list.clear()
    if ast.get_docstring(function) is not None:
        function.body = function.body[1:]
    return ast.unparse(function)


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_alike(name: str) -> None:
    first, *others = [code_of(file, name) for file in COPIES[name]]
    assert all(other == first for other in others)
