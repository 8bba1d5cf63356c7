"""Training, and the loss that can be compared between vocabularies.

Adam (Kingma and Ba, 2015) with small batches. Every step is decided by the seed. ``only`` freezes: the numbers outside
it are the very same ones afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minbpe_course.reference.tiny_model.network import Examples, TinyModel, log_shares, logits, loss_and_gradients

BATCH = 64
PLACES_AT_ONCE = 512  # when a loss is measured; only memory depends on it


class Adam:
    """Steps for a row of arrays: each number moves by about ``rate``, against the sign of its slope.

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

    only : which numbers may change, by the name of their array: an index, a slice, or ... for all of it. Everything
        may, when nothing is said.
    slowing : whether the rate falls to nothing towards the last step.

    >>> from minbpe_course.reference.tiny_model.network import examples, new_model
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

    >>> from minbpe_course.reference.tiny_model.network import examples, new_model
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
    model: TinyModel, data: Examples, at: Sequence[int], measure: Callable[[TinyModel], float], **more: Any
) -> tuple[TinyModel, list[float]]:
    """Train for as many batches as the last number of ``at``; return the model, and what was measured at each of them.

    at : numbers of batches, ascending; 0 is before the first. The other arguments are those of ``training_steps``.

    >>> from minbpe_course.reference.tiny_model.network import examples, new_model
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
    """Return the surprise of every target in bits, (places,).

    >>> from minbpe_course.reference.tiny_model.network import examples, new_model
    >>> bits(new_model(256), examples([[1, 2]])).round().tolist()
    [8.0, 8.0]
    """
    found = []
    for start in range(0, len(data.targets), PLACES_AT_ONCE):
        part = slice(start, start + PLACES_AT_ONCE)
        surprise = -log_shares(logits(model, data.contexts[part])) / np.log(2)
        found.append(surprise[np.arange(len(surprise)), data.targets[part]])
    return np.concatenate(found)


def bits_per_byte(model: TinyModel, data: Examples, number_of_bytes: int) -> float:
    """Return the surprise of all targets together, in bits, divided by the bytes of the text that they spell.

    >>> from minbpe_course.reference.tiny_model.network import examples, new_model
    >>> round(bits_per_byte(new_model(256), examples([[1, 2]]), 2))
    8
    """
    return float(bits(model, data).sum() / number_of_bytes)
