"""Wrong answers to the exercises of lesson 06, and what each is told: here those about the file."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_06_pieces import PIECES
from tests.checks.wrong_answers.lesson_06_retired import RETIRED

WRONG = [
    Wrong(
        "06.signed",
        "the number as it is stored",
        """
        def signed(value):
            return value
        """,
        hint="unsigned",
    ),
    Wrong(
        "06.signed",
        "a border at 32 bits",
        """
        def signed(value):
            return value - 2**32 if value >= 2**31 else value
        """,
        hint="32-bits",
    ),
    Wrong(
        "06.signed",
        "every bit turned round",
        """
        def signed(value):
            return -(value ^ 0xFFFFFFFFFFFFFFFF) if value >= 2**63 else value
        """,
        hint="flips-the-bits",
    ),
    Wrong(
        "06.signed",
        "one beside the border",
        """
        def signed(value):
            if value > 2**63:
                value -= 2**64
            return value
        """,
        hint="border",
    ),
    Wrong(
        "06.write_varint",
        "highest group first",
        """
        def write_varint(value):
            value %= 2**64
            groups = [value & 127]
            while value > 127:
                value >>= 7
                groups.insert(0, value & 127 | 128)
            return bytes(groups)
        """,
        hint="highest-first",
    ),
    Wrong(
        "06.write_varint",
        "the last byte marked too",
        """
        def write_varint(value):
            value %= 2**64
            out = []
            while True:
                out.append(value & 127 | 128)
                value >>= 7
                if not value:
                    return bytes(out)
        """,
        hint="always-marked",
    ),
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
        "06.read_pieces",
        "takes every field for granted",
        """
        import struct

        def number(data, at):
            value = shift = 0
            while True:
                byte = data[at]
                value |= (byte & 127) << shift
                at, shift = at + 1, shift + 7
                if byte < 128:
                    return value, at

        def fields(data):
            at = 0
            while at < len(data):
                tag, at = number(data, at)
                if tag & 7 == 0:
                    value, at = number(data, at)
                else:
                    size, at = number(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
                    value, at = data[at : at + size], at + size
                    if at > len(data):
                        raise ValueError("cut off")
                yield tag >> 3, value

        def read_pieces(data):
            out = []
            for n, message in fields(data):
                if n == 1:
                    inner = dict(fields(message))
                    out.append((inner[1].decode(), struct.unpack("<f", inner[2])[0], inner[3]))
            return out
        """,
        hint="no-defaults",
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
        "every message is a piece",
        """
        import struct

        def number(data, at):
            value = shift = 0
            while True:
                if at >= len(data):
                    raise ValueError("cut off")
                byte = data[at]
                value |= (byte & 127) << shift
                at, shift = at + 1, shift + 7
                if byte < 128:
                    return value, at

        def fields(data):
            at = 0
            while at < len(data):
                tag, at = number(data, at)
                if tag & 7 == 0:
                    value, at = number(data, at)
                else:
                    size, at = number(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
                    value, at = data[at : at + size], at + size
                    if at > len(data):
                        raise ValueError("cut off")
                yield tag >> 3, value

        def read_pieces(data):
            out = []
            for n, message in fields(data):
                if isinstance(message, bytes):
                    inner = {1: b"", 2: bytes(4), 3: 1}
                    inner.update((k, v) for k, v in fields(message) if type(v) is type(inner.get(k)))
                    out.append((inner[1].decode(), struct.unpack("<f", inner[2])[0], inner[3]))
            return out
        """,
        hint="every-message-a-piece",
    ),
    Wrong(
        "06.read_pieces",
        "a damaged file is read as far as it goes",
        """
        import struct

        def number(data, at):
            value = shift = 0
            while at < len(data):
                byte = data[at]
                value |= (byte & 127) << shift
                at, shift = at + 1, shift + 7
                if byte < 128:
                    break
            return value, at

        def fields(data):
            at = 0
            while at < len(data):
                tag, at = number(data, at)
                if tag & 7 == 0:
                    value, at = number(data, at)
                else:
                    size, at = number(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
                    value, at = data[at : at + size], at + size
                yield tag >> 3, value

        def read_pieces(data):
            out = []
            for n, message in fields(data):
                if n == 1:
                    inner = {1: b"", 2: bytes(4), 3: 1, **dict(fields(message))}
                    score = struct.unpack("<f", inner[2].ljust(4, bytes(1)))[0]
                    out.append((inner[1].decode("utf-8", "replace"), score, inner[3]))
            return out
        """,
        hint="cut-short-is-fine",
    ),
    Wrong(
        "06.read_pieces",
        "a damaged file stops with IndexError",
        """
        import struct

        def number(data, at):
            value = shift = 0
            while True:
                byte = data[at]
                value |= (byte & 127) << shift
                at, shift = at + 1, shift + 7
                if byte < 128:
                    return value, at

        def fields(data):
            at = 0
            while at < len(data):
                tag, at = number(data, at)
                if tag & 7 == 0:
                    value, at = number(data, at)
                else:
                    size, at = number(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
                    data[at + size - 1]
                    value, at = data[at : at + size], at + size
                yield tag >> 3, value

        def read_pieces(data):
            out = []
            for n, message in fields(data):
                if n == 1:
                    inner = {1: b"", 2: bytes(4), 3: 1, **dict(fields(message))}
                    out.append((inner[1].decode(), struct.unpack("<f", inner[2])[0], inner[3]))
            return out
        """,
        hint="another-error",
    ),
    Wrong(
        "06.add_piece",
        "lengths in characters",
        """
        import struct

        def add_piece(data, text, kind):
            inner = b"\\x0a" + write_varint(len(text)) + text.encode() + b"\\x15" + bytes(4) + b"\\x18" + bytes([kind])
            return data + b"\\x0a" + write_varint(len(inner)) + inner
        """,
        hint="characters",
    ),
    Wrong(
        "06.add_piece",
        "a file made anew, of pieces only",
        """
        def add_piece(data, text, kind):
            import struct
            written = b""
            for spelling, score, sort in [*read_pieces(data), (text, 0.0, kind)]:
                raw = spelling.encode("utf-8")
                inner = b"\\x0a" + write_varint(len(raw)) + raw + b"\\x15" + struct.pack("<f", score)
                inner += b"\\x18" + write_varint(sort)
                written += b"\\x0a" + write_varint(len(inner)) + inner
            return written
        """,
        hint="rest-of-the-file-lost",
    ),
    Wrong(
        "06.add_piece",
        "no envelope",
        """
        def add_piece(data, text, kind):
            raw = text.encode()
            return data + b"\\x0a" + write_varint(len(raw)) + raw + b"\\x15" + bytes(4)
        """,
        hint="no-envelope",
    ),
    Wrong(
        "06.add_piece",
        "lengths of one byte",
        """
        def add_piece(data, text, kind):
            raw = text.encode()
            inner = b"\\x0a" + bytes([len(raw) % 256]) + raw + b"\\x15" + bytes(4) + b"\\x18" + bytes([kind])
            return data + b"\\x0a" + bytes([len(inner) % 256]) + inner
        """,
        hint="short-lengths",
    ),
    *RETIRED,
    *PIECES,
]
