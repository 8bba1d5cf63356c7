"""Exercise 12.choose_alphabet: a letter for each of the 256 bytes that makes the file of one vocabulary short.

The metric is the size of all files, in percent of the smallest that the rules allow.
"""

from string import ascii_letters

from minbpe_course.corpus.texts import course_sections
from minbpe_course.learning.judge.exercise import Exercise, Mistake, breaks


def choose_alphabet(tokens):
    """Return 256 characters, one for each byte.

    GPT-2's alphabet was chosen for English. A file with Hindi in it takes twice the space, and no one can read it
    anyway. Choose the 256 characters for one vocabulary, so that its tokens take as little space as possible when you
    write them with this alphabet, in UTF-8.

    * **In:** `tokens`, a list of bytes, the vocabulary. It may be empty.
    * **Out:** a list of 256 str, the character for byte 0 first. Each is *one* character, all are different, and all
      are visible (`isprintable()`, and not white space). The 52 ASCII letters `A`..`Z` and `a`..`z` stand for
      themselves.

    We measure the length of all the tokens of eight vocabularies, in percent of the shortest length that these rules
    allow: 100 earns 4 points, up to 101 earns 3, up to 105 earns 2. Each vocabulary has its own frequent bytes, and
    they are not those of a language you know.
    """
    joined = b"".join(tokens)
    often = [joined.count(value) for value in range(256)]
    fixed = {value: chr(value) for value in range(128) if chr(value).isalpha()}
    visible = [chr(code) for code in range(33, 700) if chr(code).isprintable() and not chr(code).isspace()]
    left_over = (sign for sign in visible if sign not in fixed.values())
    rarest_last = sorted(set(range(256)) - set(fixed), key=lambda value: -often[value])
    fixed.update(zip(rarest_last, left_over))
    return [fixed[value] for value in range(256)]


def complaint(case, answer):
    if not isinstance(answer, (list, tuple)) or len(answer) != 256:
        return "a list of 256 characters, the one for byte 0 first"
    if not all(isinstance(one, str) and len(one) == 1 for one in answer):
        return "256 strings of one character each"
    if len(set(answer)) != 256:
        return "256 different characters: bytes that are written alike cannot be read back"
    if not all(letter.isprintable() and not letter.isspace() for letter in answer):
        return "visible characters: no space, no line break, no control character, no half of a surrogate pair"
    if any(answer[ord(letter)] != letter for letter in ascii_letters):
        return "an alphabet in which the 52 letters of ASCII stand for themselves"
    return None


def spelled_size(tokens, alphabet):
    return len("".join(alphabet[byte] for byte in b"".join(tokens)).encode("utf-8"))


def measured(cases, answers):
    vocabularies = [case.args[0] for case in cases]
    best = sum(spelled_size(tokens, choose_alphabet(tokens)) for tokens in vocabularies)
    return 100 * sum(map(spelled_size, vocabularies, answers)) / best, None


LANGUAGES = "Greek Hindi Russian Georgian Thai Vietnamese Arabic Korean"


def cases(random):
    yield "no token", []
    yield "the single bytes", [bytes([byte]) for byte in range(256)]
    others = bytes(byte for byte in range(256) if chr(byte) not in ascii_letters)
    for language in LANGUAGES.split():
        # Bytes are exchanged, so that no prepared alphabet fits them. Every vocabulary begins with the single bytes,
        # so the first bytes are not the commonest.
        words = course_sections()[f"A morning in {language}"].split("\n\n")[1].split(" ")
        exchanged = bytes.maketrans(others, bytes(random.sample(others, len(others))))
        single = [bytes([byte]) for byte in random.sample(range(256), 256)]
        tokens = [f" {word}".encode().translate(exchanged) for word in random.sample(words, len(words))]
        yield "a vocabulary of one language", single + tokens


EXERCISE = Exercise(
    "12.choose_alphabet",
    "An alphabet for your language",
    "design",
    answer=choose_alphabet,
    picture="""
from minbpe_course.text.byte_alphabet import printable_bytes
from minbpe_course.learning.charts.maps import draw_bytes

letters = [letter for _, letter in sorted(printable_bytes().items())]
kinds = ["one byte in UTF-8" if ord(letter) < 128 else "two bytes in UTF-8" for letter in letters]
draw_bytes(letters, kinds, "GPT-2's choice: a second byte for most of them")
""",
    difficulty=3,
    minutes=30,
    points=4,
    hints=(
        "Which characters take one byte in UTF-8, how many of them are free, and which bytes should get them?",
        "Lesson 12 gives each byte a letter, as GPT-2 does, and lesson 01 shows how many bytes a character takes.",
        "count the bytes of the tokens; ASCII letters stand for themselves; give the 42 other visible ASCII characters "
        "to the most frequent other bytes, and visible characters from U+00A1 on to the rest",
    ),
    accept=complaint,
    shown=(("a few tokens", [b"a\xe0\xa4", b"\xe0\xa4\xa4"]),),
    drawn=cases,
    mistakes=(
        Mistake(
            "not-256",
            "Every one of the 256 bytes needs a character, even a byte that no token contains.",
            when=breaks(complaint, "a list of 256"),
        ),
        Mistake(
            "alike",
            "Two bytes have the same character, so the file cannot be read back.",
            when=breaks(complaint, "different characters"),
        ),
        Mistake(
            "unseen",
            "One of your characters is a space or a control character. Those break lines, or are invisible.",
            when=breaks(complaint, "visible characters"),
        ),
    ),
    measure=measured,
    levels=((100.0, 4), (101.0, 3), (105.0, 2)),
    unit="percent of the shortest file",
)
