"""Damaged ``.model`` files against sentencepiece 0.2.3: loaded or refused alike, the same ids and text, no crash.

400 mutants; 20,000 with MINBPE_COURSE_LONG_TESTS=1. The seed and the number in its name make a mutant again. Four
differences are intended; all others fail:

* NOT UTF-8. A damaged table of the normaliser can give bytes that are not UTF-8. Here a bad byte becomes U+FFFD, as it
  would in a text, and a rule that begins inside a character is ignored, so the output of the normaliser is always
  UTF-8. sentencepiece continues with the bytes. Only texts whose normalised form in sentencepiece is not UTF-8 differ.
  For the same reason a user-defined piece that is not UTF-8 matches no text.
* NO STR. Decoding pieces that are not UTF-8 gives bytes that no str can hold: sentencepiece raises UnicodeDecodeError.
* WHICH NAN. A score is a Python float, which has no signalling NaN: such a one becomes a quiet one (the file keeps it).
  Only the order of two different NaN among the scores of a BPE model could tell.
* WITHOUT END. A damaged table can make a text thousands of times longer, or go round in circles: where sentencepiece
  takes all memory or all time, there is InvalidText, or keys end after 2,048 bytes.
"""

from __future__ import annotations

import os
import random
import struct
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import sentencepiece

from minbpe_course import SentencePieceTokenizer
from minbpe_course.errors import InvalidText, UnreadableModel
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.protobuf_fields import field_bytes
from minbpe_course.model import PieceModel
from minbpe_course.text.normalize import Charsmap
from tests.formats.damaged_piece_models import mutants, ours, small_models, theirs
from tests.formats.other_process import CPU_SECONDS_AT_FIRST, Died, Elsewhere, Raised

pytestmark = pytest.mark.slow

LONG = os.environ.get("MINBPE_COURSE_LONG_TESTS") == "1"
SEED = int(os.environ.get("MINBPE_COURSE_SEED", "2023"))
BATCHES, BATCH = (10, 2000) if LONG else (2, 200)


@cache
def models() -> dict[str, bytes]:
    return small_models()


def meant(ours: dict[str, Any], theirs: dict[str, Any], kind: str, at: int) -> str | None:
    """Return which intended difference this is, None if it is not one."""
    mine, other = ours[kind][at], theirs[kind][at]
    if kind == "ids":
        normalized = theirs["normalized"][at]
        if any("\udc80" <= character <= "\udcff" for character in normalized):
            return "not UTF-8"
    if other == "raises UnicodeDecodeError":
        return "no str"
    return "without end" if mine == "raises InvalidText" or other == "raises MemoryError" else None


def outcome(ours: Any, theirs: Any) -> str:
    """Return what happened to one mutant, in a few words; a failure begins with WRONG."""
    if isinstance(ours, (Died, Raised)):
        return f"WRONG: {ours}"
    if isinstance(theirs, (Died, Raised)):
        return "sentencepiece died"
    if ours["loads"] != theirs["loads"]:
        return f"WRONG: we say {ours}, sentencepiece {theirs}"
    if "ids" not in ours:
        return "loaded by both" if ours["loads"] else "refused by both"
    reasons = set()
    for kind in ("ids", "decoded"):
        if kind == "decoded" and reasons:
            break  # other ids were decoded
        for at, (mine, other) in enumerate(zip(ours[kind], theirs[kind])):
            if mine != other:
                reason = meant(ours, theirs, kind, at)
                if reason is None:
                    return f"WRONG: {kind} {at}: {mine!r}, sentencepiece {other!r}"
                reasons.add(reason)
    return f"other {' and '.join(sorted(reasons))}" if reasons else "loaded by both, the same ids and text"


@pytest.fixture(scope="module")
def programs() -> Iterator[tuple[Elsewhere, Elsewhere]]:
    with Elsewhere(ours) as one, Elsewhere(theirs) as other:
        for data in models().values():
            one.ask(data, CPU_SECONDS_AT_FIRST)
        yield one, other


@pytest.mark.parametrize(
    "name", ["bpe", "bpe bytes", "bpe rules", "bpe suffix", "bpe nmt", "unigram", "unigram nmt", "word", "char"]
)
def test_the_models_are_the_same_before_they_are_damaged(name: str, programs: tuple[Elsewhere, Elsewhere]) -> None:
    assert outcome(*(program.ask(models()[name]) for program in programs)).startswith("loaded by both")


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_models(batch: int, programs: tuple[Elsewhere, Elsewhere]) -> None:
    one, other = programs
    counts: Counter[str] = Counter()
    wrong = []
    for name, data in mutants(models(), SEED + batch, BATCH):
        found = outcome(one.ask(data), other.ask(data))
        counts[found.partition(":")[0]] += 1
        if found.startswith("WRONG"):
            wrong.append(f"{name}: {found[:1000]}")
    print(f"seed {SEED + batch}: {dict(counts)}")
    assert wrong == []
    assert counts["refused by both"] > BATCH / 10
    assert sum(count for said, count in counts.items() if said.startswith("loaded")) > BATCH / 10


def circular(replacement: bytes, has_rule: bool, value: int = 0, root: int = 256) -> bytes:
    """A model whose normaliser has a trie with one child, for "a", that leads back to where it began.

    value : where the replacement begins in the strings · root : where the trie begins.
    """
    base, size = 256, 512
    child = base ^ ord("a")
    units = [0] * size
    units[0] = root << 10
    units[child] = (child ^ base) << 10 | has_rule << 8 | ord("a")
    for at in range(1, size):
        if at != child:  # a label that no byte leads to
            units[at] = (at ^ 0x55) & 0xFF
    if has_rule:
        units[base] = 1 << 31 | value
    table = struct.pack("<I", 4 * size) + struct.pack(f"<{size}I", *units) + replacement + b"\0"
    pieces = (("<unk>", 2), ("a", 1), ("b", 1), ("▁", 1))
    model = b"".join(field_bytes(1, field_bytes(1, text.encode()) + field_bytes(3, kind)) for text, kind in pieces)
    return model + field_bytes(2, field_bytes(3, 2)) + field_bytes(3, field_bytes(2, table))


@pytest.mark.parametrize("has_rule", [False, True])
def test_a_table_that_goes_round_in_circles(has_rule: bool) -> None:
    data = circular(b"b", has_rule)
    mine, witness = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    for text in [b"a" * 200, b"aaab a", b"a" * 33]:
        assert mine.encode(text) == witness.encode(text)
    assert len(mine.encode(b"a" * 100_000)) > 1000  # 10**10 / 2 steps if every step went round to the end
    rules = Charsmap(mine.model.normalizer.charsmap)
    assert rules.longest_rule(b"a" * 5000, 0) == ((32, b"b") if has_rule else None)


def test_a_table_that_leads_outside_is_refused() -> None:
    for said, value, root in (("", 1, 256), ("without a replacement", 2, 256), ("out of itself", 0, 512)):
        data = circular(b"b", True, value, root)
        if not said:  # the empty replacement at the very end is still inside
            witness = sentencepiece.SentencePieceProcessor(model_proto=data)
            assert SentencePieceTokenizer(model_proto=data).encode("ab") == witness.encode("ab")
            continue
        with pytest.raises(RuntimeError):
            sentencepiece.SentencePieceProcessor(model_proto=data)
        with pytest.raises(UnreadableModel, match=said):
            SentencePieceTokenizer(model_proto=data)


def test_a_table_that_makes_a_text_longer_without_end() -> None:
    tokenizer = SentencePieceTokenizer(model_proto=circular(b"b" * 3_000_000, True))
    with pytest.raises(InvalidText, match="longer"):
        tokenizer.encode(b"ab" * 1000)
    with pytest.raises(InvalidText, match="longer"):
        tokenizer.encode_batch(["b", "ab" * 1000])
    assert tokenizer.encode(b"bbb") == [3, 2, 2, 2]


@pytest.mark.parametrize("kind", ["NORMAL", "USER_DEFINED"])
def test_long_pieces_cost_no_more_than_their_bytes(kind: str) -> None:
    """Pieces of the greatest size: looked at cut by cut, some hundreds of them would take minutes."""
    rng = random.Random(kind)
    long = ["".join(rng.choices("abc", k=7999)) for _ in range(60)]
    small = PieceModel(("<unk>", "a", "b", "c", "ab"), (0.0, -1.0, -2.0, -3.0, -0.0), (2, 1, 1, 1, 1))
    data = sentencepiece_proto.to_bytes(small.with_pieces(long, kind=kind))
    mine, witness = SentencePieceTokenizer(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    text = f"{long[3]}abc{long[5][:-1]} {long[7]}"
    assert mine.encode(text) == witness.encode(text)


def test_the_test_finds_what_it_looks_for() -> None:
    same = {"loads": True, "ids": [[1, 2]], "decoded": ["a"], "normalized": ["a"]}
    assert outcome(same, same) == "loaded by both, the same ids and text"
    assert outcome({**same, "ids": [[1, 3]]}, same).startswith("WRONG")
    assert outcome({**same, "decoded": ["b"]}, same).startswith("WRONG")
    assert outcome({"loads": False, "why": ""}, same).startswith("WRONG")
    assert outcome(same, {"loads": False, "why": ""}).startswith("WRONG")
    assert outcome(Died("exit -11"), same).startswith("WRONG")
