"""From a text and some tokenizers to something to look at."""

from __future__ import annotations

from typing import Any

from minbpe_course.errors import NotText
from minbpe_course.inspecting.tokenizer_view import Cut, view_of
from minbpe_course.visual.tokens.drawing import MOST_SHOWN
from minbpe_course.visual.tokens.view import Row, TokenView

USUAL = ("gpt2", "cl100k_base", "o200k_base")


def show(text: str, *tokenizers: Any, specials: bool = False, most: int = MOST_SHOWN) -> TokenView:
    """Show how tokenizers cut a text, one below the other.

    A notebook draws it in colour; ``print`` writes it; ``.ansi()`` is for terminals and ``.html()`` for pages.

    Parameters
    ----------
    text : what to cut.
    tokenizers : names ("gpt2"), paths of tokenizers' files, tokenizers of this package, of tiktoken, sentencepiece or
        tokenizers, or objects of a class of yours (``view_of`` says what such a class needs; ``view_of(mine, "mine")``
        gives it another name). GPT-2's, GPT-4's and GPT-4o's when none is given.
    specials : whether special tokens in the text are recognised; they get a sign. Otherwise they are ordinary text.
    most : how many tokens are drawn, of all rows together; how many there are besides is said.

    Raises NotText, and what ``view_of`` raises for what is no tokenizer.

    >>> show("Hello world", "gpt2")
    gpt2      2 tokens  5.50 bytes each  |Hello|·world|
                                         ids 15496 995
    """
    if not isinstance(text, str):
        raise NotText(f"text must be a str, got {type(text).__name__}; the text comes first: show(text, tokenizer).")
    cutters = [view_of(each) for each in tokenizers or USUAL]
    names = _different([each.name for each in cutters])
    each_row = max(1, most // len(cutters))
    rows = (_row(name, each.cut(text, specials), each_row) for name, each in zip(names, cutters))
    return TokenView(tuple(rows), from_text=True)


def _row(name: str, cut: Cut, most: int) -> Row:
    facts = f"{cut.bytes_per_token:.2f} bytes each" if cut.ids else ""
    return Row(name, cut.tokens, cut.ids, cut.special, facts, cut.note, most)


def _different(names: list[str]) -> list[str]:
    """The names, with a number behind each that was there before."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result
