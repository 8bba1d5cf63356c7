"""``save_card(...)``: a card for the learner to keep, which says what their tokenizer does and who wrote its parts.

    my_card.svg, next to my_tokenizer.py:

        66 of 66 texts: the same 21,377 ids as tiktoken's
        |Who| wrote| this| tokenizer|?
        15546 6267 420 47058 30
        Written by me: merge, apply_merges, ...
        Written by the course: ...

The parts and their authors are those of the learner's file, as ``keep`` wrote them. The card has no date and no name.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from html import escape

from minbpe_course.files import read_whole, write_whole
from minbpe_course.learning.practice.own_file import BY_ME, BY_THE_COURSE, own_file
from minbpe_course.showing import visible

FILE = "my_card.svg"
MOST_SHOWN = 14  # tokens of the sentence
BOLD = ' font-weight="bold"'
WIDTH, LINE = 88, 24  # characters in a line, and the height of a line
_PART = re.compile(rf"^({re.escape(BY_ME)}|{re.escape(BY_THE_COURSE)})\n(?:[#@].*\n)*(?:def|class) (\w+)", re.MULTILINE)


class Card:
    """A card; a notebook draws it, and ``print`` writes it as text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return self.svg()

    def svg(self) -> str:
        """Return the card as SVG, which says in words what it shows."""
        height = LINE * len(self.lines) + 40
        rows = "".join(
            f'<text x="24" y="{44 + LINE * at}"{BOLD if at < 2 else ""}>{escape(line)}</text>'
            for at, line in enumerate(self.lines)
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" width="100%" role="img" '
            f'aria-label="{escape("; ".join(self.lines))}" style="max-width:800px">'
            f'<rect x="2" y="2" width="796" height="{height - 4}" rx="12" fill="#fdf6e3" stroke="#0a6a9e" '
            f'stroke-width="3"/><g font-family="monospace" font-size="14" fill="#111" xml:space="preserve">{rows}</g>'
            "</svg>"
        )


def save_card(
    name: str, counted: str, tokens: Iterable[bytes], ids: Sequence[int], wanted: Sequence[int], witness: str
) -> Card:
    """Write the card next to the learner's file, say so, and return it.

    name : of the tokenizer. counted : the comparison on many texts, as ``assert_same_ids`` returns it. tokens, ids : of
        the learner's own sentence. wanted : the ids of the witness for that sentence.

    >>> print(Card(["GPT4Tokenizer", "1 text, 2 ids: identical"]))
    GPT4Tokenizer
    1 text, 2 ids: identical
    """
    found = [visible(token) for token in tokens]
    cut = found[:MOST_SHOWN], list(ids)[:MOST_SHOWN]
    more = f" … {len(ids):,} in all" if len(ids) > MOST_SHOWN else ""
    same = "the same ids as" if list(ids) == list(wanted) else "not the ids of"
    lines = [name, f"{counted} ({witness})", "", "|" + "|".join(cut[0]) + "|", " ".join(map(str, cut[1])) + more]
    lines += [f"{same} {witness}", ""]
    for author, parts in authors().items():
        lines += textwrap.wrap(f"{author}: {', '.join(parts) or 'nothing yet'}", WIDTH)
    card = Card([short for line in lines for short in textwrap.wrap(line, WIDTH) or [""]])
    write_whole(own_file().with_name(FILE), card.svg().encode("utf-8"))
    print(f"Written to {FILE}, next to {own_file().name}.")
    return card


def authors() -> dict[str, list[str]]:
    """Return the names of the parts of the learner's file, by who wrote them."""
    path = own_file()
    text = read_whole(path).decode("utf-8", "replace").replace("\r\n", "\n") if path.is_file() else ""
    found: dict[str, list[str]] = {"Written by me": [], "Written by the course": []}
    for comment, name in _PART.findall(text):
        found["Written by me" if comment == BY_ME else "Written by the course"].append(name)
    return found
