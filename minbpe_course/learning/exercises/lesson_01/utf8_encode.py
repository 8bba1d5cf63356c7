"""Exercise 01.utf8_encode: encode any text, surrogates included, without ``str.encode``."""

import re

from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.exercises.lesson_01.samples import EDGES, draw_text


def utf8_encode(text):
    r"""Return the UTF-8 bytes of a text; a surrogate pair is one character, a lone surrogate is U+FFFD.

    Python's `encode` raises an error for a surrogate. A tokenizer runs inside other people's programs, so it can't
    reject the text it is given. Write an encoder that does what tiktoken does, for whole texts:

    * **In:** `text` (str), any text, surrogates included.
    * **Out:** its UTF-8 as `bytes`, computed from the code points, without `str.encode`.
    * A high surrogate directly followed by a low one is *one* character above `U+FFFF`. Write every other surrogate as
      `U+FFFD`.

    | text | bytes |
    |---|---|
    | `"é€"` | `c3 a9 e2 82 ac` |
    | `"\ud83d\udc4b"` | `f0 9f 91 8b`, as `"👋"` |
    | `"\ud83d!"` | `ef bf bd 21` |
    | `"\ud83d\ud83d\udc4b"` | `ef bf bd f0 9f 91 8b` |

    Tried: all four lengths, the code points where the length changes, surrogates in any order, and the empty text.
    """
    data, codes, at = bytearray(), [*map(ord, text), 0], 0
    while at < len(text):
        code, behind = codes[at], codes[at + 1]
        at += 1
        if 0xD800 <= code < 0xDC00 <= behind < 0xE000:
            code = 0x10000 + (code - 0xD800 << 10) + (behind - 0xDC00)
            at += 1
        elif 0xD800 <= code < 0xE000:
            code = 0xFFFD
        more = (code >= 0x80) + (code >= 0x800) + (code >= 0x10000)
        data.append((0, 0xC0, 0xE0, 0xF0)[more] | code >> 6 * more)
        data += bytes(0x80 | code >> 6 * left & 0x3F for left in reversed(range(more)))
    return bytes(data)


def cases(random):
    yield "empty input", ""
    for lengths in "1234":
        category = f"characters of {lengths} byte{'s' if lengths > '1' else ''}"
        for length in (1, 3):
            yield category, draw_text(random, length, lengths)
    for number in EDGES:
        yield "at the edge of a length", chr(number)
    for first in (0xD7FF, 0xD800, 0xDBFF, 0xDC00):
        for second in (0xDBFF, 0xDC00, 0xDFFF, 0xE000):
            yield "at the edge of the surrogates", chr(first) + chr(second)
    halves = "\ud800\ud83d\udbff\udc00\udc4b\udfff"
    for half in halves:
        yield "a lone surrogate", half
        yield "a lone surrogate", draw_text(random, 1) + half + draw_text(random, 1)
    for length in range(2, 8):
        pair = chr(random.randrange(0xD800, 0xDC00)) + chr(random.randrange(0xDC00, 0xE000))
        yield "a pair of surrogates", pair
        yield "a pair of surrogates", draw_text(random, 1) + pair + draw_text(random, 1)
        yield "surrogates in any order", "".join(random.choices(halves, k=length))
    for length in range(2, 14):
        yield "all lengths mixed", draw_text(random, length)


EXERCISE = Exercise(
    "01.utf8_encode",
    "An encoder that never rejects a text",
    "write",
    answer=utf8_encode,
    minutes=15,
    hints=(
        "First decide which code point you are about to write: for a surrogate, look at the character after it. Then "
        "only the four lengths remain.",
        "Lesson 01, section 2, writes the two bytes of a code point. The text above has the other lengths, and "
        "says how a surrogate pair holds ten digits in each half.",
        "at i: if it is a high surrogate and i + 1 is a low one, join them and step by 2; any other surrogate becomes "
        "U+FFFD. Then write 1, 2, 3 or 4 bytes, depending on the size of the code point.",
    ),
    wanted=lambda text: text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8"),
    avoid=(".encode(", "codecs"),
    shown=(
        ("all lengths mixed", "hé€👋"),
        ("a pair of surrogates", "\ud83d\udc4b"),
        ("a lone surrogate", "\ud83d!"),
        ("surrogates in any order", "\udc4b\ud83d"),
    ),
    drawn=cases,
    mistakes=(
        Mistake(
            "writes-surrogates",
            "You write each surrogate as three bytes. UTF-8 has no form for a surrogate: no decoder will accept that.",
            like=lambda text: text.encode("utf-8", "surrogatepass"),
        ),
        Mistake(
            "leaves-pairs-apart",
            "You replace every surrogate. A high one followed by a low one is one character above U+FFFF.",
            like=lambda text: re.sub("[\ud800-\udfff]", "\ufffd", text).encode("utf-8"),
        ),
        Mistake(
            "drops-lone-halves",
            "A lone surrogate vanishes from your bytes. Write U+FFFD in its place.",
            like=lambda text: text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore").encode("utf-8"),
        ),
        Mistake(
            "drops-all-halves",
            "Every surrogate vanishes from your bytes. Join the pairs, and write U+FFFD for each lone one.",
            like=lambda text: re.sub("[\ud800-\udfff]", "", text).encode("utf-8"),
        ),
        Mistake(
            "question-marks",
            "You write a question mark for a surrogate, which looks the same as a real one. Write U+FFFD.",
            like=lambda text: text.encode("utf-8", "replace"),
        ),
        Mistake(
            "swallows-the-neighbour",
            "After a high surrogate you take any character. It belongs to the pair only if it is a low surrogate.",
            like=("0xDC00 <= behind < 0xE000", "0xDC00 and at < len(text)"),
        ),
        Mistake(
            "low-ones-pass",
            "A surrogate can be alone in two ways. Which of them does your code let through?",
            like=("elif 0xD800 <= code < 0xE000", "elif 0xD800 <= code < 0xDC00"),
        ),
        Mistake(
            "too-long-at-an-edge",
            "The last code point of a length still belongs to that length. Try your comparisons with 0x7F, 0x7FF and "
            "0xFFFF.",
            like=(
                "(code >= 0x80) + (code >= 0x800) + (code >= 0x10000)",
                "(code >= 0x7F) + (code >= 0x7FF) + (code >= 0xFFFF)",
            ),
        ),
        Mistake(
            "groups-in-wrong-order",
            "The groups of six bits are all there, in the wrong order: the highest bits of the code point come first.",
            like=("reversed(range(more))", "range(more)"),
        ),
        Mistake(
            "refuses",
            "Your encoder raises an error for a surrogate. It runs inside other programs, so it must accept any text.",
            when=lambda case, outcome, wanted: outcome.error == "UnicodeEncodeError",
        ),
    ),
)
