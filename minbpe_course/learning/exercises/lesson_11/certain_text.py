"""Exercise 11.certain_text: the text of a stream that no later byte can change, and the bytes that must wait."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from random import Random

from minbpe_course.learning.exercises.lesson_11.token_offsets import LETTERS
from minbpe_course.learning.judge.exercise import Case, Exercise, Mistake, edited


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

    def may_become_one(end):
        for filler in (b"\x80", b"\xbf"):
            for number in (1, 2, 3):
                text = (end + filler * number).decode("utf-8", errors="replace")
                if len(text) == 1 and text != "\ufffd":
                    return True
        return False

    waits = [size for size in (1, 2, 3) if size <= len(data) and may_become_one(data[-size:])]
    border = len(data) - max(waits, default=0)
    return data[:border].decode("utf-8", errors="replace"), data[border:]


WHOLE, CUT, BROKEN, BROKEN_EARLIER, NO_BEGINNING = (
    "whole characters",
    "a character that is cut off",
    "broken bytes",
    "broken bytes, and whole characters after them",
    "bytes that no character begins with",
)


def reference_certain_text(data: bytes) -> tuple[str, bytes]:
    """Return the text that no later byte can change, and the bytes that may still become a character.

    >>> certain_text(b"a\\xe2\\x99"), certain_text(b"a\\x99")
    (('a', b'\\xe2\\x99'), ('a\ufffd', b''))
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = decoder.decode(data)
    return text, decoder.getstate()[0]


# Lead bytes with a second byte that no character has: too small a number, or beyond the last character. ED A0, half
# of a surrogate, is not among them: CPython's incremental decoder waits for its third byte, so either answer will do.
_NO_BEGINNINGS = (b"\xe0\x9f", b"\xf0\x8f", b"\xf4\x90", b"\xc0", b"\xc1", b"\xf5", b"\xff", b"\xf8\x88")


def data_cases(random: Random) -> Iterator[Case]:
    """Yield whole and broken texts, endings that must wait, and endings that must not."""
    yield Case(WHOLE, (b"",))
    yield Case(BROKEN_EARLIER, (b"\x99abcd",))
    yield Case(BROKEN_EARLIER, (b"a\xc3 \xe4\xb8\xad\xe4\xb8\xad",))
    for at in range(14):
        text = "".join(random.choices(LETTERS, k=at // 3)).encode("utf-8")
        last = random.choice("éж♞中🙂").encode("utf-8")
        yield Case(WHOLE, (text + last,))
        longest = random.choice(["♞", "🙂", "\U0010ffff", "\ud7ff", "\u0800"]).encode("utf-8")
        yield Case(CUT, (text + longest[: random.randint(1, len(longest) - 1)],))
        yield Case(CUT, (text + "🙂".encode()[:3] if at % 2 else text + "中".encode()[:2],))
        yield Case(BROKEN, (text + random.choice([b"\x80", b"\xc3", b"\xe2\x99"]) + b"a" + last[: at % 2],))
        yield Case(NO_BEGINNING, (text + _NO_BEGINNINGS[at % len(_NO_BEGINNINGS)],))


_never_waits = edited(reference_certain_text, ("decode(data)", "decode(data, final=True)"))


def _waits_for_any_lead(data: bytes) -> tuple[str, bytes]:
    for size in (1, 2, 3):
        tail = data[-size:]
        if len(data) >= size and tail[0] >= 0xC0:
            needed = 2 if tail[0] < 0xE0 else 3 if tail[0] < 0xF0 else 4
            if size < needed and all(0x80 <= byte < 0xC0 for byte in tail[1:]):
                return data[:-size].decode("utf-8", errors="replace"), tail
            break
    return _never_waits(data)


def _looks_at_one_byte(data: bytes) -> tuple[str, bytes]:
    if data and 0xC2 <= data[-1] <= 0xF4:
        return data[:-1].decode("utf-8", errors="replace"), data[-1:]
    return _never_waits(data)


def _waits_for_whatever_is_broken(data: bytes) -> tuple[str, bytes]:
    try:
        return data.decode("utf-8"), b""
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8"), data[error.start :]


def _waits_for_whatever_ends_it(data: bytes) -> tuple[str, bytes]:
    for cut in range(len(data), max(-1, len(data) - 4), -1):
        try:
            return data[:cut].decode("utf-8"), data[cut:]
        except UnicodeDecodeError:
            pass
    return _never_waits(data)


EXERCISE = Exercise(
    key="11.certain_text",
    answer=certain_text,
    title="What is certain by now",
    kind="write",
    difficulty=3,
    minutes=20,
    points=3,
    hints=(
        "Only the last three bytes can be in doubt. When is an ending of one, two or three bytes worth waiting for?",
        "an ending may become a character if adding one to three bytes can make it decode to one character; the "
        "longest such ending waits, and everything before it is decoded with errors='replace'",
        "Lesson 11 shows what you must hold back and what you must not. Lesson 01 lists the bytes that "
        "cannot begin a character.",
    ),
    wanted=reference_certain_text,
    shown=(
        Case(WHOLE, ("aé".encode(),)),
        Case(CUT, (b"a\xe2\x99",)),
        Case(BROKEN, (b"\x99a",)),
        Case(NO_BEGINNING, (b"a\xff",)),
    ),
    drawn=data_cases,
    mistakes=(
        Mistake(
            "one-byte",
            "Up to three bytes of a character may have arrived, and all of them wait. You return some too early.",
            like=_looks_at_one_byte,
        ),
        Mistake("never-waits", "This shows a broken character where a whole one is on its way.", like=_never_waits),
        Mistake(
            "waits-in-vain",
            "Not every byte above 0xC0 begins a character, and not every second byte may follow it. What can never "
            "become a character must not wait.",
            like=_waits_for_any_lead,
        ),
        Mistake(
            "broken-endings-wait",
            "That the end cannot be decoded does not mean that it can still become a character.",
            like=_waits_for_whatever_ends_it,
        ),
        Mistake(
            "stops-at-broken",
            "Broken bytes in the middle become U+FFFD at once, and the text continues after them.",
            like=_waits_for_whatever_is_broken,
        ),
        Mistake(
            "drops",
            "Broken bytes are not left out: a U+FFFD shows that something was there.",
            like=edited(reference_certain_text, ('errors="replace"', 'errors="ignore"')),
        ),
        Mistake(
            "strict",
            "Models produce broken bytes now and then. Decode with errors='replace'.",
            when=lambda case, outcome, wanted: outcome.error == "UnicodeDecodeError",
        ),
    ),
    avoid=("codecs",),
)
