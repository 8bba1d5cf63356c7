"""Operations on the two tables that have a row for every id. All of them are one: new rows are means of old ones.

    extending       rebuilt(model, [[0], [1], ..., all_ids])     every old row, and the mean of all for a new id
    pruning         rebuilt(model, [[0], [1], [5], ...])         the rows of the ids that stay
    transplanting   rebuilt(model, [[72], [72, 101], ...])       for each token of another vocabulary, the mean of the
                                                                 rows of the old tokens that spell it

Everything between the two tables stays untouched: it does not know how many ids there are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minbpe_course.errors import InvalidOption, InvalidTokenId
from minbpe_course.reference.tiny_model.network import (
    Examples,
    TinyModel,
    backwards,
    examples,
    hidden_numbers,
    log_shares,
    logits,
    looked_up,
)
from minbpe_course.reference.tiny_model.training import Adam


def rebuilt(model: TinyModel, sources: Sequence[Sequence[int]]) -> TinyModel:
    """Return a model with one row for each of ``sources``: the mean of the old rows that it names.

    A row that names a single id is a copy, to the last bit. Raises InvalidTokenId for an id without a row, and
    InvalidOption for a source that names none.

    >>> from minbpe_course.reference.tiny_model.network import new_model
    >>> old = new_model(300)
    >>> new = rebuilt(old, [[7], [8, 9]])
    >>> new.head.shape, bool((new.head[0] == old.head[7]).all())
    ((2, 64), True)
    """
    for number, source in enumerate(sources):
        if not len(source):
            raise InvalidOption(
                f"sources[{number}] names no id; name at least one whose row it should get: [[7], [8]]."
            )
        if min(source) < 0 or max(source) >= len(model.head):
            raise InvalidTokenId(
                f"sources[{number}] is {list(source)}, and the model has the ids 0 to {len(model.head) - 1}."
            )
    lists = [np.asarray(source) for source in sources]

    def means(rows: np.ndarray) -> np.ndarray:
        return np.array([rows[ids].mean(axis=0) for ids in lists])

    return model._replace(embedding=means(model.embedding), head=means(model.head), head_bias=means(model.head_bias))


def extended(model: TinyModel, number: int = 1, *, like: Sequence[Sequence[int]] | None = None) -> TinyModel:
    """Return the model with more rows: the mean of all old ones, or the mean of those that ``like`` names for each.

    >>> from minbpe_course.reference.tiny_model.network import new_model
    >>> old = new_model(300)
    >>> extended(old, 2).head.shape, extended(old, like=[[34], [34]]).head.shape
    ((302, 64), (302, 64))
    """
    all_ids = range(len(model.head))
    return rebuilt(model, [*([token_id] for token_id in all_ids), *(like or [all_ids] * number)])


def with_random_rows(model: TinyModel, number: int, spread: float, seed: int) -> TinyModel:
    """Return the model with more rows, drawn around zero: ``spread`` is their standard deviation, the bias is zero.

    >>> from minbpe_course.reference.tiny_model.network import new_model
    >>> round(float(with_random_rows(new_model(300), 2, 0.02, seed=1).embedding[300:].std()), 2)
    0.02
    """
    random = np.random.default_rng(seed)

    def longer(rows: np.ndarray) -> np.ndarray:
        return np.concatenate([rows, random.normal(0, spread, (number, rows.shape[1]))])

    return model._replace(
        embedding=longer(model.embedding),
        head=longer(model.head),
        head_bias=np.concatenate([model.head_bias, np.zeros(number)]),
    )


def learned_gist(
    model: TinyModel, gist: int, with_prompt: np.ndarray, with_gist: np.ndarray, steps: int = 60, rate: float = 0.1
) -> TinyModel:
    """Return the model with another embedding row for the id ``gist``, and nothing else changed.

    The row is made such that what the model predicts behind ``with_gist`` comes as near as it can to what it predicts
    behind ``with_prompt``: contexts, place by place, in which one id stands where the other has a whole prompt.

    >>> from minbpe_course.reference.tiny_model.network import examples, new_model
    >>> old = new_model(300)
    >>> long, short = examples([[7, 8, 9, 1, 2]]).contexts[3:], examples([[299, 1, 2]]).contexts[1:]
    >>> new = learned_gist(old, 299, long, short, steps=2)
    >>> np.flatnonzero((new.embedding != old.embedding).any(axis=1)).tolist(), new.head is old.head
    ([299], True)
    """
    wanted = np.exp(log_shares(logits(model, with_prompt)))
    adam = Adam(rate)
    model = model._replace(embedding=model.embedding.copy())
    for _ in range(steps):
        seen, shares = looked_up(model, with_gist)
        hidden = hidden_numbers(model, seen)
        surplus = np.exp(log_shares(hidden @ model.head.T + model.head_bias)) - wanted
        slopes = backwards(model, with_gist, seen, shares, hidden, surplus / len(wanted))
        (change,) = adam.changes([slopes.embedding[gist]])
        model.embedding[gist] += change
    return model


def lost_bits(model: TinyModel, wanted: np.ndarray, got: np.ndarray) -> np.ndarray:
    """Return for each place how many bits are lost by predicting from the contexts ``got`` in place of ``wanted``.

    It is the divergence of Kullback and Leibler: zero when both predict the same.

    >>> from minbpe_course.reference.tiny_model.network import examples, new_model
    >>> contexts = examples([[7, 8]]).contexts
    >>> lost_bits(new_model(300), contexts, contexts).tolist()
    [0.0, 0.0]
    """
    true, said = log_shares(logits(model, wanted)), log_shares(logits(model, got))
    return (np.exp(true) * (true - said)).sum(axis=1) / np.log(2)


def examples_after(prompt: Sequence[int], documents: Sequence[Sequence[int]]) -> Examples:
    """Return the places of the documents, each behind ``prompt``; the places of the prompt are left out.

    >>> found = examples_after([5, 6], [[1, 2]])
    >>> found.contexts[:, :4].tolist(), found.targets.tolist()
    ([[6, 5, -1, -1], [1, 6, 5, -1]], [1, 2])
    """
    parts = [examples([[*prompt, *document]]) for document in documents]
    cut = len(prompt)
    return Examples(
        np.concatenate([part.contexts[cut:] for part in parts]), np.concatenate([part.targets[cut:] for part in parts])
    )
