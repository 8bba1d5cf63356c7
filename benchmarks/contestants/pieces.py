"""SentencePiece encoding of documents with Mistral's first model, which mistral-common carries."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from benchmarks.contestants.job import Job, flat, flat_with_offsets
from benchmarks.harness import Contestant


@cache
def _model_file() -> str:
    return str(files("mistral_common") / "data" / "tokenizer.model.v1")


@cache
def _ours() -> Any:
    from minbpe_course import SentencePieceTokenizer

    return SentencePieceTokenizer(model_file=_model_file())


@cache
def _theirs() -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=_model_file())


def _each(job: Job, encode: Callable[[str], Any]) -> Contestant:
    return Contestant(lambda _: [encode(text) for text in job.documents], answer=flat)


def _one_array(job: Job) -> Contestant:
    encode = _ours().encode_batch_to_array
    return Contestant(
        lambda _: encode(list(job.documents), num_threads=job.threads),
        answer=lambda result: flat_with_offsets(result, len(job.documents)),
    )


MAKERS: dict[str, Callable[[Job], Contestant]] = {
    "ours, one by one": lambda job: _each(job, _ours().encode),
    "ours, lists in one call": lambda job: Contestant(
        lambda _: _ours().encode_batch(list(job.documents), num_threads=job.threads), answer=flat
    ),
    "ours, flat ids and offsets": _one_array,
    "sentencepiece, one by one": lambda job: _each(job, _theirs().encode),
    "sentencepiece, batch": lambda job: Contestant(
        lambda _: _theirs().encode(list(job.documents), num_threads=job.threads), answer=flat
    ),
}
