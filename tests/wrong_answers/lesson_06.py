"""Wrong answers to the exercises of lesson 06, and what each is told."""

from __future__ import annotations

from wrong_answers import Wrong

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
    Wrong(
        "06.test_normalize",
        "one example is no test",
        """
        def test_normalize(normalize):
            assert normalize("Hello world") == "▁Hello▁world"
        """,
        hint="misses:prefix-of-nothing",
    ),
    Wrong(
        "06.test_normalize",
        "wants a mark for nothing",
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
        "lower case",
        """
        def fall_back(symbols, piece_ids, unk_id):
            ids = []
            for symbol in symbols:
                if symbol in piece_ids or "<0x00>" not in piece_ids:
                    ids.append(piece_ids.get(symbol, unk_id))
                else:
                    ids.extend(piece_ids.get(f"<0x{byte:02x}>", unk_id) for byte in symbol.encode())
            return ids
        """,
        hint="lower-case",
    ),
    Wrong(
        "06.fall_back",
        "code points for bytes",
        """
        def fall_back(symbols, piece_ids, unk_id):
            ids = []
            for symbol in symbols:
                if symbol in piece_ids or "<0x00>" not in piece_ids:
                    ids.append(piece_ids.get(symbol, unk_id))
                else:
                    ids.extend(piece_ids.get(f"<0x{ord(c):02X}>", unk_id) for c in symbol)
            return ids
        """,
        hint="code-points",
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
        "06.encode_by_score",
        "the rightmost of equal scores",
        """
        def encode_by_score(text, scores, whole):
            row, at = [], 0
            while at < len(text):
                cut = max((p for p in whole if text.startswith(p, at)), key=len, default="")
                row.append((cut or text[at], bool(cut)))
                at += len(row[-1][0])
            while True:
                found = [(scores[a + b], i) for i, ((a, fa), (b, fb)) in enumerate(zip(row, row[1:]))
                         if not fa and not fb and a + b in scores]
                if not found:
                    return [symbol for symbol, _ in row]
                _, i = max(found)
                row[i : i + 2] = [(row[i][0] + row[i + 1][0], False)]
        """,
        hint="rightmost",
    ),
    Wrong(
        "06.encode_by_score",
        "forgets what is cut out whole",
        """
        def encode_by_score(text, scores, whole):
            row = list(text)
            while True:
                found = [(scores[a + b], -i) for i, (a, b) in enumerate(zip(row, row[1:])) if a + b in scores]
                if not found:
                    return row
                i = -max(found)[1]
                row[i : i + 2] = [row[i] + row[i + 1]]
        """,
        hint="joins-whole",
    ),
    Wrong(
        "06.encode_by_score",
        "longest match",
        """
        def encode_by_score(text, scores, whole):
            out, at = [], 0
            while at < len(text):
                piece = max((p for p in [*scores, *whole] if text.startswith(p, at)), key=len, default=text[at])
                out.append(piece)
                at += len(piece)
            return out
        """,
        hint="longest-match",
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
        "more than the budget",
        """
        def choose_pieces(text, budget):
            return list({text[at : at + 2] for at in range(len(text) - 1)})
        """,
        hint="",
    ),
]
