"""Open a model file: a SentencePiece model, or the ``tokenizer.json`` of a published vocabulary.

A library may leave work for the first text. So each takes part a second time, with a first short text encoded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.contestants.encoding import tokenizer_class
from benchmarks.contestants.hugging_face import tokenizer_file
from benchmarks.contestants.job import Job, ids_of
from benchmarks.contestants.pieces import model_file
from benchmarks.speed import Contestant

FIRST_TEXT = "a first text"


def _ours(job: Job) -> Callable[[], Any]:
    from minbpe_course.tokenizers.loading import load_tokenizer

    return partial(load_tokenizer, tokenizer_file(job.folder, job.vocabulary))


def _our_pieces(job: Job) -> Callable[[], Any]:
    from minbpe_course import SentencePieceTokenizer

    return partial(SentencePieceTokenizer, model_file=model_file(job))


def _sentencepiece(job: Job) -> Callable[[], Any]:
    import sentencepiece

    return partial(sentencepiece.SentencePieceProcessor, model_file=str(model_file(job)))


def _tokenizers(wanted: str, job: Job) -> Callable[[], Any]:
    return partial(tokenizer_class(wanted).from_file, str(tokenizer_file(job.folder, job.vocabulary)))


_OPENERS: dict[str, Callable[[Job], Callable[[], Any]]] = {
    "ours": _ours,
    "ours, SentencePiece": _our_pieces,
    "sentencepiece": _sentencepiece,
    "tokenizers 0.23": partial(_tokenizers, "0."),
    "tokenizers 1.0": partial(_tokenizers, "1."),
}


def _opens(name: str, job: Job) -> Contestant:
    opened = _OPENERS[name](job)
    return Contestant(lambda _: opened(), answer=lambda tokenizer: ids_of(_ids(tokenizer, job.text)))


def _opens_and_encodes(name: str, job: Job) -> Contestant:
    opened = _OPENERS[name](job)
    return Contestant(lambda _: _ids(opened(), FIRST_TEXT), answer=ids_of)


def _ids(tokenizer: Any, text: str) -> Any:
    found = getattr(tokenizer, "encode_ordinary", tokenizer.encode)(text)
    return getattr(found, "ids", found)


MAKERS: dict[str, Callable[[Job], Contestant]] = {
    **{name: partial(_opens, name) for name in _OPENERS},
    **{f"{name}, first ids": partial(_opens_and_encodes, name) for name in _OPENERS},
}
