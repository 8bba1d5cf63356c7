"""Wrong answers of lesson 01 to the exercises that read: a decoder for any bytes, and text that arrives in pieces."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

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

STREAM = [
    Wrong(
        "01.stream_decoder",
        "every chunk by itself",
        """
        class StreamDecoder:
            def feed(self, chunk):
                return chunk.decode("utf-8", "replace")

            def pending(self):
                return b""

            def finish(self):
                return ""
        """,
        hint="decodes-each-chunk-alone",
    ),
    Wrong(
        "01.stream_decoder",
        "collects, and decodes at the end",
        """
        class StreamDecoder:
            def __init__(self):
                self.data = b""

            def feed(self, chunk):
                self.data += chunk
                return ""

            def pending(self):
                return self.data

            def finish(self):
                text = self.data.decode("utf-8", "replace")
                self.data = b""
                return text
        """,
        hint="all-at-the-end",
    ),
    Wrong(
        "01.stream_decoder",
        "keeps everything from the first error on",
        """
        class StreamDecoder:
            def __init__(self):
                self.rest = b""

            def feed(self, chunk):
                self.rest += chunk
                try:
                    text = self.rest.decode("utf-8")
                    self.rest = b""
                except UnicodeDecodeError as error:
                    text = self.rest[: error.start].decode("utf-8")
                    self.rest = self.rest[error.start :]
                return text

            def pending(self):
                return self.rest

            def finish(self):
                text, self.rest = self.rest.decode("utf-8", "replace"), b""
                return text
        """,
        hint="stuck-at-an-accident",
    ),
    Wrong(
        "01.stream_decoder",
        "waits while the text ends in a diamond",
        """
        class StreamDecoder:
            def __init__(self):
                self.rest = b""

            def feed(self, chunk):
                self.rest += chunk
                text = utf8_decode(self.rest)
                if text.endswith("\\ufffd"):
                    return ""
                self.rest = b""
                return text

            def pending(self):
                return self.rest

            def finish(self):
                text, self.rest = utf8_decode(self.rest), b""
                return text
        """,
        hint="afraid-of-diamonds",
    ),
    Wrong(
        "01.stream_decoder",
        "believes the first byte",
        """
        class StreamDecoder:
            def __init__(self):
                self.rest = b""

            def feed(self, chunk):
                data = self.rest + chunk
                cut = len(data)
                for place in range(max(0, len(data) - 3), len(data)):
                    length = 1 if data[place] < 0xC0 else 2 if data[place] < 0xE0 else 3 if data[place] < 0xF0 else 4
                    if place + length > len(data):
                        cut = min(cut, place)
                self.rest = data[cut:]
                return utf8_decode(data[:cut])

            def pending(self):
                return self.rest

            def finish(self):
                text, self.rest = utf8_decode(self.rest), b""
                return text
        """,
        hint="keeps-the-hopeless",
    ),
    Wrong(
        "01.stream_decoder",
        "forgets the end",
        """
        class StreamDecoder:
            def __init__(self):
                self.kept = b""

            def feed(self, chunk):
                data, self.kept = self.kept + chunk, b""
                for size in (1, 2, 3):
                    tail = data[-size:]
                    if len(tail) == size and 0xC2 <= tail[0] <= 0xF4 and utf8_decode(tail) == "\\ufffd":
                        if tail != "\\ufffd".encode():
                            self.kept = tail
                return utf8_decode(data[: len(data) - len(self.kept)])

            def pending(self):
                return self.kept

            def finish(self):
                self.kept = b""
                return ""
        """,
        hint="silent-end",
    ),
    Wrong(
        "01.stream_decoder",
        "is not as new after the end",
        """
        class StreamDecoder:
            def __init__(self):
                self.kept = b""

            def feed(self, chunk):
                data, self.kept = self.kept + chunk, b""
                for size in (1, 2, 3):
                    tail = data[-size:]
                    if len(tail) == size and 0xC2 <= tail[0] <= 0xF4 and utf8_decode(tail) == "\\ufffd":
                        if tail != "\\ufffd".encode():
                            self.kept = tail
                return utf8_decode(data[: len(data) - len(self.kept)])

            def pending(self):
                return self.kept

            def finish(self):
                return utf8_decode(self.kept)
        """,
        hint="never-emptied",
    ),
    Wrong(
        "01.stream_decoder",
        "the decoder of the standard library",
        """
        import codecs

        class StreamDecoder:
            def __init__(self):
                self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

            def feed(self, chunk):
                return self.decoder.decode(chunk)

            def pending(self):
                return self.decoder.getstate()[0]

            def finish(self):
                return self.decoder.decode(b"", final=True)
        """,
        hint="waits-like-python",
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
]
