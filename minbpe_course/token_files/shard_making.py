"""Make one shard: read a part of a corpus, encode it and write it, in a thread or on a worker of a cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minbpe_course.corpus.reading import Part
from minbpe_course.files import open_to_read
from minbpe_course.model.frames import Frame
from minbpe_course.token_files import shard_files
from minbpe_course.tokenizers.adapters import AnyTokenizer
from minbpe_course.tokenizers.file_encoding import DocumentEncoder, work_of


def shard_name(number: int, digits: int, form: str) -> str:
    """Return the name of a shard; digits : the least number of digits in it."""
    return f"shard-{number:0{digits}}.{form}"


@dataclass(frozen=True)
class ShardPlan:
    """The common settings of all shards; it can be pickled.

    folder : of the shards · form : "npy" or "parquet" · dtype : of the ids · around : the ids before and after each
    document · digits : of the numbers in their names.
    """

    tokenizer: AnyTokenizer
    folder: Path
    form: str
    dtype: str
    around: Frame
    digits: int

    def name(self, number: int) -> str:
        """Return the name of a shard."""
        return shard_name(number, self.digits, self.form)


def make_shard(part: Part, plan: ShardPlan, stopped: Callable[[], bool] = lambda: False) -> dict[str, Any]:
    """Encode a part into its file, and return its entry for the manifest.

    stopped : called now and then; True ends the work with InterruptedError. The file depends only on the part and the
    plan. Raises the errors of reading, encoding and writing.
    """
    path = plan.folder / plan.name(part.number)
    tokens = documents = 0
    with shard_files.written(path, plan.form, plan.dtype) as file:
        encoder = DocumentEncoder(plan.tokenizer, *plan.around)
        for work in work_of([part], plan.tokenizer.cutter):
            if stopped():
                raise InterruptedError("the work was stopped")
            ids, ends, _, _ = encoder(work)
            file.add(ids, ends)
            tokens += ids.size
            documents += ends.size
    return {
        "file": path.name,
        "bytes": path.stat().st_size,
        "sha256": sha256_of(path),
        "tokens": tokens,
        "documents": documents,
        "source": {name: getattr(part, name) for name in ("path", "kind", "compression", "start", "stop")},
    }


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises UnusablePath."""
    digest = hashlib.sha256()
    with open_to_read(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
