"""The options of ``train_sentencepiece``: sentencepiece's own names and spellings, checked, as a ``.model`` file keeps
them.
"""

from __future__ import annotations

import csv
import difflib
import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minbpe_course.errors import InvalidText, InvalidTrainingOption
from minbpe_course.extras import needed
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.sentencepiece_options import Option, Options, normalizer_options, trainer_options
from minbpe_course.model import BYTE, CONTROL, MODEL_TYPES, UNKNOWN, USER_DEFINED, PieceModel
from minbpe_course.text.normalize import RULE_NAMES, published_rules

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

_TYPES = {name: number for number, name in MODEL_TYPES.items()}

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
    """The options of the training and of the normalizer, and whether sentencepiece itself has to train."""

    trainer: Options
    normalizer: Options
    delegate: bool = False


def read_options(options: Mapping[str, Any], normalizer: Any = None) -> Plan:
    """Sort and check options. Raises InvalidTrainingOption for names and values that sentencepiece refuses too."""
    plan = Plan(trainer_options(), normalizer_options())
    if normalizer is not None:
        plan.normalizer.read(_rules_of(normalizer))
    for name, value in options.items():
        if name == "normalization_rule_name":
            plan.normalizer.put("name", _text(name, value))
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
    for options in (plan.trainer, plan.normalizer):
        if name in options.known:
            options.put(name, _value(options.known[name], name, value))
            return
    known = [*plan.trainer.known, *plan.normalizer.known, "normalization_rule_name"]
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    raise InvalidTrainingOption(f"sentencepiece knows no training option {name!r}.{hint}")


def _value(option: Option, name: str, value: Any) -> Any:
    """Return a value as the type of the option's default."""
    if isinstance(option.default, tuple):
        return _several(name, value)
    text = _text(name, value)
    if name == "model_type":
        if text.lower() not in _TYPES:
            raise InvalidTrainingOption(f"{name} must be {', '.join(_TYPES)}, got {value!r}.")
        return _TYPES[text.lower()]
    if isinstance(option.default, bool):
        if text.lower() not in _TRUE | _FALSE:
            raise InvalidTrainingOption(f"{name} must be True or False, got {value!r}.")
        return text.lower() in _TRUE
    if isinstance(option.default, int):
        number = _number(name, text)
        if not option.fits(number):
            raise InvalidTrainingOption(f"{name}={number:,} is too large or too small.")
        return number
    if isinstance(option.default, float):
        try:
            return float(text)
        except ValueError:
            raise InvalidTrainingOption(f"{name} must be a number, got {value!r}.") from None
    return text.encode() if isinstance(option.default, bytes) else text


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
    """Return the normaliser of a loaded model, a tokenizer that has one, or sentencepiece, as bytes of its message."""
    if hasattr(normalizer, "serialized_normalizer_spec"):
        return bytes(normalizer.serialized_normalizer_spec())
    model = normalizer if isinstance(normalizer, PieceModel) else getattr(normalizer, "model", None)
    if not isinstance(model, PieceModel):
        raise InvalidTrainingOption(
            f"normalizer must be a loaded model or a SentencePieceTokenizer, got {type(normalizer).__name__}."
        )
    options = sentencepiece_proto.normalizer_of(model)
    # The file of rules that the table was made of may be far away; the table says it all.
    options.clear("normalization_rule_tsv")
    return options.to_bytes()


def _complete_rules(plan: Plan) -> None:
    """Add the table of the normaliser, which sentencepiece ships, or makes of a file of rules."""
    spec = plan.normalizer
    if spec.normalization_rule_tsv:
        if spec.precompiled_charsmap:
            raise InvalidTrainingOption("give normalization_rule_tsv or a normalizer that has a table, not both.")
        spec.put("name", "user_defined")
        spec.put("precompiled_charsmap", _table_of_rules(spec.normalization_rule_tsv))
        return
    if not spec.name:
        spec.put("name", "nmt_nfkc")
    if not spec.precompiled_charsmap:
        if spec.name not in RULE_NAMES:
            raise InvalidTrainingOption(
                f"sentencepiece knows no normaliser {spec.name!r}. Known names: {', '.join(RULE_NAMES)}."
            )
        spec.put("precompiled_charsmap", published_rules(spec.name))


def _table_of_rules(path: str) -> Any:
    with needed("normalization_rule_tsv", "sentencepiece"):
        import sentencepiece

    made = normalizer_options()
    try:
        made.read(sentencepiece.SentencePieceNormalizer(rule_tsv=path).serialized_normalizer_spec())
    except (RuntimeError, OSError, ValueError) as error:
        raise InvalidTrainingOption(f"no normaliser can be made of the rules in {path!r}: {error}") from None
    return made.precompiled_charsmap


def _check(plan: Plan, options: Mapping[str, Any]) -> None:
    trainer = plan.trainer
    for name, (low, high) in _RANGES.items():
        value = getattr(trainer, name)
        # A float of the file has 32 bits; sentencepiece compares it as it is.
        if not low <= value <= high:
            raise InvalidTrainingOption(f"{name} must be from {low:,} to {high:,}, got {value:,}.")
    for name in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
        if not getattr(trainer, name):
            raise InvalidTrainingOption(f"{name} is empty; to leave the piece out say {name[:3]}_id=-1.")
    for name in ("input", "model_prefix"):
        if name in options and not getattr(trainer, name):
            raise InvalidTrainingOption(f"{name} is empty; give a path, or leave it out.")
    if trainer.input_format not in ("", "text", "tsv"):
        raise InvalidTrainingOption(f"input_format must be 'text' or 'tsv', got {trainer.input_format!r}.")
    if trainer.model_type != 2 or any(getattr(trainer, name) for name in _NOT_OURS):
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
