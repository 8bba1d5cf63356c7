"""Reading the bundle: the tables of merges and the passports that say what they are.

    data/passports.json     everything about the seven encodings but the merges themselves
    data/r50k.merges        256 bytes in the order of their ids, then the pairs; zlib. Likewise cl100k and o200k

In a table the pairs stand as six planes of bytes: the lowest byte of every left id, of every right id, then the middle
bytes, then the highest. Bytes of one kind compress better side by side, and NumPy puts them together again in a few
milliseconds.

Every load compares the table with the SHA-256 in its passport. That the table in turn rebuilds the published file is
proved by ``published_files``, whenever such a file is made.
"""

from __future__ import annotations

import copy
import hashlib
import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course.errors import CorruptVocabulary, UnknownEncoding, UnusablePath
from minbpe_course.files import read_whole
from minbpe_course.model import BytePairModel
from minbpe_course.reference.recovery import recover_merges
from minbpe_course.text.patterns import PATTERNS
from minbpe_course.vocabularies.language_models import what_was_meant

DATA = Path(__file__).parent / "data"
PASSPORTS = "passports.json"
_PLANES = 3  # bytes an id: no id of these vocabularies reaches 2**24


def names() -> tuple[str, ...]:
    """Return the names of the bundled encodings.

    >>> names()
    ('gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base', 'o200k_harmony')
    """
    return tuple(_passports(DATA)["encodings"])


def passport(name: str) -> dict[str, Any]:
    """Return what is known about an encoding: a copy, so changing it changes nothing here.

    Keys: ``table``, ``tokens`` (without special ones), ``pattern`` (a name in ``text.patterns.PATTERNS``),
    ``special_tokens``, ``skipped_ids``, ``space_runs``, ``files`` (each with ``url`` and ``sha256``), ``licence``,
    ``published_by``. Raises UnknownEncoding.

    >>> passport("gpt2")["tokens"], passport("gpt2")["licence"]
    (50256, 'MIT')
    """
    return copy.deepcopy(_entry(name, DATA))


def load(name: str) -> BytePairModel:
    """Return the model of a bundled encoding. Models are frozen, so everybody who asks gets the same one.

    Raises UnknownEncoding, and CorruptVocabulary when the bundle was damaged.

    >>> model = load("cl100k_base")
    >>> len(model.merges), model.token_bytes[14957]
    (100000, b'world')
    """
    _entry(name, DATA)  # first, because a name that cannot be looked up deserves a better answer than "unhashable"
    return _loaded(name)


@cache
def _loaded(name: str) -> BytePairModel:
    return build_model(name, DATA)


def mergeable_ranks(name: str) -> dict[bytes, int]:
    """Return bytes -> id of every ordinary token, in the order of the ids: what tiktoken calls mergeable ranks.

    >>> mergeable_ranks("r50k_base")[b" SolidGoldMagikarp"]
    43453
    """
    return {token: token_id for token_id, token in load(name).token_bytes.items()}


def build_model(name: str, folder: Path) -> BytePairModel:
    """Build the model of ``name`` from the bundle in ``folder``, without remembering it."""
    entry = _entry(name, folder)
    byte_order, pairs = _read_table(entry["table"], folder)
    if entry["space_runs"]:
        pairs = np.concatenate([pairs, _space_runs(byte_order, entry)])
    return BytePairModel(
        pairs,
        byte_order=byte_order,
        pattern=PATTERNS[entry["pattern"]],
        special_tokens=_special_tokens(entry),
        skipped_ids=entry["skipped_ids"],
    )


def packed_table(table: str) -> bytes:
    """Return a table of merges, compressed, as it lies in the bundle; ``passport(name)["table"]`` is its name.

    >>> len(packed_table(passport("gpt2")["table"])) < 200_000
    True
    """
    return read_whole(DATA / _passports(DATA)["tables"][table]["file"])


def pack_table(byte_order: bytes, pairs: np.ndarray) -> bytes:
    """Return the uncompressed form of a table. ``pairs``: int[n, 2], ids below 2**24."""
    columns = np.ascontiguousarray(pairs.T, dtype="<u4")
    planes = [(columns >> np.uint32(8 * plane)).astype(np.uint8) for plane in range(_PLANES)]
    return byte_order + np.stack(planes).tobytes()


def unpack_table(table: bytes) -> tuple[bytes, np.ndarray]:
    """Return the byte order and the pairs, int32[n, 2]: the inverse of ``pack_table``."""
    planes = np.frombuffer(table, dtype=np.uint8, offset=256).reshape(_PLANES, 2, -1).astype(np.int32)
    columns = planes[0] | planes[1] << 8 | planes[2] << 16
    return table[:256], np.ascontiguousarray(columns.T)


def _read_table(table: str, folder: Path) -> tuple[bytes, np.ndarray]:
    facts = _passports(folder)["tables"][table]
    path = folder / facts["file"]
    try:
        content = zlib.decompress(read_whole(path))
    except (zlib.error, UnusablePath) as error:
        raise CorruptVocabulary(f"{path.name} cannot be read: {error}\n{_REINSTALL}") from error
    if hashlib.sha256(content).hexdigest() != facts["sha256"]:
        raise CorruptVocabulary(f"{path.name} is not the table whose SHA-256 its passport names.\n{_REINSTALL}")
    return unpack_table(content)


_REINSTALL = (
    "The bundled vocabularies are damaged. Install the package again: "
    "pip install --force-reinstall --no-deps minbpe-course\n"
    "(in a checkout: git checkout -- minbpe_course/vocabularies/data)"
)


def _space_runs(byte_order: bytes, entry: dict[str, Any]) -> np.ndarray:
    """The merges of the runs of spaces that p50k adds after the last id of its table."""
    first, last = entry["space_runs"]
    next_id = entry["skipped_ids"][-1] + 1
    ranks = {byte_order[i : i + 1]: i for i in range(256)}
    ranks |= {b" " * length: next_id + length - first for length in range(first, last + 1)}
    return np.array(recover_merges(ranks), dtype=np.int32)


def _special_tokens(entry: dict[str, Any]) -> dict[str, int]:
    special: dict[str, int] = {}
    for spelling, first, last in entry.get("special_token_runs", ()):
        special |= {spelling.format(token_id): token_id for token_id in range(first, last + 1)}
    # The runs first: where a reserved id also has a name of its own (200018 in o200k_harmony), tiktoken decodes to that
    # name, and of two texts with one id the last one counts.
    return special | entry["special_tokens"]


def _entry(name: str, folder: Path) -> dict[str, Any]:
    encodings = _passports(folder)["encodings"]
    if isinstance(name, str) and name in encodings:
        return encodings[name]
    known = list(encodings)
    raise UnknownEncoding(f"no bundled encoding is called {name!r}.\nKnown: {', '.join(known)}.{_hint(name, known)}")


def _hint(name: object, known: list[str]) -> str:
    if not isinstance(name, str):
        return "\nGive its name as a str."
    advice = what_was_meant(name, known)
    return "" if advice is None else f"\n{advice}"


@cache
def _passports(folder: Path) -> dict[str, Any]:
    try:
        return json.loads(read_whole(folder / PASSPORTS).decode("utf-8"))
    except (ValueError, UnusablePath) as error:
        raise CorruptVocabulary(f"{PASSPORTS} cannot be read: {error}\n{_REINSTALL}") from error
