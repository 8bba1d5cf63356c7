"""Turn a vocabulary into a BytePairModel if one gives the same ids for every text and loses nothing.

    merges in a file           (b, c) 257   (a, b) 258   (a, bc) 259   (ab, c) 259     several ways to make one token
    merges that ever happen    (b, c) 257   (a, b) 258   (a, bc) 259                   one way, in the order of ids

Merges that never happen may be dropped from a list without any effect (see ``vocabulary_tables``). So each token that
merging makes keeps its last merge. The rest is a BytePairModel if merging makes every token, the order of the list is
the order of the ids, and each merge joins ids that are smaller than the id it makes.

Limits: lists in different orders can give the same ids, where the merges that changed places never compete, and a token
that merging never makes could have a merge that never happens. The code does not look for that; such a vocabulary
stays as it is, unless its list has one merge for each token, in order.
"""

from __future__ import annotations

import numpy as np

from minbpe_course.engines.vocabulary_tables import VocabularyTables
from minbpe_course.errors import UnsupportedModel
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.model.byte_pair import CheckedMerges
from minbpe_course.text.patterns import engine_of


def simplest(model: VocabularyModel | BytePairModel) -> BytePairModel | VocabularyModel:
    """Return the BytePairModel that gives the same ids for every text and loses nothing, otherwise ``model``.

    >>> simplest(VocabularyModel.from_byte_pairs(BytePairModel([(97, 97), (256, 98)])))
    BytePairModel(2 merges, 0 special tokens, pattern=None)
    >>> simplest(VocabularyModel({byte: bytes([byte]) for byte in range(256)} | {1000: b"no merge makes this"}))
    VocabularyModel(257 tokens, ranks, 0 special tokens, pattern=None)
    """
    try:
        return as_byte_pairs(model)
    except UnsupportedModel:
        return model


def as_byte_pairs(model: VocabularyModel | BytePairModel) -> BytePairModel:
    """Return the BytePairModel that gives the same ids for every text and loses nothing.

    Raises UnsupportedModel, with the reason, if no BytePairModel does.

    >>> tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc"}
    >>> as_byte_pairs(VocabularyModel(tokens)).merges
    ((97, 98), (256, 99))
    """
    if isinstance(model, BytePairModel):
        return model
    _check_extras(model)
    count = len(model.ids)
    if (model.ids[:256] != np.arange(256)).any() or (np.diff(model.token_starts[:257]) != 1).any():
        raise _unsupported("the 256 bytes have other ids than 0 to 255")
    last = int(model.ids[-1])
    if last + 1 > 2 * count:
        raise _unsupported(f"its ids go up to {last:,} for {count:,} tokens")
    holes = np.setdiff1d(np.arange(256, last + 1), model.ids, assume_unique=True)

    if _listed_by_id(model):
        assert model.merge_table is not None
        return _byte_pairs(model, model.merge_table[:, :2], holes)
    plain = VocabularyTables.plain(model)
    found = plain.last_merges(plain.merges_of(model))
    if len(found.made) < count - 256:
        unmade = np.ones(count, dtype=bool)
        unmade[:256] = unmade[found.made] = False
        token_id = int(model.ids[unmade.argmax()])
        raise _unsupported(f"no merge makes token {token_id}, {model.token_bytes[token_id]!r:.60}")
    misplaced = found.made[1:] <= found.made[:-1]
    if misplaced.any():
        token_id = int(model.ids[found.made[int(misplaced.argmax()) + 1]])
        raise _unsupported(f"token {token_id} merges after one with a larger id")
    younger = (found.lefts >= found.made) | (found.rights >= found.made)
    if younger.any():
        raise _unsupported(f"token {int(model.ids[found.made[younger.argmax()]])} has a smaller id than a part of it")
    return _byte_pairs(model, np.stack([model.ids[found.lefts], model.ids[found.rights]], axis=1), holes)


def _listed_by_id(model: VocabularyModel) -> bool:
    """Return whether one merge of smaller ids makes each token, in the order of ids, and no words stay whole.

    Then the list is that of a BytePairModel as it is: no other merge can make a token, reached or not.
    """
    table = model.merge_table
    if table is None or model.whole_words or len(table) != len(model.ids) - 256:
        return False
    return bool((table[:, 2] == model.ids[256:]).all() and (table[:, :2] < table[:, 2:]).all())


def _byte_pairs(model: VocabularyModel, pairs: np.ndarray, holes: np.ndarray) -> BytePairModel:
    return BytePairModel(
        pairs.astype(np.int32).view(CheckedMerges),
        byte_order=model.token_text[:256],
        pattern=model.pattern,
        special_tokens=model.special_tokens,
        skipped_ids=holes.tolist(),
        source=model.source,
    )


def _check_extras(model: VocabularyModel) -> None:
    """Raise UnsupportedModel if ``model`` has a property that a BytePairModel cannot hold."""
    if (reason := model.only_in_huggingface) is not None:
        raise _unsupported(reason)
    if model.normalization is not None:
        raise _unsupported(f"it normalizes text to {model.normalization}")
    if model.plain_tokens:
        raise _unsupported(f"{min(model.plain_tokens)!r} is cut out of texts without being special")
    if model.frame != ((), ()):
        raise _unsupported("it puts ids round every text")
    if model.pair_frame is not None:
        raise _unsupported("it puts ids round two texts")
    if model.pattern_engine is not None and (model.pattern is None or model.pattern_engine != engine_of(model.pattern)):
        raise _unsupported(f"its split pattern is to be read as {model.pattern_engine} reads it")
    shared = set(model.special_tokens.values()).intersection(model.ids.tolist()) if model.special_tokens else ()
    if shared:
        raise _unsupported(f"the special token with id {min(shared)} is an ordinary token as well")


def _unsupported(reason: str) -> UnsupportedModel:
    return UnsupportedModel(f"this vocabulary is no plain model of byte pairs: {reason}.")
