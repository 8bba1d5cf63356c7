"""A language model that trains in two seconds, and operations on its vocabulary; NumPy and nothing else.

    contexts     the 48 ids before a place, the nearest first
    embedding    a row of 24 numbers for each id: the rows of the last 4, and the mean of all 48, make 120 numbers
    mixing       120 numbers become 64, squeezed by tanh
    head         a row of 64 numbers for each id, whose product with the 64 says how likely the id is

Two tables have a row for every id of the vocabulary, ``embedding`` and ``head`` (with ``head_bias``). Nothing else in
the model depends on the number of ids. So all operations on the vocabulary are one: new rows are means of old ones.

    extending       rebuilt(model, [[0], [1], ..., all_ids])     every old row, and the mean of all for a new id
    pruning         rebuilt(model, [[0], [1], [5], ...])         the rows of the ids that stay
    transplanting   rebuilt(model, [[72], [72, 101], ...])       for each token of another vocabulary, the mean of the
                                                                 rows of the old tokens that spell it

The gradients are written out by hand. Parameters are float64, so that three printed decimals are the same on every
machine. The seed determines every step of training: Adam (Kingma and Ba, 2015) with small batches.

Limits: a window and a mean, no attention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from minbpe_course.errors import InvalidOption, InvalidSource, InvalidTokenId

WINDOW = 4  # ids that are seen one by one
MEMORY = 48  # ids whose mean is seen; the window is the beginning of them
WIDTH = 24  # numbers in a row of the embedding
HIDDEN = 64  # numbers in a row of the head
NOTHING = -1  # the id in a context before the start of the text
VIEWS = WINDOW + 1
BATCH = 64  # places in a step of training
PLACES_AT_ONCE = 128  # when a loss is measured: few enough for the cache of a processor


Measured = TypeVar("Measured")


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
    """Return an untrained model for ``ids`` different ids.

    >>> round(float(new_model(300, seed=1).embedding.std()), 1)
    0.3
    """
    random = np.random.default_rng(seed)
    embedding = random.normal(0, 0.3, (ids, WIDTH))
    mixing = random.normal(0, 1 / np.sqrt(0.3 * VIEWS * WIDTH), (VIEWS * WIDTH, HIDDEN))
    return TinyModel(embedding, mixing, np.zeros(HIDDEN), random.normal(0, 0.1, (ids, HIDDEN)), np.zeros(ids))


def examples(documents: Iterable[Sequence[int]]) -> Examples:
    """Return every place of every document as an example; no context reaches over the beginning of its document.

    Raises InvalidSource for documents without ids.

    >>> found = examples([[7, 8, 9], [5]])
    >>> found.contexts[:, :3].tolist(), found.targets.tolist()
    ([[-1, -1, -1], [7, -1, -1], [8, 7, -1], [-1, -1, -1]], [7, 8, 9, 5])
    """
    lists = [np.asarray(document, dtype=np.int32) for document in documents]
    if not sum(map(len, lists)):
        raise InvalidSource("there is no id in these documents; give a list of lists of ids: examples([[7, 8, 9]]).")
    return Examples(np.concatenate([_contexts(ids) for ids in lists]), np.concatenate(lists))


def _contexts(ids: np.ndarray) -> np.ndarray:
    before = np.concatenate([np.full(MEMORY, NOTHING, dtype=np.int32), ids])
    return np.lib.stride_tricks.sliding_window_view(before, MEMORY)[: len(ids), ::-1]


class Run(NamedTuple):
    """The values that a network computes for some contexts: its input, the weights of the mean, the numbers of its
    hidden layer, and the logits.

    contexts (places, MEMORY), seen (places, VIEWS * WIDTH), weights (places, ids), hidden (places, HIDDEN),
    logits (places, ids)
    """

    contexts: np.ndarray
    seen: np.ndarray
    weights: np.ndarray
    hidden: np.ndarray
    logits: np.ndarray


def run(model: TinyModel, contexts: np.ndarray) -> Run:
    """Run the network. Raises InvalidTokenId for an id that has no row.

    >>> model = new_model(300)
    >>> found = run(model, examples([[7, 8, 8]]).contexts)
    >>> bool((found.seen[2, :WIDTH] == model.embedding[8]).all()), found.weights[2, 7:9].tolist()
    (True, [0.5, 0.5])
    """
    _must_have_rows(contexts, len(model.embedding), NOTHING)
    with_nothing = np.concatenate([model.embedding, np.zeros((1, model.embedding.shape[1]))])  # the row of NOTHING
    weights = _weights_of_mean(contexts, len(model.embedding))
    # Both are products with a matrix: of ones and zeros for the window, of weights for the mean. Indexing is faster for
    # the window, the product is faster for the mean.
    window = with_nothing[contexts[:, :WINDOW]].reshape(len(contexts), -1)
    seen = np.concatenate([window, weights @ model.embedding], axis=1)
    hidden = np.tanh(seen @ model.mixing + model.mixing_bias)
    return Run(contexts, seen, weights, hidden, hidden @ model.head.T + model.head_bias)


def _weights_of_mean(contexts: np.ndarray, ids: int) -> np.ndarray:
    """Return the weight of each id in the mean of each context, (places, ids); an empty context has only zeros."""
    there = contexts != NOTHING
    numbers = there.sum(axis=1)
    place = (np.arange(len(contexts))[:, None] * ids + contexts)[there]
    weight = np.repeat(1 / np.maximum(numbers, 1), numbers)
    return np.bincount(place, weight, minlength=len(contexts) * ids).reshape(len(contexts), ids)


def logits(model: TinyModel, contexts: np.ndarray) -> np.ndarray:
    """Return the logit of each id at each place, (places, ids).

    >>> logits(new_model(300), examples([[7, 8]]).contexts).shape
    (2, 300)
    """
    return run(model, contexts).logits


def log_probabilities(numbers: np.ndarray) -> np.ndarray:
    """Return the natural logarithm of softmax along the last axis.

    A constant that is added to a row changes nothing.

    >>> np.exp(log_probabilities(np.array([0.0, 0.0, np.log(2)]))).round(3).tolist()
    [0.25, 0.25, 0.5]
    """
    numbers = numbers - numbers.max(axis=-1, keepdims=True)
    return numbers - np.log(np.exp(numbers).sum(axis=-1, keepdims=True))


def loss_and_gradients(model: TinyModel, contexts: np.ndarray, targets: np.ndarray) -> tuple[float, TinyModel]:
    """Return the mean loss of the targets, in nats, and its gradient for all parameters.

    Raises InvalidTokenId for an id that has no row.

    >>> loss, slopes = loss_and_gradients(new_model(300), *examples([[7, 8, 9]]))
    >>> bool(abs(loss - np.log(300)) < 0.2), slopes.head.shape
    (True, (300, 64))
    """
    _must_have_rows(targets, len(model.head), 0)
    made = run(model, contexts)
    logarithms = log_probabilities(made.logits)
    at = np.arange(len(targets))
    loss = -logarithms[at, targets].mean()
    # The gradient of softmax and logarithm together: the prediction minus the target.
    surplus = np.exp(logarithms)
    surplus[at, targets] -= 1
    return float(loss), backwards(model, made, surplus / len(targets))


def backwards(model: TinyModel, made: Run, of_logits: np.ndarray) -> TinyModel:
    """Return the gradient of all parameters, given that of the logits, (places, ids)."""
    of_mixed = (of_logits @ model.head) * (1 - made.hidden**2)
    of_seen = of_mixed @ model.mixing.T
    width = model.embedding.shape[1]
    of_rows = np.concatenate([made.weights.T @ of_seen[:, WINDOW * width :], np.zeros((1, width))])
    window = made.contexts[:, :WINDOW].ravel()
    np.add.at(of_rows, window, of_seen[:, : WINDOW * width].reshape(-1, width))
    of_mixing, of_head = made.seen.T @ of_mixed, of_logits.T @ made.hidden
    return TinyModel(of_rows[:-1], of_mixing, of_mixed.sum(axis=0), of_head, of_logits.sum(axis=0))


def _must_have_rows(found: np.ndarray, ids: int, smallest: int) -> None:
    if not found.size:
        return
    if found.max() >= ids:
        lacking = int(found.max())
        raise InvalidTokenId(
            f"id {lacking} has no row in a model of {ids:,} ids. Give it one: extended(model, {lacking + 1 - ids})."
        )
    if found.min() < smallest:
        raise InvalidTokenId(f"{int(found.min())} is not an id; ids begin with 0.")


class Adam:
    """Adam's steps for a list of arrays: each number moves by about ``rate``, against the sign of its slope.

    >>> steps = Adam(0.1)
    >>> steps.changes([np.array([5.0])])[0].round(6).tolist()
    [-0.1]
    """

    def __init__(self, rate: float) -> None:
        self.rate, self.step = rate, 0
        self.means: list[np.ndarray] = []
        self.squares: list[np.ndarray] = []

    def changes(self, slopes: list[np.ndarray], part: float = 1.0) -> list[np.ndarray]:
        """Return what to add to each array; ``part`` scales the rate of this step."""
        if not self.step:
            self.means = [np.zeros_like(slope) for slope in slopes]
            self.squares = [np.zeros_like(slope) for slope in slopes]
        self.step += 1
        found = []
        # In place, because new arrays would cost more time than the arithmetic.
        for slope, mean, square in zip(slopes, self.means, self.squares):
            mean *= 0.9
            mean += 0.1 * slope
            square *= 0.99
            square += 0.01 * slope**2
            size = np.sqrt(square)
            size *= (1 - 0.99**self.step) ** -0.5
            size += 1e-8
            np.divide(mean, size, out=size)
            size *= -self.rate * part / (1 - 0.9**self.step)
            found.append(size)
        return found


def training_steps(
    model: TinyModel,
    data: Examples,
    steps: int,
    *,
    rate: float = 0.01,
    seed: int = 0,
    only: Mapping[str, Any] | None = None,
    slowing: bool = True,
) -> Iterator[tuple[float, TinyModel]]:
    """Yield, batch by batch, its loss in nats and the model after the step; the model given stays as it is.

    The arrays that are yielded keep changing: measure at once, or copy them.

    only : which numbers may change, by the name of their array: an index, a slice, or ... for all of it. By
        default everything may change.
    slowing : whether the rate falls to nothing towards the last step.

    >>> first, *_, last = [loss for loss, _ in training_steps(new_model(300), examples([[7, 8, 9]]), 20)]
    >>> 5 < first < 6 and last < first / 2
    True
    """
    chosen = dict.fromkeys(model._fields, ...) if only is None else only
    numbers = {name: getattr(model, name).copy() if name in chosen else getattr(model, name) for name in model._fields}
    model = TinyModel(**numbers)
    random, adam = np.random.default_rng(seed), Adam(rate)
    for step in range(steps):
        picked = random.integers(0, len(data.targets), BATCH)
        loss, slopes = loss_and_gradients(model, data.contexts[picked], data.targets[picked])
        part = 1 - step / steps if slowing else 1.0
        changes = adam.changes([getattr(slopes, name)[where] for name, where in chosen.items()], part)
        for (name, where), change in zip(chosen.items(), changes):
            getattr(model, name)[where] += change
        yield loss, model


def trained(model: TinyModel, data: Examples, steps: int, **more: Any) -> TinyModel:
    """Return the model after ``steps`` batches; the arguments are those of ``training_steps``.

    >>> old = new_model(300)
    >>> new = trained(old, examples([[7, 8, 9]]), 2, only={"head": [7]})
    >>> bool((new.head[8] == old.head[8]).all()), bool((new.head[7] == old.head[7]).any())
    (True, False)
    """
    last = model
    for _, changing in training_steps(model, data, steps, **more):
        last = changing
    return last


def followed(
    model: TinyModel, data: Examples, at: Sequence[int], measure: Callable[[TinyModel], Measured], **more: Any
) -> tuple[TinyModel, list[Measured]]:
    """Train for as many batches as the last number of ``at``; return the model, and the measurement at each of them.

    at : numbers of batches, ascending; 0 is before the first. The other arguments are those of ``training_steps``.

    >>> data = examples([[7, 8, 9]])
    >>> _, (before, after) = followed(new_model(300), data, [0, 20], lambda model: bits(model, data).mean())
    >>> bool(before > 2 * after)
    True
    """
    found = [measure(model)] if 0 in at else []
    last = model
    for step, (_, changing) in enumerate(training_steps(model, data, max(at), **more), start=1):
        last = changing
        if step in at:
            found.append(measure(changing))
    return last, found


def bits(model: TinyModel, data: Examples) -> np.ndarray:
    """Return the loss of every target in bits, (places,).

    >>> bits(new_model(256), examples([[1, 2]])).round().tolist()
    [8.0, 8.0]
    """
    found = []
    for start in range(0, len(data.targets), PLACES_AT_ONCE):
        part = slice(start, start + PLACES_AT_ONCE)
        numbers = logits(model, data.contexts[part])
        numbers -= numbers.max(axis=1, keepdims=True)
        right = numbers[np.arange(len(numbers)), data.targets[part]]
        # In place: new arrays would take longer than the arithmetic.
        found.append((np.log(np.exp(numbers, out=numbers).sum(axis=1)) - right) / np.log(2))
    return np.concatenate(found)


def bits_per_byte(model: TinyModel, data: Examples, number_of_bytes: int) -> float:
    """Return the loss of all targets together, in bits, divided by the bytes of the text that they spell.

    >>> round(bits_per_byte(new_model(256), examples([[1, 2]]), 2))
    8
    """
    return float(bits(model, data).sum() / number_of_bytes)


def rebuilt(model: TinyModel, sources: Sequence[Sequence[int]]) -> TinyModel:
    """Return a model with one row in each table for each of ``sources``: the mean of the old rows that it names.

    A source with a single id gives an exact copy. Raises InvalidTokenId for an id without a row, and
    InvalidOption for an empty source.

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


def spelled(token: bytes, ids: Mapping[bytes, int]) -> list[int]:
    """Return the ids that spell a token, from left to right, always the longest that fits.

    ids : token -> id. Raises InvalidOption if they cannot spell the token; with all 256 bytes they can.

    >>> spelled(b"abb", {b"a": 0, b"b": 1, b"ab": 2})
    [2, 1]
    """
    found, at = [], 0
    while at < len(token):
        end = next((end for end in range(len(token), at, -1) if token[at:end] in ids), at)
        if end == at:
            raise InvalidOption(f"no token of these begins with {token[at : at + 1]!r}; add the single bytes.")
        found.append(ids[token[at:end]])
        at = end
    return found


def extended(model: TinyModel, number: int = 1, *, like: Sequence[Sequence[int]] | None = None) -> TinyModel:
    """Return the model with more rows: the mean of all old ones, or the mean of those that ``like`` names for each.

    >>> old = new_model(300)
    >>> extended(old, 2).head.shape, extended(old, like=[[34], [34]]).head.shape
    ((302, 64), (302, 64))
    """
    all_ids = range(len(model.head))
    return rebuilt(model, [*([token_id] for token_id in all_ids), *(like or [all_ids] * number)])


def with_random_rows(model: TinyModel, number: int, spread: float, seed: int) -> TinyModel:
    """Return the model with more rows, drawn around zero: ``spread`` is their standard deviation, the bias is zero.

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


def around(model: TinyModel, token_id: int, contexts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what the hidden layer is, as a function of one row of the embedding: tanh(others + row @ weights).

    others (places, HIDDEN), weights (places, WIDTH, HIDDEN)

    >>> model, contexts = new_model(300), examples([[7, 8, 7, 9]]).contexts
    >>> others, weights = around(model, 7, contexts)
    >>> bool(np.allclose(np.tanh(others + model.embedding[7] @ weights), run(model, contexts).hidden))
    True
    """
    width = model.embedding.shape[1]
    mean = _weights_of_mean(contexts, len(model.embedding))[:, token_id, None]
    seen = np.concatenate([contexts[:, :WINDOW] == token_id, mean], axis=1)  # (places, VIEWS)
    weights = np.tensordot(seen, model.mixing.reshape(VIEWS, width, -1), axes=1)
    inside = run(model, contexts).seen @ model.mixing + model.mixing_bias
    return inside - model.embedding[token_id] @ weights, weights


def learned_gist(
    model: TinyModel, gist: int, with_prompt: np.ndarray, with_gist: np.ndarray, steps: int = 60, rate: float = 0.1
) -> TinyModel:
    """Return the model with another row for the id ``gist`` in the embedding, and nothing else changed.

    This is prompt tuning (Lester et al., 2021) by distillation (Snell et al., 2022): the row is trained so that the
    predictions after ``with_gist`` come close to those after ``with_prompt``. Both are contexts of the same places; in
    the one, a single id replaces the prompt of the other.

    >>> old = new_model(300)
    >>> long, short = examples([[7, 8, 9, 1, 2]]).contexts[3:], examples([[299, 1, 2]]).contexts[1:]
    >>> new = learned_gist(old, 299, long, short, steps=2)
    >>> np.flatnonzero((new.embedding != old.embedding).any(axis=1)).tolist(), new.head is old.head
    ([299], True)
    """
    wanted = np.exp(log_probabilities(logits(model, with_prompt)))
    adam = Adam(rate)
    model = model._replace(embedding=model.embedding.copy())
    for _ in range(steps):
        made = run(model, with_gist)
        surplus = np.exp(log_probabilities(made.logits)) - wanted
        slopes = backwards(model, made, surplus / len(wanted))
        (change,) = adam.changes([slopes.embedding[gist]])
        model.embedding[gist] += change
    return model


def lost_bits(model: TinyModel, wanted: np.ndarray, got: np.ndarray) -> np.ndarray:
    """Return for each place how many bits are lost by predicting from the contexts ``got`` instead of ``wanted``.

    This is the Kullback-Leibler divergence: zero if both predictions are the same.

    >>> contexts = examples([[7, 8]]).contexts
    >>> lost_bits(new_model(300), contexts, contexts).tolist()
    [0.0, 0.0]
    """
    true, said = log_probabilities(logits(model, wanted)), log_probabilities(logits(model, got))
    return (np.exp(true) * (true - said)).sum(axis=1) / np.log(2)


def examples_after(prompt: Sequence[int], documents: Sequence[Sequence[int]]) -> Examples:
    """Return the places of the documents, each after ``prompt``; the places of the prompt are left out.

    >>> found = examples_after([5, 6], [[1, 2]])
    >>> found.contexts[:, :4].tolist(), found.targets.tolist()
    ([[6, 5, -1, -1], [1, 6, 5, -1]], [1, 2])
    """
    parts = [examples([[*prompt, *document]]) for document in documents]
    cut = len(prompt)
    return Examples(
        np.concatenate([part.contexts[cut:] for part in parts]), np.concatenate([part.targets[cut:] for part in parts])
    )
