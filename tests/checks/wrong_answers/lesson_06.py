"""Wrong answers to the exercises of lesson 06, and what the check says about each."""

# ruff: noqa: F811, F821
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit("06.write_varint", "negative numbers forgotten", "negative", (" % 2**64", ""))

_ANY_MESSAGE = ("if outer == 1:", "if outer in (1, 3):")
_CUT_NUMBER = ('raise ValueError("the data ends inside a number")', "return value, place")
_CUT_FIELD = ("if place > len(buffer):", "if False:")
_CUT_SCORE = ("piece[2])", "piece[2].ljust(4, bytes(1)))")
WRONG.edit("06.read_pieces", "every message is a piece", "every-message-a-piece", _ANY_MESSAGE)
WRONG.edit("06.read_pieces", "as far as possible", "cut-short-is-fine", _CUT_NUMBER, _CUT_FIELD, _CUT_SCORE)
WRONG.edit("06.read_pieces", "IndexError for a damaged file", "another-error", ("raise ValueError", "raise IndexError"))

WRONG.edit("06.fall_back", "one digit, and a KeyError", "raised", (":02X", ":X"))

_SHORT_TEXT = ("write_varint(len(spelling))", "bytes([len(spelling) % 256])")
_SHORT_PIECE = ("write_varint(len(message))", "bytes([len(message) % 256])")
WRONG.edit("06.add_piece", "no envelope", "no-envelope", (r'b"\n" + write_varint(len(message)) + message', "message"))
WRONG.edit("06.add_piece", "lengths of one byte", "short-lengths", _SHORT_TEXT, _SHORT_PIECE)

_WRITTEN, _RETIRED = r'b"\n" + write_varint(len(message)) + message', r'message += b"\x18\x05"'
_CHANGED_WHERE_WRITTEN = r'data[begin:end].replace(b"\x18" + inside.get(3, b"?"), b"\x18\x05")'
_TEXT_AND_SCORE = r'b"\n" + write_varint(len(inside[1])) + inside[1] + b"\x15" + inside.get(2, bytes(4))'
_OLD_LENGTH = ("write_varint(len(message))", "write_varint(len(message) - 2)")
_KEPT = ("written.append(data[begin:end])", "written += [data[begin:end]] * (number == 1)")
_KNOWN_FIELDS = (_RETIRED, rf'message = {_TEXT_AND_SCORE} + b"\x18\x05"')
_ANY_KIND = (r'not in (b"\x01", b"\x04")', "is None")
WRONG.edit("06.retire_pieces", "removes the piece", "taken-out", (f"written.append({_WRITTEN})", "pass"))
WRONG.edit("06.retire_pieces", "changes only a written type", "type-not-written", (_WRITTEN, _CHANGED_WHERE_WRITTEN))
WRONG.edit("06.retire_pieces", "the old length", "old-length", _OLD_LENGTH)
WRONG.edit("06.retire_pieces", "ignores texts that are no piece", "no-questions", ("if waiting:", "if False:"))
WRONG.edit("06.retire_pieces", "retires the unknown piece", "no-questions", _ANY_KIND)
WRONG.edit("06.retire_pieces", "writes only pieces", "rest-of-the-file-lost", _KEPT)
WRONG.edit("06.retire_pieces", "writes known fields only", "unknown-fields-lost", _KNOWN_FIELDS)


@WRONG.add("06.add_piece", "writes a new file of pieces only", "rest-of-the-file-lost")
def add_piece(data, text, kind):
    import struct

    written = b""
    for spelling, score, sort in [*read_pieces(data), (text, 0.0, kind)]:
        raw = spelling.encode("utf-8")
        inner = b"\x0a" + write_varint(len(raw)) + raw + b"\x15" + struct.pack("<f", score)
        inner += b"\x18" + write_varint(sort)
        written += b"\x0a" + write_varint(len(inner)) + inner
    return written


@WRONG.add("06.test_normalize", "one example", "misses:prefix-of-nothing")
def test_normalize(normalize):
    assert normalize("Hello world") == "▁Hello▁world"


@WRONG.add("06.test_normalize", "demands a mark for the empty text", "rejects-right")
def test_normalize(normalize):
    for text in ["", "a", "a b"]:
        assert normalize(text) == "▁" + text.replace(" ", "▁")


@WRONG.add("06.test_normalize", "checks the property instead of the answer", "misses:tabs", points=1)
def test_normalize(normalize):
    for text in ["", "a", " a", "a  b "]:
        out = normalize(text)
        assert " " not in out
        assert out.startswith("▁") == bool(text)
        assert out[1:].replace("▁", " ") == text


@WRONG.add("06.choose_pieces", "single characters", "")
def choose_pieces(text, budget):
    return sorted(set(text))[:budget]


@WRONG.add("06.choose_pieces", "more than the budget", "")
def choose_pieces(text, budget):
    return list({text[at : at + 2] for at in range(len(text) - 1)})


@WRONG.add("06.choose_pieces", "no pieces at all", "below the level")
def choose_pieces(text, budget):
    return []


@WRONG.add("06.write_varint", "the highest bits first", "highest-first")
def write_varint(value):
    value, groups = value % 2**64, []
    while True:
        groups.insert(0, value & 127 | (128 if groups else 0))
        value >>= 7
        if not value:
            return bytes(groups)
