"""A tokenizer of either kind, seen from one side only: texts to ids, ids to bytes, words counted.

What is different between byte-level tokenizers and SentencePiece's is here, so that whoever works through files of
texts need not ask.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from minbpe_course.engines.sentencepiece.long_texts import LongPieces, can_be_cut, first_place
from minbpe_course.errors import DisallowedSpecialToken, InvalidSpecialToken
from minbpe_course.formats import sentencepiece_proto
from minbpe_course.model import BYTE, NORMAL, VocabularyModel
from minbpe_course.splitting.boundaries import Cutter
from minbpe_course.splitting.long_texts import LongText
from minbpe_course.text.special_places import find_special_token
from minbpe_course.tokenizers.encoding import Encoding
from minbpe_course.tokenizers.loading import load_tokenizer
from minbpe_course.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer


def either_kind(tokenizer: Any, name: str | None = None, specials: str = "none") -> Chosen:
    """Return what hides the kind of ``tokenizer``, which is whatever ``load_tokenizer`` takes.

    specials : special tokens in a text: "raise", "none" (they are ordinary text) or "all" (they get their ids).

    >>> either_kind("gpt2").encode(["hello", "world"])[0].tolist()
    [31373, 6894]
    """
    ours = isinstance(tokenizer, (Encoding, SentencePieceTokenizer))
    loaded = tokenizer if ours else load_tokenizer(tokenizer)
    kind = OfPieces if isinstance(loaded, SentencePieceTokenizer) else OfBytes
    return kind(name or str(getattr(loaded, "name", type(loaded).__name__)), loaded, specials)


class Chosen:
    """A tokenizer, with what the verbs ask of it; ``OfBytes`` and ``OfPieces`` answer.

    name : as it was given · specials : "raise", "none" or "all" · exact : whether what is decoded is what was encoded.
    """

    exact: bool

    def __init__(self, name: str, tokenizer: Any, specials: str) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.specials = specials

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.tokenizer, self.specials)

    def long_text(self, *, gather: int | None = None) -> LongText:
        """Return what makes pieces of a long text, so that they may be encoded one by one."""
        raise NotImplementedError

    @property
    def cutter(self) -> Cutter:
        """What cuts files into parts that may be encoded one by one."""
        raise NotImplementedError

    @property
    def sha256(self) -> str:
        """What tells vocabularies apart: tokens and their ids, and how a text is cut."""
        raise NotImplementedError

    @property
    def frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ids before and behind every text, as the tokenizer's file says."""
        return (), ()

    def encode(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of all texts, uint32, and where those of each begin, int64[n + 1], on one thread.

        Raises ForbiddenSpecial.
        """
        raise NotImplementedError

    def decode(self, ids: np.ndarray, *, begins: bool = True) -> bytes:
        """Return the bytes that ids stand for; begins : whether a text begins with them. Raises InvalidTokenId,
        InvalidPieceId."""
        raise NotImplementedError

    def last_cut(self, ids: np.ndarray) -> int:
        """Return the last place where ids may be cut to be decoded in parts, 0 where there is none."""
        return len(ids)

    def words(self, texts: Sequence[str]) -> int:
        """Return how many words the texts have."""
        raise NotImplementedError

    @property
    def ids(self) -> np.ndarray:
        """Every id that there is, int64, ascending."""
        raise NotImplementedError

    def id_of(self, token: str) -> int:
        """Return the id of a special token or control piece, or of the number that is given. Raises
        InvalidSpecialToken."""
        raise NotImplementedError

    @cached_property
    def largest(self) -> int:
        """The largest id."""
        return int(self.ids[-1])

    def unknown(self, ids: np.ndarray) -> int | None:
        """Return the place of the first id that no token has, if there is one."""
        places = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        wrong = np.flatnonzero(self.ids[places] != ids)
        return int(wrong[0]) if wrong.size else None

    def _number(self, token: str, names: Sequence[str], kind: str) -> int:
        if token.isascii() and token.isdigit() and self.unknown(np.array([int(token[:18])])) is None:
            return int(token)
        there = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise InvalidSpecialToken(
            f"{token!r} is no {kind} of {self.name}, and no id. " + (f"There are: {there}" if names else "It has none.")
        )


class ForbiddenSpecial(DisallowedSpecialToken):
    """A special token in a text of a batch; ``number`` and ``position`` say where, for whoever knows the files."""

    def __init__(self, number: int, position: int, token: str) -> None:
        super().__init__(f"the text contains the special token {token!r}.")
        self.number = number
        self.position = position
        self.token = token


class OfBytes(Chosen):
    """A byte-level tokenizer: an Encoding."""

    exact = True

    def long_text(self, *, gather: int | None = None) -> LongText:
        """See ``Chosen``."""
        engine = self.tokenizer._engine
        whole = engine.needs_whole_texts or self.tokenizer._added_tokens is not None
        return LongText(engine.splitter, self._looked_for, composed=engine.composes, gather=gather, whole=whole)

    @property
    def cutter(self) -> Cutter:
        """See ``Chosen``."""
        return _CutterOfBytes(self)

    @property
    def _looked_for(self) -> Collection[str]:
        return () if self.specials == "none" else self._specials

    @cached_property
    def sha256(self) -> str:
        """See ``Chosen``."""
        tables, record = self.tokenizer._engine.tables, getattr(self.tokenizer, "_record", None)
        merges = getattr(record, "merges", None) if isinstance(record, VocabularyModel) else None
        said = {
            "pattern": self.tokenizer._pat_str,
            "special_tokens": sorted(self._specials.items(), key=lambda item: item[1]),
            "normalization": getattr(record, "normalization", None),
            **_beyond(record),
            "merges": None if merges is None else [list(map(int, merge)) for merge in merges],
        }
        digest = hashlib.sha256(json.dumps(said).encode("ascii"))
        text = tables.token_text.tobytes()
        for number in np.argsort(tables.ids).tolist():
            token = text[int(tables.token_start[number]) : int(tables.token_start[number + 1])]
            digest.update(int(tables.ids[number]).to_bytes(4, "little") + len(token).to_bytes(4, "little") + token)
        return digest.hexdigest()

    @property
    def frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """See ``Chosen``."""
        found: tuple[tuple[int, ...], tuple[int, ...]] = getattr(
            getattr(self.tokenizer, "_record", None), "frame", ((), ())
        )
        return found

    @cached_property
    def _specials(self) -> Mapping[str, int]:
        found: Mapping[str, int] = self.tokenizer._special_tokens
        return found

    @cached_property
    def _mark(self) -> str:
        return self.tokenizer._mark or ""

    def encode(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """See ``Chosen``."""
        asked: dict[str, Any] = {"disallowed_special": ()}
        if self._may_hold_specials(texts):
            if self.specials == "raise":
                self._refuse(texts)
            else:
                asked = {"allowed_special": "all"}
        ids, offsets = self.tokenizer.encode_batch_to_array(texts, num_threads=1, **asked)
        return ids, offsets

    def decode(self, ids: np.ndarray, *, begins: bool = True) -> bytes:
        """See ``Chosen``."""
        data: bytes = self.tokenizer.decode_bytes(ids)
        return data

    def words(self, texts: Sequence[str]) -> int:
        """As the split pattern cuts them; a special token is one."""
        engine = self.tokenizer._engine
        if not self._may_hold_specials(texts):
            return sum(self._words_of(engine.prepared(text)) for text in texts)
        # Some tokenizers normalize a text while they look for special tokens in it.
        prepare = engine.prepared if self.tokenizer._added_tokens is None else engine.prefixed
        number = 0
        for text in texts:
            for part, token_id in self.tokenizer._cut(text, self._specials):
                number += 1 if token_id is not None else self._words_of(prepare(part))
        return number

    def _words_of(self, text: str) -> int:
        return sum(run.number for run in self.tokenizer._engine.splitter.runs(text))

    @cached_property
    def ids(self) -> np.ndarray:
        """See ``Chosen``."""
        specials = np.fromiter(self._specials.values(), dtype=np.int64, count=len(self._specials))
        return np.union1d(np.asarray(self.tokenizer._engine.tables.ids, dtype=np.int64), specials)

    def id_of(self, token: str) -> int:
        """See ``Chosen``."""
        if token in self._specials:
            return self._specials[token]
        return self._number(token, list(self._specials), "special token")

    def _may_hold_specials(self, texts: Sequence[str]) -> bool:
        mark = self._mark
        return self.specials != "none" and bool(self._specials) and (not mark or any(mark in text for text in texts))

    def _refuse(self, texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            found = find_special_token(text, self._specials)
            if found is not None:
                raise ForbiddenSpecial(number, *found)


class OfPieces(Chosen):
    """A SentencePiece model."""

    exact = False

    @cached_property
    def sha256(self) -> str:
        """See ``Chosen``."""
        model = self.tokenizer.model
        if model.pipeline is None:
            return hashlib.sha256(sentencepiece_proto.to_bytes(model)).hexdigest()
        return hashlib.sha256(repr((model.pieces, model.kinds, model.pipeline.key())).encode("utf-8")).hexdigest()

    @property
    def frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """See ``Chosen``."""
        pipeline = self.tokenizer.model.pipeline
        return ((), ()) if pipeline is None else pipeline.frame

    def long_text(self, *, gather: int | None = None) -> LongText:
        """See ``Chosen``."""
        return LongPieces(self.tokenizer.model, gather=gather)

    @property
    def cutter(self) -> Cutter:
        """See ``Chosen``."""
        return _CutterOfPieces(self)

    def encode(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """See ``Chosen``."""
        ids, ends = self.tokenizer.encode_batch_to_array(texts, num_threads=1)
        return ids, np.concatenate([np.zeros(1, dtype=np.int64), ends])

    def decode(self, ids: np.ndarray, *, begins: bool = True) -> bytes:
        """See ``Chosen``."""
        # Behind a piece that is there already no blank is taken away.
        before = [] if begins else [self._anchor]
        text: str = self.tokenizer.decode([*before, *ids.tolist()])
        return text.encode("utf-8", "surrogateescape")[len(before) :]

    def last_cut(self, ids: np.ndarray) -> int:
        """See ``Chosen``. Bytes that may be one character stay together."""
        model = self.tokenizer.model
        if self._anchor < 0 or model.denormalizer.charsmap or model.pipeline is not None:
            return 0
        known = (ids >= 0) & (ids < len(model))
        kinds = np.where(known, self._kinds[np.where(known, ids, 0)], BYTE)
        places = np.flatnonzero(kinds != BYTE)
        return int(places[-1]) if places.size else 0

    @cached_property
    def _kinds(self) -> np.ndarray:
        return np.array(self.tokenizer.model.kinds)

    @cached_property
    def _anchor(self) -> int:
        """A piece that is one byte and no blank, -1 where there is none."""
        model = self.tokenizer.model
        letters = (at for at, piece in enumerate(model.pieces) if len(piece) == 1 and "!" <= piece <= "~")
        return next((at for at in letters if model.kinds[at] == NORMAL), -1)

    def words(self, texts: Sequence[str]) -> int:
        """What stands between blanks: such a model has no split pattern."""
        return sum(len(text.split()) for text in texts)

    @cached_property
    def ids(self) -> np.ndarray:
        """See ``Chosen``."""
        return np.arange(len(self.tokenizer.model))

    def id_of(self, token: str) -> int:
        """See ``Chosen``."""
        pieces = self.tokenizer.model.pieces
        if token in pieces:
            return int(pieces.index(token))
        controls = [piece for at, piece in enumerate(pieces) if self.tokenizer.is_control(at)]
        return self._number(token, controls, "piece")


class _CutterOfBytes(Cutter):
    """Where a text may be cut to be encoded in parts by a byte-level tokenizer."""

    def __init__(self, chosen: OfBytes) -> None:
        engine = chosen.tokenizer._engine
        super().__init__(engine.splitter.pattern, chosen._looked_for)
        self._chosen = chosen
        self._whole = engine.needs_whole_texts or chosen.tokenizer._added_tokens is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._chosen,)

    def long_text(self, *, gather: int | None = None) -> LongText:
        """See ``Cutter``."""
        return self._chosen.long_text(gather=gather)

    @property
    def cuts(self) -> bool:
        """See ``Cutter``."""
        return not self._whole and super().cuts


def _beyond(record: object) -> dict[str, Any]:
    """Return the facts for ``sha256`` that only a tokenizer.json can hold."""
    if not isinstance(record, VocabularyModel) or record.only_in_huggingface is None:
        return {}
    flags = sorted(record.special_flags.items())
    said = [record.prefix_space, record.split_steps, record.word_end, flags]
    return {"beyond": [list(said)]}


class _CutterOfPieces(Cutter):
    """The same for a SentencePiece model: before a space, which some models put there themselves."""

    def __init__(self, chosen: OfPieces) -> None:
        super().__init__(None)
        self._chosen = chosen
        model = chosen.tokenizer.model
        self._cuts = can_be_cut(model)
        # How many characters at the beginning of a part belong to no piece: the space that the model puts there itself.
        self.between = int(model.normalizer.add_dummy_prefix)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._chosen,)

    @property
    def cuts(self) -> bool:
        """See ``Cutter``."""
        return self._cuts

    def long_text(self, *, gather: int | None = None) -> LongText:
        """See ``Cutter``."""
        return self._chosen.long_text(gather=gather)

    def first_place(self, text: str, start: int, stop: int) -> int | None:
        """See ``Cutter``."""
        return first_place(text, start, stop)
