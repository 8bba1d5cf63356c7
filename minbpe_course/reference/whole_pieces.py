"""SentencePiece's word and character models, readable: the text is cut, and each part is a dictionary look-up.

    char    ▁ h e l l o     each character is a part; a user-defined piece is one part
    word    ▁hello ▁world   each part begins at a ▁

A part that is not a piece becomes bytes or the unknown piece, as in every other model. Both need normalised text
(``text.normalize``). In a word model, user-defined pieces are not cut out of words, and words are cut before a ▁ even
if the model puts the space after the word.

Limits: slow on purpose. ``engines.sentencepiece.char_and_word`` is the fast version.
"""

from __future__ import annotations

from collections.abc import Iterator

from minbpe_course.model import PieceModel
from minbpe_course.reference.pieces import Token, known_id, split_symbols, tokens_of
from minbpe_course.text.normalize import LongestMatch

SPACE_MARK = "▁"


def split_words(text: str) -> Iterator[str]:
    """Yield the words of a normalised text, each with the ▁ that it begins with.

    >>> list(split_words("▁a▁▁bc"))
    ['▁a', '▁', '▁bc']
    """
    begin = 0
    for at, character in enumerate(text):
        if character == SPACE_MARK and at > begin:
            yield text[begin:at]
            begin = at
    if begin < len(text):
        yield text[begin:]


def encode_words(text: str, model: PieceModel) -> list[Token]:
    """Return the tokens of a normalised text in a model of whole words.

    >>> model = PieceModel(("<unk>", "▁a", "▁bc"), (0.0, -1.0, -2.0), (2, 1, 1), model_type="word")
    >>> [(token.id, token.text) for token in encode_words("▁a▁x▁y▁bc", model)]
    [(1, '▁a'), (0, '▁x▁y'), (2, '▁bc')]
    """
    return tokens_of(((word, known_id(word, model)) for word in split_words(text)), model)


def encode_characters(text: str, model: PieceModel, user_defined: LongestMatch | None = None) -> list[Token]:
    """Return the tokens of a normalised text in a model of characters.

    >>> model = PieceModel(("<unk>", "a", "<b>"), (0.0, -1.0, 0.0), (2, 1, 4), model_type="char")
    >>> [token.id for token in encode_characters("a<b>a<", model)]
    [1, 2, 1, 0]
    """
    if user_defined is None:
        user_defined = LongestMatch(piece.encode("utf-8") for piece in model.user_defined)
    parts = (symbol.text for symbol in split_symbols(text, user_defined))
    return tokens_of(((part, known_id(part, model)) for part in parts), model)
