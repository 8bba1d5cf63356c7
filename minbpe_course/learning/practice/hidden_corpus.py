"""Draw a corpus from a secret seed, so that it can be neither looked up nor memorized.

    prose      in forty languages: words of the course in a random order, about half of them invented from its letters
    programs   small programs and tables with random names and numbers
    parallel   the same names of countries and languages from CLDR in each language

Nothing is downloaded. Limits: the parallel part depends on the version of Babel.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from random import Random

from minbpe_course.corpus.texts import course_sections
from minbpe_course.errors import InvalidSource
from minbpe_course.extras import needed

LANGUAGES = (
    "en", "de", "fr", "es", "pt", "it", "nl", "sv", "fi", "hu", "pl", "cs", "ro", "tr", "vi", "id", "sw", "el", "ru",
    "uk", "ka", "hy", "he", "ar", "fa", "ur", "hi", "bn", "gu", "ta", "te", "kn", "ml", "th", "am", "zh", "ja", "ko",
)  # fmt: skip
CHARACTERS = 24_000  # about
CHARACTERS_OF_A_TEXT = 400  # on average
UNKNOWN = 0.5  # share of the words that are invented
NAMES = 60  # of countries and languages, in each language
_CONSONANTS = (*"bdfgklmnprstvz", "br", "kr", "st", "tr", "sh", "ch")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")


@dataclass(frozen=True)
class HiddenCorpus:
    """Texts, and the same content in several languages.

    name : the start of a fingerprint; results on corpora with different names must not be compared.
    """

    name: str
    texts: tuple[str, ...] = field(repr=False)
    parallel: Mapping[str, str] = field(repr=False)


def hidden_corpus(seed: str, characters: int = CHARACTERS, unknown: float = UNKNOWN) -> HiddenCorpus:
    """Return the corpus of a seed.

    unknown : the share of invented words in prose; another share changes those words and nothing else.

    Raises MissingPackage without Babel, which has the names of the parallel part.

    >>> one, same, other = hidden_corpus("a"), hidden_corpus("a"), hidden_corpus("b")
    >>> one == same, one.texts == other.texts, len(one.parallel)
    (True, False, 38)
    """
    dice = Random(hashlib.sha256(b"corpus\0" + seed.encode("utf-8", "surrogatepass")).digest())
    texts: list[str] = []
    while len(texts) < characters // CHARACTERS_OF_A_TEXT:
        kind = dice.choices((partial(_prose, unknown=unknown), _program, _table, _notes), weights=(6, 2, 1, 1))[0]
        texts.append(kind(dice))
    return own_corpus(texts, _names_in_languages(dice))


def own_corpus(texts: Sequence[str], parallel: Mapping[str, str]) -> HiddenCorpus:
    """Return a corpus from texts of the caller's.

    parallel : language -> text, all with the same content.

    Raises InvalidSource without any text, or with fewer than two languages.

    >>> hats = {"en": "hat", "de": "Hut"}
    >>> own_corpus(["low lower"], hats).name == own_corpus(["low"], hats).name
    False
    """
    if not any(texts):
        raise InvalidSource("there is no text to measure: give at least one that is not empty.")
    if len(parallel) < 2 or not all(parallel.values()):
        raise InvalidSource("fairness needs the same content in at least two languages: give a text for each of them.")
    whole = repr((tuple(texts), sorted(parallel.items()))).encode("utf-8", "surrogatepass")
    return HiddenCorpus(hashlib.sha256(whole).hexdigest()[:10], tuple(texts), dict(parallel))


# ----------------------------------------------------------------------------------------------------
# Drawing texts


@cache
def _next_words(title: str) -> dict[str, list[str]]:
    """Return the words that follow each word of a section."""
    words = course_sections()[title].partition("\n\n")[2].split(" ")
    found: dict[str, list[str]] = {}
    for word, following in pairwise(words):
        found.setdefault(word, []).append(following)
    return found


@cache
def _letters(title: str) -> dict[str, list[str]]:
    """Return the letters that follow every two letters of a section."""
    found: dict[str, list[str]] = {}
    for word in _next_words(title):
        spelled = f"\0\0{word}\0"
        for at in range(len(spelled) - 2):
            found.setdefault(spelled[at : at + 2], []).append(spelled[at + 2])
    return found


def alike(dice: Random, title: str) -> str:
    """Return an invented word that looks like the language of a section."""
    letters, word = _letters(title), "\0\0"
    while len(word) < 16 and (letter := dice.choice(letters[word[-2:]])) != "\0":
        word += letter
    return word[2:]


def _prose(dice: Random, unknown: float) -> str:
    title = dice.choice(_titles())
    following = _next_words(title)
    words = sorted(following)
    word, said, speller = dice.choice(words), [], Random(dice.random())
    for _ in range(dice.randrange(40, 160)):
        said.append(alike(speller, title) if dice.random() < unknown else word)
        word = dice.choice(following.get(word) or words)
    return " ".join(said) + "\n"


@cache
def _titles() -> list[str]:
    other = ("Whitespace", "Rows", "Combining", "Composed", "Beyond")
    return [title for title in course_sections() if len(_next_words(title)) > 8 and not title.startswith(other)]


def invented(dice: Random) -> str:
    """Return an invented word of random syllables."""
    syllables = (dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(dice.randrange(2, 5)))
    word = "".join(syllables) + dice.choice(["", "", "n", "r", "s"])
    return word.capitalize() if dice.random() < 0.5 else word


def _program(dice: Random) -> str:
    name, item, total = (invented(dice).lower() for _ in range(3))
    number = dice.randrange(2, 5_000)
    body = [
        f"def {name}_{item}({item}s, limit={number}):",
        f'    """Return the {total} of all {item}s below {number}."""',
        f"    {total} = {dice.choice(['0', '[]', '{}', 'None'])}",
        f"    for at, {item} in enumerate({item}s):",
        f"        if {item} {dice.choice(['<', '>=', '!='])} limit and at % {dice.randrange(2, 9)} == 0:",
        f"            {total} += {item} * {dice.randrange(100)} - 0x{dice.randrange(1 << 16):04x}",
        f"    return {total}",
    ]
    return "\n".join(body) + "\n\n"


def _table(dice: Random) -> str:
    heads = [invented(dice).lower() for _ in range(3)]
    rows = [",".join(heads)]
    for _ in range(dice.randrange(3, 9)):
        date = f"{dice.randrange(1950, 2060)}-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}"
        rows.append(f"{invented(dice)},{dice.randrange(10 ** dice.randrange(1, 8))},{date}")
    lines = [f'{{"{heads[0]}": {dice.random():.4f}, "{heads[1]}": "{invented(dice)}", "ok": true}}' for _ in range(2)]
    return "\n".join([*rows, *lines]) + "\n"


def _notes(dice: Random) -> str:
    marks = ("👍", "🎉", "…", " – ", "!!", "¿", "→", "½", "€", "№", "\t", "  ", "\r\n", "👩‍💻")
    words = [invented(dice) + dice.choice(marks) for _ in range(dice.randrange(6, 20))]
    return (
        f"https://{invented(dice).lower()}.example/{dice.randrange(1 << 40):x}?q={invented(dice)} {' '.join(words)}\n"
    )


def _names_in_languages(dice: Random) -> dict[str, str]:
    names = _cldr()
    keys = dice.sample(sorted(set.intersection(*(set(words) for words in names.values()))), NAMES)
    return {language: "\n".join(words[key] for key in keys) for language, words in names.items()}


@cache
def _cldr() -> dict[str, dict[str, str]]:
    without = "Without it: own_corpus(texts, parallel), in a terminal --texts and --parallel"
    with needed("the hidden corpus", "babel", otherwise=without):
        from babel import Locale
    found = {}
    for language in LANGUAGES:
        locale = Locale.parse(language)
        named = {f"country {code}": name for code, name in locale.territories.items() if len(code) == 2}
        named |= {f"language {code}": name for code, name in locale.languages.items() if len(code) == 2}
        found[language] = named
    return found
