"""Wrong answers to the exercise of lesson 09 about the line of a fault."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong

_LOADER = """
def first_fault(data):
    def number(text):
        return int(text) if re.fullmatch(rb"0|[1-9][0-9]*", text) and int(text) < 2**32 else None

    def careless(text):
        try:
            return int(text) if 0 <= int(text) < 2**32 else None
        except ValueError:
            return None

    def token(text):
        try:
            found = base64.b64decode(text, validate=True)
        except binascii.Error:
            return None
        return found if base64.b64encode(found) == text else None

    def lax(text):
        try:
            return base64.b64decode(text)
        except binascii.Error:
            return None

    def spare(text):
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error:
            return None

    seen = set()
    lines = {lines}
    rest = {rest}
    for at, line in enumerate(lines, start={start}):
        left, blank, right = line.partition(b" ")
        found, rank = {token}(left), {number}(right)
        if not blank or not found or rank is None:
            return at
        if {doubles}:
            return at
        seen |= {{found, rank}}
    return {end}
"""
_PARTS = {
    "lines": 'data.split(b"\\n")[:-1]',
    "rest": 'data.split(b"\\n")[-1]',
    "start": "1",
    "token": "token",
    "number": "number",
    "doubles": "found in seen or rank in seen",
    "end": "len(lines) + 1 if rest else 0",
}


def _loader(**parts: str) -> str:
    return _LOADER.format(**(_PARTS | parts))


FAULTS = [
    Wrong(
        "09.first_fault",
        "the first line is 0",
        _loader().replace("def first_fault", "def counted") + "\ndef first_fault(data):\n"
        "    return max(0, counted(data) - 1)\n",
        hint="from-zero",
    ),
    Wrong("09.first_fault", "lax base64", _loader(token="lax"), hint="skips-signs"),
    Wrong("09.first_fault", "spare bits", _loader(token="spare"), hint="spare-bits"),
    Wrong("09.first_fault", "whatever int takes", _loader(number="careless"), hint="int"),
    Wrong("09.first_fault", "doubles are fine", _loader(doubles="False"), hint="doubles"),
    Wrong(
        "09.first_fault",
        "the last line as it is",
        _loader(lines='data.removesuffix(b"\\n").split(b"\\n") if data else []', end="0"),
        hint="no-end",
    ),
    Wrong(
        "09.first_fault",
        "splitlines",
        _loader(
            lines='data.splitlines()[: None if data.endswith(b"\\n") else -1]',
            rest='b"" if data.endswith(b"\\n") else data',
        ),
        hint="returns",
    ),
    Wrong(
        "09.first_fault",
        "always good",
        """
        def first_fault(data):
            return 0
        """,
        hint="",
    ),
]
