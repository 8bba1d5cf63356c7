"""Exercise 11.touched: the tokens that have a byte in a span."""

from itertools import accumulate

from minbpe_course.learning import Exercise, Mistake


def touched(tokens, first, last):
    """Return the tokens with at least one byte in the span from first to last - 1.

    A highlighter marks a span of the text, and asks for its tokens. A token touches the span if at least one of its
    bytes is in it.

    * **In:** `tokens`, a list of bytes, none empty; `first` and `last`, places in the joined bytes. The span ends
      *before* `last`. If they are equal, it is empty.
    * **Out:** the list of the tokens that touch it, in order.

    The tokens `ab`, `cd`, `e` have the bytes 0-1, 2-3 and 4, so `touched([b"ab", b"cd", b"e"], 1, 3)` is
    `[b"ab", b"cd"]`.
    """
    ends = accumulate(map(len, tokens))
    spans = ((token, end - len(token), end) for token, end in zip(tokens, ends))
    return [token for token, begin, end in spans if max(begin, first) < min(end, last)]


def by_bytes(tokens, first, last):
    """Look at each byte of the span, as an independent witness."""
    owners = [number for number, token in enumerate(tokens) for _ in token]
    return [tokens[number] for number in sorted({*owners[first:last]})]


PARTS, WHOLE, INSIDE, EMPTY = "parts of tokens", "whole tokens", "a span within a token", "an empty span"


def cases(random):
    yield EMPTY, [], 0, 0
    for size in range(2, 11):
        tokens = [bytes(random.choices(b"ab\xe2\x99", k=random.randint(1, 4))) for _ in range(size)]
        places = [0, *accumulate(map(len, tokens))]
        first, last = sorted(random.sample(range(places[-1] + 1), 2))
        yield PARTS, tokens, first, last
        yield WHOLE, tokens, *sorted(random.sample(places, 2))
        at = random.randrange(size)
        yield INSIDE, [*tokens[:at], b"abcd", *tokens[at:]], places[at] + 1, places[at] + random.randint(2, 3)
        yield EMPTY, tokens, first, first


EXERCISE = Exercise(
    "11.touched",
    "Which tokens does a span touch?",
    "write",
    answer=touched,
    wanted=by_bytes,
    minutes=8,
    hints=(
        "Where does each token begin, and where does it end? Draw a token and a span that overlap, in each way there "
        "is.",
        "Lesson 11, section 2: the picture has the characters above, the tokens below, both as wide as their bytes.",
        "add up the lengths: each token has a begin and an end; it touches the span if the larger of the two begins is "
        "smaller than the smaller of the two ends",
    ),
    shown=(
        (WHOLE, [b"ab", b"cd", b"e"], 2, 4),
        (PARTS, [b"ab", b"cd", b"e"], 1, 3),
        (INSIDE, [b"abcd"], 1, 2),
        (EMPTY, [b"ab", b"cd"], 2, 2),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "begins-inside",
            "A token that begins before the span may still have bytes in it.",
            like=("max(begin, first) < min(end, last)", "first <= begin < last"),
        ),
        Mistake(
            "wholly-inside",
            "One byte in the span is enough. The token need not lie in it as a whole.",
            like=("max(begin, first) < min(end, last)", "first <= begin and end <= last and first < last"),
        ),
        Mistake(
            "neighbors-too",
            "A token that ends where the span begins has no byte in it, and neither has one that begins at `last`.",
            like=("< min(end, last)", "<= min(end, last)"),
        ),
        Mistake(
            "empty-span",
            "An empty span has no bytes, so no token touches it.",
            like=("max(begin, first) < min(end, last)", "begin < max(last, first + 1) and first < end"),
        ),
    ),
)
