"""Small models of SentencePiece, written as text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sentencepiece import sentencepiece_model_pb2

from tests.shared.random_pieces import BYTE, CONTROL, NORMAL, TYPES, UNKNOWN, UNUSED, USER_DEFINED, charsmap

KINDS = {"n": NORMAL, "c": CONTROL, "u": USER_DEFINED, "x": UNUSED, "?": UNKNOWN}


class Rule(NamedTuple):
    """pieces : "text score kind", where a space in the text is written as a dot in the middle · texts : to encode ·
    options : of the model, by the names of the trainer."""

    kind: str
    pieces: str
    texts: tuple[str | bytes, ...]
    options: Mapping[str, Any] = MappingProxyType({})


def file_of(rule: Rule) -> bytes:
    """The model of a rule: ids 0 <unk>, 1 <s>, 2 </s>, then its pieces, then the bytes if there are any."""
    options = dict(rule.options)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = TYPES[rule.kind]
    first = [("<unk>", 0.0, UNKNOWN)]
    first += [(name, 0.0, CONTROL) for name in ("<s>", "</s>") if f"{name} " not in rule.pieces]
    pieces = first + [_piece(line) for line in rule.pieces.split("|")]
    if options.get("byte_fallback"):
        pieces[3:3] = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    for piece, score, kind in pieces:
        proto.pieces.add(piece=piece, score=score, type=kind)
    proto.normalizer_spec.precompiled_charsmap = charsmap(options.pop("rule", "identity"))
    if "denormalizer" in options:
        proto.denormalizer_spec.precompiled_charsmap = charsmap(options.pop("denormalizer"))
        proto.denormalizer_spec.add_dummy_prefix = proto.denormalizer_spec.escape_whitespaces = False
    for name, value in options.items():
        spec = proto.normalizer_spec if "whitespaces" in name or "dummy" in name else proto.trainer_spec
        setattr(spec, name, value)
    data: bytes = proto.SerializeToString()
    return data


def _piece(line: str) -> tuple[str, float, int]:
    text, score, *kind = line.split(" ")
    return text.replace("·", " "), float(score), KINDS[kind[0] if kind else "n"]
