"""From the rule of ranks to the list of merges that a tokenizer.json holds."""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.model import VocabularyModel


def merges_of_ranks(model: VocabularyModel) -> tuple[np.ndarray, bool]:
    """The merges that the rule of ranks comes down to, ids [n, 2], the preferred one first; and whether words have to
    be taken whole, since there is a token that no merge makes.

    A token comes about through one pair only: its last merge when its own bytes are merged alone.

    >>> model = VocabularyModel({byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 300: b"xyz"})
    >>> merges_of_ranks(model)
    (array([[97, 98]]), True)
    """
    plain = VocabularyTables.plain(model)
    found = plain.last_merges(plain.merges_of(model))
    ids = plain.ids.astype(np.int64)
    pairs = np.stack([ids[found.lefts], ids[found.rights]], axis=1).reshape(-1, 2)
    return pairs, model.whole_words and len(found.made) + 256 < len(ids)
