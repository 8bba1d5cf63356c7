r"""Rows of tokens as data and plain text: their characters, stand-ins for invisible ones, the colours of the boxes."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count

MOST_SHOWN = 2_000  # tokens drawn in one row; a notebook with more becomes slow to open
MOST_WITH_IDS = 48  # tokens in a row that still have their ids written below them

# Okabe and Ito's colours, and the same mixed with white so that black text on them is easy to read.
FILLS = ("#cfe8f8", "#fbe3b3", "#bfe6da", "#f1d7e5", "#f9f3b0")
LINES = ("#0072b2", "#d55e00", "#007a59", "#a5477f", "#8a7d00")
INK, SOFT_INK = "#111111", "#6b4f4f"

SPECIAL_SIGN = "◆"

_VISIBLE = {" ": "·", "\n": "↵", "\t": "→", "\r": "\\r"}
_FROM_THE_RIGHT = ("R", "AL")
_INVISIBLE_KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
# Letters, marks and signs without a visible shape: fillers, the empty Braille pattern, default-ignorable ones.
_SHAPELESS = frozenset(
    chain(
        (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *(range(0x180B, 0x1810), range(0xFFF0, 0xFFF9), range(0xE0100, 0xE01F0)),
    )
)
_SELECTORS = range(0xFE00, 0xFE10)  # a selector changes the character before it, so the first one is visible


def visible(token: bytes | str) -> str:
    r"""Return a token as text in which nothing is invisible or broken.

    >>> visible(b" caf\xc3"), visible("a\tb\u200d")
    ('·caf\\xc3', 'a→b\\u200d')
    """
    return "".join(shown for shown, _ in drawn(token))


def drawn(token: bytes | str) -> Iterator[tuple[str, bool]]:
    """Yield (drawn text, whether it is a stand-in) for each character of the token and each byte outside characters.

    >>> list(drawn(b"a "))
    [('a', False), ('·', True)]
    """
    text = token.decode("utf-8", "surrogateescape") if isinstance(token, bytes) else token
    if text and unicodedata.category(text[0]).startswith("M"):
        # An accent or vowel sign without its letter would be drawn on top of the character before the token.
        yield "◌", True
    before = 0
    for character in text:
        code = ord(character)
        if isinstance(token, bytes) and 0xDC80 <= code <= 0xDCFF:
            yield f"\\x{code - 0xDC00:02x}", True
        elif character in _VISIBLE:
            yield _VISIBLE[character], True
        elif (
            unicodedata.category(character) in _INVISIBLE_KINDS
            or code in _SHAPELESS
            or (code in _SELECTORS and before in _SELECTORS)
        ):
            yield (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"), True
        else:
            yield character, False
        before = code


def harmless(label: str) -> str:
    r"""Return a name or a title with its spaces unchanged and every other invisible character as its code.

    >>> harmless("my own\u202e")
    'my own\\u202e'
    """
    return "".join(each if each == " " else visible(each) for each in label)


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name for a row or a panel that is not taken yet.

    >>> free_name("mine", ["gpt2"]), free_name("mine", ["mine"])
    ('mine', 'mine (2)')
    """
    numbered = (f"{name} ({number})" for number in count(2))
    return next(free for free in chain([name], numbered) if free not in taken)


def bytes_of(token: bytes | str) -> bytes:
    """Return the bytes of a token, which may contain a lone surrogate."""
    return token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass")


def is_broken(token: bytes | str) -> bool:
    """Tell whether a token begins or ends within a character.

    >>> is_broken(b"caf\\xc3"), is_broken("é")
    (True, False)
    """
    try:
        bytes_of(token).decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def direction(tokens: Iterable[bytes | str]) -> str:
    """Return the direction of the first character that has one, as a browser decides for plain text.

    >>> direction(["12 ", "שלום"])
    'rtl'
    """
    strong = next((kind for kind in _directions(tokens) if kind in ("L", *_FROM_THE_RIGHT)), "L")
    return "rtl" if strong in _FROM_THE_RIGHT else "ltr"


def _directions(tokens: Iterable[bytes | str]) -> Iterator[str]:
    return map(unicodedata.bidirectional, b"".join(map(bytes_of, tokens)).decode("utf-8", "ignore"))


def ends_a_line(token: bytes | str) -> bool:
    """Tell whether the line ends with this token, on the screen as in the text."""
    return bytes_of(token).endswith(b"\n")


@dataclass(frozen=True)
class Row:
    """One sequence of tokens.

    label : its name, or "" · tokens, ids : in order · special : the indices of special tokens · facts : counts, for
    people · note : a remark · most : how many tokens are drawn.
    """

    label: str
    tokens: tuple[bytes | str, ...]
    ids: tuple[int, ...] | None
    special: frozenset[int] = frozenset()
    facts: str = ""
    note: str = ""
    most: int = MOST_SHOWN

    def shown(self) -> tuple[bytes | str, ...]:
        """Return the tokens that are drawn: the first ``most``."""
        return self.tokens[: self.most]

    def shown_ids(self) -> tuple[int, ...]:
        """Return the ids of the tokens that are drawn."""
        return (self.ids or ())[: self.most]

    def counted(self) -> str:
        """Return the number of tokens in words."""
        return f"{len(self.tokens):,} token{'' if len(self.tokens) == 1 else 's'}"

    def remainder(self) -> str:
        """Return a remark about the tokens that are not drawn, or ""."""
        left = len(self.tokens) - self.most
        return f" … and {left:,} more" if left > 0 else ""

    def text(self) -> str:
        """Return the tokens as plain text between bars."""
        shown = (
            (SPECIAL_SIGN if place in self.special else "") + visible(token).replace("|", "\\|")
            for place, token in enumerate(self.shown())
        )
        return "|" + "".join(f"{token}|" for token in shown) + self.remainder()
