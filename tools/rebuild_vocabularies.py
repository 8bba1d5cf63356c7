"""The maintainer's tool: make the bundle again from a tiktoken cache folder.

    python -m tools.rebuild_vocabularies CACHE_DIR [FOLDER]

CACHE_DIR holds what tiktoken downloaded, each file under the SHA-1 of its address; ``use_bundled_vocabularies()`` makes
such a folder too, so the bundle can be rebuilt from itself. Needed are gpt2's vocab.bpe and the files of cl100k_base
and o200k_base; other files are compared. FOLDER is where the bundle goes; by default it replaces the one in the
package.

Nothing is trusted: the sources must have the SHA-256 of the passports, and the new bundle must rebuild every published
file before it replaces the old. Twice the same sources give twice the same bytes (with one version of zlib; the tables
inside are the same with any).
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

from minbpe_course.errors import MinbpeCourseError, UnreadableModel
from minbpe_course.files import read_whole, write_whole
from minbpe_course.reference.recovery import byte_order, recover_merges
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER, from_printable
from minbpe_course.vocabularies.bundle import DATA, PASSPORTS, pack_table
from minbpe_course.vocabularies.published_files import PublishedFile, published_files, rebuild_file

# table -> the encoding and the file that it is recovered from
SOURCES = {
    "r50k": ("gpt2", "vocab.bpe"),
    "cl100k": ("cl100k_base", "cl100k_base.tiktoken"),
    "o200k": ("o200k_base", "o200k_base.tiktoken"),
}


def rebuild(cache_folder: Path, into: Path = DATA) -> dict[str, int]:
    """Recover the merges, write the bundle into ``into``, and return file name -> size in bytes.

    Raises UnusablePath when a source is missing, UnreadableModel when one is not the published file or the new bundle
    does not rebuild all of them.
    """
    passports = json.loads(read_whole(DATA / PASSPORTS).decode("utf-8"))
    passports["tables"] = {}
    bundle: dict[str, bytes] = {}
    for table, (encoding, part) in SOURCES.items():
        source = next(file for file in published_files(encoding) if file.name == part)
        ranks = read_ranks(read_source(cache_folder, source), part)
        packed = pack_table(byte_order(ranks), np.array(recover_merges(ranks), dtype=np.int64))
        name = f"{table}.merges"
        bundle[name] = zlib.compress(packed, 9)
        passports["tables"][table] = {"file": name, "sha256": hashlib.sha256(packed).hexdigest()}
    bundle[PASSPORTS] = (json.dumps(passports, indent=2) + "\n").encode("ascii")

    with tempfile.TemporaryDirectory() as trial:
        _write(bundle, Path(trial))
        for file in published_files():
            rebuilt = rebuild_file(file, Path(trial))
            if (cache_folder / file.cache_name).exists() and read_source(cache_folder, file) != rebuilt:
                raise UnreadableModel(f"{file.name} in {cache_folder} is not the one that the new bundle gives.")
    _write(bundle, into)
    return {name: len(data) for name, data in bundle.items()}


def read_source(cache_folder: Path, file: PublishedFile) -> bytes:
    """Return a published file from a tiktoken cache folder. Raises UnusablePath, UnreadableModel."""
    data = read_whole(cache_folder / file.cache_name)
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise UnreadableModel(
            f"{file.cache_name} in {cache_folder} is not {file.name}: its SHA-256 should be {file.sha256}."
        )
    return data


def read_ranks(data: bytes, part: str) -> dict[bytes, int]:
    """Return bytes -> id from the content of a ``.tiktoken`` file or of ``vocab.bpe``."""
    if part != "vocab.bpe":
        lines = (line.split() for line in data.splitlines())
        return {base64.b64decode(token): int(rank) for token, rank in lines}
    tokens = [PRINTABLE_ORDER[i : i + 1] for i in range(256)]
    for line in data.decode("utf-8").splitlines()[1:]:
        left, right = line.split(" ")
        tokens.append(from_printable(left) + from_printable(right))
    return {token: rank for rank, token in enumerate(tokens)}


def _write(bundle: dict[str, bytes], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in bundle.items():
        write_whole(folder / name, data)


def main(arguments: list[str]) -> int:
    """Run the tool; returns the exit status."""
    if not 1 <= len(arguments) <= 2:
        print("usage: python -m tools.rebuild_vocabularies CACHE_DIR [FOLDER]", file=sys.stderr)
        return 2
    try:
        sizes = rebuild(*map(Path, arguments))
    except MinbpeCourseError as error:
        print(error, file=sys.stderr)
        return 1
    for name, size in sizes.items():
        print(f"{size:>9,}  {name}")
    print(f"{sum(sizes.values()):>9,}  bytes; all {len(published_files())} published files rebuilt to their SHA-256")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
