"""Whether two byte-level models give the same ids for every text, however they are written down.

    merges in a file           (b, c) 257   (a, b) 258   (a, bc) 259   (ab, c) 259
    ranks in a file            b"bc" 257    b"ab" 258    b"abc" 259
    merges that ever happen    (b, c) 257   (a, b) 258   (a, bc) 259                  the same for both

``vocabulary_tables`` explains why each token has one last merge, and why no other matters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.errors import InvalidModel, InvalidSpecialToken, UnsupportedModel
from minbpe_course.model import BytePairModel, VocabularyModel


class Merging(NamedTuple):
    """How words become ids.

    merges : uint32[n, 3], (left id, right id, made id), every merge that ever happens, the preferred one first ·
    unmade : uint32, ids of the tokens that no merge makes, ascending · whole : whether a whole word may become one of
    those.
    """

    merges: np.ndarray
    unmade: np.ndarray
    whole: bool


def merging_of(model: VocabularyModel) -> Merging:
    """Find every merge that ever happens.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc", 258: b"xyz"}
    >>> found = merging_of(VocabularyModel(tokens))
    >>> found.merges.tolist(), found.unmade.tolist(), found.whole
    ([[97, 98, 256], [256, 99, 257]], [258], True)
    """
    plain = VocabularyTables.plain(model)
    found = plain.last_merges(plain.merges_of(model))
    unmade = np.diff(plain.token_start) > 1
    unmade[found.made] = False
    whole = model.whole_words and bool(unmade.any())
    return Merging(plain.ids[np.stack(found[:3], axis=1)], plain.ids[unmade], whole)


def same_merging(one: VocabularyModel, other: VocabularyModel) -> bool:
    """Return whether every word has the same ids in both, and every id the same bytes; special tokens are ignored.

    True is certain. False can also mean that the order differs only in merges that never compete.

    >>> model = VocabularyModel({byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}, [(97, 98, 256)])
    >>> same_merging(model, model.replace(merges=None)), same_merging(model, model.replace(merges=[]))
    (True, False)
    """
    if not np.array_equal(one.ids, other.ids) or one.token_text != other.token_text:
        return False
    if not np.array_equal(one.token_starts, other.token_starts) or one.word_end != other.word_end:
        return False
    if one.word_end:
        assert one.merge_table is not None
        assert other.merge_table is not None
        return np.array_equal(one.merge_table, other.merge_table)
    first, second = merging_of(one), merging_of(other)
    return first.whole == second.whole and np.array_equal(first.merges, second.merges)


def as_vocabulary(model: BytePairModel | VocabularyModel) -> VocabularyModel:
    """Return ``model`` as a VocabularyModel. Raises UnsupportedModel where that is not possible."""
    if isinstance(model, VocabularyModel):
        return model
    try:
        return VocabularyModel.from_byte_pairs(model)
    except (InvalidModel, InvalidSpecialToken) as error:
        raise UnsupportedModel(str(error)) from error


def why_not_ranks(model: BytePairModel | VocabularyModel) -> str | None:
    """Return why the ids of ``model`` as ranks would give some text other ids in tiktoken, or None.

    >>> why_not_ranks(BytePairModel([(97, 97), (256, 98)]))
    >>> print(why_not_ranks(BytePairModel([(97, 98), (98, 99), (97, 257)])))
    neighbours merge there when their joined bytes are a token, lowest id first; the merges of this model do not.
    """
    try:
        vocabulary = as_vocabulary(model)
    except UnsupportedModel as error:
        return str(error)
    if vocabulary.only_in_huggingface is not None:
        return f"{vocabulary.only_in_huggingface}, and tiktoken does not."
    if vocabulary.plain_tokens:
        text = min(vocabulary.plain_tokens)
        return f"its added token {text!r:.60} is not special and found in every text; tiktoken has no such."
    if vocabulary.normalization is not None:
        return f"tiktoken does not normalize text to {vocabulary.normalization} before it encodes it."
    by_ranks = vocabulary.replace(merges=None, whole_words=True)
    if by_ranks == vocabulary or same_merging(vocabulary, by_ranks):
        return None
    if same_merging(vocabulary.replace(whole_words=True), by_ranks):
        return "a word that is a token stays whole there, and here no merge makes some of the tokens."
    return (
        "neighbours merge there when their joined bytes are a token, lowest id first; the merges of this model do not."
    )
