r"""The options in a SentencePiece ``.model`` file: of the training (field 2), and of the normalizer (field 3).

    options = trainer_options()     options.vocab_size -> 8000     options.put("vocab_size", 500)     options.to_bytes()

A file contains only the options that were given, in the order of their numbers. So an ``Options`` knows which these
are; the others have sentencepiece's defaults. Tests compare names, numbers, defaults and bytes with the classes that
sentencepiece publishes, which need protobuf.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from minbpe_course.formats.protobuf_fields import FOUR_BYTES, LENGTH, VARINT, Field, field_bytes, read_fields
from minbpe_course.model import MODEL_TYPES

_UNSIGNED = (11,)  # input_sentence_size has 64 bits without a sign


class Option(NamedTuple):
    """The number of an option in the file, and its default, whose type is that of all values; () is several texts."""

    number: int
    default: Any

    def fits(self, value: int) -> bool:
        """Return whether the file has room for a number: 32 bits, with a sign.

        >>> size = trainer_options().known["vocab_size"]
        >>> [size.fits(value) for value in (-(1 << 31) - 1, -(1 << 31), (1 << 31) - 1, 1 << 31)]
        [False, True, True, False]
        """
        return 0 <= value < 1 << 64 if self.number in _UNSIGNED else -(1 << 31) <= value < 1 << 31


_TRAINER: Mapping[str, Option] = {
    "input": Option(1, ()),
    "model_prefix": Option(2, ""),
    "model_type": Option(3, 1),
    "vocab_size": Option(4, 8000),
    "input_format": Option(7, ""),
    "character_coverage": Option(10, float(np.float32(0.9995))),
    "input_sentence_size": Option(11, 0),
    "seed_sentencepiece_size": Option(14, 1_000_000),
    "shrinking_factor": Option(15, 0.75),
    "num_threads": Option(16, 16),
    "num_sub_iterations": Option(17, 2),
    "max_sentence_length": Option(18, 4192),
    "shuffle_input_sentence": Option(19, True),
    "max_sentencepiece_length": Option(20, 16),
    "split_by_unicode_script": Option(21, True),
    "split_by_whitespace": Option(22, True),
    "split_by_number": Option(23, True),
    "treat_whitespace_as_suffix": Option(24, False),
    "split_digits": Option(25, False),
    "allow_whitespace_only_pieces": Option(26, False),
    "control_symbols": Option(30, ()),
    "user_defined_symbols": Option(31, ()),
    "vocabulary_output_piece_score": Option(32, True),
    "hard_vocab_limit": Option(33, True),
    "use_all_vocab": Option(34, False),
    "byte_fallback": Option(35, False),
    "required_chars": Option(36, ""),
    "unk_id": Option(40, 0),
    "bos_id": Option(41, 1),
    "eos_id": Option(42, 2),
    "pad_id": Option(43, -1),
    "unk_surface": Option(44, " \u2047 "),
    "unk_piece": Option(45, "<unk>"),
    "bos_piece": Option(46, "<s>"),
    "eos_piece": Option(47, "</s>"),
    "pad_piece": Option(48, "<pad>"),
    "pretokenization_delimiter": Option(53, ""),
    "seed_sentencepieces_file": Option(54, ""),
    "auto_character_coverage": Option(55, False),
}
_NORMALIZER: Mapping[str, Option] = {
    "name": Option(1, ""),
    "precompiled_charsmap": Option(2, b""),
    "add_dummy_prefix": Option(3, True),
    "remove_extra_whitespaces": Option(4, True),
    "escape_whitespaces": Option(5, True),
    "normalization_rule_tsv": Option(6, ""),
}


class Options:
    """The options of one kind, as attributes: those that were given, and defaults.

    >>> options = normalizer_options()
    >>> options.put("add_dummy_prefix", False)
    >>> options.name, options.add_dummy_prefix, options.escape_whitespaces, options.to_bytes()
    ('', False, True, b'\\x18\\x00')
    """

    def __init__(self, known: Mapping[str, Option]) -> None:
        self.known = known
        self._given: dict[str, Any] = {}
        self._unknown = b""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.known:
            raise AttributeError(f"there is no option {name!r}")
        return self._given.get(name, self.known[name].default)

    def put(self, name: str, value: Any) -> None:
        """Give an option a value of its type; a float is rounded to the 32 bits of the file."""
        default = self.known[name].default
        if isinstance(default, float):
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        self._given[name] = tuple(value) if isinstance(default, tuple) else value

    def has(self, name: str) -> bool:
        """Return whether an option was given."""
        return name in self._given

    def clear(self, name: str) -> None:
        """Forget the value of an option."""
        self._given.pop(name, None)

    def copy(self) -> Options:
        """Return equal options that change on their own."""
        made = Options(self.known)
        made._given, made._unknown = dict(self._given), self._unknown
        return made

    def read(self, data: bytes) -> None:
        """Add the options in a message; keep unknown fields as they are. Raises BrokenMessage."""
        names = {option.number: name for name, option in self.known.items()}
        for field in read_fields(data, depth=1):
            name = names.get(field.number, "")
            if (
                not name
                or field.kind != _kind(default := self.known[name].default)
                or (name == "model_type" and _signed(field) not in MODEL_TYPES)
            ):
                self._unknown += data[field.begin : field.end]
            elif isinstance(default, tuple):
                self._given[name] = (*getattr(self, name), _text(data[field.value : field.end]))
            elif field.kind == VARINT:
                self.put(name, bool(field.value) if isinstance(default, bool) else _signed(field))
            elif field.kind == FOUR_BYTES:
                self.put(name, struct.unpack_from("<f", data, field.value)[0])
            else:
                value = data[field.value : field.end]
                self.put(name, value if isinstance(default, bytes) else _text(value))

    def to_bytes(self) -> bytes:
        """Return the message: the options that were given, in the order of their numbers."""
        out = bytearray()
        for name, value in sorted(self._given.items(), key=lambda item: self.known[item[0]].number):
            number = self.known[name].number
            for each in value if isinstance(value, tuple) else [value]:
                if isinstance(each, float):
                    out += field_bytes(number, struct.pack("<f", each), FOUR_BYTES)
                else:
                    out += field_bytes(
                        number, each.encode("utf-8", "surrogateescape") if isinstance(each, str) else each
                    )
        return bytes(out) + self._unknown


def trainer_options() -> Options:
    """Return the options of a training, all with their defaults."""
    return Options(_TRAINER)


def normalizer_options() -> Options:
    """Return the options of a normalizer, all with their defaults."""
    return Options(_NORMALIZER)


def _kind(default: Any) -> int:
    return VARINT if isinstance(default, int) else FOUR_BYTES if isinstance(default, float) else LENGTH


def _signed(field: Field) -> int:
    return field.value if field.number in _UNSIGNED else (field.value & 0xFFFFFFFF ^ 0x80000000) - 0x80000000


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
