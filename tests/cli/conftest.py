"""Run a verb inside the test process, with bytes in and bytes out, and optionally in very small blocks."""

from __future__ import annotations

import io
from typing import NamedTuple

import pytest

from minbpe_course.cli import documents, id_reader, sources
from minbpe_course.cli.main import main
from minbpe_course.corpus import documents as corpus_documents
from minbpe_course.splitting import long_texts
from minbpe_course.tokenizers import file_encoding


class Ran(NamedTuple):
    """code : the exit code · out : the bytes of standard output · err : the text of standard error."""

    code: int
    out: bytes
    err: str


class Verbs:
    """Run verbs. stdin : bytes of a pipe, None for a terminal · watched : whether stderr is a terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: bytes | None = None, watched: bool = False) -> Ran:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\r\n") for _ in range(2))
        given = io.TextIOWrapper(io.BufferedReader(_Raw(stdin or b"")), encoding="ascii")
        given.isatty = lambda: stdin is None  # type: ignore[method-assign]
        err.isatty = lambda: watched  # type: ignore[method-assign]
        with self._monkeypatch.context() as patch:
            patch.setattr("sys.stdin", given)
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", err)
            try:
                code = main([str(each) for each in arguments])
            except SystemExit as left:
                code = int(left.code or 0)
        written = []
        for stream in (out, err):
            stream.flush()
            written.append(stream.buffer.getvalue())  # type: ignore[attr-defined]
        return Ran(code, written[0], written[1].decode("utf-8").replace("\r\n", "\n"))


class _Raw(io.RawIOBase):
    """A pipe: its bytes can be read once, without seeking."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:
        taken = self._data[: len(buffer)]
        buffer[: len(taken)] = taken
        self._data = self._data[len(taken) :]
        return len(taken)


@pytest.fixture
def verbs(monkeypatch: pytest.MonkeyPatch) -> Verbs:
    """Run a verb: ``verbs("encode", path, stdin=b"...")``."""
    return Verbs(monkeypatch)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in blocks of a few bytes, so that every border is tested."""
    monkeypatch.setattr(sources, "BLOCK", 7)
    monkeypatch.setattr(documents, "BATCH", 11)
    monkeypatch.setattr(corpus_documents, "BLOCK", 11)
    monkeypatch.setattr(long_texts, "GATHER", 5)
    monkeypatch.setattr(file_encoding, "RANGE", 7)
    monkeypatch.setattr(id_reader, "_STEP", 3)
