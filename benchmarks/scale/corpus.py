"""Build a gigabyte of real text from the package index: the same files on every machine, each once, in a fixed order.

    english        documentation pages, and sentences that describe the services of two cloud providers
    multilingual   translated messages of forty programs in a hundred languages, and word and text collections
    code           hand-written Python, JavaScript and C
    data           JSON, YAML, CSV, XML: configuration, tables, music

``packages.txt`` pins the packages. Only wheels are downloaded, so none of their code runs. Duplicate files are used
once; generated files (bundles without line ends, tables of numbers) are left out. The files are sorted by their hashes,
so every beginning of the text is like the whole, and growth can be measured on beginnings.
"""

from __future__ import annotations

import gettext
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.texts import undisputed
from minbpe_course.files import write_whole

PACKAGES = Path(__file__).with_name("packages.txt")
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64", "any")
SECONDS_A_PACKAGE = 180

KINDS = ("english", "multilingual", "code", "data")
SHORTEST, LONGEST = 200, 1_500_000  # bytes of a file; longer files are dictionaries and tables
A_PACKAGE = 110_000_000  # the most bytes of text from one package
PART = 100_000_000  # bytes of the part that is written in every format
LONGEST_LINE = 600  # mean bytes of a line; a file with longer lines was generated
CODE = (".py", ".pyi", ".pyx", ".js", ".ts", ".c", ".h", ".css", ".sql", ".html", ".sh")
PROSE = (".md", ".rst", ".txt", "/METADATA")
DATA = (".json", ".yaml", ".yml", ".csv", ".xml", ".krn", ".abc", ".toml")
DESCRIBED = ("botocore", "google_api_python_client", "googleapiclient")
SENTENCE = re.compile(r'"(?:documentation|description)"\s*:\s*("(?:[^"\\]|\\.){30,}")')
TAG = re.compile(r"<[^<>]{1,80}>")


class Document(NamedTuple):
    """One file of a package, or the messages of one catalogue."""

    order: bytes
    kind: str
    text: bytes


def download(cache: Path, say: Any = print) -> list[Path]:
    """Download the wheels that are not in the cache yet, and return all that are there."""
    cache.mkdir(parents=True, exist_ok=True)
    for wanted in pinned():
        if not wheels_of(cache, wanted):
            where = [part for platform in PLATFORMS for part in ("--platform", platform)]
            tags = ["--python-version", "3.14", "--implementation", "cp", "--abi", "cp314", "--abi", "abi3"]
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
            try:
                done = subprocess.run(
                    [*command, *tags, "--abi", "none", *where, "--dest", str(cache), wanted],
                    capture_output=True, text=True, encoding="utf-8", check=False, timeout=SECONDS_A_PACKAGE,
                )  # fmt: skip
                problem = done.stderr.strip().splitlines()[-1:] if done.returncode else []
            except subprocess.TimeoutExpired:
                problem = ["no answer in time"]
            say(f"{wanted}: {problem[0][:150] if problem else 'downloaded'}")
    return [wheel for wanted in pinned() for wheel in wheels_of(cache, wanted)]


def pinned() -> list[str]:
    """Return the lines of ``packages.txt``: name==version."""
    lines = PACKAGES.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def wheels_of(cache: Path, wanted: str) -> list[Path]:
    """Return the files of one pinned package that are in the cache, perhaps an empty list."""
    name, version = re.sub(r"[-_.]+", "_", wanted).lower().split("==")[0], wanted.split("==")[1]
    return [path for path in sorted(cache.glob("*.whl")) if path.name.lower().startswith(f"{name}-{version}-")]


def documents(wheels: Iterable[Path]) -> Iterator[Document]:
    """Yield the texts in some wheels without duplicates, about A_PACKAGE bytes from each wheel at most."""
    seen: set[bytes] = set()
    for wheel in wheels:
        room = A_PACKAGE
        with zipfile.ZipFile(wheel) as archive:
            entries = sorted(archive.infolist(), key=lambda entry: hashlib.sha256(entry.filename.encode()).digest())
            for entry in entries:
                for kind, said in read(entry.filename, entry.file_size, archive, wheel.name):
                    text = (said.replace("\r\n", "\n").rstrip() + "\n").encode("utf-8", "ignore")
                    order = hashlib.sha256(text).digest()
                    if room > 0 and SHORTEST <= len(text) <= LONGEST and order not in seen and undisputed(said):
                        seen.add(order)
                        room -= len(text)
                        yield Document(order, kind, text)


def assemble(cache: Path, folder: Path, limit: int, say: Any = print) -> dict[str, int]:
    """Write the corpus: ``all.txt`` of ``limit`` bytes at most, a file for each kind, and a part in every format.

    Return the bytes of each kind in ``all.txt``. A corpus that already exists is not written again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts = folder / "corpus.json"
    if facts.exists():
        known: dict[str, int] = json.loads(facts.read_bytes())
        return known
    wheels = download(cache, say)
    places: list[tuple[bytes, str, int, int]] = []
    with tempfile.TemporaryFile() as heap:
        for document in documents(wheels):
            places.append((document.order, document.kind, heap.tell(), len(document.text)))
            heap.write(document.text)
        places.sort()
        sizes = dict.fromkeys(KINDS, 0)
        part = []
        with ExitStack() as stack:
            files = {kind: stack.enter_context((folder / f"{kind}.txt").open("wb")) for kind in ("all", *KINDS)}
            for _, kind, at, size in places:
                if sum(sizes.values()) + size > limit:
                    break
                heap.seek(at)
                text = heap.read(size)
                files["all"].write(text)
                files[kind].write(text)
                sizes[kind] += size
                if sum(sizes.values()) <= PART:
                    part.append(text.decode("utf-8"))
    formats(folder, part)
    write_whole(facts, json.dumps(sizes).encode("utf-8"))
    return sizes


def formats(folder: Path, part: list[str]) -> None:
    """Write the same documents as plain text, gzip, zstd, JSON lines and Parquet."""
    data = "".join(part).encode("utf-8")
    (folder / "part.txt").write_bytes(data)
    with gzip.open(folder / "part.txt.gz", "wb", compresslevel=6) as file:
        file.write(data)
    with (folder / "part.jsonl").open("w", encoding="utf-8", newline="\n") as lines:
        lines.writelines(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in part)
    try:
        import zstandard

        (folder / "part.txt.zst").write_bytes(zstandard.ZstdCompressor(level=3).compress(data))
    except ImportError:
        pass
    try:
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"text": part}), folder / "part.parquet", row_group_size=1000)
    except ImportError:
        pass


def read(name: str, size: int, archive: zipfile.ZipFile, wheel: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of one file, in parts; yield nothing if the file is not suitable."""
    plain = name.removesuffix(".gz")
    if size < SHORTEST or not plain.endswith((*CODE, *PROSE, *DATA, ".po", ".mo")):
        return
    try:
        data = archive.read(name)
        data = gzip.decompress(data) if name.endswith(".gz") else data
        if plain.endswith((".po", ".mo")):
            messages = of_catalogue(data) if plain.endswith(".mo") else of_messages(data.decode("utf-8"))
            yield from (("multilingual", bundle) for bundle in bundles(messages))
            return
        text = data.decode("utf-8")
        if plain.endswith(".json") and wheel.startswith(DESCRIBED):
            yield from (("english", bundle) for bundle in bundles(described(text)))
        elif plain.endswith(".json") and re.search("transl|locale|i18n", name):
            yield from (("multilingual", bundle) for bundle in bundles(list(strings(json.loads(text)))))
        elif len(data) <= LONGEST_LINE * (1 + text.count("\n")):
            kind = "code" if plain.endswith(CODE) else "data" if plain.endswith(DATA) else "english"
            if kind == "english" and len(data) > 1.02 * len(text):
                kind = "multilingual"
            numbers = sum(map(text.count, "0123456789"))
            if numbers < 0.2 * len(text):
                yield kind, text
    except (OSError, EOFError, zlib.error, ValueError, NotImplementedError, RecursionError):
        return


def described(text: str) -> list[str]:
    """Return the sentences that describe the parts of a service, without HTML tags."""
    found = dict.fromkeys(json.loads(match.group(1)) for match in SENTENCE.finditer(text))
    return [TAG.sub("", sentence) for sentence in found]


def of_catalogue(data: bytes) -> list[str]:
    """Return the translations in a compiled catalogue (``.mo``)."""
    catalogue: Any = gettext.GNUTranslations(io.BytesIO(data))
    said = catalogue._catalog.items()
    return [text for key, text in said if key and isinstance(text, str) and text != key and len(text) > 12]


def of_messages(text: str) -> list[str]:
    """Return the translations in a source catalogue (``.po``)."""
    found = []
    for match in re.finditer(r'^msgstr(?:\[\d\])? ((?:".*"\n?)+)', text, re.MULTILINE):
        said = "".join(json.loads(line, strict=False) for line in match.group(1).splitlines() if line.endswith('"'))
        if len(said) > 12 and not said.startswith("Project-Id-Version"):
            found.append(said)
    return found


def strings(value: Any) -> Iterator[str]:
    """Yield every string of more than 12 characters inside a JSON value."""
    if isinstance(value, str):
        if len(value) > 12:
            yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def bundles(lines: list[str], of: int = 40) -> list[str]:
    """Group messages into parts of ``of`` lines, like documents."""
    return ["\n".join(lines[at : at + of]) + "\n" for at in range(0, len(lines), of)]
