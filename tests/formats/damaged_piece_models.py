"""Damage to SentencePiece models that knows the format: lengths, pieces, scores, kinds, switches, the normaliser's
table. ``mutated_files`` draws from these, and damages bytes blindly.
"""

from __future__ import annotations

import random
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Mutation = Callable[[random.Random, bytes], bytes]
Fields = list[tuple[int, int, int | bytes]]


def fields_of(data: bytes) -> Fields:
    """Return (number, kind, value) of each field of a valid message."""
    from minbpe_course.formats.protobuf_fields import VARINT, read_fields

    found: Fields = []
    for field in read_fields(data):
        size = {1: 8, 5: 4}.get(field.kind, field.end - field.value)
        value = field.value if field.kind == VARINT else data[field.end - size : field.end]
        found.append((field.number, field.kind, value))
    return found


def message(fields: Fields) -> bytes:
    """Return the message of such fields."""
    from minbpe_course.formats.protobuf_fields import field_bytes, varint

    out = []
    for number, kind, value in fields:
        if kind in (0, 2):
            out.append(field_bytes(number, value))
        else:
            assert isinstance(value, bytes)
            out.append(varint(number << 3 | kind) + value)
    return b"".join(out)


def wrong_lengths(rng: random.Random, data: bytes) -> bytes:
    from minbpe_course.formats.protobuf_fields import LENGTH, read_fields, varint

    lengths = [field for field in read_fields(data) if field.kind == LENGTH]
    field = rng.choice([rng.choice(lengths), lengths[-1]])
    size = field.end - field.value
    wrong = rng.choice(
        [0, size + 1, max(0, size - 1), size * 2, 2**31 - 1, 2**31, 2**32, 2**63, rng.randrange(1 << 20)]
    )
    tag = varint(field.number << 3 | LENGTH)
    return data[: field.begin] + tag + varint(wrong) + data[field.value :]


SCORES = [b"\0\0\xc0\x7f", b"\0\0\xc0\xff", b"\0\0\x80\x7f", b"\0\0\x80\xff", b"\0\0\0\x80", b"\0\0\0\0", b"\1\0\0\0"]


def change_pieces(rng: random.Random, data: bytes) -> bytes:
    """Change scores, kinds and texts of some pieces; duplicate, remove, move or add pieces."""
    fields = fields_of(data)
    at = [place for place, field in enumerate(fields) if field[:2] == (1, 2)]
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = rng.choice(at)
        value = fields[place][2]
        assert isinstance(value, bytes)
        inner = fields_of(value)
        texts = [field for field in inner if field[0] == 1]
        kind = rng.randrange(7)
        if kind == 0:
            inner.append((2, 5, rng.choice([*SCORES, rng.randbytes(4), struct.pack("<f", -rng.randrange(50))])))
        elif kind == 1:
            inner.append((3, 0, rng.choice([1, 2, 3, 4, 4, 5, 5, 6, 0, 7, 9, 2**32 + 4, 2**64 - 1])))
        elif kind == 2:
            inner.append((1, 2, _text(rng)))
        elif kind == 3 and texts:
            text = bytearray(texts[0][2]) if isinstance(texts[0][2], bytes) else bytearray()
            if text:
                text[rng.randrange(len(text))] = rng.randrange(256)
            inner.append((1, 2, bytes(text)))
        elif kind == 4:
            rng.shuffle(inner)
            inner.insert(0, (rng.choice([7, 200, 3]), 2, b"what is this"))
        elif kind == 5:
            other = fields[rng.choice(at)][2]
            assert isinstance(other, bytes)
            inner = fields_of(other)
        else:
            inner = [field for field in inner if field[0] != rng.choice([1, 2, 3, 3])]
        fields[place] = (1, 2, message(inner))
    if rng.random() < 0.1:
        fields[rng.choice(at)] = fields[0]
    if rng.random() < 0.1:
        rng.shuffle(fields)
    return message(fields)


def _text(rng: random.Random) -> bytes:
    known = [
        b"", b"\0", b"a\0", b"\xff", b"\xe2\x96", b"a" * 7999, b"b" * 8000, b"<0x41>", b"<0x100>", b"<s>", b"<unk>",
    ]  # fmt: skip
    return rng.choice([*known, "▁".encode() * 3, b"<a>", b"<a><b>", b"the", rng.randbytes(rng.randint(1, 4))])


def change_switches(rng: random.Random, data: bytes) -> bytes:
    """Change fields of the three messages of options: values, kinds, duplicates, absences, a message in two parts."""
    fields = fields_of(data)
    number = rng.choice([2, 2, 3, 3, 5])
    at = [place for place, field in enumerate(fields) if field[:2] == (number, 2)]
    inner: Fields = []
    for _ in range(rng.choice([1, 1, 2, 4])):
        if number == 2:
            field = rng.choice([3, 24, 35, 35, 44, 45, 46, 47, 48])
            wrong = rng.choice([0, 1, 2, 3, 4, 5, 7, 2**32 + 1, 2**63])
            inner.append((field, 0, wrong) if field < 44 or rng.random() < 0.1 else (field, 2, _text(rng)[:100]))
        else:
            inner.append((rng.choice([3, 4, 5]), 0, rng.choice([0, 1, 2, 2**63])))
    if at and rng.random() < 0.5:
        place = rng.choice(at)
        value = fields[place][2]
        assert isinstance(value, bytes)
        fields[place] = (number, 2, message([*fields_of(value), *inner]))
    else:
        fields.insert(rng.randrange(len(fields) + 1), (number, 2, message(inner)))
    if rng.random() < 0.1:
        fields = [field for field in fields if field[0] != number]
    return message(fields)


def change_table(rng: random.Random, data: bytes) -> bytes:
    """Change units, strings or lengths of the normaliser's table, or move it to the denormaliser."""
    fields = fields_of(data)
    at = [place for place, field in enumerate(fields) if field[:2] == (3, 2)]
    spec = fields_of(fields[at[0]][2]) if at and isinstance(fields[at[0]][2], bytes) else []
    tables = [field[2] for field in spec if field[0] == 2 and isinstance(field[2], bytes) and field[2]]
    if not tables:
        return change_pieces(rng, data)
    table = bytearray(tables[0])
    size = struct.unpack_from("<I", table)[0] if len(table) > 4 else 0
    if not 0 < size < len(table) - 4:  # damaged before
        return change_pieces(rng, data)
    used = [place for place in range(4, 4 + size, 4) if table[place : place + 4] != b"\0\0\0\0"]
    for _ in range(rng.choice([1, 1, 2, 10, 100])):
        kind = rng.random()
        place = rng.choice(used)
        if kind < 0.25:
            table[place + rng.randrange(4)] ^= 1 << rng.randrange(8)
        elif kind < 0.45:  # another unit's content: circles, rules that share an end
            other = rng.choice(used)
            table[place : place + 4] = table[other : other + 4]
        elif kind < 0.6:  # a leaf with another value
            if table[place + 3] & 0x80:
                table[place : place + 4] = struct.pack("<I", 1 << 31 | rng.randrange(len(table) - size))
        elif kind < 0.9:
            table[4 + size + rng.randrange(len(table) - size - 4)] = rng.choice(
                [0, 0x20, 0xFF, 0x80, rng.randrange(256)]
            )
        elif kind < 0.92:
            table[rng.randrange(4)] ^= 1 << rng.randrange(8)
        elif kind < 0.94:
            table = table[: rng.randrange(1, len(table))]
            break
    spec = [field if field[0] != 2 else (2, 2, bytes(table)) for field in spec]
    fields[at[0]] = (rng.choice([3, 3, 3, 5]), 2, message(spec))
    return message(fields)


def _on_message(change: Mutation) -> Mutation:
    def mutation(rng: random.Random, data: bytes) -> bytes:
        try:
            return change(rng, data)
        except (ValueError, IndexError):  # damaged before: no message any more
            return data[: rng.randrange(len(data) + 1)]

    mutation.__name__ = change.__name__
    return mutation


_CHANGES = (wrong_lengths, change_pieces, change_pieces, change_pieces, change_switches, change_switches)
MUTATIONS: tuple[Mutation, ...] = tuple(map(_on_message, (*_CHANGES, change_table, change_table)))


def small_models() -> dict[str, bytes]:
    """Train small models of all four types."""
    from tests.shared.piece_cases import course_lines, train

    lines = [*course_lines()[:150], "<a><b> ① ﬁ 你好 é"]
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder, "rules.tsv")
        rows = ["41>61", "20 20>20", "FB01>66 69", "2460>31", "E9>65 301", "9>20", "78 79>7A", "78 79 7A>"]
        rules.write_text("".join(row.replace(">", "\t") + "\n" for row in rows), encoding="utf-8")
        own = {"normalization_rule_tsv": str(rules)}
        plain = {"normalization_rule_name": "identity"}
        wanted: dict[str, dict[str, Any]] = {
            "bpe": {"vocab_size": 200, **plain, "user_defined_symbols": ["<a>", "<a><b>", "foo bar"]},
            "bpe bytes": {"vocab_size": 420, **plain, "byte_fallback": True, "remove_extra_whitespaces": False},
            "bpe rules": {"vocab_size": 200, **own, "byte_fallback": False},
            "bpe suffix": {"vocab_size": 200, **own, "treat_whitespace_as_suffix": True, "add_dummy_prefix": True},
            "bpe nmt": {"vocab_size": 420, "byte_fallback": True, "user_defined_symbols": ["<a>"]},
            "unigram": {"model_type": "unigram", "vocab_size": 150, **own, "user_defined_symbols": ["<a>"]},
            "unigram nmt": {"model_type": "unigram", "vocab_size": 420, "byte_fallback": True},
            "word": {"model_type": "word", "vocab_size": 90, **own},
            "char": {"model_type": "char", "vocab_size": 60, **own, "user_defined_symbols": ["<a>", "the"]},
        }
        return {name: train(lines, hard_vocab_limit=False, **options) for name, options in wanted.items()}
