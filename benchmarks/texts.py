"""The texts of the benchmarks, put together from what the machine has: no download, so also no two machines alike.

    english        help pages and documentation of packages, and the sources of the standard library, half and half
    multilingual   translated messages and manual pages of the system in 24 languages of ten scripts, and emoji
    names          languages and countries in the words of 100+ languages (CLDR): hardly a word twice
    course         the text of this course: 20 scripts, 60 kB
    big            everything readable: the installed packages, the standard library, the system's documentation

Documents are mixed by a fixed rule, so the beginning of a text is like the rest of it. The worst cases are made, not
found: see ``WORST_CASES``. What a text was made from, its size and its hash stand in the results.
"""

from __future__ import annotations

import gettext
import gzip
import hashlib
import random
import sys
import sysconfig
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path

from minbpe_course.corpus.texts import cldr_names, course_text, pydoc_topics

LANGUAGES = "ja zh_CN zh_TW ko ru uk bg sr el ar fa he hi bn ta te th ka de fr pl es tr vi".split()
LEAST_MESSAGES = 1_000_000  # bytes; a system with fewer translated messages than that has none to speak of
PROSE = (".md", ".rst", ".txt")
SOURCES = (".py", ".pyi", ".c", ".h", ".js", ".ts", ".css", ".html", *PROSE)
LONGEST_FILE = 400_000  # bytes; longer ones are mostly tables and bundles written by machines

# Each takes a number of characters.
WORST_CASES: dict[str, Callable[[int], str]] = {
    "one letter": lambda size: "a" * size,
    "spaces": lambda size: " " * size,
    "ab repeated": lambda size: "ab" * (size // 2),
    "Chinese without a space": lambda size: "".join(random.Random(4).choices(_COMMON_CHINESE, k=size)),
}
_COMMON_CHINESE = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"


def english(limit: int) -> str:
    """Help pages and documentation, at most half of it, then source code."""
    written = _contents(_files([_packages(), Path("/usr/share/doc")], (*PROSE, "README", "NEWS", "TODO", "FAQ")))
    prose = _first(_mix([pydoc_topics(), *_descriptions(), *written]), limit // 2)
    code = _contents(_files([_library()], (".py",), leave_out=("site-packages", "dist-packages")))
    return _mixed([*prose, *_first(_mix(code), limit - sum(map(_size, prose)))], limit)


def multilingual(limit: int) -> str:
    """Translated messages and manual pages of the system, an equal share for each language; names where there are
    none."""
    share = limit // len(LANGUAGES)
    parts: list[str] = []
    for language in LANGUAGES:
        messages = _mix([*_messages(language), *_manual_pages(language)])
        parts += _bundles(_first(messages, share))
    if sum(map(_size, parts)) < LEAST_MESSAGES:
        return names(limit)
    return _mixed([*parts, *_emoji()], limit)


def names(limit: int) -> str:
    """Names of languages and countries in the words of each other, from Babel."""
    return _mixed(list(cldr_names().values()), limit)


def course(limit: int) -> str:
    """The text of the course."""
    return _mixed([course_text()], limit)


def big(limit: int) -> str:
    """Whatever a person could have written on this machine, sources before everything else."""
    places = [_library(), _packages(), *map(Path, ("/usr/share/doc", "/usr/include", "/usr/share/perl"))]
    parts = list(_contents(_files(places, SOURCES)))
    parts += [part for language in LANGUAGES for part in _bundles([*_messages(language), *_manual_pages(language)])]
    return _mixed(parts, limit)


TEXTS: dict[str, Callable[[int], str]] = {
    "english": english,
    "multilingual": multilingual,
    "names": names,
    "course": course,
    "big": big,
}


def store(folder: Path, wanted: dict[str, int]) -> dict[str, dict[str, object]]:
    """Write the wanted texts (name -> bytes at most) into a folder, where all processes find the same ones.

    Returns for each its size in bytes and the beginning of its SHA-256.
    """
    facts: dict[str, dict[str, object]] = {}
    for name, limit in wanted.items():
        data = TEXTS[name](limit).encode("utf-8")
        (folder / f"{name}.txt").write_bytes(data)
        facts[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()[:12]}
    return facts


def load(folder: Path, name: str, limit: int | None = None) -> str:
    """Return a stored text, or its first ``limit`` bytes up to a whole character. It never ends in white space.

    The white space at the end is the one thing about which tiktoken's pattern and the pattern that Hugging Face's
    files hold for the same vocabulary disagree.
    """
    data = (folder / f"{name}.txt").read_bytes()
    return data[:limit].decode("utf-8", errors="ignore").rstrip()


def documents(text: str, characters: int, most: int | None = None) -> list[str]:
    """Cut a text into documents of so many characters, without white space at their ends.

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


def _mix(parts: Iterable[str]) -> list[str]:
    """The same parts in an order that depends on nothing but what they say, each once."""
    unique = {hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest(): part for part in parts}
    return [unique[key] for key in sorted(unique)]


def _mixed(parts: Iterable[str], limit: int) -> str:
    data = "\n".join(_mix(parts)).encode("utf-8", errors="ignore")[:limit]
    return data.decode("utf-8", errors="ignore").rstrip()


def _first(parts: Iterable[str], limit: int) -> list[str]:
    found, room = [], limit
    for part in parts:
        if room <= 0:
            break
        found.append(part[:room])
        room -= _size(part)
    return found


def _bundles(lines: list[str], of: int = 40) -> list[str]:
    """Messages of one language that stand together, as they would in a document."""
    return ["\n".join(lines[at : at + of]) for at in range(0, len(lines), of)]


def _files(places: Iterable[Path], endings: tuple[str, ...], leave_out: tuple[str, ...] = ()) -> Iterator[Path]:
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else ():
            named_so = path.name.removesuffix(".gz").endswith(endings)
            if named_so and not set(leave_out) & set(path.parts) and path.is_file():
                yield path


def _contents(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        try:
            if not 200 < path.stat().st_size <= LONGEST_FILE:
                continue
            data = path.read_bytes()
            yield (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").replace("\r\n", "\n")
        except (OSError, EOFError, UnicodeDecodeError):
            continue  # not for us, or not in UTF-8


def _descriptions() -> Iterator[str]:
    """The page that each installed package has on the package index."""
    for distribution in metadata.distributions():
        described = distribution.metadata
        if described is not None:
            yield str(described.get_payload() or described.get("Description") or "")


def _messages(language: str) -> list[str]:
    found: set[str] = set()
    for base in {sys.base_prefix, sys.prefix, "/usr"}:
        for path in sorted(Path(base, "share", "locale", language, "LC_MESSAGES").glob("*.mo")):
            try:
                with path.open("rb") as file:
                    catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            except (OSError, ValueError, UnicodeError):
                continue
            # A message that was not translated says the same twice; a short one is a label, not a sentence.
            pairs = ((key, said) for key, said in catalogue.items() if isinstance(said, str) and len(said) > 12)
            found.update(said for key, said in pairs if said != key and not key == "")
    return sorted(found)


def _manual_pages(language: str) -> list[str]:
    return list(_contents(sorted(Path("/usr/share/man", language).rglob("*.gz"))))


def _emoji() -> list[str]:
    blocks = [*range(0x1F300, 0x1F650), *range(0x1F680, 0x1F700), *range(0x1F900, 0x1FA00), *range(0x2600, 0x27C0)]
    known = [chr(number) for number in blocks if unicodedata.name(chr(number), "")]
    return _bundles([f"{sign} {unicodedata.name(sign).lower()} {sign}{sign}" for sign in known])
