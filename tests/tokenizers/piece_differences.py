"""One text, one model, us and sentencepiece: everything that can be compared."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import sentencepiece

from minbpe_course import SentencePieceTokenizer
from tests.shared.piece_cases import finish

KINDS_OF_ERRORS = (IndexError, RuntimeError, TypeError, ValueError)


class Both:
    """A model loaded on both sides.

    name : what an error calls it, with all that is needed to make it again.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.ours = SentencePieceTokenizer(model_proto=data)
        self.theirs = sentencepiece.SentencePieceProcessor(model_proto=data)
        self.size = len(self.theirs)
        if len(data) % 2:
            # Half of the models as they are after many texts.
            finish(self.ours._engine)

    @staticmethod
    def witness(data: bytes) -> Any:
        """Sentencepiece alone."""
        return sentencepiece.SentencePieceProcessor(model_proto=data)

    def same(self, method: str, given: Any, **options: Any) -> Any:
        """Compare one call and return its result."""
        found, wanted = self.answer(self.ours, method, given, options), self.answer(self.theirs, method, given, options)
        assert found == wanted, f"{self.name}: {self.ours.model!r}\n{method}({given!r}, {options})"
        return wanted

    @staticmethod
    def answer(side: Any, method: str, given: Any, options: dict[str, Any]) -> Any:
        try:
            return getattr(side, method)(given, **options)
        except KINDS_OF_ERRORS as error:
            return f"raises {next(base.__name__ for base in type(error).__mro__ if base in KINDS_OF_ERRORS)}"

    def same_ids(self, texts: list[bytes]) -> None:
        """Compare the ids of many texts, alone and together; of a difference the text is found."""
        wanted = self.theirs.encode(texts)
        if self.ours.encode(texts) != wanted or [self.ours.encode(text) for text in texts] != wanted:
            for text in texts:
                self.same("encode", text)
            raise AssertionError(f"{self.name}: the texts alone are right, together they are not")
        ids, ends = self.ours.encode_batch_to_array(texts)
        assert ids.tolist() == [token_id for own in wanted for token_id in own]
        assert ends[-1:].tolist() == [ids.size][: len(texts)]

    def same_in_everything(self, text: bytes, rng: random.Random) -> None:
        """Compare ids, pieces, places, normalised text, decoded text and options."""
        ids = self.same("encode", text)
        pieces = self.same("encode", text, out_type=str)
        self.same("encode", text, out_type="serialized_proto")
        self.same("normalize", text)
        self.same("normalize", text, with_offsets=True)
        self.same("decode", ids)
        self.same("decode", pieces)
        some = rng.choices(range(self.size), k=rng.choice([1, 3, 8]))
        self.same("decode", some)
        self.same("decode", rng.sample([*ids, *some], len(ids) + len(some)))
        self.same("decode", some, out_type="serialized_proto")
        self.same("decode", some, out_type="offset_mapping")
        self.same("encode", text, out_type="offset_mapping", return_bytes=False)
        self.same("decode", [*self.theirs.id_to_piece(some), "▁?", *pieces], out_type="serialized_proto")
        options = {name: rng.random() < 0.5 for name in ("add_bos", "add_eos", "reverse", "emit_unk_piece")}
        self.same("encode", text, out_type=rng.choice([int, str, bytes]), **options)
        if (valid := text.decode("utf-8", "ignore")) or not text:
            self.same("encode", valid, out_type="offset_mapping")
            self.same("normalize", valid, with_offsets=True)

    def same_vocabulary(self) -> None:
        """Compare what is said of each piece."""
        everything = list(range(self.size))
        for method in ("id_to_piece", "is_unknown", "is_control", "is_unused", "is_byte"):
            self.same(method, everything)
        found, wanted = self.ours.get_score(everything), self.theirs.get_score(everything)
        assert list(map(repr, found)) == list(map(repr, wanted)), self.name
        self.same("piece_to_id", [*self.theirs.id_to_piece(everything), "", "\0", "no such piece"])
        for role in ("unk_id", "bos_id", "eos_id", "pad_id"):
            assert getattr(self.ours, role)() == getattr(self.theirs, role)(), f"{self.name}: {role}"


def plain(result: Any) -> Any:
    """Bring a result to a form that compares by value and by type."""
    if isinstance(result, (list, tuple)):
        return type(result)([plain(each) for each in result])
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, np.ndarray):
        return "array", result.dtype.name, result.tolist()
    if hasattr(result, "SerializeToString"):
        return type(result).__name__, result.SerializeToString()
    return type(result).__name__, result
