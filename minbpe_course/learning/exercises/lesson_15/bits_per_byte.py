"""Exercise 15.bits_per_byte: the losses of a text in bits, divided by its bytes."""

import math

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_15.bytes_per_token import ALPHABETS


def bits_per_byte(losses, text):
    """Return the loss of the whole text in bits per byte.

    A model reports its loss for each token, in nats (natural logarithms). The function below turns the losses of a text
    into bits per byte, a number that you can compare across tokenizers. On English it is right. A colleague measures
    Russian with it, and finds that his model is twice as bad as everyone else's.

    Repair it.

    * **In:** `losses`, a list of numbers, one for each token; `text`, the whole text (str), not empty.
    * **Out:** a number.

    `bits_per_byte([2.0, 1.5], "rain")` is `3.5 / log(2) / 4`, about 1.262.
    """
    ### BEGIN SOLUTION
    size = len(text.encode("utf-8"))
    return math.fsum(losses) / (size * math.log(2))
    ### INSTEAD
    # bits = sum(losses) / math.log(2)
    # return bits / len(text)
    ### END SOLUTION


def _loss_cases(random):
    for number in range(2, 9):
        for category, alphabet in (("ASCII", ALPHABETS[0]), ("other letters", random.choice(ALPHABETS[1:]))):
            text = alphabet[-1] + "".join(random.choices(alphabet, k=3 * number))
            losses = [round(random.expovariate(0.4), 3) for _ in range(random.randint(1, len(text) - 1))]
            yield category, losses, text


EXERCISE = Exercise(
    "15.bits_per_byte",
    "A loss in the wrong unit",
    "repair",
    answer=bits_per_byte,
    hints=(
        "For which of the two texts shown is the function right? What did it count in the other one?",
        "Lesson 15, on what the model loses: the unit that no tokenizer can change. Lesson 01: bytes and characters.",
        "the losses added up, divided by the logarithm of 2, divided by the number of bytes in UTF-8",
    ),
    shown=(("ASCII", [2.0, 1.5], "rain"), ("other letters", [2.0, 1.5], "дождь")),
    drawn=_loss_cases,
    mistakes=(
        Mistake(
            "per-token",
            "That is a loss per token, in bits. Another tokenizer would have another number of tokens.",
            like=('len(text.encode("utf-8"))', "len(losses)"),
        ),
        Mistake(
            "nats",
            "Those are nats: natural logarithms. A bit is a factor of 2.",
            like=("(size * math.log(2))", "size"),
        ),
        Mistake(
            "multiplied",
            "A nat is more than a bit. So should the number in bits be larger or smaller?",
            like=("/ (size * math.log(2))", "/ size * math.log(2)"),
        ),
        Mistake(
            "log-of-the-sum",
            "The losses are logarithms already. Another unit needs a factor, not another logarithm.",
            like=("math.fsum(losses) / (size * math.log(2))", "math.log2(math.fsum(losses)) / size"),
        ),
        Mistake(
            "mean-loss",
            "The loss of the whole text is wanted: the sum of the losses, not their mean.",
            like=("math.fsum(losses)", "math.fsum(losses) / len(losses)"),
        ),
    ),
)
