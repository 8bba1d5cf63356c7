"""Reading the bundle: tables of merges, and a passport for each encoding.

    data/passports.json     everything about the seven encodings except the merges
    data/r50k.merges        256 bytes in the order of their ids, then the pairs; zlib. Likewise cl100k and o200k

A table stores the pairs as six planes of bytes: the lowest byte of every left id, of every right id, then the middle
bytes, then the highest. Similar bytes compress better together, and NumPy joins them in a few milliseconds.

Every load compares the table with the SHA-256 in its passport. ``published_files`` proves that the table rebuilds the
published file, each time it makes one.
"""

from __future__ import annotations

import copy
import hashlib
import json
import zlib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course.errors import UnknownEncoding, UnreadableModel, UnusablePath
from minbpe_course.files import read_whole
from minbpe_course.model import BytePairModel
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
    """Return the facts about an encoding, as a copy that may be changed.

    Keys: ``table``, ``tokens`` (without special ones), ``pattern`` (a name in ``text.patterns.PATTERNS``),
    ``special_tokens``, ``skipped_ids``, ``space_runs``, ``files`` (each with ``url`` and ``sha256``), ``licence``,
    ``published_by``. Raises UnknownEncoding.

    >>> passport("gpt2")["tokens"], passport("gpt2")["licence"]
    (50256, 'MIT')
    """
    return copy.deepcopy(_entry(name, DATA))


def load(name: str) -> BytePairModel:
    """Return the model of a bundled encoding. Models are frozen, so each is made only once.

    Raises UnknownEncoding, and UnreadableModel when the bundle is damaged.

    >>> model = load("cl100k_base")
    >>> len(model.merges), model.token_bytes[14957]
    (100000, b'world')
    """
    _entry(name, DATA)  # before the cache, which would answer "unhashable" for a list
    return _loaded(name)


@cache
def _loaded(name: str) -> BytePairModel:
    return build_model(name, DATA)


def mergeable_ranks(name: str) -> dict[bytes, int]:
    """Return bytes -> id of every ordinary token in the order of the ids; tiktoken calls this mergeable ranks.

    >>> mergeable_ranks("r50k_base")[b" SolidGoldMagikarp"]
    43453
    """
    return {token: token_id for token_id, token in load(name).token_bytes.items()}


def build_model(name: str, folder: Path) -> BytePairModel:
    """Build the model of ``name`` from the bundle in ``folder``, without caching it."""
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
    """Return a compressed table of merges from the bundle; ``passport(name)["table"]`` is its name."""
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
        raise UnreadableModel(f"{path.name} cannot be read: {error}\n{_REINSTALL}") from error
    if hashlib.sha256(content).hexdigest() != facts["sha256"]:
        raise UnreadableModel(f"{path.name} does not have the SHA-256 in its passport.\n{_REINSTALL}")
    return unpack_table(content)


_REINSTALL = (
    "The bundled vocabularies are damaged. Install the package again: "
    "pip install --force-reinstall --no-deps minbpe-course\n"
    "(in a checkout: git checkout -- minbpe_course/vocabularies/data)"
)


def _space_runs(byte_order: bytes, entry: dict[str, Any]) -> np.ndarray:
    """Return the merges of the runs of spaces that p50k adds after the last id of its table."""
    shortest, longest = entry["space_runs"]
    next_id = entry["skipped_ids"][-1] + 1
    ids = {1: byte_order.index(b" "), **{n: next_id + n - shortest for n in range(shortest, longest + 1)}}
    pairs = []
    for length in range(shortest, longest + 1):
        # Shorter runs have lower ids, so they merge first, the leftmost of equals, until two are left.
        parts = [1] * length
        while len(parts) > 2:
            sums = [left + right for left, right in pairwise(parts)]
            at = sums.index(min(sums))
            parts[at : at + 2] = [sums[at]]
        pairs.append([ids[part] for part in parts])
    return np.array(pairs, dtype=np.int32)


def _special_tokens(entry: dict[str, Any]) -> dict[str, int]:
    special: dict[str, int] = {}
    for spelling, first, last in entry.get("special_token_runs", ()):
        special |= {spelling.format(token_id): token_id for token_id in range(first, last + 1)}
    # The named tokens last: id 200018 of o200k_harmony is reserved and also has a name, to which tiktoken decodes it.
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
        raise UnreadableModel(f"{PASSPORTS} cannot be read: {error}\n{_REINSTALL}") from error
