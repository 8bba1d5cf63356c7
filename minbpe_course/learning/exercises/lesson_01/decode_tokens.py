"""Exercise 01.decode_tokens: turn tokens, which are bytes, into text."""

import codecs

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import BROKEN, draw_broken, draw_text


def decode_tokens(tokens):
    """Return the text of a list of tokens; bytes that are not UTF-8 become U+FFFD.

    * **In:** `tokens`, a list of bytes objects. A character may be spread over several of them.
    * **Out:** the text (str). Each error in the bytes becomes `U+FFFD`, as `errors="replace"` does it.

    ```
    decode_tokens([b"caf", b"\\xc3", b"\\xa9!"])  ->  "café!"
    decode_tokens([b"caf", b"\\xc3"])            ->  "caf\\ufffd"
    ```

    Tried: characters that are cut once, twice and three times, bytes that are not UTF-8, and no tokens.
    """
    return b"".join(tokens).decode("utf-8", errors="replace")


def torn(random, data, cuts):
    """Return bytes in pieces, cut at random places."""
    places = [0, *sorted(random.choices(range(len(data) + 1), k=cuts)), len(data)]
    return [data[start:stop] for start, stop in zip(places, places[1:]) if start < stop]


def cases(random):
    yield "no tokens", []
    for length in range(1, 8):
        yield "whole characters", [draw_text(random, 1).encode("utf-8") for _ in range(length)]
        for size in "234":
            data = draw_text(random, length, size).encode("utf-8")
            yield f"single bytes of characters of {size} bytes", [bytes([byte]) for byte in data]
        yield "cut anywhere", torn(random, draw_text(random, 2 * length, "234").encode("utf-8"), length)
    for category in BROKEN:
        yield category, torn(random, draw_broken(random, category), 2)


def one_by_one(tokens):
    """Decode each token by itself."""
    return "".join(token.decode("utf-8", errors="replace") for token in tokens)


def in_a_stream(tokens):
    """Decode with Python's incremental decoder, which remembers an unfinished character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return "".join(map(decoder.decode, tokens)) + decoder.decode(b"", True)


EXERCISE = Exercise(
    "01.decode_tokens",
    "Join, then decode",
    "write",
    answer=decode_tokens,
    difficulty=1,
    minutes=3,
    points=1,
    hints=(
        "In what order must you do two things: turn bytes into text, and put the parts together?",
        "Lesson 01, section 3: which bytes belong to the drum, and in which tokens are they?",
        'join the tokens with b"".join(...); decode the result once, as UTF-8, with errors="replace"',
    ),
    wanted=in_a_stream,
    shown=(
        ("whole characters", [b"caf", b"\xc3\xa9"]),
        ("cut anywhere", [b"caf", b"\xc3", b"\xa9!"]),
        ("a character that is cut off", [b"caf", b"\xc3"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "one-by-one",
            "You decode each token by itself, so a character that is spread over two tokens is broken in both.",
            like=one_by_one,
        ),
        Mistake(
            "one-by-one-ignoring",
            "You decode each token by itself, and drop the parts of characters. Join the bytes first.",
            like=lambda tokens: "".join(token.decode("utf-8", errors="ignore") for token in tokens),
        ),
        Mistake(
            "drops-what-is-broken",
            'Broken bytes vanish from your text. A reader has to see that something was there: errors="replace".',
            like=('"replace"', '"ignore"'),
        ),
        Mistake(
            "with-spaces",
            'There is something between your tokens that is not in them. Join them with b"", which is empty.',
            like=('b""', 'b" "'),
        ),
        Mistake(
            "bytes-for-characters",
            "You make one character of each byte, which is Latin-1. Decode as UTF-8.",
            like=lambda tokens: b"".join(tokens).decode("latin-1"),
        ),
        Mistake(
            "no-text",
            "These are the right bytes, joined. Now decode them.",
            when=lambda case, outcome, wanted: outcome.value == b"".join(case.args[0]),
            like=lambda tokens: b"".join(tokens),
        ),
        Mistake(
            "refuses",
            'Your code raises an error for bytes that are not UTF-8. Write U+FFFD instead: errors="replace".',
            when=lambda case, outcome, wanted: outcome.error == "UnicodeDecodeError",
            like=('"replace"', '"strict"'),
        ),
    ),
)
