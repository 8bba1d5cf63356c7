"""The tables of sentencepiece's normalizers are those of the installed sentencepiece."""

from __future__ import annotations

import pytest
import sentencepiece

from minbpe_course.text.normalize import RULE_NAMES, Charsmap, published_rules, table_file
from tools.normalizer_tables import installed_table


@pytest.mark.parametrize("name", RULE_NAMES)
def test_published_rules_are_those_of_sentencepiece(name: str) -> None:
    rules = published_rules(name)
    assert rules == (b"" if name == "identity" else installed_table(name))
    Charsmap(rules)


def test_there_is_no_other_name() -> None:
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceNormalizer(rule_name="nfd")
    stored = {path.stem for path in table_file("nfkc").parent.glob("normalizer-*")}
    assert stored == {table_file(name).stem for name in RULE_NAMES if name != "identity"}
