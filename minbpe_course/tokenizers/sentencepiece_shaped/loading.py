"""Loading: from a path, from bytes, from a message; and giving the bytes back."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from minbpe_course.engines.sentencepiece.choose_engine import engine_for
from minbpe_course.errors import InvalidOption, NotText
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import PieceModel
from minbpe_course.model.copies import forget_computed
from minbpe_course.tokenizers.sentencepiece_shaped.lookups import Lookups
from minbpe_course.tokenizers.sentencepiece_shaped.options import Options

Self = TypeVar("Self", bound="Loading")


class Loading(Lookups):
    """The part of a SentencePiece tokenizer that takes a model in."""

    _defaults: Options = Options()
    _old: bool = False

    @cached_property
    def _engine(self) -> Any:
        # Made when it is first needed: laying out the tables takes many times as long as reading the file.
        return engine_for(self.model, self._old)

    @classmethod
    def from_file(cls: type[Self], model_file: str | os.PathLike[str], **options: Any) -> Self:
        """Make a tokenizer from a ``.model`` file; the other arguments are those of the class."""
        tokenizer = cls(**_without_model(options))
        tokenizer.load_from_file(model_file)
        return tokenizer

    @classmethod
    def from_proto(cls: type[Self], model_proto: Any, **options: Any) -> Self:
        """Make a tokenizer from the bytes of a ``.model`` file; the other arguments are those of the class."""
        tokenizer = cls(**_without_model(options))
        tokenizer.load_from_serialized_proto(model_proto)
        return tokenizer

    def load(self, model_file: Any = None, model_proto: Any = None) -> bool:
        """Load a model in place of the one that is there, from a path or from bytes, and return True.

        Raises UnusablePath, UnreadableModel, InvalidOption when both or none are given.
        """
        if model_file and model_proto:
            raise InvalidOption("give model_file or model_proto, not both.")
        if model_proto:
            return self.load_from_serialized_proto(model_proto)
        if model_file:
            return self.load_from_file(model_file)
        raise InvalidOption("give a model: load('tokenizer.model'), or load(model_proto=its bytes).")

    def load_from_file(self, filename: str | os.PathLike[str] | bytes) -> bool:
        """Load a ``.model`` file and return True. Raises UnusablePath, UnreadableModel."""
        if not isinstance(filename, (str, bytes, os.PathLike)):
            raise NotText(f"a path is a str or a Path, got {type(filename).__name__}.")
        self._use(sentencepiece_proto.read(os.fsdecode(filename)))
        return True

    def load_from_serialized_proto(self, serialized: Any) -> bool:
        """Load the bytes of a ``.model`` file, or a ModelProto message, and return True. Raises UnreadableModel."""
        if hasattr(serialized, "SerializeToString"):
            serialized = serialized.SerializeToString()
        if not isinstance(serialized, bytes):
            raise NotText(f"a serialised model is bytes, got {type(serialized).__name__}.")
        self._use(sentencepiece_proto.from_bytes(serialized, "model_proto"))
        return True

    def serialized_model_proto(self) -> bytes:
        """Return the bytes of the ``.model`` file, empty when no model is loaded."""
        return b"" if self._model is None else sentencepiece_proto.to_bytes(self._model)

    def _use(self, model: PieceModel) -> None:
        # Nothing that was worked out from an earlier model may stay.
        forget_computed(self)
        self._model = model

    @cached_property
    def _list_of(self) -> Callable[[str], list[int]] | None:
        """The method that encodes most texts in one call; None without a model or with options that change ids."""
        plain = self._defaults.return_type is int and not any(self._defaults[1:6])
        return self._engine.encode_list if plain and self._model is not None else None


def _without_model(options: dict[str, Any]) -> dict[str, Any]:
    if "model_file" in options or "model_proto" in options:
        raise InvalidOption("the model is the first argument here; leave model_file and model_proto out.")
    return options
