"""Damaged files for every format: bytes, lines, JSON and base64, each mutant named so that it can be made again.

    small = {"plain": {"vocab.json": b"...", "merges.txt": b"..."}, "other": {...}}
    for mutant in mutants(small, seed=7, count=5000):
        folder = mutant.write(tmp_path / "m")           # the files, one of them damaged, one perhaps missing
        ...                                             # a failure prints mutant.name, and
    mutant(small, seed=7, number=1234)                  # makes that very one again

What is done to a file depends on what it holds: bytes may be damaged in any file, lines and numbers in any text, values
and keys in JSON, tokens in what has base64 in it. ``Mutant.harmless`` says that only the spelling was changed (white
space and escapes of JSON, line ends), so that the file must still mean the same.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.formats import mutated_json
from tests.shared.mutated_text import BASE64, LINES, NUMBERS

Mutation = Callable[[random.Random, bytes], bytes]
Files = Mapping[str, bytes]


class Mutant(NamedTuple):
    """A set of files of which something was changed."""

    name: str
    label: str
    files: dict[str, bytes]
    harmless: bool

    def write(self, folder: Path) -> Path:
        """Put the files into ``folder``, which is emptied before."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        return folder


# ---- Bytes


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5, 20]) if data else 0):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def change_bytes(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5]) if data else 0):
        out[rng.randrange(len(out))] = rng.choice([0, 0xFF, 0x80, 0x7F, 0x0A, 0x0D, 0x20, 0x22, rng.randrange(256)])
    return bytes(out)


def cut_off(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return rng.choice([data[:at], data[:at], data[at:], data[: -rng.randint(1, 4)]])


def leave_out(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice([1, 1, 2, 5, 60, 1000]) :]


def put_in(rng: random.Random, data: bytes) -> bytes:
    known = [
        b"\0",
        b"\xff",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xf4\x90\x80\x80",
        b"\r",
        b"\n",
    ]
    known += [
        b" ",
        b"\t",
        b"\r\n\r\n",
        b'"',
        b"\\",
        b"{",
        b"]",
        b",",
        "\u2028\u0085".encode(),
        b"9" * 30,
        b"\x1a",
        b"#",
    ]
    at = rng.choice([0, len(data), rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)])
    return data[:at] + rng.choice([*known, rng.randbytes(rng.randint(1, 9))]) + data[at:]


def repeat(rng: random.Random, data: bytes) -> bytes:
    """A stretch once more where it is, or somewhere else."""
    begin, size = rng.randrange(len(data) + 1), rng.choice([1, 2, 13, 100, 5000])
    at = rng.choice([begin, rng.randrange(len(data) + 1)])
    return data[:at] + data[begin : begin + size] * rng.choice([1, 1, 2, 50]) + data[at:]


def other_encoding(rng: random.Random, data: bytes) -> bytes:
    """The same text as a careless program would keep it."""
    text = data.decode("utf-8", "replace")
    return rng.choice(
        [
            lambda: text.encode("utf-16"),
            lambda: text.encode("utf-8-sig"),
            lambda: text.encode("latin-1", "replace"),
            lambda: data.decode("latin-1").encode("utf-8"),
            lambda: data + data,
            lambda: b"",
            lambda: b"\0" * len(data),
        ]
    )()


BYTES: tuple[Mutation, ...] = (flip_bits, change_bytes, cut_off, leave_out, put_in, repeat, other_encoding)


# ---- Sets of files


def mutations_for(name: str, data: bytes) -> tuple[tuple[Mutation, ...], ...]:
    """What can be done to this file, in groups: a group is drawn first, so that the large ones do not rule."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return (BYTES,)
    groups: list[tuple[Mutation, ...]] = [BYTES, LINES, NUMBERS]
    if name.endswith(".json"):
        groups += [mutated_json.MUTATIONS, mutated_json.MUTATIONS, mutated_json.MUTATIONS]
    if name.endswith(".tiktoken") or '"token_bytes"' in text:
        groups += [BASE64, BASE64]
    return tuple(groups)


def mutant(models: Mapping[str, Files], seed: int, number: int) -> Mutant:
    """Return one mutant: of ``models`` (label -> file name -> content) one is taken, and one of its files damaged.

    In one of thirty a file is missing, or comes from another model.
    """
    rng = random.Random(f"{seed} {number}")
    label = rng.choice(sorted(models))
    files = dict(models[label])
    name = rng.choice(sorted(files))
    said, harmless = "", False
    if len(files) > 1 and rng.random() < 1 / 30:
        others = sorted(other for other in models if name in models[other] and other != label)
        if others and rng.random() < 0.5:
            other = rng.choice(others)
            files[name] = models[other][name]
            said = f"{name} of {other}"
        else:
            del files[name]
            said = f"{name} missing"
    elif name.endswith(".json") and rng.random() < 1 / 30:
        files[name] = mutated_json.respelled(rng, files[name])
        said, harmless = f"{name}, respelled", True
    else:
        done = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            mutation = rng.choice(rng.choice(mutations_for(name, models[label][name])))
            files[name] = mutation(rng, files[name])
            done.append(mutation.__name__)
        said = f"{name}, {' then '.join(done)}"
    return Mutant(f"seed {seed}, mutant {number}, {label}: {said}", label, files, harmless)


def mutants(models: Mapping[str, Files], seed: int, count: int, first: int = 0) -> Iterator[Mutant]:
    """Yield ``count`` mutants, the numbers from ``first`` on."""
    for number in range(first, first + count):
        yield mutant(models, seed, number)
