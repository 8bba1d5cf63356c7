"""Arrays of ids from strangers: dtypes, shapes and ends that no writer makes are refused by name."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minbpe_course.cli import id_reader
from minbpe_course.errors import UnreadableInput, UnreadableModel
from minbpe_course.formats.id_arrays import ArrayWriter, read_arrays

pytestmark = pytest.mark.medium


def header(descr: str = "'<u2'", shape: str = "(3,)", fortran: str = "False", version: bytes = b"\x01\x00") -> bytes:
    said = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode("latin-1")
    return b"\x93NUMPY" + version + len(said).to_bytes(2 if version[0] == 1 else 4, "little") + said


def array(values: Sequence[int], dtype: str) -> bytes:
    out = io.BytesIO()
    np.save(out, np.array(values, dtype=dtype))
    return out.getvalue()


IDS, ENDS = array([1, 2, 3], "<u2"), array([1, 3], "<i8")
HEADERS = {
    "objects": header("'|O'"),
    "structures": header("[('a', '<u2')]"),
    "truths": header("'|b1'"),
    "2**63 numbers": header(shape=f"({2**63},)"),
    "no dimension": header(shape="()"),
    "a truth as length": header(shape="(True,)"),
    "a negative length": header(shape="(-3,)"),
    "two dimensions": header(shape="(3, 1)"),
    "the order of Fortran": header(fortran="True"),
    "parentheses": header(shape="(" * 5000),
    "a longer version": header(shape=f"({2**60},)", version=b"\x02\x00"),
    "no version": header(version=b"\x09\x09"),
    "a header cut short": header()[:20],
}


@pytest.mark.parametrize("place", ["ids", "ends"])
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_no_writer_of_ids_makes_is_refused(name: str, place: str, tmp_path: Path) -> None:
    bad = HEADERS[name] + bytes(64)
    path = tmp_path / "x.npy"
    path.write_bytes(bad if place == "ids" else IDS + bad)
    with pytest.raises(UnreadableModel, match=r"x\.npy is not the file that was written: \w+"):
        read_arrays(path)
    with pytest.raises(UnreadableInput, match=r"x\.npy"):
        list(id_reader.portions(str(path), "npy"))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (array([1], ">u4") + ENDS, ">u4, and here they have to be <u2 or <u4"),
        (IDS + array([3], "<i4"), "<i4, and here they have to be <i8"),
        (IDS + array([99], "<i8"), "document 0 ends at id 99, but there are 3 ids"),
        (IDS + array([-2, 3], "<i8"), "document 0 ends at id -2, but begins at id 0"),
        (IDS + array([3, 1], "<i8"), "document 1 ends at id 1, but begins at id 3"),
        (IDS + array([1, 2], "<i8"), "last document ends at id 2, but there are 3 ids"),
        (IDS + ENDS[:-1], "its end is missing"),
        (IDS + ENDS + b"x", "something follows"),
        (IDS, "is not a NumPy array"),
    ],
)
def test_ids_or_ends_that_contradict_each_other_are_refused(data: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    with pytest.raises(UnreadableModel, match=told):
        read_arrays(path)


@pytest.mark.parametrize("dtype", ["uint16", "uint32"])
@pytest.mark.parametrize("ends", [[], [0, 0], [2, 2, 5]])
def test_what_is_written_is_read(dtype: str, ends: list[int], tmp_path: Path) -> None:
    ids = np.arange(ends[-1] if ends else 0)
    with (tmp_path / "x.npy").open("wb") as file:
        writer = ArrayWriter(file, dtype, in_place=True)
        writer.add(ids, np.array(ends, dtype=np.int64))
        writer.finish()
    found: Any = read_arrays(tmp_path / "x.npy", dtype)
    assert json.dumps([each.tolist() for each in found]) == json.dumps([ids.tolist(), ends])
    other = "uint16" if dtype == "uint32" else "uint32"
    with pytest.raises(UnreadableModel, match="and here they have to be"):
        read_arrays(tmp_path / "x.npy", other)
