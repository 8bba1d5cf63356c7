"""Wrong answers to the exercises of lesson 01, each with the mistake that the check must recognise in it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_01_open import PAGES, TEST
from tests.checks.wrong_answers.lesson_01_reading import DECODE, STREAM

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

WRONG = [*COUNT, *ENCODE, *CUT, *TEST, *DECODE, *STREAM, *PAGES]
