"""Encode with WordPiece, as BERT does: 8,000 tokens learned from the beginning of the text, with small letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.contestants.job import Job, flat
from benchmarks.speed import Contestant
from minbpe_course import load_tokenizer, train_wordpiece
from minbpe_course.corpus.texts import course_text
from minbpe_course.formats import huggingface_json
from minbpe_course.model import PieceModel

TOKENS, CHARACTERS = 8_000, 500_000


@cache
def _model(text: str) -> PieceModel:
    return train_wordpiece([course_text(), text], TOKENS)


def _ours(job: Job) -> Any:
    return load_tokenizer(_model(job.text[:CHARACTERS]))


def _theirs(job: Job) -> Any:
    import tokenizers

    return tokenizers.Tokenizer.from_str(huggingface_json.to_json(_model(job.text[:CHARACTERS])).decode("utf-8"))


def _each(job: Job, encode: Callable[[str], Any]) -> Contestant:
    return Contestant(lambda _: [encode(text) for text in job.documents], answer=flat)


def _their_each(job: Job) -> Contestant:
    encode = _theirs(job).encode
    return _each(job, lambda text: encode(text, add_special_tokens=False).ids)


def _batch(job: Job, encode: Callable[..., Any]) -> Contestant:
    documents = list(job.documents)
    return Contestant(lambda _: encode(documents), answer=flat)


def _their_batch(job: Job) -> Contestant:
    encode = _theirs(job).encode_batch_fast
    return _batch(job, lambda texts: [one.ids for one in encode(texts, add_special_tokens=False)])


DOCUMENTS: dict[str, Callable[[Job], Contestant]] = {
    "ours, one by one": lambda job: _each(job, _ours(job).encode),
    "ours, lists in one call": lambda job: _batch(job, _ours(job).encode_batch),
    "tokenizers, .ids one by one": _their_each,
    "tokenizers, .ids of a batch": _their_batch,
}
