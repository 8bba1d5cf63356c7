"""Each known fault is still there, in the same way: else its entry in ``known_faults.txt`` is out of date."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import minbpe_course

pytestmark = pytest.mark.medium

ENTRY = re.compile(r"^\[(.+)\]\ntoday: (.+)\nright: (.+)\n\n((?:    .*\n|\n)+)", re.MULTILINE)
TEXT = Path(__file__).with_name("known_faults.txt").read_text(encoding="utf-8")
FAULTS = ENTRY.findall(TEXT)


def tokenizers_file(folder: Path, added: Any = (), truncation: int = 0) -> Path:
    """Write a ``tokenizer.json`` with tokenizers: two special tokens, the bytes and a few merges."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=262, initial_alphabet=alphabet, special_tokens=["<s>", "</s>"], show_progress=False
    )
    made.train_from_iterator(["aab aab é"], trainer)
    made.add_tokens(list(added))
    if truncation:
        made.enable_truncation(truncation)
    made.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


def raised(function: Callable[[], Any], message: bool = False) -> str | None:
    try:
        function()
    except Exception as error:
        return str(error) if message else type(error).__name__
    return None


def result(code: str, folder: Path) -> Any:
    """Run the lines of an entry, and return the value of the last one."""
    names = {"tokenizers_file": tokenizers_file, "raised": raised, "folder": folder, "minbpe_course": minbpe_course,
             "subprocess": subprocess, "sys": sys}  # fmt: skip
    *before, last = ast.parse(textwrap.dedent(code)).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(before, []), "<entry>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<entry>", "eval"), names)


def test_every_entry_is_read() -> None:
    assert len(FAULTS) == len(re.findall(r"^\[", TEXT, re.MULTILINE))
    assert all(today != right for _, today, right, _ in FAULTS)


@pytest.mark.parametrize(
    ("today", "right", "code"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_a_known_fault_is_still_there(today: str, right: str, code: str, tmp_path: Path) -> None:
    now = result(code, tmp_path)
    assert now != ast.literal_eval(right), "this fault is fixed: remove its entry from tests/golden/known_faults.txt"
    assert now == ast.literal_eval(today), "it is wrong in another way now: what should it be, and what does it say?"
