"""Exercise 15.equal_context: what a model is given before each token, in bytes."""

from minbpe_course.learning import Exercise, Mistake


def equal_context(tokens, width):
    """Return the bytes before each token, at most ``width`` of them.

    A model that is given the last two tokens is given two bytes by one vocabulary, and twelve by another. Give every
    vocabulary the same: the last `width` bytes before the token, no matter where tokens begin in them.

    * **In:** `tokens`, a list of bytes, the tokens of a text; `width`, an int, 0 or more.
    * **Out:** a list of bytes, one for each token: what comes right before it. Near the beginning of the text there are
      fewer than `width`.

    `equal_context([b"lo", b"wer", b" "], 3)` is `[b"", b"lo", b"wer"]`, and with a width of 4 its last item is
    `b"ower"`. The text may have a hundred thousand tokens.
    """
    before, contexts = b"", []
    for token in tokens:
        contexts.append(before)
        before += token
        before = before[max(0, len(before) - width) :]
    return contexts


def by_slices(tokens, width):
    """Return the same from the whole text: the witness."""
    data, at, contexts = b"".join(tokens), 0, []
    for token in tokens:
        contexts.append(data[max(0, at - width) : at])
        at += len(token)
    return contexts


def whole_tokens(tokens, width):
    """Return the last tokens that fit into the width, each whole."""
    contexts = []
    for at in range(len(tokens)):
        before = b""
        for token in reversed(tokens[:at]):
            if len(token + before) > width:
                break
            before = token + before
        contexts.append(before)
    return contexts


INSIDE, SHORT, NONE = "a context that begins inside a token", "tokens shorter than the width", "no context"


def cases(random):
    for size in range(2, 8):
        short = [bytes(random.choices(b"abc ", k=random.randint(1, 2))) for _ in range(2 * size)]
        long = [bytes(random.choices(b"abc \xc3\xa9", k=random.randint(2, 6))) for _ in range(size + 2)]
        yield SHORT, short, size
        yield INSIDE, long, random.randint(2, 5)
        yield NONE, long, 0
    yield SHORT, [], 4


EXERCISE = Exercise(
    "15.equal_context",
    "The same context for every vocabulary",
    "write",
    answer=equal_context,
    minutes=6,
    hints=(
        "Walk through the tokens, and keep the bytes that came before. When do you note them, and when do you add the "
        "token to them?",
        "Lesson 15, on the context in bytes: it may begin in the middle of a token.",
        "before = b''; for each token: append before to the result, add the token to before, and keep the last width "
        "bytes of it, before[max(0, len(before) - width):]",
    ),
    wanted=by_slices,
    shown=(
        (SHORT, [b"lo", b"w"], 4),
        (INSIDE, [b"lo", b"wer", b" "], 3),
        (INSIDE, [b"lower", b"low"], 2),
        (NONE, [b"lo", b"wer"], 0),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "nothing-from-the-end",
            "With a width of 0 there is no context. `before[-0:]` is everything, because -0 is 0.",
            like=("max(0, len(before) - width)", "-width"),
        ),
        Mistake(
            "whole-tokens",
            "A context may begin inside a token. Count bytes, not tokens: with whole tokens, long ones don't fit.",
            like=whole_tokens,
        ),
        Mistake(
            "with-the-token",
            "Your context contains the token that the model has to predict.",
            like=lambda tokens, width: by_slices([*tokens, b""], width)[1:],
        ),
        Mistake(
            "counts-tokens",
            "That is the last tokens, as many as `width` says. `width` counts bytes.",
            like=lambda tokens, width: [b"".join(tokens[max(0, at - width) : at]) for at in range(len(tokens))],
        ),
    ),
)
