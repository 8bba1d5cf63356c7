"""Exercise 17.byte_loss: bits per byte, from the probabilities of the right tokens."""

from math import log, log2

from minbpe_course.learning.judge.exercise import Exercise, Mistake


def byte_loss(shares, text):
    """Return the surprise at all the tokens together, in bits per byte of the text.

    A model has read a text. For each token it read, it had predicted a *share*, the probability of exactly this token:
    1 if the model was certain, less if it was surprised. What does the text cost in bits per byte?

    * **In:** `shares`, a list of numbers above 0 and at most 1, and `text`, the str that the tokens spell, not empty.
    * **Out:** a number.

    `byte_loss([0.5, 0.125], "low!")` is `1.0`: one bit and three bits, for four bytes. One line is missing.
    """
    all_bits = sum(-log2(share) for share in shares)
    ### BEGIN SOLUTION
    return all_bits / len(text.encode("utf-8"))
    ### INSTEAD
    # return ...
    ### END SOLUTION


SHARES = (1.0, 0.5, 0.25, 0.125, 0.9, 0.3, 0.01)


def loss_cases(random):
    """Yield shares of tokens, and the text that they spell."""
    for number in range(1, 9):
        text = random.choice(("low", "lower and lower", "the same text")) * number
        yield "a text in ASCII", [*random.choices(SHARES, k=number), 0.2], text
        text = random.choice(("naïve", "Ωmega", "中文", "♞ takes")) * number
        yield "characters of several bytes", random.choices(SHARES[1:], k=number), text
    yield "tokens that were certain", [1.0, 1.0, 1.0], "certain"


EXERCISE = Exercise(
    key="17.byte_loss",
    answer=byte_loss,
    title="Bits per byte",
    kind="fill",
    difficulty=1,
    minutes=5,
    points=1,
    hints=(
        "A token with the share 1/2 costs one bit, and one with 1/8 costs three. Over which bytes is the cost spread?",
        "add up -log2(share) for all tokens; divide by the number of bytes of the text in UTF-8",
        "Lesson 17, on bits per byte: the bits of the whole text, and what they are divided by.",
    ),
    shown=(("a text in ASCII", [0.5, 0.125], "low!"), ("characters of several bytes", [0.25, 0.5], "é♞")),
    drawn=loss_cases,
    mistakes=(
        Mistake(
            "per-token",
            "That is a mean over tokens, which cannot compare two vocabularies. What is there the same number of "
            "under every vocabulary?",
            like=('text.encode("utf-8")', "shares"),
        ),
        Mistake(
            "per-character",
            "These are bits per character. `é` is one character and two bytes.",
            like=('.encode("utf-8")', ""),
        ),
        Mistake(
            "nats",
            "This is the natural logarithm; bits need the logarithm to base 2.",
            like=lambda shares, text: byte_loss(shares, text) * log(2),
        ),
        Mistake(
            "negative",
            "A share is at most 1, so its logarithm is at most 0. A surprise is not negative.",
            like=lambda shares, text: -byte_loss(shares, text),
        ),
    ),
)
