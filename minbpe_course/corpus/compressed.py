"""Compressed files as the bytes that were compressed: gz, bz2, xz and zst, told by their first bytes.

    b"\\x1f\\x8b\\x08..."  --recognise-->  "gz"  --Unpacked-->  the text, block by block

A file may be several compressed ones end to end, as ``cat a.gz b.gz`` makes it. What is cut off or damaged is told with
how many bytes were good before. Memory stays bounded, whatever a file claims to unpack to.

Limits: zst needs Python 3.14 or the package ``zstandard``. Nobody can begin in the middle: to skip is to read.
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

from minbpe_course.errors import DamagedFile, MissingPackage

# Bytes that come out at a time, at most: with their text they fit the cache.
BLOCK = 1 << 18

SUFFIXES = {
    ".gz": "gz",
    ".gzip": "gz",
    ".bz2": "bz2",
    ".xz": "xz",
    ".zst": "zst",
    ".zstd": "zst",
}
_TITLES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "Zstandard"}
# The second of zst begins what pzstd writes in front.
_MAGIC = {
    "gz": (b"\x1f\x8b\x08",),
    "bz2": (b"BZh",),
    "xz": (b"\xfd7zXZ\x00",),
    "zst": (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))),
}
# Enough to tell: no text in UTF-8 begins like gz, xz or a frame of zst, and bz2 is told by what follows.
HEAD = 64
_BZ2_BEGINS = tuple(b"BZh%d" % level + rest for level in range(1, 10) for rest in (b"1AY&SY", b"\x17rE8P\x90"))


def recognise(head: bytes) -> str | None:
    """Return how what begins with ``head`` is compressed, None when it is not; HEAD bytes are enough.

    What could be a text is taken for one.

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
    """Whether more bytes are needed to tell: so far it begins as something compressed does.

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
        # A character that is cut off at the end is none that is wrong.
        return problem.reason == "unexpected end of data" and problem.end == len(head)
    return True


def begins_like(head: bytes, compression: str) -> bool:
    """Whether ``head`` begins as a file does that is compressed like this."""
    return head.startswith(_MAGIC[compression])


def unpacked(blocks: Iterable[bytes], compression: str | None, name: str) -> Iterator[bytes]:
    """Yield the bytes that are meant, as soon as they are there, of a pipe or whatever else can be read once.

    compression : as the name says, None if it says nothing: then the first bytes do. Raises as ``Unpacked`` does.

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
    """The bytes that were compressed, from blocks of those that are there.

    blocks : the compressed bytes · compression : "gz", "bz2", "xz" or "zst" · name : what to call it in a message ·
    good : how many bytes have come out so far.

    Raises DamagedFile while it is read, MissingPackage at once.

    >>> unpacked = Unpacked([bz2.compress(b"one"), bz2.compress(b" two")], "bz2", "x.bz2")
    >>> b"".join(unpacked), unpacked.good
    (b'one two', 7)
    """

    def __init__(self, blocks: Iterable[bytes], compression: str, name: str) -> None:
        self.good = 0
        self._name = name
        self._compression = compression
        self._machine, self._errors = machines(compression, name)
        self._blocks = iter(blocks)

    def __iter__(self) -> Iterator[bytes]:
        data = next(self._blocks, b"")
        if not data:
            raise self._damaged("it is empty")
        stream = 0
        while data:
            # The beginning of a stream may come in small pieces.
            while len(data) < 6 and (more := next(self._blocks, b"")):
                data += more
            if not data.startswith(_MAGIC[self._compression]):
                where = "behind what was compressed stands something else" if stream else "it begins as none does"
                raise self._damaged(where)
            data = yield from self._stream(data)
            stream += 1
            # Zeros fill up a last block on a tape; anything else there would be lost without a word.
            while not data.strip(b"\0") and (more := next(self._blocks, b"")):
                data = more
            data = data.lstrip(b"\0")

    def _stream(self, data: bytes) -> Generator[bytes, None, bytes]:
        """Yield what one stream holds; return what stands behind it."""
        machine = self._machine()
        ended = False
        while True:
            try:
                out, data = machine.feed(data)
            except self._errors as problem:
                raise self._damaged(f"it is damaged ({problem})") from None
            self.good += len(out)
            if out:
                yield out
            if machine.eof:
                return machine.unused_data + data
            if data or out:
                continue
            if ended:
                raise self._damaged("it is cut off")
            data = next(self._blocks, b"")
            ended = not data

    def _damaged(self, what: str) -> DamagedFile:
        return DamagedFile(
            f"{self._name} is no whole {_TITLES[self._compression]} file: {what}. "
            f"Good were the first {self.good:,} bytes of what it holds.\n"
            "Get it again: writing, copying or downloading it was probably cut short."
        )


class _Gzip:
    def __init__(self) -> None:
        self._made = zlib.decompressobj(31)

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Return what comes out, at most BLOCK bytes, and what of ``data`` is left to be fed."""
        out = self._made.decompress(data, BLOCK)
        return out, self._made.unconsumed_tail

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._made.eof

    @property
    def unused_data(self) -> bytes:
        """What was fed and stands behind the end."""
        return self._made.unused_data


class _Standard:
    """What bz2, lzma and the Zstandard of Python 3.14 have in common."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Return what comes out, at most BLOCK bytes; all of ``data`` is taken."""
        return self._made.decompress(data, BLOCK), b""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return bool(self._made.eof)

    @property
    def unused_data(self) -> bytes:
        """What was fed and stands behind the end."""
        return bytes(self._made.unused_data)


class _Zstandard(_Standard):
    """The package knows no limit for what comes out: of four bytes that can be 128 kB. So it gets little at a time."""

    def __init__(self, made: Any) -> None:
        super().__init__(made)
        self._fed = 1 << 8

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Return what comes out, and what of ``data`` is left to be fed."""
        out, left = self._made.decompress(data[: self._fed]), data[self._fed :]
        if len(out) > BLOCK // 2:
            self._fed = max(self._fed // 4, 8)
        elif len(out) < BLOCK // 16:
            self._fed = min(2 * self._fed, 1 << 13)
        return out, left


def machines(compression: str, name: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """Return what makes a machine that unpacks one stream, and the errors of it. Raises MissingPackage.

    name : whose sake it is for, for the message.
    """
    if compression == "gz":
        return _Gzip, (zlib.error,)
    if compression == "bz2":
        return lambda: _Standard(bz2.BZ2Decompressor()), (OSError, ValueError)
    if compression == "xz":
        return lambda: _Standard(lzma.LZMADecompressor(lzma.FORMAT_XZ)), (lzma.LZMAError,)
    if sys.version_info >= (3, 14):
        zstd = import_module("compression.zstd")
        return lambda: _Standard(zstd.ZstdDecompressor()), (zstd.ZstdError,)
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        raise MissingPackage(
            f"{name} is compressed with Zstandard, which needs Python 3.14 or a package:\n"
            'pip install "minbpe-course[zstd]"    (or: pip install zstandard)'
        ) from None
    made = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    return lambda: _Zstandard(made.decompressobj()), (zstandard.ZstdError,)
