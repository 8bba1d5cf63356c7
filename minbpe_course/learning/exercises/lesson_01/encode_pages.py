"""Exercise 01.encode_pages: an encoder for a code in which a byte from 80 on is a character of the current page.

The format is fixed by its decoder, ``decode_pages``, which the learner has too. Many byte strings decode to the same
text; the learner looks for a short one.
"""

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning import Exercise, Mistake
from minbpe_course.learning.judge.equality import difference

OPEN, SWAP, ONE, RUN = 0x0E, 0x0F, 0x10, 0x11


def decode_pages(data):
    """Return the text that is written in the page code."""
    text, page, other, at = [], 1, 7, 0
    while at < len(data):
        byte, at = data[at], at + 1
        if byte == OPEN:
            page, other, at = 256 * data[at] + data[at + 1], page, at + 2
        elif byte == SWAP:
            page, other = other, page
        elif byte == ONE:
            text.append(chr(int.from_bytes(data[at : at + 3], "big")))
            at += 3
        elif byte == RUN:
            end = at + 1 + 2 * data[at]
            text += [chr(256 * data[place] + data[place + 1]) for place in range(at + 1, end, 2)]
            at = end
        else:
            text.append(chr(byte if byte < 0x80 else 128 * page + byte - 128))
    if at > len(data):
        raise ValueError("the last command is cut off")
    return "".join(text)


def encode_pages(text):
    """Return bytes that decode_pages turns back into this text, as few as possible.

    UTF-8 favors English. Here is a code that favors the script you are writing in at the moment. A **page** is 128
    consecutive code points: page 1 has `é` and its neighbors, page 8 all of Russian, page 18 all of Hindi. While a page
    is open, each of its characters takes *one* byte. The reader, `decode_pages` below, remembers two pages and
    understands four commands:

    | bytes | meaning |
    |---|---|
    | `00` to `7f`, except for the four commands | that ASCII character |
    | `80` to `ff` | a character of the open page, by its position in the page |
    | `0e h l` (OPEN) | opens page `256 * h + l`; the page that was open becomes the other page |
    | `0f` (SWAP) | the open page and the other page change places |
    | `10 a b c` (ONE) | one character, by its code point in three bytes; the pages stay the same |
    | `11 n …` (RUN) | at most 255 characters below `U+10000`, two bytes each; the pages stay the same |

    At the beginning, page 1 is open and page 7 (Greek) is the other page. `Привет, ça va?` takes 21 bytes in UTF-8, and
    18 here:

    ```text
    0e 00 08 9f c0 b8 b2 b5 c2 2c 20 0f e7 61 20 76 61 3f
    ```

    Many different byte strings decode to the same text. The format is fixed, but how to use it is up to you, and that
    is where encoders differ. (Choosing the ids of a text, in lesson 02, is a choice of this kind, too.)

    * **In:** `text` (str), without surrogates.
    * **Out:** bytes that `decode_pages` turns back into this text. The fewer, the better.

    We try it on about forty texts: letters with accents, alphabets, Chinese, Japanese and Korean, emoji, two languages
    in one text, the characters `0e` to `11` themselves, and the empty text. Every answer is decoded again, and one that
    does not give the same text is worth nothing. Your result is the total number of your bytes, in percent of UTF-8: at
    most 98 % earns 1 point, 74 % earns 2, 69.5 % earns all 3. The picture shows the sizes of eight of the languages in
    two common encodings.
    """
    # Ways to write the text so far: the bytes, the place of the length of an open run, or 0, and the two pages.
    ways = [(b"", 0, 1, 7)]
    for character in text:
        code, longer = ord(character), []
        mine, byte = code // 128, bytes([128 + code % 128])
        for data, run, page, other in ways:
            options = [(bytes([ONE]) + code.to_bytes(3, "big"), page, other)]
            if code < 128 and not OPEN <= code <= RUN:
                options = [(bytes([code]), page, other)]
            elif mine == page:
                options = [(byte, page, other)]
            elif mine == other:
                options = [(bytes([SWAP]) + byte, other, page)]
            elif mine:
                options.append((bytes([OPEN]) + mine.to_bytes(2, "big") + byte, mine, page))
            longer += [(data + more, 0, *pages) for more, *pages in options]
            if code < 0x10000:
                if not run or data[run] == 255:
                    data, run = data + bytes([RUN, 0]), len(data) + 1
                counted = data[:run] + bytes([data[run] + 1]) + data[run + 1 :]
                longer.append((counted + code.to_bytes(2, "big"), run, page, other))
        best = {}
        for way in sorted(longer, key=lambda way: len(way[0])):
            best.setdefault((way[1] > 0, *way[2:]), way)
        ways = [*best.values()][:6]
    return ways[0][0]


ALONE = {
    "letters with accents": "French, Vietnamese, Czech, Romanian",
    "one alphabet": "Greek, Russian, Hebrew, Persian, Hindi, Thai, Georgian, Amharic",
    "Chinese, Japanese, Korean": "Simplified Chinese, Traditional Chinese, Japanese, Korean",
}
TOGETHER = (
    "English, Greek",
    "Hindi, English",
    "Japanese, Russian",
    "Korean, Thai",
    "French, Arabic",
    "Greek, Russian",
    "Simplified Chinese, English",
    "Armenian, Vietnamese",
)


def excerpt(random, language, length):
    """Return words in the letters of a language, the letters and the words in random order: no table knows them."""
    words = course_sections()[f"A morning in {language}"].split("\n\n")[1].strip().split(" ")
    text = " ".join("".join(random.sample(word, len(word))) for word in random.sample(words, len(words)))
    start = random.randrange(len(text) - length)
    return text[start : start + length]


def cases(random):
    # The languages are the same for every seed, so no draw is easier to shorten than another.
    yield "empty input", ""
    yield "plain ASCII", excerpt(random, "Swahili", 20) + "\n\t\x00\x7f"
    for language in ("Russian", "Japanese"):
        for command in random.sample("\x0e\x0f\x10\x11", 2):
            text = excerpt(random, language, 6) + command + excerpt(random, language, 6)
            yield "characters that look like commands", text
    for category, languages in ALONE.items():
        for language in languages.split(", "):
            yield category, excerpt(random, language, 60)
    for language in ("English", "Greek", "Hindi"):
        words = excerpt(random, language, 45).split(" ")
        words = [word + "".join(random.choices("👋🥁🎻🙂🙃😀🚀🌍👍🏽", k=random.randrange(3))) for word in words]
        yield "emoji", " ".join(words)
    for languages in TOGETHER:
        parts = [excerpt(random, each, random.randrange(2, 12)) for each in languages.split(", ") * 5]
        yield "two languages in one text", "".join(parts)
    yield "a long text without a space", excerpt(random, "Simplified Chinese", 60) * 5


def complaint(case, answer):
    text = case.args[0]
    if type(answer) is not bytes:
        return "bytes; return bytes(numbers) for a list of numbers from 0 to 255"
    try:
        decoded = decode_pages(answer)
    except (ValueError, IndexError) as error:
        return f"bytes that decode_pages can decode; it stops with {type(error).__name__}: {error}"
    if decoded == text:
        return None
    return f"bytes that decode_pages turns into the same text; it returns another one ({difference(decoded, text)})"


def percent_of_utf8(cases, answers):
    return 100 * sum(map(len, answers)) / sum(len(case.args[0].encode("utf-8")) for case in cases), None


EXERCISE = Exercise(
    "01.encode_pages",
    "Shorter than UTF-8",
    "design",
    answer=encode_pages,
    picture=r"""
from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.charts.bars import grouped_bars

scenes = {}
for language in ["French", "Vietnamese", "Greek", "Russian", "Hindi", "Thai", "Japanese", "Korean"]:
    scene = course_sections()[f"A morning in {language}"].split("\n\n")[1]
    scenes[language] = {name: len(scene.encode(name)) for name in ("utf-8", "utf-16-le")}
grouped_bars(scenes, "One scene in eight languages: the sizes to beat", "bytes")
""",
    given=("decode_pages",),
    difficulty=5,
    minutes=45,
    points=3,
    hints=(
        "Begin with what is always right: ASCII as it is, everything else by ONE. Then save bytes: open a page when "
        "it pays, go back with SWAP, and write a run where every character is on a different page.",
        "Lesson 01, section 1, and the picture above: which texts does UTF-8 make short, and which does it make long?",
        "To decide well, keep several byte strings at once: for every pair (page, other page), inside or outside a "
        "run, only the shortest so far. For each character, extend each of them in all possible ways, and keep the "
        "best six.",
    ),
    shown=(
        ("letters with accents", "café"),
        ("one alphabet", "Привет, мир!"),
        ("two languages in one text", "да и oui, c’est ça"),
        ("Chinese, Japanese, Korean", "今朝は雨が降った。"),
        ("characters that look like commands", "a\x0eb"),
    ),
    drawn=cases,
    accept=complaint,
    measure=percent_of_utf8,
    levels=((69.5, 3), (74, 2), (98, 1)),
    unit="% of the bytes of UTF-8",
    mistakes=(
        Mistake(
            "plain-utf8",
            "These are the bytes of UTF-8. Here a byte from 80 on is one whole character of the page that is open.",
            when=lambda case, outcome, wanted: outcome.value == case.args[0].encode("utf-8"),
        ),
        Mistake(
            "writes-commands-as-text",
            "The characters 0E to 11 cannot be written as they are: the decoder takes them for commands.",
            when=lambda case, outcome, wanted: "command" in case.category and outcome.state == "value",
        ),
        Mistake(
            "run-too-long",
            "The length of a run is one byte, so a run holds at most 255 characters. Then begin another one.",
            when=lambda case, outcome, wanted: "long" in case.category and outcome.state in ("value", "raised"),
        ),
    ),
)
