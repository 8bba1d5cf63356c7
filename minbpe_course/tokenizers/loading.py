r"""Load any tokenizer from any file, and convert it to any format that can express it.

    load_tokenizer("tokenizer.json").encode("hello world")
    convert("tokenizer.json", "mine.tiktoken")
    convert("cl100k_base", "tokenizer.json")

A conversion keeps the ids of every text, or is refused with the reason. The new file is read and compared with the
original before it gets its name, so every file that exists has been verified.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from minbpe_course import vocabularies
from minbpe_course.engines.same_ids import as_vocabulary, merging_of, same_merging
from minbpe_course.errors import InvalidModel, InvalidSpecialToken, UnsupportedModel
from minbpe_course.files import write_whole
from minbpe_course.formats import any_format as opening
from minbpe_course.formats.any_format import UNSET, Model
from minbpe_course.model import PieceModel, VocabularyModel
from minbpe_course.text.patterns import engine_of, scanner_for
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.tokenizers.encoding_names import get_encoding
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer
from minbpe_course.tokenizers.sources import record_from


def load_tokenizer(
    source: Any, *, format: str | None = None, pattern: Any = UNSET, special_tokens: Any = UNSET
) -> Encoding | SentencePieceTokenizer:
    """Return a tokenizer that gives the ids of ``source``.

    source : the path of a file in any format (minbpe's or SentencePiece's ``.model``, ``.tiktoken``,
    ``tokenizer.json``, ``tekken.json``, a folder with ``vocab.json`` and ``merges.txt``), a name such as
    "cl100k_base", a record, or a tokenizer of another library · format : a name of ``formats.any_format.FORMATS``, to
    override the format that the file seems to have · pattern : a regular expression, the name of a known one, or None
    for no splitting; a ``.tiktoken`` file has none, unless it is a published one or was written by this package ·
    special_tokens : text -> id. Both override those of the source.

    The result is a SentencePieceTokenizer for SentencePiece's models, and an Encoding for all others.

    Raises UnusablePath (MissingFile and others), UnknownEncoding, UnknownFormat, UnreadableModel (the file is something
    else, or damaged), UnsupportedModel, MissingPattern, UnusableTokenizer.

    >>> load_tokenizer("o200k_base").encode("hello world")
    [24912, 2375]
    >>> from minbpe_course import train
    >>> load_tokenizer(train("aaabdaaabac", 259, pattern=None)).encode("aaab")
    [258]
    """
    no_options = format is None and pattern is UNSET and special_tokens is UNSET
    if no_options and isinstance(source, str) and source in vocabularies.names():
        return get_encoding(source)
    record, name = record_from(source, format, pattern=pattern, special_tokens=special_tokens)
    if isinstance(record, PieceModel):
        return SentencePieceTokenizer(model=record)
    return Encoding.from_model(record, name)


def convert(
    src: Any,
    dst: str | os.PathLike[str],
    format: str | None = None,
    *,
    source_format: str | None = None,
    pattern: Any = UNSET,
    special_tokens: Any = UNSET,
) -> Path:
    """Write the tokenizer ``src`` to the file ``dst``, with the same ids for every text; return the path.

    src : anything that ``load_tokenizer`` takes · dst : a file, or a folder for GPT-2's two files or, with
    format="huggingface", for those of transformers · format : by default the name of ``dst`` decides (``.tiktoken``,
    ``tokenizer.json`` or any other ``.json``, ``tekken.json``, ``.model``, a folder) · source_format, pattern,
    special_tokens : as format, pattern, special_tokens of ``load_tokenizer``.

    The new file is read and compared with the original before it replaces ``dst``; until then, and after an error,
    ``dst`` is untouched. Raises UnsupportedModel, with the reason, if the format cannot express the model with the same
    ids, and otherwise the errors of ``load_tokenizer``.

    >>> import tempfile
    >>> path = convert("gpt2", Path(tempfile.mkdtemp(), "mine.model"))
    >>> load_tokenizer(path).encode("hello world")
    [31373, 995]
    """
    record = record_from(src, source_format, pattern=pattern, special_tokens=special_tokens).record
    path = Path(dst)
    made = opening.named(format or opening.guess(dst, record))
    with tempfile.TemporaryDirectory() as folder:
        tried = Path(folder, path.name)
        if path.is_dir():
            tried.mkdir(exist_ok=True)
        record, tried = _write_expressible(made, record, tried)
        if (part := difference(record, made.read(tried))) is not None:
            raise _refusal(made, record, f"read again, {part} would be another.")
        if list(Path(folder).rglob("*")) == [Path(folder, path.name)]:
            return write_whole(path, tried.read_bytes())
    # Write the verified model again: only the format knows which files belong together.
    made.write(record, path)
    return path


def _write_expressible(made: opening.Format, record: Model, path: Path) -> tuple[Model, Path]:
    """Write the record, or one with the same ids that the format can express, such as merges instead of ranks.

    Return what was written, and where. Raises UnsupportedModel.
    """
    try:
        if made.stricter and (reason := made.why_not(record)):
            raise UnsupportedModel(reason)
        return record, made.write(record, path)
    except UnsupportedModel as problem:
        reason = made.why_not(record) or str(problem)
    if isinstance(record, VocabularyModel) and record.merges is None:
        found = merging_of(record)
        with_merges = record.replace(merges=found.merges, whole_words=found.whole)
        if made.why_not(with_merges) is None:
            return with_merges, made.write(with_merges, path)
    raise _refusal(made, record, reason)


def _refusal(made: opening.Format, record: Model, reason: str) -> UnsupportedModel:
    way_out = ""
    if isinstance(record, VocabularyModel) and any(record.frame):
        ids = record.frame[0] + record.frame[1]
        way_out = (
            f"\nThe ids round a text are {list(ids)}; to leave them to your program: "
            "convert(read_model(src).replace(frame=((), ())), dst), with minbpe_course.formats.any_format.read_model"
        )
    return UnsupportedModel(f"{made.title} cannot hold this model with the same ids: {reason}{way_out}")


def difference(one: Model, other: Model) -> str | None:
    """Return the difference between two records that might give some text other ids, or None.

    >>> from minbpe_course.model import BytePairModel
    >>> difference(BytePairModel([(97, 97)]), BytePairModel([(97, 97)], pattern="gpt2"))
    'the split pattern'
    """
    if one == other:
        return None
    if isinstance(one, PieceModel) or isinstance(other, PieceModel):
        return "the list of pieces"
    try:
        one, other = as_vocabulary(one), as_vocabulary(other)
    except (InvalidModel, InvalidSpecialToken):
        # Only a BytePairModel can hold, for example, two tokens of the same bytes, and the other record does not.
        return "the list of merges"
    if not same_merging(one, other):
        return "how words become tokens"
    if _splitting(one) != _splitting(other):
        return "the split pattern"
    for part in (
        *("normalization", "split_steps", "prefix_space", "word_end"),
        *("special_tokens", "special_flags", "plain_tokens", "frame", "decode_only"),
    ):
        if getattr(one, part) != getattr(other, part):
            return part.replace("_", " ")
    return None


def _splitting(model: VocabularyModel) -> tuple[int | str | None, str]:
    """Return a key that is equal for patterns that split alike: those of one family with the same Unicode tables."""
    pattern = model.pattern or ""
    family = scanner_for(pattern)
    return (pattern if family is None else family), model.pattern_engine or engine_of(pattern)
