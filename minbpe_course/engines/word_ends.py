r"""Vocabularies with an ending on the last token of each word, such as CLIP's "</w>", in a form that kernels can merge.

    record    b"h" b"i" b"i</w>" b"hi</w>"      merges  (h, i</w>)
    tables    b"h" b"i" b"i\xff" b"hi\xff"      merges  (i, \xff)  (h, i\xff)        words  b"hi\xff"

The last character of a word and the ending are one symbol from the start. The byte 0xff, which is in no UTF-8 text,
takes the place of the ending: every word gets one, and merging it with the byte before it comes first.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import VocabularyModel

MARK = b"\xff"


def with_marks(model: VocabularyModel) -> VocabularyModel:
    r"""Return ``model`` with MARK in place of ``word_end``; each word must then end in MARK. Raises UnsupportedModel.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)}
    >>> tokens |= {256 + byte: bytes([byte]) + b"</w>" for byte in range(256)} | {512: b"hi</w>"}
    >>> model = VocabularyModel(tokens, [(104, 256 + 105, 512)], whole_words=False, word_end="</w>")
    >>> with_marks(model).token_bytes[512]
    b'hi\xff'
    """
    end = model.word_end.encode("utf-8")
    ended = {i for i, token in model.token_bytes.items() if token.endswith(end) and len(token) > len(end)}
    tokens = {i: token[: -len(end)] + MARK if i in ended else token for i, token in model.token_bytes.items()}
    taken: dict[bytes, int] = {}
    for token_id, token in tokens.items():
        if taken.setdefault(token, token_id) != token_id:
            raise UnsupportedModel(
                f"the tokens {model.token_bytes[taken[token]]!r:.60} and {model.token_bytes[token_id]!r:.60} cannot be "
                f"told apart where {model.word_end!r} ends a word."
            )
    assert model.merges is not None
    merges = []
    for left, right, made in model.merges:
        # Nothing follows the end of a word, so such a merge never happens.
        if left in ended:
            continue
        if (made in ended) != (right in ended):
            raise UnsupportedModel(
                f"the merge of {model.token_bytes[left]!r:.60} and {model.token_bytes[right]!r:.60} makes "
                f"{model.word_end!r} from characters of the text; this package supports it only at the end of a word."
            )
        merges.append((left, right, made))
    ids = {token: token_id for token_id, token in tokens.items()}
    mark = ids[MARK]
    first = [(ids[bytes([byte])], mark, ids[bytes([byte]) + MARK]) for byte in range(256)]
    return VocabularyModel(tokens, np.array(first + merges, dtype=np.uint32), whole_words=False)
