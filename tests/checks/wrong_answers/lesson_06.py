"""Wrong answers to the exercises of lesson 06, and what the check says about each."""

from __future__ import annotations

from minbpe_course.checks.exercise import changed
from tests.checks.wrong_answers import Wrong

_FIELDS = """
def number_at(data, at):
    value = shift = 0
    while True:
        if at >= len(data):
            raise ValueError("cut off")
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at

def fields_of(data):
    at = 0
    while at < len(data):
        begin = at
        tag, at = number_at(data, at)
        if tag & 7 == 0:
            value, at = number_at(data, at)
        else:
            size, at = number_at(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
            value, at = data[at : at + size], at + size
        yield tag >> 3, value, begin, at
"""

_READ_PIECES = """
import struct

def read_pieces(data):
    out = []
    for number, message, _, end in fields_of(data):
        if end > len(data):
            raise ValueError("cut off")
        if number == 1:
            inner = {1: b"", 2: bytes(4), 3: 1}
            inner.update((field, value) for field, value, _, _ in fields_of(message))
            out.append((inner[1].decode("utf-8", "replace"), struct.unpack("<f", inner[2][:4])[0], inner[3]))
    return out
"""

_RETIRE_PIECES = """
def retire_pieces(data, texts):
    out, met = b"", set()
    for number, message, begin, end in fields_of(data):
        inner = {1: b"", 3: 1}
        if number == 1:
            inner.update((field, value) for field, value, _, _ in fields_of(message))
        text = inner[1].decode()
        if number == 1 and text in texts:
            if inner[3] not in (1, 4):
                raise ValueError(text)
            met.add(text)
            message += bytes([24, 5])
            out += bytes([10]) + write_varint(len(message)) + message
        else:
            out += data[begin:end]
    if met != set(texts):
        raise ValueError(texts)
    return out
"""
_MARK = "            message += bytes([24, 5])\n"
_WRITE = "            out += bytes([10]) + write_varint(len(message)) + message\n"


def _reading(*replacements: tuple[str, str]) -> str:
    return changed(_FIELDS + _READ_PIECES, *replacements)


def _retiring(*replacements: tuple[str, str]) -> str:
    return changed(_FIELDS + _RETIRE_PIECES, *replacements)


WRONG = [
    Wrong(
        "06.write_varint",
        "negative numbers forgotten",
        """
        def write_varint(value):
            out = []
            while value >= 128:
                out.append(value & 127 | 128)
                value >>= 7
            return bytes(out + [value])
        """,
        hint="negative",
    ),
    Wrong(
        "06.write_varint",
        "returns the list of bytes",
        """
        def write_varint(value):
            value %= 2**64
            out = []
            while value >= 128:
                out.append(value & 127 | 128)
                value >>= 7
            return out + [value]
        """,
        hint="wrong type",
    ),
    Wrong(
        "06.write_varint",
        "128 in one byte",
        """
        def write_varint(value):
            value %= 2**64
            out = []
            while value > 128:
                out.append(value & 127 | 128)
                value >>= 7
            return bytes(out + [value])
        """,
        hint="128-in-one-byte",
    ),
    Wrong(
        "06.read_pieces",
        "expects every field",
        _reading(('inner = {1: b"", 2: bytes(4), 3: 1}', "inner = {}")),
        hint="no-defaults",
    ),
    Wrong(
        "06.read_pieces",
        "every message is a piece",
        _reading(
            ("if number == 1:", "if isinstance(message, bytes):"),
            (
                "for field, value, _, _ in fields_of(message))",
                "for field, value, _, _ in fields_of(message) if type(value) is type(inner.get(field)))",
            ),
        ),
        hint="every-message-a-piece",
    ),
    Wrong(
        "06.read_pieces",
        "reads a damaged file as far as possible",
        _reading(
            ("while True:", "while at < len(data):"),
            ("            return value, at\n", "            break\n    return value, at\n"),
            ('        if end > len(data):\n            raise ValueError("cut off")\n', ""),
            ("inner[2][:4]", "inner[2].ljust(4, bytes(1))"),
        ),
        hint="cut-short-is-fine",
    ),
    Wrong(
        "06.read_pieces",
        "IndexError for a damaged file",
        _reading(("raise ValueError", "raise IndexError")),
        hint="another-error",
    ),
    Wrong(
        "06.add_piece",
        "writes a new file of pieces only",
        r"""
        def add_piece(data, text, kind):
            import struct
            written = b""
            for spelling, score, sort in [*read_pieces(data), (text, 0.0, kind)]:
                raw = spelling.encode("utf-8")
                inner = b"\x0a" + write_varint(len(raw)) + raw + b"\x15" + struct.pack("<f", score)
                inner += b"\x18" + write_varint(sort)
                written += b"\x0a" + write_varint(len(inner)) + inner
            return written
        """,
        hint="rest-of-the-file-lost",
    ),
    Wrong(
        "06.add_piece",
        "no envelope",
        r"""
        def add_piece(data, text, kind):
            raw = text.encode()
            return data + b"\x0a" + write_varint(len(raw)) + raw + b"\x15" + bytes(4)
        """,
        hint="no-envelope",
    ),
    Wrong(
        "06.add_piece",
        "lengths of one byte",
        r"""
        def add_piece(data, text, kind):
            raw = text.encode()
            inner = b"\x0a" + bytes([len(raw) % 256]) + raw + b"\x15" + bytes(4) + b"\x18" + bytes([kind])
            return data + b"\x0a" + bytes([len(inner) % 256]) + inner
        """,
        hint="short-lengths",
    ),
    Wrong("06.retire_pieces", "removes the piece", _retiring((_MARK + _WRITE, "            pass\n")), hint="taken-out"),
    Wrong(
        "06.retire_pieces",
        "changes the type only where it is written",
        _retiring(
            (_MARK + _WRITE, "            out += data[begin:end].replace(bytes([24, inner[3]]), bytes([24, 5]))\n")
        ),
        hint="type-not-written",
    ),
    Wrong(
        "06.retire_pieces",
        "ignores texts that are no piece",
        _retiring(("    if met != set(texts):\n        raise ValueError(texts)\n", "")),
        hint="no-questions",
    ),
    Wrong(
        "06.retire_pieces",
        "retires the unknown piece",
        _retiring(("            if inner[3] not in (1, 4):\n                raise ValueError(text)\n", "")),
        hint="no-questions",
    ),
    Wrong(
        "06.retire_pieces",
        "writes only pieces",
        _retiring(("        else:\n            out", "        elif number == 1:\n            out")),
        hint="rest-of-the-file-lost",
    ),
    Wrong(
        "06.retire_pieces",
        "rewrites a piece from its known fields",
        _retiring(
            (
                _MARK,
                "            message = bytes([10]) + write_varint(len(inner[1])) + inner[1]\n"
                "            message += bytes([21]) + inner.get(2, bytes(4)) + bytes([24, 5])\n",
            )
        ),
        hint="rest-of-the-file-lost",
    ),
    Wrong("06.retire_pieces", "another error", _retiring(("ValueError(texts)", "KeyError(texts)")), hint="raised"),
    Wrong(
        "06.retire_pieces",
        "the old length",
        _retiring((_MARK, ""), (_WRITE, _WRITE.replace("+ message", "+ message + bytes([24, 5])"))),
        hint="type-not-written",
    ),
    Wrong(
        "06.test_normalize",
        "one example",
        """
        def test_normalize(normalize):
            assert normalize("Hello world") == "▁Hello▁world"
        """,
        hint="misses:prefix-of-nothing",
    ),
    Wrong(
        "06.test_normalize",
        "demands a mark for the empty text",
        """
        def test_normalize(normalize):
            for text in ["", "a", "a b"]:
                assert normalize(text) == "▁" + text.replace(" ", "▁")
        """,
        hint="rejects-right",
    ),
    Wrong(
        "06.test_normalize",
        "depends on chance",
        """
        import itertools
        turn = itertools.count()

        def test_normalize(normalize):
            assert normalize("a b") == "▁a▁b"
            assert normalize("") == "" or next(turn) % 2
        """,
        hint="inconsistent",
    ),
    Wrong(
        "06.test_normalize",
        "checks the property instead of the answer",
        """
        def test_normalize(normalize):
            for text in ["", "a", " a", "a  b "]:
                out = normalize(text)
                assert " " not in out
                assert out.startswith("▁") == bool(text)
                assert out[1:].replace("▁", " ") == text
        """,
        hint="misses:tabs",
        points=1,
    ),
    Wrong(
        "06.fall_back",
        "still one digit, and a KeyError",
        """
        def fall_back(symbols, piece_ids, unk_id):
            ids = []
            for symbol in symbols:
                if symbol in piece_ids or "<0x00>" not in piece_ids:
                    ids.append(piece_ids.get(symbol, unk_id))
                else:
                    ids.extend(piece_ids[f"<0x{byte:X}>"] for byte in symbol.encode())
            return ids
        """,
        hint="raised",
    ),
    Wrong(
        "06.choose_pieces",
        "single characters",
        """
        def choose_pieces(text, budget):
            return sorted(set(text))[:budget]
        """,
        hint="",
    ),
    Wrong(
        "06.choose_pieces",
        "no pieces at all",
        """
        def choose_pieces(text, budget):
            return []
        """,
        hint="below the level",
    ),
    Wrong(
        "06.choose_pieces",
        "always the same pieces, made for English",
        """
        def choose_pieces(text, budget):
            pieces = "▁t he in er an re on at en nd ▁a ▁s or ▁w es is it ou ▁the ing ▁o ▁c ▁b ed al ▁f ▁p ▁m le ar ▁and"
            return pieces.split(" ")[:budget]
        """,
        hint="below the level",
    ),
    Wrong(
        "06.choose_pieces",
        "more than the budget",
        """
        def choose_pieces(text, budget):
            return list({text[at : at + 2] for at in range(len(text) - 1)})
        """,
        hint="",
    ),
]
