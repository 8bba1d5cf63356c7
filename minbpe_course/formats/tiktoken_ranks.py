r"""tiktoken's ranks: one token per line, its bytes in base64, a space, its id.

    mine.tiktoken        IQ== 0                  mine.tiktoken.json     {
                         Ig== 1                                           "ranks_sha256": "70e52c...",
                         Iw== 2                                           "pattern": "\\p{L}+|\\P{L}+",
                         ...                                              "special_tokens": {"<|x|>": 257}
                                                                         }

Two neighbours merge when their joined bytes are a token, lowest id first, and a word that is a token stays whole. With
tiktoken, a program passes the split pattern and the special tokens. Here both go into a second file, which only this
package reads. It contains the SHA-256 of its ranks.

The reader accepts what tiktoken's loader accepts: empty lines, any line ends, any order of lines, extra white space. It
refuses what tiktoken would guess at: letters that are not base64, two ids for one token, an id that is there twice.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from minbpe_course.engines.as_byte_pairs import simplest
from minbpe_course.engines.same_ids import as_vocabulary, why_not_ranks
from minbpe_course.errors import InvalidModel, InvalidSpecialToken, MissingFile, UnreadableModel, UnsupportedModel
from minbpe_course.files import read_whole, write_files, write_whole
from minbpe_course.formats.json_text import Value, unspellable
from minbpe_course.formats.json_text import parse as parse_json
from minbpe_course.model import BytePairModel, VocabularyModel
from minbpe_course.text.patterns import engine_of

MOST_IDS = 1 << 32

# The empty token in Whisper's file.
_NOTHING = b"="
_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")
_RANK = re.compile(rb"0*([0-9]{1,10})\Z")


class _Unset:
    """The type of ``UNSET``."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()
"""The default of an argument for which None is a value."""


def read(
    path: str | os.PathLike[str], pattern: Any = UNSET, special_tokens: Any = UNSET
) -> BytePairModel | VocabularyModel:
    """Return the model in a ``.tiktoken`` file, with the pattern and special tokens of its second file, if it exists.

    pattern, special_tokens : used instead of the second file. If neither is known, the pattern is None and there are no
    special tokens.

    Raises UnusablePath, and UnreadableModel, with the line, if the file is damaged, or if the second file is damaged or
    belongs to other ranks.

    >>> import tempfile
    >>> path = write(BytePairModel([(97, 97)], special_tokens={"<|x|>": 257}), Path(tempfile.mkdtemp(), "a.tiktoken"))
    >>> read(path)
    BytePairModel(1 merges, 1 special tokens, pattern=None)
    >>> read(path, pattern=r"\\w+|\\W+").pattern
    '\\\\w+|\\\\W+'
    """
    path = Path(path)
    ranks = parse(read_whole(path), path.name)
    said: dict[str, Any] = {"pattern": pattern, "special_tokens": special_tokens}
    said = {name: value for name, value in said.items() if value is not UNSET}
    second = _second_file(path)
    if len(said) < 2:
        try:
            found = _from_second_file(read_whole(second), second.name, ranks)
        except MissingFile:
            found = {}
        if "pattern" in said:
            found.pop("pattern_engine", None)
        if "special_tokens" in said:
            found.pop("plain_tokens", None)
        said = found | said
    if isinstance(pattern, str) and engine_of(pattern) != "tiktoken":
        # The ranks are tiktoken's, so a pattern passed with them is in tiktoken's dialect.
        said["pattern_engine"] = "tiktoken"
    try:
        return simplest(VocabularyModel({rank: token for token, rank in ranks.items()}, **said))
    except (InvalidModel, InvalidSpecialToken) as error:
        raise UnreadableModel(f"{path.name}: {error}") from error


def write(model: BytePairModel | VocabularyModel, path: str | os.PathLike[str]) -> Path:
    """Write ``model`` to ``path``, and its pattern and special tokens to ``path`` + ".json"; return ``path``.

    Each file is replaced once it is complete, the second one last. Raises UnusablePath, and UnsupportedModel, with the
    reason, if tiktoken would give other ids.
    """
    vocabulary = _by_ranks(model)
    path = Path(path)
    data = _lines(vocabulary.ranks)
    content: dict[str, Any] = {
        "ranks_sha256": hashlib.sha256(data).hexdigest(),
        "pattern": vocabulary.pattern,
        "special_tokens": dict(vocabulary.special_tokens),
    }
    if vocabulary.pattern_engine is not None:
        content["pattern_engine"] = vocabulary.pattern_engine
    write_whole(path, data)
    # Last, since it contains the hash of the ranks: a crash in between is noticed when they are read.
    write_files(path.parent, {_second_file(path).name: (json.dumps(content, indent=1) + "\n").encode("ascii")})
    return path


def why_not(model: BytePairModel | VocabularyModel) -> str | None:
    """Return why tiktoken would not give the same ids from a ``.tiktoken`` file of ``model``; None if it would.

    >>> why_not(BytePairModel([(97, 97)])) is None
    True
    >>> print(why_not(BytePairModel([(97, 98), (98, 99), (97, 257)])))
    neighbours merge there when their joined bytes are a token, lowest id first; the merges of this model do not.
    """
    try:
        _by_ranks(model)
    except UnsupportedModel as error:
        return str(error).partition(": ")[2]
    return None


def parse(data: bytes, name: str = "the file") -> dict[bytes, int]:
    """Return the ranks in the bytes of a ``.tiktoken`` file: bytes -> id, in the order of the lines.

    The result is that of ``tiktoken.load.load_tiktoken_bpe``. Raises UnreadableModel with the line.

    >>> parse(b"IQ== 0\\r\\n\\nIg== 1\\n")
    {b'!': 0, b'"': 1}
    """
    ranks: dict[bytes, int] = {}
    token_of: dict[int, bytes] = {}
    matches, decode = _RANK.match, binascii.a2b_base64
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if not line:
            continue
        parts = line.split()
        if len(parts) != 2:
            raise _damaged(name, number, f"{_shown(line)} has {len(parts)} parts and not two")
        spelled, digits = parts
        rank_there = matches(digits)
        if rank_there is None or int(rank_there[1]) >= MOST_IDS:
            raise _damaged(name, number, f"{_shown(digits)} is not a whole number below 2**32")
        if spelled == _NOTHING:
            spelled = b""
        elif not _BASE64.match(spelled):
            raise _damaged(name, number, f"{_shown(spelled)} is not base64")
        token, rank = decode(spelled), int(rank_there[1])
        if ranks.setdefault(token, rank) != rank:
            raise _damaged(name, number, f"the token {token!r:.60} has the id {rank} here and {ranks[token]} before")
        if token_of.setdefault(rank, token) != token:
            raise _damaged(name, number, f"the id {rank} is that of {token!r:.60} here and of another token before")
    return ranks


def digest(data: bytes, name: str = "the file") -> str:
    """Return the SHA-256 of the ranks in the bytes of a ``.tiktoken`` file: of the file as ``write`` would write it.

    Empty lines, line ends and the order of lines make no difference, so a published file keeps its digest even if a
    program changes its line ends. Raises as ``parse`` does.

    >>> digest(b"IQ== 0\\nIg== 1\\n") == digest(b"Ig== 1\\r\\nIQ== 0")
    True
    """
    return hashlib.sha256(_lines(parse(data, name))).hexdigest()


# ---- Private


def _by_ranks(model: BytePairModel | VocabularyModel) -> VocabularyModel:
    """Return the model as a vocabulary defined by its ranks alone. Raises UnsupportedModel, with the reason."""

    def unsupported(reason: object) -> UnsupportedModel:
        return UnsupportedModel(f"a .tiktoken file cannot hold this model: {reason}")

    if (reason := why_not_ranks(model)) is not None:
        raise unsupported(reason)
    vocabulary = as_vocabulary(model)
    if vocabulary.frame != ((), ()):
        raise unsupported("tiktoken adds no ids around a text, and this model does.")
    if (reason := unspellable(*vocabulary.special_tokens, vocabulary.pattern or "")) is not None:
        raise unsupported(reason)
    return vocabulary.replace(merges=None, whole_words=True)


def _lines(ranks: Mapping[bytes, int]) -> bytes:
    encode = base64.b64encode
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join([b"%b %d\n" % (encode(token) or _NOTHING, rank) for token, rank in ordered])


def _second_file(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _damaged(name: str, line: int, what: str) -> UnreadableModel:
    return UnreadableModel(f"{name}, line {line}: {what}. A line is a token in base64, a space, and its id: 'IQ== 0'.")


def _shown(part: bytes) -> str:
    return repr(part if len(part) <= 60 else part[:60] + b"...")


def _from_second_file(data: bytes, name: str, ranks: Mapping[bytes, int]) -> dict[str, Any]:
    """Return the pattern and the special tokens in the second file."""
    try:
        said = Value(parse_json(data, name), "$", name)
        said.only(
            "ranks_sha256", "pattern", "special_tokens", "pattern_engine", "plain_tokens", why="is not part of it."
        )
        if said.get("ranks_sha256").text() != hashlib.sha256(_lines(ranks)).hexdigest():
            said.get("ranks_sha256").wrong("it belongs to other ranks.")
        if "pattern" not in said:
            said.get("pattern").wrong("missing.")
        specials = said.get("special_tokens")
        return {
            "pattern": said.get("pattern").optional_text(),
            "special_tokens": {text: specials.get(text).token_id() for text in specials.an_object()},
            "pattern_engine": said.get("pattern_engine").optional_text(),
            "plain_tokens": [token.text() for token in said.get("plain_tokens").items()]
            if "plain_tokens" in said
            else [],
        }
    except UnreadableModel as error:
        raise UnreadableModel(
            f"{error} It says how {name.removesuffix('.json')} splits text; write it again, or say pattern= and "
            "special_tokens= yourself."
        ) from error
