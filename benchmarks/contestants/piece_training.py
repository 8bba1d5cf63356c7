"""Train a SentencePiece BPE model on lines of text. All contestants must learn the same pieces and scores."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from benchmarks.contestants.job import Job
from benchmarks.speed import Contestant, NotAvailable


def _options(job: Job) -> dict[str, Any]:
    # A small text may not have enough pairs for the vocabulary, so a smaller one is accepted.
    return {"model_type": "bpe", "vocab_size": job.vocab_size, "normalization_rule_name": "identity",
            "hard_vocab_limit": False, "minloglevel": 3}  # fmt: skip


def _ours(job: Job) -> Contestant:
    import minbpe_course

    train = getattr(minbpe_course, "train_sentencepiece", None)
    if train is None:
        raise NotAvailable("this version of the course has no train_sentencepiece()")
    lines, options = job.text.split("\n"), _options(job)
    train(sentence_iterator=iter(["a first line, so that the kernels are loaded"]), **{**options, "vocab_size": 30})
    return Contestant(lambda _: train(sentence_iterator=iter(lines), **options), answer=lambda model: _learnt(model))


def _sentencepiece(job: Job) -> Contestant:
    import sentencepiece

    from minbpe_course.formats import sentencepiece_proto

    lines, options = job.text.split("\n"), {**_options(job), "num_threads": job.threads}

    def run(_: object) -> bytes:
        file = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=file, **options)
        return file.getvalue()

    return Contestant(run, answer=lambda data: _learnt(sentencepiece_proto.from_bytes(data)))


def _learnt(model: Any) -> list[tuple[str, float, int]]:
    return list(zip(model.pieces, model.scores, model.kinds))


MAKERS: dict[str, Callable[[Job], Contestant]] = {"ours": _ours, "sentencepiece": _sentencepiece}
