"""The tables of sentencepiece's normalizers are those of the installed sentencepiece."""

from __future__ import annotations

import numpy as np
import pytest
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from minbpe_course.engines.sentencepiece.normalizer import PieceNormalizer
from minbpe_course.formats.sentencepiece_proto import from_bytes as read_model
from minbpe_course.text.normalize import RULE_NAMES, Charsmap, published_rules, table_file
from tests.shared.cases import hostile_texts
from tests.text.piece_rules import Rule, file_of
from tools.normalizer_tables import installed_table


@pytest.mark.parametrize("name", RULE_NAMES)
def test_published_rules_are_those_of_sentencepiece(name: str) -> None:
    rules = published_rules(name)
    assert rules == (b"" if name == "identity" else installed_table(name))
    Charsmap(rules)


def test_units_that_count_their_distance_in_256s() -> None:
    """The second form of a unit, which tables need from two million units on; here where both forms fit."""
    proto = ModelProto.FromString(file_of(Rule("char", "a -1|▁ -2", ("",), {"rule": "nfkc_cf"})))
    table = proto.normalizer_spec.precompiled_charsmap
    end = 4 + int.from_bytes(table[:4], "little")
    units = np.frombuffer(table[4:end], dtype="<u4").copy()
    both = (units >> 31 == 0) & (units & 0x200 == 0) & (units >> 10 & 0xFF == 0) & (units >> 18 > 0)
    units[both] = units[both] >> 18 << 10 | 0x200 | units[both] & 0x1FF
    assert both.sum() > 20
    proto.normalizer_spec.precompiled_charsmap = table[:4] + units.tobytes() + table[end:]
    theirs = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
    ours = PieceNormalizer(read_model(proto.SerializeToString()))
    for text in hostile_texts(11, 2000):
        assert ours.normalize(text.encode()).decode() == theirs.normalize(text), text


def test_there_is_no_other_name() -> None:
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceNormalizer(rule_name="nfd")
    stored = {path.stem for path in table_file("nfkc").parent.glob("normalizer-*")}
    assert stored == {table_file(name).stem for name in RULE_NAMES if name != "identity"}
