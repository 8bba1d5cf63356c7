"""``compat="0.2.1"``: the ids of the releases of sentencepiece before 0.2.2.

The ids below are what sentencepiece 0.2.1 answered; 0.1.99 answered the same. Both were also asked about 9,472 texts of
160 random models: the only differences were texts that spell a control piece, which ``engines`` names.
"""

from __future__ import annotations

import pickle

import pytest

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import InvalidOption
from tests.text.piece_rules import RULES, file_of
from tests.tokenizers.piece_differences import Both

BEFORE: dict[tuple[str, str], list[int]] = {
    ("-0.0 is below 0.0", "abc"): [6, 5],
    ("-0.0 is below 0.0", "ababcbc"): [6, 6, 5, 7],
    ("unused letters are unknown", "ab"): [3, 4],
    ("unused letters are unknown", "b"): [4],
    ("unused letters are unknown", "abb"): [3, 4, 4],
    ("far sums are set back", "aabc"): [3, 3, 4, 5],
    ("user-defined pieces are no words", "<x> b"): [5, 6],
    ("user-defined pieces are no words", "b"): [6],
    ("characters and user-defined pieces", "<a><a>bc"): [7, 5, 6, 8],
    ("characters and user-defined pieces", "ab c"): [7, 3, 4, 7, 8],
}
# There these gave no ids at all.
NOT_IMITATED = {("control pieces are no text", text) for text in ("a¶a", "¶")}


@pytest.mark.parametrize("name", RULES)
def test_old_and_new_differ_where_they_did(name: str) -> None:
    data = file_of(RULES[name])
    now, before = SentencePieceTokenizer(model_proto=data), SentencePieceTokenizer(model_proto=data, compat="0.2.1")
    theirs = Both.witness(data)
    for text in RULES[name].texts:
        if isinstance(text, bytes) or (name, text) in NOT_IMITATED:
            continue
        assert now.encode(text) == theirs.encode(text)
        assert before.encode(text) == BEFORE.get((name, text), theirs.encode(text)), text
        assert BEFORE.get((name, text)) != theirs.encode(text), text


def test_releases_are_named() -> None:
    data = file_of(RULES["far sums are set back"])
    for release in ("0.1.99", "0.2.0", "0.2.1"):
        old = SentencePieceTokenizer(model_proto=data, compat=release)
        assert old.encode("aabc") == [3, 3, 4, 5]
        assert pickle.loads(pickle.dumps(old)).encode("aabc") == [3, 3, 4, 5]
    for release in (None, "0.2.2", "0.2.3"):
        assert SentencePieceTokenizer(model_proto=data, compat=release).encode("aabc") != [3, 3, 4, 5]
    with pytest.raises(InvalidOption, match=r"0\.2\.3"):
        SentencePieceTokenizer(model_proto=data, compat="0.3")
