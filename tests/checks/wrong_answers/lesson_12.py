"""Wrong answers to the exercises of lesson 12, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("12.hidden_letters", "characters", "", ("sum(map(str.isalpha, token))", "len(token)"))
WRONG.edit("12.rank_untrained", "names all ids", "names-the-unused", (" if one not in unused]", "]"))
WRONG.edit(
    "12.rank_untrained", "only the nearest", "leaves-some-out", ("in unused]", "in unused][: 1 + len(rows) // 4]")
)
WRONG.edit("12.rank_untrained", "every id twice", "", ("in unused]", "in unused] * 2"))
WRONG.edit("12.rank_untrained", "the shortest rows first", "below the level", ("table - typical", "table"), points=2)
WRONG.edit(
    "12.rank_untrained",
    "the angle",
    "below the level",
    ("np.square(table - typical).sum(axis=1)", "table @ -typical / (np.linalg.norm(table, axis=1) + 1e-9)"),
    points=2,
)


@WRONG.add("12.test_clean", "one example", "misses:each-replaced-once")
def test_clean(clean):
    assert clean("a<|end|>b", ["<|end|>"]) == "ab"


@WRONG.add("12.test_clean", "one special token, nested", "misses:the-shortest-first", points=1)
def test_clean(clean):
    assert clean(" a ", ["<|end|>"]) == " a "
    assert clean("<|END|> | end <", ["<|end|>"]) == "<|END|> | end <"
    assert clean("<|e<|end|>nd|>", ["<|end|>"]) == ""
    assert clean("<|e<|e<|e<|e<|e<|end|>nd|>nd|>nd|>nd|>nd|>", ["<|end|>"]) == ""
    assert clean("<|start|>", ["<|end|>", "<|start|>"]) == ""
    assert clean("<|e<|start|>nd|>", ["<|end|>", "<|start|>"]) == ""


@WRONG.add("12.test_clean", "takes one order for right", "rejects-right")
def test_clean(clean):
    assert clean("abc", ["ab", "bc"]) == "a"
