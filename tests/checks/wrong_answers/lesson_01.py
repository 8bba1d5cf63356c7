"""Wrong answers to the exercises of lesson 01, and what the check says about each."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

WRONG = [
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
        "returns a list of numbers",
        """
        def utf8_encode(text):
            return list(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode())
        """,
        hint="wrong type",
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
        "demands something that was not promised",
        """
        def test_cut_before(cut_before):
            assert cut_before("é".encode(), 1) == b""
            assert cut_before("👋".encode()[:3], 3) == b""
        """,
        hint="rejects-right",
    ),
    Wrong(
        "01.test_cut_before",
        "demands an answer shorter than the limit",
        """
        def test_cut_before(cut_before):
            for limit in range(1, 9):
                assert len(cut_before("né€👋".encode(), limit)) < limit
        """,
        hint="rejects-right",
    ),
    Wrong(
        "01.test_cut_before",
        "passes every other time",
        """
        calls = []

        def test_cut_before(cut_before):
            calls.append(1)
            wrong = cut_before("5 €".encode(), 4) != b"5 "
            assert not wrong or len(calls) % 2
        """,
        hint="inconsistent",
    ),
    Wrong(
        "01.utf8_decode",
        "the lesson's strict decoder",
        r"""
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
                for byte in data[place + 1 : place + length].ljust(length - 1, b"\0"):
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
        "01.stream_decoder",
        "has no pending",
        """
        class StreamDecoder:
            def __init__(self):
                self.kept = b""

            def feed(self, chunk):
                return utf8_decode(chunk)

            def finish(self):
                return ""
        """,
        hint="raised",
    ),
    Wrong(
        "01.encode_pages",
        "the bytes of UTF-8",
        """
        def encode_pages(text):
            return text.encode("utf-8")
        """,
        hint="plain-utf8",
    ),
    Wrong(
        "01.encode_pages",
        "right, and longer than UTF-8",
        r"""
        def encode_pages(text):
            data = b""
            for character in text:
                code = ord(character)
                plain = code < 128 and code not in (0x0E, 0x0F, 0x10, 0x11)
                data += bytes([code]) if plain else b"\x10" + code.to_bytes(3, "big")
            return data
        """,
        hint="below the level",
    ),
    Wrong(
        "01.encode_pages",
        "always opens the page it needs",
        r"""
        def encode_pages(text):
            data, open_page = b"", 1
            for character in text:
                code = ord(character)
                if code in (0x0E, 0x0F, 0x10, 0x11):
                    data += bytes([0x10, 0, 0, code])
                elif code < 128:
                    data += bytes([code])
                else:
                    if code // 128 != open_page:
                        open_page = code // 128
                        data += b"\x0e" + open_page.to_bytes(2, "big")
                    data += bytes([128 + code % 128])
            return data
        """,
        hint="below the level",
        points=1,
    ),
    Wrong(
        "01.encode_pages",
        "pages or a run, decided word by word",
        r"""
        import re

        def encode_pages(text):
            data, page, other = b"", 1, 7
            for part in re.findall(r"[^\x00-\x7f]+|[\x00-\x7f]", text):
                code = ord(part[0])
                if code < 128:
                    data += bytes([0x10, 0, 0, code]) if 0x0E <= code <= 0x11 else bytes([code])
                    continue
                here, there, paged = page, other, b""
                for code in map(ord, part):
                    if code // 128 == there:
                        paged += b"\x0f"
                        here, there = there, here
                    elif code // 128 != here:
                        here, there = code // 128, here
                        paged += b"\x0e" + here.to_bytes(2, "big")
                    paged += bytes([128 + code % 128])
                run = b""
                for place in range(0, len(part), 255):
                    some = part[place : place + 255]
                    run += bytes([0x11, len(some)]) + some.encode("utf-16-be")
                if max(part) < "\U00010000" and len(run) < len(paged):
                    data += run
                else:
                    data, page, other = data + paged, here, there
            return data
        """,
        hint="below the level",
        points=2,
    ),
    Wrong(
        "01.encode_pages",
        "all of ASCII as it is",
        r"""
        def encode_pages(text):
            return b"".join(
                bytes([ord(each)]) if each < "\x80" else b"\x10" + ord(each).to_bytes(3, "big") for each in text
            )
        """,
        hint="writes-commands-as-text",
    ),
    Wrong(
        "01.encode_pages",
        "one run for everything",
        r"""
        import re

        def encode_pages(text):
            def written(match):
                part = match.group()
                if max(part) > "\uffff":
                    return "".join("\x10" + ord(each).to_bytes(3, "big").decode("latin-1") for each in part)
                return chr(0x11) + chr(len(part)) + part.encode("utf-16-be").decode("latin-1")

            return re.sub(r"[^\x00-\x0d\x12-\x7f]+", written, text).encode("latin-1")
        """,
        hint="run-too-long",
    ),
    Wrong(
        "01.encode_pages",
        "drops characters beyond Latin-1",
        """
        def encode_pages(text):
            return text.encode("latin-1", "ignore")
        """,
        hint="writes-commands-as-text",
    ),
    Wrong(
        "01.encode_pages",
        "remembers the text and returns nothing",
        """
        seen = {}

        def encode_pages(text):
            seen[b""] = text
            return b""
        """,
        hint="",
    ),
    Wrong(
        "01.encode_pages",
        "zlib",
        """
        import zlib

        def encode_pages(text):
            return zlib.compress(text.encode("utf-8"), 9)
        """,
        hint="",
    ),
]
