"""Wrong answers to 06.retire_pieces: pieces that are taken out of service, and what goes wrong with it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_READER = """
def number_at(data, at):
    value = shift = 0
    while True:
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

_RIGHT = (
    _READER
    + """
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
)


def _changed(*replacements: tuple[str, str]) -> str:
    source = _RIGHT
    for old, new in replacements:
        assert old in source, old
        source = source.replace(old, new)
    return source


_WRITE = """            message += bytes([24, 5])
            out += bytes([10]) + write_varint(len(message)) + message
"""

RETIRED = [
    Wrong("06.retire_pieces", "taken out of the file", _changed((_WRITE, "            pass\n")), hint="taken-out"),
    Wrong(
        "06.retire_pieces",
        "only the byte of a type that is there",
        _changed(
            (_WRITE, "            out += data[begin:end].replace(bytes([24, inner[3]]), bytes([24, 5]))\n"),
        ),
        hint="type-not-written",
    ),
    Wrong(
        "06.retire_pieces",
        "a slip of the pen goes unnoticed",
        _changed(("    if met != set(texts):\n        raise ValueError(texts)\n", "")),
        hint="no-questions",
    ),
    Wrong(
        "06.retire_pieces",
        "the unknown piece, too",
        _changed(("            if inner[3] not in (1, 4):\n                raise ValueError(text)\n", "")),
        hint="no-questions",
    ),
    Wrong(
        "06.retire_pieces",
        "only pieces are written",
        _changed(("        else:\n            out +=", "        elif number == 1:\n            out +=")),
        hint="rest-of-the-file-lost",
    ),
    Wrong(
        "06.retire_pieces",
        "a piece written anew, of what is known",
        _changed(
            (
                "            message += bytes([24, 5])\n",
                "            spelling = text.encode()\n"
                "            message = bytes([10]) + write_varint(len(spelling)) + spelling + bytes([21])"
                " + inner.get(2, bytes(4)) + bytes([24, 5])\n",
            )
        ),
        hint="rest-of-the-file-lost",
    ),
    Wrong(
        "06.retire_pieces",
        "another error",
        _changed(("        raise ValueError(texts)", "        raise KeyError(texts)")),
        hint="raised",
    ),
    Wrong(
        "06.retire_pieces",
        "the old length",
        _changed(
            ("            message += bytes([24, 5])\n", ""),
            ("write_varint(len(message)) + message", "write_varint(len(message)) + message + bytes([24, 5])"),
        ),
        hint="type-not-written",
    ),
]
