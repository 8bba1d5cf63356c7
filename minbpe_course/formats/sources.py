"""Find the record of a tokenizer: of a name, a file, a record, or a tokenizer object of this or another library.

    "cl100k_base"                       the name of a bundled encoding
    "tokenizer.json", a folder          a file in any format (``formats.any_format``)
    BytePairModel, PieceModel, ...      a record is returned as it is
    tokenizer                           one of ours, of tiktoken, sentencepiece, tokenizers, transformers, or rustbpe

A ``.tiktoken`` file only maps bytes to ids. Published files are recognised by their SHA-256, and their pattern and
special tokens are known; for any other file the caller must give the pattern.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from minbpe_course import vocabularies
from minbpe_course.engines.as_byte_pairs import simplest
from minbpe_course.errors import MissingFile, MissingPattern, UnknownEncoding, UnsupportedModel, UnusableTokenizer
from minbpe_course.files import read_whole
from minbpe_course.formats import any_format as opening
from minbpe_course.formats import huggingface_json, sentencepiece_proto
from minbpe_course.formats.any_format import UNSET, Model
from minbpe_course.model import BytePairModel, PieceModel, VocabularyModel
from minbpe_course.splitting.splitter import Splitter
from minbpe_course.text.patterns import engine_of, named_pattern
from minbpe_course.vocabularies.published_files import published_files

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+\Z")
RECORDS = (BytePairModel, VocabularyModel, PieceModel)


class Source(NamedTuple):
    """A record and its name."""

    record: Model
    name: str


def record_from(given: Any, format: str | None = None, *, pattern: Any = UNSET, special_tokens: Any = UNSET) -> Source:
    """Return the record of ``given`` and a name for it.

    given : see above · format : of a file; by default it is guessed · pattern, special_tokens : override or complete
    those of the source.

    Raises UnknownEncoding, UnusablePath, InvalidOption, UnreadableModel, UnsupportedModel, MissingPattern,
    InvalidPattern, InvalidSpecialToken, and UnusableTokenizer for any other object.

    >>> record_from("gpt2").record.vocab_size
    50257
    """
    said: dict[str, Any] = {}
    if pattern is not UNSET:
        said["pattern"] = pattern if pattern is None else named_pattern(pattern)
    if special_tokens is not UNSET:
        said["special_tokens"] = dict(special_tokens or {})
    found = _source(given, format, said)
    if isinstance(found.record, (BytePairModel, VocabularyModel)):
        # Reject an invalid pattern now, not at the first text.
        Splitter(found.record.pattern, engine=found.record.pattern_engine)
    return found


def _source(given: Any, format: str | None, said: dict[str, Any]) -> Source:
    if isinstance(given, (str, os.PathLike)):
        if format is None and isinstance(given, str) and given in vocabularies.names():
            return Source(_with(vocabularies.load(given), said), given)
        return _from_path(given, format, said)
    if isinstance(given, RECORDS):
        return Source(_with(given, said), type(given).__name__)
    record, name = _from_tokenizer(given)
    return Source(_with(record, said), name)


def _with(record: Model, said: Mapping[str, Any]) -> Model:
    """Return the record with the given fields replaced."""
    if not said:
        return record
    if isinstance(record, PieceModel):
        raise UnsupportedModel(
            f"a model of SentencePiece has no {' and no '.join(said).replace('_', ' ')} to be changed: "
            "its pieces say everything."
        )
    changes: dict[str, Any] = dict(said)
    if isinstance(record, VocabularyModel):
        if "pattern" in said:
            changes |= {"pattern_engine": None, "split_steps": ()}
        if "special_tokens" in said:
            # The added tokens that are not special stay.
            plain = {text: each for text, each in record.special_tokens.items() if text in record.plain_tokens}
            changes["special_tokens"] = kept = {**plain, **said["special_tokens"]}
            changes["special_flags"] = {text: each for text, each in record.special_flags.items() if text in kept}
    return record.replace(**changes)


# ----------------------------------------------------------------------------------------------------
# Files


def _from_path(given: str | os.PathLike[str], format: str | None, said: dict[str, Any]) -> Source:
    path = _existing(given)
    name, file = opening.locate(path, format)
    if name == "gguf" and "pattern" in said:
        record = opening.FORMATS[name].read(file, pattern=said["pattern"])
        return Source(_with(record, {key: value for key, value in said.items() if key != "pattern"}), path.stem)
    if opening.FORMATS[name].says_pattern:
        return Source(_with(opening.FORMATS[name].read(file), said), path.stem)
    alone = not file.with_name(file.name + ".json").exists()
    published = _published().get(hashlib.sha256(read_whole(file)).hexdigest()) if alone else None
    if published is not None:
        return Source(_with(vocabularies.load(published), said), published)
    record = opening.FORMATS[name].read(file, **said)
    unsaid = "pattern" not in said and alone
    if unsaid and not isinstance(record, PieceModel) and record.pattern is None:
        raise MissingPattern(
            f"{file.name} says which bytes have which ids, but not how a text is cut into words before that, and "
            "other words give other ids.\nSay it with pattern= (--pattern): the name of a known one ('gpt2', "
            "'cl100k_base', 'o200k_base'), a regular expression, or None (none) where text is not cut. "
            "special_tokens={...} (--special) likewise."
        )
    return Source(record, path.stem)


@cache
def _published() -> Mapping[str, str]:
    """Return SHA-256 of each published file -> the name of its encoding."""
    return {file.sha256: file.encoding for file in published_files() if file.name.endswith(".tiktoken")}


def _existing(given: str | os.PathLike[str]) -> Path:
    """Return the path if it exists. Raises MissingFile, or UnknownEncoding for text that looks like a name."""
    text = os.fspath(given)
    if not isinstance(text, str):
        raise UnusableTokenizer(f"the path of a tokenizer is a str or a Path, got {given!r}.")
    if _ADDRESS.match(text):
        raise MissingFile(
            f"{text} is an address, and nothing is fetched from a network here.\n"
            "Download the file (curl -LO, or the browser) and give its path."
        )
    path = Path(text)
    looks_like_a_path = not isinstance(given, str) or bool(path.suffix) or len(path.parts) > 1
    try:
        if text and path.exists():
            return path
    except (OSError, ValueError):
        # Not a path: too long, or with a NUL.
        looks_like_a_path = False
    if not looks_like_a_path:
        try:
            vocabularies.passport(text)
        except UnknownEncoding as problem:
            raise UnknownEncoding(f"{problem}\nA file of your own is given by its path: 'tokenizer.json'.") from None
    hint = "Give the path of a tokenizer's file, or a name: 'cl100k_base'."
    if _REPOSITORY.match(text) and not path.suffix:
        hint = (
            "If it is the name of a repository (Hugging Face): nothing is fetched from a network here. "
            "Download its tokenizer.json, and give the path of that."
        )
    raise MissingFile(f"there is no file {path}. {hint}")


# ----------------------------------------------------------------------------------------------------
# Tokenizer objects


def _from_tokenizer(tokenizer: Any) -> Source:
    name = type(tokenizer).__name__
    for place in ("model", "_record"):
        record = getattr(tokenizer, place, None)
        if isinstance(record, RECORDS):
            return Source(record, str(getattr(tokenizer, "name", name)))
    if all(hasattr(tokenizer, each) for each in ("_mergeable_ranks", "_pat_str", "_special_tokens")):
        return Source(_of_tiktoken(tokenizer), str(tokenizer.name))
    # Only a library that is imported can have made the object.
    sentencepiece = sys.modules.get("sentencepiece")
    if sentencepiece and isinstance(tokenizer, sentencepiece.SentencePieceProcessor):
        return Source(sentencepiece_proto.from_bytes(tokenizer.serialized_model_proto()), name)
    # A tokenizer of transformers contains one of tokenizers.
    inside = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(inside, "to_str") and hasattr(inside, "id_to_token"):
        return Source(huggingface_json.from_json(inside.to_str(), name), name)
    if hasattr(tokenizer, "get_mergeable_ranks") and hasattr(tokenizer, "get_pattern"):
        return Source(_of_rustbpe(tokenizer), name)
    raise UnusableTokenizer(
        f"{name} is no tokenizer that a record can be taken from.\n"
        "Give a path, the name of a bundled encoding, a record, or a tokenizer of this course, of tiktoken, "
        "sentencepiece, tokenizers, transformers (a fast one) or rustbpe."
    )


def _of_tiktoken(encoding: Any) -> Model:
    """Return the record of an encoding of tiktoken or of ours: neighbours merge when their joined bytes are a token."""
    pattern, special_tokens = str(encoding._pat_str), dict(encoding._special_tokens)
    tokens = {token_id: token for token, token_id in encoding._mergeable_ranks.items()}
    # Any pattern is in tiktoken's dialect here, with tiktoken's Unicode tables.
    engine = None if engine_of(pattern) == "tiktoken" else "tiktoken"
    return simplest(VocabularyModel(tokens, pattern=pattern, pattern_engine=engine, special_tokens=special_tokens))


def _of_rustbpe(tokenizer: Any) -> Model:
    """Return the record of a rustbpe tokenizer, which has ranks and no list of merges."""
    tokens = {token_id: bytes(token) for token, token_id in tokenizer.get_mergeable_ranks()}
    return simplest(VocabularyModel(tokens, pattern=tokenizer.get_pattern() or None))
