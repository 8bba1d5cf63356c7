"""Notebooks and archives as learners hand them in, honest and hostile, made in memory."""

from __future__ import annotations

import io
import json
import stat
import struct
import zipfile
import zlib
from typing import Any

from minbpe_course.learning.grading.gradebook import Gradebook, Kept
from minbpe_course.learning.judge.callers import InProcess
from minbpe_course.learning.judge.exercise import Case, Exercise
from minbpe_course.learning.submissions.notebook_cells import Question


class Local(InProcess):
    """A caller in this process, with what the grader asks of one in another process."""

    notes: tuple[tuple[int, int, str], ...] = ()
    seconds = 0.0

    def hurry(self, seconds: float) -> None:
        """Take the time that is left for the notebook."""


BLANK = '# YOUR CODE HERE\nraise NotImplementedError("{entry} is still blank")'


def code_cell(source: str | list[str], id: str = "", **metadata: Any) -> dict[str, Any]:
    """Return a code cell of format 4; an empty id leaves it out."""
    cell = {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}
    return {**cell, "id": id} if id else cell


def answer_cell(source: str, id: str = "02-double") -> dict[str, Any]:
    """Return an answer cell as the release has it."""
    nbgrader = {"schema_version": 3, "grade_id": id, "solution": True, "grade": False, "locked": False, "task": False}
    return code_cell(source, id, nbgrader=nbgrader, tags=["answer"])


def check_cell(source: str, id: str = "02-double-check") -> dict[str, Any]:
    """Return the locked cell that carries the points."""
    nbgrader = {"schema_version": 3, "grade_id": id, "solution": False, "grade": True, "locked": True, "points": 2}
    return code_cell(source, id, nbgrader=nbgrader)


def notebook(*cells: Any, **more: Any) -> bytes:
    """Return the bytes of a notebook with these cells."""
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}).encode()


def double(number: int) -> int:
    """Return what the exercise below asks for."""
    return 2 * number


def exercise(key: str = "02.double", points: int = 2) -> Exercise:
    """Return a small exercise of one function, named like the last part of its key."""
    entry = key.partition(".")[2]
    return Exercise(
        *(key, "Double it", "write", entry, 1, 5, points, ("Add it to itself.", "n + n", "Lesson 02.")),
        wanted=double,
        shown=(Case("a small number", (2,)),),
        drawn=lambda random: [Case("a large number", (random.randrange(10**6, 10**9),)) for _ in range(3)],
    )


def question(key: str = "02.double", given: tuple[str, ...] = ()) -> Question:
    """Return the exercise above as it was handed out."""
    made = exercise(key)
    return Question(made, f"def {made.entry}(n):\n    " + BLANK.format(entry=made.entry).replace("\n", "\n    "), given)


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return out.getvalue()


def zip_entry(name: str, data: bytes = b"x", mode: int = stat.S_IFREG | 0o644, **set_to: Any) -> tuple[Any, bytes]:
    """Return an entry for ``zip_of``: a ZipInfo with this mode, and any other of its fields, and its data."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    for field, value in set_to.items():
        setattr(info, field, value)
    return info, data


def zip_of(*entries: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    """Return a zip archive of these entries in this order, with any names."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for info, data in entries:
            made.writestr(info, data)
    return out.getvalue()


def patched(archive: bytes, *, flags: int | None = None, size: int | None = None, method: int | None = None) -> bytes:
    """Return an archive whose only entry claims other flags, another size or method, in both of its headers."""
    out = bytearray(archive)
    central = out.index(b"PK\x01\x02")
    for at, flag_at, method_at, size_at in ((0, 6, 8, 22), (central, 8, 10, 24)):
        if flags is not None:
            struct.pack_into("<H", out, at + flag_at, flags)
        if method is not None:
            struct.pack_into("<H", out, at + method_at, method)
        if size is not None:
            struct.pack_into("<I", out, at + size_at, size)
    return bytes(out)


def far_away(offset: int) -> bytes:
    """Return an archive whose only entry claims to begin at a byte, however far away that is (zip64)."""
    extra = struct.pack("<HHQ", 1, 8, offset)
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 45, 45, 0, 0, 0, 33, 0, 2, 2, 7, 12, 0, 0, 0, 0, 0xFFFFFFFF)
    entry += b"a.ipynb" + extra
    return bytes(10) + entry + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(entry), 10, 0)


def long_list(count: int, *, zip64: bool) -> bytes:
    """Return an archive of so many entries whose last record lies about the length of their list."""
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    size = count * len(entry)
    if not zip64:
        # Somebody who looks for the last "PK\5\6" finds the one in the place of a number.
        return count * entry + struct.pack("<4s4HI4sH", b"PK\5\6", 0, 0, 1, 1, size, b"PK\5\6", 0)
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, 0)
    place = struct.pack("<4sLQL", b"PK\6\7", 0, size, 1)
    return count * entry + record + place + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, 100, 0, 0)


def overlapping(count: int, unpacked: int) -> bytes:
    """Return an archive in which ``count`` entries all point to the same packed bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = packer.compress(bytes(unpacked)) + packer.flush()
    crc = zlib.crc32(bytes(unpacked))
    name = b"a00000.ipynb"
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 33, crc, len(raw), unpacked, len(name), 0) + name + raw
    directory = b""
    for number in range(count):
        entry = b"a%05d.ipynb" % number
        directory += struct.pack(
            *("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 33, crc, len(raw), unpacked, len(entry), 0, 0, 0, 0, 0, 0)
        )
        directory += entry
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(directory), len(local), 0)
    return local + directory + end


def marks_in(book: Gradebook) -> list[tuple[str, Kept]]:
    """Return every mark of the class with the id of its learner."""
    return [(learner.id, one) for learner in book.learners() for one in book.marks(learner.id)]
