"""Damaged files for every format: bytes, lines, JSON and base64, each mutant named so that it can be made again.

    small = {"plain": {"vocab.json": b"...", "merges.txt": b"..."}, "other": {...}}
    for mutant in mutants(small, seed=7, count=5000):
        folder = mutant.write(tmp_path / "m")           # the files, one of them damaged, one perhaps missing
        ...                                             # a failure prints mutant.name, with seed and number

The kind of damage depends on the content: bytes in any file, lines and numbers in any text, values in JSON, tokens in
base64.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Mutation = Callable[[random.Random, bytes], bytes]
Files = Mapping[str, bytes]


class Mutant(NamedTuple):
    """A set of files of which something was changed."""

    name: str
    label: str
    files: dict[str, bytes]

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
        b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\r", b"\n",
        b" ", b"\t", b"\r\n\r\n", b'"', b"\\", b"{", b"]", b",", "\u2028\u0085".encode(), b"9" * 30, b"\x1a", b"#",
    ]  # fmt: skip
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
    others = [text.encode("utf-16"), text.encode("utf-8-sig"), text.encode("latin-1", "replace")]
    return rng.choice([*others, data.decode("latin-1").encode("utf-8"), data + data, b"", b"\0" * len(data)])


BYTES: tuple[Mutation, ...] = (flip_bits, change_bytes, cut_off, leave_out, put_in, repeat, other_encoding)


# ---- Lines


def _on_lines(change: Callable[[random.Random, list[bytes]], list[bytes]]) -> Mutation:
    def mutation(rng: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        return b"\n".join(change(rng, lines))

    mutation.__name__ = change.__name__.removeprefix("_")
    return mutation


def _some(rng: random.Random, lines: list[bytes]) -> int:
    """A line, often one of the first or last few."""
    near = min(len(lines), 6)
    return rng.choice([rng.randrange(len(lines)), rng.randrange(near), len(lines) - 1 - rng.randrange(near)])


def _line_gone(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = _some(rng, lines)
    return lines[:at] + lines[at + rng.choice([1, 1, 2, 10]) :]


def _lines_swapped(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    out, one, two = list(lines), _some(rng, lines), _some(rng, lines)
    out[one], out[two] = out[two], out[one]
    return out


def _line_put_in(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    at = _some(rng, lines)
    new = [b"", b" ", b"\t", b"#", b"#version: 0.2", b"# a remark", b"a b c", b"x", b"\xff", b"//", b"\r", b"0 0"]
    return [*lines[:at], rng.choice(new), *lines[at:]]


def _line_parted_elsewhere(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    """Change the spaces within a line."""
    out, at = list(lines), _some(rng, lines)
    parts = out[at].split(b" ")
    between = rng.choice([b"  ", b"\t", b"", b"\xc2\xa0", b"\xe3\x80\x80", b"\x0b", b"\x1c", b"\r", b",", b" \0 "])
    out[at] = between.join(parts)
    if rng.random() < 0.4:
        out[at] = rng.choice(
            [b" " + lines[at], lines[at] + b" ", lines[at] + b"\t", lines[at] + b" x", lines[at] + b"\r"]
        )
    return out


def _other_line_ends(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    ends = [b"\r\n", b"\r", b"\n\n", b"\n\r", "\u2028".encode(), "\u0085".encode(), b"\x0c", b"\\n", b" \n"]
    end = rng.choice(ends)
    if rng.random() < 0.5:
        return end.join(lines).split(b"\n")
    at = _some(rng, lines)
    return [*lines[:at], end.join(lines[at : at + 2]), *lines[at + 2 :]]


def _no_last_line_end(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    return lines[:-1] if lines[-1] == b"" and len(lines) > 1 else [*lines, b""]


LINES: tuple[Mutation, ...] = (
    *map(_on_lines, (_line_gone, _lines_swapped, _line_put_in)),
    *map(_on_lines, (_line_parted_elsewhere, _other_line_ends, _no_last_line_end)),
)


# ---- Numbers

_DIGITS = re.compile(rb"(?<![0-9A-Za-z+/=.\\])[0-9]{1,20}(?![0-9A-Za-z+/=.])")
_STRANGE = [
    b"-1", b"-0", b"+1", b"00", b"01", b"1_0", b"0x1F", b"1.0", b"1e3", b"1e999", b"NaN", b"", b"\xef\xbc\x91",
    b" 1",
]  # fmt: skip
_LARGE = [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63, 2**64, 10**25]


def _number(rng: random.Random, data: bytes) -> re.Match[bytes] | None:
    found = list(_DIGITS.finditer(data))
    return rng.choice([rng.choice(found), found[0], found[-1]]) if found else None


def number_moved(rng: random.Random, data: bytes) -> bytes:
    """A little more or less, or far more."""
    found = _number(rng, data)
    if found is None:
        return data[:-1]
    value = int(found[0])
    new = rng.choice([value + 1, value - 1, value + 1, value * 2, value // 2, 0, 255, 256, 257, *rng.sample(_LARGE, 2)])
    return data[: found.start()] + str(new).encode() + data[found.end() :]


def number_respelled(rng: random.Random, data: bytes) -> bytes:
    found = _number(rng, data)
    if found is None:
        return data[1:]
    new = rng.choice([*_STRANGE, b"0" + found[0], b"+" + found[0], found[0] + b".0", found[0] + b"e0", b"9" * 5000])
    return data[: found.start()] + new + data[found.end() :]


NUMBERS: tuple[Mutation, ...] = (number_moved, number_respelled)


# ---- Base64

_LOOKS_LIKE = re.compile(rb'(?<![0-9A-Za-z+/_"-])(?:"?)([A-Za-z0-9+/]{2,}={0,2})(?![0-9A-Za-z+/=_])')


def _token(rng: random.Random, data: bytes) -> tuple[int, int] | None:
    found = [match.span(1) for match in _LOOKS_LIKE.finditer(data) if len(match[1]) % 4 == 0]
    return rng.choice(found) if found else None


def base64_respelled(rng: random.Random, data: bytes) -> bytes:
    """Change padding, spaces, letters and unused bits, which only lax readers accept."""
    place = _token(rng, data)
    if place is None:
        return data + b"="
    token = data[slice(*place)]
    core = token.rstrip(b"=")
    digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = digits.index(core[-1:])
    new = [core, core + b"=", token + b"=", token + b"==", token + b"A", core[:-1], b"", b"=", b"====", token * 2]
    new += [core[:1] + b" " + token[1:], core[:1] + b"!" + token[1:], b"=" + token, token.replace(b"/", b"_")]
    new += [core[:-1] + digits[last ^ 1 : (last ^ 1) + 1] + token[len(core) :], token.lower(), token + b"\xc3\xa9"]
    return data[: place[0]] + rng.choice(new) + data[place[1] :]


BASE64: tuple[Mutation, ...] = (base64_respelled,)


# ---- JSON

WILD: tuple[Any, ...] = (
    None, True, 0, -1, 255, 2**32, 2**64, 1.0, 1.5, "", "\0", "\ud800", "é", "a\nb", "Ġ", "x" * 5000, "0", "(", [],
    [[]], {}, {"": {}}, "NFC", "Sequence", "ByteLevel", "Removed", {"Regex": "\\d"}, {"type": "Lowercase"},
)  # fmt: skip


def json_value(rng: random.Random, data: bytes) -> bytes:
    """Remove a value somewhere in a document, replace it with a wild one or with its neighbour, or move a number."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):  # damaged before
        return data[:-1]
    holders = list(_holders(document))
    if not holders:
        return data + b","
    # Often near the root: in a vocabulary file nearly all other values are tokens.
    holder = rng.choice(rng.choice([holders, holders[:8]]))
    keys = list(holder) if isinstance(holder, dict) else range(len(holder))
    key, way = rng.choice(keys), rng.randrange(5)
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[key] = holder[rng.choice(keys)]
    elif way == 2 and type(holder[key]) is int:
        holder[key] += rng.choice([1, -1, 2**32])
    elif way == 2 and isinstance(holder[key], str):
        holder[key] += rng.choice(["a", " ", "\0", "("])
    else:
        holder[key] = rng.choice(WILD)
    return json.dumps(document).encode("ascii")


def _holders(document: Any) -> Iterator[Any]:
    """Yield every list and object of a document that is not empty, the outermost first."""
    todo = [document]
    for holder in todo:
        if isinstance(holder, (dict, list)) and holder:
            yield holder
            todo += holder.values() if isinstance(holder, dict) else holder


def json_text(rng: random.Random, data: bytes) -> bytes:
    """Break the syntax in ways that some programs accept, or nest brackets deeply."""
    at = rng.choice([data.find(b","), data.find(b":"), data.rfind(b",")])
    others = [b",,", b"/* */,", b", NaN,", b"," + b"[" * 100_000, b",'a',", b", 01,", b'"\\x"', b'"\\ud83d",']
    return data[:at] + rng.choice(others) + data[at + 1 :]


JSON: tuple[Mutation, ...] = (json_value, json_value, json_value, json_text)


# ---- Sets of files


def mutations_for(name: str, data: bytes) -> tuple[tuple[Mutation, ...], ...]:
    """Return the mutations for a file in groups; a group is drawn first, so that large groups do not dominate."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return (BYTES,)
    groups: list[tuple[Mutation, ...]] = [BYTES, LINES, NUMBERS]
    if name.endswith(".json"):
        groups += [JSON, JSON, JSON]
    if name.endswith(".tiktoken") or '"token_bytes"' in text:
        groups += [BASE64, BASE64]
    return tuple(groups)


def mutants(models: Mapping[str, Files], seed: int, count: int) -> Iterator[Mutant]:
    """Yield mutants: of ``models`` (label -> file name -> content) one is taken, and one of its files damaged.

    In one of thirty a file is missing, or comes from another model.
    """
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        label = rng.choice(sorted(models))
        files = dict(models[label])
        name = rng.choice(sorted(files))
        if len(files) > 1 and rng.random() < 1 / 30:
            others = sorted(other for other in models if name in models[other] and other != label)
            if others and rng.random() < 0.5:
                other = rng.choice(others)
                files[name] = models[other][name]
                said = f"{name} of {other}"
            else:
                del files[name]
                said = f"{name} missing"
        else:
            done = []
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                mutation = rng.choice(rng.choice(mutations_for(name, models[label][name])))
                files[name] = mutation(rng, files[name])
                done.append(mutation.__name__)
            said = f"{name}, {' then '.join(done)}"
        yield Mutant(f"seed {seed}, mutant {number}, {label}: {said}", label, files)
