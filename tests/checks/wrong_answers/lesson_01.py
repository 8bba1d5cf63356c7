"""Wrong answers to the exercises of lesson 01, and what the check says about each."""

# ruff: noqa: F811
from __future__ import annotations

from tests.checks.wrong_answers import Shelf

WRONG = Shelf()

WRONG.edit(
    "01.cut_before",
    "no test for the end",
    "looks-past-the-end",
    ("min(limit, len(data))", "limit"),
    ("end < len(data) and ", ""),
)
WRONG.edit(
    "01.cut_before", "looks at the last byte of nothing", "raised", ("end = min(", "data[:limit][-1]; end = min(")
)
WRONG.edit("01.utf8_encode", "less than, not at most", "too-long-at-an-edge", ("code < 0x80:", "code < 0x7F:"))


@WRONG.add("01.utf8_encode", "refuses like str.encode", "refuses")
def utf8_encode(text):
    return text.encode("utf-8")


@WRONG.add("01.test_cut_before", "English only", "misses:no-care")
def test_cut_before(cut_before):
    for limit in range(8):
        assert cut_before(b"plain", limit) == b"plain"[:limit]


@WRONG.add("01.test_cut_before", "asks for valid and short, not for the longest", "misses:drops-what-fits", points=1)
def test_cut_before(cut_before):
    data = "aé€👋z".encode()
    for limit in range(len(data) + 2):
        kept = cut_before(data, limit)
        assert data.startswith(kept)
        assert len(kept) <= limit
        kept.decode()


@WRONG.add("01.test_cut_before", "the example, and a limit beyond the end", "misses:two-steps", points=1)
def test_cut_before(cut_before):
    assert cut_before("5 €".encode(), 4) == b"5 "
    assert cut_before("5 €".encode(), 9) == "5 €".encode()


@WRONG.add("01.test_cut_before", "demands something that was not promised", "rejects-right")
def test_cut_before(cut_before):
    assert cut_before("é".encode(), 1) == b""
    assert cut_before("👋".encode()[:3], 3) == b""


@WRONG.add("01.utf8_decode", "strict, as the lesson's decoder", "refuses")
def utf8_decode(data):
    return data.decode("utf-8")


@WRONG.add("01.encode_pages", "the bytes of UTF-8", "plain-utf8")
def encode_pages(text):
    return text.encode("utf-8")


@WRONG.add("01.encode_pages", "always opens the page it needs", "below the level", points=1)
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


@WRONG.add("01.encode_pages", "pages or a run, decided word by word", "below the level", points=2)
def encode_pages(text):
    import re

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


@WRONG.add("01.encode_pages", "all of ASCII as it is", "writes-commands-as-text")
def encode_pages(text):
    return b"".join(bytes([ord(each)]) if each < "\x80" else b"\x10" + ord(each).to_bytes(3, "big") for each in text)


@WRONG.add("01.encode_pages", "one run for everything", "run-too-long")
def encode_pages(text):
    import re

    def written(match):
        part = match.group()
        if max(part) > "\uffff":
            return "".join("\x10" + ord(each).to_bytes(3, "big").decode("latin-1") for each in part)
        return chr(0x11) + chr(len(part)) + part.encode("utf-16-be").decode("latin-1")

    return re.sub(r"[^\x00-\x0d\x12-\x7f]+", written, text).encode("latin-1")


@WRONG.add("01.encode_pages", "zlib", "")
def encode_pages(text):
    import zlib

    return zlib.compress(text.encode("utf-8"), 9)
