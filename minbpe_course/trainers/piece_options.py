"""The options of ``train_sentencepiece``: sentencepiece's own names and spellings, checked, as the messages that a
``.model`` file keeps.

A file contains only the options that were given, without defaults. So the options are kept as the protocol-buffer
messages that sentencepiece publishes, and read from them.
"""

from __future__ import annotations

import csv
import difflib
import importlib
import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minbpe_course.errors import InvalidText, InvalidTrainingOption, UnreachableVocabularySize
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import BYTE, CONTROL, UNKNOWN, USER_DEFINED, PieceModel

_TRUE, _FALSE = {"", "true", "t", "yes", "y", "1"}, {"false", "f", "no", "n", "0"}

# Ranges that sentencepiece checks for all model types.
_RANGES = {
    "vocab_size": (1, 2**31 - 1),
    "character_coverage": (0.98, 1.0),
    "max_sentencepiece_length": (1, 512),
    "num_sub_iterations": (1, 10),
    "num_threads": (1, 1024),
    "shrinking_factor": (0.5, 0.95),
    "max_sentence_length": (10, 1 << 30),
}

# Only sentencepiece itself can do these: they draw random numbers, call back, or are not for BPE alone.
_NOT_OURS = ("input_sentence_size", "auto_character_coverage", "pretokenization_delimiter")

# Options of the past: sentencepiece 0.2.3 still takes them, and neither heeds nor writes them.
_OBSOLETE = (
    "accept_language",
    "self_test_sample_size",
    "mining_sentence_size",
    "training_sentence_size",
    "train_extremely_large_corpus",
    "enable_differential_privacy",
    "differential_privacy_noise_level",
    "differential_privacy_clipping_threshold",
)


@dataclass
class Plan:
    """The messages of the training and of the normalizer, and whether sentencepiece itself has to train."""

    trainer: Any
    normalizer: Any
    delegate: bool = False


def messages() -> Any:
    """The module of sentencepiece's published messages; its classes are made when it is imported."""
    return importlib.import_module("sentencepiece.sentencepiece_model_pb2")


def read_options(options: Mapping[str, Any], normalizer: Any = None) -> Plan:
    """Put options into messages. Raises InvalidTrainingOption for names and values that sentencepiece refuses too."""
    plan = Plan(messages().TrainerSpec(), messages().NormalizerSpec())
    if normalizer is not None:
        plan.normalizer.ParseFromString(_rules_of(normalizer))
    for name, value in options.items():
        if name == "normalization_rule_name":
            plan.normalizer.name = _text(name, value)
        elif name == "denormalization_rule_tsv":
            plan.delegate = True
        elif name == "minloglevel":
            _number(name, _text(name, value))
        elif name not in _OBSOLETE:
            _put(plan, name, value)
    _complete_rules(plan)
    _check(plan, options)
    return plan


def _put(plan: Plan, name: str, value: Any) -> None:
    for message in (plan.trainer, plan.normalizer):
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is not None:
            break
    else:
        known = [*plan.trainer.DESCRIPTOR.fields_by_name, *plan.normalizer.DESCRIPTOR.fields_by_name]
        close = difflib.get_close_matches(name, [*known, "normalization_rule_name"], n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise InvalidTrainingOption(f"sentencepiece knows no training option {name!r}.{hint}")
    if isinstance(getattr(message, name), (str, bytes, bool, int, float)):
        _put_one(message, field, name, value)
    else:
        getattr(message, name).extend(_several(name, value))


def _put_one(message: Any, field: Any, name: str, value: Any) -> None:
    text = _text(name, value)
    if field.enum_type is not None:
        numbers = field.enum_type.values_by_name
        if text.upper() not in numbers:
            raise InvalidTrainingOption(f"{name} must be {', '.join(map(str.lower, numbers))}, got {value!r}.")
        setattr(message, name, numbers[text.upper()].number)
        return
    default = getattr(message, name)
    if isinstance(default, bool):
        if text.lower() not in _TRUE | _FALSE:
            raise InvalidTrainingOption(f"{name} must be True or False, got {value!r}.")
        setattr(message, name, text.lower() in _TRUE)
    elif isinstance(default, int):
        number = _number(name, text)
        try:
            setattr(message, name, number)
        except ValueError:
            raise InvalidTrainingOption(f"{name}={number:,} is too large or too small.") from None
    elif isinstance(default, float):
        try:
            setattr(message, name, float(text))
        except ValueError:
            raise InvalidTrainingOption(f"{name} must be a number, got {value!r}.") from None
    else:
        setattr(message, name, text.encode() if isinstance(default, bytes) else text)


def _number(name: str, text: str) -> int:
    stripped = text.strip()
    if not re.fullmatch(r"[+-]?[0-9]{1,30}", stripped):
        raise InvalidTrainingOption(f"{name} must be a whole number, got {text!r}.")
    return int(stripped)


def _text(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidText(f"{name} holds a lone surrogate, which has no UTF-8 form: {text!r}.") from None
    return text


def _several(name: str, value: Any) -> list[str]:
    """Return a list. In one text with commas, items that contain commas or quotes are in quotes."""
    if isinstance(value, (list, tuple, os.PathLike)):
        # By way of the text, as sentencepiece does: an empty text at the end of a list is lost there.
        line = io.StringIO()
        items = [value] if isinstance(value, os.PathLike) else value
        csv.writer(line, lineterminator="").writerow([_text(name, item) for item in items])
        value = line.getvalue()
    text = _text(name, value)
    found = []
    at = 0
    while at < len(text):
        comma = text.find(",", at)
        field, stop = text[at : comma if comma >= 0 else len(text)], comma
        if text[at] == '"':
            quoted = re.match(r'"((?:[^"]|"")*)', text[at:])
            assert quoted is not None
            # Text between the closing quote and the next comma is ignored.
            field, stop = quoted.group(1).replace('""', '"'), text.find(",", at + quoted.end())
        found.append(field.partition("\0")[0])
        at = stop + 1 if stop >= 0 else len(text)
    return found


def _rules_of(normalizer: Any) -> bytes:
    """The normaliser of a loaded model, of a tokenizer that has one, or of sentencepiece, as bytes of its message."""
    if hasattr(normalizer, "serialized_normalizer_spec"):
        return bytes(normalizer.serialized_normalizer_spec())
    model = normalizer if isinstance(normalizer, PieceModel) else getattr(normalizer, "model", None)
    if not isinstance(model, PieceModel):
        raise InvalidTrainingOption(
            f"normalizer must be a loaded model or a SentencePieceTokenizer, got {type(normalizer).__name__}."
        )
    proto = messages().ModelProto()
    proto.ParseFromString(sentencepiece_proto.to_bytes(model))
    # The file of rules that the table was made of may be far away; the table says it all.
    proto.normalizer_spec.ClearField("normalization_rule_tsv")
    return bytes(proto.normalizer_spec.SerializeToString())


def _complete_rules(plan: Plan) -> None:
    """Add the table of the normaliser, which sentencepiece ships, or makes of a file of rules."""
    spec = plan.normalizer
    if spec.normalization_rule_tsv:
        if spec.precompiled_charsmap:
            raise InvalidTrainingOption("give normalization_rule_tsv or a normalizer that has a table, not both.")
        spec.name = "user_defined"
        made = _ask_sentencepiece(rule_tsv=spec.normalization_rule_tsv)
        spec.precompiled_charsmap = made.precompiled_charsmap
        return
    if not spec.name:
        spec.name = "nmt_nfkc"
    if not spec.precompiled_charsmap:
        spec.precompiled_charsmap = _ask_sentencepiece(rule_name=spec.name).precompiled_charsmap


def _ask_sentencepiece(**rule: Any) -> Any:
    import sentencepiece

    spec = messages().NormalizerSpec()
    if rule == {"rule_name": "identity"}:
        return spec
    try:
        spec.ParseFromString(sentencepiece.SentencePieceNormalizer(**rule).serialized_normalizer_spec())
    except (RuntimeError, OSError, ValueError) as error:
        known = "identity, nfkc, nmt_nfkc, nfkc_cf, nmt_nfkc_cf"
        what = " ".join(rule.values())
        raise InvalidTrainingOption(f"no normaliser can be made of {what!r}: {error}\nKnown names: {known}.") from None
    return spec


def _check(plan: Plan, options: Mapping[str, Any]) -> None:
    trainer = plan.trainer
    for name, (low, high) in _RANGES.items():
        value = getattr(trainer, name)
        # A float of the file has 32 bits; sentencepiece compares it as it is.
        if not low <= value <= high:
            kind = UnreachableVocabularySize if name == "vocab_size" else InvalidTrainingOption
            raise kind(f"{name} must be from {low:,} to {high:,}, got {value:,}.")
    for name in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
        if not getattr(trainer, name):
            raise InvalidTrainingOption(f"{name} is empty; to leave the piece out say {name[:3]}_id=-1.")
    for name in ("input", "model_prefix"):
        if name in options and not getattr(trainer, name):
            raise InvalidTrainingOption(f"{name} is empty; give a path, or leave it out.")
    if trainer.input_format not in ("", "text", "tsv"):
        raise InvalidTrainingOption(f"input_format must be 'text' or 'tsv', got {trainer.input_format!r}.")
    if trainer.model_type != 2 or any(trainer.HasField(name) and getattr(trainer, name) for name in _NOT_OURS):
        plan.delegate = True
        return
    if trainer.use_all_vocab or trainer.seed_sentencepieces_file:
        raise InvalidTrainingOption("use_all_vocab is for word and char models, seed_sentencepieces_file for unigram.")
    if not plan.normalizer.escape_whitespaces:
        raise InvalidTrainingOption("escape_whitespaces=False: BPE is trained on text whose spaces are ▁.")


def reserved_pieces(trainer: Any) -> dict[int, tuple[str, int]]:
    """Return the pieces that are there before training, id -> (piece, kind).

    The ids of unk, bos, eos and pad are given; control symbols, user-defined symbols and bytes, in this order, take
    the ids that are free. Raises InvalidTrainingOption when ids or pieces collide.
    """
    pieces: dict[int, tuple[str, int]] = {}
    unknown = trainer.unk_piece
    for short in ("unk", "bos", "eos", "pad"):
        number, piece = getattr(trainer, f"{short}_id"), getattr(trainer, f"{short}_piece")
        if number < 0:
            continue
        if number >= trainer.vocab_size:
            raise InvalidTrainingOption(
                f"{short}_id={number} is outside a vocabulary of {trainer.vocab_size:,}: give vocab_size={number + 1} "
                f"or more, or {short}_id=-1 to leave {piece!r} out."
            )
        if number in pieces:
            raise InvalidTrainingOption(f"{short}_id={number} is the id of {pieces[number][0]!r} already.")
        if piece == unknown and any(kind == UNKNOWN for _, kind in pieces.values()):
            raise InvalidTrainingOption(f"{short}_piece and unk_piece are both {piece!r}.")
        pieces[number] = piece, UNKNOWN if piece == unknown else CONTROL
    if not trainer.byte_fallback and not any(kind == UNKNOWN for _, kind in pieces.values()):
        raise InvalidTrainingOption("unk_id=-1 leaves no unknown piece; that needs byte_fallback=True.")

    seen: set[str] = set()
    given = {
        getattr(trainer, f"{short}_piece"): getattr(trainer, f"{short}_id")
        for short in ("pad", "eos", "bos")
        if getattr(trainer, f"{short}_id") >= 0
    }
    free = 0
    symbols = [(symbol, CONTROL) for symbol in trainer.control_symbols]
    symbols += [(symbol, USER_DEFINED) for symbol in trainer.user_defined_symbols]
    symbols += [(f"<0x{byte:02X}>", BYTE) for byte in range(256)] if trainer.byte_fallback else []
    for symbol, kind in symbols:
        if symbol in seen:
            raise InvalidTrainingOption(f"the symbol {symbol!r} is there twice among the reserved pieces.")
        if symbol == unknown:
            raise InvalidTrainingOption(f"{symbol!r} is unk_piece, which cannot be another symbol too.")
        seen.add(symbol)
        if symbol in given:
            pieces[given[symbol]] = symbol, kind
            continue
        while free in pieces:
            free += 1
        pieces[free] = symbol, kind
    return pieces
