"""Exercise 17.byte_loss: bits per byte, from the probabilities of the right tokens."""

import math

from minbpe_course.learning import Exercise, Mistake


def byte_loss(probabilities, text):
    """Return the surprise at all the tokens together, in bits per byte of the text.

    A model has read a text. Before each token, it gave every token of its vocabulary a probability. You get that of the
    token that really came: 1 if the model was certain, less if it was surprised. A token of probability 1/8 costs three
    bits, because 8 is 2 to the power of 3. What does the text cost in bits per byte?

    * **In:** `probabilities`, a list of numbers above 0 and at most 1, one for each token; `text`, the str that the
      tokens spell, not empty.
    * **Out:** a number.

    `byte_loss([0.5, 0.125], "low!")` is `1.0`: one bit and three bits, for four bytes. One line is missing. It has to
    work for a text of hundreds of tokens, too.
    """
    size = len(text.encode("utf-8"))
    ### BEGIN SOLUTION
    return -sum(map(math.log2, probabilities)) / size
    ### INSTEAD
    # return ...
    ### END SOLUTION


SHORT, LONG = "a few tokens", "hundreds of tokens"


def loss_cases(random):
    """Yield probabilities of tokens, and the text that they spell."""
    yield "tokens that were certain", [1.0, 1.0, 1.0], "certain"
    for number in range(2, 9):
        text = random.choice(("lower and lower", "naïve", "中文", "♞ takes")) * number
        yield SHORT, random.choices((1.0, 0.5, 0.25, 0.9, 0.3, 0.01), k=number) + [0.2], text
        yield LONG, [random.uniform(0.01, 0.1) for _ in range(400)], text


SUM = "sum(map(math.log2, probabilities))"

EXERCISE = Exercise(
    "17.byte_loss",
    "From probabilities to bits",
    "fill",
    answer=byte_loss,
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "A token of probability 1/2 costs one bit, and one of probability 1/8 costs three. What does one of 0.3 cost?",
        "Lesson 17, on bits per byte: the bits of the whole text, and what they are divided by.",
        "add up -log2(probability) for all tokens; divide the sum by the size",
    ),
    shown=(
        (SHORT, [0.5, 0.125], "low!"),
        (SHORT, [0.25, 0.5], "é♞"),
        (LONG, [0.01] * 400, "low" * 200),
    ),
    drawn=loss_cases,
    mistakes=(
        Mistake(
            "per-token",
            "That is a mean over tokens, which cannot compare two vocabularies. What is there the same number of under "
            "every vocabulary?",
            like=(" / size", " / len(probabilities)"),
        ),
        Mistake(
            "whole-text",
            "These are the bits of the whole text. How many bytes are they spread over?",
            like=(" / size", ""),
        ),
        Mistake(
            "nats",
            "This is the natural logarithm; bits need the logarithm to base 2.",
            like=("math.log2", "math.log"),
        ),
        Mistake(
            "negative",
            "A probability is at most 1, so its logarithm is at most 0. A surprise is not negative.",
            like=("-sum", "sum"),
        ),
        Mistake(
            "underflow",
            "The product of hundreds of probabilities is so small that a float rounds it to 0. Add logarithms instead.",
            like=(SUM, "math.log2(math.prod(probabilities))"),
        ),
        Mistake(
            "of-the-mean",
            "The surprise at the mean probability is not the mean surprise. Take the logarithm of each probability.",
            like=(SUM, "math.log2(sum(probabilities) / len(probabilities)) * len(probabilities)"),
        ),
    ),
)
