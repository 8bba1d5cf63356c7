"""Exercise 08.safe_cuts: where may a text be cut for many workers, seen through a small window?

The learner gets windows: 120 bytes out of the middle of a large file, around the place where a cut would be welcome.
The first and the last character may be torn. A cut is safe when, in any text around the window, GPT-2's pattern cuts
there and splits both parts as it splits the whole. The judge tries every beginning of ``LEFT`` and every ending of
``RIGHT``: the pattern only depends on the runs that meet at a place, so one context of each kind is enough.

The metric is the average distance in bytes between the cuts and the middle; no cut counts as half the window.
"""

import re
import unicodedata
from functools import cache, lru_cache

import regex

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning import Exercise
from minbpe_course.learning.exercises.invented_language import InventedLanguage
from minbpe_course.learning.exercises.lesson_03.code_words import program
from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN


def safe_cuts(windows):
    r"""Return for each window an offset at which the text may be cut, or None.

    A file is too large for one worker. So it's cut into parts, the workers count the words in each part, and the counts
    are added. You decide where to cut, without reading the whole file. Around each place where a cut would be useful,
    you see only a small *window*.

    * **In:** `windows`, a list of `bytes`, each at most 120 bytes long, from somewhere in a UTF-8 file. The first and
      the last character of a window may be incomplete. You do not know what comes before the window or after it.
    * **Out:** a list with one item for each window: an offset from 1 to `len(window) - 1` where the file may be cut
      (before that byte), or `None`.

    A cut is allowed if GPT-2's pattern finds the words of the whole file by finding those of the first part and then
    those of the second, **no matter what** surrounds the window. The best place for a cut is the middle of the window.
    We measure how many bytes your cuts are away from it, on average, and `None` counts as half the length of that
    window. You earn two points for 20 bytes and all four for 6. If even one of your cuts is not allowed, you earn
    nothing. `unicodedata.category` tells letters (`L`) and numbers (`N`); the module `regex` is not available.

    For example, `safe_cuts([b"low and lower", b"lower"])` may be `[7, None]`: a cut before ` lower`, near the middle,
    6.5, and no cut in a word.

    GPT-2's pattern is:

    ```
    '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
    ```

    The windows come from stories, from languages with and without spaces, and from programs. Some are made so that a
    tempting place is a wrong one. Here is a window, split into its words. Would each of these word boundaries be there
    no matter what surrounds the window?
    """

    # A word ends before white space; the last space of several goes with what follows; letters and numbers are never
    # in a word with other signs, unless the sign is an apostrophe: it may begin a contraction.
    safe = re.compile(r"(?<=\S)(?=\s)|(?<=\s)(?= \S)|(?<=[^\W_])(?=[^\w\s]|_)|(?<=[^\w\s']|_)(?=[^\W_])")
    cuts = []
    for window in windows:
        whole = window.lstrip(bytes(range(0x80, 0xC0)))  # without the rest of a torn character
        text = whole.decode("utf-8", errors="ignore")
        places = [len(window) - len(whole) + len(text[: at.start()].encode("utf-8")) for at in safe.finditer(text)]
        cuts.append(min(places, key=lambda place: abs(2 * place - len(window)), default=None))
    return cuts


TEXT = "windows on a text"
WIDTH = 120
LEFT = "|a|1|!|'| | \n|it'"
RIGHT = "|a|!|'s| |\n| a|\n a"
LANGUAGES = (
    "English|Swahili",
    "German|Polish|Turkish|Greek|Russian|Arabic|Hindi|Korean",
    "Simplified Chinese|Traditional Chinese|Japanese|Thai",
)
BETWEEN_WORDS = "'s |'ll | 17 | 3.50 | “|” | – |\n|\n\n|  "
# Texts on both sides of the middle between which cutting is tempting, and wrong.
TRAPS = "12|½/3|²/it'|s a/we'|ll go/ |b/  |b/\n\n|b/ \n|b/\n| \n\n b/\t | \tb/12|34/!|?/co|operate/。|」/日|本/é|è"
words_of = regex.compile(GPT2_SPLIT_PATTERN).findall


@lru_cache(maxsize=1 << 14)
def broken_word(window, cut):
    """Return a word that a cut breaks in some text around the window, with that text's beginning and end, or None.

    >>> [cut for cut in range(1, 12) if broken_word(b"at ten, it's", cut) is None]
    [2, 6, 7, 10]
    >>> broken_word("né!".encode(), 3), broken_word(b"at ten", 1)
    (None, ('at', '', ''))
    """
    begin = next((at for at, byte in enumerate(window) if byte & 0xC0 != 0x80), len(window))
    if cut < max(begin, 1) or window[cut] & 0xC0 == 0x80:
        return window[:begin].decode("utf-8", errors="replace"), "", ""
    before, after = window[begin:cut].decode("utf-8"), window[cut:].decode("utf-8", errors="ignore")
    befores = [(left + before, words_of(left + before)) for left in LEFT.split("|")]
    afters = [(after + right, words_of(after + right)) for right in RIGHT.split("|")]
    for at, (left, words) in enumerate(befores):
        for end, (right, more) in enumerate(afters):
            found = zip(words_of(left + right), words + more)
            broken = next((word for word, part in found if word != part), None)
            if broken:
                return broken, LEFT.split("|")[at], RIGHT.split("|")[end]
    return None


@cache
def letters_of(language):
    """Return the small letters and the marks of a language in the course text."""
    signs = sorted({*course_sections()[f"A morning in {language}"].lower()})
    return "".join(one for one in signs if unicodedata.category(one)[0] in "LM")


def cases(random):
    def text(kind):
        """Return a text that no table knows: a story, one in other letters, one without spaces, or a program."""
        if kind == 3:
            return program(random, camel_case=random.random() < 0.5)
        letters = letters_of(random.choice(LANGUAGES[kind].split("|")))
        words = InventedLanguage(random, letters).text(400).split(" ")
        between = ["", "", *"、。「」"] if kind == 2 else [" "] * 30 + BETWEEN_WORDS.split("|")
        return "".join(word + random.choice(between) for word in words)

    def windows():
        for number in range(16):
            data = text(number % 4).encode("utf-8")
            begin = random.randrange(len(data) - WIDTH)
            yield data[begin : begin + WIDTH]

    def traps():
        """Yield windows with a trap in the middle, between random letters."""
        for trap in TRAPS.split("/"):
            left, _, right = trap.encode("utf-8").partition(b"|")
            begin, end = (bytes(random.choices(b"abcdefgh", k=20 - len(part))) for part in (left, right))
            yield begin + left + right + end

    yield "no windows", []
    yield "nothing to cut", [b"", b" ", b"a", b"a" * WIDTH, b"\x80\x80\x80", b"\xe3\x81", b" " * WIDTH]
    for _ in range(4):
        yield TEXT, [*windows()]
        yield "tempting places", [*traps()]


def complaint(windows, answer):
    if not isinstance(answer, (list, tuple)) or len(answer) != len(windows):
        return f"Return a list with one item for each of the {len(windows)} windows: an offset, or None."
    for window, cut in zip(windows, answer):
        if cut is None:
            continue
        if type(cut) is not int or not 0 < cut < len(window):
            return (
                f"A cut leaves some of its window of {len(window)} bytes on both sides, or is None; yours is "
                f"{repr(cut)[:60]}."
            )
        if window[cut] & 0xC0 == 0x80:
            return f"The cut at {cut} tears a character apart: {window[max(0, cut - 3) : cut + 3]!r}."
        if found := broken_word(window, cut):
            left, right = (part.decode("utf-8", errors="ignore") for part in (window[:cut], window[cut:]))
            word, before, after = found
            return (
                f"A cut between {left[-12:]!r} and {right[:12]!r} is not allowed: if {before!r} is before the "
                f"window and {after!r} after it, it breaks the word {word[:30]!r}."
            )
    return None


def measured(cases, answers):
    distances = []
    for case, answer in zip(cases, answers):
        (windows,) = case.args
        said = complaint(windows, answer)
        if said is not None:
            return 0.0, said
        if case.category == TEXT:
            for window, cut in zip(windows, answer):
                middle = len(window) / 2
                distances.append(middle if cut is None else abs(cut - middle))
    return sum(distances) / len(distances), None


EXERCISE = Exercise(
    "08.safe_cuts",
    "Where many workers may cut",
    "design",
    answer=safe_cuts,
    picture=r"""
import regex

from minbpe_course.text.patterns import GPT2_SPLIT_PATTERN
from minbpe_course.showing import show_tokens

window = "the miller's  son, who said: “42 is\n\n  enough!” Then".encode()
found = regex.findall(GPT2_SPLIT_PATTERN, window.decode())
show_tokens([word.encode() for word in found], title="the words of a window")
""",
    difficulty=5,
    minutes=40,
    points=4,
    hints=(
        "Between which two kinds of characters does GPT-2's pattern always cut? Go through its alternatives: letters, "
        "numbers, white space, others.",
        "Lesson 08 shows what cuts in the wrong place do, and lesson 03 has the alternatives of the "
        "pattern. One of them looks ahead.",
        "for each whole character of the window and its neighbor: are they of different kinds (letter, number, white "
        "space, other), and the left one is neither an apostrophe nor one of several spaces? Of all such places, take "
        "the one nearest to the middle",
    ),
    shown=(
        (
            "windows on three texts",
            [
                "and it was the miller's, who said: “Wait!” Then we".encode(),
                b"def area(self):\n    return self._a * 12\n\n\n",
                "の朝です。市場は七時に開きます。".encode()[1:],
            ],
        ),
        ("nothing to cut", [b"abcdefgh", b""]),
    ),
    drawn=cases,
    measure=measured,
    levels=((6.0, 4), (20.0, 2)),
    unit="bytes from the middle",
)
