"""The files that OpenAI publishes, rebuilt byte for byte from the bundle.

    *.tiktoken     one token a line: its bytes in base64, a space, its id
    vocab.bpe      gpt2: a version line, then one merge a line, both parts in printable bytes
    encoder.json   gpt2: {token in printable bytes: id}, with <|endoftext|> at the end

Each is compared with the SHA-256 that tiktoken expects, and never returned if it differs.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from minbpe_course.errors import UnknownEncoding, UnreadableModel
from minbpe_course.model import BytePairModel
from minbpe_course.text.byte_alphabet import to_printable
from minbpe_course.vocabularies.bundle import DATA, build_model, load, names, passport


class PublishedFile(NamedTuple):
    """A file that tiktoken downloads: its address, its SHA-256, and an encoding that uses it."""

    url: str
    sha256: str
    encoding: str

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.url.rpartition("/")[2]

    @property
    def cache_name(self) -> str:
        """The name under which tiktoken looks for the file in its cache folder: the SHA-1 of the address."""
        return hashlib.sha1(self.url.encode("utf-8"), usedforsecurity=False).hexdigest()


def published_files(name: str | None = None) -> tuple[PublishedFile, ...]:
    """Return the files of one encoding, or of all, each once.

    >>> [file.name for file in published_files("gpt2")]
    ['vocab.bpe', 'encoder.json']
    >>> published_files("cl100k_base")[0].cache_name
    '9b5ad71b2ce5302211f9c61530b329a4922fc6a4'
    """
    files: dict[str, PublishedFile] = {}
    for encoding in names() if name is None else (name,):
        for file in passport(encoding)["files"]:
            files.setdefault(file["url"], PublishedFile(file["url"], file["sha256"], encoding))
    return tuple(files.values())


def tiktoken_file(name: str, part: str | None = None) -> bytes:
    """Return the published file of an encoding, rebuilt and checked.

    gpt2 has two files: ``part`` is "vocab.bpe" (the default) or "encoder.json". Raises UnknownEncoding, and
    UnreadableModel when the SHA-256 is not the published one.

    >>> tiktoken_file("r50k_base").splitlines()[256]
    b'IHQ= 256'
    """
    passport(name)  # raises UnknownEncoding with advice
    files = {file.name: file for file in published_files(name)}
    if part is not None and part not in files:
        raise UnknownEncoding(f"{name} has no file {part!r}; it has: {', '.join(files)}.")
    return rebuild_file(files[part] if part else next(iter(files.values())))


def rebuild_file(file: PublishedFile, folder: Path = DATA) -> bytes:
    """Rebuild a published file from the bundle in ``folder``. Raises UnreadableModel if its SHA-256 is wrong."""
    model = load(file.encoding) if folder == DATA else build_model(file.encoding, folder)
    write = {"vocab.bpe": _vocab_bpe, "encoder.json": _encoder_json}.get(file.name, _tiktoken_ranks)
    data = write(model)
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise UnreadableModel(
            f"the bundled merges of {file.encoding} do not rebuild {file.name} (SHA-256 {file.sha256}).\n"
            "Install the package again: pip install --force-reinstall --no-deps minbpe-course"
        )
    return data


def _tiktoken_ranks(model: BytePairModel) -> bytes:
    encode = base64.b64encode
    return b"".join(b"%b %d\n" % (encode(token), token_id) for token_id, token in model.token_bytes.items())


def _vocab_bpe(model: BytePairModel) -> bytes:
    spelled = {token_id: to_printable(token) for token_id, token in model.token_bytes.items()}
    lines = [f"{spelled[left]} {spelled[right]}\n" for left, right in model.merges]
    return ("#version: 0.2\n" + "".join(lines)).encode("utf-8")


def _encoder_json(model: BytePairModel) -> bytes:
    vocabulary = {to_printable(token): token_id for token_id, token in model.token_bytes.items()}
    return json.dumps(vocabulary | dict(model.special_tokens)).encode("ascii")
