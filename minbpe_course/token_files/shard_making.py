"""Make one shard: read a part of a corpus, encode it and write it, in a thread or on a worker of a cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minbpe_course.corpus.reading import Part, Piece, read_part
from minbpe_course.errors import DisallowedSpecialToken
from minbpe_course.token_files import shard_files
from minbpe_course.token_files.any_tokenizer import AnyTokenizer, ForbiddenSpecial

# How many characters are encoded together.
_BATCH = 1 << 19


@dataclass(frozen=True)
class ShardPlan:
    """The common settings of all shards; it can be pickled.

    folder : of the shards · form : "npy" or "parquet" · dtype : of the ids · append : the id after each document, or
    None · digits : of the numbers in their names.
    """

    tokenizer: AnyTokenizer
    folder: Path
    form: str
    dtype: str
    append: int | None
    digits: int

    def name(self, number: int) -> str:
        """Return the name of a shard."""
        return f"shard-{number:0{self.digits}}.{self.form}"


def make_shard(part: Part, plan: ShardPlan, stopped: Callable[[], bool] = lambda: False) -> dict[str, Any]:
    """Encode a part into its file, and return its entry for the manifest.

    stopped : called now and then; True ends the work with InterruptedError. The file depends only on the part and the
    plan. Raises the errors of reading, encoding and writing.
    """
    path = plan.folder / plan.name(part.number)
    tokens = documents = 0
    with shard_files.written(path, plan.form, plan.dtype) as file:
        for pieces in _batches(_pieces(part, plan)):
            if stopped():
                raise InterruptedError("the work was stopped")
            ids, ends = _encoded(part, plan, pieces)
            file.add(ids, ends)
            tokens += ids.size
            documents += ends.size
    said = part.as_dict()
    return {
        "file": path.name,
        "bytes": path.stat().st_size,
        "sha256": sha256_of(path),
        "tokens": tokens,
        "documents": documents,
        "source": {name: said[name] for name in ("path", "kind", "compression", "start", "stop")},
    }


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _pieces(part: Part, plan: ShardPlan) -> Iterator[Piece]:
    """Yield the pieces of a part, without a leading space that the SentencePiece model adds itself."""
    cutter = plan.tokenizer.cutter
    pieces = read_part(part, cutter)
    # Only a part of one long text begins in the middle of a document.
    between = getattr(cutter, "between", 0) if part.kind == "text" and part.start else 0
    if between and (first := next(pieces, None)) is not None:
        yield first._replace(text=first.text[between:])
    yield from pieces


def _batches(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    """Yield lists of pieces that are encoded together."""
    batch: list[Piece] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece.text) + 1
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _encoded(part: Part, plan: ShardPlan, pieces: list[Piece]) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of pieces, and the ends of documents."""
    try:
        ids, offsets = plan.tokenizer.encode([piece.text for piece in pieces])
    except ForbiddenSpecial as problem:
        text = pieces[problem.number].text
        around = text[max(problem.position - 20, 0) : problem.position + len(problem.token) + 20]
        raise DisallowedSpecialToken(
            f"{part.path}, behind byte {part.start:,}: the text contains the special token {problem.token!r}: "
            f"{around!r}.\nIf such are meant as special tokens, say specials='all' (--specials all); if they are "
            "ordinary text, as in anything written by a stranger, say specials='none' (--specials none)."
        ) from None
    ends = offsets[1:][[piece.ends_document for piece in pieces]]
    if plan.append is not None and ends.size:
        ids = np.insert(ids, ends, plan.append)
        ends = ends + np.arange(1, ends.size + 1)
    return ids, ends
