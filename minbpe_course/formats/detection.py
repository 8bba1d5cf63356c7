r"""Detect the format of a file from its first bytes, including files that people mistake for a tokenizer.

    detect(b"minbpe v1\n...")     Seen("minbpe", ...)        a format of this package
    detect(b"PK\x03\x04...")      Seen(None, "a zip archive", "Unpack it ...")

A file that looks like a format may still be damaged; its reader will say where. If no format matches, the file name
decides (``any_format``).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, NamedTuple

from minbpe_course.formats.protobuf_fields import LENGTH, BrokenMessage, read_fields

# How many bytes are read where the start of a file is enough.
_HEAD = 1 << 16


class Seen(NamedTuple):
    """The kind of a file. ``format`` is None if this package cannot read it.

    what : the kind in words, with an article · advice : the next step for the user.
    """

    format: str | None
    what: str
    advice: str = ""


def detect(data: bytes) -> Seen | None:
    """Return what a file with these bytes looks like, None if nothing is recognised."""
    if not data:
        return Seen(None, "empty", "Was it copied or downloaded completely?")
    for magic, offset, seen in _MAGIC:
        if data.startswith(magic, offset):
            return seen
    if data[8:10] == b'{"' and int.from_bytes(data[:8], "little") < 1 << 32:
        return _weights("weights of a network, as safetensors keeps them")
    if data[0] == 0x80 and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return Seen(
            None,
            "a pickle",
            "Opening a pickle can run any program, so it is not opened. "
            "On the computer that wrote it, save the tokenizer as data: convert(tokenizer, 'mine.tiktoken')",
        )
    start = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    of_json = _json(data) if start[:1] in (b"{", b"[") else None
    return of_json or _text(start) or _sentencepiece(data)


def _weights(what: str) -> Seen:
    advice = "The tokenizer is in another file of that folder: tokenizer.json, tokenizer.model or tekken.json."
    return Seen(None, what, advice)


_UNPACK = "Unpack it, and give the file inside."
_MAGIC = (
    (b"PK\x03\x04", 0, Seen(None, "a zip archive, or weights that PyTorch saved", _UNPACK)),
    (b"PK\x05\x06", 0, Seen(None, "an empty zip archive", _UNPACK)),
    (b"\x1f\x8b", 0, Seen(None, "compressed by gzip", f"{_UNPACK} (gunzip, or tar -xzf)")),
    (b"BZh", 0, Seen(None, "compressed by bzip2", _UNPACK)),
    (b"\xfd7zXZ\0", 0, Seen(None, "compressed by xz", _UNPACK)),
    (b"\x28\xb5\x2f\xfd", 0, Seen(None, "compressed by zstd", _UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", 0, Seen(None, "a 7z archive", _UNPACK)),
    (b"ustar", 257, Seen(None, "a tar archive", _UNPACK)),
    (b"GGUF", 0, Seen("gguf", "a GGUF file of llama.cpp")),
    (b"\x89HDF", 0, _weights("weights of a network, as Keras keeps them (HDF5)")),
    (b"\x93NUMPY", 0, Seen(None, "an array that NumPy saved", "Give the file of a tokenizer.")),
    (b"\xff\xfe", 0, Seen(None, "text in UTF-16", "Save it as UTF-8.")),
    (b"\xfe\xff", 0, Seen(None, "text in UTF-16", "Save it as UTF-8.")),
    (b"%PDF", 0, Seen(None, "a PDF document", "Give the file of a tokenizer.")),
    (b"\x89PNG", 0, Seen(None, "a picture", "Give the file of a tokenizer.")),
)

# ----------------------------------------------------------------------------------------------------
# JSON

_SETTINGS = {
    "tokenizer_class", "model_max_length", "chat_template", "add_bos_token", "bos_token", "eos_token", "unk_token",
    "pad_token", "additional_special_tokens",
}  # fmt: skip
_BESIDE = "Give the tokenizer.json of that folder, or the folder with vocab.json and merges.txt."


def _json(data: bytes) -> Seen | None:
    head = data[:_HEAD]
    # Most tokenizer.json files are recognised by their first keys; parsing a large file takes as long as reading it.
    if re.match(rb'\s*\{\s*"version"\s*:\s*"[^"]*"\s*,\s*"(?:truncation|padding|added_tokens)"', head):
        return Seen("huggingface", "a tokenizer.json of Hugging Face's tokenizers")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return _of_json(found)


def _of_json(found: Any) -> Seen:
    if not isinstance(found, dict):
        return Seen(None, "JSON, but not a tokenizer: it is a list", "Give the file of a tokenizer.")
    keys = set(found)
    if isinstance(found.get("model"), dict):
        return Seen("huggingface", "a tokenizer.json of Hugging Face's tokenizers")
    if isinstance(found.get("vocab"), list) and isinstance(found.get("config"), dict):
        return Seen("tekken", "a tekken.json of mistral-common")
    if "nbformat" in keys:
        return Seen(None, "a notebook", "Give the file of a tokenizer.")
    if "weight_map" in keys:
        return _weights("the list of contents of a network's weights")
    if keys & {"architectures", "hidden_size", "model_type"}:
        return Seen(None, "the settings of a network", _BESIDE)
    if "ranks_sha256" in keys or ("sha256" in keys and "pattern" in keys):
        return Seen(None, "the second file of a .tiktoken file", "Give the .tiktoken file.")
    if keys & _SETTINGS and not all(type(value) is int for value in found.values()):
        return Seen(None, "the settings of a tokenizer, not the tokenizer itself", _BESIDE)
    if found and all(type(value) is int for value in found.values()):
        return Seen("gpt2", "a table of tokens as in vocab.json")
    shown = ", ".join(sorted(map(repr, keys))[:4]) or "nothing"
    return Seen(
        None,
        f"JSON, but neither tokenizer.json nor tekken.json nor vocab.json: it contains {shown}",
        "Give the file of a tokenizer.",
    )


# ----------------------------------------------------------------------------------------------------
# Text, and SentencePiece

_RANK_LINE = re.compile(rb"([A-Za-z0-9+/]+={0,2}) [0-9]+\r?(?:\n|\Z)")
_PIECE_LINE = re.compile(rb"[^\t\r\n]+\t-?[0-9.e+-]+\r?\n")


def _text(start: bytes) -> Seen | None:
    if start.startswith(b"minbpe v1"):
        return Seen("minbpe", "a .model file of minbpe")
    if start.startswith(b"#version:"):
        return Seen("gpt2", "merges as in merges.txt")
    if start.startswith(b"version https://git-lfs"):
        return Seen(
            None, "a Git LFS pointer: the real file was not downloaded", "Get it: git lfs pull, or download the file."
        )
    if start.startswith(b"[\\u0000] 0"):
        return Seen(None, "minbpe's .vocab, which is for people to read", "Give the .model file beside it.")
    if re.match(rb"\[(?:PAD|UNK|CLS|SEP|MASK|unused\d+)\]\r?\n", start):
        return Seen("wordpiece", "a vocabulary of WordPiece, as BERT has it")
    if re.match(rb"<(?:!doctype|html|head|\?xml)", start, re.IGNORECASE):
        return Seen(None, "a web page", "Download the file itself (on GitHub: the button Raw) and give that.")
    if (found := _RANK_LINE.match(start)) is not None and _is_base64(found.group(1)):
        return Seen("tiktoken", "ranks as in a .tiktoken file")
    if _PIECE_LINE.match(start):
        return Seen(None, "SentencePiece's .vocab, which is for people to read", "Give the .model file beside it.")
    return None


def _is_base64(text: bytes) -> bool:
    try:
        return bool(base64.b64decode(text, validate=True))
    except binascii.Error:
        return False


def _sentencepiece(data: bytes) -> Seen | None:
    """Detect a model by its first field, since protocol buffers have no signature."""
    try:
        first = next(read_fields(data))
    except (BrokenMessage, StopIteration):
        return None
    if first.kind == LENGTH and first.number in (1, 2, 3, 5) and first.end > first.value:
        return Seen("sentencepiece", "a .model file of SentencePiece")
    return None
