"""A row of tokens as data, and its plain text."""

from __future__ import annotations

from dataclasses import dataclass

from minbpe_course.visual.tokens.drawing import MOST_SHOWN, SPECIAL_SIGN, visible


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
