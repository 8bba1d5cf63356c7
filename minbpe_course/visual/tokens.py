r"""Coloured tokens: one box for each token, whitespace and broken bytes visible, ids and bytes on hover.

    show_tokens([b"Hello", b" world"], [15496, 995])     |Hello|·world|
    compare_tokens({"gpt2": (tokens, ids), ...})         one row for each tokenizer

A notebook shows HTML, everything else the plain text. What is invisible is drawn: a space as ``·``, a line feed as
``↵``, a tab as ``→``, a carriage return as ``\r``, any other invisible character by its code (``\u200d``). A byte that
is part of a character which other tokens complete is drawn as ``\xe2``, a mark without its letter on a circle ``◌``.
Colours follow position, not meaning; the underline changes as well, so nothing depends on colour. The HTML is the same
on every run, carries its own style, and shows a token ``<script>`` as text.

Limits: at most ``MOST_SHOWN`` tokens of a row are drawn. Letters of a joining script (Arabic) do not join across boxes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from minbpe_course.errors import InvalidTokenId, NotText

MOST_SHOWN = 2_000  # tokens drawn in one row; a notebook with more becomes slow to open
MOST_WITH_IDS = 48  # tokens in a row that still have their ids written below them

# Okabe and Ito's colours, and the same mixed with white until black text on them is easy to read.
_FILLS = ("#cfe8f8", "#fbe3b3", "#bfe6da", "#f1d7e5", "#f9f3b0")
_LINES = ("#0072b2", "#d55e00", "#007a59", "#a5477f", "#8a7d00")

_VISIBLE = {" ": "·", "\n": "↵", "\t": "→", "\r": "\\r"}
_INVISIBLE_KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})

_BOX = (
    "display:inline-block;color:#111;padding:1px 3px;margin:2px 1px;border-radius:3px;"
    "white-space:pre-wrap;overflow-wrap:anywhere"
)


@dataclass(frozen=True)
class _Row:
    label: str
    tokens: tuple[bytes | str, ...]
    ids: tuple[int, ...] | None


@dataclass(frozen=True, repr=False)
class TokenView:
    """One or more rows of tokens; a notebook draws it, ``print`` writes it as text.

    >>> show_tokens(["to", "ken"])
    |to|ken|
    """

    rows: tuple[_Row, ...]
    title: str | None = None

    def __repr__(self) -> str:
        width = max((len(row.label) for row in self.rows), default=0)
        lines = [] if self.title is None else [self.title]
        for row in self.rows:
            head = f"{row.label:<{width}}  {_counted(row):>12}  " if width else ""
            lines.append(head + _as_text(row.tokens))
            if not width and row.ids and len(row.ids) <= MOST_WITH_IDS:
                lines.append(f"ids {' '.join(map(str, row.ids))}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = (
            []
            if self.title is None
            else [f'<div style="font-weight:bold;margin-bottom:4px">{escape(self.title)}</div>']
        )
        with_ids = len(self.rows) == 1 and not self.rows[0].label
        for row in self.rows:
            if row.label:
                parts.append(
                    f'<div style="margin-top:6px;font-size:13px"><b>{escape(row.label)}</b> &nbsp;{_counted(row)}</div>'
                )
            parts.extend(_row_html(row, with_ids and len(row.tokens) <= MOST_WITH_IDS))
        return f'<div style="padding:4px 0">{"".join(parts)}</div>'


def show_tokens(tokens: Iterable[bytes | str], ids: Iterable[int] | None = None, title: str | None = None) -> TokenView:
    r"""Draw one sequence of tokens.

    Parameters
    ----------
    tokens : the tokens in order, as bytes (byte-level tokenizers) or str (SentencePiece pieces, words).
    ids : their ids in the same order, ints or an array; written below the tokens if there are few, else on hover.
    title : a line above.

    Raises NotText for a token that is neither, InvalidTokenId if there are more or fewer ids than tokens.

    >>> show_tokens([b"Hello", b" world", b"\xe2\x80", b"\n"], [15496, 995, 447, 198])
    |Hello|·world|\xe2\x80|↵|
    ids 15496 995 447 198
    """
    return TokenView((_row("", tokens, ids),), title)


def compare_tokens(
    rows: Mapping[str, tuple[Iterable[bytes | str], Iterable[int] | None]], title: str | None = None
) -> TokenView:
    """Draw the same text as several tokenizers cut it, one row each: label -> (tokens, ids or None).

    Raises what ``show_tokens`` raises.

    >>> compare_tokens({"bytes": ([b"a", b"b"], [97, 98]), "merged": ([b"ab"], [256])})
    bytes       2 tokens  |a|b|
    merged       1 token  |ab|
    """
    return TokenView(tuple(_row(str(label), tokens, ids) for label, (tokens, ids) in rows.items()), title)


def visible(token: bytes | str) -> str:
    r"""Return a token as text in which nothing is invisible or broken.

    >>> visible(b" caf\xc3"), visible("a\tb\u200d")
    ('·caf\\xc3', 'a→b\\u200d')
    """
    return "".join(shown for shown, _ in _drawn(token))


# ----------------------------------------------------------------------------------------------------
# Data in


def _row(label: str, tokens: Iterable[bytes | str], ids: Iterable[int] | None) -> _Row:
    if isinstance(tokens, (str, bytes)):
        raise NotText(f"tokens must be a list of bytes or str, got one {type(tokens).__name__}; put it in a list.")
    listed = tuple(tokens)
    for place, token in enumerate(listed):
        if not isinstance(token, (bytes, str)):
            raise NotText(
                f"tokens[{place}] is {token!r}, neither bytes nor str; ids go second: show_tokens(tokens, ids)."
            )
    if ids is None:
        return _Row(label, listed, None)
    numbers = tuple(int(token_id) for token_id in ids)
    if len(numbers) != len(listed):
        raise InvalidTokenId(f"{len(listed):,} tokens but {len(numbers):,} ids; each token needs exactly one id.")
    return _Row(label, listed, numbers)


def _drawn(token: bytes | str) -> Iterator[tuple[str, bool]]:
    """Yield (what to draw, is it a stand-in) for each character of the token and each byte that is none."""
    text = token.decode("utf-8", "surrogateescape") if isinstance(token, bytes) else token
    if text and unicodedata.category(text[0]).startswith("M"):
        # An accent or vowel sign without its letter would be drawn on top of whatever stands before the token.
        yield "◌", True
    for character in text:
        code = ord(character)
        if isinstance(token, bytes) and 0xDC80 <= code <= 0xDCFF:
            yield f"\\x{code - 0xDC00:02x}", True
        elif character in _VISIBLE:
            yield _VISIBLE[character], True
        elif unicodedata.category(character) in _INVISIBLE_KINDS:
            yield (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"), True
        else:
            yield character, False


def _bytes_of(token: bytes | str) -> bytes:
    return token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass")


def _is_broken(token: bytes | str) -> bool:
    try:
        _bytes_of(token).decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _direction(tokens: Iterable[bytes | str]) -> str:
    """Return the direction of the first character that has one, as a browser decides for plain text."""
    text = b"".join(map(_bytes_of, tokens)).decode("utf-8", "ignore")
    strong = next((kind for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL")), "L")
    return "ltr" if strong == "L" else "rtl"


# ----------------------------------------------------------------------------------------------------
# Text and HTML out


def _as_text(tokens: tuple[bytes | str, ...]) -> str:
    shown = (visible(token).replace("|", "\\|") for token in tokens[:MOST_SHOWN])
    return "|" + "".join(f"{token}|" for token in shown) + _remainder(tokens)


def _counted(row: _Row) -> str:
    return f"{len(row.tokens):,} token{'' if len(row.tokens) == 1 else 's'}"


def _remainder(tokens: tuple[bytes | str, ...]) -> str:
    left = len(tokens) - MOST_SHOWN
    return f" … and {left:,} more" if left > 0 else ""


def _row_html(row: _Row, write_ids: bool) -> Iterator[str]:
    shown = row.tokens[:MOST_SHOWN]
    yield (
        f'<div role="list" dir="{_direction(shown)}" aria-label="{len(row.tokens)} tokens" '
        'style="font-family:monospace;font-size:15px;line-height:1.5">'
    )
    for place, token in enumerate(shown):
        yield _box_html(place, token, None if row.ids is None else row.ids[place], write_ids)
        if _bytes_of(token).endswith(b"\n"):
            yield "<br>"
    yield f"{_remainder(row.tokens)}</div>"


def _box_html(place: int, token: bytes | str, token_id: int | None, write_id: bool) -> str:
    # Five colours and two kinds of line: neighbours differ in both, and ten boxes pass before the two repeat together.
    fill, line = _FILLS[place % len(_FILLS)], _LINES[place % len(_LINES)]
    kind = "solid" if place % 2 == 0 else "dashed"
    data = _bytes_of(token)
    named = "" if token_id is None else f"id {token_id}"
    facts = [named, f"bytes {data.hex(' ') or 'none'}"] + ["not a whole character"] * _is_broken(token)
    hover = escape(" · ".join(filter(None, facts)))
    label = escape(" ".join(filter(None, (visible(token), named))))
    below = (
        f'<br><span style="font-size:10px;color:#333">{token_id}</span>' if write_id and token_id is not None else ""
    )
    align = ";text-align:center;line-height:1.2" if below else ""
    return (
        f'<bdi role="listitem" title="{hover}" aria-label="{label}" '
        f'style="{_BOX};background:{fill};border-bottom:2px {kind} {line}{align}">{_drawn_html(token)}{below}</bdi>'
    )


def _drawn_html(token: bytes | str) -> str:
    """The token's characters, with the stand-ins paler than what is really written in the text."""
    pieces: list[str] = []
    standing_in = False
    for shown, stand_in in _drawn(token):
        if stand_in != standing_in:
            pieces.append('<span style="color:#6b4f4f">' if stand_in else "</span>")
            standing_in = stand_in
        pieces.append(escape(shown))
    return "".join(pieces) + ("</span>" if standing_in else "") or "&nbsp;"
