"""The network: its input, its prediction, and the gradient of its loss.

    contexts     the 48 ids before a place, the nearest first
    embedding    a row of 24 numbers for each id: the rows of the last 4, and the mean of all 48, make 120 numbers
    mixing       120 numbers become 64, squeezed by tanh
    head         a row of 64 numbers for each id, whose product with the 64 says how likely the id is

Two tables have a row for every id of the vocabulary, ``embedding`` and ``head`` (with ``head_bias``); nothing else in
the model knows how many ids there are. All numbers are float64, so that what is printed with three decimals is the same
on every machine.

Limits: a window and a mean, no attention. It is as small as a model can be whose vocabulary is worth operating on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from minbpe_course.errors import InvalidTokenId, NothingToTrainOn

WINDOW = 4  # ids that are seen one by one
MEMORY = 48  # ids whose mean is seen; the window is the beginning of them
WIDTH = 24  # numbers in a row of the embedding
HIDDEN = 64  # numbers in a row of the head
NOTHING = -1  # the id in a context before the start of the text
VIEWS = WINDOW + 1


class TinyModel(NamedTuple):
    """All numbers of a model, as float64 arrays; ``model._replace(head=...)`` makes another one.

    embedding (ids, WIDTH), mixing (VIEWS * WIDTH, HIDDEN), mixing_bias (HIDDEN,), head (ids, HIDDEN), head_bias (ids,)

    >>> new_model(300).head.shape
    (300, 64)
    """

    embedding: np.ndarray
    mixing: np.ndarray
    mixing_bias: np.ndarray
    head: np.ndarray
    head_bias: np.ndarray

    @property
    def parameters(self) -> int:
        """How many numbers there are.

        >>> new_model(300).parameters == 300 * (24 + 64 + 1) + 5 * 24 * 64 + 64
        True
        """
        return sum(numbers.size for numbers in self)


class Examples(NamedTuple):
    """Places in texts: the ids before each, the nearest first, and the id at that place.

    contexts (places, MEMORY) int32, targets (places,) int32
    """

    contexts: np.ndarray
    targets: np.ndarray


def new_model(ids: int, seed: int = 0) -> TinyModel:
    """Return a model for ``ids`` different ids that has learned nothing.

    >>> round(float(new_model(300, seed=1).embedding.std()), 1)
    0.3
    """
    random = np.random.default_rng(seed)
    embedding = random.normal(0, 0.3, (ids, WIDTH))
    mixing = random.normal(0, 1 / np.sqrt(0.3 * VIEWS * WIDTH), (VIEWS * WIDTH, HIDDEN))
    return TinyModel(embedding, mixing, np.zeros(HIDDEN), random.normal(0, 0.1, (ids, HIDDEN)), np.zeros(ids))


def examples(documents: Iterable[Sequence[int]]) -> Examples:
    """Return every place of every document as an example; no context reaches over the beginning of its document.

    Raises NothingToTrainOn for documents without ids.

    >>> found = examples([[7, 8, 9], [5]])
    >>> found.contexts[:, :3].tolist(), found.targets.tolist()
    ([[-1, -1, -1], [7, -1, -1], [8, 7, -1], [-1, -1, -1]], [7, 8, 9, 5])
    """
    lists = [np.asarray(document, dtype=np.int32) for document in documents]
    if not sum(map(len, lists)):
        raise NothingToTrainOn("there is no id in these documents; give a list of lists of ids: examples([[7, 8, 9]]).")
    return Examples(np.concatenate([_contexts(ids) for ids in lists]), np.concatenate(lists))


def _contexts(ids: np.ndarray) -> np.ndarray:
    before = np.concatenate([np.full(MEMORY, NOTHING, dtype=np.int32), ids])
    return np.lib.stride_tricks.sliding_window_view(before, MEMORY)[: len(ids), ::-1]


def looked_up(model: TinyModel, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what the network sees of each context, (places, VIEWS * WIDTH), and the shares of the mean, (places, ids).

    Looking up a row is multiplying by a row of zeros with a single one in it; the mean of 48 rows is multiplying by a
    row of shares. For the window picking is quicker, for the mean the product is.

    Raises InvalidTokenId for an id that has no row.

    >>> model = new_model(300)
    >>> seen, shares = looked_up(model, examples([[7, 8, 8]]).contexts)
    >>> bool((seen[2, :WIDTH] == model.embedding[8]).all()), shares[2, 7:9].tolist()
    (True, [0.5, 0.5])
    """
    ids = len(model.embedding)
    _must_have_rows(contexts, ids, NOTHING)
    with_nothing = np.concatenate([model.embedding, np.zeros((1, model.embedding.shape[1]))])  # the row of NOTHING
    shares = shares_of(contexts, ids)
    seen = [with_nothing[contexts[:, :WINDOW]].reshape(len(contexts), -1), shares @ model.embedding]
    return np.concatenate(seen, axis=1), shares


def shares_of(contexts: np.ndarray, ids: int) -> np.ndarray:
    """Return for each context the share that each id has in it, (places, ids); an empty context has only zeros.

    >>> shares_of(np.array([[1, 1, 2, -1]]), 3).round(2).tolist()
    [[0.0, 0.67, 0.33]]
    """
    there = contexts != NOTHING
    numbers = there.sum(axis=1)
    place = (np.arange(len(contexts))[:, None] * ids + contexts)[there]
    share = np.repeat(1 / np.maximum(numbers, 1), numbers)
    return np.bincount(place, share, minlength=len(contexts) * ids).reshape(len(contexts), ids)


def hidden_numbers(model: TinyModel, seen: np.ndarray) -> np.ndarray:
    """Return the numbers in the middle of the network, (places, HIDDEN).

    >>> float(hidden_numbers(new_model(300), np.zeros((1, VIEWS * WIDTH))).max())
    0.0
    """
    return np.tanh(seen @ model.mixing + model.mixing_bias)


def logits(model: TinyModel, contexts: np.ndarray) -> np.ndarray:
    """Return a number for each id at each place, (places, ids): the larger it is, the likelier the id.

    >>> logits(new_model(300), examples([[7, 8]]).contexts).shape
    (2, 300)
    """
    return hidden_numbers(model, looked_up(model, contexts)[0]) @ model.head.T + model.head_bias


def log_shares(numbers: np.ndarray) -> np.ndarray:
    """Return the logarithm of softmax along the last axis: a constant added to a row changes nothing.

    >>> np.exp(log_shares(np.array([0.0, 0.0, np.log(2)]))).round(3).tolist()
    [0.25, 0.25, 0.5]
    """
    numbers = numbers - numbers.max(axis=-1, keepdims=True)
    return numbers - np.log(np.exp(numbers).sum(axis=-1, keepdims=True))


def loss_and_gradients(model: TinyModel, contexts: np.ndarray, targets: np.ndarray) -> tuple[float, TinyModel]:
    """Return the mean surprise of the targets, in nats, and how it grows with every number of the model.

    Raises InvalidTokenId for an id that has no row.

    >>> loss, slopes = loss_and_gradients(new_model(300), *examples([[7, 8, 9]]))
    >>> bool(abs(loss - np.log(300)) < 0.2), slopes.head.shape
    (True, (300, 64))
    """
    _must_have_rows(targets, len(model.head), 0)
    seen, shares = looked_up(model, contexts)
    hidden = hidden_numbers(model, seen)
    surprise = log_shares(hidden @ model.head.T + model.head_bias)
    at = np.arange(len(targets))
    loss = -surprise[at, targets].mean()
    # The gradient of softmax and logarithm together: the prediction minus the target.
    surplus = np.exp(surprise)
    surplus[at, targets] -= 1
    return float(loss), backwards(model, contexts, seen, shares, hidden, surplus / len(targets))


def backwards(
    model: TinyModel,
    contexts: np.ndarray,
    seen: np.ndarray,
    shares: np.ndarray,
    hidden: np.ndarray,
    of_logits: np.ndarray,
) -> TinyModel:
    """Return the slopes of every number, given those of the logits, (places, ids): the network run from its end.

    >>> model, (contexts, _) = new_model(300), examples([[7, 8]])
    >>> seen, shares = looked_up(model, contexts)
    >>> float(backwards(model, contexts, seen, shares, hidden_numbers(model, seen), np.zeros((2, 300))).head.max())
    0.0
    """
    of_mixed = (of_logits @ model.head) * (1 - hidden**2)
    of_seen = of_mixed @ model.mixing.T
    width = model.embedding.shape[1]
    of_rows = np.concatenate([shares.T @ of_seen[:, WINDOW * width :], np.zeros((1, width))])
    np.add.at(of_rows, contexts[:, :WINDOW].ravel(), of_seen[:, : WINDOW * width].reshape(-1, width))
    return TinyModel(of_rows[:-1], seen.T @ of_mixed, of_mixed.sum(axis=0), of_logits.T @ hidden, of_logits.sum(axis=0))


def _must_have_rows(found: np.ndarray, ids: int, smallest: int) -> None:
    if not found.size:
        return
    if found.max() >= ids:
        lacking = int(found.max())
        raise InvalidTokenId(
            f"id {lacking} has no row in a model of {ids:,} ids. Give it one: extended(model, {lacking + 1 - ids})."
        )
    if found.min() < smallest:
        raise InvalidTokenId(f"{int(found.min())} is no id; ids begin with 0.")
