"""Wrong answers to the last two exercises of lesson 01: text that arrives in pieces, and the design of an encoder."""

from __future__ import annotations

from wrong_answers import Wrong

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

PAGES = [
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
        """
        def encode_pages(text):
            data = b""
            for character in text:
                code = ord(character)
                plain = code < 128 and code not in (0x0E, 0x0F, 0x10, 0x11)
                data += bytes([code]) if plain else b"\\x10" + code.to_bytes(3, "big")
            return data
        """,
        hint="below the level",
        points=0,
    ),
    Wrong(
        "01.encode_pages",
        "always opens the page it needs",
        """
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
                        data += b"\\x0e" + open_page.to_bytes(2, "big")
                    data += bytes([128 + code % 128])
            return data
        """,
        hint="below the level",
        points=1,
    ),
    Wrong(
        "01.encode_pages",
        "pages or a run, decided word by word",
        """
        import re

        def encode_pages(text):
            data, page, other = b"", 1, 7
            for part in re.findall(r"[^\\x00-\\x7f]+|[\\x00-\\x7f]", text):
                code = ord(part[0])
                if code < 128:
                    data += bytes([0x10, 0, 0, code]) if 0x0E <= code <= 0x11 else bytes([code])
                    continue
                here, there, paged = page, other, b""
                for code in map(ord, part):
                    if code // 128 == there:
                        paged += b"\\x0f"
                        here, there = there, here
                    elif code // 128 != here:
                        here, there = code // 128, here
                        paged += b"\\x0e" + here.to_bytes(2, "big")
                    paged += bytes([128 + code % 128])
                run = b""
                for place in range(0, len(part), 255):
                    some = part[place : place + 255]
                    run += bytes([0x11, len(some)]) + some.encode("utf-16-be")
                if max(part) < "\\U00010000" and len(run) < len(paged):
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
        """
        def encode_pages(text):
            return b"".join(
                bytes([ord(each)]) if each < "\\x80" else b"\\x10" + ord(each).to_bytes(3, "big") for each in text
            )
        """,
        hint="writes-commands-as-text",
    ),
    Wrong(
        "01.encode_pages",
        "one run for everything",
        """
        import re

        def encode_pages(text):
            def written(match):
                part = match.group()
                if max(part) > "\\uffff":
                    return "".join("\\x10" + ord(each).to_bytes(3, "big").decode("latin-1") for each in part)
                return chr(0x11) + chr(len(part)) + part.encode("utf-16-be").decode("latin-1")

            return re.sub(r"[^\\x00-\\x0d\\x12-\\x7f]+", written, text).encode("latin-1")
        """,
        hint="run-too-long",
    ),
    Wrong(
        "01.encode_pages",
        "leaves out what is not Latin-1",
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
