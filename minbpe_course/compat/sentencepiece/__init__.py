"""sentencepiece 0.2.3 as a module: ``from minbpe_course.compat import sentencepiece as spm``.

    spm.SentencePieceTrainer.train("--input=corpus.txt --model_prefix=m --vocab_size=8000 --model_type=bpe")
    spm.SentencePieceProcessor(model_file="m.model").encode("Hello world", out_type=str)

It has sentencepiece's names, defaults, results and types of errors, and works in ``sys.modules["sentencepiece"]`` too.
Encoding, decoding and normalizing with a model, and training BPE, are this package's own. sentencepiece itself does the
rest, if it is installed: it trains other models, makes normalizers of rules, converts to FlatBuffers. Samples have the
same probabilities, but another generator draws them.
"""

from __future__ import annotations

import importlib
import operator
import os
import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from types import ModuleType
from typing import Any

from minbpe_course.errors import (
    InvalidOption,
    InvalidTrainingOption,
    MissingPackage,
    NotText,
    UnreadableModel,
)
from minbpe_course.extras import needed
from minbpe_course.files import read_whole
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.formats.protobuf_fields import LENGTH, BrokenMessage, field_bytes, read_fields
from minbpe_course.formats.sentencepiece_options import normalizer_options
from minbpe_course.model import PieceModel
from minbpe_course.text.normalize import RULE_NAMES, published_rules
from minbpe_course.tokenizers.sentencepiece_options import Options, threads_for
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer
from minbpe_course.trainers.piece_training import train_sentencepiece

__all__ = [
    "ConvertToFlatbuffer",
    "SentencePieceNormalizer",
    "SentencePieceProcessor",
    "SentencePieceTrainer",
    "SetDataDir",
    "SetMinLogLevel",
    "SetNBestTimeout",
    "SetRandomGeneratorSeed",
    "ThreadPool",
    "convert_to_flatbuffer",
    "set_data_dir",
    "set_min_log_level",
    "set_nbest_timeout",
    "set_random_generator_seed",
]

__version__ = "0.2.3"

_NAME = "sentencepiece"
# The generator of all processors made without ``seed=``.
_shared_random = random.Random()
# sentencepiece itself, while this module has its name.
_itself: ModuleType | None = None

# The number of the normalizer's message in a model, and of its fields.
_NORMALIZER = 3
_FLAGS = {"add_dummy_prefix": 3, "remove_extra_whitespaces": 4, "escape_whitespaces": 5}
_RULES = ("rule_tsv", "rule_name", "norm_map")


@contextmanager
def _stepping_aside() -> Iterator[None]:
    """Let ``import sentencepiece`` give sentencepiece itself, also where this module has taken its name."""
    global _itself
    here = sys.modules.get(_NAME)
    if here is None or here.__name__ == _NAME:
        yield
        return
    del sys.modules[_NAME]
    if _itself is not None:
        sys.modules[_NAME] = _itself
    try:
        yield
    finally:
        _itself = sys.modules.get(_NAME)
        sys.modules[_NAME] = here


def _original() -> Any:
    """Import sentencepiece itself. Raises MissingPackage."""
    with _stepping_aside(), needed("this call", _NAME):
        return importlib.import_module(_NAME)


def messages(name: str) -> ModuleType:
    """Import one of sentencepiece's modules of protocol-buffer messages, under its own name. Raises MissingPackage."""
    with _stepping_aside(), needed("a message object", _NAME, "protobuf"):
        importlib.import_module(_NAME)
        full = f"{_NAME}.{name}"
        there = sys.modules.get(full)
        # Our own module may be the one being imported under this name.
        if there is not None and not hasattr(there, "DESCRIPTOR"):
            del sys.modules[full]
        return importlib.import_module(full)


class SentencePieceProcessor(SentencePieceTokenizer):
    """Encodes and decodes with a model; see ``SentencePieceTokenizer`` for the methods and ``seed``.

    >>> import io
    >>> file = io.BytesIO()
    >>> text = iter(["to be or not to be"])
    >>> SentencePieceTrainer.train(sentence_iterator=text, model_writer=file, vocab_size=14, model_type="bpe")
    >>> processor = SentencePieceProcessor(model_proto=file.getvalue())
    >>> processor.EncodeAsPieces("to be"), processor["to"], len(processor)
    (['▁to', '▁be'], 4, 14)
    """

    _nbest_timeout = 30_000

    def __setstate__(self, state: Any) -> None:
        """Become the pickled processor; takes the pickles of sentencepiece too, of this and of earlier releases."""
        given = {"model_proto": state} if isinstance(state, bytes) else state
        if not isinstance(given, dict) or "model_proto" not in given:
            vars(self).update(state)
            return
        rest = dict(given)
        self.load_from_serialized_proto(rest.pop("model_proto"))
        options = {name: rest.pop(f"_{name}") for name in Options._fields if f"_{name}" in rest}
        self._defaults = Options(**options)
        vars(self).update(rest)

    @cached_property
    def _random(self) -> random.Random:
        return self._seeded or _shared_random


class SentencePieceTrainer:
    """Trains models: ``SentencePieceTrainer.train(...)``."""

    @staticmethod
    def train(arg: Any = None, logstream: Any = None, **kwargs: Any) -> Any:
        """Train a model: a unigram model unless ``model_type`` says another; see ``train_sentencepiece``.

        arg : all options in one text, ``"--input=corpus.txt --model_prefix=m --vocab_size=1000"``; then the other
        arguments do not count, and True is returned · logstream : a file for what sentencepiece logs.

        Raises what ``train_sentencepiece`` does, and InvalidTrainingOption without a place for the model.
        """
        in_one_text = isinstance(arg, str)
        options: dict[str, Any] = _options_in(arg) if in_one_text else kwargs
        if not options.get("model_prefix") and options.get("model_writer") is None:
            raise InvalidTrainingOption("say where the model goes: model_prefix='m', or model_writer=io.BytesIO().")
        if logstream is not None:
            options = options | {"logstream": logstream}
        with _stepping_aside():
            train_sentencepiece(**{"model_type": None} | options)
        return True if in_one_text else None

    Train = train


class SentencePieceNormalizer:
    """Normalizes text with the rules of a model, a file of rules, a named set of rules, or pairs of texts.

    The first of these that is given counts; ``add_dummy_prefix`` and the others replace what the rules say. Raises
    UnusablePath, UnreadableModel, InvalidOption without rules, MissingPackage where sentencepiece has to make them.

    >>> SentencePieceNormalizer(normalizer_spec=b"\\x18\\x00").normalize("a  b")
    'a▁b'
    """

    def __init__(
        self,
        model_file: str | os.PathLike[str] | None = None,
        model_proto: Any = None,
        normalizer_spec: Any = None,
        rule_tsv: str | None = None,
        rule_name: str | None = None,
        norm_map: Iterable[tuple[str | bytes, str | bytes]] | None = None,
        add_dummy_prefix: bool | None = None,
        escape_whitespaces: bool | None = None,
        remove_extra_whitespaces: bool | None = None,
    ) -> None:
        rules = dict(zip(_RULES, (rule_tsv, rule_name, norm_map)))
        if model_file:
            if not isinstance(model_file, (str, bytes, os.PathLike)):
                raise NotText(f"a path is a str or a Path, got {type(model_file).__name__}.")
            spec = _spec_in(read_whole(os.fsdecode(model_file)))
        elif model_proto:
            spec = _spec_in(_serialized(model_proto))
        elif normalizer_spec:
            spec = _serialized(normalizer_spec)
        elif any(rules.values()):
            name = next(name for name in _RULES if rules[name])
            if name == "rule_name" and rule_name in RULE_NAMES:
                named = normalizer_options()
                named.put("name", rule_name)
                named.put("precompiled_charsmap", published_rules(rule_name))
                spec = named.to_bytes()
            else:
                spec = _original().SentencePieceNormalizer(**{name: rules[name]}).serialized_normalizer_spec()
        else:
            raise InvalidOption("no rules are given; those of a model: SentencePieceNormalizer(model_file='m.model')")
        flags = dict(zip(_FLAGS, (add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces)))
        for name, value in flags.items():
            if isinstance(value, (str, bytes)):
                raise InvalidOption(f"{name} is True or False, got {value!r}.")
        self._use(spec)
        fields = {field.number: spec[field.begin : field.end] for field in read_fields(spec)}
        fields |= {_FLAGS[name]: field_bytes(_FLAGS[name], bool(on)) for name, on in flags.items() if on is not None}
        self._use(b"".join(fields[number] for number in sorted(fields)))

    def normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """Return the normalized text; see ``SentencePieceTokenizer.normalize``."""
        return self._tokenizer.normalize(input, with_offsets)

    def decompile(self) -> list[tuple[str, str]]:
        """Return the rules as pairs, a text and what it becomes. Raises MissingPackage."""
        pairs: list[tuple[str, str]] = _original().SentencePieceNormalizer(normalizer_spec=self._spec).Decompile()
        return pairs

    def serialized_normalizer_spec(self) -> bytes:
        """Return the rules as the bytes of a NormalizerSpec message."""
        return self._spec

    def serialized_model_proto(self) -> bytes:
        """Return a ModelProto message with these rules and nothing else."""
        return field_bytes(_NORMALIZER, self._spec)

    Normalize, Decompile = normalize, decompile

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, state: bytes) -> None:
        self._use(_spec_in(state))

    def _use(self, spec: bytes) -> None:
        # Rules come in a model; normalizing does not look at its pieces.
        pieces = sentencepiece_proto.to_bytes(PieceModel(("<unk>", "a"), (0.0, 0.0), (2, 1)))
        model = sentencepiece_proto.from_bytes(pieces + field_bytes(_NORMALIZER, spec), "the normalizer")
        self._tokenizer = SentencePieceTokenizer(model=model)
        self._spec = spec


class ThreadPool:
    """A number of threads for ``encode(..., thread_pool=pool)``; negative for as many as there are processors."""

    def __init__(self, num_threads: int) -> None:
        self._number = threads_for(operator.index(num_threads), None) or os.cpu_count() or 1

    def num_threads(self) -> int:
        """Return the number of threads."""
        return self._number


def SetRandomGeneratorSeed(seed: int) -> None:
    """Start the shared random numbers again; a processor made with ``seed=`` does not use them."""
    if not 0 <= operator.index(seed) < 1 << 32:
        raise _no_number("seed", seed, "0 to 2**32 - 1")
    _shared_random.seed(operator.index(seed))
    with suppress(MissingPackage):
        _original().SetRandomGeneratorSeed(seed)


def SetMinLogLevel(level: int) -> None:
    """Choose what sentencepiece logs while it trains; nothing else here logs."""
    _check_int("level", level)
    with suppress(MissingPackage):
        _original().SetMinLogLevel(level)


def SetNBestTimeout(timeout_ms: int) -> None:
    """Limit the search of the n best encodings, at first 30,000 ms; 0 or less for no limit.

    A search that takes longer gives the best encoding alone.
    """
    _check_int("timeout_ms", timeout_ms)
    SentencePieceProcessor._nbest_timeout = max(operator.index(timeout_ms), 0)


def SetDataDir(data_dir: str) -> None:
    """Choose the folder in which sentencepiece looks for its named rules."""
    if not isinstance(data_dir, (str, bytes)):
        raise NotText(f"a folder is a str, got {type(data_dir).__name__}.")
    _original().SetDataDir(data_dir)


def ConvertToFlatbuffer(
    model_file: Any = None,
    model_proto: Any = None,
    serialized_model_proto: bytes | None = None,
    output_file: Any = None,
    skip_char_bigrams: bool = False,
    treat_null_byte_as_unused: bool = False,
    allow_unsupported_model_type: bool = False,
) -> bytes | None:
    """Convert a model to sentencepiece's FlatBuffers format, with sentencepiece itself. Raises MissingPackage."""
    made: bytes | None = _original().ConvertToFlatbuffer(
        model_file,
        model_proto,
        serialized_model_proto,
        output_file,
        skip_char_bigrams,
        treat_null_byte_as_unused,
        allow_unsupported_model_type,
    )
    return made


set_random_generator_seed = SetRandomGeneratorSeed
set_min_log_level = SetMinLogLevel
set_nbest_timeout = SetNBestTimeout
set_data_dir = SetDataDir
convert_to_flatbuffer = ConvertToFlatbuffer


def _options_in(text: str) -> dict[str, Any]:
    """Return the options in ``--name=value --name=value``, of two with one name the first.

    >>> _options_in("--input=a.txt --vocab_size=100 --vocab_size=200 --hard_vocab_limit")
    {'input': 'a.txt', 'vocab_size': '100', 'hard_vocab_limit': ''}
    """
    options: dict[str, Any] = {}
    for part in text.split(" ") if text else []:
        name, _, value = part.removeprefix("--").partition("=")
        options.setdefault(name, value)
    return options


def _serialized(message: Any) -> bytes:
    data = message.SerializeToString() if hasattr(message, "SerializeToString") else message
    if not isinstance(data, bytes):
        raise NotText(f"a serialized message is bytes, got {type(data).__name__}.")
    return data


def _spec_in(data: bytes) -> bytes:
    """Return the message of the normalizer in a model. Raises UnreadableModel."""
    try:
        fields = list(read_fields(data))
    except BrokenMessage as error:
        raise UnreadableModel(f"this is not a SentencePiece model, or it is cut off: {error}.") from error
    return b"".join(data[at.value : at.end] for at in fields if at.number == _NORMALIZER and at.kind == LENGTH)


def _check_int(name: str, value: int) -> None:
    if not -(1 << 31) <= operator.index(value) < 1 << 31:
        raise _no_number(name, value, "-2**31 to 2**31 - 1")


def _no_number(name: str, value: int, range_of: str) -> InvalidOption:
    return InvalidOption(f"{name} is a whole number from {range_of}, got {value!r}.")
