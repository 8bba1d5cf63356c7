"""Make one shard: read its parts of a corpus, encode them and write them, in a thread or on a worker of a cluster."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course.corpus.parts import PARQUET
from minbpe_course.corpus.reading import Part
from minbpe_course.files import open_to_read
from minbpe_course.model.frames import Frame
from minbpe_course.token_files import shard_files
from minbpe_course.tokenizers.adapters import AnyTokenizer
from minbpe_course.tokenizers.file_encoding import DocumentEncoder, work_of


def shard_name(number: int, form: str) -> str:
    """Return the name of a shard.

    >>> shard_name(7, "npy")
    'shard-00007.npy'
    """
    return f"shard-{number:05}.{form}"


def packed(parts: Iterable[Part], size: int) -> Iterator[list[Part]]:
    """Yield consecutive parts that make a shard together: as many as have at most ``size`` bytes, or one."""
    together: list[Part] = []
    room = size
    for part in parts:
        # The bytes of a row group are unknown, but parts of one file never fit together.
        length = part.size if part.stop is None or part.kind == PARQUET else part.stop - part.start
        if together and (length > room or part.path == together[-1].path):
            yield together
            together, room = [], size
        together.append(part)
        room -= length
    if together:
        yield together


@dataclass(frozen=True)
class ShardPlan:
    """The common settings of all shards; it can be pickled.

    folder : of the shards · form : "npy" or "parquet" · dtype : of the ids · around : the ids before and after each
    document.
    """

    tokenizer: AnyTokenizer
    folder: Path
    form: str
    dtype: str
    around: Frame


class ShardWork(NamedTuple):
    """A shard to make: its number, and the parts of the corpus that it contains."""

    number: int
    parts: list[Part]


def make_shard(work: ShardWork, plan: ShardPlan, stopped: Callable[[], bool] = lambda: False) -> dict[str, Any]:
    """Encode the parts of a shard into its file, and return its entry for the manifest.

    stopped : called now and then; True ends the work with InterruptedError. The file depends only on the work and the
    plan. Raises the errors of reading, encoding and writing.
    """
    path = plan.folder / shard_name(work.number, plan.form)
    tokens = documents = 0
    tally: Counter[str] = Counter()
    with shard_files.written(path, plan.form, plan.dtype) as file:
        encoder = DocumentEncoder(plan.tokenizer, *plan.around, tally=tally)
        for each in work_of(work.parts, plan.tokenizer.cutter):
            if stopped():
                raise InterruptedError("the work was stopped")
            ids, ends, _, _ = encoder(each)
            file.add(ids, ends)
            tokens += ids.size
            documents += ends.size
    return {
        "number": work.number,
        "file": path.name,
        "bytes": path.stat().st_size,
        "sha256": sha256_of(path),
        "tokens": tokens,
        "documents": documents,
        "sources": [{**source_of(part), "documents": tally[part.path]} for part in work.parts],
    }


def source_of(part: Part) -> dict[str, Any]:
    """Return what the manifest says about a part."""
    return {name: getattr(part, name) for name in ("path", "kind", "compression", "start", "stop")}


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises UnusablePath."""
    digest = hashlib.sha256()
    with open_to_read(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
