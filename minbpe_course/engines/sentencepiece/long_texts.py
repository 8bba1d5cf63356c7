"""Cut a text of any length for a SentencePiece model into parts that may be encoded one by one.

    "Hello wide world"      "Hello" "wide" "world"        the model adds a space before each part

If no piece of the vocabulary has a ▁ after another character, no merge crosses a space that follows a character, and
the text can be cut there. With a dummy prefix the space itself is left out, since the model adds it before the next
part.

Limits: BPE models without a table of replacements (Llama 2's, Mistral's). With such a table a rule might cross a space,
and a Unigram model adds 32-bit scores from the beginning of a text, so that rounding may change a later decision. For
these models, and for texts without spaces, the whole text is one part.
"""

from __future__ import annotations

import re

from minbpe_course.model import NORMAL, UNUSED, USER_DEFINED, PieceModel
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.splitting.splitter import Splitter

_PLACE = re.compile("[^ ▁](?= [^ ])")
_ACROSS = re.compile("[^▁]▁")

# How far back to search for a place at first; then twice as far.
_SEARCHED = 1 << 12


class LongPieces(LongText):
    """Takes the chunks of one text and returns parts of it, between which a space may be missing.

    >>> model = PieceModel(("<unk>", "▁", "a", "▁a"), (0.0, -2.0, -3.0, -1.0), (2, 1, 1, 1))
    >>> text = LongPieces(model, gather=4)
    >>> text.add("a a"), text.add("a  a a"), text.finish()
    ('', 'a aa  a', 'a')
    """

    def __init__(self, model: PieceModel, *, gather: int | None = None) -> None:
        super().__init__(Splitter(None), gather=gather)
        self._splits = can_be_cut(model)
        self._between = int(model.normalizer.add_dummy_prefix)

    def _cut(self, text: str) -> int:
        end, searched = len(text), _SEARCHED
        while end > 0:
            begin = max(end - searched, 0)
            places = [found.end() for found in _PLACE.finditer(text, begin, min(end + 2, len(text)))]
            if places:
                return places[-1]
            end, searched = begin, 2 * searched
        return 0


def first_place(text: str, start: int, stop: int) -> int | None:
    """Return the first place from ``start`` to before ``stop`` where a part may begin; a space follows there."""
    found = _PLACE.search(text, max(start - 1, 0))
    return found.end() if found and found.end() < stop else None


def can_be_cut(model: PieceModel) -> bool:
    """Return whether texts for this model may be cut before a space that follows a character.

    >>> can_be_cut(PieceModel(("<unk>", "▁", "a▁a"), (0.0, -1.0, -2.0), (2, 1, 1)))
    False
    """
    rules = model.normalizer
    if (
        model.pipeline is not None
        or model.model_type != "bpe"
        or rules.charsmap
        or not rules.escape_whitespaces
        or model.treat_whitespace_as_suffix
    ):
        return False
    if rules.remove_extra_whitespaces and not rules.add_dummy_prefix:
        # The space before a part would be removed like one at the beginning of a text.
        return False
    pieces = {piece: kind for piece, kind in zip(model.pieces, model.kinds) if kind in (NORMAL, UNUSED, USER_DEFINED)}
    if pieces.get("▁") != NORMAL or any(_ACROSS.search(piece) for piece in pieces):
        return False
    # User-defined pieces are found in the raw text, before spaces become ▁.
    return not any(kind == USER_DEFINED and (" " in piece or "▁" in piece) for piece, kind in pieces.items())
