"""Decompression of gz, bz2, xz and zst, recognised by the first bytes of a file.

    b"\\x1f\\x8b\\x08..."  --recognise-->  "gz"  --Unpacked-->  the text, block by block

A file may consist of several compressed ones end to end, as ``cat a.gz b.gz`` makes it. The error for a damaged file
says how many bytes before the damage were good. Memory is bounded, however much a file unpacks to.

Limits: zst needs Python 3.14 or the package ``zstandard``. Reading always starts at the beginning of a file.
"""

from __future__ import annotations

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from importlib import import_module
from itertools import chain
from typing import Any

from minbpe_course.errors import UnreadableInput
from minbpe_course.extras import needed

# The most bytes that come out at a time: together with their text they fit the cache.
BLOCK = 1 << 18

SUFFIXES = {".gz": "gz", ".gzip": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst", ".zstd": "zst"}
_TITLES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "Zstandard"}
# The second kind of zst begins the skippable frame that pzstd writes first.
_MAGIC = {
    "gz": (b"\x1f\x8b\x08",),
    "bz2": (b"BZh",),
    "xz": (b"\xfd7zXZ\x00",),
    "zst": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))),
}
# Enough bytes to decide: no UTF-8 text begins like gz, xz or a frame of zst, and bz2 shows in what follows.
HEAD = 64
# The largest window or dictionary: xz -9 has 64 MB, and the program zstd reads no more than this without --long.
_MOST_MEMORY = 1 << 27
_BZ2_BEGINS = tuple(b"BZh%d" % level + rest for level in range(1, 10) for rest in (b"1AY&SY", b"\x17rE8P\x90"))


def recognise(head: bytes) -> str | None:
    """Return the compression of a file that begins with ``head``, or None; HEAD bytes are enough.

    Anything that could be text counts as text.

    >>> recognise(bz2.compress(b"text")), recognise(b"BZh91AY&SY, said the text")
    ('bz2', None)
    """
    if head.startswith(_MAGIC["gz"]):
        return "gz"
    if head.startswith(_MAGIC["xz"]):
        return "xz"
    if head.startswith(_MAGIC["zst"][0]):
        return "zst"
    if head.startswith(_BZ2_BEGINS) and not _may_be_text(head[:HEAD]):
        return "bz2"
    return None


def may_become_compressed(head: bytes) -> bool:
    """Return whether ``head`` could be the beginning of a compressed file, so that more bytes are needed to decide.

    >>> may_become_compressed(b"\\x1f"), may_become_compressed(b"BZh"), may_become_compressed(b"Bach")
    (True, True, False)
    """
    begins = (_MAGIC["gz"][0], _MAGIC["xz"][0], _MAGIC["zst"][0])
    if any(len(head) < len(each) and each.startswith(head) for each in begins):
        return True
    return any(each.startswith(head[: len(each)]) for each in _BZ2_BEGINS) and len(head) < HEAD


def _may_be_text(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as problem:
        # A character that is cut off at the end is not an error.
        return problem.reason == "unexpected end of data" and problem.end == len(head)
    return True


def unpacked(blocks: Iterable[bytes], compression: str | None, name: str) -> Iterator[bytes]:
    """Yield the uncompressed bytes of a stream, as soon as they arrive.

    compression : from the name of the stream, or None to recognise it by the first bytes. Raises as ``Unpacked`` does.

    >>> list(unpacked([b"te", b"xt"], None, "standard input")), list(unpacked([bz2.compress(b"text")], None, "-"))
    ([b'te', b'xt'], [b'text'])
    """
    blocks = iter(blocks)
    head = b""
    if compression is None:
        while may_become_compressed(head) and (more := next(blocks, b"")):
            head += more
        compression = recognise(head)
    following = chain((head,) if head else (), blocks)
    return following if compression is None else iter(Unpacked(following, compression, name))


class Unpacked:
    """Iterate over the uncompressed bytes of compressed blocks.

    compression : "gz", "bz2", "xz" or "zst" · name : of the file, for error messages · good : bytes yielded so far.

    Raises MissingPackage at once, and UnreadableInput while it is read.

    >>> unpacked = Unpacked([bz2.compress(b"one"), bz2.compress(b" two")], "bz2", "x.bz2")
    >>> b"".join(unpacked), unpacked.good
    (b'one two', 7)
    """

    def __init__(self, blocks: Iterable[bytes], compression: str, name: str) -> None:
        self.good = 0
        self._name = name
        self._compression = compression
        self._decompressor, self._errors = decompressors(compression, name)
        self._blocks = iter(blocks)

    def __iter__(self) -> Iterator[bytes]:
        data = next(self._blocks, b"")
        if not data:
            raise self._damaged("it is empty")
        stream = 0
        while data:
            # The beginning of a stream may arrive in small pieces.
            while len(data) < 6 and (more := next(self._blocks, b"")):
                data += more
            if not data.startswith(_MAGIC[self._compression]):
                raise self._damaged("something else follows the data" if stream else "it begins differently")
            data = yield from self._stream(data)
            stream += 1
            # Zeros pad the last block on a tape; anything else would be lost silently, so it is an error.
            while not data.strip(b"\0") and (more := next(self._blocks, b"")):
                data = more
            data = data.lstrip(b"\0")

    def _stream(self, data: bytes) -> Generator[bytes, None, bytes]:
        """Yield the data of one stream; return the bytes after it."""
        decompressor = self._decompressor()
        ended = False
        while True:
            try:
                out, data = decompressor.feed(data)
            except self._errors as problem:
                if "memory" in str(problem).lower():
                    raise self._too_large() from None
                raise self._damaged(f"it is damaged ({problem})") from None
            self.good += len(out)
            if out:
                yield out
            if decompressor.eof:
                return decompressor.unused_data + data
            if data or out:
                continue
            if ended:
                raise self._damaged("it is cut off")
            data = next(self._blocks, b"")
            ended = not data

    def _too_large(self) -> UnreadableInput:
        return UnreadableInput(
            f"{self._name} says that it needs more than {_MOST_MEMORY >> 20} MB of memory to be unpacked.\n"
            "Unpack it with its own program, or pack it again with a smaller window or dictionary."
        )

    def _damaged(self, what: str) -> UnreadableInput:
        return UnreadableInput(
            f"{self._name} is not a complete {_TITLES[self._compression]} file: {what}. "
            f"The first {self.good:,} uncompressed bytes are good.\n"
            "Get the file again: writing, copying or downloading it was probably cut short."
        )


class _Gzip:
    """Decompress one gzip stream; ``eof`` and ``unused_data`` as in bz2 and lzma."""

    def __init__(self) -> None:
        self._decompressor = zlib.decompressobj(31)

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Return at most BLOCK bytes of output, and the rest of ``data`` to be fed again."""
        out = self._decompressor.decompress(data, BLOCK)
        return out, self._decompressor.unconsumed_tail

    def __getattr__(self, name: str) -> Any:
        return getattr(self._decompressor, name)


class _Standard(_Gzip):
    """Decompress one stream with bz2, lzma or the Zstandard of Python 3.14."""

    def __init__(self, decompressor: Any) -> None:
        self._decompressor = decompressor

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        return self._decompressor.decompress(data, BLOCK), b""


class _Zstandard(_Standard):
    """Decompress one stream with the package ``zstandard``.

    It has no limit on its output, and four bytes may become 128 kB; so it gets little input at a time.
    """

    def __init__(self, decompressor: Any) -> None:
        super().__init__(decompressor)
        self._fed = 1 << 8

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        out, left = self._decompressor.decompress(data[: self._fed]), data[self._fed :]
        if len(out) > BLOCK // 2:
            self._fed = max(self._fed // 4, 8)
        elif len(out) < BLOCK // 16:
            self._fed = min(2 * self._fed, 1 << 13)
        return out, left


def decompressors(compression: str, name: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """Return what makes a decompressor for one stream, and the errors that it raises. Raises MissingPackage.

    name : of the file, for the error message.
    """
    if compression == "gz":
        return _Gzip, (zlib.error,)
    if compression == "bz2":
        return lambda: _Standard(bz2.BZ2Decompressor()), (OSError, ValueError)
    if compression == "xz":
        return lambda: _Standard(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)), (lzma.LZMAError,)
    if sys.version_info >= (3, 14):
        zstd = import_module("compression.zstd")
        return lambda: _Standard(zstd.ZstdDecompressor()), (zstd.ZstdError,)
    reading = f"reading {name}, which is compressed with Zstandard,"
    with needed(reading, "zstandard", extra="zstd", otherwise="Python 3.14 reads it without."):
        zstandard = import_module("zstandard")
    made = zstandard.ZstdDecompressor(max_window_size=_MOST_MEMORY)
    return lambda: _Zstandard(made.decompressobj()), (zstandard.ZstdError,)
