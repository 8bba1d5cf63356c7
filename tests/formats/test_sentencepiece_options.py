"""The options of a file are those of sentencepiece's published messages: names, numbers, defaults and bytes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from sentencepiece import sentencepiece_model_pb2

from minbpe_course.formats.protobuf_fields import field_bytes
from minbpe_course.formats.sentencepiece_options import Options, normalizer_options, trainer_options
from minbpe_course.trainers.piece_options import _OBSOLETE

KINDS: dict[str, tuple[Callable[[], Options], Any]] = {
    "trainer": (trainer_options, sentencepiece_model_pb2.TrainerSpec),
    "normalizer": (normalizer_options, sentencepiece_model_pb2.NormalizerSpec),
}
UNSIGNED = ("input_sentence_size",)
VALUES: dict[type, tuple[Any, ...]] = {
    bool: (True, False),
    int: (0, 1, -1, 300, 2**31 - 1, -(2**31)),
    float: (0.0, 0.1, 0.9995, -2.5, 1e39, 1e-50),
    str: ("", "a", "naïve ☃", "x" * 300),
    bytes: (b"", b"\xff\0", b"y" * 200),
    tuple: ((), ("a",), ("", "b", "ü" * 90)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_names_numbers_and_defaults(kind: str) -> None:
    ours, theirs = KINDS[kind]
    known, made = ours().known, theirs()
    wanted = {name: field for name, field in made.DESCRIPTOR.fields_by_name.items() if name not in _OBSOLETE}
    assert {name: option.number for name, option in known.items()} == {n: field.number for n, field in wanted.items()}
    for name in known:
        theirs_default = getattr(made, name)
        several = not isinstance(theirs_default, (str, bytes, bool, int, float))
        assert getattr(ours(), name) == (tuple(theirs_default) if several else theirs_default), name
    for name, option in known.items():
        if type(option.default) is int and name != "model_type":
            for number in (-1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**64 - 1, 2**64):
                try:
                    setattr(theirs(), name, number)
                    fits = True
                except ValueError:
                    fits = False
                assert option.fits(number) is fits, (name, number)


@pytest.mark.parametrize("kind", KINDS)
def test_random_values_give_the_same_bytes_and_come_back(kind: str) -> None:
    ours, theirs = KINDS[kind]
    draw = random.Random(kind)
    for _ in range(200):
        mine, wanted = ours(), theirs()
        for name, option in draw.sample(sorted(mine.known.items()), draw.randrange(len(mine.known) + 1)):
            value = draw.choice(VALUES[type(option.default)])
            value = draw.choice((1, 2, 3, 4)) if name == "model_type" else max(value, 0) if name in UNSIGNED else value
            mine.put(name, value)
            if isinstance(value, tuple):
                getattr(wanted, name).extend(value)
            else:
                setattr(wanted, name, value)
        data = wanted.SerializeToString()
        assert mine.to_bytes() == data
        again = ours()
        again.read(data)
        assert again.to_bytes() == data
        assert all(getattr(again, name) == getattr(mine, name) for name in mine.known)


def test_a_copy_is_apart_and_unknown_options_stay() -> None:
    options = normalizer_options()
    options.read(field_bytes(1, b"nfkc") + field_bytes(200, 7) + field_bytes(3, b"of another kind"))
    other = options.copy()
    other.put("name", "x")
    other.clear("precompiled_charsmap")
    assert (options.name, other.name, other.add_dummy_prefix) == ("nfkc", "x", True)
    assert other.to_bytes() == field_bytes(1, b"x") + field_bytes(200, 7) + field_bytes(3, b"of another kind")
    with pytest.raises(AttributeError, match="no option"):
        print(options.vocab_size)
