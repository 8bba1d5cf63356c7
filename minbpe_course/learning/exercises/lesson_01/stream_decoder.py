"""Exercise 01.stream_decoder: decode UTF-8 that arrives in chunks."""

from minbpe_course.learning import Case, Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import BROKEN, FIRST_BYTES, SECOND_BYTES, draw_broken, draw_text
from minbpe_course.learning.exercises.lesson_01.utf8_decode import utf8_decode


class StreamDecoder:
    r"""Decode UTF-8 that arrives in chunks.

    An answer arrives in chunks, cut wherever the network happened to cut it. Show every certain character immediately,
    and hold back the bytes that may still become one.

    * `StreamDecoder()` begins a stream.
    * `feed(chunk)` takes bytes and returns all the text (str) that no later byte can change.
    * `pending()` returns the bytes that are held back because they may still become a character, three at most.
    * `finish()` ends the stream. It returns the text of the bytes held back and resets the decoder.

    Everything that `feed` and `finish` return, joined, equals what `utf8_decode` gives for all the bytes together. Use
    your `utf8_decode` if you have it, or else `bytes.decode`.

    | call | returns | `pending()` |
    |---|---|---|
    | `feed(b"caf\xc3")` | `"caf"` | `c3` |
    | `feed(b"\xa9 \xe2\x82")` | `"é "` | `e2 82` |
    | `feed(b"!\xff")` | `"�!�"` | nothing |
    | `feed(b"\xf0\x9f")` | `""` | `f0 9f` |
    | `finish()` | `"�"` | nothing |

    In the third call, both diamonds are certain at once: `e2 82` can no longer be completed, and `ff` never could be.
    Decode only the new chunk, never all the bytes so far, so that a chunk costs no more in a long stream than in a
    short one. Tried: single bytes, cuts anywhere, broken bytes of every kind, a real `U+FFFD` in the text, empty
    chunks, and a second stream.
    """

    def __init__(self):
        """Begin a stream."""
        ### BEGIN SOLUTION
        self.kept = b""
        ### END SOLUTION

    def feed(self, chunk):
        """Take some bytes and return the text that is now certain."""
        ### BEGIN SOLUTION
        fresh, self.kept = self.kept + chunk, b""
        for count, lead in (1, b"\xc2"), (2, b"\xe0"), (3, b"\xf0"):  # leads that announce more bytes than these
            ending = fresh[-count:]
            # If the bytes so far are one error together, they may still become a character.
            if lead <= ending < b"\xf5" and utf8_decode(ending) == "\ufffd":
                self.kept = ending
        return utf8_decode(fresh[: len(fresh) - len(self.kept)])
        ### END SOLUTION

    def pending(self):
        """Return the bytes that may still become a character."""
        ### BEGIN SOLUTION
        return self.kept
        ### END SOLUTION

    def finish(self):
        """End the stream and return the text of the bytes held back."""
        ### BEGIN SOLUTION
        rest, self.kept = self.kept, b""
        return utf8_decode(rest)
        ### END SOLUTION


class StuckAtAnError(StreamDecoder):
    """Try to decode, and keep everything from the first error on: a common first attempt."""

    def feed(self, chunk):
        data = self.kept + chunk
        try:
            text, self.kept = data.decode("utf-8"), b""
        except UnicodeDecodeError as error:
            text, self.kept = data[: error.start].decode("utf-8"), data[error.start :]
        return text


def _stream(category, *chunks):
    """Return a case that feeds these chunks, where None finishes the stream, and then finishes it."""
    calls = [("finish", ()) if chunk is None else ("feed", (chunk,)) for chunk in (*chunks, None)]
    return Case(category, (), tuple(one for call in calls for one in (call, ("pending", ()))))


def _halves(random, data):
    at = random.randrange(len(data) + 1)
    return data[:at], data[at:]


def cases(random):
    yield _stream("nothing is fed")
    yield _stream("empty chunks", b"", b"")
    for first in FIRST_BYTES:
        for second in SECOND_BYTES:
            yield _stream("a second byte at the edge", bytes([first]), bytes([second]))
    for category in BROKEN:
        data = draw_broken(random, category)
        yield _stream(f"{category}, in two chunks", *_halves(random, data))
        yield _stream(f"{category}, one byte at a time", *(bytes([byte]) for byte in draw_broken(random, category)))
    for length in range(1, 9):
        data = draw_text(random, length, "234").encode("utf-8")
        beginning, rest = _halves(random, data)
        yield _stream("cut inside a character", beginning, *_halves(random, rest))
        if length < 6:
            yield _stream("one byte at a time", *(bytes([byte]) for byte in data))
        yield _stream("the text ends inside a character", *_halves(random, data[:-1]))
    for _ in range(4):
        diamond = (draw_text(random, random.randrange(3)) + "\ufffd").encode("utf-8")
        yield _stream("a real U+FFFD in the text", diamond, draw_text(random, 1).encode("utf-8"))
        yield _stream("used again after finish", b"\xe2\x82", None, random.choice((b"\xac", b"\xac!", b"ab")))


EXERCISE = Exercise(
    "01.stream_decoder",
    "Text that arrives in pieces",
    "write",
    answer=StreamDecoder,
    entry="StreamDecoder",
    difficulty=4,
    minutes=25,
    points=3,
    hints=(
        "At most the last three bytes can be unfinished. Which endings of the bytes may still become a character?",
        "Lesson 01, section 4: `hold_back` does this for valid UTF-8. What changes if a byte can be wrong?",
        "data = kept + chunk; for the last 1, 2, 3 bytes: is the first of them a first byte that needs more bytes "
        "than these, and does each of the others fit? Keep them, decode the rest, and let finish decode the bytes you "
        "kept.",
    ),
    shown=(
        _stream("cut inside a character", b"caf\xc3", b"\xa9!"),
        _stream("one byte at a time", b"\xe2", b"\x82", b"\xac"),
        _stream("the text ends inside a character", b"\xf0\x9f"),
        _stream("bytes that never occur, in two chunks", b"a\xff", b"b"),
        _stream("half a UTF-16 pair, in two chunks", b"a\xed\xa0", b"b"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "decodes-each-chunk-alone",
            "You decode each chunk by itself, so a character that spans two chunks is broken in both.",
            like=(("self.kept + chunk", "chunk"), ("self.kept = ending", "pass")),
        ),
        Mistake(
            "all-at-the-end",
            "Nothing is returned before finish. Return at once what no further byte can change.",
            like=('fresh, self.kept = self.kept + chunk, b""', 'self.kept += chunk\n        return ""'),
        ),
        Mistake(
            "silent-end",
            "When the stream ends inside a character, finish has to show it: one U+FFFD for the bytes held back.",
            like=("utf8_decode(rest)", '""'),
        ),
        Mistake(
            "a-diamond-for-each-byte",
            "The bytes held back are the beginning of one character. How many diamonds does `decode` make of them?",
            like=("utf8_decode(rest)", '"\\ufffd" * len(rest)'),
        ),
        Mistake(
            "never-emptied",
            "After finish the decoder still holds its old bytes. It may be used again for another stream.",
            like=('rest, self.kept = self.kept, b""', "rest = self.kept"),
        ),
        Mistake(
            "stuck-at-an-error",
            "A byte that can never be right stops your stream: everything after it is kept until the end. Keep only "
            "what may still become a character.",
            like=StuckAtAnError,
        ),
        Mistake(
            "afraid-of-diamonds",
            "You take U+FFFD at the end of the text as a sign that bytes are missing. It may come from a byte that is "
            "always wrong, or be in the text itself; look at the bytes instead.",
            like=(
                (
                    'lead <= ending < b"\\xf5" and utf8_decode(ending) == "\\ufffd"',
                    'utf8_decode(fresh)[-1:] == "\\ufffd"',
                ),
                ("self.kept = ending", "self.kept = fresh"),
            ),
        ),
        Mistake(
            "waits-like-python",
            "Almost: Python's own incremental decoder waits after ED A0, though no further byte can make it right.",
            like=('== "\\ufffd"', '== "\\ufffd" or b"\\xed\\xa0" <= ending < b"\\xee"'),
        ),
        Mistake(
            "keeps-the-hopeless",
            "You keep bytes that can no longer become a character: after E0, ED, F0 and F4 not every second byte fits, "
            "and C0, C1 and F5 to FF begin nothing.",
            like=(("xc2", "xc0"), (' < b"\\xf5" and utf8_decode(ending) == "\\ufffd"', "")),
        ),
    ),
)
