"""The exercises of lesson 09 about what others read and write: tiktoken's cache, merges.txt, tekken.json.

cache_name    the name under which a downloaded file is kept
read_merges   the pairs of a merges.txt, whatever white space is in them, and whichever ends are missing
tekken_rows   the rows of tekken.json, with a text for the tokens that are text
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from minbpe_course.checks.exercise import Case

Pairs = list[tuple[str, ...]]

# ----------------------------------------------------------------------------------------------------
# Names in the cache


def cache_name(address: str) -> str:
    """Return the name of the file in which tiktoken keeps what it found at an address.

    >>> cache_name("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken")
    '9b5ad71b2ce5302211f9c61530b329a4922fc6a4'
    """
    return hashlib.sha1(address.encode("utf-8"), usedforsecurity=False).hexdigest()


def name_of_the_last_part(address: str) -> str:
    """Hash the name of the file only."""
    return cache_name(address.rpartition("/")[2])


ENGLISH_ADDRESS, OTHER_ADDRESS = "an address in ASCII", "an address with other letters"


def address_cases(random: Random) -> Iterator[Case]:
    """Yield addresses of made-up vocabularies, some with letters outside ASCII."""
    for number in range(6):
        name = "".join(random.choices("abcdefghijklmnop", k=4 + number))
        yield Case(ENGLISH_ADDRESS, (f"https://example.org/{name}/{number}00k_base.tiktoken",))
        yield Case(OTHER_ADDRESS, (f"https://example.org/{name}/größe{number}_词表.tiktoken",))


# ----------------------------------------------------------------------------------------------------
# merges.txt

_HEADING = "#version:"


def read_merges(text: str) -> Pairs:
    r"""Return the pairs of a merges.txt.

    >>> read_merges("#version: 0.2\n# #\r\na\u3000 b")
    [('#', '#'), ('a\u3000', 'b')]
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[0].startswith(_HEADING):
        del lines[0]
    return [tuple(line.split(" ")) for line in lines if line]


def read_merges_as_handed_out(text: str) -> Pairs:
    """The faulty function: it knows too many ends of lines, too many blanks, and takes merges for comments."""
    return [tuple(line.split()) for line in text.splitlines() if not line.startswith("#")]


def skips_comments(text: str) -> Pairs:
    """Take every line with a number sign in front for a comment."""
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return [tuple(line.split(" ")) for line in lines if line and not line.startswith("#")]


def skips_every_heading(text: str) -> Pairs:
    """Take a heading for one wherever it stands."""
    lines = (line.removesuffix("\r") for line in text.split("\n"))
    return [tuple(line.split(" ")) for line in lines if line and not line.startswith(_HEADING)]


def skips_the_first(text: str) -> Pairs:
    """Leave out the first line, whatever it is."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return [tuple(line.split(" ")) for line in lines[1:] if line]


def splits_at_any_blank(text: str) -> Pairs:
    """Split at any white space."""
    return [tuple(" ".join(pair).split()) for pair in read_merges(text)]


def knows_too_many_ends(text: str) -> Pairs:
    """Let ``splitlines`` say where lines end."""
    lines = text.splitlines()
    if lines and lines[0].startswith(_HEADING):
        del lines[0]
    return [tuple(line.split(" ")) for line in lines if line]


def keeps_the_return(text: str) -> Pairs:
    """Keep the carriage return of a Windows file."""
    lines = text.split("\n")
    if lines[0].startswith(_HEADING):
        del lines[0]
    return [tuple(line.split(" ")) for line in lines if line]


PLAIN, SIGNS, HEADINGS, NO_HEADING, NO_END, WINDOWS, BLANKS, ENDS = (
    "a plain file",
    "merges with number signs",
    "a merge that looks like a heading",
    "no heading",
    "no line break at the end",
    "Windows line ends",
    "other white space in a token",
    "characters that end lines elsewhere",
)
_LETTERS = "abctheinġĠéàĊ"


def merges_cases(random: Random) -> Iterator[Case]:
    """Yield files of every category."""
    yield Case(PLAIN, ("",))
    yield Case(PLAIN, ("#version: 0.2\n",))
    odd = {
        PLAIN: [""],
        SIGNS: ["#", "##"],
        BLANKS: ["\u3000", "\u00a0", "\t", "\u2009"],
        ENDS: ["\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\u2029"],
        NO_HEADING: [""],
        NO_END: [""],
        WINDOWS: ["", "\u00a0"],
    }
    for turn in range(3):
        for category, signs in odd.items():
            lines = [_merge(random, signs) for _ in range(3 + turn)]
            end = "\r\n" if category == WINDOWS else "\n"
            heading = [] if category == NO_HEADING else ["#version: 0.2"]
            text = end.join([*heading, *lines]) + ("" if category == NO_END else end)
            yield Case(category, (text,))
        lines = [_merge(random, [""]), f"#version: {_merge(random, ['']).split(' ')[0]}", _merge(random, [""])]
        yield Case(HEADINGS, ("\n".join(["#version: 0.2", *lines, ""]),))


def _merge(random: Random, signs: Sequence[str]) -> str:
    left, right = ("".join(random.choices(_LETTERS, k=random.randint(1, 3))) for _ in range(2))
    sign = random.choice(signs)
    # In front of the left part, inside it, and behind the right one: each has lost tokens in some reader.
    place = random.randrange(3) if sign.strip("#") else 0
    if sign and place == 0:
        left = sign + left
    elif place == 1:
        left = left[:1] + sign + left[1:] + "e"
    elif place == 2:
        right = right + sign
    return f"{left} {right}"


# ----------------------------------------------------------------------------------------------------
# tekken.json

Rows = list[dict[str, Any]]


def tekken_rows(tokens: Sequence[bytes]) -> Rows:
    r"""Return a row for each token: its rank, its bytes in base64, and its text, or None where it is none.

    >>> tekken_rows([b"a", b"\xe0"])[1]
    {'rank': 1, 'token_bytes': '4A==', 'token_str': None}
    """
    return [_row(rank, token, _strict(token)) for rank, token in enumerate(tokens)]


def _row(rank: int, token: bytes, text: str | None) -> dict[str, Any]:
    return {"rank": rank, "token_bytes": base64.b64encode(token).decode("ascii"), "token_str": text}


def _strict(token: bytes) -> str | None:
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None


def rows_with_replacements(tokens: Sequence[bytes]) -> Rows:
    """Show what is no text with U+FFFD."""
    return [_row(rank, token, token.decode("utf-8", "replace")) for rank, token in enumerate(tokens)]


def rows_without_broken(tokens: Sequence[bytes]) -> Rows:
    """Leave out what is no text."""
    return [_row(rank, token, token.decode("utf-8", "ignore")) for rank, token in enumerate(tokens)]


def rows_that_fear_the_sign(tokens: Sequence[bytes]) -> Rows:
    """Take every U+FFFD for something broken, a real one, too."""
    texts = [token.decode("utf-8", "replace") for token in tokens]
    return [_row(rank, token, None if "\ufffd" in text else text)
            for rank, (token, text) in enumerate(zip(tokens, texts))]  # fmt: skip


def rows_for_addresses(tokens: Sequence[bytes]) -> Rows:
    """Write base64 as it is written in addresses."""
    found = tekken_rows(tokens)
    for row in found:
        row["token_bytes"] = row["token_bytes"].replace("+", "-").replace("/", "_")
    return found


def rows_in_hexadecimal(tokens: Sequence[bytes]) -> Rows:
    """Write hexadecimal digits."""
    return [_row(rank, token, _strict(token)) | {"token_bytes": token.hex()} for rank, token in enumerate(tokens)]


TEXTS, HALVES, REAL = "tokens that are text", "tokens that are no text", "a real U+FFFD"


def row_cases(random: Random) -> Iterator[Case]:
    """Yield lists of tokens, with halves of characters, real replacement characters, and all signs of base64."""
    yield Case(TEXTS, ([],))
    for size in range(1, 6):
        words = ["".join(random.choices("abé न中🙂\n\x00", k=1 + size)).encode() for _ in range(size)]
        yield Case(TEXTS, ([*words, "¿¾>?~".encode()],))
        whole = random.choice("éन中🙂").encode()
        halves = [whole[: random.randint(1, len(whole) - 1)], whole[1:], b"\xed\xa0\x80", b"a\xff", b"\xfb\xef\xff"]
        yield Case(HALVES, (random.sample([*words, *halves], k=size + 5),))
        yield Case(REAL, ([*words, "\ufffd".encode(), "a\ufffd".encode()],))
