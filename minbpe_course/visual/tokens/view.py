"""Rows of tokens: as data, and as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from minbpe_course.errors import InvalidTokenId, NotText
from minbpe_course.visual.tokens import markup, terminal
from minbpe_course.visual.tokens.drawing import MOST_SHOWN, MOST_WITH_IDS, SPECIAL_SIGN, harmless, visible


@dataclass(frozen=True)
class Row:
    """One sequence of tokens.

    label : whose, or "" · tokens, ids : in order · special : the places of special tokens · facts : what was counted,
    for a person · note : what else is to be known · most : how many tokens are drawn.

    >>> Row("", (b"a",), (97,)).counted()
    '1 token'
    """

    label: str
    tokens: tuple[bytes | str, ...]
    ids: tuple[int, ...] | None
    special: frozenset[int] = frozenset()
    facts: str = ""
    note: str = ""
    most: int = MOST_SHOWN

    def shown(self) -> tuple[bytes | str, ...]:
        """The tokens that are drawn: the first ``most``."""
        return self.tokens[: self.most]

    def shown_ids(self) -> tuple[int, ...]:
        """Their ids."""
        return (self.ids or ())[: self.most]

    def counted(self) -> str:
        """How many tokens, in words."""
        return f"{len(self.tokens):,} token{'' if len(self.tokens) == 1 else 's'}"

    def remainder(self) -> str:
        """What is said of the tokens that are not drawn; mostly nothing."""
        left = len(self.tokens) - self.most
        return f" … and {left:,} more" if left > 0 else ""


@dataclass(frozen=True, repr=False)
class TokenView:
    """One or more rows of tokens; a notebook draws it, ``print`` writes it as text.

    >>> show_tokens(["to", "ken"])
    |to|ken|
    """

    rows: tuple[Row, ...]
    title: str | None = None
    # Made from a text by ``show``: with facts, special tokens, and a list of everything that keys can reach.
    from_text: bool = False

    def __repr__(self) -> str:
        return self.text()

    def text(self, ids: bool | None = None) -> str:
        """Return the rows as plain text. ids : whether to write them below; if there are few, when nothing is said.

        >>> print(show_tokens(["to", "ken"], [7, 9]).text(ids=False))
        |to|ken|
        """
        heads = self._heads()
        lines = [] if self.title is None else [harmless(self.title)]
        for row, head in zip(self.rows, heads):
            lines.append(head + _as_text(row))
            if row.ids and (ids or (ids is None and self._few(row))):
                lines.append(f"{'':{len(head)}}ids {' '.join(map(str, row.shown_ids()))}{row.remainder()}")
            if row.note:
                lines.append(f"{'':{len(head)}}({row.note})")
        return "\n".join(lines)

    def ansi(self, depth: int = 24, ids: bool | None = None) -> str:
        r"""Return the rows with the colours of a terminal, underlined in turn; nothing in a token reaches it raw.

        depth : 24 for terminals with all colours, 8 for those with 256, 0 for underlines only · ids : as for ``text``.

        >>> show_tokens(["to", "ken"]).ansi(depth=0)
        'to\x1b[4mken\x1b[0m'
        """
        parts = [] if self.title is None else [harmless(self.title)]
        for row, head in zip(self.rows, self._heads()):
            written = row.ids is not None and (ids or (ids is None and self._few(row)))
            # A text of several lines begins at the edge, so that its lines stand below one another.
            head = head.rstrip() + "\n" if self.from_text else head
            parts.append(head + terminal.row_ansi(row, depth, bool(written)))
            if row.note:
                parts.append(f"({row.note})")
        return "\n".join(parts)

    def html(self, ids: bool | None = None) -> str:
        """Return the rows as HTML that carries its own style. ids : as for ``text``.

        >>> show_tokens(["<b>"]).html().count("&lt;b&gt;")
        2
        """
        return markup.view_html(self, ids)

    def _repr_html_(self) -> str:
        return self.html()

    def _few(self, row: Row) -> bool:
        """Whether ids are written when nobody says: of one row, and a short one."""
        return len(self.rows) == 1 and (self.from_text or not row.label) and len(row.tokens) <= MOST_WITH_IDS

    def _heads(self) -> list[str]:
        """What stands before each row: label and facts, in columns."""
        labels = [harmless(row.label) for row in self.rows]
        width = max(map(len, labels), default=0)
        if not width:
            return [""] * len(labels)
        wide = max(len(row.facts) for row in self.rows)
        return [
            f"{label:<{width}}  {row.counted():>12}  " + (f"{row.facts:>{wide}}  " if wide else "")
            for label, row in zip(labels, self.rows)
        ]


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


def _row(label: str, tokens: Iterable[bytes | str], ids: Iterable[int] | None) -> Row:
    if isinstance(tokens, (str, bytes)):
        raise NotText(f"tokens must be a list of bytes or str, got one {type(tokens).__name__}; put it in a list.")
    listed = tuple(tokens)
    for place, token in enumerate(listed):
        if not isinstance(token, (bytes, str)):
            raise NotText(
                f"tokens[{place}] is {token!r}, neither bytes nor str; ids go second: show_tokens(tokens, ids)."
            )
    if ids is None:
        return Row(label, listed, None)
    numbers = tuple(int(token_id) for token_id in ids)
    if len(numbers) != len(listed):
        raise InvalidTokenId(f"{len(listed):,} tokens but {len(numbers):,} ids; each token needs exactly one id.")
    return Row(label, listed, numbers)


def _as_text(row: Row) -> str:
    shown = (
        (SPECIAL_SIGN if place in row.special else "") + visible(token).replace("|", "\\|")
        for place, token in enumerate(row.shown())
    )
    return "|" + "".join(f"{token}|" for token in shown) + row.remainder()
