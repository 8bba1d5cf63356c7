"""Make the texts of the benchmarks from files on this machine. Nothing is downloaded, so machines differ.

    english        half help pages and package documentation, half source code of the standard library
    multilingual   translated messages and manual pages of the system in 24 languages and ten scripts, and emoji
    names          names of languages and countries in 100+ languages (CLDR): few words occur twice
    course         the text of this course: 20 scripts, 60 kB
    big            all readable files: the installed packages, the standard library, the system's documentation

A fixed rule selects and mixes the files, so the beginning of a text is like the rest of it. Files with characters newer
than the Unicode tables of a contestant are left out, because libraries disagree about them. The results page shows the
size and the hash of each text. ``worst_case`` makes the texts that are hard for tokenizers.
"""

from __future__ import annotations

import gettext
import gzip
import hashlib
import os
import random
import sys
import sysconfig
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course.corpus.texts import cldr_names, course_text, pydoc_topics
from minbpe_course.text.unicode_tables import CODE_POINTS, character_classes

LANGUAGES = tuple(
    "ja zh_CN zh_TW ko ru uk bg sr el ar fa he hi bn ta te th ka de fr pl es tr vi".split()  # noqa: SIM905
)
LEAST_TRANSLATED = 500_000  # bytes; with less, the system counts as having no translations
PROSE = (".md", ".rst", ".txt")
SOURCES = (".py", ".pyi", ".c", ".h", ".js", ".ts", ".css", ".html", *PROSE)
LONGEST_FILE = 400_000  # bytes; longer files are mostly generated tables and bundles


def english(limit: int) -> str:
    """Return help pages and documentation (at most half of the text), then source code."""
    written = _files([_packages(), Path("/usr/share/doc")], (*PROSE, "README", "NEWS", "TODO", "FAQ"))
    prose = _first([pydoc_topics(), *_descriptions()], limit // 4)
    prose += _gather(written, limit // 2 - sum(map(_size, prose)))
    code = _gather(_files([_library()], (".py",), leave_out=("site-packages", "dist-packages")), limit)
    return _mixed([*prose, *_first(code, limit - sum(map(_size, prose)))], limit)


def multilingual(limit: int) -> str:
    """Return translated messages and manual pages of the system, with an equal share for each language, and emoji.

    If the system has too few translations, return ``names`` instead.
    """
    found = [_gather(_translations(language), limit // len(LANGUAGES)) for language in LANGUAGES]
    parts = [part for parts in found for part in parts]
    if sum(map(_size, parts)) < LEAST_TRANSLATED:
        return names(limit)
    return _mixed([*parts, *_emoji()], limit)


def names(limit: int) -> str:
    """Return the names of languages and countries in many languages, from Babel."""
    return _mixed(list(cldr_names().values()), limit)


def course(limit: int) -> str:
    """Return the text that the lessons of this course encode, in its current version."""
    return course_text().encode("utf-8")[:limit].decode("utf-8", errors="ignore").rstrip()


def big(limit: int) -> str:
    """Return all text on this machine that a person may have written."""
    places = [_library(), _packages(), *map(Path, ("/usr/share/doc", "/usr/include", "/usr/share/perl"))]
    paths = [*_files(places, SOURCES), *(path for language in LANGUAGES for path in _translations(language))]
    return _mixed(_gather(paths, limit), limit)


def worst_case(name: str, characters: int) -> str:
    """Return a text that the split pattern leaves whole, or cuts in very few places.

    >>> worst_case("ab repeated", 5)
    'ababa'
    """
    if name == "Chinese without a space":
        known = [sign for sign in cldr_names()["zh"] if "\u4e00" <= sign <= "\u9fff"]
        return "".join(random.Random(4).choices(known, k=characters))
    unit = {"one letter": "a", "spaces": " ", "ab repeated": "ab"}[name]
    return (unit * characters)[:characters]


TEXTS: dict[str, Callable[[int], str]] = {
    "english": english,
    "multilingual": multilingual,
    "names": names,
    "course": course,
    "big": big,
}


def store(folder: Path, wanted: dict[str, int]) -> dict[str, dict[str, object]]:
    """Write texts into a folder, so that all processes read the same ones; ``wanted`` maps names to the most bytes.

    Return the size in bytes and the first digits of the SHA-256 of each.
    """
    facts: dict[str, dict[str, object]] = {}
    for name, limit in wanted.items():
        data = TEXTS[name](limit).encode("utf-8")
        (folder / f"{name}.txt").write_bytes(data)
        facts[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()[:12]}
    return facts


def load(folder: Path, name: str, limit: int | None = None) -> str:
    """Return a stored text, or its first ``limit`` bytes up to a whole character, without white space at the end.

    Trailing white space is the only thing that tiktoken's pattern and the pattern in Hugging Face's file for the same
    vocabulary split differently.
    """
    data = (folder / f"{name}.txt").read_bytes()
    return data[:limit].decode("utf-8", errors="ignore").rstrip()


def documents(text: str, characters: int, most: int | None = None) -> list[str]:
    """Cut a text into documents of ``characters`` characters, without white space at either end.

    >>> documents("one two three four", 4)
    ['one', 'two', 'thre', 'e fo', 'ur']
    """
    cut = (text[at : at + characters].strip() for at in range(0, len(text), characters))
    found = [piece for piece in cut if piece]
    return found[:most]


def _library() -> Path:
    return Path(sysconfig.get_path("stdlib"))


def _packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _order(text: str) -> bytes:
    """Return a sort key that depends only on the text itself."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _mixed(parts: Iterable[str], limit: int) -> str:
    data = "\n".join(sorted(filter(undisputed, parts), key=_order)).encode("utf-8", errors="ignore")[:limit]
    return data.decode("utf-8", errors="ignore").rstrip()


def undisputed(part: str) -> bool:
    """Return whether all programs agree about the classes of all characters in a part."""
    if part.isascii():
        return True
    return not bool(_disputed()[np.frombuffer(part.encode("utf-32-le", "replace"), dtype="<u4")].any())


@cache
def _disputed() -> np.ndarray:
    """Return, for each code point, whether it is so new that programs disagree about its class."""
    disputed = character_classes("tiktoken") != character_classes("regex")
    disputed |= np.fromiter((unicodedata.category(chr(at)) == "Cn" for at in range(CODE_POINTS)), bool, CODE_POINTS)
    return disputed


def _first(parts: Iterable[str], limit: int) -> list[str]:
    """Return the first parts, without duplicates, up to ``limit`` bytes."""
    found: dict[bytes, str] = {}
    room = limit
    for part in parts:
        if room <= 0:
            break
        if _order(part) not in found:
            found[_order(part)] = part[:room]
            room -= _size(part)
    return list(found.values())


def _gather(paths: Iterable[Path], limit: int) -> list[str]:
    """Return the contents of files from all folders, in a fixed mixed order, up to ``limit`` bytes."""
    ordered = sorted(paths, key=lambda path: _order("/".join(path.parts[-4:])))
    return _first((part for path in ordered for part in _read(path)), limit)


def _files(places: Iterable[Path], endings: tuple[str, ...], leave_out: tuple[str, ...] = ()) -> Iterator[Path]:
    for place in places:
        for folder, folders, files in os.walk(place):
            folders[:] = [name for name in folders if name not in (*leave_out, "__pycache__")]
            yield from (Path(folder, name) for name in files if name.removesuffix(".gz").endswith(endings))


def _translations(language: str) -> Iterator[Path]:
    for base in sorted({sys.base_prefix, sys.prefix, "/usr"}):
        yield from _files([Path(base, "share", "locale", language, "LC_MESSAGES")], (".mo",))
        yield from _files([Path(base, "share", "man", language)], tuple(f".{number}" for number in range(1, 10)))


def _read(path: Path) -> Iterator[str]:
    """Yield the text of a file in parts; nothing if it is excluded or not UTF-8."""
    try:
        if not 200 < path.stat().st_size <= LONGEST_FILE:
            return
        if path.suffix == ".mo":
            yield from _bundles(_messages(path))
            return
        data = path.read_bytes()
        yield (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").replace("\r\n", "\n")
    except (OSError, EOFError, zlib.error, ValueError):
        return


def _messages(path: Path) -> list[str]:
    """Return the translated sentences of a catalogue, in the order of the originals."""
    with path.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    # A message equal to its key was not translated. A short one is a label, not a sentence.
    return [said for key, said in catalogue.items() if key and said != key and isinstance(said, str) and len(said) > 12]


def _bundles(lines: list[str], of: int = 40) -> list[str]:
    """Group messages into parts of ``of`` lines, like documents."""
    return ["\n".join(lines[at : at + of]) for at in range(0, len(lines), of)]


def _descriptions() -> Iterator[str]:
    """Yield the description of each installed package, as the package index shows it."""
    for distribution in metadata.distributions():
        described: Any = distribution.metadata
        if described is not None:
            yield str(described.get_payload() or described.get("Description") or "")


def _emoji() -> list[str]:
    blocks = [*range(0x1F300, 0x1F650), *range(0x1F680, 0x1F700), *range(0x1F900, 0x1FA00), *range(0x2600, 0x27C0)]
    known = [chr(number) for number in blocks if unicodedata.name(chr(number), "")]
    return _bundles([f"{sign} {unicodedata.name(sign).lower()} {sign}{sign}" for sign in known])
