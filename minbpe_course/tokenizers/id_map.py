"""The ids of one vocabulary in another, such as a longer or a smaller one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minbpe_course.formats.any_format import Model
from minbpe_course.formats.sources import record_from
from minbpe_course.model import PieceModel
from minbpe_course.model.piece_rules import WRITTEN_KINDS


def id_map(old: Any, new: Any) -> np.ndarray:
    """Return the new id of every old one, int64[old vocab_size]: that of the same token, or -1 if the token is gone.

    old, new : anything that ``load_tokenizer`` takes. An ordinary token is the same if it has the same bytes (a piece:
    the same text), a special token if it has the same text.

    After ``train(base=...)`` and ``prune`` this moves the rows of a table of embeddings. The rows of new tokens may
    begin as the mean of the rows that they are made of.

    Raises the errors of ``load_tokenizer``.

    >>> from minbpe_course import load_tokenizer, train
    >>> old = train("low lower lowest", 260, special_tokens=["<|end|>"])
    >>> new = train("newest newest", 262, base=old)
    >>> table = np.random.default_rng(0).normal(size=(old.vocab_size, 8))
    >>> ids = id_map(old, new)
    >>> kept = ids >= 0
    >>> longer = np.empty((new.vocab_size, 8))
    >>> longer[ids[kept]] = table[kept]
    >>> for token_id in np.setdiff1d(np.arange(new.vocab_size), ids):
    ...     parts = load_tokenizer(old).encode(new.token_bytes[token_id].decode())
    ...     longer[token_id] = table[parts].mean(axis=0)
    """
    one, other = record_from(old).record, record_from(new).record
    places: dict[object, int] = {}
    theirs = set(_tokens(other))
    for token_id, token in _tokens(other):
        places.setdefault(token, token_id)
    ids = np.full(len(one) if isinstance(one, PieceModel) else one.vocab_size, -1, dtype=np.int64)
    for token_id, token in _tokens(one):
        if ids[token_id] < 0:
            ids[token_id] = token_id if (token_id, token) in theirs else places.get(token, -1)
    return ids


def _tokens(model: Model) -> Iterator[tuple[int, object]]:
    """Yield id and token: bytes of an ordinary token, a str of any other, and of a piece whether text becomes it."""
    if isinstance(model, PieceModel):
        yield from enumerate(zip(model.pieces, (kind in WRITTEN_KINDS for kind in model.kinds)))
        return
    yield from model.token_bytes.items()
    for names in (model.special_tokens.items(), ((text, each) for each, text in model.decode_only.items())):
        yield from ((token_id, text) for text, token_id in names)
