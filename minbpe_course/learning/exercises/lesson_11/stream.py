"""Exercise 11.stream: the text of tokens that arrive one by one."""

import codecs

from minbpe_course.learning import Exercise, Mistake

from .certain_text import certain_text


def stream(tokens):
    r"""Yield the new text after each token, and at last what is left.

    A token may end in the middle of a character. After each token, yield the text that is certain by now and has not
    been shown yet (it may be empty). When the tokens have ended, yield once more: bytes that still wait for the rest of
    a character become U+FFFD.

    * **In:** `tokens`, any iterable of bytes.
    * **Out:** yield one str for each token, and one at the end. Joined, they are what `.decode("utf-8",
      errors="replace")` makes of all bytes together.

    `list(stream([b"a\xe2", b"\x99\x9e"]))` is `["a", "♞", ""]`.

    ```
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    decoder.decode(b"a\xe2")               # "a": E2 waits
    decoder.decode(b"\x99\x9e")            # "♞"
    decoder.decode(b"", final=True)        # the end: bytes still waiting become U+FFFD
    ```
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for token in tokens:
        yield decoder.decode(token)
    yield decoder.decode(b"", final=True)


def by_hand(tokens):
    """Decode what is certain by hand, as an independent witness."""
    waiting, pieces = b"", []
    for token in tokens:
        text, waiting = certain_text(waiting + token)
        pieces.append(text)
    return [*pieces, waiting.decode("utf-8", "replace")]


def by_guess(tokens):
    """Show nothing new while the text ends in U+FFFD."""
    data, shown = b"", ""
    for token in tokens:
        data += token
        text = data.decode("utf-8", "replace")
        new = "" if text.endswith("\ufffd") else text[len(shown) :]
        shown += new
        yield new
    yield ""


WHOLE, CUT, BROKEN, SHORT = "whole characters", "characters in several tokens", "broken bytes", "a broken end"


def cases(random):
    def pieces(data):
        while data:
            size = random.randint(1, 3)
            yield data[:size]
            data = data[size:]

    yield WHOLE, []
    for size in range(1, 9):
        text = "".join(random.choices("aé♞中🙂 ", k=size))
        yield WHOLE, [letter.encode() for letter in text]
        yield CUT, [*pieces(("♞" + text + "🙂").encode())]
        yield BROKEN, [*pieces(text.encode() + random.choice([b"\xff", b"\x80", b"\xc3", b"\xe2\x99"]) + b"a\xff b")]
        yield SHORT, [*pieces(text.encode() + random.choice("♞🙂中").encode()[:-1])]


EXERCISE = Exercise(
    "11.stream",
    "Ids that arrive one by one",
    "write",
    answer=stream,
    wanted=by_hand,
    minutes=6,
    hints=(
        "A decoder remembers the bytes that wait. Who tells it that nothing more comes?",
        "Lesson 11, section 1: the incremental decoder, and its `final=True`.",
        "make one decoder, with errors='replace'; for each token: yield decoder.decode(token); after the loop, yield "
        "decoder.decode(b'', final=True)",
    ),
    shown=(
        (WHOLE, [b"a"]),
        (CUT, [b"a\xe2", b"\x99\x9e"]),
        (BROKEN, [b"\xff", b"b"]),
        (SHORT, [b"ab", b"\xe2\x99"]),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "each-by-itself",
            "A character may be spread over several tokens. One decoder has to see all of them.",
            like=lambda tokens: [*(token.decode("utf-8", "replace") for token in tokens), ""],
        ),
        Mistake(
            "without-the-end",
            "After the last token, some bytes may still wait: yield once more, with `final=True`.",
            like=('    yield decoder.decode(b"", final=True)', ""),
        ),
        Mistake(
            "by-guess",
            "U+FFFD at the end does not always mean that a character is on its way. Let the decoder decide.",
            like=by_guess,
        ),
        Mistake(
            "everything-again",
            "Yield only the new text, not everything so far.",
            like=lambda tokens: ["".join(by_hand(tokens)[:at]) for at in range(1, len(tokens) + 2)],
        ),
    ),
)
