"""Texts to learn from that need no download: the text of the course, and texts that are on every machine.

    course_text()     written for this course, CC0, the same bytes everywhere: prose, 40 parallel texts, code, emoji ...
    clock_story()     a story of twelve sentences, in twelve languages; CC0, too
    python_source()   the standard library of the running Python
    pydoc_topics()    the help pages of the running Python
    cldr_names()      names of languages and countries in 100+ languages, from Babel, which comes with JupyterLab

Limits: only the first two are the same on every machine. The others depend on the installed versions, so neither they
nor anything counted in them may appear in an output that is compared.
"""

from __future__ import annotations

import re
import sysconfig
from functools import cache
from pathlib import Path

from minbpe_course.errors import InvalidSource, UnusablePath
from minbpe_course.extras import needed
from minbpe_course.files import read_whole

COURSE_TEXT_FILE = Path(__file__).parent / "data" / "course_text.txt"
CLOCK_STORY_FILE = COURSE_TEXT_FILE.with_name("clock_story.txt")

_TITLE = re.compile(r"^== (.+) ==\n", re.MULTILINE)
_SCENE = "A morning in "
_SENTENCE = re.compile(r"[^.。।።۔]+[.。।።۔][”“»」\"]*\s*")
_NOT_SOURCE = {"site-packages", "dist-packages", "__pycache__", "test", "tests", "idle_test"}


@cache
def course_text() -> str:
    r"""Return the text written for this course, exactly as stored: CRLF and trailing spaces included.

    More than 60 kB of UTF-8: English prose (about half of it), one small scene in many languages and scripts, code,
    numbers, punctuation, emoji, composed and decomposed letters, every kind of whitespace.

    >>> course_text().splitlines()[0]
    '== The Foundry on Ferry Street =='
    >>> "\r\n" in course_text()
    True
    """
    # Decoded from bytes: reading it as text would turn CRLF into LF.
    return read_whole(COURSE_TEXT_FILE).decode("utf-8")


def course_sections() -> dict[str, str]:
    r"""Return the sections of course_text() by title, in order; joined, they are the whole text.

    Each section begins with its title line ``== title ==`` and an empty line. The sections ``A morning in ...`` tell
    the same five sentences in different languages.

    >>> sections = course_sections()
    >>> "".join(sections.values()) == course_text()
    True
    >>> sections["A morning in Greek"][:49]
    '== A morning in Greek ==\n\nΣήμερα το πρωί έβρεξε. '
    """
    text = course_text()
    titles = list(_TITLE.finditer(text))
    ends = [title.start() for title in titles[1:]] + [len(text)]
    return {title.group(1): text[title.start() : end] for title, end in zip(titles, ends, strict=True)}


def parallel_sentences() -> dict[str, list[str]]:
    r"""Return the sentences of ``A morning in ...`` by language: five, which say the same in every language.

    Three languages are left out: where Thai ends a sentence cannot be seen, and Armenian and Korean have more of them.

    >>> sentences = parallel_sentences()
    >>> len(sentences), sentences["Greek"][0], {len(each) for each in sentences.values()}
    (37, 'Σήμερα το πρωί έβρεξε. ', {5})
    """
    found = {
        title.removeprefix(_SCENE): _SENTENCE.findall(text.split("\n\n")[1])
        for title, text in course_sections().items()
        if title.startswith(_SCENE)
    }
    return {language: sentences for language, sentences in found.items() if len(sentences) == 5}


def clock_story() -> dict[str, list[str]]:
    r"""Return the twelve sentences of a short story by language: the same story in each of twelve languages.

    >>> story = clock_story()
    >>> len(story), story["English"][0], {len(sentences) for sentences in story.values()}
    (12, 'The clock in the square had stood still for eleven years.\n', {12})
    """
    parts = _TITLE.split(read_whole(CLOCK_STORY_FILE).decode("utf-8").replace("\r\n", "\n"))[1:]
    return {
        language: [f"{line}\n" for line in text.strip().split("\n")] for language, text in zip(parts[::2], parts[1::2])
    }


def python_source(max_bytes: int = 2_000_000) -> str:
    """Return sources of the running Python's standard library, at most ``max_bytes`` of UTF-8, cut at a line end.

    Modules come first, then packages, each sorted by name; test suites are left out. Raises InvalidSource when
    ``max_bytes`` is not a positive number, UnusablePath when this Python has only compiled files.

    >>> len(python_source(max_bytes=1000).encode("utf-8")) <= 1000
    True
    """
    if not isinstance(max_bytes, int) or max_bytes <= 0:
        raise InvalidSource(f"max_bytes is {max_bytes!r}, not a positive number; type python_source(2_000_000)")
    library = Path(sysconfig.get_path("stdlib"))
    files = _source_files(library)
    if not files:
        raise UnusablePath(f"this Python keeps no source files in {library}; use course_text() in their place.")
    parts: list[bytes] = []
    room = max_bytes
    for path in files:
        data = _utf8_or_nothing(path)
        if len(data) > room:
            parts.append(data[: data.rfind(b"\n", 0, room) + 1])
            break
        parts.append(data)
        room -= len(data)
    return b"".join(parts).decode("utf-8")


def pydoc_topics() -> str:
    """Return the help pages that come with Python (what ``help("FORMATTING")`` shows), sorted by name.

    >>> "format string" in pydoc_topics().lower()
    True
    """
    from pydoc_data.topics import topics

    return "\n".join(topics[name] for name in sorted(topics))


@cache
def cldr_names() -> dict[str, str]:
    r"""Return, for each language of Babel's CLDR data, the names of languages and countries in it.

    Keys are language codes ("el", "ta", "zh_Hant", ...), values are sorted names joined by line ends. There are more
    than 100 languages; those with fewer than 100 names are left out. Do not change the dictionary: it is cached. Raises
    MissingPackage when Babel is missing.

    >>> "Ελλάδα" in cldr_names()["el"].split("\n")
    True
    """
    with needed("cldr_names()", "babel"):
        from babel import Locale, localedata
    names = {}
    for code in sorted(localedata.locale_identifiers()):
        # Regional variants (en_GB, fr_CA) repeat most words; scripts (zh_Hant, sr_Latn) do not.
        if re.fullmatch(r"[a-z]+(_[A-Z][a-z]{3})?", code):
            locale = Locale.parse(code)
            words = {*locale.languages.values(), *locale.territories.values()}
            if len(words) >= 100:
                names[code] = "\n".join(sorted(words))
    return names


def _source_files(library: Path) -> list[Path]:
    found = (path.relative_to(library) for path in library.rglob("*.py"))
    wanted = [path for path in found if not _NOT_SOURCE & set(path.parts[:-1])]
    return [library / path for path in sorted(wanted, key=lambda path: (len(path.parts) > 1, path.as_posix()))]


def _utf8_or_nothing(path: Path) -> bytes:
    # A few sources use another encoding on purpose, or cannot be read.
    try:
        data = path.read_bytes().replace(b"\r\n", b"\n")
        data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return b""
    return data
