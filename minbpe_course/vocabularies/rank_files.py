"""The functions of ``tiktoken.load``, offline for bundled files and without ``blobfile`` for local files.

    load_tiktoken_bpe(file)                       {bytes: rank}        from a .tiktoken file
    dump_tiktoken_bpe(ranks, file)                                     back into one
    data_gym_to_mergeable_bpe_ranks(bpe, json)    {bytes: rank}        from GPT-2's vocab.bpe and encoder.json

A file is given by its path or its address. Addresses of the bundled vocabularies need no network; tiktoken itself
fetches and caches every other address. A local file is read each time, while tiktoken would keep using a copy of it.

These readers are for programs written with tiktoken, and as tolerant as its own. ``formats.tiktoken_ranks`` is the
strict reader, which reports every fault of a file.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import os
from collections.abc import Mapping
from typing import Any

from minbpe_course.errors import (
    InvalidModel,
    InvalidOption,
    InvalidText,
    UnreadableModel,
    UnusablePath,
)
from minbpe_course.files import read_whole, write_whole
from minbpe_course.text.byte_alphabet import PRINTABLE_ORDER, from_printable
from minbpe_course.vocabularies.language_models import installed_tiktoken
from minbpe_course.vocabularies.published_files import published_files, rebuild_file

_NOT_MERGED = (b"<|endoftext|>", b"<|startoftext|>")


def read_file(blobpath: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file, given its path or its address.

    Raises UnusablePath, and what tiktoken raises for an address that it cannot read.
    """
    name = os.fspath(blobpath)
    for file in published_files():
        if file.url == name:
            return rebuild_file(file)
    if "://" not in name:
        return read_whole(name)
    return _tiktoken_load(name).read_file(name)


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Return whether ``data`` has this SHA-256."""
    return hashlib.sha256(data).hexdigest() == expected_hash


def read_file_cached(blobpath: str | os.PathLike[str], expected_hash: str | None = None) -> bytes:
    """Return the bytes of a file; an address that is not bundled goes through tiktoken's cache.

    Raises UnreadableModel when the SHA-256 is not ``expected_hash``, and as ``read_file`` does.
    """
    name = os.fspath(blobpath)
    if "://" in name and all(file.url != name for file in published_files()):
        return _tiktoken_load(name).read_file_cached(name, expected_hash)
    data = read_file(name)
    if expected_hash and not check_hash(data, expected_hash):
        raise UnreadableModel(
            f"{name} is not the expected file: its SHA-256 is {hashlib.sha256(data).hexdigest()}, not {expected_hash}."
        )
    return data


def load_tiktoken_bpe(tiktoken_bpe_file: str | os.PathLike[str], expected_hash: str | None = None) -> dict[bytes, int]:
    """Return bytes -> rank from a ``.tiktoken`` file, given its path or its address.

    Raises UnreadableModel, with the number of the line, and UnusablePath.

    >>> ranks = load_tiktoken_bpe("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken")
    >>> len(ranks), ranks[b"world"]
    (100256, 14957)
    """
    ranks = {}
    for number, line in enumerate(read_file_cached(tiktoken_bpe_file, expected_hash).splitlines(), 1):
        if not line:
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
        except ValueError as error:
            raise UnreadableModel(
                f"{os.fspath(tiktoken_bpe_file)}, line {number}: {line!r:.80} must be a token in base64, a space and "
                f"its rank ({error})."
            ) from error
    return ranks


def dump_tiktoken_bpe(bpe_ranks: Mapping[bytes, int], tiktoken_bpe_file: str | os.PathLike[str]) -> None:
    """Write bytes -> rank as a ``.tiktoken`` file, lowest rank first. Raises InvalidOption, UnusablePath.

    tiktoken itself writes to an address, and needs the package ``blobfile`` for it.
    """
    name = os.fspath(tiktoken_bpe_file)
    if "://" in name:
        _tiktoken_load(name).dump_tiktoken_bpe(dict(bpe_ranks), name)
        return
    for token, rank in bpe_ranks.items():
        if not isinstance(token, bytes) or isinstance(rank, bool) or not hasattr(rank, "__index__"):
            raise InvalidOption(f"ranks map bytes to whole numbers, but hold {token!r}: {rank!r}.")
    ordered = sorted(bpe_ranks.items(), key=lambda item: item[1])
    write_whole(name, b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ordered))


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str | os.PathLike[str],
    encoder_json_file: str | os.PathLike[str],
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """Return bytes -> rank from GPT-2's two files: the 256 bytes in GPT-2's order, then the results of the merges.

    clobber_one_byte_tokens : take the ranks of single bytes from ``encoder_json_file``. Apart from special tokens,
    that file must agree with the merges.

    Raises UnreadableModel, InvalidModel, UnusablePath.

    >>> files = [file.url for file in published_files("gpt2")]
    >>> data_gym_to_mergeable_bpe_ranks(*files)[b" world"]
    995
    """
    ranks = {PRINTABLE_ORDER[place : place + 1]: place for place in range(256)}
    merges, name = _text(vocab_bpe_file, vocab_bpe_hash), os.fspath(vocab_bpe_file)
    # The first line is the version; after the last line end comes nothing.
    for number, line in enumerate(merges.split("\n")[1:-1], 2):
        try:
            left, right = map(from_printable, line.split())
        except (ValueError, InvalidText) as error:
            raise UnreadableModel(f"{name}, line {number}: {line!r:.80} is not a pair of tokens ({error}).") from error
        ranks[left + right] = number + 254
    listed = _encoder(encoder_json_file, encoder_json_hash)
    if clobber_one_byte_tokens:
        ranks.update({token: rank for token, rank in listed.items() if len(token) == 1})
    if ranks != listed:
        token = next(iter(token for token in {**ranks, **listed} if ranks.get(token) != listed.get(token)))
        raise InvalidModel(
            f"{name} gives {token!r} the rank {ranks.get(token)}, but {os.fspath(encoder_json_file)} gives it "
            f"{listed.get(token)}."
        )
    return ranks


def _encoder(path: str | os.PathLike[str], expected_hash: str | None) -> dict[bytes, int]:
    try:
        listed = json.loads(_text(path, expected_hash))
        found = {from_printable(token): rank for token, rank in listed.items()}
    except (ValueError, AttributeError, RecursionError) as error:
        raise UnreadableModel(f"{os.fspath(path)} is not a JSON object of tokens and their ids: {error}") from error
    for token in _NOT_MERGED:
        found.pop(token, None)
    return found


def _text(path: str | os.PathLike[str], expected_hash: str | None) -> str:
    data = read_file_cached(path, expected_hash)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableModel(f"{os.fspath(path)} is not UTF-8: byte {error.start} is wrong.") from error


def _tiktoken_load(address: str) -> Any:
    """Return the module ``tiktoken.load``, which reads and writes addresses."""
    if installed_tiktoken() is None:
        raise UnusablePath(
            f"only tiktoken itself can open the address {address}, and it is not installed, or another module has its "
            "name. Download the file, and give its path."
        )
    return importlib.import_module("tiktoken.load")
