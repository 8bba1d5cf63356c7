"""Exercise 17.gist_gradient: the slope of a distillation loss, for the one row that may change."""

import numpy as np

from minbpe_course.learning import Exercise, Mistake


def gist_gradient(row, others, weights, head, bias, wanted):
    """Return the gradient of the loss: how it grows with each number of the gist token's row.

    A frozen model reads a gist token in place of a prompt. Only the `row` of that token may change. The first lines
    below compute the model's prediction `got` at each place. `wanted` is its prediction after the prompt. The loss is
    the divergence of Kullback and Leibler of `got` from `wanted`, in nats, **averaged over the places**. How does it
    change with `row`? Go back through the three steps of the model, from the last to the first:

    1. For one place, the slope of the loss for the logits is `got - wanted`.
    2. `logits` is `hidden` times `head.T`, so the slope for `hidden` is the slope for the logits times `head`. The
       slope of `tanh` is `1 - hidden**2`.
    3. The sum inside `tanh` contains `row @ weights[place]`. So the slope for `row` is `weights[place]` times the slope
       for that sum.

    * **In:** `row`, a list of numbers; `others`, for each place what the other ids add to the sum inside `tanh`;
      `weights`, for each place a matrix; `head` and `bias`; `wanted`, for each place the probability of each id.
    * **Out:** a list of numbers, as many as `row` has.

    With one number in the row, one place and two ids, equally likely after the gist token, and `wanted` `[1.0, 0.0]`:
    `gist_gradient([0.0], [[0.0]], [[[2.0]]], [[1.0], [-1.0]], [0.0, 0.0], [[1.0, 0.0]])` is `[-2.0]`. A larger number
    makes the first id likelier, so the loss falls.
    """
    row, others, weights, head = map(np.array, (row, others, weights, head))
    bias, wanted = np.array(bias), np.array(wanted)
    hidden = np.tanh(others + row @ weights)  # (places, numbers inside the model)
    logits = hidden @ head.T + bias  # (places, ids)
    got = np.exp(logits - logits.max(axis=1, keepdims=True))
    got /= got.sum(axis=1, keepdims=True)
    ### BEGIN SOLUTION
    of_logits = (got - wanted) / len(wanted)
    of_sum = (of_logits @ head) * (1 - hidden**2)
    slopes = weights @ of_sum[:, :, None]  # (places, numbers in the row, 1)
    return slopes.sum(axis=0)[:, 0].tolist()
    ### END SOLUTION


ONE, SEVERAL, AGREES = "one place", "several places", "a prediction that is right already"


def cases(random):
    for size in range(2, 8):
        for category, places in (ONE, 1), (SEVERAL, size), (AGREES, 1):
            yield category, *_drawn(random, places, 1 + size // 2, category == AGREES)


def _drawn(random, places, width, agrees):
    luck = np.random.default_rng(random.randrange(10**6))
    row, others = luck.normal(size=width), luck.normal(size=(places, 3))
    weights, head, bias = luck.normal(size=(places, width, 3)), luck.normal(size=(4, 3)), luck.normal(size=4)
    logits = np.tanh(others + row @ weights) @ head.T + bias if agrees else luck.normal(size=(places, 4))
    wanted = np.exp(logits)
    wanted /= wanted.sum(axis=1, keepdims=True)
    return [each.tolist() for each in (row, others, weights, head, bias, wanted)]


EXERCISE = Exercise(
    "17.gist_gradient",
    "The slope of one row",
    "fill",
    answer=gist_gradient,
    difficulty=4,
    minutes=15,
    points=3,
    hints=(
        "Write a line for each of the three steps, and look at the shape of each result: it has a row for each place.",
        "Lesson 17, on the gist token: the loss, and what it is averaged over.",
        "of_logits is got minus wanted, divided by the number of places; of_sum is of_logits @ head, times 1 - "
        "hidden**2; then add weights[place] @ of_sum[place] for all places",
    ),
    shown=(
        (ONE, [0.0], [[0.0]], [[[2.0]]], [[1.0], [-1.0]], [0.0, 0.0], [[1.0, 0.0]]),
        (ONE, [0.5], [[0.25]], [[[2.0]]], [[1.0], [-1.0]], [0.0, 0.5], [[0.25, 0.75]]),
        (SEVERAL, [0.0], [[0.0], [1.0]], [[[2.0]], [[1.0]]], [[1.0], [-1.0]], [0.0, 0.0], [[1.0, 0.0], [0.5, 0.5]]),
        (AGREES, [0.0], [[0.0]], [[[2.0]]], [[1.0], [-1.0]], [0.0, 0.0], [[0.5, 0.5]]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "other-sign",
            "The sign is wrong: this row would move away from what is wanted. The slope is `got - wanted`.",
            like=("got - wanted", "wanted - got"),
        ),
        Mistake(
            "not-a-mean",
            "The loss is averaged over the places, so its slope is, too. Yours is a sum.",
            like=(" / len(wanted)", ""),
        ),
        Mistake(
            "through-tanh",
            "`tanh` changes the slope, too: multiply by `1 - hidden**2`.",
            like=(" * (1 - hidden**2)", ""),
        ),
        Mistake(
            "likeliest-id",
            "You train towards the likeliest id alone. The target is the whole prediction, all probabilities of it.",
            like=("(got - wanted)", "(got - (wanted == wanted.max(axis=1, keepdims=True)))"),
        ),
    ),
)
