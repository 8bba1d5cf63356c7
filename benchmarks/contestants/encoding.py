"""Encode a whole text, or many documents one by one or in one call.

"array" means a NumPy array of ids, "list" a list of Python ints. Python caches the UTF-8 of a str once it has been
converted, so in most rows every contestant uses the cached bytes. The "fresh str" rows make a new str for each run.
The keys are the names in the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contestants import newer
from benchmarks.contestants.hugging_face import tokenizer_file
from benchmarks.contestants.job import (
    Job,
    flat,
    flat_with_offsets,
    ids_of,
    offered,
    tiktoken_encoding,
    with_pattern,
)
from benchmarks.published_patterns import PUBLISHED
from benchmarks.speed import Contestant, NotAvailable


def our_encoding(name: str) -> Any:
    """Return the course's encoding after it has encoded a first word, with its tables and kernels loaded."""
    from minbpe_course import Encoding, get_encoding

    encoding = with_pattern(name, Encoding, get_encoding) if name in PUBLISHED else get_encoding(name)
    encoding.encode_ordinary("hello")
    return encoding


def to_array(encoding: Any) -> Callable[[str], Any]:
    """Return our function from text to an array, which ignores special tokens like ``encode_ordinary``."""
    ordinary = getattr(encoding, "encode_ordinary_to_array", None)
    return ordinary or (lambda text: encoding.encode_to_numpy(text, disallowed_special=()))


def _encodes(job: Job, encode: Callable[[str], Any]) -> Contestant:
    return Contestant(lambda _: encode(job.text), answer=ids_of)


def _encodes_fresh(job: Job, encode: Callable[[str], Any]) -> Contestant:
    return Contestant(encode, prepare=lambda: job.data.decode("utf-8"), answer=ids_of)


def _ours_array(job: Job) -> Contestant:
    return _encodes(job, to_array(our_encoding(job.vocabulary)))


def _ours_array_fresh(job: Job) -> Contestant:
    return _encodes_fresh(job, to_array(our_encoding(job.vocabulary)))


def _ours_array_emptied(job: Job) -> Contestant:
    encoding = our_encoding(job.vocabulary)
    encode = to_array(encoding)
    empty = offered(encoding, "clear_caches")
    return Contestant(lambda _: encode(job.text), prepare=empty, answer=ids_of)


def _ours_array_fresh_object(job: Job) -> Contestant:
    from minbpe_course import Encoding

    known = our_encoding(job.vocabulary)

    def prepare() -> Callable[[str], Any]:
        encoding = Encoding(
            job.vocabulary, pat_str=known._pat_str, mergeable_ranks=known._mergeable_ranks, special_tokens={}
        )
        encoding.encode_ordinary("hello")
        return to_array(encoding)

    return Contestant(lambda encode: encode(job.text), prepare=prepare, answer=ids_of, most_runs=1)


def _ours_array_from_file(job: Job) -> Contestant:
    from minbpe_course.tokenizers.loading import load_tokenizer

    return _encodes(job, to_array(load_tokenizer(tokenizer_file(job.folder, job.vocabulary))))


def _ours_list(job: Job) -> Contestant:
    return _encodes(job, our_encoding(job.vocabulary).encode_ordinary)


def _tiktoken(job: Job) -> Contestant:
    return _encodes(job, tiktoken_encoding(job.vocabulary).encode_ordinary)


def _tiktoken_fresh(job: Job) -> Contestant:
    return _encodes_fresh(job, tiktoken_encoding(job.vocabulary).encode_ordinary)


def _tiktoken_array(job: Job) -> Contestant:
    encoding = tiktoken_encoding(job.vocabulary)
    return _encodes(job, lambda text: encoding.encode_to_numpy(text, disallowed_special=()))


def quicktok_encoding(name: str) -> Any:
    """Return quicktok's encoding, or raise NotAvailable: it does not have GPT-2's."""
    import quicktok

    try:
        return quicktok.get_encoding(name)
    except RuntimeError as reason:
        raise NotAvailable(f"quicktok has no {name}") from reason


def rs_bpe_encoding(name: str) -> Any:
    """Return the encoding of rs_bpe, which has only those of GPT-4 and GPT-4o."""
    from rs_bpe.bpe import openai

    make = getattr(openai, name, None)
    if make is None:
        raise NotAvailable(f"rs_bpe has no {name}")
    return make()


@cache
def _ffbpe_encoding(name: str) -> Any:
    import ffbpe

    from minbpe_course import vocabularies

    model = vocabularies.load(name)
    token = model.token_bytes
    return ffbpe.Encoding(
        name,
        pat_str=model.pattern,
        mergeable_ranks={piece: token_id for token_id, piece in token.items()},
        special_tokens={},
        _merges=[(token[left], token[right]) for left, right in model.merges],
    )


def hugging_face(job: Job, wanted: str) -> Any:
    """Return a new tokenizer of the tokenizers library, if its version begins with ``wanted``."""
    return tokenizer_class(wanted).from_file(str(tokenizer_file(job.folder, job.vocabulary)))


@cache
def kept_hugging_face(folder: Path, vocabulary: str, wanted: str) -> Any:
    """Return the same tokenizer, created only once."""
    return hugging_face(Job("", vocabulary=vocabulary, folder=folder), wanted)


def tokenizer_class(wanted: str) -> Any:
    """Return the class of the tokenizers library. Raise NotAvailable unless its version begins with ``wanted``."""
    import tokenizers

    found = version("tokenizers")
    if not found.startswith(wanted):
        raise NotAvailable(f"here is tokenizers {found}")
    return tokenizers.Tokenizer


def _tokenizers(wanted: str, result: Callable[[Any], Any] = lambda encoding: encoding) -> Callable[[Job], Contestant]:
    def make(job: Job) -> Contestant:
        encode = kept_hugging_face(job.folder, job.vocabulary, wanted).encode
        return Contestant(lambda _: result(encode(job.text)), answer=lambda found: ids_of(getattr(found, "ids", found)))

    return make


def _tokenizers_fresh_str(job: Job) -> Contestant:
    encode = kept_hugging_face(job.folder, job.vocabulary, "1.").encode
    return Contestant(encode, prepare=lambda: job.data.decode("utf-8"), answer=lambda found: ids_of(found.ids))


def _tokenizers_fresh(job: Job) -> Contestant:
    tokenizer_class("1.")
    return Contestant(
        lambda tokenizer: tokenizer.encode(job.text),
        prepare=lambda: hugging_face(job, "1."),
        answer=lambda found: ids_of(found.ids),
        most_runs=1,
    )


def _gigatoken_fresh(job: Job) -> Contestant:
    newer.opened("gigatoken", job)  # raise now if the library is not here

    def prepare() -> Callable[[str], Any]:
        encode = newer.new("gigatoken", job.folder, job.vocabulary).encode
        encode("hello")
        return encode

    return Contestant(lambda encode: encode(job.text), prepare=prepare, answer=ids_of, most_runs=1)


def _bytes_of_one(library: str) -> Callable[[Job], Contestant]:
    def make(job: Job) -> Contestant:
        encode = newer.opened(library, job).encode_batch_flat
        return _encodes(job, lambda text: newer.views(encode([text]))[0])

    return make


def _splintr(job: Job) -> Contestant:
    encode = newer.opened("splintr-rs", job).encode_flat
    return _encodes(job, lambda text: np.frombuffer(encode(text), np.uint32))


def _ids(encoding: Any) -> Any:
    return encoding.ids


WHOLE: dict[str, Callable[[Job], Contestant]] = {
    "ours, array": _ours_array,
    "ours, array, fresh str": _ours_array_fresh,
    "ours, array, caches emptied": _ours_array_emptied,
    "ours, array, a fresh object": _ours_array_fresh_object,
    "ours, array, of a tokenizer.json": _ours_array_from_file,
    "ours, list": _ours_list,
    "tiktoken": _tiktoken,
    "tiktoken, fresh str": _tiktoken_fresh,
    "tiktoken, array": _tiktoken_array,
    "quicktok": lambda job: _encodes(job, quicktok_encoding(job.vocabulary).encode_ordinary),
    "rs_bpe": lambda job: _encodes(job, rs_bpe_encoding(job.vocabulary).encode),
    "ffbpe": lambda job: _encodes(job, _ffbpe_encoding(job.vocabulary).encode_ordinary),
    "tokenizers 0.23": _tokenizers("0."),
    "tokenizers 1.0": _tokenizers("1."),
    "tokenizers 1.0, .ids": _tokenizers("1.", _ids),
    "tokenizers 1.0, .ids_array": _tokenizers("1.", lambda encoding: encoding.ids_array),
    "tokenizers 1.0, fresh str": _tokenizers_fresh_str,
    "tokenizers 1.0, a fresh object": _tokenizers_fresh,
    "gigatoken": lambda job: _encodes(job, newer.opened("gigatoken", job).encode),
    "gigatoken, a fresh object": _gigatoken_fresh,
    "fastokens": _bytes_of_one("fastokens"),
    "snaptokens": _bytes_of_one("snaptokens"),
    "basetenkenizer": lambda job: _encodes(job, newer.ids_of_one("basetenkenizer", job)),
    "tuetoken": lambda job: _encodes(job, newer.opened("tuetoken", job).encode),
    "splintr-rs": _splintr,
    "kitoken": lambda job: _encodes(job, newer.opened("kitoken", job).encode),
}


def _each(job: Job, encode: Callable[[str], Any]) -> Contestant:
    return Contestant(lambda _: [encode(text) for text in job.documents], answer=flat)


def _batch(job: Job, encode: Callable[..., Any], **options: Any) -> Contestant:
    return Contestant(lambda _: encode(job.documents, **options), answer=flat)


def _ours_flat(job: Job) -> Contestant:
    encode = offered(our_encoding(job.vocabulary), "encode_batch_to_array")
    return Contestant(
        lambda _: encode(job.documents, num_threads=job.threads, disallowed_special=()),
        answer=lambda result: flat_with_offsets(result, len(job.documents)),
    )


def _quicktok_flat(job: Job) -> Contestant:
    encode = quicktok_encoding(job.vocabulary).encode_batch
    return Contestant(
        lambda _: encode(job.documents, job.threads),
        answer=lambda result: flat_with_offsets(result, len(job.documents)),
    )


def _tokenizers_each(job: Job) -> Contestant:
    encode = kept_hugging_face(job.folder, job.vocabulary, "1.").encode
    return _each(job, lambda text: encode(text).ids)


def _tokenizers_batch(job: Job) -> Contestant:
    encode = kept_hugging_face(job.folder, job.vocabulary, "1.").encode_batch
    return _batch(job, lambda texts: [encoding.ids for encoding in encode(texts)])


def _gigatoken_lists(job: Job) -> Contestant:
    return _batch(job, newer.opened("gigatoken", job).encode_batch_list, parallel=job.threads > 1)


def _gigatoken_flat(job: Job) -> Contestant:
    encode = newer.opened("gigatoken", job).encode_batch
    return Contestant(
        lambda _: encode(job.documents, parallel=job.threads > 1),
        answer=lambda result: flat_with_offsets(newer.parts(result), len(job.documents)),
    )


def _bytes_flat(library: str) -> Callable[[Job], Contestant]:
    def make(job: Job) -> Contestant:
        encode = newer.opened(library, job).encode_batch_flat
        return Contestant(
            lambda _: newer.views(encode(job.documents)),
            answer=lambda result: flat_with_offsets(result, len(job.documents)),
        )

    return make


def _gigatoken_each(job: Job) -> Contestant:
    encode = newer.opened("gigatoken", job).encode
    return _each(job, lambda text: encode(text).tolist())


DOCUMENTS: dict[str, Callable[[Job], Contestant]] = {
    "ours, one by one": lambda job: _each(job, our_encoding(job.vocabulary).encode_ordinary),
    "ours, arrays one by one": lambda job: _each(job, to_array(our_encoding(job.vocabulary))),
    "ours, lists in one call": lambda job: _batch(
        job, our_encoding(job.vocabulary).encode_ordinary_batch, num_threads=job.threads
    ),
    "ours, flat ids and offsets": _ours_flat,
    "tiktoken, one by one": lambda job: _each(job, tiktoken_encoding(job.vocabulary).encode_ordinary),
    "tiktoken, batch": lambda job: _batch(
        job, tiktoken_encoding(job.vocabulary).encode_ordinary_batch, num_threads=job.threads
    ),
    "quicktok, one by one": lambda job: _each(job, quicktok_encoding(job.vocabulary).encode_ordinary),
    "quicktok, flat ids and offsets": _quicktok_flat,
    "rs_bpe, one by one": lambda job: _each(job, rs_bpe_encoding(job.vocabulary).encode),
    "tokenizers 1.0, .ids one by one": _tokenizers_each,
    "tokenizers 1.0, .ids of a batch": _tokenizers_batch,
    "gigatoken, lists in one call": _gigatoken_lists,
    "gigatoken, flat ids and offsets": _gigatoken_flat,
    "gigatoken, .tolist() one by one": _gigatoken_each,
    "gigatoken, as tiktoken one by one": lambda job: _each(
        job, newer.opened("gigatoken", job).as_tiktoken().encode_ordinary
    ),
    "fastokens, flat ids and offsets": _bytes_flat("fastokens"),
    "fastokens, .ids one by one": lambda job: _each(job, newer.ids_of_one("fastokens", job)),
    "snaptokens, .ids one by one": lambda job: _each(job, newer.ids_of_one("snaptokens", job)),
    "basetenkenizer, .ids one by one": lambda job: _each(job, newer.ids_of_one("basetenkenizer", job)),
    "tuetoken, one by one": lambda job: _each(job, newer.opened("tuetoken", job).encode),
    "snaptokens, flat ids and offsets": _bytes_flat("snaptokens"),
    "splintr-rs, flat ids and offsets": _bytes_flat("splintr-rs"),
    "splintr-rs, one by one": lambda job: _each(job, newer.opened("splintr-rs", job).encode_ordinary),
}
