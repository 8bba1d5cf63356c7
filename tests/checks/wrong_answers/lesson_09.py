"""Wrong answers to the exercises of lesson 09, and what each is told; those about whole formats are beside it."""

from __future__ import annotations

from tests.checks.wrong_answers import Wrong
from tests.checks.wrong_answers.lesson_09_faults import FAULTS
from tests.checks.wrong_answers.lesson_09_formats import FORMATS

_READER = """
def read_merges(text):
    lines = {lines}
    {heading}
    lines = [{line} for line in lines]
    return [tuple({pair}) for line in lines if line]
"""
_HEADING = 'lines = lines[1:] if lines and lines[0].startswith("#version:") else lines'


def _reader(
    lines: str = 'text.split("\\n")',
    heading: str = _HEADING,
    line: str = 'line.removesuffix("\\r")',
    pair: str = 'line.split(" ")',
) -> str:
    return _READER.format(lines=lines, heading=heading, line=line, pair=pair)


def _rows(text: str, data: str = "base64.b64encode(token).decode()") -> str:
    return f"""
def tekken_rows(tokens):
    def strict(token):
        try:
            return token.decode()
        except UnicodeDecodeError:
            return None

    return [{{"rank": rank, "token_bytes": {data}, "token_str": {text}}} for rank, token in enumerate(tokens)]
"""


WRONG = [
    *FAULTS,
    *FORMATS,
    Wrong(
        "09.cache_name",
        "SHA-256",
        """
        def cache_name(address):
            return hashlib.sha256(address.encode()).hexdigest()
        """,
        hint="other-hash",
    ),
    Wrong(
        "09.cache_name",
        "the file's name only",
        """
        def cache_name(address):
            return hashlib.sha1(address.split("/")[-1].encode()).hexdigest()
        """,
        hint="last-part",
    ),
    Wrong(
        "09.cache_name",
        "bytes",
        """
        def cache_name(address):
            return hashlib.sha1(address.encode()).digest()
        """,
        hint="raw",
    ),
    Wrong(
        "09.cache_name",
        "Latin-1",
        """
        def cache_name(address):
            return hashlib.sha1(address.encode("ascii", "replace")).hexdigest()
        """,
        hint="",
    ),
    Wrong(
        "09.read_merges",
        "number signs are comments",
        _reader(heading='lines = [line for line in lines if not line.startswith("#")]'),
        hint="comments",
    ),
    Wrong(
        "09.read_merges",
        "headings anywhere",
        _reader(heading='lines = [line for line in lines if not line.startswith("#version:")]'),
        hint="headings",
    ),
    Wrong("09.read_merges", "the first line goes", _reader(heading="lines = lines[1:]"), hint="first-line"),
    Wrong("09.read_merges", "any blank", _reader(pair="line.split()"), hint="any-blank"),
    Wrong("09.read_merges", "any end", _reader(lines="text.splitlines()"), hint="many-ends"),
    Wrong("09.read_merges", "keeps the return", _reader(line="line"), hint="return"),
    Wrong("09.read_merges", "strips", _reader(line="line.strip()"), hint=""),
    Wrong(
        "09.read_merges",
        "as it was",
        """
        def read_merges(text):
            lines = [line for line in text.splitlines() if not line.startswith("#")]
            return [tuple(line.split()) for line in lines]
        """,
        hint="untouched",
        state="not started",
    ),
    Wrong("09.tekken_rows", "replaced", _rows('token.decode(errors="replace")'), hint="replaced"),
    Wrong("09.tekken_rows", "left out", _rows('token.decode(errors="ignore")'), hint="left-out"),
    Wrong(
        "09.tekken_rows",
        "looks for U+FFFD",
        _rows('None if "\\ufffd" in token.decode(errors="replace") else token.decode()'),
        hint="real-sign",
    ),
    Wrong(
        "09.tekken_rows",
        "for addresses",
        _rows("strict(token)", "base64.urlsafe_b64encode(token).decode()"),
        hint="for-addresses",
    ),
    Wrong("09.tekken_rows", "hexadecimal", _rows("strict(token)", "token.hex()"), hint="hexadecimal"),
    Wrong("09.tekken_rows", "bytes in base64", _rows("strict(token)", "base64.b64encode(token)"), hint=""),
    Wrong(
        "09.keeps_ids",
        "all are different",
        """
        def keeps_ids(merges):
            table = [bytes([byte]) for byte in range(256)]
            for left, right in merges:
                table.append(table[left] + table[right])
            return len(set(table)) == len(table)
        """,
        hint="different-only",
    ),
    Wrong(
        "09.keeps_ids",
        "every token comes out, the first of two twins",
        """
        def keeps_ids(merges):
            table, ranks = [bytes([byte]) for byte in range(256)], {}
            for left, right in merges:
                ranks.setdefault((left, right), len(table))
                table.append(table[left] + table[right])

            def encode(ids):
                while True:
                    found = [(ranks[pair], at) for at, pair in enumerate(zip(ids, ids[1:])) if pair in ranks]
                    if not found:
                        return ids
                    made, at = min(found)
                    ids = ids[:at] + [made] + ids[at + 2:]

            return all(encode(list(token)) == [table.index(token)] for token in table)
        """,
        hint="reached-only",
    ),
    Wrong(
        "09.keeps_ids",
        "no pair twice",
        """
        def keeps_ids(merges):
            return len(set(merges)) == len(merges)
        """,
        hint="pairs",
    ),
    Wrong(
        "09.keeps_ids",
        "both halves are older",
        """
        def keeps_ids(merges):
            return all(max(pair) < 256 + at for at, pair in enumerate(merges))
        """,
        hint="pairs",
    ),
    Wrong(
        "09.keeps_ids",
        "in order of length",
        """
        def keeps_ids(merges):
            table = [bytes([byte]) for byte in range(256)]
            for left, right in merges:
                table.append(table[left] + table[right])
            sizes = [len(token) for token in table]
            return sizes == sorted(sizes) and len(set(table)) == len(table)
        """,
        hint="",
    ),
]
