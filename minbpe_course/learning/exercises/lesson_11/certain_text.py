"""Exercise 11.certain_text: the text of a stream that no later byte can change, and the bytes that must wait."""

import codecs
import re

from minbpe_course.learning import Exercise, Mistake, edited
from minbpe_course.learning.exercises.lesson_11.token_offsets import LETTERS


def certain_text(data):
    r"""Return the text that is certain, and the bytes that wait for the rest of their character.

    Bytes have arrived, and more will follow. Which text can you show already, and which bytes must wait?

    * **In:** `data`, bytes.
    * **Out:** a pair of str and bytes. The bytes are the end of `data` that is not a character yet but *can still
      become one*, three bytes at most. The str is everything before them, decoded. Broken bytes in it become U+FFFD, as
      in `.decode("utf-8", errors="replace")`.

    | `data` | text | bytes that wait |
    |---|---|---|
    | `b"a\xe2\x99"` | `"a"` | `b"\xe2\x99"`: three bytes make `♞` |
    | `b"a\xe2\x99\x9e"` | `"a♞"` | `b""` |
    | `b"a\x99"` | `"a\ufffd"` | `b""`: no character begins with `99` |
    | `b"a\xe0\x9f"` | `"a\ufffd\ufffd"` | `b""`: no character begins with `E0 9F` |

    Python's incremental decoders do this. Here, write it without the module `codecs`.
    """
    for at in range(max(0, len(data) - 3), len(data)):
        for more in (b"\x80", b"\xbf", b"\x80" * 2, b"\xbf" * 2, b"\x80" * 3, b"\xbf" * 3):
            text = (data[at:] + more).decode("utf-8", "replace")
            if len(text) == 1 and text != "\ufffd":
                return data[:at].decode("utf-8", "replace"), data[at:]
    return data.decode("utf-8", "replace"), b""


def by_codecs(data):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(data), decoder.getstate()[0]


WHOLE = "whole characters"
CUT = "a character that is cut off"
BROKEN = "broken bytes"
BROKEN_EARLIER = "broken bytes, and whole characters after them"
NO_BEGINNING = "bytes that no character begins with"
# Lead bytes with a second byte that no character has: too small a number, or beyond the last character. ED A0, half
# of a surrogate, is not among them: CPython's incremental decoder waits for its third byte, so either answer will do.
NO_BEGINNINGS = b"\xe0\x9f \xf0\x8f \xf4\x90 \xc0 \xc1 \xf5 \xff \xf8\x88".split()


def cases(random):
    yield WHOLE, b""
    yield BROKEN_EARLIER, b"\x99abcd"
    yield BROKEN_EARLIER, b"a\xc3 \xe4\xb8\xad\xe4\xb8\xad"
    for at in range(14):
        text = "".join(random.choices(LETTERS, k=at // 3)).encode("utf-8")
        last = random.choice("éж♞中🙂").encode("utf-8")
        yield WHOLE, text + last
        longest = random.choice("♞🙂\U0010ffff\ud7ff\u0800").encode("utf-8")
        yield CUT, text + longest[: random.randint(1, len(longest) - 1)]
        yield CUT, text + "中🙂"[at % 2].encode()[:-1]
        yield BROKEN, text + random.choice([b"\x80", b"\xc3", b"\xe2\x99"]) + b"a" + last[: at % 2]
        yield NO_BEGINNING, text + NO_BEGINNINGS[at % len(NO_BEGINNINGS)]


def waits_for(ending):
    """Return an answer in which all endings wait that a pattern matches."""

    def answer(data):
        border = re.search(ending, data).start()
        return data[:border].decode("utf-8", "replace"), data[border:]

    return answer


def waits_for_whatever_is_broken(data):
    try:
        return data.decode("utf-8"), b""
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8"), data[error.start :]


def waits_for_whatever_ends_it(data):
    text, rest = waits_for_whatever_is_broken(data)
    return (text, rest) if len(rest) < 4 else (data.decode("utf-8", "replace"), b"")


EXERCISE = Exercise(
    "11.certain_text",
    "What is certain by now",
    "write",
    answer=certain_text,
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Only the last three bytes can be in doubt. When is an ending of one, two or three bytes worth waiting for?",
        "Lesson 11 shows what you must hold back and what you must not. Lesson 01 lists the bytes that "
        "cannot begin a character.",
        "an ending may become a character if adding one to three bytes can make it decode to one character; the "
        "longest such ending waits, and everything before it is decoded with errors='replace'",
    ),
    wanted=by_codecs,
    shown=(
        (WHOLE, "aé".encode()),
        (CUT, b"a\xe2\x99"),
        (BROKEN, b"\x99a"),
        (NO_BEGINNING, b"a\xff"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "one-byte",
            "Up to three bytes of a character may have arrived, and all of them wait. You return some too early.",
            like=waits_for(rb"[\xc2-\xf4]?\Z"),
        ),
        Mistake(
            "never-waits",
            "This shows a broken character where a whole one is on its way.",
            like=waits_for(rb"\Z"),
        ),
        Mistake(
            "waits-in-vain",
            "Not every byte above 0xC0 begins a character, and not every second byte may follow it. What can never "
            "become a character must not wait.",
            like=waits_for(rb"([\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})?\Z"),
        ),
        Mistake(
            "broken-endings-wait",
            "That the end cannot be decoded does not mean that it can still become a character.",
            like=waits_for_whatever_ends_it,
        ),
        Mistake(
            "stops-at-broken",
            "Broken bytes in the middle become U+FFFD at once, and the text continues after them.",
            like=waits_for_whatever_is_broken,
        ),
        Mistake(
            "drops",
            "Broken bytes are not left out: a U+FFFD shows that something was there.",
            like=edited(by_codecs, ("replace", "ignore")),
        ),
        Mistake(
            "strict",
            "Models produce broken bytes now and then. Decode with errors='replace'.",
            when=lambda case, outcome, wanted: outcome.error == "UnicodeDecodeError",
        ),
    ),
    avoid=("codecs",),
)
