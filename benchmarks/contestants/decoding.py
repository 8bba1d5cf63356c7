"""Decode a million ids, from a list or an array, to one text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contestants import newer
from benchmarks.contestants.encoding import kept_hugging_face, our_encoding, quicktok_encoding, rs_bpe_encoding
from benchmarks.contestants.job import Job, tiktoken_encoding
from benchmarks.speed import Contestant

IDS = 1_000_000


def ids_to_decode(job: Job, most: int = IDS) -> list[int]:
    """Return ``most`` ids of the text, repeated if it is too short, without an incomplete character at the end."""
    encoding = tiktoken_encoding(job.vocabulary)
    # Six characters per id are enough: a token has four bytes on average.
    ids = encoding.encode_ordinary(job.text[: 6 * most])
    if not ids:
        return []
    ids = (ids * (most // len(ids) + 1))[:most]
    while ids and "\ufffd" in encoding.decode(ids[-4:]):
        ids.pop()  # programs decode an incomplete character differently
    return ids


def _decodes(job: Job, decode: Callable[[Any], str]) -> Contestant:
    ids = ids_to_decode(job)
    return Contestant(lambda _: decode(ids))


def _decodes_array(job: Job, decode: Callable[[Any], str]) -> Contestant:
    ids = np.array(ids_to_decode(job), dtype=np.uint32)
    return Contestant(lambda _: decode(ids))


def _gigatoken(job: Job) -> Callable[[Any], str]:
    decode = newer.opened("gigatoken", job).decode
    return lambda ids: decode(ids).decode("utf-8")


MAKERS: dict[str, Callable[[Job], Contestant]] = {
    "ours, from a list": lambda job: _decodes(job, our_encoding(job.vocabulary).decode),
    "ours, from an array": lambda job: _decodes_array(job, our_encoding(job.vocabulary).decode),
    "tiktoken": lambda job: _decodes(job, tiktoken_encoding(job.vocabulary).decode),
    "quicktok": lambda job: _decodes(job, quicktok_encoding(job.vocabulary).decode),
    "rs_bpe": lambda job: _decodes(job, rs_bpe_encoding(job.vocabulary).decode),
    "tokenizers 1.0": lambda job: _decodes(job, kept_hugging_face(job.folder, job.vocabulary, "1.").decode),
    "tokenizers 1.0, from an array": lambda job: _decodes_array(
        job, kept_hugging_face(job.folder, job.vocabulary, "1.").decode
    ),
    "gigatoken": lambda job: _decodes(job, _gigatoken(job)),
    "gigatoken, from an array": lambda job: _decodes_array(job, _gigatoken(job)),
    "fastokens": lambda job: _decodes(job, newer.opened("fastokens", job).decode),
    "splintr-rs": lambda job: _decodes(job, newer.opened("splintr-rs", job).decode),
}
