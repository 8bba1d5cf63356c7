"""Wrong answers to the exercises of lesson 04, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

_LINES = """text.splitlines()
    if merge_lines and merge_lines[0].startswith("#version"):
        del merge_lines[0]
"""
_SLICED = (_LINES, 'text.split("\\n")[1:][:-1]\n')
_NO_COMMENTS = (_LINES, '[line for line in text.splitlines() if line[:8] != "#version"]\n')
_WITH_EMPTY_LINES = (_LINES, 'text.split("\\n")[text.startswith("#version"):]\n')
_ALL_LINES = (_LINES, "text.splitlines()\n")
_ANY_CHARACTER = ("[character]", ".get(character, ord(character))")
WRONG.edit("04.ranks_from_bpe", "the same slice in other words", "untouched", _SLICED, state="not started")
WRONG.edit("04.ranks_from_bpe", "drops every line that looks like a header", "drops-every-header", _NO_COMMENTS)
WRONG.edit("04.ranks_from_bpe", "reads empty lines", "empty-lines", _WITH_EMPTY_LINES)
WRONG.edit("04.ranks_from_bpe", "reads the header", "header-is-read", _ALL_LINES)
WRONG.edit("04.ranks_from_bpe", "skips unknown characters", "header-is-a-token", _ALL_LINES, _ANY_CHARACTER)

_ONE_MORE = ("        while next_merge", "        text.insert(0, tokens[rank])\n        while next_merge")
_THREE_TIMES = ("return text", "return text * 3")
WRONG.edit("04.training_text", "every token at least once", "below the level", _ONE_MORE, points=3)
WRONG.edit("04.training_text", "everything three times", "below the level", _ONE_MORE, _THREE_TIMES, points=1)


@WRONG.add("04.recover_merges", "joins later tokens as well", "not-two-parts")
def recover_merges(ranks):
    merges = []
    for token in sorted((token for token in ranks if len(token) > 1), key=ranks.get):
        parts = [token[at : at + 1] for at in range(len(token))]
        while len(parts) > 1:
            at = min(range(len(parts) - 1), key=lambda at: ranks.get(parts[at] + parts[at + 1], 10**9))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        left, right = parts
        merges.append((ranks[left], ranks[right]))
    return merges


@WRONG.add("04.test_recover", "one merge", "misses:first-cut")
def test_recover(recover_merges):
    assert recover_merges({b"b": 0, b"a": 1, b"ab": 2}) == [(1, 0)]


@WRONG.add("04.test_recover", "text only, and in order", "misses:dictionary-order", points=1)
def test_recover(recover_merges):
    merges = [(0, 0), (1, 1), (1, 0), (1, 2), (5, 0), (0, 3)]
    tokens = [b"b", b"a"]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    assert recover_merges({token: n for n, token in enumerate(tokens)}) == merges


@WRONG.add("04.test_recover", "demands the result of the first cut", "rejects-right")
def test_recover(recover_merges):
    # "bbc" as b + bc; but the earliest pair is bb
    ranks = {b"b": 0, b"c": 1, b"bb": 2, b"bc": 3, b"bbc": 4}
    assert recover_merges(ranks)[-1] == (0, 3)


@WRONG.add("04.training_text", "words as strings", "strings")
def training_text(tokens):
    return [token.decode("latin-1") for token in tokens]


@WRONG.add("04.training_text", "no words at all", "")
def training_text(tokens):
    return []
