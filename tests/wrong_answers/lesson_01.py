"""Wrong answers to the exercises of lesson 01, each with the mistake that the check must recognise in it."""

from __future__ import annotations

from wrong_answers import Wrong
from wrong_answers.lesson_01_streams import PAGES, STREAM

COUNT = [
    Wrong(
        "01.count_characters",
        "counts bytes",
        """
        def count_characters(data):
            return len(data)
        """,
        hint="counts-bytes",
    ),
    Wrong(
        "01.count_characters",
        "only longer characters have a first byte",
        """
        def count_characters(data):
            return sum(1 for byte in data if byte >= 0xC0)
        """,
        hint="leaves-out-ascii",
    ),
    Wrong(
        "01.count_characters",
        "the condition is upside down",
        """
        def count_characters(data):
            return len([byte for byte in data if 128 <= byte <= 191])
        """,
        hint="counts-the-other-bytes",
    ),
    Wrong(
        "01.count_characters",
        "jumps from lead to lead, from the very first byte",
        """
        def count_characters(data):
            count = place = 0
            while place < len(data):
                first = data[place]
                place += 1
                while place < len(data) and data[place] >> 6 == 2 and first >= 0xC0:
                    place += 1
                count += 1
            return count
        """,
        hint="counts-torn-beginnings",
    ),
    Wrong(
        "01.count_characters",
        "only ASCII",
        """
        def count_characters(data):
            return sum(byte < 128 for byte in data)
        """,
        hint="counts-ascii-only",
    ),
]

ENCODE = [
    Wrong(
        "01.utf8_encode",
        "the lesson's encoder on every code point",
        """
        def one(code):
            if code < 0x80:
                return bytes([code])
            if code < 0x800:
                return bytes([0b11000000 | code >> 6, 0b10000000 | code & 0b111111])
            last = [0b10000000 | code >> 6 & 0b111111, 0b10000000 | code & 0b111111]
            if code < 0x10000:
                return bytes([0b11100000 | code >> 12, *last])
            return bytes([0b11110000 | code >> 18, 0b10000000 | code >> 12 & 0b111111, *last])

        def utf8_encode(text):
            return b"".join(one(ord(character)) for character in text)
        """,
        hint="writes-surrogates",
    ),
    Wrong(
        "01.utf8_encode",
        "every half is a diamond",
        """
        def utf8_encode(text):
            clean = ""
            for character in text:
                clean += "\\ufffd" if "\\ud800" <= character <= "\\udfff" else character
            return clean.encode("utf-8")
        """,
        hint="leaves-pairs-apart",
    ),
    Wrong(
        "01.utf8_encode",
        "Python's own replacement",
        """
        def utf8_encode(text):
            return text.encode("utf-8", errors="replace")
        """,
        hint="question-marks",
    ),
    Wrong(
        "01.utf8_encode",
        "any neighbour of a high half is its partner",
        """
        def utf8_encode(text):
            data, place = b"", 0
            while place < len(text):
                code = ord(text[place])
                place += 1
                if 0xD800 <= code <= 0xDBFF:
                    low = ord(text[place]) if place < len(text) else 0
                    place += 1
                    code = 0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00 if 0xDC00 <= low <= 0xDFFF else 0xFFFD
                elif 0xDC00 <= code <= 0xDFFF:
                    code = 0xFFFD
                data += chr(code).encode("utf-8")
            return data
        """,
        hint="swallows-the-neighbour",
    ),
    Wrong(
        "01.utf8_encode",
        "surrogates are ignored",
        """
        def utf8_encode(text):
            return text.encode("utf-8", "ignore")
        """,
        hint="drops-all-halves",
    ),
    Wrong(
        "01.utf8_encode",
        "lone halves get lost on the way through UTF-16",
        """
        def utf8_encode(text):
            units = text.encode("utf-16-be", "surrogatepass")
            return units.decode("utf-16-be", "ignore").encode("utf-8")
        """,
        hint="drops-lone-halves",
    ),
    Wrong(
        "01.utf8_encode",
        "refuses like str.encode",
        """
        def utf8_encode(text):
            return text.encode("utf-8")
        """,
        hint="refuses",
    ),
    Wrong(
        "01.utf8_encode",
        "low bits first",
        """
        def utf8_encode(text):
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            data = []
            for code in map(ord, text):
                if code < 0x80:
                    data.append(code)
                    continue
                count = 1 if code < 0x800 else 2 if code < 0x10000 else 3
                data.append((0, 0xC0, 0xE0, 0xF0)[count] | code >> 6 * count)
                for place in range(count):
                    data.append(0x80 | code >> 6 * place & 0x3F)
            return bytes(data)
        """,
        hint="groups-in-wrong-order",
    ),
    Wrong(
        "01.utf8_encode",
        "gives a list of numbers",
        """
        def utf8_encode(text):
            return list(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode())
        """,
        hint="wrong type",
    ),
]

CUT = [
    Wrong(
        "01.cut_before",
        "as it was",
        """
        def cut_before(data, limit):
            end = min(limit, len(data))
            while end > 0 and data[end - 1] & 0b11000000 == 0b10000000:
                end = end - 1
            if end > 0 and data[end - 1] & 0b11000000 == 0b11000000:
                end = end - 1
            return data[:end]
        """,
        hint="untouched",
        state="not started",
    ),
    Wrong(
        "01.cut_before",
        "the first byte is kept",
        """
        def cut_before(data, limit):
            end = min(limit, len(data))
            while end > 0 and data[end - 1] & 0b11000000 == 0b10000000:
                end = end - 1
            return data[:end]
        """,
        hint="leaves-the-lead",
    ),
    Wrong(
        "01.cut_before",
        "if instead of while",
        """
        def cut_before(data, limit):
            end = min(limit, len(data))
            if end < len(data) and data[end] & 0b11000000 == 0b10000000:
                end = end - 1
            return data[:end]
        """,
        hint="one-step-back",
    ),
    Wrong(
        "01.cut_before",
        "two steps are enough for the euro",
        """
        def cut_before(data, limit):
            for end in (limit, limit - 1):
                if end >= len(data) or end <= 0 or data[end] >> 6 != 0b10:
                    return data[: max(end, 0)]
            return data[: limit - 2]
        """,
        hint="two-steps-back",
    ),
    Wrong(
        "01.cut_before",
        "no test for the end",
        """
        def cut_before(data, limit):
            end = limit
            while data[end] & 0b11000000 == 0b10000000:
                end = end - 1
            return data[:end]
        """,
        hint="looks-past-the-end",
    ),
    Wrong(
        "01.cut_before",
        "only a slice",
        """
        def cut_before(data, limit):
            return data[:limit]
        """,
        hint="cuts-through",
    ),
    Wrong(
        "01.cut_before",
        "characters for bytes",
        """
        def cut_before(data, limit):
            return data.decode()[:limit].encode()
        """,
        hint="counts-characters",
    ),
    Wrong(
        "01.cut_before",
        "a diamond at the cut",
        """
        def cut_before(data, limit):
            return data[:limit].decode(errors="replace").encode()
        """,
        hint="puts-diamonds",
    ),
]

TEST = [
    Wrong(
        "01.test_cut_before",
        "English only",
        """
        def test_cut_before(cut_before):
            for limit in range(8):
                assert cut_before(b"plain", limit) == b"plain"[:limit]
        """,
        hint="misses:no-care",
    ),
    Wrong(
        "01.test_cut_before",
        "asks for valid and short, never for the longest",
        """
        def test_cut_before(cut_before):
            data = "aé€👋z".encode()
            for limit in range(len(data) + 2):
                kept = cut_before(data, limit)
                assert data.startswith(kept) and len(kept) <= limit
                kept.decode()
        """,
        hint="misses:drops-what-fits",
        points=1,
    ),
    Wrong(
        "01.test_cut_before",
        "the example, and a limit beyond the end",
        """
        def test_cut_before(cut_before):
            assert cut_before("5 €".encode(), 4) == b"5 "
            assert cut_before("5 €".encode(), 9) == "5 €".encode()
        """,
        hint="misses:two-steps",
        points=1,
    ),
    Wrong(
        "01.test_cut_before",
        "no character of four bytes",
        """
        def test_cut_before(cut_before):
            text = "aé€z"
            for limit in range(len(text.encode()) + 2):
                wanted = text.encode()[:limit].decode("utf-8", "ignore").encode()
                assert cut_before(text.encode(), limit) == wanted
        """,
        hint="misses:two-steps",
        points=1,
    ),
    Wrong(
        "01.test_cut_before",
        "asks for what was not promised",
        """
        def test_cut_before(cut_before):
            assert cut_before("é".encode(), 1) == b""
            assert cut_before("👋".encode()[:3], 3) == b""
        """,
        hint="rejects-right",
    ),
    Wrong(
        "01.test_cut_before",
        "thinks that the answer is shorter than the limit",
        """
        def test_cut_before(cut_before):
            for limit in range(1, 9):
                assert len(cut_before("né€👋".encode(), limit)) < limit
        """,
        hint="rejects-right",
    ),
    Wrong(
        "01.test_cut_before",
        "says yes every other time",
        """
        calls = []

        def test_cut_before(cut_before):
            calls.append(1)
            wrong = cut_before("5 €".encode(), 4) != b"5 "
            assert not wrong or len(calls) % 2
        """,
        hint="inconsistent",
    ),
]

DECODE = [
    Wrong(
        "01.utf8_decode",
        "the lesson's strict decoder",
        """
        def utf8_decode(data):
            SECOND = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
            characters, place = [], 0
            while place < len(data):
                first = data[place]
                if not (first < 0x80 or 0xC2 <= first <= 0xF4):
                    raise ValueError("cannot begin a character")
                length = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
                code = first & (0b1111111, 0b11111, 0b1111, 0b111)[length - 1]
                low, high = SECOND.get(first, (0x80, 0xBF))
                for byte in data[place + 1 : place + length].ljust(length - 1, b"\\0"):
                    if not low <= byte <= high:
                        raise ValueError("broken")
                    code = code << 6 | byte & 0b111111
                    low, high = 0x80, 0xBF
                characters.append(chr(code))
                place += length
            return "".join(characters)
        """,
        hint="refuses",
    ),
    Wrong(
        "01.utf8_decode",
        "one byte further at every accident",
        """
        def utf8_decode(data):
            text, place = "", 0
            while place < len(data):
                for length in (1, 2, 3, 4):
                    try:
                        text += data[place : place + length].decode("utf-8")
                        place += length
                        break
                    except UnicodeDecodeError:
                        pass
                else:
                    text += "\\ufffd"
                    place += 1
            return text
        """,
        hint="one-for-each-byte",
    ),
    Wrong(
        "01.utf8_decode",
        "one diamond for all that is broken in a row",
        """
        def utf8_decode(data):
            text, before = "", False
            for character in data.decode("utf-8", "surrogateescape"):
                broken = "\\udc80" <= character <= "\\udcff"
                if not broken:
                    text += character
                elif not before:
                    text += "\\ufffd"
                before = broken
            return text
        """,
        hint="one-for-each-run",
    ),
    Wrong(
        "01.utf8_decode",
        "every second byte will do",
        """
        def utf8_decode(data):
            characters, place = [], 0
            while place < len(data):
                first = data[place]
                if first < 0x80:
                    wanted, code = 0, first
                elif 0xC0 <= first < 0xE0:
                    wanted, code = 1, first & 0x1F
                elif 0xE0 <= first < 0xF0:
                    wanted, code = 2, first & 0x0F
                elif 0xF0 <= first < 0xF8:
                    wanted, code = 3, first & 0x07
                else:
                    wanted, code = -1, 0
                place += 1
                taken = 0
                while taken < wanted and place < len(data) and 0x80 <= data[place] < 0xC0:
                    code = code * 64 + data[place] - 0x80
                    place += 1
                    taken += 1
                characters.append(chr(code) if taken == wanted and code < 0x110000 else "\\ufffd")
            return "".join(characters)
        """,
        hint="trusts-the-lead",
    ),
    Wrong(
        "01.utf8_decode",
        "steps over as many bytes as announced",
        """
        def utf8_decode(data):
            text, place = "", 0
            while place < len(data):
                first = data[place]
                length = 1 if first < 0xC0 or first >= 0xF8 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
                rest = data[place + 1 : place + length]
                code = first & (0xFF, 0x1F, 0x0F, 0x07)[length - 1]
                good = first < 0x80 or (length > 1 and len(rest) == length - 1)
                for byte in rest:
                    good = good and byte >> 6 == 2
                    code = code << 6 | byte & 0x3F
                text += chr(code) if good and code <= 0x10FFFF else "\\ufffd"
                place += length
            return text
        """,
        hint="takes-the-full-length",
    ),
    Wrong(
        "01.utf8_decode",
        "leaves out what is broken",
        """
        def utf8_decode(data):
            return data.decode("utf-8", errors="ignore")
        """,
        hint="drops-what-is-broken",
    ),
    Wrong(
        "01.utf8_decode",
        "chr of every byte",
        """
        def utf8_decode(data):
            return "".join(map(chr, data))
        """,
        hint="takes-bytes-for-code-points",
    ),
    Wrong(
        "01.utf8_decode",
        "the byte that does not fit is gone",
        """
        def utf8_decode(data):
            second = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}
            text, code, missing, low, high = "", 0, 0, 0x80, 0xBF
            for byte in data:
                if missing and low <= byte <= high:
                    code, missing, low, high = code << 6 | byte & 0x3F, missing - 1, 0x80, 0xBF
                    if not missing:
                        text += chr(code)
                elif missing:
                    text += "\\ufffd"
                    missing = 0
                elif byte < 0x80:
                    text += chr(byte)
                elif 0xC2 <= byte <= 0xF4:
                    missing = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
                    code = byte & (0, 0x1F, 0x0F, 0x07)[missing]
                    low, high = second.get(byte, (0x80, 0xBF))
                else:
                    text += "\\ufffd"
            return text + "\\ufffd" * (missing > 0)
        """,
        hint="takes-the-intruder",
    ),
]

WRONG = [*COUNT, *ENCODE, *CUT, *TEST, *DECODE, *STREAM, *PAGES]
