"""Open the newest encoders: gigatoken, fastokens, splintr-rs and kitoken.

All of them read the ``tokenizer.json`` that the tokenizers library gets. Each takes part with its fastest documented
calls. gigatoken returns arrays; fastokens and splintr-rs return the bytes of one, which NumPy views without a copy.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contestants.hugging_face import tokenizer_file
from benchmarks.contestants.job import Job


def opened(library: str, job: Job) -> Any:
    """Return the tokenizer of a library for the vocabulary of the job, created only once."""
    return _kept(library, job.folder, job.vocabulary)


@cache
def _kept(library: str, folder: Path, vocabulary: str) -> Any:
    return new(library, folder, vocabulary)


def new(library: str, folder: Path, vocabulary: str) -> Any:
    """Return a new tokenizer of a library."""
    path = str(tokenizer_file(folder, vocabulary))
    if library == "gigatoken":
        import gigatoken

        return gigatoken.Tokenizer(path)
    if library == "fastokens":
        import fastokens

        return fastokens.Tokenizer.from_file(path)
    if library == "splintr-rs":
        import splintr

        return splintr.from_json(path)
    import kitoken

    return kitoken.Kitoken.from_tokenizers_file(path)


def parts(ragged: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat ids and the offsets of gigatoken's result for many documents, which is an Awkward Array."""
    layout = ragged.layout.to_packed()  # the first offset is 0, and the ids are those of the documents
    return np.asarray(layout.content.data), np.asarray(layout.offsets.data)


def views(result: tuple[bytes, bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat ids and the offsets of fastokens and splintr-rs as arrays."""
    ids, offsets = result
    return np.frombuffer(ids, np.uint32), np.frombuffer(offsets, np.uint64)
