"""Encode with SentencePiece models: Mistral's first model, which mistral-common includes, and a Unigram model.

sentencepiece trains the Unigram model on the beginning of the text. For the tokenizers library, Mistral's model is
converted to a ``tokenizer.json`` in the way Hugging Face converts Llama's.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchmarks.contestants.job import Job, flat, flat_with_offsets, ids_of
from benchmarks.speed import Contestant, NotAvailable
from minbpe_course.corpus.texts import course_text
from minbpe_course.errors import UnsupportedModel
from minbpe_course.files import write_whole
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import PieceModel

UNIGRAM_PIECES, UNIGRAM_CHARACTERS = 8_000, 500_000


def model_file(job: Job) -> Path:
    """Return the path of the model of a row, in the mistral_common package or in the folder of the run."""
    if job.vocabulary != "unigram":
        return Path(str(files("mistral_common") / "data" / "tokenizer.model.v1"))
    # The name depends on the text, because other rows of the run may use another text.
    path = job.folder / f"unigram-{len(job.text)}.model"
    if not path.exists():
        write_whole(path, _unigram(job.text[:UNIGRAM_CHARACTERS]))
    return path


def _unigram(text: str) -> bytes:
    import sentencepiece

    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*course_text().splitlines(), *text.splitlines()]),
        model_writer=file,
        model_type="unigram",
        vocab_size=UNIGRAM_PIECES,
        hard_vocab_limit=False,
        byte_fallback=True,
        num_threads=1,
        minloglevel=3,
    )
    return file.getvalue()


def tokenizer_json(model: PieceModel) -> dict[str, object]:
    """Return a model of Llama's kind as a ``tokenizer.json``, without special tokens.

    Every way to cut a piece into two pieces is a merge. The merges are sorted by score (best first), then by the length
    of the left half, then by the length of the right half (longest first).
    """
    ids = dict(model.piece_ids)
    merges = []
    for piece, at in ids.items():
        halves = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
        known = [(left, right) for left, right in halves if left in ids and right in ids]
        known.sort(key=lambda pair: (ids[pair[0]], ids[pair[1]]))
        merges += [(model.scores[at], *pair) for pair in known]
    merges.sort(key=lambda merge: (merge[0], len(merge[1]), len(merge[2])), reverse=True)
    steps = [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": model.unk_piece,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": ids,
            "merges": [[left, right] for _, left, right in merges],
        },
    }


@cache
def _ours(path: Path) -> Any:
    from minbpe_course import SentencePieceTokenizer

    try:
        return SentencePieceTokenizer(model_file=path)
    except UnsupportedModel as reason:
        raise NotAvailable("this version of the course has no engine for this type of model") from reason


@cache
def _theirs(path: Path) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=str(path))


@cache
def _tokenizers(path: Path, folder: Path) -> Any:
    import tokenizers

    found = version("tokenizers")
    if not found.startswith("1."):
        raise NotAvailable(f"here is tokenizers {found}")
    written = folder / "mistral.json"
    if not written.exists():
        said = tokenizer_json(sentencepiece_proto.read(path))
        write_whole(written, json.dumps(said, ensure_ascii=False).encode("utf-8"))
    return tokenizers.Tokenizer.from_file(str(written))


def _each(job: Job, encode: Callable[[str], Any]) -> Contestant:
    return Contestant(lambda _: [encode(text) for text in job.documents], answer=flat)


def _batch(job: Job, encode: Callable[..., Any], **options: Any) -> Contestant:
    documents = list(job.documents)
    return Contestant(lambda _: encode(documents, **options), answer=flat)


def _one_array(job: Job) -> Contestant:
    encode, documents = _ours(model_file(job)).encode_batch_to_array, list(job.documents)
    return Contestant(
        lambda _: encode(documents, num_threads=job.threads),
        answer=lambda result: flat_with_offsets(result, len(documents)),
    )


def _tokenizers_each(job: Job) -> Contestant:
    encode = _tokenizers(model_file(job), job.folder).encode
    return _each(job, lambda text: encode(text).ids)


def _tokenizers_batch(job: Job) -> Contestant:
    encode = _tokenizers(model_file(job), job.folder).encode_batch
    return _batch(job, lambda texts: [encoding.ids for encoding in encode(texts)])


DOCUMENTS: dict[str, Callable[[Job], Contestant]] = {
    "ours, one by one": lambda job: _each(job, _ours(model_file(job)).encode),
    "ours, arrays one by one": lambda job: _each(job, _ours(model_file(job)).encode_to_array),
    "ours, lists in one call": lambda job: _batch(job, _ours(model_file(job)).encode_batch, num_threads=job.threads),
    "ours, flat ids and offsets": _one_array,
    "sentencepiece, one by one": lambda job: _each(job, _theirs(model_file(job)).encode),
    "sentencepiece, batch": lambda job: _batch(job, _theirs(model_file(job)).encode, num_threads=job.threads),
    "tokenizers 1.0, .ids one by one": _tokenizers_each,
    "tokenizers 1.0, .ids of a batch": _tokenizers_batch,
}


def _whole(job: Job, encode: Callable[[str], Any]) -> Contestant:
    return Contestant(lambda _: encode(job.text), answer=ids_of)


WHOLE: dict[str, Callable[[Job], Contestant]] = {
    "ours, array": lambda job: _whole(job, _ours(model_file(job)).encode_to_array),
    "ours, list": lambda job: _whole(job, _ours(model_file(job)).encode),
    "sentencepiece": lambda job: _whole(job, _theirs(model_file(job)).encode),
}
