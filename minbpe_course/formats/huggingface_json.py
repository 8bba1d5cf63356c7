r"""Hugging Face's ``tokenizer.json``, for byte-level BPE: the files of GPT-2, Llama 3, Qwen, and what is trained here.

    added_tokens      cut out of the text first, also with the white space around them or only as single words
    normalizer        NFC, NFD, NFKC, NFKD, Lowercase, Replace, Prepend, Strip
    pre_tokenizer     ByteLevel, Split, Digits, Punctuation; one pattern where that says it, else several steps
    model             BPE: tokens spelled with GPT-2's printable bytes, merges, CLIP's ending of words
    post_processor    ids put round a text by a template

Files like those of Llama 2, Gemma or T5, whose tokens are pieces of text, are read by ``huggingface.piece_files``.

The ids of a text are those of ``Tokenizer.encode(text, add_special_tokens=False)``. Where `tokenizers` 0.23 and
1.0.0rc3 differ, 0.23 is followed. What would change ids and is not known here is refused when the file is read, with
its path in the file.

Limits: no dropout, no prefix inside of words, no decoder but ByteLevel. Templates for pairs of texts are not kept.
SentencePiece models in this format are refused (``huggingface.sentencepiece_like``).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from minbpe_course.errors import InvalidPattern, UnsupportedModel
from minbpe_course.files import read_whole, write_whole
from minbpe_course.formats.huggingface.document import Model, document_with_note, record_of
from minbpe_course.formats.huggingface.piece_files import holds_pieces, record_of_pieces
from minbpe_course.formats.huggingface.strict_json import read_json
from minbpe_course.model import PieceModel


def read(path: str | os.PathLike[str]) -> Model | PieceModel:
    """Return the record in a ``tokenizer.json``: a BytePairModel where that loses nothing, else a VocabularyModel; a
    PieceModel for a file whose tokens are pieces of text.

    Raises UnusablePath; UnreadableModel, with line and column or the path of the value, where the file is damaged; and
    UnsupportedModel where it says something that would give other ids here.

    >>> import tempfile
    >>> from minbpe_course.model import BytePairModel
    >>> model = BytePairModel([(104, 105)], special_tokens={"<|end|>": 257})
    >>> read(write(model, Path(tempfile.mkdtemp()) / "tokenizer.json")) == model
    True
    """
    return from_json(read_whole(path), name=Path(path).name)


def from_json(data: bytes | str, name: str = "tokenizer.json") -> Model | PieceModel:
    """Return the record in the text of a ``tokenizer.json``, such as ``tokenizers.Tokenizer.to_str()`` gives.

    name : what to call it in errors. Raises UnreadableModel, UnsupportedModel.

    >>> from minbpe_course.model import BytePairModel
    >>> from_json(to_json(BytePairModel([(104, 105)]))).merges
    ((104, 105),)
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    document = read_json(data, name)
    return record_of_pieces(document) if holds_pieces(document) else record_of(document)


def write(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write a ``tokenizer.json`` that gives the same ids in `tokenizers`; return the path.

    The same record gives the same bytes. Raises UnsupportedModel, with the reason, and UnusablePath.
    """
    return write_whole(path, to_json(model))


def to_json(model: Model) -> bytes:
    """Return the text of a ``tokenizer.json``, UTF-8. Raises UnsupportedModel."""
    try:
        document = document_with_note(model)
    except InvalidPattern as error:
        raise UnsupportedModel(str(error)) from error
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def why_not(model: Model) -> str | None:
    """Say why no ``tokenizer.json`` gives the ids of ``model``; None when one does.

    >>> from minbpe_course.model import BytePairModel
    >>> why_not(BytePairModel(pattern="(?x) a"))[:60]
    'this split pattern is not understood well enough to be carri'
    """
    try:
        to_json(model)
    except UnsupportedModel as error:
        return str(error)
    return None
