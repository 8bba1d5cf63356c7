"""Open the newest encoders: gigatoken, fastokens, snaptokens, basetenkenizer, splintr-rs, kitoken and tuetoken.

All of them read the ``tokenizer.json`` that the tokenizers library gets. Each takes part with its fastest documented
calls. gigatoken returns arrays; fastokens, snaptokens and splintr-rs return the bytes of one, which NumPy views without
a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
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
    if library in ("fastokens", "snaptokens", "basetenkenizer"):
        return import_module(library).Tokenizer.from_file(path)
    if library == "splintr-rs":
        import splintr

        return splintr.from_json(path)
    if library == "tuetoken":
        import tuetoken

        return tuetoken.AutoTokenizer.from_file(path)
    import kitoken

    return kitoken.Kitoken.from_tokenizers_file(path)


def ids_of_one(library: str, job: Job) -> Callable[[str], list[int]]:
    """Return the function from a text to a list of ids, for the libraries that return encodings."""
    encode = opened(library, job).encode
    return lambda text: encode(text).ids


def parts(ragged: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat ids and the offsets of gigatoken's result for many documents, which is an Awkward Array."""
    layout = ragged.layout.to_packed()  # the first offset is 0, and the ids are those of the documents
    return np.asarray(layout.content.data), np.asarray(layout.offsets.data)


def views(result: tuple[bytes, bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat ids and the offsets of fastokens, snaptokens and splintr-rs as arrays."""
    ids, offsets = result
    return np.frombuffer(ids, np.uint32), np.frombuffer(offsets, np.uint64)
