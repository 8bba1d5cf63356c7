"""Show tokens: ``show`` cuts a text, ``show_tokens`` and ``compare_tokens`` draw given tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from minbpe_course.errors import InvalidTokenId, NotText
from minbpe_course.showing import markup, terminal
from minbpe_course.showing.drawing import MOST_SHOWN, MOST_WITH_IDS, Row, free_name, harmless

if TYPE_CHECKING:
    from minbpe_course.inspecting.tokenizer_view import Cut

DEFAULT_TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base")


@dataclass(frozen=True, repr=False)
class TokenView:
    """One or more rows of tokens; a notebook draws it, ``print`` writes it as text.

    >>> show_tokens(["to", "ken"])
    |to|ken|
    """

    rows: tuple[Row, ...]
    title: str | None = None
    # Made by ``show``: with facts, special tokens, and a table of ids and bytes.
    from_text: bool = False

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()

    def text(self, ids: bool | None = None) -> str:
        """Return the rows as plain text. ids : whether to write ids below (default: below a single, short row).

        >>> print(show_tokens(["to", "ken"], [7, 9]).text(ids=False))
        |to|ken|
        """
        lines = [] if self.title is None else [harmless(self.title)]
        for row, head in zip(self.rows, self._heads()):
            lines.append(head + row.text())
            if row.ids and self._writes_ids(row, ids):
                lines.append(f"{'':{len(head)}}ids {' '.join(map(str, row.shown_ids()))}{row.remainder()}")
            if row.note:
                lines.append(f"{'':{len(head)}}({row.note})")
        return "\n".join(lines)

    def ansi(self, depth: int = 24, ids: bool | None = None) -> str:
        r"""Return the rows with the colours of a terminal and alternating underlines; control characters are escaped.

        depth : 24 for terminals with all colours, 8 for those with 256, 0 for underlines only · ids : as for ``text``.

        >>> show_tokens(["to", "ken"]).ansi(depth=0)
        'to\x1b[4mken\x1b[0m'
        """
        parts = [] if self.title is None else [harmless(self.title)]
        for row, head in zip(self.rows, self._heads()):
            write_ids = row.ids is not None and self._writes_ids(row, ids)
            # A text of several lines begins at the left margin, so that its lines are aligned.
            head = head.rstrip() + "\n" if self.from_text else head
            parts.append(head + terminal.row_ansi(row, depth, write_ids))
            if row.note:
                parts.append(f"({row.note})")
        return "\n".join(parts)

    def html(self, ids: bool | None = None) -> str:
        """Return the rows as HTML with inline styles. ids : as for ``text``.

        >>> show_tokens(["<b>"]).html().count("&lt;b&gt;")
        2
        """
        rows = [(row, self._writes_ids(row, ids)) for row in self.rows]
        return markup.view_html(rows, self.title, self.from_text)

    def _writes_ids(self, row: Row, ids: bool | None) -> bool:
        """Return whether to write ids below a row: by default only below a single, short row."""
        if ids is not None:
            return ids
        return len(self.rows) == 1 and (self.from_text or not row.label) and len(row.tokens) <= MOST_WITH_IDS

    def _heads(self) -> list[str]:
        """Return the label and facts before each row, in columns."""
        labels = [harmless(row.label) for row in self.rows]
        width = max(map(len, labels), default=0)
        if not width:
            return [""] * len(labels)
        facts = max(len(row.facts) for row in self.rows)
        return [
            f"{label:<{width}}  {row.counted():>12}  " + (f"{row.facts:>{facts}}  " if facts else "")
            for label, row in zip(labels, self.rows)
        ]


def show(text: str, *tokenizers: Any, specials: bool = False, most: int = MOST_SHOWN) -> TokenView:
    """Show how tokenizers cut a text, one below the other.

    A notebook draws it in colour; ``print`` writes it; ``.ansi()`` is for terminals and ``.html()`` for pages.

    Parameters
    ----------
    text : the text to cut.
    tokenizers : names ("gpt2"), paths of tokenizers' files, tokenizers of this package, of tiktoken, sentencepiece or
        tokenizers, or objects of your own class (``view_of`` says what such a class needs; ``view_of(mine, "mine")``
        gives it another name). The default is those of GPT-2, GPT-4 and GPT-4o.
    specials : whether special tokens in the text are recognised and marked. Otherwise they are ordinary text.
    most : how many tokens are drawn, in all rows together; the rest is counted.

    Raises NotText, and the errors of ``view_of`` for an object that is not a tokenizer.

    >>> show("Hello world", "gpt2")
    gpt2      2 tokens  5.50 bytes each  |Hello|·world|
                                         ids 15496 995
    """
    # Here, because it imports the tokenizers, and lessons that draw given tokens need none.
    from minbpe_course.inspecting.tokenizer_view import view_of

    if not isinstance(text, str):
        raise NotText(f"text must be a str, got {type(text).__name__}; the text comes first: show(text, tokenizer).")
    views = [view_of(each) for each in tokenizers or DEFAULT_TOKENIZERS]
    names: list[str] = []
    for each in views:
        names.append(free_name(each.name, names))
    each_row = max(1, most // len(views))
    rows = (_cut_row(name, each.cut(text, specials), each_row) for name, each in zip(names, views))
    return TokenView(tuple(rows), from_text=True)


def _cut_row(name: str, cut: Cut, most: int) -> Row:
    facts = f"{cut.bytes_per_token:.2f} bytes each" if cut.ids else ""
    return Row(name, cut.tokens, cut.ids, cut.special, facts, cut.note, most)


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

    Raises the errors of ``show_tokens``.

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
