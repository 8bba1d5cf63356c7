r"""Coloured tokens: one box for each token, whitespace and broken bytes visible, ids and bytes on hover.

    show("Hello world", "gpt2", mine)                    how tokenizers cut a text, side by side
    show_tokens([b"Hello", b" world"], [15496, 995])     |Hello|·world|
    compare_tokens({"gpt2": (tokens, ids), ...})         one row for each tokenizer

A notebook shows HTML, a terminal shows ``.ansi()``, everything else the plain text. Invisible characters are drawn: a
space as ``·``, a line feed as ``↵``, a tab as ``→``, a carriage return as ``\r``, any other invisible character by its
code (``\u200d``). A byte of a character that other tokens complete is drawn as ``\xe2``, a mark without its letter
on a circle ``◌``. A special token has a second line around its box and the sign ``◆``. Colours follow
position, not meaning; the underline changes as well, so nothing depends on colour. The HTML is the same on every
run, has inline styles, and shows a token ``<script>`` as text.

Limits: at most ``MOST_SHOWN`` tokens are drawn, unless ``show`` gets another number. Arabic letters do
not join across the boxes of ``show_tokens``.
"""

from minbpe_course.showing.drawing import MOST_SHOWN, MOST_WITH_IDS, visible
from minbpe_course.showing.view import TokenView, compare_tokens, show, show_tokens

__all__ = ["MOST_SHOWN", "MOST_WITH_IDS", "TokenView", "compare_tokens", "show", "show_tokens", "visible"]
